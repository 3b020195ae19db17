// SPDX-License-Identifier: Apache-2.0
#include <weft/core/memory.hpp>
#include <weft/core/tensor.hpp>

#include "base/sanitizers.hpp"
#include "core/block_cache.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

using weft::BlockCache;
using weft::memory_counters;
using weft::ScalarType;
using weft::set_kept_memory;
using weft::Tensor;

Tensor bytes(std::int64_t count) { return Tensor::empty({count}, ScalarType::u8); }

/// A test begins with nothing kept, and ends with what is kept by default.
struct Kept {
  explicit Kept(std::int64_t limit) {
    weft::release_kept_memory();
    set_kept_memory(limit);
  }
  ~Kept() { set_kept_memory(weft::default_kept_memory); }
};

constexpr std::int64_t mib = std::int64_t{1} << 20;

/// Everything in a tensor is this byte.
void fill(const Tensor& t, int value) {
  std::memset(t.data(), value, static_cast<std::size_t>(t.nbytes()));
}
bool holds(const Tensor& t, int value) {
  const auto* const data = static_cast<const unsigned char*>(t.data());
  return std::all_of(data, data + t.nbytes(), [&](unsigned char b) { return b == value; });
}

/// Counts what it gives and takes, and gives nothing when told so.
struct CountingAllocator {
  std::atomic<long> given{0}, taken{0}, bytes{0};
  bool is_empty = false;

  weft::Allocator functions() {
    return {[](void* context, std::size_t size, std::size_t alignment) noexcept -> void* {
              auto& self = *static_cast<CountingAllocator*>(context);
              if (self.is_empty) return nullptr;
              ++self.given;
              self.bytes += static_cast<long>(size);
              return ::operator new(size, std::align_val_t{alignment}, std::nothrow);
            },
            [](void* context, void* memory, std::size_t size, std::size_t alignment) noexcept {
              auto& self = *static_cast<CountingAllocator*>(context);
              ++self.taken;
              self.bytes -= static_cast<long>(size);
              ::operator delete(memory, std::align_val_t{alignment});
            },
            this};
  }
};
struct UseAllocator {
  explicit UseAllocator(CountingAllocator& allocator) {
    weft::set_allocator(allocator.functions());
  }
  ~UseAllocator() { weft::set_allocator({}); }
};

}  // namespace

TEST_CASE("memory: sizes of blocks are larger by an eighth at most", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  std::size_t last = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto size = i < 2000 ? static_cast<std::size_t>(4000 + 13 * i)
                               : static_cast<std::size_t>(random.integer(1, std::int64_t{1} << 40));
    const std::size_t block = BlockCache::block_size(size);
    tally.check(block >= size && (block <= size + size / 8 || block == weft::min_kept_block) &&
                    BlockCache::block_size(block) == block,
                [&](auto& text) { text << size << " in a block of " << block; });
    if (i < 2000) tally.check(block >= last, [&](auto& text) { text << size << ": smaller"; });
    last = block;
  }
  CHECK_TALLY(tally);
}

