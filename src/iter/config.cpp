// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/iter/config.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {

TensorIteratorConfig& TensorIteratorConfig::add_owned_output(Tensor tensor) {
  owned_.push_back(std::make_shared<Tensor>(std::move(tensor)));
  return add_output_entry(owned_.back().get(), nullptr);
}
TensorIteratorConfig& TensorIteratorConfig::add_owned_input(Tensor tensor) {
  owned_.push_back(std::make_shared<Tensor>(std::move(tensor)));
  return add_operand(owned_.back().get(), false);
}
TensorIteratorConfig& TensorIteratorConfig::add_owned_const_input(Tensor tensor) {
  owned_.push_back(std::make_shared<Tensor>(std::move(tensor)));
  return add_operand(owned_.back().get(), true);
}

TensorIteratorConfig& TensorIteratorConfig::set_check_mem_overlap(bool check) {
  return set_overlap_policy(check ? OverlapPolicy::error : OverlapPolicy::ignore);
}
TensorIteratorConfig& TensorIteratorConfig::set_overlap_policy(OverlapPolicy policy) {
  overlap_ = policy;
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::check_all_same_dtype(bool check) {
  check_all_same_ = check;
  return update_type_check();
}
TensorIteratorConfig& TensorIteratorConfig::default_float_type(ScalarType type) {
  if (!is_floating(type)) {
    fail(ErrorCode::dtype,
         text("default floating type: expected f16, bf16, f32 or f64, got ", name(type)));
  }
  types_.default_float = type;
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::enforce_linear_iteration(bool enforce) {
  linear_ = enforce;
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::is_reduction(bool reduction) {
  reduction_ = reduction;
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::resize_outputs(bool resize) {
  resize_outputs_ = resize;
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::declare_static_dtype(ScalarType type) {
  types_.undefined_outputs = type;
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::declare_static_shape(IntSpan shape) {
  return declare_static_shape(shape, {});
}
TensorIteratorConfig& TensorIteratorConfig::declare_static_shape(IntSpan shape,
                                                                 IntSpan squash_axes) {
  has_static_shape_ = true;
  static_shape_ = DimVector(shape.begin(), shape.end());
  squash_axes_ = DimVector(squash_axes.begin(), squash_axes.end());
  return *this;
}
TensorIteratorConfig& TensorIteratorConfig::pytorch_order(bool enable) {
  pytorch_order_ = enable;
  return *this;
}

}  // namespace v0
}  // namespace weft
