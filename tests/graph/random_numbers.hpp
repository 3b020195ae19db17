// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operands of operators.
#pragma once

#include <weft/core/cast.hpp>
#include <weft/core/tensor.hpp>

#include "support/naive.hpp"
#include "support/seed.hpp"

namespace test {

/// Small numbers, of which sums and products are exact.
inline weft::Tensor random_numbers(Random& random, const Dims& shape, weft::ScalarType type) {
  const weft::Tensor numbers = weft::Tensor::empty(shape, weft::ScalarType::f64);
  for (std::int64_t i = 0; i < numbers.numel(); ++i) {
    numbers.data_as<double>()[i] = static_cast<double>(
        type == weft::ScalarType::boolean ? random.integer(0, 1) : random.integer(-2, 2));
  }
  const weft::Tensor made = weft::Tensor::empty(shape, type);
  weft::cast_elements(made.data(), type, weft::element_size(type), numbers.data(),
                      weft::ScalarType::f64, 8, numbers.numel());
  return made;
}

}  // namespace test
