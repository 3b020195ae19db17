// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elements of spans: how loops read and write them, and walk from row to row.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/cast.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/level.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Iterations are independent (see SpanKernel::Run), which a compiler cannot know of an output that
// may be an input.
#if defined(__clang__)
#define WEFT_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define WEFT_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define WEFT_INDEPENDENT_ITERATIONS
#endif

// Around headers with such loops. Clang takes the pragma for a request and warns of every loop that
// it could not make of vectors, in the code of whoever wrote the body: a call of std::exp or a loop
// in a lambda is enough.
#if defined(__clang__)
#define WEFT_REQUESTED_LOOPS_BEGIN \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpass-failed\"")
#define WEFT_REQUESTED_LOOPS_END _Pragma("clang diagnostic pop")
#else
#define WEFT_REQUESTED_LOOPS_BEGIN
#define WEFT_REQUESTED_LOOPS_END
#endif

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// T, as often as a pack of numbers has members. By a class: of an alias that ignores the number,
/// Clang 19 makes a single one within a lambda.
template <std::size_t, class T>
struct RepeatedType {
  using Type = T;
};
template <std::size_t I, class T>
using Repeat = typename RepeatedType<I, T>::Type;

/// Reads element i of a span, or the one value of a broadcast operand.
template <class T, bool broadcast>
struct SpanReader {
  // Bytes, not T: spans need no alignment. The copy compiles to one load. Of numbers in floating
  // point it would be one of bits, and GCC 12 then chooses among bits, too: by comparison and blend
  // where one instruction is a maximum.
  const char* data;

  WEFT_ALWAYS_INLINE T operator[](std::int64_t i) const noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return static_cast<unsigned char>(data[i]) != 0;  // any byte but 0 is true
    } else if constexpr (is_complex_type<T>) {
      // Part by part: loops over pairs vectorise, loops over objects of two do not.
      using Part = typename T::value_type;
      const SpanReader<Part, false> parts{data};
      return T(parts[2 * i], parts[2 * i + 1]);
    } else if constexpr (std::is_floating_point_v<T>) {
      using Unaligned [[gnu::aligned(1), gnu::may_alias]] = T;
      return *reinterpret_cast<const Unaligned*>(data + i * static_cast<std::int64_t>(sizeof(T)));
    } else {
      T value;
      __builtin_memcpy(&value, data + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
      return value;
    }
  }
};
template <class T>
struct SpanReader<T, true> {
  T value;

  WEFT_ALWAYS_INLINE explicit SpanReader(const char* data) noexcept
      : value(SpanReader<T, false>{data}[0]) {}
  WEFT_ALWAYS_INLINE T operator[](std::int64_t) const noexcept { return value; }
};

template <class T>
WEFT_ALWAYS_INLINE void store_element(char* data, std::int64_t i,
                                      std::type_identity_t<T> value) noexcept {
  if constexpr (is_complex_type<T>) {
    using Part = typename T::value_type;
    store_element<Part>(data, 2 * i, value.real());
    store_element<Part>(data, 2 * i + 1, value.imag());
  } else if constexpr (std::is_floating_point_v<T>) {
    using Unaligned [[gnu::aligned(1), gnu::may_alias]] = T;
    *reinterpret_cast<Unaligned*>(data + i * static_cast<std::int64_t>(sizeof(T))) = value;
  } else {
    __builtin_memcpy(data + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
  }
}

/// Writes one element n times. Out of line: the same for all formulas of a type.
template <class T>
[[gnu::noinline]] void repeat_element(char* data, std::int64_t n, T value) noexcept {
  for (std::int64_t i = 0; i < n; ++i)
    store_element<T>(data, i, value);
}

/// True for formulas of two operands that say so: they give the same of both orders (of NaNs, maybe
/// another one).
template <class F>
concept CommutingFormula = F::commutes;

/// A pointer that compilers know nothing of: what uses it is not copied for what it may be.
template <class T>
WEFT_ALWAYS_INLINE T* unknown(T* pointer) noexcept {
#if defined(__GNUC__)
  __asm__("" : "+r"(pointer));
#endif
  return pointer;
}

/// A SpanKernel::Run of two inputs: another one with these in the other order. Out of line, so that
/// a loop that calls this is as if there were nothing of it. Passing the operands on takes a
/// nanosecond a call.
template <SpanKernel::Run loop>
[[gnu::noinline]] void run_swapped(const void* context, char* const* data,
                                   const std::int64_t* row_bytes, std::int64_t n, std::int64_t rows,
                                   std::uint32_t broadcast) {
  char* const swapped[] = {data[0], data[2], data[1]};
  std::int64_t bytes[3] = {};
  if (rows > 1) {  // else they are not read, and maybe not there
    bytes[0] = row_bytes[0];
    bytes[1] = row_bytes[2];
    bytes[2] = row_bytes[1];
  }
  const std::uint32_t turned = (broadcast & 1) | (broadcast & 2) << 1 | (broadcast & 4) >> 1;
  unknown(loop)(context, swapped, bytes, n, rows, turned);
}

/// Most inputs for which every pattern of broadcast ones has a loop of its own. With more, the
/// engine writes repeated values out into its buffers: sixteen loops and more would cost every user
/// compile time for few calls.
inline constexpr std::size_t max_pattern_inputs = 3;

/// Calls f(data) for each row, with the Count pointers of that row.
template <std::size_t Count, class F>
WEFT_ALWAYS_INLINE void for_each_row(char* const* data, const std::int64_t* row_bytes,
                                     std::int64_t rows, F&& f) {
  char* row[Count];
  for (std::size_t k = 0; k < Count; ++k)
    row[k] = data[k];
  for (std::int64_t left = rows;;) {
    f(row);
    if (--left == 0) return;
    for (std::size_t k = 0; k < Count; ++k)
      row[k] += row_bytes[k];
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
