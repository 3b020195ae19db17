// SPDX-License-Identifier: Apache-2.0
#include "ops/kept_reduction.hpp"

#include <weft/parallel/parallel.hpp>

#include <utility>

namespace weft {
inline namespace v0 {

ReduceCall::ReduceCall(ReduceCall&& other) noexcept = default;
ReduceCall::~ReduceCall() = default;

KeptReduction::KeptReduction(ReduceCall&& call, bool serial, bool computed,
                             const ReductionKernel* rows)
    : call_(std::move(call)),
      kernel_(*call_.kernel),
      rows_(rows),
      serial_(serial),
      computed_(computed) {
  if (call_.has_number) kernel_.context = &call_.number;
  plan();
}

KeptReduction::~KeptReduction() = default;

std::unique_ptr<KeptReduction> KeptReduction::make(ReduceCall&& call, bool serial, bool computed,
                                                   const ReductionKernel* rows) {
  if (call.single.defined()) return nullptr;
  return std::unique_ptr<KeptReduction>(new KeptReduction(std::move(call), serial, computed, rows));
}

void KeptReduction::plan() {
  const int threads = num_threads();
  plan_.emplace(call_.iter, kernel_, RunOptions{.serial = serial_}, computed_, rows_);
  threads_ = threads;
}

void KeptReduction::run(const ComputeBlock* compute, const ComputingKernel* rows) {
  // There is none where memory ran out as it was made anew.
  if (!plan_ || (!serial_ && threads_ != num_threads())) plan();
  plan_->run(call_.iter, kernel_, compute, rows);
}

}  // namespace v0
}  // namespace weft
