// SPDX-License-Identifier: Apache-2.0
#include <weft/core/promotion.hpp>
#include <weft/ops/softmax.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "engine/axis/along_axis.hpp"
#include "ops/elementwise.hpp"
#include "ops/prepare_softmax.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

void run(const char* name, SoftmaxOp op, const Output& out, const Input& a, std::int64_t axis) {
  with_operation(name, [&] {
    const TensorView in = a.view();
    const SoftmaxKernel& kernel = softmax_kernel_for(op, in, out.view());
    normalize_axis(axis, in.rank());
    const bool fits = out.view().defined() && std::ranges::equal(out.view().shape(), in.shape());
    Tensor replaced;  // may hold the input, so it lives until that has been read
    if (out.tensor() != nullptr && !fits) {
      const ScalarType type =
          out.view().defined() ? out.view().dtype() : softmax_result_type(in.dtype());
      if (!can_cast(kernel.type, type)) {
        fail(ErrorCode::cast, text("output 0: result type ", weft::name(kernel.type),
                                   " can't be cast to the output's ", weft::name(type)));
      }
      replaced = std::exchange(*out.tensor(), Tensor::empty(in.shape(), type));
    }
    run_softmax(out.view(), in, axis, kernel);
  });
}

Tensor allocating(const char* name, SoftmaxOp op, const Input& a, std::int64_t axis,
                  std::optional<ScalarType> dtype) {
  Tensor out;
  if (dtype && a.view().defined()) out = Tensor::empty(a.view().shape(), *dtype);
  run(name, op, out, a, axis);
  return out;
}

}  // namespace

ScalarType softmax_result_type(ScalarType type) noexcept {
  return is_floating(type) || is_complex(type) ? type : ScalarType::f32;
}

const SoftmaxKernel& softmax_kernel_for(SoftmaxOp op, const TensorView& a, const TensorView& out) {
  if (!a.defined()) fail(ErrorCode::undefined, "input 0: undefined tensor");
  if (is_complex(a.dtype())) fail_no_kernel(a.dtype());
  ScalarType type = softmax_result_type(a.dtype());
  if (out.defined() && is_floating(out.dtype())) type = promote_types(type, out.dtype());
  check_compiled(type);
  return *softmax_kernel(op, compute_type(type));
}

Tensor softmax(const Input& a, std::int64_t axis, std::optional<ScalarType> dtype) {
  return allocating("softmax", SoftmaxOp::softmax, a, axis, dtype);
}
void softmax_out(const Output& out, const Input& a, std::int64_t axis) {
  run("softmax", SoftmaxOp::softmax, out, a, axis);
}
Tensor log_softmax(const Input& a, std::int64_t axis, std::optional<ScalarType> dtype) {
  return allocating("log_softmax", SoftmaxOp::log_softmax, a, axis, dtype);
}
void log_softmax_out(const Output& out, const Input& a, std::int64_t axis) {
  run("log_softmax", SoftmaxOp::log_softmax, out, a, axis);
}

}  // namespace v0
}  // namespace weft
