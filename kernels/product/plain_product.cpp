// SPDX-License-Identifier: Apache-2.0
// Products of the types that have no tiles: bool, integers and complex numbers.
#include <weft/kernel/detail/span_loop.hpp>

#include "kernels/loops/by_type.hpp"
#include "kernels/product/product.hpp"
#include "kernels/scalar/arithmetic.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Columns added up at a time.
constexpr std::int64_t strip = 64;

/// sums[j] = sum of one run for `columns` columns.
template <class T, bool dense>
WEFT_ALWAYS_INLINE void add_run(T* sums, const ProductAt& block, const char* a, const char* b,
                                std::int64_t depth, std::int64_t columns) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t j = 0; j < columns; ++j)
    sums[j] = T(0);
  for (std::int64_t k = 0; k < depth; ++k) {
    const T factor = SpanReader<T, false>{a}[0];
    const std::int64_t step = dense ? size : block.b.column_step;
    for (std::int64_t j = 0; j < columns; ++j)
      sums[j] = plus(sums[j], times(factor, SpanReader<T, false>{b + j * step}[0]));
    a += block.a.column_step;
    b += block.b.row_step;
  }
}

template <class T>
void multiply(const ProductAt& block) {
  for (std::int64_t i = 0; i < block.rows; ++i) {
    for (std::int64_t j0 = 0; j0 < block.columns; j0 += strip) {
      const std::int64_t columns = block.columns - j0 < strip ? block.columns - j0 : strip;
      T total[strip];
      T sums[strip];
      for (std::int64_t j = 0; j < columns; ++j)
        total[j] = T(0);
      for (std::int64_t k = 0; k < block.depth; k += product_run) {
        const std::int64_t depth = k + product_run < block.depth ? product_run : block.depth - k;
        const char* a = block.a.data + i * block.a.row_step + k * block.a.column_step;
        const char* b = block.b.data + k * block.b.row_step + j0 * block.b.column_step;
        if (block.b.column_step == static_cast<std::int64_t>(sizeof(T))) {
          add_run<T, true>(sums, block, a, b, depth, columns);
        } else {
          add_run<T, false>(sums, block, a, b, depth, columns);
        }
        for (std::int64_t j = 0; j < columns; ++j)
          total[j] = plus(total[j], sums[j]);
      }
      char* c = block.c.data + i * block.c.row_step + j0 * block.c.column_step;
      for (std::int64_t j = 0; j < columns; ++j)
        store_element<T>(c + j * block.c.column_step, 0, total[j]);
    }
  }
}

template <class T>
constexpr PlainProductFn plain() {
  if constexpr (is_wrapping<T> || std::is_same_v<T, bool> || is_complex_type<T>) {
    return &multiply<T>;
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
