// SPDX-License-Identifier: Apache-2.0
/// @file
/// The 5 x 5 operands of PyTorch's tensor_iterator_test.cpp, and what its lambdas compute.
#pragma once

#include <weft/core/tensor.hpp>

#include "support/dense.hpp"

#include <type_traits>

namespace test {

/// a + b, as a lambda of that type would have it.
template <class T>
T plus(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else if constexpr (weft::is_half_type<T>) {
    return T(static_cast<float>(a) + static_cast<float>(b));
  } else {
    return a + b;
  }
}
template <class T>
T times(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else if constexpr (weft::is_half_type<T>) {
    return T(static_cast<float>(a) * static_cast<float>(b));
  } else {
    return a * b;
  }
}
template <class T>
T one() {
  if constexpr (weft::is_half_type<T>) return T(1.0f);
  return T(1);
}

template <class T>
weft::Tensor random_square(Random& random) {
  weft::Tensor t = weft::Tensor::empty({5, 5}, weft::scalar_type_of<T>);
  fill(t.dtype(), t.data(), t.numel(), random, Values::small);
  return t;
}

/// Checks `out`, element by element, against f of the inputs' elements.
template <class T, class F, class... Inputs>
void check_square(const weft::Tensor& out, F f, const Inputs&... inputs) {
  REQUIRE(dims(out.shape()) == Dims{5, 5});
  bool right = true;
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      const auto want = f(inputs.template at<T>({i, j})...);
      right = right && same_element(out.dtype(), element_at(out, {i, j}), &want);
    }
  }
  CHECK(right);
}

}  // namespace test

#define WEFT_ALL_ELEMENT_TYPES                                                               \
  bool, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, \
      std::uint64_t, std::int64_t, weft::float16, weft::bfloat16, float, double,             \
      std::complex<float>, std::complex<double>
