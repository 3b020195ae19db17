// SPDX-License-Identifier: Apache-2.0
// Places in a few sorted keys: each value is compared with all of them.
#include "kernels/indexing/searching.hpp"

#include "kernels/stage/moves.hpp"

namespace weft {
inline namespace v0 {
namespace {

constexpr int lanes = register_bytes / 8;
using Words = VectorOf<std::uint64_t, lanes>::Type;
using Places = VectorOf<std::int64_t, lanes>::Type;

/// One comparison does for all: these bits are turned in keys and values. All, or the sign of f64,
/// turn the order round, so that those that come behind are counted; the sign of unsigned integers
/// makes them signed ones in the same order.
std::uint64_t turned_bits(const SortedKeys& sorted) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const std::uint64_t order = sorted.type == ScalarType::f64 ? sign : ~std::uint64_t{0};
  return (sorted.or_equal ? order : 0) ^ (sorted.type == ScalarType::u64 ? sign : 0);
}

/// Of two registers, so that a key is read once for both.
constexpr int count = 2;
constexpr std::int64_t at_once = count * lanes;

template <class Key>
[[gnu::noinline]] void find_in_registers(char* to, const char* values, const SortedKeys& sorted,
                                         std::uint64_t turned) {
  using Keys = typename VectorOf<Key, lanes>::Type;
  constexpr bool is_floating = static_cast<Key>(0.5) != 0;
  Words value[count];
  Places place[count] = {};
  WEFT_UNROLLED
  for (int r = 0; r < count; ++r)
    value[r] = load<Words>(values + r * register_bytes) ^ turned;
  for (std::int64_t k = 0; k < sorted.count; ++k) {
    const Words key = Words{} + (load<std::uint64_t>(sorted.keys + 8 * k) ^ turned);
    WEFT_UNROLLED
    for (int r = 0; r < count; ++r)
      place[r] -= reinterpret_cast<Keys>(key) < reinterpret_cast<Keys>(value[r]);  // true is -1
  }
  WEFT_UNROLLED
  for (int r = 0; r < count; ++r) {
    if (sorted.or_equal) place[r] = sorted.numbers - place[r];
    if constexpr (is_floating) {
      const Keys number = reinterpret_cast<Keys>(value[r]);
      const Places of_nan = Places{} + (sorted.or_equal ? sorted.count : sorted.numbers);
      place[r] = number == number ? place[r] : of_nan;
    }
    store(to + r * register_bytes, place[r]);
  }
}

template <class Key>
void find_places(char* to, const char* values, std::int64_t n, const SortedKeys& sorted) {
  const std::uint64_t turned = turned_bits(sorted);
  char rest[8 * at_once] = {}, places[8 * at_once];
  for (std::int64_t i = 0; i < n; i += at_once) {
    if (n - i >= at_once) {
      find_in_registers<Key>(to + 8 * i, values + 8 * i, sorted, turned);
      continue;
    }
    const auto bytes = static_cast<std::size_t>(8 * (n - i));
    __builtin_memcpy(rest, values + 8 * i, bytes);
    find_in_registers<Key>(places, rest, sorted, turned);
    __builtin_memcpy(to + 8 * i, places, bytes);
  }
}

}  // namespace

void WEFT_KERNEL(find_places_kernel)(std::int64_t* to, const char* values, std::int64_t n,
                                     const SortedKeys& sorted) {
  auto* const bytes = reinterpret_cast<char*>(to);
  if (sorted.type == ScalarType::f64)
    find_places<double>(bytes, values, n, sorted);
  else
    find_places<std::int64_t>(bytes, values, n, sorted);
}

std::int64_t WEFT_KERNEL(most_compared_keys)(ScalarType key) {
#if defined(__SSE2__) && !defined(__SSE4_2__)
  // No instruction compares integers of 64 bits.
  if (key != ScalarType::f64) return 8 * lanes;
#endif
  static_cast<void>(key);
  return 16 * lanes;
}

}  // namespace v0
}  // namespace weft
