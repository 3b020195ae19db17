// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_stages.hpp"

#include <weft/core/shape.hpp>
#include <weft/iter/overlap.hpp>

#include "ops/prepare_reduce.hpp"
#include "ops/reduce_axes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

DimVector with_rows(const DimVector& shape, const RowsOfBlock& rows) {
  DimVector with = shape;
  if (rows.count == 0) return with;
  const auto axis = static_cast<std::size_t>(rows.axis);
  std::fill_n(with.begin(), axis, std::int64_t{1});
  with[axis] = rows.count;
  return with;
}

bool is_place(Reduction op) { return op == Reduction::argmax || op == Reduction::argmin; }

}  // namespace

ExprStages::ExprStages(std::span<const StageRecipe> recipes, OutputViews outs,
                       OperandViews operands, const RowsOfBlock& rows,
                       const std::vector<bool>& has_rows)
    : recipes_(recipes), serial_(rows.count > 0) {
  stages_.reserve(recipes.size());
  for (std::size_t s = 0; s < recipes.size(); ++s) {
    const StageRecipe& recipe = recipes[s];
    const RowsOfBlock own_rows = serial_ && has_rows[s] ? rows : RowsOfBlock();
    std::vector<TensorView> views;
    for (const StageRecipe::Input& from : recipe.inputs)
      views.push_back(input(from, operands));
    Stage& stage = stages_.emplace_back();
    for (const StageRecipe::Result& result : recipe.results) {
      stage.results.push_back(result.output >= 0
                                  ? Tensor()
                                  : Tensor::empty(with_rows(result.shape, own_rows), result.type));
    }
    if (recipe.is_masked()) {
      std::vector<TensorView> mask_views;
      for (const StageRecipe::Input& from : recipe.mask_inputs)
        mask_views.push_back(input(from, operands));
      stage.masked =
          std::make_unique<MaskedChain>(recipe.chain, views, recipe.mask, mask_views,
                                        with_rows(recipe.shape, own_rows), output(s, 0, outs));
    } else if (!recipe.reduces) {
      stage.chain = chain_of(s, outs, views);
      if (!stage.chain->direct_calls().empty()) stage.chain->run_by_direct_calls();
    } else if (recipe.is_chain()) {
      stage.reduced =
          std::make_unique<ComputedChain>(recipe.chain, with_rows(recipe.shape, own_rows), views);
      stage.reducing = stage.reduced->prepare(call(s, outs, operands), serial_);
    } else if (serial_) {
      stage.reducing = KeptReduction::make(call(s, outs, operands), serial_);
    }
  }
}

std::unique_ptr<PreparedChain> ExprStages::chain_of(std::size_t stage, OutputViews outs,
                                                    std::span<const TensorView> inputs) const {
  const StageRecipe& recipe = recipes_[stage];
  std::vector<TensorView> to;
  for (std::size_t r = 0; r < recipe.results.size(); ++r)
    to.push_back(output(stage, r, outs));
  auto chain = std::make_unique<PreparedChain>(recipe.chain, to, inputs, serial_);
  for (std::size_t r = 0; r < to.size(); ++r) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!chain->overwrites(r, i) || overlap(to[r], inputs[i]) == Overlap::none) continue;
      return std::make_unique<PreparedChain>(recipe.chain.storing_last(), to, inputs, serial_);
    }
  }
  return chain;
}

const TensorView& ExprStages::input(const StageRecipe::Input& input, OperandViews operands) const {
  return input.operand >= 0 ? *operands[static_cast<std::size_t>(input.operand)]
                            : stages_[static_cast<std::size_t>(input.stage)]
                                  .results[static_cast<std::size_t>(input.result)];
}

