// SPDX-License-Identifier: Apache-2.0
#include "machine/scratch_memory.hpp"

#include "support/allocation_counter.hpp"
#include "support/catch.hpp"
#include "support/tally.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace {

using test::allocations;
using weft::max_kept_blocks;
using weft::max_stack_buffer_bytes;
using weft::scratch_block_bytes;
using weft::ScratchMemory;
using weft::SmallScratch;

bool begins_a_line(const char* data) {
  return reinterpret_cast<std::uintptr_t>(data) % weft::cache_line_bytes == 0;
}

}  // namespace

TEST_CASE("scratch memory: a block is allocated once, and kept", "[memory]") {
  const auto take = [](std::int64_t bytes) {
    const ScratchMemory memory(bytes);
    std::memset(memory.data(), 1, static_cast<std::size_t>(bytes));
  };
  ScratchMemory::release_kept();
  CHECK(allocations([&] { take(100); }) == 1);
  CHECK(
      allocations([&] {
        for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{5000}, scratch_block_bytes})
          take(bytes);
      }) == 0);
  CHECK(allocations([&] { take(scratch_block_bytes + 1); }) == 1);
  CHECK(allocations([] { CHECK(ScratchMemory(0).data() == nullptr); }) == 0);
  ScratchMemory::release_kept();
  CHECK(allocations([&] { take(100); }) == 1);
}

TEST_CASE("scratch memory: blocks that are held at the same time are different memory",
          "[memory]") {
  constexpr long most = static_cast<long>(max_kept_blocks), count = most + 2;
  const auto hold_all = [&] {
    std::vector<std::unique_ptr<ScratchMemory>> blocks;
    blocks.reserve(count);
    test::Tally tally;
    for (long i = 0; i < count; ++i) {
      blocks.push_back(std::make_unique<ScratchMemory>(scratch_block_bytes - i));
      std::memset(blocks.back()->data(), static_cast<int>(i),
                  static_cast<std::size_t>(scratch_block_bytes - i));
    }
    for (long i = 0; i < count; ++i) {
      const char* const data = blocks[static_cast<std::size_t>(i)]->data();
      const bool is_own = begins_a_line(data) && data[0] == static_cast<char>(i) &&
                          data[scratch_block_bytes - i - 1] == static_cast<char>(i);
      tally.check(is_own, [&](auto& text) { text << "block " << i; });
    }
    CHECK_TALLY(tally);
    // Given back in another order than they were taken.
    std::swap(blocks.front(), blocks.back());
  };
  ScratchMemory::release_kept();
  hold_all();
  // All are kept but two; the vector's memory and what it points at come on top.
  const long objects = allocations([&] {
    std::vector<std::unique_ptr<int>> same;
    same.reserve(count);
    for (long i = 0; i < count; ++i)
      same.push_back(std::make_unique<int>(0));
  });
  const long before = test::live_allocations;
  ScratchMemory::release_kept();
  CHECK(before - test::live_allocations == most);
  hold_all();
  std::vector<std::unique_ptr<ScratchMemory>> held;
  held.reserve(most);
  CHECK(allocations([&] {
          for (long i = 0; i < most; ++i)
            held.push_back(std::make_unique<ScratchMemory>(1));
        }) == objects - 3);
}

TEST_CASE("scratch memory: a few bytes are within the object", "[memory]") {
  ScratchMemory::release_kept();
  CHECK(allocations([] {
          SmallScratch small(max_stack_buffer_bytes);
          const auto* const object = reinterpret_cast<const char*>(&small);
          CHECK(begins_a_line(small.data()));
          CHECK(small.data() >= object);
          CHECK(small.data() + max_stack_buffer_bytes <= object + sizeof(small));
        }) == 0);
  CHECK(allocations([] {
          SmallScratch large(max_stack_buffer_bytes + 1);
          CHECK(begins_a_line(large.data()));
          std::memset(large.data(), 1, static_cast<std::size_t>(max_stack_buffer_bytes) + 1);
        }) == 1);
}

TEST_CASE("scratch memory: threads give each other's blocks back", "[memory]") {
  std::optional<ScratchMemory> block;
  std::thread([&] { block.emplace(1000); }).join();
  std::memset(block->data(), 1, 1000);
  std::thread([&] { block.reset(); }).join();

  constexpr int count = 4, rounds = 2000;
  std::vector<std::thread> threads;
  std::vector<int> wrong(count, 0);
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < rounds; ++round) {
        const ScratchMemory first(64), second(64);
        std::memset(first.data(), t, 64);
        std::memset(second.data(), t + count, 64);
        if (round % 16 == 0) std::this_thread::yield();
        if (round % 64 == 0) ScratchMemory::release_kept();
        if (first.data()[63] != t || second.data()[63] != t + count) ++wrong[std::size_t(t)];
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(count, 0));
}
