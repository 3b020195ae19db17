// SPDX-License-Identifier: Apache-2.0
// What plans of expressions that are gone keep, and until when.
#include <weft/core/memory.hpp>
#include <weft/expr/expr.hpp>
#include <weft/expr/map.hpp>

#include "support/errors.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace {

using weft::expr;
using weft::ScalarType;
using weft::Tensor;

/// Counts the bytes of tensors that are there.
class CountedMemory {
 public:
  CountedMemory() { weft::set_allocator({&allocate, &deallocate, nullptr}); }
  ~CountedMemory() { weft::set_allocator({}); }
  CountedMemory(const CountedMemory&) = delete;
  CountedMemory& operator=(const CountedMemory&) = delete;

  static std::int64_t bytes() { return bytes_.load(); }

 private:
  static void* allocate(void*, std::size_t size, std::size_t alignment) noexcept {
    bytes_ += static_cast<std::int64_t>(size);
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  static void deallocate(void*, void* memory, std::size_t size, std::size_t) noexcept {
    bytes_ -= static_cast<std::int64_t>(size);
    std::free(memory);
  }
  // Plans may outlive the object, and give their memory back later.
  inline static std::atomic<std::int64_t> bytes_{0};
};

}  // namespace

TEST_CASE("expressions: large results between passes go with the expression", "[expr]") {
  weft::release_kept_memory();
  const CountedMemory memory;
  const Tensor a = Tensor::full({2, 300'000}, ScalarType::f32, 3);
  const Tensor out = Tensor::empty(a.shape(), ScalarType::f32);
  const std::int64_t before = CountedMemory::bytes();
  for (int i = 0; i < 20; ++i)  // each is another expression
    weft::evaluate_out(out, expr(a) - weft::mean(expr(a) * i, 0, {.keepdim = true}));
  CHECK(CountedMemory::bytes() == before);
  // Small ones stay with their plans, until somebody says so.
  const Tensor b = Tensor::full({2, 300}, ScalarType::f32, 3);
  const Tensor small = Tensor::empty(b.shape(), ScalarType::f32);
  const std::int64_t with_small = CountedMemory::bytes();
  weft::evaluate_out(small, expr(b) - weft::mean(expr(b) * 2, 0, {.keepdim = true}));
  CHECK(CountedMemory::bytes() > with_small);
  CHECK(CountedMemory::bytes() <= with_small + (256 << 10));
  weft::release_kept_memory();
  CHECK(CountedMemory::bytes() == with_small);
  CHECK(small.at<float>(1, 299) == -3);
}

TEST_CASE("expressions: what a user's function holds is let go with the plans", "[expr]") {
  const auto held = std::make_shared<float>(2.0F);
  const std::weak_ptr<float> watched = held;
  const Tensor a = Tensor::full({100}, ScalarType::f32, 3);
  const Tensor out = Tensor::empty(a.shape(), ScalarType::f32);
  for (int i = 0; i < 3; ++i)
    weft::evaluate_out(out, weft::map([held](float x) { return x * *held; }, expr(a)));
  CHECK(out.at<float>(99) == 6);
  weft::release_kept_memory();
  CHECK(watched.use_count() == 1);
}
