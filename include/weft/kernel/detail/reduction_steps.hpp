// SPDX-License-Identifier: Apache-2.0
/// @file
/// The loops of a reduction struct, as text for functions of any width.
#pragma once

#include <weft/kernel/detail/member_arrays.hpp>
#include <weft/kernel/detail/reduction_struct.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/reduction_kernel.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

WEFT_REQUESTED_LOOPS_BEGIN
namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// What a ReductionKernel does, all of it inlined. Inputs in `values` are one value in each row.
template <class Op, bool Indexed, bool Masks>
class ReductionSteps : public ReductionStruct<Op, Indexed, Masks> {
  using Struct = ReductionStruct<Op, Indexed, Masks>;

 public:
  using Struct::by_member;
  using Struct::lanes;
  using Struct::nelements;
  using Struct::nin;
  using Struct::nout;
  using Struct::takes_vectors;
  using typename Struct::Acc;
  using typename Struct::Outs;
  template <std::size_t I>
  using In = typename Struct::template In<I>;

  /// Elements of a span that lanes take in before they are folded.
  static constexpr std::int64_t run_elements = 2048;

  /// Rows of which each is a lane, and elements of a row from which on that is quicker than row
  /// after row. A lane waits for no other, but elements are read one by one. Integers may be added
  /// up in any order, so compilers make vectors along a row.
  static constexpr std::int64_t lane_rows = 64;
  static constexpr std::int64_t least_lane_row = [] {
    if (by_member) return std::int64_t{4};
    const bool never = std::is_integral_v<Acc> || sizeof(Acc) > 32;
    return never ? std::int64_t{2 * lanes} : static_cast<std::int64_t>(128 / sizeof(Acc));
  }();
  /// Columns whose accumulators are on the stack.
  static constexpr std::int64_t lane_columns = 128;

  /// results[r] = the reduction of row r.
  template <std::size_t values, bool all_loops>
  static WEFT_ALWAYS_INLINE void take_spans(const Op& op, Acc* results, char* const* inputs,
                                            const std::int64_t* row_bytes, std::int64_t rows,
                                            std::int64_t n, std::int64_t index,
                                            std::int64_t index_step) {
    if (all_loops && n >= least_lane_row && n < 2 * lanes) {
      for (std::int64_t r = 0; r < rows; r += lane_rows)
        take_lane_rows<values>(op, results, inputs, row_bytes, r,
                               rows - r < lane_rows ? rows - r : lane_rows, n, index, index_step);
      return;
    }
    for (std::int64_t r = 0; r < rows; ++r)
      results[r] = reduce_row(op, readers<values>(inputs, row_bytes, r), n, index + r * index_step);
  }

