// SPDX-License-Identifier: Apache-2.0
// Matrix products: MatMul, FullyConnected.
#include "core/compiled_types.hpp"
#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"
#include "graph/operators/packed_constants.hpp"
#include "linalg/prepared_product.hpp"

#include <optional>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// What the result of a product by one matrix, `c`, becomes with a left factor `a`, which is input
/// 0 as it is and was `before`. Undefined if more than rows has changed.
TensorView with_rows_of(const TensorView& a, const TensorView& before, const TensorView& c) {
  if (!before.defined() || a.rank() != before.rank() || a.extent(-1) != before.extent(-1))
    return {};
  if (a.rank() > 2 && !a.is_contiguous()) return {};  // FullyConnected does not accept it
  DimVector shape(a.shape().begin(), a.shape().end());
  shape.back() = c.extent(-1);
  // Where it stays it may have any strides.
  return same_list(shape, c.shape()) ? c : TensorView::trusted(c.data(), c.dtype(), shape);
}

/// A product prepared for its geometry, with a constant right factor packed.
class ProductRun final : public Kernel {
 public:
  /// `follows`: the left factor is input 0 as it is, so that it may have other rows.
  ProductRun(const TensorView& c, const TensorView& a, std::shared_ptr<const PackedMatrix> matrix,
             const TensorView& start, bool follows)
      : c_(c),
        matrix_(std::move(matrix)),
        product_(c, a, *matrix_, start),
        has_start_(start.defined()) {
    if (follows) a_ = a;
  }

  bool resize(std::span<const TensorView* const> inputs, std::span<DimVector> outputs) override {
    const TensorView c = with_rows_of(*inputs[0], a_, c_);
    if (!c.defined()) return false;
    product_ = PreparedProduct(c, *inputs[0], *matrix_, has_start_ ? *inputs[2] : TensorView());
    c_ = c;
    a_ = *inputs[0];
    outputs[0].assign(c.shape());
    return true;
  }

  void run(const KernelArguments& arguments) override {
    const void* start = has_start_ ? arguments.inputs[2] : nullptr;
    product_.run(arguments.outputs[0], arguments.inputs[0], nullptr, start);
  }

 private:
  TensorView c_, a_;  // a_ is undefined if its rows may not change
  std::shared_ptr<const PackedMatrix> matrix_;
  PreparedProduct product_;
  bool has_start_ = false;
};

/// A product whose right factor is no constant. One that is held is packed when it is read for the
/// second time: then it is worth it.
class ChangingRun final : public Kernel {
 public:
  /// `given`: input 1, of which b is a view; undefined if rows may not change.
  ChangingRun(const TensorView& c, const TensorView& a, const TensorView& b, const TensorView& bias,
              const TensorView& given)
      : c_(c), a_(a), b_(b), bias_(bias), given_(given) {
    prepare();
  }

  bool resize(std::span<const TensorView* const> inputs, std::span<DimVector> outputs) override {
    if (!given_.defined() || !same_list(inputs[1]->shape(), given_.shape()) ||
        !same_list(inputs[1]->strides(), given_.strides()))
      return false;
    const TensorView c = with_rows_of(*inputs[0], a_, c_);
    if (!c.defined()) return false;
    c_ = c;
    a_ = *inputs[0];
    if (bias_.defined()) bias_ = *inputs[2];
    prepare();
    outputs[0].assign(c.shape());
    return true;
  }

  void hold(int input) override {
    if (input != 1 || b_.rank() != 2 || !is_floating(b_.dtype())) return;
    holds_ = true;
    packed_.reset();
    runs_ = 0;
  }
  void run(const KernelArguments& arguments) override {
    if (holds_ && !packed_ && (bias_.defined() || runs_++ > 0)) pack(arguments);
    const void* bias = bias_.defined() ? arguments.inputs[2] : nullptr;
    if (packed_) {
      packed_->run(arguments.outputs[0], arguments.inputs[0], nullptr, bias);
    } else if (product_) {
      product_->run(arguments.outputs[0], arguments.inputs[0], arguments.inputs[1], nullptr);
    } else {
      // For this run only, even if it fails: the next one has another factor.
      const PackedMatrix matrix(rebound(b_, arguments.inputs[1]));
      PreparedProduct(c_, a_, matrix, bias_)
          .run(arguments.outputs[0], arguments.inputs[0], nullptr, bias);
    }
  }

