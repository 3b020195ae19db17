// SPDX-License-Identifier: Apache-2.0
// Sums of what a mask selects, which is read with the elements.
#include "core/compiled_types.hpp"
#include "kernels/loops/flag_registers.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/sums/row_sums.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// What FloatRow and sum_lanes add.
template <class T>
struct SelectedRow {
  using Element = T;
  using V = Vectorized<T>;
  const T* from;
  const char* flags;
  const V& numbers;  ///< of the lanes

  WEFT_ALWAYS_INLINE V at(std::int64_t i) const {
    V v;
    WEFT_UNROLLED
    for (int r = 0; r < V::registers; ++r) {
      const std::int64_t first = i + r * Register<T>::lanes;
      v[r] = load_selected<T>(from + first, flags + first).value;
    }
    return in_order(v);
  }
  WEFT_ALWAYS_INLINE V last(std::int64_t n, std::int64_t count) const {
    return select(numbers >= V(static_cast<T>(V::lanes - count)), at(n - V::lanes), V(T(0)));
  }
};

/// The sum of a row of as many elements as there are lanes, or more. One row at a time, so that its
/// text is there once.
template <class T>
[[gnu::noinline]] void sum_row(double* sum, const T* from, const char* flags, std::int64_t n) {
  using V = Vectorized<T>;
  const V numbers = lane_numbers<T>();
  const SelectedRow<T> row{from, flags, numbers};
  const auto add = [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; };
  if constexpr (sizeof(T) == 8) {
    fold_rows_of<double>(
        sum, 1, n, [&](std::int64_t) WEFT_INLINE_LAMBDA { return sum_lanes(row, n); }, add);
  } else if (n <= short_row) {
    fold_rows_of<float>(
        sum, 1, n, [&](std::int64_t) WEFT_INLINE_LAMBDA { return FloatRow(row, n).in_f32(); }, add);
  } else {
    fold_rows_of<double>(
        sum, 1, n, [&](std::int64_t) WEFT_INLINE_LAMBDA { return FloatRow(row, n).in_f64(); }, add);
  }
}

template <class T>
void sum_selected(const void* context, void* accumulators, char* const* inputs,
                  const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                  std::int64_t) {
  constexpr std::int64_t lanes = Vectorized<T>::lanes;
  auto* const sums = static_cast<double*>(accumulators);
  for (std::int64_t r = 0; r < rows; ++r) {
    const char* const at = inputs[0] + r * row_bytes[0];
    const char* const flags = inputs[1] + r * row_bytes[1];
    if (n >= lanes) {
      sum_row(sums + r, reinterpret_cast<const T*>(at), flags, n);
      continue;
    }
    const SpanReader<T, false> from{at};  // aligned or not
    alignas(64) T selected[lanes];
    for (std::int64_t i = 0; i < n; ++i)
      selected[i] = flags[i] != 0 ? from[i] : T(0);
    char* const given = reinterpret_cast<char*>(selected);
    const std::int64_t no_step = 0;
    static_cast<const LoopsInMemory*>(context)->spans(context, sums + r, &given, &no_step, 1, n, 0,
                                                      0);
  }
}

}  // namespace

ReduceSpans WEFT_KERNEL(masked_sums)(ScalarType type) {
  if constexpr (is_compiled(ScalarType::f32))
    if (type == ScalarType::f32) return &sum_selected<float>;
  if constexpr (is_compiled(ScalarType::f64))
    if (type == ScalarType::f64) return &sum_selected<double>;
  return nullptr;
}

}  // namespace v0
}  // namespace weft
