// SPDX-License-Identifier: Apache-2.0
// Keys and their order at every level, with keys and room that end where memory ends.
#include <weft/machine/level.hpp>

#include "kernels/sorting/sorting.hpp"
#include "support/guarded.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace {

using test::Random;

template <class Key>
std::vector<Key> random_keys(Random& random, std::int64_t n) {
  using Limits = std::numeric_limits<Key>;
  const std::int64_t kind = random.integer(0, 5);
  std::vector<Key> keys;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto any = static_cast<Key>(random.bits());
    keys.push_back(kind == 0   ? any
                   : kind == 1 ? any % 5
                   : kind == 2 ? static_cast<Key>(i)
                   : kind == 3 ? static_cast<Key>(-i)
                   : kind == 4 ? Limits::max() - static_cast<Key>(random.integer(0, 1))
                               : Limits::min() + static_cast<Key>(random.integer(0, 2)));
  }
  return keys;
}

/// Keys of which those that are looked at for the one in the middle, four runs of neighbours, are
/// the smallest that are left, split after split. Where a split leaves the others, the kernel
/// shows: it depends only on which of the keys are above the one in the middle.
template <class Key>
std::vector<Key> badly_split_keys(const weft::SortingKernel& kernel, std::int64_t n,
                                  std::int64_t run) {
  const std::int64_t looked_at = 4 * run;
  std::vector<std::int64_t> left(static_cast<std::size_t>(n));
  std::iota(left.begin(), left.end(), std::int64_t{0});
  std::vector<Key> keys(left.size());
  Key next = 0;
  const auto set = [&](std::int64_t i) { keys[static_cast<std::size_t>(i)] = next++; };
  while (std::ssize(left) > 100 * run) {
    const std::int64_t count = std::ssize(left), step = count / 4;
    const std::int64_t split_off = count / 2 * looked_at / count + 1;
    // Keys that say afterwards where they were: of those that are looked at 0, 1, ..., of the
    // others their place and as much as there are of these.
    std::vector<Key> now(left.size()), room(left.size());
    std::iota(now.begin(), now.end(), static_cast<Key>(looked_at));
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < looked_at; ++i) {
      places.push_back(i / run * step + (step - run) / 2 + i % run);
      now[static_cast<std::size_t>(places.back())] = static_cast<Key>(i);
    }
    kernel.sort(reinterpret_cast<char*>(now.data()), reinterpret_cast<char*>(room.data()), count, 0,
                1);
    std::vector<std::int64_t> behind;
    for (const Key key : now) {
      const std::int64_t place =
          key < looked_at ? places[static_cast<std::size_t>(key)] : key - looked_at;
      behind.push_back(left[static_cast<std::size_t>(place)]);
    }
    for (std::int64_t i = 0; i < split_off; ++i)
      set(behind[static_cast<std::size_t>(i)]);
    left.assign(behind.begin() + split_off, behind.end());
  }
  std::ranges::for_each(left, set);
  return keys;
}

/// Empty if places [from, to) hold what they should, at every level.
template <class Key>
void check(test::Tally& tally, const test::Guarded& memory, const test::Guarded& more,
           const std::vector<Key>& keys, std::int64_t from, std::int64_t to) {
  std::vector<Key> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<std::int64_t>(keys.size());
  const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(Key));
  static std::int64_t checks = 0;
  for (const weft::Level level : test::levels()) {
    // Where memory ends, and where it begins.
    const bool at_end = checks++ % 2 == 0;
    char* const at = memory.data() + (at_end ? memory.size_bytes() - bytes : 0);
    char* const room = more.data() + (at_end ? more.size_bytes() - bytes : 0);
    if (n > 0) std::memcpy(at, keys.data(), static_cast<std::size_t>(bytes));
    weft::sorting_kernel.at(level)(sizeof(Key))->sort(at, room, n, from, to);
    std::vector<Key> got(keys.size());
    if (n > 0) std::memcpy(got.data(), at, static_cast<std::size_t>(bytes));
    bool right = std::equal(got.begin() + from, got.begin() + to, sorted.begin() + from);
    if (from < to) {
      right = right && std::all_of(got.begin(), got.begin() + from, [&](Key key) {
                return key <= got[static_cast<std::size_t>(from)];
              });
      right = right && std::all_of(got.begin() + to, got.end(), [&](Key key) {
                return key >= got[static_cast<std::size_t>(to - 1)];
              });
    }
    std::sort(got.begin(), got.end());
    tally.check(right && got == sorted, [&](auto& out) {
      out << n << " keys of " << sizeof(Key) << " bytes, " << from << " to " << to << ", "
          << name(level);
    });
  }
}

