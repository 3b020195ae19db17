// SPDX-License-Identifier: Apache-2.0
/// @file
/// Prefix operations from a struct.
#pragma once

#include <weft/base/export.hpp>
#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/kernel/detail/cumulative_struct.hpp>
#include <weft/kernel/detail/held.hpp>
#include <weft/kernel/detail/member_arrays.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/detail/span_loop.hpp>
#include <weft/kernel/detail/unfused_loops.hpp>
#include <weft/kernel/detail/wide_loops.hpp>
#include <weft/kernel/scalar_math.hpp>
#include <weft/machine/level.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

WEFT_REQUESTED_LOOPS_BEGIN
namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The loops of a prefix struct.
template <class Op>
class CumulativeLoops {
  using Types = CumulativeTypes<Op>;
  using Ins = typename Types::Ins;
  using Outs = typename Types::Outs;
  using Starts = typename Types::Starts;
  static constexpr std::size_t nout = std::tuple_size_v<Outs>;
  static constexpr std::size_t nin = std::tuple_size_v<Ins>;
  static constexpr std::size_t nstart = std::tuple_size_v<Starts>;
  static constexpr auto all_outs = std::make_index_sequence<nout>();
  static constexpr auto all_ins = std::make_index_sequence<nin>();
  static constexpr auto all_starts = std::make_index_sequence<nstart>();

 public:
  using Acc = typename Types::Acc;

  static constexpr CumulativeKernel kernel(const Op& op) {
    CumulativeKernel k;
    k.start = &start;
    k.advance = &advance;
    k.advance_lines = &advance_lines;
    if constexpr (Types::has_combine && Types::has_identity) k.combine = &combine;
    k.context = &op;
    k.noutputs = static_cast<int>(nout);
    k.ninputs = static_cast<int>(nin);
    k.nstarts = static_cast<int>(nstart);
    k.has_identity = Types::has_identity;
    k.accumulator_bytes = sizeof(Acc);
    put_types(k, 0, std::type_identity<Outs>());
    put_types(k, nout, std::type_identity<Ins>());
    put_types(k, nout + nin, std::type_identity<Starts>());
    return k;
  }

 private:
  static const Op& op_of(const void* context) { return *static_cast<const Op*>(context); }

  /// Whether its loops are to be no wide ones, and no vectors in a file that has FMA, unless
  /// accumulators lie member by member.
  static constexpr bool is_unfused = []<class... T>(std::tuple<T...>*) {
    return may_fuse(static_cast<std::tuple<Acc, T...>*>(nullptr));
  }(static_cast<Ins*>(nullptr));

#if defined(WEFT_BUILDING)
  // Loops for the library's own structs would be a fifth more text than their kernels have.
  static constexpr bool by_member = false, by_twos = false;
#else
  /// Whether accumulators of columns lie member by member while they take in elements. Not beside
  /// complex elements: their parts are next to each other, and may be computed as one.
  static constexpr bool by_member =
      sizeof(Acc) <= 32 && MemberArrays<Acc, 1>::by_member && []<class... T>(std::tuple<T...>*) {
        return (!is_complex_type<T> && ...);
      }(static_cast<decltype(std::tuple_cat(Outs(), Ins()))*>(nullptr));
  /// Whether two elements of a column are taken at a time.
  static constexpr bool by_twos = true;
#endif
  /// Columns whose accumulators lie member by member at a time: 4 KiB of them.
  static constexpr std::int64_t member_columns =
      by_member ? static_cast<std::int64_t>(4096 / std::bit_ceil(sizeof(Acc))) : 0;
  /// Elements of a row from which on rows go one by one, unless accumulators lie member by member.
  static constexpr std::int64_t long_row = 128;

  template <class... T>
  static constexpr void put_types(CumulativeKernel& k, std::size_t at,
                                  std::type_identity<std::tuple<T...>>) {
    ((k.types[at++] = scalar_type_of<T>), ...);
  }

