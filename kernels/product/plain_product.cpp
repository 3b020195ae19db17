// SPDX-License-Identifier: Apache-2.0
// Products of the types that have no tiles: bool, integers and complex numbers.
#include <weft/kernel/detail/span_loop.hpp>

#include "kernels/loops/by_type.hpp"
#include "kernels/loops/shared_loops.hpp"
#include "kernels/product/product.hpp"
#include "kernels/scalar/arithmetic.hpp"

#include <complex>
#include <cstdint>

namespace weft {
inline namespace v0 {
namespace {

/// Columns added up at a time.
constexpr std::int64_t strip = 64;

/// A strip of sums of T. Real and imaginary parts are in arrays and loops of their own: in one,
/// GCC 12 fuses products with their difference and sum, with contraction switched off as it is
/// (kernels/complex/complex_parts.hpp), and results depend on level and column.
template <class T>
struct Sums {
  T values[strip];

  WEFT_ALWAYS_INLINE void clear(std::int64_t columns) {
    for (std::int64_t j = 0; j < columns; ++j)
      values[j] = T(0);
  }
  /// Adds the products of a factor and elements `step` bytes from each other.
  WEFT_ALWAYS_INLINE void add_products(T factor, const char* from, std::int64_t step,
                                       std::int64_t columns) {
    for (std::int64_t j = 0; j < columns; ++j)
      values[j] = plus(values[j], times(factor, SpanReader<T, false>{from + j * step}[0]));
  }
  WEFT_ALWAYS_INLINE void add(const Sums& sums, std::int64_t columns) {
    for (std::int64_t j = 0; j < columns; ++j)
      values[j] = plus(values[j], sums.values[j]);
  }
  WEFT_ALWAYS_INLINE T at(std::int64_t j) const { return values[j]; }
};
template <class Part>
struct Sums<std::complex<Part>> {
  using T = std::complex<Part>;
  Sums<Part> re, im;

  WEFT_ALWAYS_INLINE void clear(std::int64_t columns) {
    re.clear(columns);
    im.clear(columns);
  }
  WEFT_ALWAYS_INLINE void add_products(T factor, const char* from, std::int64_t step,
                                       std::int64_t columns) {
    const Part a = factor.real(), b = factor.imag();
    const auto part = [&](std::int64_t j, std::int64_t which) WEFT_INLINE_LAMBDA {
      constexpr auto size = static_cast<std::int64_t>(sizeof(Part));
      return SpanReader<Part, false>{from + j * step + which * size}[0];
    };
    for (std::int64_t j = 0; j < columns; ++j)
      re.values[j] = re.values[j] + (a * part(j, 0) - b * part(j, 1));
    for (std::int64_t j = 0; j < columns; ++j)
      im.values[j] = im.values[j] + (a * part(j, 1) + b * part(j, 0));
  }
  WEFT_ALWAYS_INLINE void add(const Sums& sums, std::int64_t columns) {
    re.add(sums.re, columns);
    im.add(sums.im, columns);
  }
  WEFT_ALWAYS_INLINE T at(std::int64_t j) const { return T(re.values[j], im.values[j]); }
};

/// The sums of one run for `columns` columns.
template <class T, bool dense>
WEFT_ALWAYS_INLINE void sum_run(Sums<T>& sums, const ProductAt& block, const char* a, const char* b,
                                std::int64_t depth, std::int64_t columns) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  sums.clear(columns);
  for (std::int64_t k = 0; k < depth; ++k) {
    const T factor = SpanReader<T, false>{a}[0];
    sums.add_products(factor, b, dense ? size : block.b.column_step, columns);
    a += block.a.column_step;
    b += block.b.row_step;
  }
}

template <class T>
void multiply(const ProductAt& block) {
  for (std::int64_t i = 0; i < block.rows; ++i) {
    for (std::int64_t j0 = 0; j0 < block.columns; j0 += strip) {
      const std::int64_t columns = block.columns - j0 < strip ? block.columns - j0 : strip;
      Sums<T> total, sums;
      total.clear(columns);
      for (std::int64_t k = 0; k < block.depth; k += product_run) {
        const std::int64_t depth = k + product_run < block.depth ? product_run : block.depth - k;
        const char* a = block.a.data + i * block.a.row_step + k * block.a.column_step;
        const char* b = block.b.data + k * block.b.row_step + j0 * block.b.column_step;
        if (block.b.column_step == static_cast<std::int64_t>(sizeof(T))) {
          sum_run<T, true>(sums, block, a, b, depth, columns);
        } else {
          sum_run<T, false>(sums, block, a, b, depth, columns);
        }
        total.add(sums, columns);
      }
      char* c = block.c.data + i * block.c.row_step + j0 * block.c.column_step;
      for (std::int64_t j = 0; j < columns; ++j)
        store_element<T>(c + j * block.c.column_step, 0, total.at(j));
    }
  }
}

/// Signed and unsigned integers of a size make the same bits.
template <class T>
constexpr PlainProductFn plain() {
  if constexpr (is_wrapping<T> || std::is_same_v<T, bool> || is_complex_type<T>) {
    return &multiply<typename Wrapping<T>::Type>;
  } else {
    return nullptr;
  }
}

}  // namespace

PlainProductFn WEFT_KERNEL(plain_product_kernel)(ScalarType type) {
  return by_type(type, []<class T>() { return plain<T>(); });
}

}  // namespace v0
}  // namespace weft
