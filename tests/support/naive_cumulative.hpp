// SPDX-License-Identifier: Apache-2.0
/// @file
/// Prefix operations one element at a time, by what ops/cumulative.hpp says of them.
#pragma once

#include "support/naive_ops.hpp"
#include "support/naive_reduce.hpp"

#include <cmath>
#include <functional>

namespace test {

/// The result of a prefix operation, line by line: f(n, in, out) is given the addresses of a line's
/// elements, and where the results go.
inline Dense naive_lines(
    const weft::TensorView& a, std::size_t axis, weft::ScalarType out_type,
    const std::function<void(std::size_t, const void* const*, void* const*)>& f) {
  const Dims shape = dims(a.shape());
  const Dims lines = shape.empty() ? shape : reduced_shape(shape, 1u << axis);
  std::vector<std::vector<const void*>> in(static_cast<std::size_t>(product(lines)));
  std::vector<std::vector<void*>> out(in.size());
  Dense result(out_type, shape);
  std::int64_t flat = 0;
  for_each_index(shape, [&](const Dims& index) {
    const std::size_t line = flat_index(lines, index);
    in[line].push_back(element_at(a, index));
    out[line].push_back(result.at(flat++));
  });
  for (std::size_t line = 0; line < in.size(); ++line)
    f(in[line].size(), in[line].data(), out[line].data());
  return result;
}

enum class Total { sum, product };

/// The type in which a total becomes an element of `out`: a real one if the elements are.
inline weft::ScalarType total_type(weft::ScalarType type, weft::ScalarType out) {
  if (kind_of(type) < 2) return weft::ScalarType::i64;
  weft::ScalarType both = weft::promote_types(type, out);
  if (kind_of(type) == 2 && kind_of(both) == 3)
    both = both == weft::ScalarType::c64 ? weft::ScalarType::f32 : weft::ScalarType::f64;
  return kind_of(both) == 2 && weft::element_size(both) == 2 ? weft::ScalarType::f32 : both;
}

/// Sums and products in i64, f64 or c128: by fours, but products of f64 and all of complex numbers
/// one after the other.
inline Dense naive_totals(Total total, const weft::TensorView& a, std::size_t axis,
                          weft::ScalarType out_type) {
  const weft::ScalarType kernel = total_type(a.dtype(), out_type);
  const weft::ScalarType wide = kind_of(kernel) < 2   ? weft::ScalarType::i64
                                : kind_of(kernel) < 3 ? weft::ScalarType::f64
                                                      : weft::ScalarType::c128;
  const bool fours =
      kind_of(kernel) < 3 && (total == Total::sum || kernel != weft::ScalarType::f64);
  const auto with = [&](const AnyElement& x, const AnyElement& y) {
    AnyElement z;
    naive_binary(total == Total::sum ? Binary::add : Binary::mul, wide, x.bytes, y.bytes, z.bytes);
    return z;
  };
  return naive_lines(a, axis, out_type,
                     [&](std::size_t n, const void* const* in, void* const* out) {
                       const std::int64_t identity = total == Total::sum ? 0 : 1;
                       AnyElement before = as_type(wide, weft::ScalarType::i64, &identity);
                       for (std::size_t first = 0; first < n; first += fours ? 4 : 1) {
                         const std::size_t count = std::min<std::size_t>(n - first, fours ? 4 : 1);
                         AnyElement x[4], result[4];
                         for (std::size_t i = 0; i < count; ++i)
                           x[i] = as_type(wide, a.dtype(), in[first + i]);
                         const AnyElement two = with(before, with(x[0], x[1]));
                         result[0] = with(before, x[0]);
                         result[1] = two;
                         result[2] = with(two, x[2]);
                         result[3] = with(two, with(x[2], x[3]));
                         for (std::size_t i = 0; i < count; ++i) {
                           const AnyElement rounded = as_type(kernel, wide, result[i].bytes);
                           convert_element(out_type, out[first + i], kernel, rounded.bytes);
                         }
                         before = result[count - 1];
                       }
                     });
}

/// True if `a` takes the place of `b` in a running maximum (or minimum): NaN does, equal elements
/// do, and 0.0 is above -0.0.
template <class T>
bool stands_over(T a, T b, bool least) {
  if constexpr (weft::is_half_type<T>) {
    return stands_over(static_cast<float>(a), static_cast<float>(b), least);
  } else {
    if (is_nan(a) || is_nan(b)) return is_nan(a);
    if constexpr (std::is_floating_point_v<T>) {
      if (a == b)
        return least ? std::signbit(a) || !std::signbit(b) : !std::signbit(a) || std::signbit(b);
    }
    return least ? a <= b : a >= b;
  }
}

/// Running maxima or minima, or the positions at which they stand.
inline Dense naive_extremes(const weft::TensorView& a, std::size_t axis, bool least, bool places,
                            weft::ScalarType out_type) {
  return naive_lines(
      a, axis, out_type, [&](std::size_t n, const void* const* in, void* const* out) {
        std::int64_t place = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const void* const before = in[place];
          const bool moves = weft::dispatch_all_types(a.dtype(), [&]<class T>() -> bool {
            if constexpr (weft::is_complex_type<T>) {
              return false;
            } else {
              return stands_over(load<T>(in[i]), load<T>(before), least);
            }
          });
          if (moves) place = static_cast<std::int64_t>(i);
          if (places) {
            convert_element(out_type, out[i], weft::ScalarType::i64, &place);
          } else {
            convert_element(out_type, out[i], a.dtype(), in[place]);
          }
        }
      });
}

}  // namespace test