  static void start(const void* context, void* accumulators, const char* const* starts,
                    std::int64_t n) {
    Acc* acc = static_cast<Acc*>(accumulators);
    if (starts == nullptr) {
      if constexpr (Types::has_identity) {
        for (std::int64_t j = 0; j < n; ++j)
          acc[j] = op_of(context).identity();
      }
      return;
    }
    [&]<std::size_t... S>(std::index_sequence<S...>) {
      for (std::int64_t j = 0; j < n; ++j) {
        if constexpr (requires { &Op::start; }) {
          acc[j] = op_of(context).start(
              SpanReader<std::tuple_element_t<S, Starts>, false>{starts[S]}[j]...);
        } else if constexpr (nstart == 1) {
          acc[j] = SpanReader<Acc, false>{starts[0]}[j];
        }
      }
    }(all_starts);
  }

  static void combine(const void* context, void* into, const void* from, std::int64_t n) {
    Acc* a = static_cast<Acc*>(into);
    const Acc* b = static_cast<const Acc*>(from);
    run_loops<is_unfused>([&]() WEFT_INLINE_LAMBDA {
      for (std::int64_t j = 0; j < n; ++j)
        a[j] = op_of(context).combine(a[j], b[j]);
    });
  }

  /// The accumulator with the next elements.
  template <std::size_t... I>
  static WEFT_ALWAYS_INLINE Acc taken(const Op& op, const Acc& acc, char* const* in, std::int64_t j,
                                      std::index_sequence<I...>) {
    return op.accumulate(acc, SpanReader<std::tuple_element_t<I, Ins>, false>{in[I]}[j]...);
  }
  template <std::size_t... O>
  static WEFT_ALWAYS_INLINE void put(const Op& op, const Acc& acc, char* const* out, std::int64_t j,
                                     std::index_sequence<O...>) {
    if constexpr (Types::projects_one) {
      store_element<std::tuple_element_t<0, Outs>>(out[0], j, op.project(acc));
    } else {
      const Outs values = op.project(acc);
      (store_element<std::tuple_element_t<O, Outs>>(out[O], j, std::get<O>(values)), ...);
    }
  }

  /// Where the elements of an index along the axis are.
  using Row = std::array<char*, nout + nin>;
  /// Calls take(rows), an array of Row, for one index along the axis after the other. `twos`: two
  /// at a time as long as there are two, so that accumulators in memory are read and written half
  /// as often. Not of rows so long that they come from memory one after the other.
  template <class Take>
  static WEFT_ALWAYS_INLINE void for_each_index(const CumulativeBlock& b, bool twos,
                                                const Take& take) {
    Row at;
    for (std::size_t k = 0; k < nout + nin; ++k)
      at[k] = b.data[k];
    const auto row = [&](std::int64_t r) WEFT_INLINE_LAMBDA {
      Row moved;  // by value: what is stored may not change it
      WEFT_UNROLLED
      for (std::size_t k = 0; k < nout + nin; ++k)
        moved[k] = at[k] + r * b.step_bytes[k];
      return moved;
    };
    std::int64_t r = 0;
    if constexpr (by_twos) {
      for (; twos && r + 2 <= b.length; r += 2)
        take(std::array<Row, 2>{row(r), row(r + 1)});
    }
    for (; r < b.length; ++r)
      take(std::array<Row, 1>{row(r)});
  }
  /// The accumulator with the elements of column j in some rows, whose results are written.
  template <bool writes, std::size_t count>
  static WEFT_ALWAYS_INLINE Acc taken_rows(const Op& op, Acc acc,
                                           const std::array<Row, count>& rows, std::int64_t j) {
    return [&]<std::size_t... R>(std::index_sequence<R...>) WEFT_INLINE_LAMBDA {
      const auto take = [&](const Row& row) WEFT_INLINE_LAMBDA {
        acc = taken(op, acc, row.data() + nout, j, all_ins);
        if constexpr (writes) put(op, acc, row.data(), j, all_outs);
      };
      (take(rows[R]), ...);
      return acc;
    }(std::make_index_sequence<count>());
  }

