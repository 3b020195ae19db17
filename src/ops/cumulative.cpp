// SPDX-License-Identifier: Apache-2.0
#include "kernels/cumulative/cumulative.hpp"

#include <weft/core/promotion.hpp>
#include <weft/ops/cumulative.hpp>

#include "base/operation.hpp"
#include "ops/elementwise.hpp"
#include "ops/prepare_cumulative.hpp"

#include <algorithm>
#include <utility>

namespace weft::inline v0 {
namespace {

ScalarType result_type(ScalarType type) noexcept {
  return is_integer(type) || type == ScalarType::boolean ? ScalarType::i64 : type;
}

}  // namespace

const CumulativeKernel& cumsum_kernel_for(const TensorView& a, const TensorView& out) {
  if (!a.defined()) fail(ErrorCode::undefined, "input 0: undefined tensor");
  ScalarType type = result_type(a.dtype());
  if (type != ScalarType::i64 && out.defined()) type = promote_types(type, out.dtype());
  return *cumsum_kernel(compute_type(type));
}

void cumsum_out(const Output& out, const Input& a, std::int64_t axis) {
  with_operation("cumsum", [&] {
    const TensorView& in = a.view();
    const CumulativeKernel& kernel = cumsum_kernel_for(in, out.view());
    normalize_axis(axis, in.rank());
    const bool fits = out.view().defined() && std::ranges::equal(out.view().shape(), in.shape());
    Tensor replaced;  // may hold the input, so it lives until that has been read
    if (out.tensor() != nullptr && !fits) {
      const ScalarType type = out.view().defined() ? out.view().dtype() : result_type(in.dtype());
      if (!can_cast(kernel.out_type, type)) {
        fail(ErrorCode::cast, text("output 0: result type ", name(kernel.out_type),
                                   " can't be cast to the output's ", name(type)));
      }
      replaced = std::exchange(*out.tensor(), Tensor::empty(in.shape(), type));
    }
    run_cumulative(out.view(), in, axis, kernel);
  });
}

Tensor cumsum(const Input& a, std::int64_t axis, std::optional<ScalarType> dtype) {
  Tensor out;
  if (dtype) out = Tensor::empty(a.view().shape(), *dtype);
  cumsum_out(out, a, axis);
  return out;
}

}  // namespace weft::inline v0
