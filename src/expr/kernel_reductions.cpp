// SPDX-License-Identifier: Apache-2.0
// Norms and dot products of expressions, and reductions of what is not NaN.
#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>

#include "base/operation.hpp"
#include "base/text.hpp"
#include "expr/expr_node.hpp"
#include "ops/elementwise.hpp"
#include "ops/prepare_reduce.hpp"

#include <memory>

namespace weft {
inline namespace v0 {
namespace {

std::int64_t number_of(const ReductionKernel* kernel) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(kernel));
}
/// A kernel that is always there.
std::shared_ptr<const ReductionKernel> lasting(const ReductionKernel* kernel) {
  return {std::shared_ptr<const void>(), kernel};
}

/// A kernel with its number.
struct NumberedKernel {
  NumberedKernel(const ReductionKernel& of, double p) : number(p), kernel(of) {
    kernel.context = &number;
  }
  double number;
  ReductionKernel kernel;
};

}  // namespace

Expr norm(Expr a, double p, IntSpan axes, const ReduceOptions& options) {
  bool takes_p = false;
  const KernelChoice choice =
      with_operation("norm", [&] { return kernel_of_norm(p, a.dtype(), options.dtype, takes_p); });
  std::shared_ptr<const ReductionKernel> kernel = lasting(choice.kernel);
  if (takes_p) {
    const auto numbered = std::make_shared<const NumberedKernel>(*choice.kernel, p);
    kernel = {numbered, &numbered->kernel};
  }
  return convert(reduced_by("norm", std::move(kernel), {number_of(choice.kernel), takes_p ? p : 0},
                            {std::move(a)}, axes, options.keepdim),
                 choice.result);
}

Expr dot_of(Expr a, Expr b) {
  const auto refuse = [&](ErrorCode code, const std::string& why) {
    fail(code, text("dot(", a.text(), ", ", b.text(), "): ", why));
  };
  for (const Expr* input : {&a, &b}) {
    if (input->dtype() == ScalarType::boolean)
      refuse(ErrorCode::dtype, "not defined for element type bool");
    if (input->shape().size() != 1)
      refuse(ErrorCode::shape, text("expected one axis, got ", to_string(input->shape())));
  }
  if (a.shape()[0] != b.shape()[0]) {
    refuse(ErrorCode::shape, text("input 1: expected extent ", a.shape()[0],
                                  " along axis 0, which input 0 has, got ", b.shape()[0]));
  }
  const KernelChoice choice =
      with_operation("dot", [&] { return kernel_of_dot(a.dtype(), b.dtype()); });
  return convert(reduced_by("dot", lasting(choice.kernel), {number_of(choice.kernel)},
                            {std::move(a), std::move(b)}, {}, false),
                 choice.result);
}

Expr number_reduction(const char* name, Reduction op, Expr a, IntSpan axes,
                      const ReduceOptions& options) {
  const KernelChoice choice = with_operation(name, [&] {
    result_of(op, a.dtype(), a.shape(), axes, options);  // for its errors
    return kernel_of_numbers(op, a.dtype(), options.dtype);
  });
  return convert(reduced_by(name, lasting(choice.kernel), {number_of(choice.kernel)},
                            {std::move(a)}, axes, options.keepdim),
                 choice.result);
}

Expr number_variance(const char* name, const Expr& a, IntSpan axes, const ReduceOptions& options,
                     bool root) {
  const ScalarType result = with_operation(
      name, [&] { return result_of(Reduction::var, a.dtype(), a.shape(), axes, options).type; });
  const Expr x = convert(a, promote_types(compute_type(a.dtype()), compute_type(result)));
  const KernelChoice choice = kernel_of_numbers(Reduction::var, x.dtype(), std::nullopt);
  const auto less = std::make_shared<const NumberedKernel>(*choice.kernel, options.correction);
  const Expr variance =
      reduced_by(name, {less, &less->kernel}, {number_of(choice.kernel), options.correction}, {x},
                 axes, options.keepdim);
  // A variance may be beyond the range of halves where its root is not.
  return convert(root ? sqrt(variance) : variance, result);
}

}  // namespace v0
}  // namespace weft