TEST_CASE("memory: a freed block goes to the next tensor of its size", "[core]") {
  if (weft::memory_is_watched) {
    {
      const Tensor t = bytes(mib);
    }
    CHECK(memory_counters().kept_blocks == 0);
    return;
  }
  const Kept kept(64 * mib);
  for (const std::int64_t size : {std::int64_t{5000}, std::int64_t{100'000}, 3 * mib}) {
    const auto before = memory_counters();
    { const Tensor t = bytes(size); }
    CHECK(memory_counters().kept_blocks == before.kept_blocks + 1);
    { const Tensor t = bytes(size - size / 1024); }  // nearly the same
    CHECK(memory_counters().reused == before.reused + 1);
    CHECK(memory_counters().allocated == before.allocated + 1);
    CHECK(memory_counters().kept_blocks == before.kept_blocks + 1);
  }
  const auto before = memory_counters();
  { const Tensor small = bytes(100); }
  CHECK(memory_counters().kept_blocks == before.kept_blocks);
  weft::release_kept_memory();
  CHECK(memory_counters().kept_bytes == 0);
  CHECK(memory_counters().kept_blocks == 0);
}

TEST_CASE("memory: what has been free for longest goes first", "[core]") {
  if (weft::memory_is_watched) return;
  const Kept kept(2 * mib);
  {
    Tensor first = bytes(mib / 2), second = bytes(mib), third = bytes(mib);
    first = Tensor();
    second = Tensor();
    CHECK(memory_counters().kept_blocks == 2);
    third = Tensor();  // for which the first goes
    CHECK(memory_counters().kept_blocks == 2);
    CHECK(memory_counters().kept_bytes <= 2 * mib);
  }
  const auto before = memory_counters();
  { const Tensor a = bytes(mib), b = bytes(mib); }
  CHECK(memory_counters().reused == before.reused + 2);
  { const Tensor large = bytes(3 * mib); }  // more than is kept at all
  CHECK(memory_counters().kept_blocks == 2);
  set_kept_memory(mib + mib / 2);
  CHECK(memory_counters().kept_blocks == 1);
  set_kept_memory(0);
  CHECK(memory_counters().kept_blocks == 0);
  { const Tensor t = bytes(mib); }
  CHECK(memory_counters().kept_blocks == 0);
  CHECK_ERROR(invalid_argument, ("set_kept_memory", "-1"), set_kept_memory(-1));
}

TEST_CASE("memory: blocks are nobody else's, whichever threads allocate and free", "[core]") {
  const Kept kept(8 * mib);
  WEFT_RANDOM(random);
  const std::uint64_t seed = random.bits();
  constexpr int count = 4;
  std::vector<std::thread> threads;
  std::vector<long> wrong(count, 0);
  // Each thread frees what its neighbour has allocated.
  std::vector<std::vector<Tensor>> handed(count);
  for (int round = 0; round < 3; ++round) {
    threads.clear();
    for (int t = 0; t < count; ++t) {
      threads.emplace_back([&, t, round] {
        test::Random own(seed + static_cast<std::uint64_t>(t + count * round));
        std::vector<Tensor> mine;
        std::vector<Tensor>& others = handed[static_cast<std::size_t>((t + 1) % count)];
        for (int i = 0; i < 400; ++i) {
          mine.push_back(bytes(own.integer(1, 60'000)));
          fill(mine.back(), t + 1);
          if (mine.size() > 20) {
            const auto at = static_cast<std::size_t>(own.integer(0, 20));
            if (!holds(mine[at], t + 1)) ++wrong[static_cast<std::size_t>(t)];
            mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(at));
          }
          if (!others.empty()) others.pop_back();
          if (i % 100 == 99) weft::release_kept_memory();
        }
      });
    }
    for (std::thread& thread : threads)
      thread.join();
    for (auto& list : handed) {
      for (int i = 0; i < 50; ++i)
        list.push_back(bytes(random.integer(1, 60'000)));
    }
  }
  CHECK(wrong == std::vector<long>(count, 0));
  CHECK(memory_counters().kept_bytes <= 8 * mib);
}

#if defined(__unix__)
TEST_CASE("memory: a child goes on after a fork in the middle of it", "[core]") {
  if (weft::memory_is_watched) return;
  const Kept kept(8 * mib);
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends)
      bytes(20'000);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (int k = 0; k < 20; ++k) {
        const Tensor a = bytes(20'000), b = bytes(50'000);
        fill(a, 1);
        fill(b, 2);
        if (!holds(a, 1) || !holds(b, 2)) _exit(1);
      }
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  ends = true;
  other.join();
}
#endif

TEST_CASE("memory: the user's allocator is asked, and gets back what it gave", "[core]") {
  CountingAllocator allocator;
  Tensor before = bytes(mib), during;
  {
    const UseAllocator use(allocator);
    during = bytes(mib);
    CHECK(allocator.given == 1);
    CHECK(reinterpret_cast<std::uintptr_t>(during.data()) % 64 == 0);
    before = Tensor();  // came from elsewhere
    CHECK(allocator.taken == 0);
    { const Tensor empty = bytes(0); }
    CHECK(allocator.given == 2);
    CHECK(allocator.taken == 1);

    allocator.is_empty = true;
    Tensor out = Tensor();
    CHECK_THROWS_AS(out = bytes(10), std::bad_alloc);
    CHECK(!out.defined());
  }
  const Tensor after = bytes(mib);
  CHECK(allocator.given == 2);
  during = Tensor();
  CHECK(allocator.taken == 2);
  CHECK(allocator.bytes == 0);

  weft::Allocator half = allocator.functions();
  half.deallocate = nullptr;
  CHECK_ERROR(invalid_argument, ("set_allocator", "both", "allocate"), weft::set_allocator(half));
}
