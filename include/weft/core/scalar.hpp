// SPDX-License-Identifier: Apache-2.0
/// @file
/// A number of the language, as an operand.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/cast.hpp>
#include <weft/core/tensor_view.hpp>

#include <complex>
#include <concepts>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// One bool, i64, f64 or c128, or a u64 that no i64 holds, that stands for a tensor of rank 0. It
/// is weak in type promotion: its kind counts, its width does not, so that f32 tensor * 2.5 stays
/// f32.
class WEFT_API Scalar {
 public:
  /// A template, so that nothing becomes a bool on the way: pointers and the half types would.
  template <std::same_as<bool> T>
  Scalar(T value) : type_(ScalarType::boolean) {  // NOLINT(google-explicit-constructor)
    value_.boolean = value;
  }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Scalar(T value) : type_(ScalarType::i64) {  // NOLINT(google-explicit-constructor)
    value_.integer = static_cast<std::int64_t>(value);
    if (value > 0 && value_.integer < 0) type_ = ScalarType::u64;
  }
  template <class T>
    requires(std::floating_point<T> || is_half_type<T>)
  Scalar(T value) : type_(ScalarType::f64) {  // NOLINT(google-explicit-constructor)
    value_.floating = static_cast<double>(value);
  }
  template <class T>
  Scalar(std::complex<T> value) : type_(ScalarType::c128) {  // NOLINT(google-explicit-constructor)
    value_.parts[0] = value.real();
    value_.parts[1] = value.imag();
  }

  ScalarType dtype() const noexcept { return type_; }
  /// The value converted by the rules of cast().
  template <Element T>
  T to() const {
    T out;
    cast_elements(&out, scalar_type_of<T>, 0, &value_, type_, 0, 1);
    return out;
  }
  /// A weak, read-only 0-d view of this object, which must outlive it.
  TensorView view() const noexcept { return TensorView::number(&value_, type_); }

 private:
  union {
    bool boolean;
    std::int64_t integer;  // or the bits of a u64
    double floating;
    double parts[2];
  } value_{};
  ScalarType type_;
};

}  // namespace v0
}  // namespace weft
