// SPDX-License-Identifier: Apache-2.0
/// @file
/// The loops of a reduction struct, as text for functions of any width.
#pragma once

#include <weft/kernel/detail/mask_flags.hpp>
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

/// What a ReductionKernel does, all of it inlined. Inputs in `values` are one value in each row. So
/// is the mask, if there is one, where mask_step is 0; it is 1 where the mask has a flag for each
/// element. `wide`: for functions of WEFT_WIDE_LOOPS.
template <class Op, bool Indexed, bool Masks, bool wide = false>
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
  /// Whether a row is one loop without lanes, of which compilers make vectors: integers may be
  /// taken in any order. Not truth values, of which GCC 12 makes none, nor with a mask.
  static constexpr bool in_order = std::is_integral_v<Acc> && !std::is_same_v<Acc, bool> && !Masks;
  /// Columns whose accumulators are on the stack.
  static constexpr std::int64_t lane_columns = 128;
  /// Elements of a row for which there are flags at a time.
  static constexpr std::int64_t run_flags = 128;

  /// results[r] = the reduction of row r.
  template <std::size_t values, bool all_loops>
  static WEFT_ALWAYS_INLINE void take_spans(const Op& op, Acc* results, char* const* inputs,
                                            const std::int64_t* row_bytes, std::int64_t rows,
                                            std::int64_t n, std::int64_t index,
                                            std::int64_t index_step, std::int64_t mask_step) {
    if (all_loops && n >= least_lane_row && n < 2 * lanes) {
      for (std::int64_t r = 0; r < rows; r += lane_rows)
        take_lane_rows<values>(op, results, inputs, row_bytes, r,
                               rows - r < lane_rows ? rows - r : lane_rows, n, index, index_step,
                               mask_step);
      return;
    }
    for (std::int64_t r = 0; r < rows; ++r)
      results[r] = reduce_row(op, readers<values>(inputs, row_bytes, r),
                              mask_row(inputs, row_bytes, r, mask_step), n, index + r * index_step);
  }

  /// acc[j] = the reduction of column j. Row by row, as they follow each other in memory: by twos,
  /// which lie in one page, processors fetch them late (2.5 times as long from memory; 0.95 in
  /// cache).
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void take_columns(const Op& op, Acc* acc, char* const* inputs,
                                              const std::int64_t* row_bytes, std::int64_t rows,
                                              std::int64_t columns, std::int64_t index,
                                              std::int64_t mask_step) {
    if constexpr (by_member) {
      for (std::int64_t j = 0; j < columns; j += lane_columns)
        take_lane_columns<values>(op, acc, inputs, row_bytes, rows, j,
                                  columns - j < lane_columns ? columns - j : lane_columns, index,
                                  mask_step);
      return;
    }
    if (rows == 0) {
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] = op.identity();
      return;
    }
    take_row<values, true>(op, acc, inputs, row_bytes, 0, columns, index, mask_step);
    for (std::int64_t r = 1; r < rows; ++r)
      take_row<values, false>(op, acc, inputs, row_bytes, r, columns, index, mask_step);
  }

  /// outputs[k][j] = result k of column j.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void take_short_columns(const Op& op, char* const* outputs,
                                                    char* const* inputs,
                                                    const std::int64_t* row_bytes,
                                                    std::int64_t rows, std::int64_t columns,
                                                    std::int64_t index, std::int64_t mask_step) {
    [&]<std::size_t... R>(std::index_sequence<R...>) WEFT_INLINE_LAMBDA {
      ((rows == std::int64_t{R} + 1 ? take_all_rows<values, R + 1>(op, outputs, inputs, row_bytes,
                                                                   columns, index, mask_step)
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
  /// What the mask says of up to `count` elements at a time.
  template <std::int64_t count>
  using Flags = std::conditional_t<
      !Masks, NoFlags,
      std::conditional_t<by_member && count != 1, MaskFlags<Acc, std::size_t{count}, wide>,
                         MaskBytes<Acc, std::size_t{count}>>>;

  /// Takes element i; `selection` has it at j.
  template <class Readers, class Selection>
  static WEFT_ALWAYS_INLINE Acc step(const Op& op, const Acc& acc, const Readers& in,
                                     std::int64_t i, std::int64_t index, const Selection& selection,
                                     std::int64_t j) {
    const Acc taken = [&]<std::size_t... I>(std::index_sequence<I...>) WEFT_INLINE_LAMBDA {
      if constexpr (Indexed) {
        return op.accumulate(acc, std::get<I>(in)[i]..., index);
      } else {
        return op.accumulate(acc, std::get<I>(in)[i]...);
      }
    }(std::make_index_sequence<nelements>());
    return selection.choose(j, taken, acc);
  }

  /// The mask of a row.
  static WEFT_ALWAYS_INLINE MaskRow mask_row(char* const* in, const std::int64_t* row_bytes,
                                             std::int64_t row, std::int64_t mask_step) {
    if constexpr (Masks) {
      return {in[nelements] + row * row_bytes[nelements], mask_step};
    } else {
      return {};
    }
  }
  static WEFT_ALWAYS_INLINE MaskRow mask_at(const MaskRow& row, std::int64_t i) {
    return {row.data + i * row.step, row.step};
  }
  /// The mask of element i of rows from `row` on.
  static WEFT_ALWAYS_INLINE MaskRow mask_column(char* const* in, const std::int64_t* row_bytes,
                                                std::int64_t row, std::int64_t i,
                                                std::int64_t mask_step) {
    if constexpr (Masks) {
      return {in[nelements] + row * row_bytes[nelements] + i * mask_step, row_bytes[nelements]};
    } else {
      return {};
    }
  }

  /// Whether the mask leaves all of a row out.
  static WEFT_ALWAYS_INLINE bool is_left_out(const MaskRow& mask) {
    if constexpr (Masks) {
      return mask.is_left_out();
    } else {
      return false;
    }
  }
  /// Calls f(from, to, selection) for [from, end) of a row, cut into what there are flags for.
  template <class F>
  static WEFT_ALWAYS_INLINE void for_flags(const MaskRow& mask, std::int64_t from, std::int64_t end,
                                           const F& f) {
    Flags<run_flags> flags;
    if constexpr (Masks) {
      typename Flags<run_flags>::Selection selection;
      for (std::int64_t at = from; at < end; at += run_flags) {
        const std::int64_t count = end - at < run_flags ? end - at : run_flags;
        if (at == from || mask.step != 0) selection = flags.select(mask_at(mask, at), count);
        f(at, at + count, selection);
      }
    } else {
      f(from, end, flags.select(mask, 0));
    }
  }

  /// Reads a row of each input, of which those in `values` are one value.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE auto readers(char* const* in, const std::int64_t* row_bytes,
                                         std::int64_t row) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) WEFT_INLINE_LAMBDA {
      return std::tuple<SpanReader<In<I>, (values >> I & 1) != 0>...>{
          SpanReader<In<I>, (values >> I & 1) != 0>{in[I] + row * row_bytes[I]}...};
    }(std::make_index_sequence<nelements>());
  }

  /// Short rows [row, row + count), each of which is a lane: its elements are taken one after the
  /// other.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void take_lane_rows(const Op& op, Acc* results, char* const* inputs,
                                                const std::int64_t* row_bytes, std::int64_t row,
                                                std::int64_t count, std::int64_t n,
                                                std::int64_t index, std::int64_t index_step,
                                                std::int64_t mask_step) {
    MemberArrays<Acc, std::size_t{lane_rows}> acc;
    Flags<lane_rows> flags;
    for (std::int64_t r = 0; r < count; ++r)
      acc.set(static_cast<std::size_t>(r), op.identity());
    for (std::int64_t i = 0; i < n; ++i) {
      const auto selection = flags.select(mask_column(inputs, row_bytes, row, i, mask_step), count);
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t r = 0; r < count; ++r) {
        const auto lane = static_cast<std::size_t>(r);
        acc.set(lane, step(op, acc.get(lane), readers<values>(inputs, row_bytes, row + r), i,
                           index + (row + r) * index_step + i, selection, r));
      }
    }
    for (std::int64_t r = 0; r < count; ++r)
      results[row + r] = acc.get(static_cast<std::size_t>(r));
  }

  /// A row, in runs: so that what lanes add up one after the other stays short.
  template <class Readers>
  static WEFT_ALWAYS_INLINE Acc reduce_row(const Op& op, const Readers& in, const MaskRow& mask,
                                           std::int64_t n, std::int64_t index) {
    if (is_left_out(mask)) return op.identity();
    // Short rows have a text of their own, which takes a twentieth less time; not with a mask,
    // whose text is long.
    if (!Masks && n <= run_elements) return reduce_run(op, in, mask, 0, n, index);
    Acc acc = op.identity();
    std::int64_t i = 0;
    do {
      const std::int64_t count = n - i < run_elements ? n - i : run_elements;
      const Acc run = reduce_run(op, in, mask, i, count, index);
      acc = i == 0 ? run : op.combine(acc, run);
      i += count;
    } while (i < n);
    return acc;
  }

  /// Elements [first, first + n), the row's first having the index given.
  template <class Readers>
  static WEFT_ALWAYS_INLINE Acc reduce_run(const Op& op, const Readers& in, const MaskRow& mask,
                                           std::int64_t first, std::int64_t n, std::int64_t index) {
    const std::int64_t end = first + n;
    if (in_order || n < 2 * lanes) {
      Acc acc = op.identity();
      Flags<1> flags;
      for (std::int64_t i = first; i < end; ++i) {
        const auto selection = flags.select(mask_at(mask, i), 1);
        acc = step(op, acc, in, i, index + i, selection, 0);
      }
      return acc;
    }
    MemberArrays<Acc, std::size_t{lanes}> acc;
    for (std::size_t j = 0; j < std::size_t{lanes}; ++j)
      acc.set(j, op.identity());
    std::int64_t i = first;
    if constexpr (takes_vectors)
      i = VectorizedSteps<Op, Acc>::template take_lanes<lanes>(op, acc.data(), in, i, end);
    const auto take_part = [&](std::int64_t from, std::int64_t to,
                               const auto& selection) WEFT_INLINE_LAMBDA {
      // Elements [at, at + count), and as many behind each multiple of `lanes` in `offsets`: lanes
      // lie in memory, and take that many between being read and written.
      const auto take = [&]<std::int64_t... offsets>(
                            std::int64_t at, std::int64_t count,
                            std::integer_sequence<std::int64_t, offsets...>) WEFT_INLINE_LAMBDA {
        WEFT_INDEPENDENT_ITERATIONS
        WEFT_NOT_UNROLLED
        for (std::int64_t j = 0; j < count; ++j) {
          const auto lane = static_cast<std::size_t>(j);
          Acc taken = acc.get(lane);
          ((taken = step(op, taken, in, at + offsets * lanes + j, index + at + offsets * lanes + j,
                         selection, at - from + offsets * lanes + j)),
           ...);
          acc.set(lane, taken);
        }
      };
      constexpr std::make_integer_sequence<std::int64_t, 1> one;
      constexpr std::make_integer_sequence<std::int64_t, 2> two;
      std::int64_t at = from;
      for (; at + 2 * lanes <= to; at += 2 * lanes)
        take(at, lanes, two);
      if (at + lanes <= to) {
        take(at, lanes, one);
        at += lanes;
      }
      take(at, to - at, one);
    };
    for_flags(mask, i, end, take_part);
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
                                          std::int64_t columns, std::int64_t index,
                                          std::int64_t mask_step) {
    const auto in = readers<values>(inputs, row_bytes, row);
    const MaskRow mask = mask_row(inputs, row_bytes, row, mask_step);
    if (!first && is_left_out(mask)) return;
    std::int64_t taken = 0;
    if constexpr (takes_vectors)
      taken = VectorizedSteps<Op, Acc>::template take_columns<first>(op, acc, in, columns);
    const auto take_part = [&](std::int64_t from, std::int64_t to, const auto& selection)
                               WEFT_INLINE_LAMBDA {
                                 WEFT_INDEPENDENT_ITERATIONS
                                 for (std::int64_t j = from; j < to; ++j)
                                   acc[j] = step(op, first ? op.identity() : read_value(acc[j]), in,
                                                 j, index + row, selection, j - from);
                               };
    for_flags(mask, taken, columns, take_part);
  }

  /// Columns [first, first + count), whose accumulators lie member by member until they are done.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void take_lane_columns(const Op& op, Acc* results, char* const* inputs,
                                                   const std::int64_t* row_bytes, std::int64_t rows,
                                                   std::int64_t first, std::int64_t count,
                                                   std::int64_t index, std::int64_t mask_step) {
    MemberArrays<Acc, std::size_t{lane_columns}> acc;
    Flags<lane_columns> flags;
    for (std::int64_t j = 0; j < count; ++j)
      acc.set(static_cast<std::size_t>(j), op.identity());
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto in = readers<values>(inputs, row_bytes, r);
      const MaskRow mask = mask_row(inputs, row_bytes, r, mask_step);
      if (is_left_out(mask)) continue;
      const auto selection = flags.select(mask_at(mask, first), count);
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < count; ++j) {
        const auto lane = static_cast<std::size_t>(j);
        acc.set(lane, step(op, acc.get(lane), in, first + j, index + r, selection, j));
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
                                               std::int64_t columns, std::int64_t index,
                                               std::int64_t mask_step) {
    [&]<std::size_t... R>(std::index_sequence<R...>) WEFT_INLINE_LAMBDA {
      const std::array in{readers<values>(inputs, row_bytes, std::int64_t{R})...};
      const auto to = pointers(outputs);
      std::int64_t taken = 0;
      if constexpr (takes_vectors) {
        const auto store = [&](Acc acc, std::int64_t j)
                               WEFT_INLINE_LAMBDA { store_results(op, acc, to, j); };
        taken = VectorizedSteps<Op, Acc>::take_all_rows(op, in, columns, store);
      }
      const auto take = [&](std::int64_t from, std::int64_t end) WEFT_INLINE_LAMBDA {
        Flags<lane_columns> flags[rows];
        const std::tuple selections{flags[R].select(
            mask_at(mask_row(inputs, row_bytes, R, mask_step), from), end - from)...};
        const auto reduced = [&](std::int64_t j) WEFT_INLINE_LAMBDA {
          Acc acc = op.identity();
          ((acc = step(op, acc, in[R], j, index + std::int64_t{R}, std::get<R>(selections),
                       j - from)),
           ...);
          return acc;
        };
        if constexpr (std::is_integral_v<Acc>) {
          Acc acc[std::size_t{lane_columns}];
          for (std::int64_t j = from; j < end; ++j)
            acc[j - from] = reduced(j);
          WEFT_INDEPENDENT_ITERATIONS
          for (std::int64_t j = from; j < end; ++j)
            store_results(op, acc[j - from], to, j);
        } else {
          WEFT_INDEPENDENT_ITERATIONS
          for (std::int64_t j = from; j < end; ++j)
            store_results(op, reduced(j), to, j);
        }
      };
      if constexpr (Masks || std::is_integral_v<Acc>) {
        for (; taken < columns; taken += lane_columns)
          take(taken, columns - taken < lane_columns ? columns : taken + lane_columns);
      } else {
        take(taken, columns);
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
    if constexpr (Struct::projects_one) {
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
