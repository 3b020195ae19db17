// SPDX-License-Identifier: Apache-2.0
#include "machine/scratch_memory.hpp"

#include <weft/core/tensor.hpp>
#include <weft/ops/binary.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/allocation_counter.hpp"
#include "support/catch.hpp"

#include <algorithm>
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

/// Calls f on a thread that has not kept any block.
template <class F>
void on_new_thread(F&& f) {
  std::thread(f).join();
}

bool begins_a_line(const char* data) {
  return reinterpret_cast<std::uintptr_t>(data) % weft::cache_line_bytes == 0;
}

}  // namespace

TEST_CASE("scratch memory: a thread's first block is allocated, and kept", "[memory]") {
  on_new_thread([] {
    long first = 0, later = 0, large = 0;
    const auto take = [](std::int64_t bytes) {
      const ScratchMemory memory(bytes);
      std::memset(memory.data(), 1, static_cast<std::size_t>(bytes));
    };
    first = allocations([&] { take(100); });
    later = allocations([&] {
      for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{5000}, scratch_block_bytes})
        take(bytes);
    });
    large = allocations([&] { take(scratch_block_bytes + 1); });
    CHECK(first == 1);
    CHECK(later == 0);
    CHECK(large == 1);
    CHECK(allocations([] { CHECK(ScratchMemory(0).data() == nullptr); }) == 0);
  });
}

TEST_CASE("scratch memory: blocks that are held at the same time are different memory",
          "[memory]") {
  on_new_thread([] {
    constexpr int count = max_kept_blocks + 2;
    const auto hold_all = [&] {
      std::vector<std::unique_ptr<ScratchMemory>> blocks;
      blocks.reserve(count);
      for (int i = 0; i < count; ++i) {
        blocks.push_back(std::make_unique<ScratchMemory>(scratch_block_bytes - i));
        std::memset(blocks.back()->data(), i, static_cast<std::size_t>(scratch_block_bytes - i));
      }
      for (int i = 0; i < count; ++i) {
        const char* const data = blocks[static_cast<std::size_t>(i)]->data();
        CHECK(begins_a_line(data));
        CHECK(data[0] == i);
        CHECK(data[scratch_block_bytes - i - 1] == i);
      }
      // Given back in another order than they were taken.
      std::swap(blocks.front(), blocks.back());
    };
    const long objects = 1 + count;  // the vector's memory and what it points at
    CHECK(allocations(hold_all) == objects + count);
    CHECK(allocations(hold_all) == objects + count - max_kept_blocks);
  });
}

TEST_CASE("scratch memory: a few bytes are within the object", "[memory]") {
  on_new_thread([] {
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
  });
}

TEST_CASE("scratch memory: a block may be given back on another thread", "[memory]") {
  std::optional<ScratchMemory> block;
  on_new_thread([&] { block.emplace(1000); });
  std::memset(block->data(), 1, 1000);
  on_new_thread([&] { block.reset(); });  // which has kept nothing, and does not begin to
  on_new_thread([&] { CHECK(allocations([] { ScratchMemory(1); }) == 1); });
}

TEST_CASE("scratch memory: what runs at a thread's end may still have some", "[memory]") {
  struct AtEnd {
    ~AtEnd() {
      const long count = allocations([] {
        for (int i = 0; i < 2; ++i) {
          const ScratchMemory memory(1000);
          std::memset(memory.data(), 1, 1000);
        }
      });
      *seen = count;
    }
    long* seen = nullptr;
  };
  long count = 0;
  on_new_thread([&] {
    // Made before the thread has a block, so that it ends after the blocks have been released.
    static thread_local AtEnd at_end;
    at_end.seen = &count;
    ScratchMemory(1);
  });
  CHECK(count == 2);  // each is released at once
}

TEST_CASE("scratch memory: blocks are released when their thread ends", "[memory]") {
  const long before = test::live_allocations;
  on_new_thread([] { const ScratchMemory a(1), b(1), c(scratch_block_bytes + 1); });
  CHECK(test::live_allocations == before);
}

TEST_CASE("scratch memory: a call that gets none has written nothing", "[memory]") {
  using weft::ScalarType, weft::Tensor, weft::TensorView;
  const Tensor a = Tensor::full({70, 80}, ScalarType::f32, 1);
  const Tensor turned = Tensor::full({80, 70}, ScalarType::i64, 2);
  const TensorView b = turned.transpose(0, 1);
  const Tensor out = Tensor::full({70, 80}, ScalarType::f32, 7);
  weft::add_out(TensorView(out.clone()), a, b);  // looks up what is looked up once
  long failures = 0;
  const auto add_on_new_thread = [&] {
    on_new_thread([&] {
      const weft::ThreadLimit here(1);
      try {
        weft::add_out(TensorView(out), a, b);
      } catch (const std::bad_alloc&) {
        const auto* const data = out.data_as<float>();
        if (std::all_of(data, data + out.numel(), [](float x) { return x == 7; })) ++failures;
      }
    });
  };
  test::fail_each_allocation(add_on_new_thread, [] {});
  CHECK(failures == 1);
  CHECK(out.at<float>({69, 79}) == 3);
}
