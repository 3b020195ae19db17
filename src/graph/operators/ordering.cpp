// SPDX-License-Identifier: Apache-2.0
// Elements in their order, and places in it: Sort, ArgSort, TopK, SearchSorted, Bucketize.
#include <weft/core/promotion.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/indexing.hpp>
#include <weft/ops/searching.hpp>
#include <weft/ops/sorting.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

void expect_order(const InferContext& context, int input) {
  const ScalarType type = context.input(input).dtype;
  if (is_complex(type)) {
    fail(ErrorCode::dtype,
         text("input ", input, ": expected a type with an order, got ", weft::name(type)));
  }
}

/// Operators whose data may have any strides.
class OrderingOperator : public Operator {
 public:
  bool accepts_input(const Node&, int, const TensorView&) const final { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const final { return true; }

 protected:
  using Operator::Operator;
};

/// How an axis is sorted: attributes axis (-1) and order.
struct SortSettings {
  int axis;
  SortOrder order;

  SortSettings(const Node& node, int rank)
      : axis(checked_axis(node.attributes.integer("axis", -1), rank, "attribute 'axis'")),
        order(order_of(node)) {}
  static SortOrder order_of(const Node& node) {
    constexpr std::string_view orders[] = {"ascending", "descending"};
    return choice_of(node.attributes, "order", orders, 0) == 0 ? SortOrder::ascending
                                                               : SortOrder::descending;
  }
};

class SortRun final : public Kernel {
 public:
  SortRun(const PrepareContext& context, bool positions)
      : in_(context.input(0)),
        out_(context.output(0)),
        settings_(context.node(), in_.rank()),
        positions_(positions) {}

  void run(const KernelArguments& arguments) override {
    const TensorView in = rebound(in_, arguments.inputs[0]);
    const TensorView out = rebound(out_, arguments.outputs[0]);
    if (positions_) {
      argsort_out(out, in, settings_.axis, settings_.order);
    } else {
      sort_out(out, in, settings_.axis, settings_.order);
    }
  }

 private:
  TensorView in_, out_;
  SortSettings settings_;
  bool positions_;
};

/// The elements of each line along an axis in order, or where they stood (weft/ops/sorting.hpp).
class Sort final : public OrderingOperator {
 public:
  Sort(const char* name, bool positions)
      : OrderingOperator({.name = name}), positions_(positions) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 1, 1);
    expect_order(context, 0);
    const ValueType& in = context.input(0);
    SortSettings::order_of(context.node());
    if (in.shape.has_rank()) static_cast<void>(SortSettings(context.node(), in.shape.rank()));
    const ScalarType type =
        positions_ ? index_type_of(context.attributes(), "index_element_type", ScalarType::i64)
                   : in.dtype;
    context.set_output(0, type, in.shape);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<SortRun>(context, positions_);
  }

 private:
  bool positions_;
};

/// What TopK's attributes say.
struct TopKSettings {
  SortOrder order;
  bool by_index;  ///< the results stand in the order of their indices
  ScalarType index_type;

  explicit TopKSettings(const Attributes& attributes) {
    constexpr std::string_view modes[] = {"max", "min"};
    constexpr std::string_view sorts[] = {"value", "index", "none"};
    order =
        choice_of(attributes, "mode", modes, 0) == 0 ? SortOrder::descending : SortOrder::ascending;
    by_index = choice_of(attributes, "sort", sorts, 0) == 1;
    index_type = index_type_of(attributes, "index_element_type", ScalarType::i32);
  }
  static int axis(const Attributes& attributes, int rank) {
    return checked_axis(attributes.integer("axis"), rank, "attribute 'axis'");
  }
};

class TopKRun final : public Kernel {
 public:
  TopKRun(const PrepareContext& context, int axis)
      : in_(context.input(0)),
        values_(context.output(0)),
        indices_(context.output(1)),
        axis_(axis),
        settings_(context.attributes()) {}

  void run(const KernelArguments& arguments) override {
    const TensorView in = rebound(in_, arguments.inputs[0]);
    const TensorView values = rebound(values_, arguments.outputs[0]);
    const std::int64_t k = values.extent(axis_);
    if (!settings_.by_index) {
      if (indices_.defined()) {
        topk_out(values, rebound(indices_, arguments.outputs[1]), in, k, axis_, settings_.order);
      } else {
        topk_out(values, own_indices_, in, k, axis_, settings_.order);
      }
      return;
    }
    topk_out(own_values_, own_indices_, in, k, axis_, settings_.order);
    argsort_out(places_, own_indices_, axis_);
    gather_out(values, own_values_, axis_, places_);
    if (indices_.defined()) sort_out(rebound(indices_, arguments.outputs[1]), own_indices_, axis_);
  }

 private:
  TensorView in_, values_, indices_;
  int axis_;
  TopKSettings settings_;
  Tensor own_values_, own_indices_, places_;  // kept from run to run
};

