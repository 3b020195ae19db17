// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions that keep their plan, for many runs.
#pragma once

#include "engine/reduce/prepared_reduction.hpp"
#include "ops/prepare_reduce.hpp"

#include <memory>
#include <optional>

namespace weft {
inline namespace v0 {

/// A call with its plan, bound to other addresses from run to run. One thread runs it at a time.
class WEFT_INTERNAL_API KeptReduction {
 public:
  /// `serial`: it runs as part of what a thread does. `computed`: of an input that is computed, if
  /// possible by `rows`; otherwise it is in memory, and the result is null if more than the call's
  /// iterator holds addresses.
  static std::unique_ptr<KeptReduction> make(ReduceCall&& call, bool serial,
                                             const ComputedRows* computed = nullptr,
                                             const ReductionKernel* rows = nullptr);
  ~KeptReduction();
  KeptReduction(const KeptReduction&) = delete;
  KeptReduction& operator=(const KeptReduction&) = delete;

  const ReduceCall& call() const noexcept { return call_; }
  /// Says where an operand's element (0, 0, ...) is. Inputs are only read.
  void bind(int operand, const void* origin) {
    call_.iter.bind(operand, const_cast<void*>(origin));
  }
  /// As ReduceCall::run(). The last two are for what is computed.
  void run(const ComputeBlock* compute = nullptr, const ComputingKernel* rows = nullptr);

 private:
  KeptReduction(ReduceCall&& call, bool serial, const ComputedRows* computed,
                const ReductionKernel* rows);
  void plan();

  ReduceCall call_;
  ReductionKernel kernel_;
  const ReductionKernel* rows_;
  std::optional<ComputedRows> computed_;
  bool serial_;
  int threads_ = 0;      // for which it is planned, and
  double worth_ns_ = 0;  // what was worth one
  std::optional<PreparedReduction> plan_;
};

}  // namespace v0
}  // namespace weft