  /// acc[j] = the reduction of column j. Row by row, as they follow each other in memory: by twos,
  /// which lie in one page, processors fetch them late (2.5 times as long from memory; 0.95 in
  /// cache).
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void take_columns(const Op& op, Acc* acc, char* const* inputs,
                                              const std::int64_t* row_bytes, std::int64_t rows,
                                              std::int64_t columns, std::int64_t index) {
    if constexpr (by_member) {
      for (std::int64_t j = 0; j < columns; j += lane_columns)
        take_lane_columns<values>(op, acc, inputs, row_bytes, rows, j,
                                  columns - j < lane_columns ? columns - j : lane_columns, index);
      return;
    }
    if (rows == 0) {
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] = op.identity();
      return;
    }
    take_row<values, true>(op, acc, inputs, row_bytes, 0, columns, index);
    for (std::int64_t r = 1; r < rows; ++r)
      take_row<values, false>(op, acc, inputs, row_bytes, r, columns, index);
  }

  /// outputs[k][j] = result k of column j.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void take_short_columns(const Op& op, char* const* outputs,
                                                    char* const* inputs,
                                                    const std::int64_t* row_bytes,
                                                    std::int64_t rows, std::int64_t columns,
                                                    std::int64_t index) {
    [&]<std::size_t... R>(std::index_sequence<R...>) WEFT_INLINE_LAMBDA {
      ((rows == std::int64_t{R} + 1
            ? take_all_rows<values, R + 1>(op, outputs, inputs, row_bytes, columns, index)
            : void()),
       ...);
    }(std::make_index_sequence<std::size_t{max_short_columns}>());
  }

  /// outputs[k][j] = result k of acc[j].
  static WEFT_ALWAYS_INLINE void project_all(const Op& op, const Acc* acc, std::int64_t n,
                                             char* const* outputs) {
    const auto to = pointers(outputs);
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t j = 0; j < n; ++j)
      store_results(op, acc[j], to, j);
  }

 private:
  /// a or b: of numbers by their bits. Of a condition compilers make a branch around what computes
  /// a, where floating point may trap, and no vectors.
  template <class T>
  static WEFT_ALWAYS_INLINE T choose(bool first, const T& a, const T& b) noexcept {
    if constexpr (is_complex_type<T>) {
      return T(choose(first, a.real(), b.real()), choose(first, a.imag(), b.imag()));
    } else if constexpr (std::is_floating_point_v<T> && sizeof(T) <= sizeof(std::uint64_t)) {
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      const Bits mask = Bits{0} - Bits{first};
      const Bits bits =
          (__builtin_bit_cast(Bits, a) & mask) | (__builtin_bit_cast(Bits, b) & ~mask);
      return __builtin_bit_cast(T, bits);
    } else if constexpr (requires { members_of(a); }) {
      const auto as = members_of(a), bs = members_of(b);
      return [&]<std::size_t... K>(std::index_sequence<K...>) WEFT_INLINE_LAMBDA {
        return T{choose(first, std::get<K>(as), std::get<K>(bs))...};
      }(std::make_index_sequence<std::tuple_size_v<decltype(members_of(a))>>());
    } else {
      return first ? a : b;
    }
  }

  template <class Readers>
  static WEFT_ALWAYS_INLINE Acc step(const Op& op, const Acc& acc, const Readers& in,
                                     std::int64_t i, std::int64_t index) {
    const auto taken = [&]<std::size_t... I>(std::index_sequence<I...>) WEFT_INLINE_LAMBDA {
      if constexpr (Indexed) {
        return op.accumulate(acc, std::get<I>(in)[i]..., index);
      } else {
        return op.accumulate(acc, std::get<I>(in)[i]...);
      }
    };
    constexpr auto elements = std::make_index_sequence<nelements>();
    if constexpr (Masks) {
      return choose<Acc>(std::get<nelements>(in)[i], taken(elements), acc);
    } else {
      return taken(elements);
    }
  }

  /// Reads a row of each input, of which those in `values` are one value.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE auto readers(char* const* in, const std::int64_t* row_bytes,
                                         std::int64_t row) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) WEFT_INLINE_LAMBDA {
      return std::tuple<SpanReader<In<I>, (values >> I & 1) != 0>...>{
          SpanReader<In<I>, (values >> I & 1) != 0>{in[I] + row * row_bytes[I]}...};
    }(std::make_index_sequence<nin>());
  }

  /// Short rows [row, row + count), each of which is a lane: its elements are taken one after the
  /// other.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void take_lane_rows(const Op& op, Acc* results, char* const* inputs,
                                                const std::int64_t* row_bytes, std::int64_t row,
                                                std::int64_t count, std::int64_t n,
                                                std::int64_t index, std::int64_t index_step) {
    MemberArrays<Acc, std::size_t{lane_rows}> acc;
    for (std::int64_t r = 0; r < count; ++r)
      acc.set(static_cast<std::size_t>(r), op.identity());
    for (std::int64_t i = 0; i < n; ++i) {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t r = 0; r < count; ++r) {
        const auto lane = static_cast<std::size_t>(r);
        acc.set(lane, step(op, acc.get(lane), readers<values>(inputs, row_bytes, row + r), i,
                           index + (row + r) * index_step + i));
      }
    }
    for (std::int64_t r = 0; r < count; ++r)
      results[row + r] = acc.get(static_cast<std::size_t>(r));
  }

  /// A row, in runs: so that what lanes add up one after the other stays short.
  template <class Readers>
  static WEFT_ALWAYS_INLINE Acc reduce_row(const Op& op, const Readers& in, std::int64_t n,
                                           std::int64_t index) {
    if (n <= run_elements) return reduce_run(op, in, 0, n, index);
    Acc acc = reduce_run(op, in, 0, run_elements, index);
    for (std::int64_t i = run_elements; i < n; i += run_elements) {
      const std::int64_t count = n - i < run_elements ? n - i : run_elements;
      acc = op.combine(acc, reduce_run(op, in, i, count, index));
    }
    return acc;
  }

  /// Elements [first, first + n), the row's first having the index given.
  template <class Readers>
  static WEFT_ALWAYS_INLINE Acc reduce_run(const Op& op, const Readers& in, std::int64_t first,
                                           std::int64_t n, std::int64_t index) {
    const std::int64_t end = first + n;
    if (n < 2 * lanes) {
      Acc acc = op.identity();
      for (std::int64_t i = first; i < end; ++i)
        acc = step(op, acc, in, i, index + i);
      return acc;
    }
    MemberArrays<Acc, std::size_t{lanes}> acc;
    for (std::size_t j = 0; j < std::size_t{lanes}; ++j)
      acc.set(j, op.identity());
    std::int64_t i = first;
    if constexpr (takes_vectors)
      i = VectorizedSteps<Op, Acc>::template take_lanes<lanes>(op, acc.data(), in, i, end);
    const auto take = [&](std::int64_t count) WEFT_INLINE_LAMBDA {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < count; ++j) {
        const auto lane = static_cast<std::size_t>(j);
        acc.set(lane, step(op, acc.get(lane), in, i + j, index + i + j));
      }
    };
    for (; i + lanes <= end; i += lanes)
      take(lanes);
    take(end - i);
    for (std::size_t half = std::size_t{lanes} / 2; half > 0; half /= 2) {
      for (std::size_t j = 0; j < half; ++j)
        acc.set(j, op.combine(acc.get(j), acc.get(j + half)));
    }
    return acc.get(0);
  }

  /// A row into accumulators, those of the first one being identities.
  template <std::size_t values, bool first>
  static WEFT_ALWAYS_INLINE void take_row(const Op& op, Acc* acc, char* const* inputs,
                                          const std::int64_t* row_bytes, std::int64_t row,
                                          std::int64_t columns, std::int64_t index) {
    const auto in = readers<values>(inputs, row_bytes, row);
    std::int64_t taken = 0;
    if constexpr (takes_vectors)
      taken = VectorizedSteps<Op, Acc>::template take_columns<first>(op, acc, in, columns);
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t j = taken; j < columns; ++j)
      acc[j] = step(op, first ? op.identity() : acc[j], in, j, index + row);
  }

  /// Columns [first, first + count), whose accumulators lie member by member until they are done.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void take_lane_columns(const Op& op, Acc* results, char* const* inputs,
                                                   const std::int64_t* row_bytes, std::int64_t rows,
                                                   std::int64_t first, std::int64_t count,
                                                   std::int64_t index) {
    MemberArrays<Acc, std::size_t{lane_columns}> acc;
    for (std::int64_t j = 0; j < count; ++j)
      acc.set(static_cast<std::size_t>(j), op.identity());
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto in = readers<values>(inputs, row_bytes, r);
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < count; ++j) {
        const auto lane = static_cast<std::size_t>(j);
        acc.set(lane, step(op, acc.get(lane), in, first + j, index + r));
      }
    }
    for (std::int64_t j = 0; j < count; ++j)
      results[first + j] = acc.get(static_cast<std::size_t>(j));
  }

  /// Columns of `rows` rows into the outputs. Accumulators stay in registers, but for integers:
  /// a loop that converts them to floating point may be of single numbers, and with it all else.
  template <std::size_t values, std::size_t rows>
  static WEFT_ALWAYS_INLINE void take_all_rows(const Op& op, char* const* outputs,
                                               char* const* inputs, const std::int64_t* row_bytes,
                                               std::int64_t columns, std::int64_t index) {
    [&]<std::size_t... R>(std::index_sequence<R...>) WEFT_INLINE_LAMBDA {
      const std::array in{readers<values>(inputs, row_bytes, std::int64_t{R})...};
      const auto to = pointers(outputs);
      std::int64_t taken = 0;
      if constexpr (takes_vectors) {
        const auto store = [&](Acc acc, std::int64_t j)
                               WEFT_INLINE_LAMBDA { store_results(op, acc, to, j); };
        taken = VectorizedSteps<Op, Acc>::take_all_rows(op, in, columns, store);
      }
      const auto reduced = [&](std::int64_t j) WEFT_INLINE_LAMBDA {
        Acc acc = op.identity();
        ((acc = step(op, acc, in[R], j, index + std::int64_t{R})), ...);
        return acc;
      };
      if constexpr (std::is_integral_v<Acc>) {
        for (; taken < columns; taken += lane_columns) {
          const auto count = columns - taken < lane_columns ? columns - taken : lane_columns;
          Acc acc[std::size_t{lane_columns}];
          for (std::int64_t j = 0; j < count; ++j)
            acc[j] = reduced(taken + j);
          WEFT_INDEPENDENT_ITERATIONS
          for (std::int64_t j = 0; j < count; ++j)
            store_results(op, acc[j], to, taken + j);
        }
      } else {
        WEFT_INDEPENDENT_ITERATIONS
        for (std::int64_t j = taken; j < columns; ++j)
          store_results(op, reduced(j), to, j);
      }
    }(std::make_index_sequence<rows>());
  }

  /// A copy, or they would be read anew behind each store.
  static WEFT_ALWAYS_INLINE std::array<char*, nout> pointers(char* const* outputs) {
    std::array<char*, nout> to;
    for (std::size_t k = 0; k < nout; ++k)
      to[k] = outputs[k];
    return to;
  }
  static WEFT_ALWAYS_INLINE void store_results(const Op& op, const Acc& acc,
                                               const std::array<char*, nout>& to, std::int64_t j) {
    if constexpr (nout == 1) {
      store_element<std::tuple_element_t<0, Outs>>(to[0], j, op.project(acc));
    } else {
      const Outs values = op.project(acc);
      [&]<std::size_t... O>(std::index_sequence<O...>) WEFT_INLINE_LAMBDA {
        (store_element<std::tuple_element_t<O, Outs>>(to[O], j, std::get<O>(values)), ...);
      }(std::make_index_sequence<nout>());
    }
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
WEFT_REQUESTED_LOOPS_END
