// SPDX-License-Identifier: Apache-2.0
/// @file
/// The sums of a matrix product, one element at a time, in the order that the library promises.
#pragma once

#include <weft/core/dispatch_types.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/machine/level.hpp>

#include "support/dense.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

namespace test {

/// The type in which products of T add up.
template <class T>
using Sum =
    std::conditional_t<std::is_same_v<T, weft::float16> || std::is_same_v<T, weft::bfloat16>, float,
                       T>;

template <class T>
T product_step(T a, T b, T sum) {
  if constexpr (std::is_floating_point_v<T>) {
    return weft::current_level() == weft::Level::baseline ? sum + a * b : std::fma(a, b, sum);
  } else if constexpr (std::is_same_v<T, bool>) {
    return sum || (a && b);
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(sum) +
                          static_cast<std::uint64_t>(static_cast<U>(a)) * static_cast<U>(b));
  } else {
    return T(sum.real() + (a.real() * b.real() - a.imag() * b.imag()),
             sum.imag() + (a.real() * b.imag() + a.imag() * b.real()));
  }
}

template <class T>
T element(const std::byte* at) {
  if constexpr (std::is_same_v<T, bool>) {
    return *at != std::byte{0};
  } else {
    T value;
    std::memcpy(static_cast<void*>(&value), at, sizeof(T));
    return value;
  }
}

/// c[..., i, j] = start + sum over k of a[..., i, k] b[..., k, j], in runs of 256. The views have
/// c's leading axes, start (which may be undefined) all of c's.
template <class T>
Dense naive_product(const Dims& shape, const weft::TensorView& a, const weft::TensorView& b,
                    const weft::TensorView& start = {}) {
  Dense result(weft::scalar_type_of<T>, shape);
  std::int64_t flat = 0;
  const std::size_t row = shape.size() - 2;
  for_each_index(shape, [&](const Dims& index) {
    Dims left = index;
    Dims right = index;
    Sum<T> total(0);
    bool first = true;
    if (start.defined()) {
      total = static_cast<Sum<T>>(element<T>(element_at(start, index)));
      first = false;
    }
    left[row + 1] = right[row] = 0;
    const std::int64_t depth = a.extent(-1);
    const std::byte* from_a = depth == 0 ? nullptr : element_at(a, left);
    const std::byte* from_b = depth == 0 ? nullptr : element_at(b, right);
    const std::int64_t size = weft::element_size(a.dtype());
    for (std::int64_t k0 = 0; k0 < depth; k0 += 256) {
      Sum<T> run(0);
      for (std::int64_t k = k0; k < std::min<std::int64_t>(k0 + 256, depth); ++k) {
        run = product_step<Sum<T>>(
            static_cast<Sum<T>>(element<T>(from_a + k * a.stride(-1) * size)),
            static_cast<Sum<T>>(element<T>(from_b + k * b.stride(-2) * size)), run);
      }
      if constexpr (std::is_same_v<T, bool>) {
        total = total || run;
      } else {
        total = first ? run : static_cast<Sum<T>>(total + run);
      }
      first = false;
    }
    const T value(total);
    std::memcpy(static_cast<void*>(result.at(flat++)), &value, sizeof(T));
  });
  return result;
}

/// Fills a view's elements with small numbers, of 16 bits and a sign where the type has them.
inline void fill_small(Random& random, const weft::TensorView& view) {
  for_each_index(dims(view.shape()), [&](const Dims& index) {
    weft::dispatch_all_types(view.dtype(), [&]<class T>() {
      T value;
      if constexpr (weft::is_complex_type<T>) {
        value = T(static_cast<typename T::value_type>(random.integer(-99, 99)) / 16,
                  static_cast<typename T::value_type>(random.integer(-99, 99)) / 16);
      } else if constexpr (std::is_same_v<T, bool>) {
        value = random.chance(20);
      } else if constexpr (std::is_integral_v<T>) {
        value = static_cast<T>(random.bits());
      } else {
        value = T(static_cast<float>(random.integer(-32768, 32767)) / 1000);
      }
      std::memcpy(static_cast<void*>(element_at(view, index)), &value, sizeof(T));
    });
  });
}

}  // namespace test