  template <bool writes>
  static WEFT_ALWAYS_INLINE void take_rows(const Op& op, Acc* acc, const CumulativeBlock& b) {
    const std::int64_t columns = b.columns;
    for_each_index(b, columns < long_row, [&](const auto& rows) WEFT_INLINE_LAMBDA {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] = taken_rows<writes>(op, acc[j], rows, j);
    });
  }
  /// Columns [first, first + count).
  template <bool writes>
  static WEFT_ALWAYS_INLINE void take_member_rows(const Op& op, Acc* acc, const CumulativeBlock& b,
                                                  std::int64_t first, std::int64_t count) {
    MemberArrays<Acc, std::size_t{member_columns}> members;
    for (std::int64_t j = 0; j < count; ++j)
      members.set(static_cast<std::size_t>(j), acc[first + j]);
    for_each_index(b, true, [&](const auto& rows) WEFT_INLINE_LAMBDA {
      WEFT_INDEPENDENT_ITERATIONS
      WEFT_NOT_UNROLLED
      for (std::int64_t j = 0; j < count; ++j) {
        const auto lane = static_cast<std::size_t>(j);
        members.set(lane, taken_rows<writes>(op, members.get(lane), rows, first + j));
      }
    });
    for (std::int64_t j = 0; j < count; ++j)
      acc[first + j] = members.get(static_cast<std::size_t>(j));
  }
  template <bool writes>
  static WEFT_ALWAYS_INLINE void take_columns(const Op& op, Acc* acc, const CumulativeBlock& b) {
    if constexpr (by_member) {
      for (std::int64_t first = 0; first < b.columns; first += member_columns)
        take_member_rows<writes>(op, acc, b, first, std::min(member_columns, b.columns - first));
    } else {
      take_rows<writes>(op, acc, b);
    }
  }
  static WEFT_ALWAYS_INLINE void take_block(const Op& object, Acc* acc, const CumulativeBlock& b) {
    const Held<Op> op = object;
    if constexpr (Types::has_combine) {
      if (b.totals_only) return take_columns<false>(op, acc, b);
    }
    take_columns<true>(op, acc, b);
  }
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
  WEFT_WIDE_LOOPS static void take_wide_block(const Op& op, Acc* acc, const CumulativeBlock& b) {
    take_block(op, acc, b);
  }
