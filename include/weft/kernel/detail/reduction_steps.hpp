// SPDX-License-Identifier: Apache-2.0
/// @file
/// The loops of a reduction struct, as text for functions of any width.
#pragma once

#include <weft/kernel/detail/held.hpp>
#include <weft/kernel/detail/mask_flags.hpp>
#include <weft/kernel/detail/member_arrays.hpp>
#include <weft/kernel/detail/reduction_struct.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/detail/unfused_loops.hpp>
#include <weft/kernel/reduction_kernel.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
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
  /// Bytes of an element of each input, and of all.
  static constexpr std::array<std::int64_t, nelements> element_bytes =
      []<std::size_t... I>(std::index_sequence<I...>) {
        return std::array<std::int64_t, nelements>{std::int64_t{sizeof(In<I>)}...};
      }(std::make_index_sequence<nelements>());
  static constexpr std::int64_t all_element_bytes =
      std::accumulate(element_bytes.begin(), element_bytes.end(), std::int64_t{0});
  /// Whether elements of such rows are copied to where they are next to each other: of a choice of
  /// an index beside numbers of another size, compilers make no vectors if elements lie in
  /// different rows, and jumps that depend on every element.
  static constexpr bool copies_lane_rows = [] {
    if constexpr (Indexed && by_member && nelements > 0 && all_element_bytes <= 16) {
      return []<class... M, std::size_t... I>(std::tuple<M...>*, std::index_sequence<I...>) {
        constexpr std::size_t size = sizeof(In<0>);
        return ((sizeof(M) != size) || ...) || ((sizeof(In<I>) != size) || ...);
      }(static_cast<decltype(members_of(std::declval<const Acc&>()))*>(nullptr),
             std::make_index_sequence<nelements>());
    } else {
      return false;
    }
  }();
  /// Elements of a row that are copied at a time.
  static constexpr std::int64_t lane_piece = 16;
  /// Whether a row is one loop without lanes, of which compilers make vectors: integers may be
  /// taken in any order. Not truth values, of which GCC 12 makes none, nor with a mask.
  static constexpr bool in_order = std::is_integral_v<Acc> && !std::is_same_v<Acc, bool> && !Masks;
  /// Columns whose accumulators are on the stack, by member: 4 KiB of them.
  static constexpr std::int64_t lane_columns =
      by_member ? static_cast<std::int64_t>(4096 / std::bit_ceil(sizeof(Acc))) : 0;
  /// Elements of a row from which on rows of columns go one by one, unless they overlap.
  static constexpr std::int64_t long_row = 128;
  /// Elements of a row for which there are flags, or accumulators of a few rows, at a time.
  static constexpr std::int64_t run_flags = 128;

  /// results[r] = the reduction of row r.
  template <std::size_t values, bool all_loops>
  static WEFT_ALWAYS_INLINE void take_spans(const Op& object, Acc* results, char* const* inputs,
                                            const std::int64_t* row_bytes, std::int64_t rows,
                                            std::int64_t n, std::int64_t index,
                                            std::int64_t index_step, std::int64_t mask_step) {
    const Held<Op> op = object;
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

  /// acc[j] = the reduction of column j. Short rows go by twos: accumulators are read and written
  /// once for both. So do rows that overlap, as those of windows do. Other long ones go one by one,
  /// as they follow each other in memory: of two that lie in one page, processors fetch the lines
  /// late (1.3 to 2.5 times as long from memory; 0.8 to 0.95 in cache).
  template <std::size_t values, bool all_loops>
  static WEFT_ALWAYS_INLINE void take_columns(const Op& object, Acc* acc, char* const* inputs,
                                              const std::int64_t* row_bytes, std::int64_t rows,
                                              std::int64_t columns, std::int64_t index,
                                              std::int64_t mask_step) {
    const Held<Op> op = object;
    if constexpr (by_member) {
      for (std::int64_t j = 0; j < columns; j += lane_columns)
        take_lane_columns<values>(op, acc, inputs, row_bytes, rows, j,
                                  columns - j < lane_columns ? columns - j : lane_columns, index,
                                  mask_step);
    } else {
      if (rows == 0) {
        for (std::int64_t j = 0; j < columns; ++j)
          acc[j] = op.identity();
        return;
      }
      take_rows<values, 1, true>(op, acc, inputs, row_bytes, 0, columns, index, mask_step);
      std::int64_t r = 1;
      if constexpr (all_loops && !Masks) {
        const bool by_twos =
            rows > 2 && (columns < long_row || overlap<values>(row_bytes, columns));
        for (; by_twos && r + 2 <= rows; r += 2)
          take_rows<values, 2, false>(op, acc, inputs, row_bytes, r, columns, index, mask_step);
      }
      for (; r < rows; ++r)
        take_rows<values, 1, false>(op, acc, inputs, row_bytes, r, columns, index, mask_step);
    }
  }

  /// outputs[k][j] = result k of column j.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void take_short_columns(const Op& object, char* const* outputs,
                                                    char* const* inputs,
                                                    const std::int64_t* row_bytes,
                                                    std::int64_t rows, std::int64_t columns,
                                                    std::int64_t index, std::int64_t mask_step) {
    const Held<Op> op = object;
    [&]<std::size_t... R>(std::index_sequence<R...>) WEFT_INLINE_LAMBDA {
      ((rows == std::int64_t{R} + 1 ? take_all_rows<values, R + 1>(op, outputs, inputs, row_bytes,
                                                                   columns, index, mask_step)
                                    : void()),
       ...);
    }(std::make_index_sequence<std::size_t{max_short_columns}>());
  }

  /// outputs[k][j] = result k of acc[j].
  static WEFT_ALWAYS_INLINE void project_all(const Op& object, const Acc* acc, std::int64_t n,
                                             char* const* outputs) {
    const Held<Op> op = object;
    project_each(op, pointers(outputs), 0, n,
                 [&](std::int64_t j) WEFT_INLINE_LAMBDA -> const Acc& { return acc[j]; });
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

  /// Copies elements [from, from + n) of rows [row, row + count) from where they are one after the
  /// other in each row, as memory likes it, to where the same element of all rows is next to each
  /// other, as loops like it: `lane_rows` elements lie between two of a row. Of inputs in `values`
  /// there is one.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void copy_piece(char* const* to, char* const* inputs,
                                            const std::int64_t* row_bytes, std::int64_t row,
                                            std::int64_t count, std::int64_t from,
                                            std::int64_t n) noexcept {
    const auto copy =
        [&]<std::size_t I>(std::integral_constant<std::size_t, I>) WEFT_INLINE_LAMBDA {
          constexpr bool is_value = (values >> I & 1) != 0;
          for (std::int64_t r = 0; r < count; ++r) {
            const SpanReader<In<I>, false> in{inputs[I] + (row + r) * row_bytes[I]};
            for (std::int64_t i = 0; i < (is_value ? 1 : n); ++i)
              store_element<In<I>>(to[I], i * lane_rows + r, in[is_value ? 0 : from + i]);
          }
        };
    [&]<std::size_t... I>(std::index_sequence<I...>) WEFT_INLINE_LAMBDA {
      (copy(std::integral_constant<std::size_t, I>()), ...);
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
    // Takes element i of the rows, which is element `at` of rows from `first` on at `in`.
    const auto take = [&](std::int64_t i, char* const* in, const std::int64_t* in_row_bytes,
                          std::int64_t first, std::int64_t at) WEFT_INLINE_LAMBDA {
      const auto selection = flags.select(mask_column(inputs, row_bytes, row, i, mask_step), count);
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t r = 0; r < count; ++r) {
        const auto lane = static_cast<std::size_t>(r);
        acc.set(lane, step(op, acc.get(lane), readers<values>(in, in_row_bytes, first + r), at,
                           index + (row + r) * index_step + i, selection, r));
      }
    };
    if constexpr (copies_lane_rows) {
      alignas(64) char room[static_cast<std::size_t>(lane_piece * lane_rows * all_element_bytes)];
      char* piece[nelements];
      std::int64_t before = 0;
      WEFT_UNROLLED
      for (std::size_t k = 0; k < nelements; ++k) {
        piece[k] = room + lane_piece * lane_rows * before;
        before += element_bytes[k];
      }
      for (std::int64_t from = 0; from < n; from += lane_piece) {
        const std::int64_t end = n - from < lane_piece ? n : from + lane_piece;
        copy_piece<values>(piece, inputs, row_bytes, row, count, from, end - from);
        for (std::int64_t i = from; i < end; ++i)
          take(i, piece, element_bytes.data(), 0, (i - from) * lane_rows);
      }
    } else {
      for (std::int64_t i = 0; i < n; ++i)
        take(i, inputs, row_bytes, row, i);
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
      acc = i == 0 ? run : settled(op.combine(acc, run));
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
        acc = settled(step(op, acc, in, i, index + i, selection, 0));
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
    return settled(acc.get(0));
  }

  /// Whether rows of so many elements share memory with those after them, but for inputs that are
  /// one value in a row.
  template <std::size_t values>
  static bool overlap(const std::int64_t* row_bytes, std::int64_t columns) noexcept {
    for (std::size_t k = 0; k < nelements; ++k) {
      const std::int64_t bytes = columns * element_bytes[k];
      if ((values >> k & 1) == 0 && (row_bytes[k] >= bytes || row_bytes[k] <= -bytes)) return false;
    }
    return true;
  }

  /// Rows [row, row + count) into accumulators, those of the first one being identities.
  template <std::size_t values, std::size_t count, bool first>
  static WEFT_ALWAYS_INLINE void take_rows(const Op& op, Acc* acc, char* const* inputs,
                                           const std::int64_t* row_bytes, std::int64_t row,
                                           std::int64_t columns, std::int64_t index,
                                           std::int64_t mask_step) {
    [&]<std::size_t... R>(std::index_sequence<R...>) WEFT_INLINE_LAMBDA {
      const std::array in{readers<values>(inputs, row_bytes, row + std::int64_t{R})...};
      const MaskRow mask = mask_row(inputs, row_bytes, row, mask_step);
      if (!first && is_left_out(mask)) return;
      std::int64_t taken = 0;
      if constexpr (takes_vectors)
        taken = VectorizedSteps<Op, Acc>::template take_columns<first>(op, acc, in, columns);
      const auto take_part = [&](std::int64_t from, std::int64_t to,
                                 const auto& selection) WEFT_INLINE_LAMBDA {
        WEFT_INDEPENDENT_ITERATIONS
        for (std::int64_t j = from; j < to; ++j) {
          Acc sum = first ? op.identity() : read_value(acc[j]);
          ((sum = step(op, sum, in[R], j, index + row + std::int64_t{R}, selection, j - from)),
           ...);
          acc[j] = sum;
        }
      };
      for_flags(mask, taken, columns, take_part);
    }(std::make_index_sequence<count>());
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
    const auto take = [&]<std::size_t... R>(std::int64_t row,
                                            std::index_sequence<R...>) WEFT_INLINE_LAMBDA {
      const std::array in{readers<values>(inputs, row_bytes, row + std::int64_t{R})...};
      const MaskRow mask = mask_row(inputs, row_bytes, row, mask_step);
      if (is_left_out(mask)) return;
      const auto selection = flags.select(mask_at(mask, first), count);
      WEFT_INDEPENDENT_ITERATIONS
      WEFT_NOT_UNROLLED
      for (std::int64_t j = 0; j < count; ++j) {
        const auto lane = static_cast<std::size_t>(j);
        Acc sum = acc.get(lane);
        ((sum = step(op, sum, in[R], first + j, index + row + std::int64_t{R}, selection, j)), ...);
        acc.set(lane, sum);
      }
    };
    std::int64_t r = 0;
    if constexpr (!Masks) {
      for (; r + 2 <= rows; r += 2)
        take(r, std::make_index_sequence<2>());
    }
    for (; r < rows; ++r)
      take(r, std::make_index_sequence<1>());
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
        Flags<run_flags> flags[rows];
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
          Acc acc[std::size_t{run_flags}];
          for (std::int64_t j = from; j < end; ++j)
            acc[j - from] = reduced(j);
          project_each(op, to, from, end,
                       [&](std::int64_t j) WEFT_INLINE_LAMBDA { return acc[j - from]; });
        } else {
          project_each(op, to, from, end, reduced);
        }
      };
      if constexpr (Masks || std::is_integral_v<Acc>) {
        for (; taken < columns; taken += run_flags)
          take(taken, columns - taken < run_flags ? columns : taken + run_flags);
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
  /// to[k][j] = result k of accumulator(j), for from <= j < end.
  template <class F>
  static WEFT_ALWAYS_INLINE void project_each(const Op& op, const std::array<char*, nout>& to,
                                              std::int64_t from, std::int64_t end,
                                              const F& accumulator) {
    if constexpr (may_fuse(static_cast<Outs*>(nullptr))) {
      store_separately(static_cast<Outs*>(nullptr), to.data(), from, end,
                       [&](std::int64_t j)
                           WEFT_INLINE_LAMBDA { return Outs(op.project(accumulator(j))); });
    } else {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = from; j < end; ++j)
        store_results(op, accumulator(j), to, j);
    }
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
