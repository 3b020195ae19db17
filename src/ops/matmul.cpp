// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/matmul.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "linalg/prepared_product.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

void check_input(const TensorView& view, const char* operand) {
  if (!view.defined()) fail(ErrorCode::undefined, text(operand, ": undefined tensor"));
  if (view.rank() == 0) {
    fail(ErrorCode::rank, text(operand, ": expected at least 1 axis, got a single element"));
  }
}

/// The two factors as matrices, and how their product is seen.
struct Factors {
  Factors(const TensorView& left, const TensorView& right)
      : a(left.rank() == 1 ? left.unsqueeze(0) : left),
        b(right.rank() == 1 ? right.unsqueeze(1) : right),
        has_rows(left.rank() > 1),
        has_columns(right.rank() > 1) {
    if (a.extent(-1) != b.extent(-2)) {
      fail(ErrorCode::shape,
           text("input 0 of shape ", left.shape(), " ends in ", a.extent(-1),
                " columns, but input 1 of shape ", right.shape(), " has ", b.extent(-2), " rows"));
    }
    const auto leading = [](const TensorView& view) {
      return IntSpan(view.shape().data(), view.shape().size() - 2);
    };
    try {
      batch = broadcast_shapes(leading(a), leading(b));
    } catch (const Error& error) {
      fail(error.code(), text("leading axes of inputs 0 and 1: ", error.what()));
    }
  }

  DimVector result_shape() const {
    DimVector shape = batch;
    if (has_rows) shape.push_back(a.extent(-2));
    if (has_columns) shape.push_back(b.extent(-1));
    return shape;
  }
  /// `out` with the axes that it does not have for vectors.
  TensorView seen(TensorView out) const {
    if (!has_columns) out = out.unsqueeze(-1);
    return has_rows ? out : out.unsqueeze(-2);
  }

  TensorView a, b;
  DimVector batch;
  bool has_rows, has_columns;
};

void prepare_output(const Output& out, const DimVector& shape, ScalarType type) {
  const TensorView& view = out.view();
  const bool fits = view.defined() && std::ranges::equal(view.shape(), shape);
  if (!fits && out.tensor() != nullptr) {
    *out.tensor() = Tensor::empty(shape, view.defined() ? view.dtype() : type);
  } else if (!view.defined()) {
    fail(ErrorCode::undefined,
         "output 0: undefined view; expected a Tensor to allocate or a view to fill");
  } else if (!fits) {
    fail(ErrorCode::shape,
         text("output 0: expected shape ", IntSpan(shape), ", got ", view.shape()));
  }
}

}  // namespace

void matmul_out(const Output& out, const Input& a, const Input& b) {
  with_operation("matmul", [&] {
    check_input(a.view(), "input 0");
    check_input(b.view(), "input 1");
    const ScalarType type = a.view().dtype();
    check_compiled(type);
    const auto check_type = [&](const TensorView& view, const char* operand) {
      if (view.dtype() == type) return;
      fail(ErrorCode::dtype,
           text(operand, ": expected ", name(type), " as input 0, got ", name(view.dtype())));
    };
    check_type(b.view(), "input 1");
    if (out.view().defined()) check_type(out.view(), "output 0");
    const Factors factors(a.view(), b.view());
    // A Tensor that is replaced may be the owner of an input.
    const std::shared_ptr<void> replaced =
        out.tensor() != nullptr ? out.tensor()->owner() : nullptr;
    prepare_output(out, factors.result_shape(), type);
    check_product_output(out.view());
    check_product_overlap(out.view(), factors.a, "input 0");
    check_product_overlap(out.view(), factors.b, "input 1");
    PreparedProduct(factors.seen(out.view()), factors.a, factors.b)
        .run(out.view().data(), factors.a.data(), factors.b.data(), nullptr);
  });
}

Tensor matmul(const Input& a, const Input& b) {
  Tensor out;
  matmul_out(out, a, b);
  return out;
}

}  // namespace v0
}  // namespace weft
