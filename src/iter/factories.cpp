// SPDX-License-Identifier: Apache-2.0
// The ready-made configurations.
#include <weft/iter/config.hpp>

#include "base/text.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

template <class Out>
TensorIteratorConfig binary_config(Out& out, const TensorView& a, const TensorView& b) {
  TensorIteratorConfig config;
  config.add_output(out).add_input(a).add_input(b);
  config.promote_inputs_to_common_dtype(true)
      .cast_common_dtype_to_outputs(true)
      .enforce_safe_casting_to_output(true);
  return config;
}

template <class Out>
TensorIterator build_comparison(Out& out, const TensorView& a, const TensorView& b) {
  TensorIteratorConfig config;
  config.add_output(out).add_input(a).add_input(b).promote_inputs_to_common_dtype(true);
  if (!out.defined()) config.declare_static_dtype(ScalarType::boolean);
  if (out.defined() && out.dtype() != ScalarType::boolean)
    config.cast_common_dtype_to_outputs(true);
  return config.build();
}

template <class Out>
TensorIterator build_unary_float(Out& out, const TensorView& a) {
  TensorIteratorConfig config;
  config.add_output(out)
      .add_input(a)
      .promote_inputs_to_common_dtype(true)
      .promote_integer_inputs_to_float(true);
  config.cast_common_dtype_to_outputs(true).enforce_safe_casting_to_output(true);
  return config.build();
}

template <class Out>
TensorIterator build_unary_boolean(Out& out, const TensorView& a) {
  TensorIteratorConfig config;
  config.add_output(out).add_input(a).check_all_same_dtype(false).declare_static_dtype(
      ScalarType::boolean);
  return config.build();
}

template <class Out>
TensorIterator build_ternary(Out& out, const TensorView& a, const TensorView& b,
                             const TensorView& c) {
  TensorIteratorConfig config;
  config.add_output(out).add_input(a).add_input(b).add_input(c);
  config.promote_inputs_to_common_dtype(true)
      .cast_common_dtype_to_outputs(true)
      .enforce_safe_casting_to_output(true);
  return config.build();
}

}  // namespace

TensorIterator TensorIterator::binary_op(Tensor& out, const TensorView& a, const TensorView& b) {
  return binary_config(out, a, b).build();
}
TensorIterator TensorIterator::binary_op(const TensorView& out, const TensorView& a,
                                         const TensorView& b) {
  return binary_config(out, a, b).build();
}
TensorIterator TensorIterator::binary_float_op(Tensor& out, const TensorView& a,
                                               const TensorView& b) {
  return binary_config(out, a, b).promote_integer_inputs_to_float(true).build();
}
TensorIterator TensorIterator::binary_float_op(const TensorView& out, const TensorView& a,
                                               const TensorView& b) {
  return binary_config(out, a, b).promote_integer_inputs_to_float(true).build();
}
TensorIterator TensorIterator::comparison_op(Tensor& out, const TensorView& a,
                                             const TensorView& b) {
  return build_comparison(out, a, b);
}
TensorIterator TensorIterator::comparison_op(const TensorView& out, const TensorView& a,
                                             const TensorView& b) {
  return build_comparison(out, a, b);
}
TensorIterator TensorIterator::unary_op(Tensor& out, const TensorView& a) {
  return TensorIteratorConfig().add_output(out).add_input(a).build();
}
TensorIterator TensorIterator::unary_op(const TensorView& out, const TensorView& a) {
  return TensorIteratorConfig().add_output(out).add_input(a).build();
}
TensorIterator TensorIterator::unary_float_op(Tensor& out, const TensorView& a) {
  return build_unary_float(out, a);
}
TensorIterator TensorIterator::unary_float_op(const TensorView& out, const TensorView& a) {
  return build_unary_float(out, a);
}
TensorIterator TensorIterator::unary_force_boolean_op(Tensor& out, const TensorView& a) {
  return build_unary_boolean(out, a);
}
TensorIterator TensorIterator::unary_force_boolean_op(const TensorView& out, const TensorView& a) {
  return build_unary_boolean(out, a);
}
TensorIterator TensorIterator::ternary_op(Tensor& out, const TensorView& a, const TensorView& b,
                                          const TensorView& c) {
  return build_ternary(out, a, b, c);
}
TensorIterator TensorIterator::ternary_op(const TensorView& out, const TensorView& a,
                                          const TensorView& b, const TensorView& c) {
  return build_ternary(out, a, b, c);
}

TensorIterator TensorIterator::nullary_op(const TensorView& out) {
  TensorIteratorConfig config;
  return config.add_output(out).check_all_same_dtype(false).resize_outputs(false).build();
}

TensorIterator TensorIterator::reduce_op(const TensorView& out, const TensorView& a) {
  TensorIteratorConfig config;
  config.add_output(out)
      .add_input(a)
      .resize_outputs(false)
      .is_reduction(true)
      .promote_inputs_to_common_dtype(true);
  return config.build();
}

TensorIterator TensorIterator::reduce_op(const TensorView& out0, const TensorView& out1,
                                         const TensorView& a) {
  for (const TensorView* out : {&out0, &out1}) {
    if (!out->defined())
      fail(ErrorCode::undefined,
           text("output ", out == &out0 ? 0 : 1, ": a reduction needs defined outputs"));
  }
  if (out0.rank() != out1.rank()) {
    fail(ErrorCode::rank,
         text("output 1: expected rank ", out0.rank(), " as output 0, got ", out1.rank()));
  }
  if (!std::ranges::equal(out0.shape(), out1.shape())) {
    fail(ErrorCode::shape, text("output 1: expected shape ", to_string(out0.shape()),
                                " as output 0, got ", to_string(out1.shape())));
  }
  if (!std::ranges::equal(out0.strides(), out1.strides())) {
    fail(ErrorCode::shape, text("output 1: expected strides ", to_string(out0.strides()),
                                " as output 0, got ", to_string(out1.strides())));
  }
  TensorIteratorConfig config;
  config.add_output(out0).add_output(out1).add_input(a).check_all_same_dtype(false).resize_outputs(
      false);
  return config.is_reduction(true).build();
}

}  // namespace v0
}  // namespace weft
