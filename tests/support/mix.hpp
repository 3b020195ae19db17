// SPDX-License-Identifier: Apache-2.0
/// @file
/// What tests compute: simple, and different for every operand.
#pragma once

#include <weft/iter/config.hpp>

#include "support/element.hpp"

#include <type_traits>
#include <vector>

namespace test {

/// 3a + b, in which both operands and their order show; integers wrap, bools are exclusive-or-ed.
template <class T>
T mix(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a != b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) * 3 + static_cast<std::uint64_t>(b));
  } else if constexpr (weft::is_half_type<T>) {
    return T(static_cast<float>(a) * 3 + static_cast<float>(b));
  } else {
    return a * T(3) + b;
  }
}

/// An iterator whose output is written as it is, types as they are.
inline weft::TensorIterator iterator(const weft::TensorView& out,
                                     const std::vector<weft::TensorView>& inputs) {
  weft::TensorIteratorConfig config;
  config.add_output(out).check_all_same_dtype(false).resize_outputs(false);
  for (const weft::TensorView& input : inputs)
    config.add_input(input);
  return config.build();
}

}  // namespace test
