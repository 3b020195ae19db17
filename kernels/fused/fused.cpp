// SPDX-License-Identifier: Apache-2.0
// An interpreter whose values are eight registers wide: an instruction is one jump, and then eight
// times the same operation, so that deciding what to do costs less than doing it. Compiled chains
// of n functions would be as many loops as there are chains; here each function is there once.
#include "kernels/fused/fused.hpp"

#include "core/compiled_types.hpp"
#include "kernels/fused/fused_rows.hpp"
#include "kernels/reduce/sums/column_sums.hpp"
#include "kernels/reduce/sums/row_sums.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Rows of operands, `at_once` of them together. There once: both kinds of loops are calls of it.
template <class T>
[[gnu::noinline]] void run_rows(FusedRows<T>& spans, char* const* data,
                                const std::int64_t* row_bytes, std::int64_t n, std::int64_t rows,
                                std::int64_t at_once) {
  // A rest that fills no register takes the operands elsewhere.
  const bool follow = rows > at_once && spans.has_no_rest(n * at_once) && !spans.repeats_values();
  if (follow) spans.set_row_steps(row_bytes, at_once);
  for (std::int64_t row = 0; row < rows; row += at_once) {
    const std::int64_t count = rows - row < at_once ? rows - row : at_once;
    if (spans.repeats_values()) spans.repeat_values(data, row_bytes, n, row, count);
    if (row != 0 && follow && count == at_once)
      spans.next_row(data, row_bytes, row);
    else
      spans.set_all(data, row_bytes, row);
    spans.run_row(n * count);
  }
}

/// A program over spans of its operands.
template <class T>
void run_spans(const void* context, char* const* data, const std::int64_t* row_bytes,
               std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
  FusedRows<T> spans(*static_cast<const FusedProgram*>(context), broadcast);
  spans.find_in_place(data);
  run_rows(spans, data, row_bytes, n, rows, spans.join_rows(data, row_bytes, n, rows));
}

// ---- Reductions ---------------------------------------------------------------------------------

/// What FloatRow adds of a row in memory, of what a program computes.
class ComputedFloatRow {
  using V = Vectorized<float>;
  using Rows = FusedRows<float>;
  /// Vectors that are eight together, the elements of short_row, and those of a block.
  static constexpr int vectors = 8, block_vectors = Rows::block / V::lanes;
  static_assert(short_row == vectors * V::lanes && vectors % block_vectors == 0);
  static_assert(!sums_in_registers(short_row) && sums_in_registers(2 * short_row));

 public:
  ComputedFloatRow(Rows& rows, std::int64_t n) noexcept : rows_(rows), n_(n) {}

  /// Of more than short_row elements. `last`: what run_part() writes.
  WEFT_ALWAYS_INLINE Vectorized<double> in_f64(const V& numbers, const float* last) noexcept {
    WideLanes sum = widen(eight(rows_, 0));
    std::int64_t i = short_row;
    for (; i + short_row <= n_; i += short_row)
      add(sum, eight(rows_, i));
    if (i < n_) {
      // Whole blocks, of which the first elements are added already.
      rows_.run_part(n_ - short_row, short_row);
      const auto same = [](const V& x) WEFT_INLINE_LAMBDA { return x; };
      const auto* const end = reinterpret_cast<const char*>(last + short_row);
      const std::int64_t left = n_ - i, bytes = left * static_cast<std::int64_t>(sizeof(float));
      const MappedRow<float, decltype(same)> rest{end - bytes, numbers, same};
      FloatRow(rest, left).add_from(0, sum);
    }
    return sum.low + sum.high;
  }

 private:
  /// The sum of the first `count` vectors, halves of them together.
  template <int count>
  static WEFT_ALWAYS_INLINE V sum_of(const V* v) noexcept {
    if constexpr (count == 1) {
      return v[0];
    } else if constexpr (count == 2) {
      return v[0] + v[1];
    } else {
      return sum_of<count / 2>(v) + sum_of<count / 2>(v + count / 2);
    }
  }
  /// The sum of eight vectors from element i on. There once: it holds all instructions.
  [[gnu::noinline]] static V eight(const Rows& rows, std::int64_t i) noexcept {
    V sums[vectors / block_vectors];
    for (V& sum : sums) {
      rows.run_block(i, [&](const auto& x) WEFT_INLINE_LAMBDA {
        V v[block_vectors];
        WEFT_UNROLLED
        for (int r = 0; r < fused_width; ++r)
          v[r / V::registers][r % V::registers] = x[r].value;
        sum = sum_of<block_vectors>(v);
      });
      i += Rows::block;
    }
    return sum_of<vectors / block_vectors>(sums);
  }
  static WEFT_ALWAYS_INLINE void add(WideLanes& sum, const V& v) noexcept {
    const WideLanes w = widen(v);
    sum.low += w.low;
    sum.high += w.high;
  }

  Rows& rows_;
  std::int64_t n_;
};

/// The operands of a program that is reduced: its results, in a buffer, and its inputs.
struct ReducedOperands {
  char* data[max_operands];
  std::int64_t row_bytes[max_operands] = {};

  ReducedOperands(const FusedReduction& of, char* const* inputs,
                  const std::int64_t* input_row_bytes, std::int64_t rows, void* results) noexcept {
    data[0] = static_cast<char*>(results);
    for (int k = 0; k < of.program.ninputs; ++k) {
      data[1 + k] = inputs[k];
      if (rows > 1) row_bytes[1 + k] = input_row_bytes[k];
    }
  }
};

