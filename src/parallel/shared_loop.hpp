// SPDX-License-Identifier: Apache-2.0
/// @file
/// A range that several threads work off.
#pragma once

#include <weft/base/checked.hpp>
#include <weft/base/function_ref.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>

namespace weft {
inline namespace v0 {

/// [0, elements) in units whose borders are multiples of `align`, so few that 32 bits count them.
struct LoopUnits {
  LoopUnits(std::int64_t total, std::int64_t align) : elements(total) {
    constexpr std::int64_t most = 1 << 20;
    size = align * ceil_div(ceil_div(total, align), most);
    count = ceil_div(total, size);
  }
  /// The element at which unit i begins.
  std::int64_t begin(std::int64_t i) const { return i == count ? elements : i * size; }

  std::int64_t elements, size, count;
};

/// The range is cut into parts of the same size. Every thread begins with one, which is the same in
/// each loop as long as the threads keep their places in the arena: what it read or wrote there may
/// still be in its own cache. It takes half of what is left of it at a time, from the front; then
/// it helps others, half of what is left from the back. So pieces are long at first, and the last
/// ones short.
class SharedLoop {
 public:
  using Body = FunctionRef<void(std::int64_t, std::int64_t)>;

  /// Pieces of at least `grain` elements where a part has as many.
  SharedLoop(const LoopUnits& units, std::int64_t grain, int parts, Body body)
      : units_(units),
        least_(std::min(ceil_div(grain, units.size), units.count)),
        count_(parts),
        body_(body) {
    if (parts > static_cast<int>(std::size(few_))) {
      many_ = std::make_unique<Part[]>(static_cast<std::size_t>(parts));
      parts_ = many_.get();
    }
    for (int i = 0; i < parts; ++i)
      parts_[i].left.store({border(i), border(i + 1)}, std::memory_order_relaxed);
  }

  /// Works until nothing is left to begin, or a body has thrown. May be called as often as there
  /// are parts; `place` is that of the calling thread, at least 0.
  void take_part(int place) noexcept {
    if (ended_.load(std::memory_order_relaxed)) return;
    const int own = own_part(place % count_);
    try {
      work_off(parts_[own], true);
      for (int i = 1; i < count_; ++i)
        work_off(parts_[(own + i) % count_], false);
    } catch (...) {
      if (!has_failed_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
    }
    ended_.store(true, std::memory_order_relaxed);
  }

  /// Throws what the first body threw, if any did. For when all threads have ended.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  /// Units [begin, end). Aligned to its size, or Clang asks libatomic for every access.
  struct alignas(8) Range {
    std::uint32_t begin, end;
  };
  /// On a cache line of its own.
  struct alignas(64) Part {
    std::atomic<Range> left;  // what nobody has begun
    std::atomic<bool> owned{false};
  };
  static_assert(std::atomic<Range>::is_always_lock_free);

  std::uint32_t border(int part) const {
    return static_cast<std::uint32_t>(units_.count * part / count_);
  }

  /// Under a limit places may be further from each other than there are parts, and two threads want
  /// the same.
  int own_part(int wanted) {
    while (parts_[wanted].owned.exchange(true, std::memory_order_relaxed))
      wanted = wanted + 1 == count_ ? 0 : wanted + 1;
    return wanted;
  }

  void work_off(Part& part, bool front) {
    Range left = part.left.load(std::memory_order_relaxed);
    while (left.begin != left.end && !ended_.load(std::memory_order_relaxed)) {
      const std::int64_t n = left.end - left.begin;
      std::int64_t taken = std::max(least_, (n + 1) / 2);
      if (n - taken < least_) taken = n;
      const auto units = static_cast<std::uint32_t>(taken);
      const Range piece =
          front ? Range{left.begin, left.begin + units} : Range{left.end - units, left.end};
      const Range rest = front ? Range{piece.end, left.end} : Range{left.begin, piece.begin};
      if (!part.left.compare_exchange_weak(left, rest, std::memory_order_relaxed)) continue;
      body_(units_.begin(piece.begin), units_.begin(piece.end));
      left = part.left.load(std::memory_order_relaxed);
    }
  }

  LoopUnits units_;
  std::int64_t least_;  // units
  int count_;
  Body body_;
  std::atomic<bool> ended_{false};  // nothing is left to begin, or nothing is to be begun any more
  std::atomic<bool> has_failed_{false};
  std::exception_ptr error_;
  Part few_[16];
  std::unique_ptr<Part[]> many_;
  Part* parts_ = few_;
};

}  // namespace v0
}  // namespace weft