#endif

  WEFT_SPAN_LOOP static void advance(const void* context, void* accumulators,
                                     const CumulativeBlock& block) {
    Acc* acc = static_cast<Acc*>(accumulators);
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
    if constexpr (!is_unfused || by_member) {
      if (takes_wide_loops(block.columns, block.length, sizeof(Acc)))
        return take_wide_block(op_of(context), acc, block);
    }
#endif
    run_loops<is_unfused, by_member>(
        [&]() WEFT_INLINE_LAMBDA { take_block(op_of(context), acc, block); });
  }

  /// Several lines at once, since each waits for its own accumulator, which loops over them would
  /// keep in memory.
  template <bool writes, int lines>
  static WEFT_ALWAYS_INLINE void side_by_side(const Op& op, Acc* acc, char* const* data,
                                              const CumulativeBlock& b) {
    [&]<int... l>(std::integer_sequence<int, l...>) WEFT_INLINE_LAMBDA {
      Acc last[] = {acc[l]...};
      char* line[static_cast<std::size_t>(lines)][nout + nin];
      WEFT_UNROLLED
      for (int i = 0; i < lines; ++i) {
        WEFT_UNROLLED
        for (std::size_t k = 0; k < nout + nin; ++k)
          line[i][k] = data[k] + i * b.step_bytes[k];
      }
      for (std::int64_t i = 0; i < b.length; ++i) {
        ((last[l] = taken(op, last[l], line[l] + nout, i, all_ins)), ...);
        if constexpr (writes) (put(op, last[l], line[l], i, all_outs), ...);
      }
      ((acc[l] = last[l]), ...);
    }(std::make_integer_sequence<int, lines>());
  }

  template <bool writes>
  static WEFT_ALWAYS_INLINE void take_lines(const Op& object, Acc* acc, const CumulativeBlock& b) {
    const Held<Op> op = object;
    char* data[nout + nin];
    for (std::size_t k = 0; k < nout + nin; ++k)
      data[k] = b.data[k];
    std::int64_t lines = b.columns;
    const auto run = [&]<int count>(std::integral_constant<int, count>) WEFT_INLINE_LAMBDA {
      for (; lines >= count; lines -= count, acc += count) {
        side_by_side<writes, count>(op, acc, data, b);
        for (std::size_t k = 0; k < nout + nin; ++k)
          data[k] += count * b.step_bytes[k];
      }
    };
    run(std::integral_constant<int, 8>());
    run(std::integral_constant<int, 4>());
    run(std::integral_constant<int, 1>());
  }

  WEFT_SPAN_LOOP static void advance_lines(const void* context, void* accumulators,
                                           const CumulativeBlock& block) {
    Acc* acc = static_cast<Acc*>(accumulators);
    run_loops<is_unfused>([&]() WEFT_INLINE_LAMBDA {
      if constexpr (Types::has_combine) {
        if (block.totals_only) return take_lines<false>(op_of(context), acc, block);
      }
      take_lines<true>(op_of(context), acc, block);
    });
  }
};

/// The CumulativeKernel of a prefix struct; refers to op.
template <class Op>
constexpr CumulativeKernel cumulative_kernel(const Op& op) {
  return CumulativeLoops<Op>::kernel(op);
}

/// out[i] = project(accumulate(... accumulate(identity, in[0]) ..., in[i])) along an axis, with a
/// struct such as
///
///     struct RunningMax {
///       float identity() const { return -std::numeric_limits<float>::infinity(); }
///       float accumulate(float acc, float x) const { return x > acc ? x : acc; }
///       float project(float acc) const { return acc; }
///     };
///     weft::cpu_cumulative(out, in, -1, RunningMax{});
///
/// accumulate takes one element of each input; project returns one result, or a std::tuple of one
/// for each output. A call may say what to begin with instead of identity(), which the struct need
/// not have then: one element for each column, an accumulator if accumulators are elements,
/// otherwise what `Acc start(x...) const` makes of one element of each of `starts`. With `Acc
/// combine(Acc a, Acc b) const`, b standing for elements that follow those of a, and identity(),
/// threads share a long line; combine has to be associative.
///
/// Shapes, what is staged, allocated and thrown, and when a line is shared: run_cumulative.
template <class Op>
void cpu_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis, const Op& op) {
  if constexpr (is_cumulative_struct<Op>()) run_cumulative(out, in, axis, cumulative_kernel(op));
}
/// The same with a start.
template <class Op>
void cpu_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis, const Op& op,
                    const TensorView& start) {
  if constexpr (is_cumulative_struct<Op>())
    run_cumulative({{&out, 1}, {&in, 1}, {&start, 1}}, axis, cumulative_kernel(op));
}
/// The same of several inputs and outputs.
template <class Op>
void cpu_cumulative(std::initializer_list<TensorView> outputs,
                    std::initializer_list<TensorView> inputs, std::int64_t axis, const Op& op,
                    std::initializer_list<TensorView> starts = {}) {
  if constexpr (is_cumulative_struct<Op>())
    run_cumulative({{outputs.begin(), outputs.size()},
                    {inputs.begin(), inputs.size()},
                    {starts.begin(), starts.size()}},
                   axis, cumulative_kernel(op));
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
WEFT_REQUESTED_LOOPS_END