/// Several rows at a time, by way of a buffer.
template <class T>
void reduce_rows(const void* context, void* accumulators, char* const* inputs,
                 const std::int64_t* input_row_bytes, std::int64_t rows, std::int64_t n,
                 std::int64_t index, std::int64_t index_step) {
  const auto& of = *static_cast<const FusedReduction*>(context);
  constexpr std::int64_t most = reduced_bytes / static_cast<std::int64_t>(sizeof(T));
  alignas(64) T results[most];
  ReducedOperands at(of, inputs, input_row_bytes, rows, results);
  at.row_bytes[0] = n * static_cast<std::int64_t>(sizeof(T));
  FusedRows<T> computed(of.program, of.broadcast);
  const std::int64_t at_once = computed.join_rows(at.data, at.row_bytes, n, rows);
  const std::int64_t group = most / n;
  for (std::int64_t r = 0; r < rows; r += group) {
    const std::int64_t count = rows - r < group ? rows - r : group;
    run_rows(computed, at.data, at.row_bytes, n, count, at_once < count ? at_once : count);
    of.in_memory.spans(context,
                       static_cast<char*>(accumulators) + r * of.in_memory.accumulator_bytes,
                       at.data, at.row_bytes, count, n, index + r * index_step, index_step);
    for (int k = 1; k <= of.program.ninputs; ++k)
      at.data[k] += count * at.row_bytes[k];
  }
}

/// Sums of long rows, in registers.
void sum_long_rows(const FusedReduction& of, double* sums, char* const* inputs,
                   const std::int64_t* input_row_bytes, std::int64_t rows, std::int64_t n) {
  alignas(64) float results[short_row];
  ReducedOperands at(of, inputs, input_row_bytes, rows, results);
  FusedRows<float> computed(of.program, of.broadcast);
  computed.set_row_steps(at.row_bytes, 1);
  const Vectorized<float> numbers = lane_numbers<float>();
  for (std::int64_t r = 0; r < rows; ++r) {
    r == 0 ? computed.set_all(at.data, at.row_bytes, r)
           : computed.next_row(at.data, at.row_bytes, r);
    fold_rows_of<double>(
        sums + r, 1, n,
        [&](std::int64_t)
            WEFT_INLINE_LAMBDA { return ComputedFloatRow(computed, n).in_f64(numbers, results); },
        [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; });
  }
}

/// Columns of a few rows at a time, as many as the kernel for sums of columns in memory adds before
/// they meet its accumulators, and in pieces, by way of a buffer.
template <class T>
void reduce_columns_by_pieces(const void* context, void* accumulators, char* const* inputs,
                              const std::int64_t* row_bytes, std::int64_t rows,
                              std::int64_t columns, std::int64_t index) {
  const auto& of = *static_cast<const FusedReduction*>(context);
  constexpr std::int64_t size = sizeof(T), piece = reduced_columns_bytes / (tree_rows * size);
  // The last piece is no narrower than what columns are reduced by.
  constexpr std::int64_t widest = piece + Vectorized<T>::lanes;
  alignas(64) T results[tree_rows * widest];
  alignas(64) char more[8 * widest];
  const std::int64_t accumulator_bytes = of.in_memory.accumulator_bytes;
  FusedRows<T> computed(of.program, of.broadcast);
  for (std::int64_t row = 0, count = 0; row < rows; row += count) {
    count = rows_of_tree(rows - row);
    for (std::int64_t j = 0, n = 0; j < columns; j += n) {
      n = columns - j < widest ? columns - j : piece;
      ReducedOperands at(of, inputs, row_bytes, rows, results);
      at.row_bytes[0] = n * size;
      for (int k = 1; k <= of.program.ninputs; ++k)
        at.data[k] += row * at.row_bytes[k] + j * computed.step_of(k);
      run_rows(computed, at.data, at.row_bytes, n, count, 1);
      char* const into = static_cast<char*>(accumulators) + j * accumulator_bytes;
      of.in_memory.columns(context, row == 0 ? into : more, at.data, at.row_bytes, count, n,
                           index + row);
      if (row != 0) of.in_memory.combine(context, into, more, n);
    }
  }
}

void add_up_rows(const void* context, void* accumulators, char* const* inputs,
                 const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n,
                 std::int64_t index, std::int64_t index_step) {
  if (!sums_in_registers(n))
    return reduce_rows<float>(context, accumulators, inputs, row_bytes, rows, n, index, index_step);
  sum_long_rows(*static_cast<const FusedReduction*>(context), static_cast<double*>(accumulators),
                inputs, row_bytes, rows, n);
}

}  // namespace

SpanKernel::Run WEFT_KERNEL(fused_loop)(ScalarType type) {
  if constexpr (is_compiled(ScalarType::f32))
    if (type == ScalarType::f32) return &run_spans<float>;
  if constexpr (is_compiled(ScalarType::f64))
    if (type == ScalarType::f64) return &run_spans<double>;
  return nullptr;
}

SpanKernel::Run WEFT_KERNEL(fused_selecting_loop)(ScalarType type) {
  return has_selected_stores ? WEFT_KERNEL(fused_loop)(type) : nullptr;
}

ReduceSpans WEFT_KERNEL(fused_spans)(ScalarType type, bool sums) {
  if constexpr (is_compiled(ScalarType::f32))
    if (type == ScalarType::f32) return sums ? &add_up_rows : &reduce_rows<float>;
  if constexpr (is_compiled(ScalarType::f64))
    if (type == ScalarType::f64) return &reduce_rows<double>;
  return nullptr;
}

ReduceColumns WEFT_KERNEL(fused_columns)(ScalarType type) {
  if constexpr (is_compiled(ScalarType::f32))
    if (type == ScalarType::f32) return &reduce_columns_by_pieces<float>;
  if constexpr (is_compiled(ScalarType::f64))
    if (type == ScalarType::f64) return &reduce_columns_by_pieces<double>;
  return nullptr;
}

}  // namespace v0
}  // namespace weft