const TensorView& ExprStages::output(std::size_t stage, std::size_t result,
                                     OutputViews outs) const {
  const int output = recipes_[stage].results[result].output;
  return output >= 0 ? *outs[static_cast<std::size_t>(output)] : stages_[stage].results[result];
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
  config.enforce_linear_iteration(recipe.kernel->indexed && recipe.axes.empty());
  if (computed != nullptr) config.set_check_mem_overlap(false);
  return {config, recipe.kernel};
}

ReduceCall ExprStages::call(std::size_t stage, OutputViews outs, OperandViews operands) const {
  const StageRecipe& recipe = recipes_[stage];
  const TensorView& to = output(stage, 0, outs);
  if (recipe.kernel != nullptr) return struct_call(stage, to, operands);
  const bool pair = recipe.results.size() > 1;
  const Output both[] = {to, pair ? output(stage, 1, outs) : to};
  if (stages_[stage].reduced != nullptr) {
    return prepare_computed(recipe.op, {both, recipe.results.size()},
                            stages_[stage].reduced->output(), recipe.axes, recipe.options);
  }
  const TensorView& in = input(recipe.inputs[0], operands);
  if (pair) return prepare(recipe.op, both[0], both[1], in, recipe.axes, recipe.options);
  if (!is_place(recipe.op)) return prepare(recipe.op, to, in, recipe.axes, recipe.options);
  const auto axis = recipe.axes.empty() ? std::nullopt : std::optional(recipe.axes[0]);
  return prepare_arg(recipe.op, to, in, axis, recipe.options.keepdim);
}

std::int64_t ExprStages::result_bytes() const noexcept {
  std::int64_t bytes = 0;
  for (const Stage& stage : stages_)
    for (const Tensor& result : stage.results)
      if (result.defined()) bytes += result.nbytes();
  return bytes;
}

void ExprStages::check(OutputViews outs, OperandViews operands) const {
  for (std::size_t s = 0; s < stages_.size(); ++s)
    if (recipes_[s].reduces && !recipes_[s].is_chain()) call(s, outs, operands);
}

void ExprStages::run(OutputViews outs, OperandViews operands) {
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const StageRecipe& recipe = recipes_[s];
    const TensorView& to = output(s, 0, outs);
    KeptReduction* const reducing = stages_[s].reducing.get();
    if (recipe.reduces && !recipe.is_chain() && reducing == nullptr) {
      // A few elements take a short cut.
      serial_ || recipe.kernel != nullptr || recipe.results.size() > 1 || is_place(recipe.op)
          ? call(s, outs, operands).run(serial_)
          : weft::call(recipe.op, to, input(recipe.inputs[0], operands), recipe.axes,
                       recipe.options);
      continue;
    }
    const void* inputs[max_operands];
    for (std::size_t i = 0; i < recipe.inputs.size(); ++i)
      inputs[i] = input(recipe.inputs[i], operands).data();
    if (recipe.reduces) {
      const std::size_t noutputs = recipe.results.size();
      for (std::size_t r = 0; r < noutputs; ++r)
        reducing->bind(static_cast<int>(r), output(s, r, outs).data());
      if (recipe.is_chain()) {
        stages_[s].reduced->reduce(*reducing, inputs);
        continue;
      }
      for (std::size_t i = 0; i < recipe.inputs.size(); ++i)
        reducing->bind(static_cast<int>(noutputs + i), inputs[i]);
      reducing->run();
    } else if (recipe.is_masked()) {
      const void* mask_inputs[max_operands];
      for (std::size_t i = 0; i < recipe.mask_inputs.size(); ++i)
        mask_inputs[i] = input(recipe.mask_inputs[i], operands).data();
      if (to.numel() > 0) stages_[s].masked->run(to, inputs, mask_inputs, serial_);
    } else if (to.numel() > 0) {
      void* outputs[max_operands];
      for (std::size_t r = 0; r < recipe.results.size(); ++r)
        outputs[r] = output(s, r, outs).data();
      stages_[s].chain->run(outputs, inputs);
    }
  }
}

}  // namespace v0
}  // namespace weft
