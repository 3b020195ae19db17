// SPDX-License-Identifier: Apache-2.0
#include "expr/stage_recipe.hpp"

#include <weft/core/cast.hpp>

#include "expr/divided_where.hpp"
#include "expr/expr_node.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace weft {
inline namespace v0 {
namespace {

class RecipeWriter {
 public:
  RecipeWriter(const ExprList& list, std::span<const ScalarType> out_types)
      : list_(list),
        out_types_(out_types),
        is_written_(out_types.size(), false),
        place_of_(list.entries().size()),
        second_of_(list.entries().size(), -1),
        is_read_(list.entries().size(), false),
        is_small_part_(list.entries().size(), false) {
    for (std::size_t at = 0; at < place_of_.size(); ++at)
      place_of_[at].operand = list.entries()[at].operand;
  }

  std::vector<StageRecipe> write() {
    find_readers();
    find_small_parts();
    for (int at = 0; at < static_cast<int>(place_of_.size()); ++at) {
      if (node(at).kind == ExprNode::Kind::reduce)
        add_reduction(at);
      else if (is_small_part_[static_cast<std::size_t>(at)])
        add_small_part(at);
    }
    add_outputs();
    return std::move(recipes_);
  }

 private:
  const ExprList::Entry& entry(int at) const {
    return list_.entries()[static_cast<std::size_t>(at)];
  }
  const ExprNode& node(int at) const { return *entry(at).node; }
  const StageRecipe::Input& place_of(int at) const {
    return place_of_[static_cast<std::size_t>(at)];
  }
  /// Whether an entry is an input of the passes that read it.
  bool is_input(int at) const { return place_of(at).operand >= 0 || place_of(at).stage >= 0; }

  /// The formula of entries, from operands and results of other stages on.
  class Formula {
   public:
    /// `mask`, if it is not -1: an entry that says which elements of the only root count, so that
    /// the others are not to be divided by zero.
    Formula(const RecipeWriter& of, std::span<const int> roots, int mask = -1)
        : of_(of), terms_(of.list_.entries().size()), seen_(of.list_.entries().size(), false) {
      for (const int root : roots)
        find_inputs(root);
      if (mask >= 0 && divides_) {
        mask_ = mask;
        find_inputs(mask);
      }
    }

    std::vector<StageRecipe::Input> inputs;

    /// With an output for each root, in these types.
    Chain chain(std::span<const int> roots, const ScalarType* types) {
      FormulaBuilder builder(types_);
      std::vector<FormulaTerm> results;
      for (const int root : roots)
        results.push_back(builder.convert(write(builder, root), types[results.size()]));
      Chain chain;
      for (std::size_t i = 0; i < types_.size(); ++i)
        chain.terms.push_back({Chain::Kind::input, types_[i], static_cast<int>(i)});
      const weft::Formula& formula = builder.formula();
      std::vector<int> of_chain;
      for (const weft::Formula::TermInfo& term : formula.terms)
        of_chain.push_back(term.input);
      chain.ninputs = static_cast<int>(types_.size());
      chain.outputs = chain.append(formula, of_chain, results);
      return chain;
    }

   private:
    void find_inputs(int at) {
      if (seen_[static_cast<std::size_t>(at)]) return;
      seen_[static_cast<std::size_t>(at)] = true;
      if (!of_.is_input(at)) {
        divides_ = divides_ || divides_integers(of_.node(at));
        for (const int input : of_.entry(at).inputs)
          find_inputs(input);
        return;
      }
      terms_[static_cast<std::size_t>(at)].index = static_cast<int>(types_.size());
      types_.push_back(of_.node(at).dtype);
      inputs.push_back(of_.place_of(at));
    }

    /// An input of a call, in the type in which its inputs meet.
    FormulaTerm converted(FormulaBuilder& builder, int at, ScalarType type) {
      const ExprNode& node = of_.node(at);
      if (node.kind == ExprNode::Kind::number && !of_.is_input(at))
        return number(builder, node.scalar(), type);
      return builder.convert(write(builder, at), type);
    }

    /// As calls take numbers: integers wrap in types of integers.
    static FormulaTerm number(FormulaBuilder& builder, const Scalar& number, ScalarType type) {
      if (number.dtype() != ScalarType::i64 || !is_integer(type))
        return builder.number(number.to<double>(), type);
      // Terms are f64, which has no large ones of u64.
      auto value = number.to<std::int64_t>();
      if (type == ScalarType::u64)
        return builder.convert(builder.number(static_cast<double>(value), ScalarType::i64), type);
      char wrapped[8];
      cast_elements(wrapped, type, 0, &value, ScalarType::i64, 0, 1);
      cast_elements(&value, ScalarType::i64, 0, wrapped, type, 0, 1);
      return builder.number(static_cast<double>(value), type);
    }

    FormulaTerm write(FormulaBuilder& builder, int at) {
      FormulaTerm& term = terms_[static_cast<std::size_t>(at)];
      if (of_.is_input(at)) return builder.input(term.index);
      if (term.index < 0) term = written(builder, at);
      return term;
    }

    FormulaTerm written(FormulaBuilder& builder, int at) {
      const ExprNode& node = of_.node(at);
      const auto& from = of_.entry(at).inputs;
      if (node.kind == ExprNode::Kind::number)
        return builder.number(node.scalar().to<double>(), node.dtype);
      if (node.kind == ExprNode::Kind::convert) return converted(builder, from[0], node.dtype);
      if (node.kind == ExprNode::Kind::map) return mapped(builder, at);
      const bool chosen = node.function().result == ResultRule::chosen;
      SmallVector<FormulaTerm, 3> in;
      for (std::size_t i = 0; i < from.size(); ++i)
        in.push_back(
            converted(builder, from[i], chosen && i == 0 ? ScalarType::boolean : node.common));
      if (mask_ >= 0 && divides_integers(node)) {
        // What the mask divides itself, it divides for all elements.
        const int mask = std::exchange(mask_, -1);
        const FormulaTerm selected = converted(builder, mask, ScalarType::boolean);
        mask_ = mask;
        in[1] = builder.apply(TernaryOp::where, selected, in[1], builder.number(1, node.common));
      }
      return std::visit(
          [&](auto op) {
            if constexpr (std::is_same_v<decltype(op), UnaryOp>) {
              return builder.apply(op, in[0]);
            } else if constexpr (std::is_same_v<decltype(op), TernaryOp>) {
              return builder.apply(op, in[0], in[1], in[2]);
            } else {
              return builder.apply(op, in[0], in[1]);
            }
          },
          node.op);
    }

    FormulaTerm mapped(FormulaBuilder& builder, int at) {
      const SpanKernel& kernel = *static_cast<const ExprMap&>(of_.node(at)).kernel;
      SmallVector<FormulaTerm, 4> in;
      for (const int from : of_.entry(at).inputs)
        in.push_back(converted(builder, from, kernel.types[1 + in.size()]));
      return builder.apply(kernel, {in.data(), in.size()});
    }

    const RecipeWriter& of_;
    std::vector<ScalarType> types_;   // of the inputs
    std::vector<FormulaTerm> terms_;  // by entry; of inputs their number
    std::vector<bool> seen_;
    bool divides_ = false;
    int mask_ = -1;
  };

  /// Bytes of a small part, at most, for each time that its elements are read, up to `max_uses`:
  /// the more often they are read, the longer it takes to compute them each time. A part that is no
  /// larger than the results of reductions in it may have any size: those are there.
  static constexpr std::int64_t part_bytes_a_use = 32 << 10, max_uses = 4;

  void find_readers() {
    for (std::size_t at = 0; at < place_of_.size(); ++at) {
      const ExprList::Entry& reader = entry(static_cast<int>(at));
      for (const int input : reader.inputs) {
        if (reader.node->kind == ExprNode::Kind::second)
          second_of_[static_cast<std::size_t>(input)] = static_cast<int>(at);
        else
          is_read_[static_cast<std::size_t>(input)] = true;
      }
    }
  }

  /// What has fewer elements than a function that reads it, which repeats them.
  void find_small_parts() {
    // Elements of the largest result of a reduction in it.
    std::vector<std::int64_t> reduced(list_.entries().size(), 0);
    // Divides integers; where a mask or an empty shape may leave elements out, only those.
    std::vector<bool> divides(list_.entries().size(), false);
    bool leaves_out = false;
    for (int at = 0; at < static_cast<int>(list_.entries().size()); ++at)
      leaves_out = leaves_out || is_masked(at) || numel(node(at).shape) == 0;
    int inputs = static_cast<int>(list_.operands().size() + list_.roots().size());
    for (std::size_t at = 0; at < list_.entries().size(); ++at) {
      const ExprNode& reader = node(static_cast<int>(at));
      if (reader.kind == ExprNode::Kind::reduce) {
        reduced[at] = numel(reader.shape);
        ++inputs;
      }
      divides[at] = divides_integers(reader);
      for (const int input : entry(static_cast<int>(at)).inputs) {
        const auto i = static_cast<std::size_t>(input);
        reduced[at] = std::max(reduced[at], reduced[i]);
        divides[at] = divides[at] || (divides[i] && reader.kind != ExprNode::Kind::reduce);
        const ExprNode& part = node(input);
        if (part.kind == ExprNode::Kind::operand || part.kind == ExprNode::Kind::number ||
            part.kind == ExprNode::Kind::reduce || part.kind == ExprNode::Kind::second)
          continue;
        const std::int64_t elements = numel(part.shape);
        if (elements >= numel(reader.shape) || reader.kind == ExprNode::Kind::reduce) continue;
        if ((leaves_out && divides[i]) || is_small_part_[i]) continue;
        const std::int64_t uses =
            std::min(numel(reader.shape) / std::max<std::int64_t>(elements, 1), max_uses);
        if (elements > reduced[i] && elements > part_bytes_a_use * uses / element_size(part.dtype))
          continue;
        is_small_part_[i] = true;
        ++inputs;
      }
    }
    // Each is one more tensor of a pass.
    if (inputs > max_operands) is_small_part_.assign(is_small_part_.size(), false);
  }

  void add_small_part(int at) {
    StageRecipe recipe;
    const ScalarType type = node(at).dtype;
    write_chain(recipe, {&at, 1}, &type);
    recipe.shape = node(at).shape;
    recipe.results = {{at, type, recipe.shape}};
    add(std::move(recipe));
  }
  /// Adds a recipe whose results others may read.
  void add(StageRecipe recipe) {
    for (int r = 0; r < static_cast<int>(recipe.results.size()); ++r) {
      const StageRecipe::Result& result = recipe.results[static_cast<std::size_t>(r)];
      if (result.output < 0 && result.entry >= 0)
        place_of_[static_cast<std::size_t>(result.entry)] = {-1, static_cast<int>(recipes_.size()),
                                                             r};
    }
    recipes_.push_back(std::move(recipe));
  }

  bool is_masked(int at) const { return node(at).kind == ExprNode::Kind::masked; }

  /// An output of which a mask selects what is written.
  void add_masked(std::size_t k) {
    const int root = list_.roots()[k];
    const int value = entry(root).inputs[0], mask = entry(root).inputs[1];
    StageRecipe recipe;
    recipe.shape = node(root).shape;
    recipe.results = {{root, out_types_[k], recipe.shape, static_cast<int>(k)}};
    Formula values(*this, {&value, 1}, mask);
    recipe.inputs = values.inputs;
    recipe.chain = values.chain({&value, 1}, &out_types_[k]);
    Formula selected(*this, {&mask, 1});
    recipe.mask_inputs = selected.inputs;
    const ScalarType type = ScalarType::boolean;
    recipe.mask = selected.chain({&mask, 1}, &type);
    recipes_.push_back(std::move(recipe));
  }

  /// Chains for outputs that no reduction has written: one for all of a shape.
  void add_outputs() {
    for (std::size_t first = 0; first < out_types_.size(); ++first) {
      if (is_written_[first]) continue;
      if (is_masked(list_.roots()[first])) {
        add_masked(first);
        continue;
      }
      StageRecipe recipe;
      recipe.shape = node(list_.roots()[first]).shape;
      std::vector<int> roots;
      std::vector<ScalarType> types;
      for (std::size_t k = first; k < out_types_.size(); ++k) {
        const int root = list_.roots()[k];
        if (is_written_[k] || is_masked(root) || !same_list(node(root).shape, recipe.shape))
          continue;
        is_written_[k] = true;
        roots.push_back(root);
        types.push_back(out_types_[k]);
        recipe.results.push_back({root, out_types_[k], recipe.shape, static_cast<int>(k)});
      }
      write_chain(recipe, roots, types.data());
      recipes_.push_back(std::move(recipe));
    }
  }

  void write_chain(StageRecipe& recipe, std::span<const int> roots, const ScalarType* types) {
    Formula formula(*this, roots);
    recipe.inputs = formula.inputs;
    recipe.chain = formula.chain(roots, types);
  }

  /// What a reduction reduces.
  SmallVector<int, 3> reduced_by(int at, const ExprReduction& of) const {
    SmallVector<int, 3> roots = entry(at).inputs;
    // Sums of integers add up in i64 anyway.
    const int from = roots[0];
    const bool widens = of.kernel == nullptr && of.reduction == Reduction::sum &&
                        of.dtype == ScalarType::i64 && node(from).kind == ExprNode::Kind::convert &&
                        !is_input(from) && node(from).dtype == ScalarType::i64;
    if (widens && (kinds::of(node(entry(from).inputs[0]).dtype) & kinds::integral) != 0)
      roots[0] = entry(from).inputs[0];
    return roots;
  }

  void add_reduction(int at) {
    const auto& of = static_cast<const ExprReduction&>(node(at));
    const SmallVector<int, 3> roots = reduced_by(at, of);
    SmallVector<ScalarType, 3> types;
    bool as_they_are = true;
    for (const int root : roots) {
      types.push_back(of.kernel != nullptr ? of.kernel->types[1 + types.size()] : node(root).dtype);
      as_they_are = as_they_are && is_input(root);
    }
    StageRecipe recipe;
    if (as_they_are) {
      for (const int root : roots)
        recipe.inputs.push_back(place_of(root));
    } else {
      write_chain(recipe, {roots.data(), roots.size()}, types.data());
    }
    recipe.shape = of.reduced_shape;
    recipe.reduces = true;
    recipe.op = of.reduction;
    recipe.kernel = of.kernel.get();
    recipe.axes = of.axes;
    recipe.options = of.options;
    recipe.results.push_back(reduced_result(at, of));
    if (of.has_second())
      recipe.results.push_back(reduced_result(second_of_[static_cast<std::size_t>(at)], of));
    add(std::move(recipe));
  }

  /// A result of a reduction: it is an output if it is that of one expression and nobody reads it.
  /// `at`, -1: nobody has any use for it.
  StageRecipe::Result reduced_result(int at, const ExprReduction& of) {
    StageRecipe::Result result{at, of.dtype, of.shape};
    const auto& roots = list_.roots();
    if (at < 0 || is_read_[static_cast<std::size_t>(at)] || std::ranges::count(roots, at) != 1)
      return result;
    const auto k = static_cast<std::size_t>(std::ranges::find(roots, at) - roots.begin());
    is_written_[k] = true;
    result.output = static_cast<int>(k);
    result.type = out_types_[k];
    return result;
  }

  const ExprList& list_;
  std::span<const ScalarType> out_types_;
  std::vector<bool> is_written_;  // by output
  // By entry: where its elements are, if passes read them; the entry that is the second result of a
  // reduction, or -1; whether another one reads it; and whether it is a small part.
  std::vector<StageRecipe::Input> place_of_;
  std::vector<int> second_of_;
  std::vector<bool> is_read_, is_small_part_;
  std::vector<StageRecipe> recipes_;
};

}  // namespace

std::vector<StageRecipe> recipes_of(const ExprList& list, std::span<const ScalarType> out_types) {
  return RecipeWriter(list, out_types).write();
}

}  // namespace v0
}  // namespace weft
