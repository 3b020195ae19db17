// SPDX-License-Identifier: Apache-2.0
#include "core/kept_memory.hpp"
#include "expr/expr_plan.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft {
inline namespace v0 {
namespace expr_cache {
namespace {

constexpr std::size_t places_of_hash = 4, all_places = 64;
/// Bytes that passes of a plan leave for later ones, at most: where there are more, what the passes
/// take is far more than planning them anew.
constexpr std::int64_t max_result_bytes = 256 << 10;

/// Whoever exchanges the pointer owns the plan, so a child after a fork and static objects that are
/// destroyed need no care.
struct Place {
  std::atomic<std::uint64_t> hash{0};  // of the plan, or of one that was here
  std::atomic<ExprPlan*> plan{nullptr};
};
constinit Place places[all_places];
constinit std::atomic<std::size_t> puts{0};

void release() noexcept {
  for (Place& place : places)
    delete place.plan.exchange(nullptr);
}

/// When the process ends, or the module that weft is in is unloaded.
struct ReleaseAtEnd {
  ~ReleaseAtEnd() {
    also_release(nullptr);
    release();
  }
};
const ReleaseAtEnd release_at_end;

Place* places_for(std::uint64_t hash) noexcept {
  return places + hash % (all_places / places_of_hash) * places_of_hash;
}

}  // namespace

std::unique_ptr<ExprPlan> take(const ExprKey& key) noexcept {
  const std::uint64_t hash = key.hash();
  Place* const at = places_for(hash);
  for (std::size_t i = 0; i < places_of_hash; ++i) {
    if (at[i].hash.load(std::memory_order_relaxed) != hash) continue;
    std::unique_ptr<ExprPlan> plan(at[i].plan.exchange(nullptr));
    if (plan != nullptr && plan->key == key) return plan;
    if (plan != nullptr) put(std::move(plan));
  }
  return nullptr;
}

void put(std::unique_ptr<ExprPlan> plan) noexcept {
  if (plan->stages->result_bytes() > max_result_bytes) return;
  also_release(&release);
  plan->operands.clear();
  plan->others.clear();
  const std::uint64_t hash = plan->key.hash();
  Place* const at = places_for(hash);
  // Where there is none; or in place of one after the other.
  std::size_t i = 0;
  while (i < places_of_hash && at[i].plan.load(std::memory_order_relaxed) != nullptr)
    ++i;
  if (i == places_of_hash) i = puts.fetch_add(1, std::memory_order_relaxed) % places_of_hash;
  at[i].hash.store(hash, std::memory_order_relaxed);
  delete at[i].plan.exchange(plan.release());
}

}  // namespace expr_cache
}  // namespace v0
}  // namespace weft
