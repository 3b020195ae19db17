// SPDX-License-Identifier: Apache-2.0
/// @file
/// The ways in which the engine carries out an elementwise call or a copy, by name.
#pragma once

#include <weft/base/export.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

/// X(enumerator, name, meaning) for each.
// clang-format off
#define WEFT_FOR_EACH_STRATEGY(X)                                                                 \
  X(automatic, "automatic", "the engine chooses")                                                 \
  X(line, "line", "one dim, dense or one value, in one call or one a thread")                     \
  X(rows, "rows", "rows along dim 0, every operand in place")                                     \
  X(strided_rows, "strided-rows", "the same by the kernel's strided loop")                        \
  X(elements, "elements", "rows of one element each, wherever it lies")                           \
  X(span, "span", "all elements as one span; what does not lie so goes through buffers")          \
  X(at_once, "at-once", "a copy of all elements in one piece")                                    \
  X(row_tiles, "row-tiles", "tiles of rows along dim 0, each a span")                             \
  X(streamed_row_tiles, "streamed-row-tiles", "the same, with non-temporal stores")               \
  X(gathered_tiles, "gathered-tiles", "tiles of several dims, each one span")                     \
  X(strided_tiles, "strided-tiles", "tiles of rows by the kernel's strided loop")                 \
  X(transposed_tiles, "transposed-tiles", "tiles nearly square, for operands of different orders") \
  X(streamed_transposed_tiles, "streamed-transposed-tiles", "the same, with non-temporal stores") \
  X(buffered_tiles, "buffered-tiles", "a copy transposed in a buffer, written in whole lines")    \
  X(streamed_buffered_tiles, "streamed-buffered-tiles", "the same, with non-temporal stores")     \
  X(buffered_runs, "buffered-runs", "the same of a narrow side together with what continues it")  \
  X(streamed_buffered_runs, "streamed-buffered-runs", "the same, with non-temporal stores")       \
  X(joined_rows, "joined-rows", "short rows of a copy, joined in a buffer and streamed")
// clang-format on

namespace weft {
inline namespace v0 {

/// How an elementwise call or a copy is carried out. Every strategy that can carry out a call gives
/// the same result, to the bit.
enum class Strategy : std::uint8_t {
#define WEFT_STRATEGY(enumerator, name, meaning) enumerator,
  WEFT_FOR_EACH_STRATEGY(WEFT_STRATEGY)
#undef WEFT_STRATEGY
};
inline constexpr int strategy_count = 0
#define WEFT_STRATEGY(enumerator, name, meaning) +1
    WEFT_FOR_EACH_STRATEGY(WEFT_STRATEGY)
#undef WEFT_STRATEGY
    ;

/// "row-tiles". Throws Error(invalid_argument) for a number that is none of the enumerators.
WEFT_API std::string_view name(Strategy strategy);
/// A few words on what it does. Throws as name().
WEFT_API std::string_view meaning(Strategy strategy);
/// The other way round from name(); nothing if there is none of that name.
WEFT_API std::optional<Strategy> find_strategy(std::string_view name) noexcept;

}  // namespace v0
}  // namespace weft
