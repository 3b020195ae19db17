// SPDX-License-Identifier: Apache-2.0
#include "ops/kept_reduction.hpp"

#include <weft/parallel/parallel.hpp>

#include "parallel/thread_worth.hpp"

#include <utility>

namespace weft {
inline namespace v0 {

ReduceCall::ReduceCall(ReduceCall&& other) noexcept = default;
ReduceCall::~ReduceCall() = default;

KeptReduction::KeptReduction(ReduceCall&& call, bool serial, const ComputedRows* computed,
                             const ReductionKernel* rows)
    : call_(std::move(call)), kernel_(*call_.kernel), rows_(rows), serial_(serial) {
  if (computed != nullptr) computed_ = *computed;
  if (call_.has_number) kernel_.context = &call_.number;
  plan();
}

KeptReduction::~KeptReduction() = default;

std::unique_ptr<KeptReduction> KeptReduction::make(ReduceCall&& call, bool serial,
                                                   const ComputedRows* computed,
                                                   const ReductionKernel* rows) {
  if (call.single.defined()) return nullptr;
  return std::unique_ptr<KeptReduction>(new KeptReduction(std::move(call), serial, computed, rows));
}

void KeptReduction::plan() {
  threads_ = num_threads();
  worth_ns_ = worth_a_thread_ns();
  plan_.emplace(call_.iter, kernel_, RunOptions{.serial = serial_},
                computed_ ? &*computed_ : nullptr, rows_);
}

void KeptReduction::run(const ComputeBlock* compute, const ComputingKernel* rows) {
  const bool stands = serial_ || (threads_ == num_threads() && worth_ns_ == worth_a_thread_ns());
  // There is no plan where memory ran out as it was made anew.
  if (!stands || !plan_) plan();
  plan_->run(call_.iter, kernel_, compute, rows);
}

}  // namespace v0
}  // namespace weft
