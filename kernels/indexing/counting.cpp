// SPDX-License-Identifier: Apache-2.0
// The range of integers that are to be counted, and bins of one width.
#include "kernels/indexing/counting.hpp"

#include "kernels/stage/moves.hpp"

namespace weft {
inline namespace v0 {
namespace {

template <class T>
void widen_range(IntegerRange& range, const char* from, std::int64_t n) {
  constexpr std::int64_t size = sizeof(T);
  T least = 0, largest = -1;
  for (std::int64_t i = 0; i < n; ++i) {
    const T value = load<T>(from + i * size);
    least = value < least ? value : least;
    largest = value > largest ? value : largest;
  }
  range.least = least < range.least ? least : range.least;
  range.largest = largest > range.largest ? largest : range.largest;
}

// By registers: of so many conditions, compilers make branches, which are guessed wrong.
constexpr int lanes = register_bytes / 8;
using Doubles = VectorOf<double, lanes>::Type;
using Numbers = VectorOf<std::int32_t, lanes>::Type;

WEFT_ALWAYS_INLINE Doubles edges(const Doubles& number, const EqualBins& bins) {
  const Doubles from_low = bins.low + number * bins.step;
  const Doubles from_high = bins.high + (number - bins.count) * bins.step;
  return number < bins.turn ? from_low : from_high;
}

WEFT_ALWAYS_INLINE Numbers bins_of(const Doubles& x, const EqualBins& bins) {
  const Doubles zero = {}, one = zero + 1, last = zero + (bins.count - 1);
  const auto is_inside = (x >= bins.low) & (x <= bins.high);
  const Doubles along = is_inside ? (x - bins.low) * bins.bins_per_unit : zero;
  const Doubles kept = along < last ? along : last;
  // The bin or one beside it, which its edges tell.
  const Doubles near = __builtin_convertvector(__builtin_convertvector(kept, Numbers), Doubles);
  const Doubles below = x < edges(near, bins) ? one : zero;
  const Doubles above = x >= edges(near + one, bins) ? one : zero;
  const Doubles moved = near - below + above;
  const Doubles bin = moved < last ? moved : last;
  return __builtin_convertvector(is_inside ? bin : zero + bins.count, Numbers);
}

}  // namespace

WidenRangeFn WEFT_KERNEL(widen_range_kernel)(ScalarType type) {
  return type == ScalarType::i32 ? &widen_range<std::int32_t> : &widen_range<std::int64_t>;
}

void WEFT_KERNEL(find_equal_bins)(std::int32_t* to, const char* from, std::int64_t n,
                                  const EqualBins& bins) {
  auto* const bytes = reinterpret_cast<char*>(to);
  for (std::int64_t i = 0; i < n; i += lanes) {
    char rest[sizeof(Doubles)] = {};
    const char* at = from + 8 * i;
    if (n - i < lanes) {
      __builtin_memcpy(rest, at, static_cast<std::size_t>(8 * (n - i)));
      at = rest;
    }
    store(bytes + 4 * i, bins_of(load<Doubles>(at), bins));
  }
}

}  // namespace v0
}  // namespace weft