template <class Key>
void check_lengths(test::Tally& tally, Random& random) {
  const test::Guarded memory(1 << 20), more(1 << 20);
  for (std::int64_t n = 0; n <= 600; ++n) {
    const std::vector<Key> keys = random_keys<Key>(random, n);
    check(tally, memory, more, keys, 0, n);
    const std::int64_t from = random.integer(0, n);
    check(tally, memory, more, keys, from, random.integer(from, n));
  }
  for (int round = 0; round < test::rounds(20); ++round) {
    const std::int64_t n = random.integer(600, 30'000), from = random.integer(0, n);
    const std::vector<Key> keys = random_keys<Key>(random, n);
    check(tally, memory, more, keys, 0, n);
    check(tally, memory, more, keys, from, random.integer(from, n));
  }
  for (const weft::Level level : test::levels()) {
    const std::int64_t run =
        (level == weft::Level::avx512 ? 64 : 32) / static_cast<std::int64_t>(sizeof(Key));
    const weft::SortingKernel& kernel = *weft::sorting_kernel.at(level)(sizeof(Key));
    const std::vector<Key> keys = badly_split_keys<Key>(kernel, 20'000, run);
    check(tally, memory, more, keys, 0, 20'000);
    check(tally, memory, more, keys, 10'000, 10'010);
  }
}

}  // namespace

TEST_CASE("sorting keys: every length, ranges of places, bad splits", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  check_lengths<std::int32_t>(tally, random);
  check_lengths<std::int64_t>(tally, random);
  CHECK_TALLY(tally);
}

TEST_CASE("sorting keys: elements and back", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> ascending = {-inf, -2.0F, -1e-45F, 0.0F, 1e-45F, 1.0F, inf};
  for (const weft::Level level : test::levels()) {
    const weft::SortingKernel& kernel = *weft::sorting_kernel.at(level)(4);
    for (const bool descending : {false, true}) {
      for (std::int64_t n = 1; n < 100; ++n) {
        std::vector<float> elements;
        std::int64_t nans = 0, negative_zeros = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          const bool is_nan = random.chance(10), is_zero = random.chance(10);
          nans += is_nan ? 1 : 0;
          negative_zeros += !is_nan && is_zero ? 1 : 0;
          elements.push_back(is_nan    ? std::numeric_limits<float>::quiet_NaN()
                             : is_zero ? -0.0F
                                       : random.pick(ascending));
        }
        std::vector<std::int32_t> keys(elements.size());
        std::vector<float> back(elements.size());
        const auto bytes_of = [](auto& list) { return reinterpret_cast<char*>(list.data()); };
        const weft::KeyOrder order{true, false, descending};
        const weft::KeyCounts counts = kernel.to_keys(bytes_of(keys), bytes_of(elements), n, order);
        kernel.from_keys(bytes_of(back), bytes_of(keys), n, order);
        bool right = counts.nans == nans && counts.negative_zeros == negative_zeros;
        for (std::size_t i = 0; i < elements.size(); ++i) {
          const float x = elements[i];
          right = right &&
                  (x != x ? keys[i] == std::numeric_limits<std::int32_t>::max() : back[i] == x);
          const bool is_below = descending ? x > elements[0] : x < elements[0];
          if (x == x && elements[0] == elements[0])
            right = right && (keys[i] < keys[0]) == is_below;
        }
        tally.check(right, [&](auto& out) { out << n << " elements, " << name(level); });
      }
    }
  }
  CHECK_TALLY(tally);
}
