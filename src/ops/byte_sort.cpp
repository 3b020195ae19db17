// SPDX-License-Identifier: Apache-2.0
#include "ops/byte_sort.hpp"

#include "ops/byte_counts.hpp"

#include <cstring>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// Keys are signed: the least has this byte.
constexpr std::size_t least = 0x80;

void flip(char* to, const char* from, std::int64_t n, KeyOrder order) {
  const int bits = (order.unsigned_type ? 0x80 : 0) ^ (order.descending ? 0xff : 0);
  for (std::int64_t i = 0; i < n; ++i)
    to[i] = static_cast<char>(from[i] ^ bits);
}
KeyCounts to_keys(char* keys, const char* elements, std::int64_t n, KeyOrder order) {
  flip(keys, elements, n, order);
  return {};
}

ByteCounts counts_of(const char* keys, std::int64_t n) {
  ByteCounter counter;
  counter.add(keys, 1, n);
  return counter.counts();
}

void sort(char* keys, char* /*room*/, std::int64_t n, std::int64_t /*from*/, std::int64_t /*to*/) {
  constexpr std::int64_t few = 16;  // are written at once, the next ones over what is too much
  const ByteCounts counts = counts_of(keys, n);
  char* const end = keys + n;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t key = i ^ least;
    const std::int64_t count = counts[key];
    if (end - keys >= few) {
      std::memset(keys, static_cast<int>(key), few);
      if (count > few)
        std::memset(keys + few, static_cast<int>(key), static_cast<std::size_t>(count - few));
    } else {
      std::memset(keys, static_cast<int>(key), static_cast<std::size_t>(count));
    }
    keys += count;
  }
}

}  // namespace

const SortingKernel& byte_sorting_kernel() {
  static constexpr SortingKernel kernel{&to_keys, &flip, &sort};
  return kernel;
}

void order_byte_keys(std::int64_t* positions, const char* keys, std::int64_t n) {
  ByteCounts places = counts_of(keys, n);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::int64_t& place = places[i ^ least];
    sum += std::exchange(place, sum);
  }
  for (std::int64_t i = 0; i < n; ++i)
    positions[places[static_cast<unsigned char>(keys[i])]++] = i;
}

}  // namespace v0
}  // namespace weft
