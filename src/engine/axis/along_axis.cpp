// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/along_axis.hpp"

#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>

#include "base/text.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

TensorIterator plan_along_axis(const TensorView& out, const TensorView& in, std::int64_t axis,
                               ScalarType out_type, ScalarType in_type) {
  if (!out.defined() || !in.defined()) {
    fail(ErrorCode::undefined, text(out.defined() ? "input 0" : "output 0", ": undefined tensor"));
  }
  if (!std::ranges::equal(out.shape(), in.shape())) {
    fail(ErrorCode::shape, text("output 0: expected shape ", to_string(in.shape()),
                                " as input 0, got ", to_string(out.shape())));
  }
  if (!can_cast(in.dtype(), in_type)) {
    fail(ErrorCode::cast, text("input 0: ", name(in.dtype()), " can't be cast to ", name(in_type)));
  }
  if (!can_cast(out_type, out.dtype())) {
    fail(ErrorCode::cast, text("output 0: result type ", name(out_type),
                               " can't be cast to the output's ", name(out.dtype())));
  }
  const int along = normalize_axis(axis, in.rank());
  TensorIteratorConfig config;
  config.add_output(out).add_input(in).check_all_same_dtype(false).resize_outputs(false);
  if (in.rank() == 0) return config.build();
  return config.declare_static_shape(in.shape(), {along}).build();
}

}  // namespace v0
}  // namespace weft