/// The first k elements of each line along attribute `axis` in order, and where they stood. With
/// attribute sort "none" the order is that of values, too.
class TopK final : public OrderingOperator {
 public:
  TopK() : OrderingOperator({.name = "TopK"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 2);
    expect_order(context, 0);
    expect_integers(context, 1, "k");
    const TopKSettings settings(context.attributes());
    const ValueType& in = context.input(0);
    std::int64_t k = PartialShape::unknown;
    const bool known = integer_input(context, 1, "k", k);
    if (known && k < 0)
      fail(ErrorCode::invalid_argument, text("input 1 (k): expected at least 0, got ", k));
    PartialShape shape = in.shape;
    if (shape.has_rank()) {
      const int axis = TopKSettings::axis(context.attributes(), shape.rank());
      DimVector extents(shape.extents().begin(), shape.extents().end());
      std::int64_t& extent = extents[static_cast<std::size_t>(axis)];
      if (known && extent >= 0 && k > extent) {
        fail(ErrorCode::invalid_argument, text("input 1 (k): expected at most ", extent,
                                               ", the extent of axis ", axis, ", got ", k));
      }
      extent = known ? k : PartialShape::unknown;
      shape = extents;
    }
    context.set_output(0, in.dtype, shape);
    if (context.node().noutputs > 1) context.set_output(1, settings.index_type, shape);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<TopKRun>(
        context, TopKSettings::axis(context.attributes(), context.input(0).rank()));
  }
};

/// The type in which elements of two inputs are compared: what holds both, but for integers of 64
/// bits beside floating ones, which f64 rounds. Throws Error(dtype) if there is none.
ScalarType type_to_compare(ScalarType a, ScalarType b) {
  if ((is_integer(a) && is_floating(b)) || (is_floating(a) && is_integer(b)))
    return ScalarType::f64;
  const ScalarType both = promote_types(a, b);
  if (is_integer(a) && is_floating(both)) {
    fail(ErrorCode::dtype, text("inputs 0 and 1: no type of integers holds both ", weft::name(a),
                                " and ", weft::name(b)));
  }
  return both;
}

/// Places of values in a sorted line, found in one type.
class SearchRun final : public Kernel {
 public:
  SearchRun(const PrepareContext& context, int sorted, int values, SearchSide side)
      : sorted_(context, sorted, type_of(context)),
        values_(context, values, type_of(context)),
        out_(context.output(0)),
        side_(side) {}

  void run(const KernelArguments& arguments) override {
    const TensorView out = rebound(out_, arguments.outputs[0]);
    const TensorView sorted = sorted_.in(arguments), values = values_.in(arguments);
    if (out.dtype() == ScalarType::i64) {
      searchsorted_out(out, sorted, values, side_);
    } else {
      searchsorted_out(places_, sorted, values, side_);
      copy_out(out, places_);
    }
  }

 private:
  /// An input in the type that is common to both.
  class Side {
   public:
    Side(const PrepareContext& context, int input, ScalarType type)
        : input_(input), view_(context.input(input)), type_(type) {}
    TensorView in(const KernelArguments& arguments) {
      const TensorView own = rebound(view_, arguments.inputs[input_]);
      if (own.dtype() == type_) return own;
      if (!converted_.defined()) converted_ = Tensor::empty(own.shape(), type_);
      copy_out(converted_, own);
      return converted_;
    }

   private:
    int input_;
    TensorView view_;
    ScalarType type_;
    Tensor converted_;
  };
  static ScalarType type_of(const PrepareContext& context) {
    return type_to_compare(context.input(0).dtype(), context.input(1).dtype());
  }

  Side sorted_, values_;
  TensorView out_;
  SearchSide side_;
  Tensor places_;
};

/// Where values would go into sorted lines (weft/ops/searching.hpp): before their equals, or, with
/// attribute right_mode, behind them.
class SearchSorted final : public OrderingOperator {
 public:
  SearchSorted() : OrderingOperator({.name = "SearchSorted"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 2);
    expect_order(context, 0);
    expect_same_type(context, 0, 1);
    side(context.node());
    const PartialShape& sorted = context.input(0).shape;
    const PartialShape& values = context.input(1).shape;
    context.set_output(0, index_type_of(context.attributes(), "output_type", ScalarType::i64),
                       values);
    if (!sorted.has_rank() || sorted.rank() == 1 || !values.has_rank()) return;
    DimVector lines(values.extents().begin(), values.extents().end());
    if (sorted.rank() == values.rank() && sorted.rank() > 0) lines.back() = sorted.extent(-1);
    expect_shape(context, 0, "sorted", lines);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<SearchRun>(context, 0, 1, side(context.node()));
  }

 private:
  static SearchSide side(const Node& node) {
    return node.attributes.flag("right_mode", false) ? SearchSide::right : SearchSide::left;
  }
};

/// In which of the intervals between sorted borders, input 1, each element falls; the borders
/// belong to the interval on their left, or with attribute with_right_bound false to the other.
class Bucketize final : public OrderingOperator {
 public:
  Bucketize() : OrderingOperator({.name = "Bucketize"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 2);
    expect_order(context, 0);
    expect_order(context, 1);
    type_to_compare(context.input(0).dtype, context.input(1).dtype);
    expect_shape(context, 1, "buckets", PartialShape::of_rank(1));
    side(context.node());
    context.set_output(0, index_type_of(context.attributes(), "output_type", ScalarType::i64),
                       context.input(0).shape);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<SearchRun>(context, 1, 0, side(context.node()));
  }

 private:
  static SearchSide side(const Node& node) {
    return node.attributes.flag("with_right_bound", true) ? SearchSide::left : SearchSide::right;
  }
};

}  // namespace

void add_ordering_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<Sort>("Sort", false));
  registry.add(std::make_shared<Sort>("ArgSort", true));
  registry.add(std::make_shared<TopK>());
  registry.add(std::make_shared<SearchSorted>());
  registry.add(std::make_shared<Bucketize>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
