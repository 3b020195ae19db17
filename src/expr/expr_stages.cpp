// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_stages.hpp"

#include <weft/core/shape.hpp>

#include "ops/prepare_reduce.hpp"
#include "ops/reduce_axes.hpp"

#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

DimVector with_rows(const DimVector& shape, std::int64_t rows) {
  DimVector with = shape;
  if (rows > 0) with[0] = rows;
  return with;
}

bool is_place(Reduction op) { return op == Reduction::argmax || op == Reduction::argmin; }

}  // namespace

ExprStages::ExprStages(std::span<const StageRecipe> recipes, const TensorView& out,
                       OperandViews operands, std::int64_t rows, const std::vector<bool>& has_rows)
    : recipes_(recipes), serial_(rows > 0) {
  stages_.reserve(recipes.size());
  for (std::size_t s = 0; s < recipes.size(); ++s) {
    const StageRecipe& recipe = recipes[s];
    const std::int64_t own_rows = serial_ && has_rows[s] ? rows : 0;
    std::vector<TensorView> views;
    for (const StageRecipe::Input& from : recipe.inputs)
      views.push_back(input(from, operands));
    Stage& stage = stages_.emplace_back();
    if (s + 1 < recipes.size())
      stage.result = Tensor::empty(with_rows(recipe.result_shape, own_rows), recipe.result_type);
    if (!recipe.reduces) {
      const TensorView& to = stage.result.defined() ? stage.result : out;
      stage.chain =
          std::make_unique<PreparedChain>(recipe.chain, std::span(&to, 1), views, serial_);
      if (!stage.chain->direct_calls().empty()) stage.chain->run_by_direct_calls();
    } else if (recipe.is_chain()) {
      stage.reduced =
          std::make_unique<ComputedChain>(recipe.chain, with_rows(recipe.shape, own_rows), views);
    }
  }
}

const TensorView& ExprStages::input(const StageRecipe::Input& input, OperandViews operands) const {
  return input.operand >= 0 ? *operands[static_cast<std::size_t>(input.operand)]
                            : stages_[static_cast<std::size_t>(input.stage)].result;
}

const TensorView& ExprStages::output(std::size_t stage, const TensorView& out) const {
  const TensorView& result = stages_[stage].result;
  return result.defined() ? result : out;
}

/// The call of a reduction by a struct.
ReduceCall ExprStages::struct_call(std::size_t stage, const TensorView& to,
                                   OperandViews operands) const {
  const StageRecipe& recipe = recipes_[stage];
  const ComputedChain* computed = stages_[stage].reduced.get();
  std::vector<TensorView> views;
  if (computed != nullptr) {
    for (std::size_t k = 0; k < computed->noutputs(); ++k)
      views.push_back(computed->output(k));
  } else {
    for (const StageRecipe::Input& from : recipe.inputs)
      views.push_back(input(from, operands));
    // A pass may be for fewer rows than the recipe's.
    DimVector shape(views[0].shape().begin(), views[0].shape().end());
    for (const TensorView& view : views)
      shape = broadcast_shapes(shape, view.shape());
    for (TensorView& view : views)
      view = view.expand(shape);
  }
  TensorIteratorConfig config;
  const TensorView seen = ReduceAxes(views[0].shape(), recipe.axes).seen(to);
  config.add_output(seen);
  for (const TensorView& view : views)
    config.add_input(view);
  config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true);
  if (computed != nullptr) config.set_check_mem_overlap(false);
  return {config, recipe.kernel};
}

ReduceCall ExprStages::call(std::size_t stage, const TensorView& out, OperandViews operands) const {
  const StageRecipe& recipe = recipes_[stage];
  const TensorView& to = output(stage, out);
  if (recipe.kernel != nullptr) return struct_call(stage, to, operands);
  if (stages_[stage].reduced != nullptr) {
    const TensorView computed = stages_[stage].reduced->output();
    return prepare_computed(recipe.op, to, computed, recipe.axes, recipe.options);
  }
  const TensorView& in = input(recipe.inputs[0], operands);
  if (!is_place(recipe.op)) return prepare(recipe.op, to, in, recipe.axes, recipe.options);
  const auto axis = recipe.axes.empty() ? std::nullopt : std::optional(recipe.axes[0]);
  return prepare_arg(recipe.op, to, in, axis, recipe.options.keepdim);
}

void ExprStages::run(const TensorView& out, OperandViews operands) {
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const StageRecipe& recipe = recipes_[s];
    const TensorView& to = output(s, out);
    if (recipe.reduces && !recipe.is_chain()) {
      // A few elements take a short cut.
      serial_ || recipe.kernel != nullptr || is_place(recipe.op)
          ? call(s, out, operands).run(serial_)
          : weft::call(recipe.op, to, input(recipe.inputs[0], operands), recipe.axes,
                       recipe.options);
      continue;
    }
    const void* inputs[max_operands];
    for (std::size_t i = 0; i < recipe.inputs.size(); ++i)
      inputs[i] = input(recipe.inputs[i], operands).data();
    if (recipe.reduces) {
      stages_[s].reduced->reduce(call(s, out, operands), inputs, serial_);
    } else if (to.numel() > 0) {
      void* outputs[] = {to.data()};
      stages_[s].chain->run(outputs, inputs);
    }
  }
}

}  // namespace v0
}  // namespace weft