 private:
  void prepare() {
    if (!bias_.defined()) product_.emplace(c_, a_, b_);
    if (packed_) packed_.emplace(c_, a_, matrix_, bias_);
  }
  void pack(const KernelArguments& arguments) {
    matrix_ = PackedMatrix(rebound(b_, arguments.inputs[1]));
    packed_.emplace(c_, a_, matrix_, bias_);
  }

  TensorView c_, a_, b_, bias_, given_;
  std::optional<PreparedProduct> product_;  // by the factor as it lies
  PackedMatrix matrix_;
  std::optional<PreparedProduct> packed_;
  bool holds_ = false;
  int runs_ = 0;  // since it is held
};

/// Any strides will do.
class Product : public Operator {
 public:
  using Operator::Operator;
  bool accepts_input(const Node&, int, const TensorView&) const override { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const override { return true; }
};

/// a · b over the last two axes, either of them transposed by attribute. See weft/ops/matmul.hpp.
/// With a start, start + a · b, as multiply_out() adds it up; the start broadcasts.
class MatMul final : public Product {
 public:
  MatMul(const char* name, bool has_start) : Product({.name = name}), has_start_(has_start) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, has_start_ ? 3 : 2, has_start_ ? 3 : 2);
    expect_same_type(context, 0, 1);
    if (has_start_) {
      expect_same_type(context, 0, 2);
      if (!is_floating(context.input(0).dtype)) {
        fail(ErrorCode::dtype,
             text("input 0: expected a floating type, got ", weft::name(context.input(0).dtype)));
      }
    }
    const ScalarType type = context.input(0).dtype;
    check_compiled(type);
    const PartialShape& a = context.input(0).shape;
    const PartialShape& b = context.input(1).shape;
    if (!a.has_rank() || !b.has_rank()) {
      context.set_output(0, type, PartialShape::unranked());
      return;
    }
    if (a.rank() == 0 || b.rank() == 0) {
      fail(ErrorCode::rank, text("input ", a.rank() == 0 ? 0 : 1,
                                 ": expected at least 1 axis, got a single element"));
    }
    const DimVector left = matrix_shape(a, transposes(context.node(), 0), 0);
    const DimVector right = matrix_shape(b, transposes(context.node(), 1), 1);
    const std::int64_t depth = left.back();
    const std::int64_t rows = right[right.size() - 2];
    if (depth >= 0 && rows >= 0 && depth != rows) {
      fail(ErrorCode::shape, text("input 0 of shape ", to_string(a), " has ", depth,
                                  " columns, but input 1 of shape ", to_string(b), " has ", rows,
                                  " rows", to_text(context.node())));
    }
    const auto leading = [](const DimVector& shape) {
      return PartialShape(IntSpan(shape.data(), shape.size() - 2));
    };
    const PartialShape batch = broadcast_shapes(leading(left), leading(right));
    DimVector shape(batch.extents().begin(), batch.extents().end());
    if (a.rank() > 1) shape.push_back(left[left.size() - 2]);
    if (b.rank() > 1) shape.push_back(right.back());
    if (has_start_) {
      static_cast<void>(
          broadcast_shapes(context.input(2).shape, shape).merged_with(PartialShape(shape)));
    }
    context.set_output(0, type, shape);
  }

  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    const TensorView a = matrix(context.input(0), transposes(context.node(), 0), 0);
    TensorView c = context.output(0);
    if (context.input(1).rank() == 1) c = c.unsqueeze(-1);
    if (context.input(0).rank() == 1) c = c.unsqueeze(-2);
    const auto right = [&](const TensorView& view) {
      return matrix(view, transposes(context.node(), 1), 1);
    };
    const TensorView* constant = context.constant(1);
    const TensorView start = has_start_ ? context.input(2) : TensorView();
    const TensorView& b = context.input(1);
    const bool follows =
        b.rank() == 2 && context.input(0).rank() >= 2 && !transposes(context.node(), 0);
    if (constant != nullptr && is_floating(constant->dtype()) && constant->rank() <= 2)
      return std::make_unique<ProductRun>(c, a, packed_constant(right(*constant)), start, follows);
    return std::make_unique<ChangingRun>(c, a, right(b), start, follows ? b : TensorView());
  }

 private:
  static bool transposes(const Node& node, int input) {
    return node.attributes.flag(input == 0 ? "transpose_a" : "transpose_b", false);
  }
  static std::string to_text(const Node& node) {
    return text(transposes(node, 0) ? ", transpose_a" : "",
                transposes(node, 1) ? ", transpose_b" : "");
  }
  /// Vectors are a row on the left and a column on the right, whatever the attribute.
  static DimVector matrix_shape(const PartialShape& shape, bool transposed, int input) {
    DimVector extents(shape.extents().begin(), shape.extents().end());
    if (extents.size() == 1)
      return input == 0 ? DimVector{1, extents[0]} : DimVector{extents[0], 1};
    if (transposed) std::swap(extents.back(), extents[extents.size() - 2]);
    return extents;
  }
  static TensorView matrix(const TensorView& view, bool transposed, int input) {
    if (view.rank() == 1) return view.unsqueeze(input == 0 ? 0 : 1);
    return transposed ? view.transpose(-1, -2) : view;
  }

  bool has_start_;
};

