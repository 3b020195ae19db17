// SPDX-License-Identifier: Apache-2.0
// What a mask selects, stored by either way: elements of all sizes and any step, masks of all
// densities, at the end of memory; no other byte changes.
#include "kernels/stage/masked_store.hpp"

#include <weft/machine/level.hpp>

#include "support/guarded.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

TEST_CASE("masked stores: every size, step and density", "[kernels]") {
  using test::Random;
  WEFT_RANDOM(random);
  test::Tally tally;
  constexpr std::int64_t most = 700;
  const test::Guarded to_memory(most * 16 * 4), from_memory(most * 16), mask_memory(most);
  for (int round = 0; round < test::rounds(400); ++round) {
    const std::int64_t size = random.pick<std::int64_t>({1, 2, 4, 8, 16});
    const std::int64_t n = random.integer(0, random.chance(50) ? 40 : most);
    const std::int64_t step =
        (random.chance(50) ? size : random.integer(1, 4) * size) * (random.chance(30) ? -1 : 1);
    const std::int64_t reach = n == 0 ? 0 : (n - 1) * std::abs(step) + size;
    char* const first = to_memory.place(reach, random);
    char* const to = step < 0 && n > 0 ? first - (n - 1) * step : first;
    char* const from = from_memory.place(n * size, random);
    char* const mask = mask_memory.place(n, random);
    // In runs as long as a chunk, too; any byte but 0 selects.
    const std::int64_t density = random.pick<std::int64_t>({0, 1, 10, 50, 90, 99, 100});
    const std::int64_t run = random.pick<std::int64_t>({1, 1, 8, 300});
    for (std::int64_t i = 0; i < n; ++i) {
      mask[i] = i % run != 0 ? mask[i - 1]
                : !random.chance(density)
                    ? '\0'
                    : random.pick<char>({'\x01', '\x02', '\x7f', '\x80', '\xff'});
    }
    for (std::int64_t i = 0; i < n * size; ++i)
      from[i] = static_cast<char>(random.bits());
    const std::vector<char> before(first, first + reach);
    std::vector<char> want = before;
    for (std::int64_t i = 0; i < n; ++i) {
      if (mask[i] != 0)
        std::memcpy(want.data() + (to - first) + i * step, from + i * size,
                    static_cast<std::size_t>(size));
    }
    for (const weft::Level level : test::levels()) {
      for (const bool by_instruction : {false, true}) {
        if (size == 1 && step == 1 && n > 0) {
          // The mask is what is overwritten.
          std::copy_n(mask, n, first);
          std::vector<char> wanted(mask, mask + n);
          for (std::int64_t i = 0; i < n; ++i)
            if (mask[i] != 0) wanted[static_cast<std::size_t>(i)] = from[i];
          weft::masked_store_kernel.at(level)(size, by_instruction)(to, step, from, to, n);
          tally.check(std::equal(wanted.begin(), wanted.end(), first),
                      [&](auto& text) { text << weft::name(level) << ", the mask itself, " << n; });
        }
        std::copy(before.begin(), before.end(), first);
        weft::masked_store_kernel.at(level)(size, by_instruction)(to, step, from, mask, n);
        tally.check(std::equal(want.begin(), want.end(), first), [&](auto& text) {
          text << weft::name(level) << (by_instruction ? ", by instruction, " : ", by places, ")
               << n << " elements of " << size << " bytes, step " << step << ", " << density
               << " % in runs of " << run;
        });
      }
    }
  }
  INFO("seed " << test::seed());
  CHECK_TALLY(tally);
}
