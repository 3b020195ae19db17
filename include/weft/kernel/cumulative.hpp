// SPDX-License-Identifier: Apache-2.0
/// @file
/// Prefix operations from a struct.
#pragma once

#include <weft/base/export.hpp>
#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/detail/span_loop.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>
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
  using Params = typename Signature<decltype(&Op::accumulate)>::Params;

 public:
  using Acc = std::tuple_element_t<0, Params>;
  using In = std::tuple_element_t<1, Params>;
  using Out = typename Signature<decltype(&Op::project)>::Result;
  static_assert(std::is_trivially_copyable_v<Acc>, "an accumulator is copied bytewise");

  static constexpr CumulativeKernel kernel(const Op& op) {
    CumulativeKernel k;
    k.start = &start;
    k.advance = &advance;
    k.advance_lines = &advance_lines;
    k.context = &op;
    k.accumulator_bytes = sizeof(Acc);
    k.out_type = scalar_type_of<Out>;
    k.in_type = scalar_type_of<In>;
    return k;
  }

 private:
  static void start(const void* context, void* accumulators, std::int64_t n) {
    const Op& op = *static_cast<const Op*>(context);
    Acc* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t j = 0; j < n; ++j)
      acc[j] = op.identity();
  }

  WEFT_SPAN_LOOP static void advance(const void* context, void* accumulators, char* out,
                                     std::int64_t out_row_bytes, const char* in,
                                     std::int64_t in_row_bytes, std::int64_t rows,
                                     std::int64_t columns) {
    const Op& op = *static_cast<const Op*>(context);
    Acc* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r) {
      const SpanReader<In, false> row{in + r * in_row_bytes};
      char* out_row = out + r * out_row_bytes;
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < columns; ++j) {
        acc[j] = op.accumulate(acc[j], row[j]);
        store_element<Out>(out_row, j, op.project(acc[j]));
      }
    }
  }

  /// Several lines at once, since each waits for its own accumulator, which loops over them would
  /// keep in memory.
  template <int lines>
  static WEFT_ALWAYS_INLINE void side_by_side(const Op& op, Acc* acc, char* out,
                                              std::int64_t out_line, const char* in,
                                              std::int64_t in_line, std::int64_t n) {
    [&]<int... l>(std::integer_sequence<int, l...>) {
      Acc last[] = {acc[l]...};
      for (std::int64_t i = 0; i < n; ++i) {
        ((last[l] = op.accumulate(last[l], SpanReader<In, false>{in + l * in_line}[i])), ...);
        (store_element<Out>(out + l * out_line, i, op.project(last[l])), ...);
      }
      ((acc[l] = last[l]), ...);
    }(std::make_integer_sequence<int, lines>());
  }

  static void advance_lines(const void* context, void* accumulators, char* out,
                            std::int64_t out_line, const char* in, std::int64_t in_line,
                            std::int64_t n, std::int64_t lines) {
    const Op& op = *static_cast<const Op*>(context);
    Acc* acc = static_cast<Acc*>(accumulators);
    const auto run = [&]<int count>(std::integral_constant<int, count>) {
      for (; lines >= count; lines -= count, acc += count) {
        side_by_side<count>(op, acc, out, out_line, in, in_line, n);
        out += count * out_line;
        in += count * in_line;
      }
    };
    run(std::integral_constant<int, 8>());
    run(std::integral_constant<int, 4>());
    run(std::integral_constant<int, 1>());
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
/// What is staged and thrown: run_cumulative.
template <class Op>
void cpu_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis, const Op& op) {
  run_cumulative(out, in, axis, cumulative_kernel(op));
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
WEFT_REQUESTED_LOOPS_END
