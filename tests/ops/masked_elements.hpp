// SPDX-License-Identifier: Apache-2.0
/// @file
/// Masks, and what the elements that they select amount to, one element at a time.
#pragma once

#include <weft/core/tensor.hpp>

#include "support/dense.hpp"
#include "support/naive_ops.hpp"

#include <limits>

namespace test {

/// A mask that broadcasts to `shape`, laid out in any way: of such a density in percent.
inline Memory random_mask(Random& random, const Dims& shape, int density) {
  const Dims own = random.chance(30) ? random_operand_shape(random, shape) : shape;
  Memory mask = random_memory(random, weft::ScalarType::boolean, random_layout(random, own));
  for (std::int64_t i = 0; i < mask.size_bytes(); ++i)  // any byte but 0 is true
    mask.data()[i] = static_cast<std::byte>(random.chance(density) ? random.integer(1, 255) : 0);
  return mask;
}

inline bool selects(const weft::TensorView& mask, const Dims& index) {
  return *element_at(mask, index) != std::byte{0};
}

/// What nothing is below, or above, among elements of a real type.
inline AnyElement end_of(weft::ScalarType type, bool largest) {
  return weft::dispatch_all_types(type, [&]<class T>() {
    AnyElement end{};
    if constexpr (std::is_integral_v<T>) {
      using Limits = std::numeric_limits<T>;
      store(end.bytes, largest ? Limits::max() : Limits::lowest());
    } else {
      const double infinity = std::numeric_limits<double>::infinity();
      const double x = largest ? infinity : -infinity;
      convert_element(type, end.bytes, weft::ScalarType::f64, &x);
    }
    return end;
  });
}

/// A copy of `a` with `number` where the mask is false.
inline weft::Tensor filled(const weft::TensorView& a, const weft::TensorView& mask,
                           const AnyElement& number) {
  weft::Tensor copy = weft::Tensor::copy_of(a);
  const weft::TensorView view = copy;
  for_each_index(dims(a.shape()), [&](const Dims& index) {
    if (!selects(mask, index))
      std::memcpy(element_at(view, index), number.bytes,
                  static_cast<std::size_t>(weft::element_size(a.dtype())));
  });
  return copy;
}

/// `values` where the mask is true, and what `before` holds elsewhere.
inline Dense merged(const Dense& values, const Dense& before, const weft::TensorView& mask) {
  Dense result = values;
  const auto size = static_cast<std::size_t>(weft::element_size(values.type));
  std::int64_t flat = 0;
  for_each_index(values.shape, [&](const Dims& index) {
    if (!selects(mask, index)) std::memcpy(result.at(flat), before.at(flat), size);
    ++flat;
  });
  return result;
}

}  // namespace test