/// x[..., I] times the transpose of weights[O, I], plus bias[O] if there is one. An x of more axes,
/// all but the first of which together have I elements, counts as [N, I].
class FullyConnected final : public Product {
 public:
  FullyConnected() : Product({.name = "FullyConnected"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 3);
    expect_same_type(context, 0, 1);
    const ValueType& x = context.input(0);
    if (!is_floating(x.dtype)) {
      fail(ErrorCode::dtype, text("input 0: expected a floating type, got ", weft::name(x.dtype)));
    }
    check_compiled(x.dtype);
    const PartialShape weights = expect_shape(context, 1, "weights", PartialShape::of_rank(2));
    if (context.has_input(2)) {
      expect_same_type(context, 0, 2);
      expect_shape(context, 2, "bias", {weights.extent(0)});
    }
    if (!x.shape.has_rank()) {
      context.set_output(0, x.dtype, PartialShape::unranked());
      return;
    }
    if (x.shape.rank() < 1) fail(ErrorCode::rank, "input 0: expected at least 1 axis, got none");
    if (flattens(x.shape, weights.extent(1))) {
      context.set_output(0, x.dtype, {x.shape.extent(0), weights.extent(0)});
      return;
    }
    const std::int64_t columns = x.shape.extent(-1);
    if (columns >= 0 && weights.extent(1) >= 0 && columns != weights.extent(1)) {
      fail(ErrorCode::shape,
           text("input 0: expected [..., ", weights.extent(1), "] for weights of shape ",
                to_string(weights), ", got ", to_string(x.shape)));
    }
    DimVector shape(x.shape.extents().begin(), x.shape.extents().end());
    shape.back() = weights.extent(0);
    context.set_output(0, x.dtype, shape);
  }

  bool accepts_input(const Node&, int input, const TensorView& view) const override {
    return input != 0 || view.rank() <= 2 || view.is_contiguous();
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    TensorView x = context.input(0);
    const std::int64_t columns = context.input(1).extent(1);
    if (flattens(PartialShape(x.shape()), columns))
      x = x.as_strided({x.extent(0), columns}, {columns, 1});
    const TensorView bias = context.has_input(2) ? context.input(2) : TensorView();
    const TensorView& c = context.output(0);
    if (const TensorView* weights = context.constant(1)) {
      return std::make_unique<ProductRun>(c, x, packed_constant(weights->transpose(0, 1)), bias,
                                          true);
    }
    const TensorView& weights = context.input(1);
    return std::make_unique<ChangingRun>(c, x, weights.transpose(0, 1), bias, weights);
  }

 private:
  static bool flattens(const PartialShape& x, std::int64_t columns) {
    if (x.rank() < 3 || columns < 0 || !x.is_static() || x.extent(-1) == columns) return false;
    std::int64_t elements = 1;
    for (int axis = 1; axis < x.rank(); ++axis)
      elements *= x.extent(axis);
    return elements == columns;
  }
};

}  // namespace

void add_product_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<MatMul>("MatMul", false));
  registry.add(std::make_shared<MatMul>("MatMulAdd", true));
  registry.add(std::make_shared<FullyConnected>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
