// SPDX-License-Identifier: Apache-2.0
/// @file
/// A chain ready to run, block by block in cache.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/iter/tensor_iterator.hpp>

#include "base/internal_api.hpp"
#include "engine/copy/copy_kernel.hpp"
#include "expr/chain_body.hpp"

#include <optional>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {

/// A chain and the iterator that it runs over: a kernel of the engine like any other. One thread
/// runs it at a time.
class WEFT_INTERNAL_API PreparedChain {
 public:
  /// Outputs are of one shape, to which inputs broadcast; any strides. `serial`: as part of what a
  /// thread does.
  PreparedChain(const Chain& chain, std::span<const TensorView> outputs,
                std::span<const TensorView> inputs, bool serial = false);
  PreparedChain(const PreparedChain&) = delete;
  PreparedChain& operator=(const PreparedChain&) = delete;

  /// Operands are at these addresses of their elements (0, 0, ...). Throws Error(division) when
  /// all is written.
  void run(void* const* outputs, const void* const* inputs) {
    if (divides_by_zero(outputs, inputs)) fail_by_zero(division_);
  }
  /// The same; returns whether an integer was divided by 0.
  [[nodiscard]] bool divides_by_zero(void* const* outputs, const void* const* inputs);
  /// `division`: as Chain says.
  [[noreturn]] static void fail_by_zero(const char* division);
  Explanation::Run explain() const;
  /// Functions and conversions, and the steps as which they are carried out.
  int functions() const noexcept { return functions_; }
  int steps() const noexcept { return static_cast<int>(body_.steps().size()); }
  /// Whether an input must not share memory with an output: it is read behind the step that writes
  /// that.
  bool overwrites(std::size_t output, std::size_t input) const {
    return body_.overwrites(static_cast<int>(output), iter_.noutputs() + static_cast<int>(input));
  }

  /// The same as run(), if the chain is one small block of operands that are used in place: calls
  /// to make one after the other, in buffers of this object. Empty if it is not.
  std::span<const DirectCall> direct_calls() const noexcept { return direct_; }
  /// Says that somebody makes the direct calls in place of run(): they are what is explained then.
  void run_by_direct_calls() noexcept { is_direct_ = true; }

 private:
  void make_direct_calls();
  void run_direct_calls(void* const* outputs, const void* const* inputs) const;
  RunOptions options() const { return {.serial = serial_}; }
  Explanation::Run explain_direct_calls() const;

  int functions_;
  const char* division_;
  ChainBody body_;
  /// Terms of the chain that are the iterator's operands: outputs and inputs of the chain; of a
  /// single step the terms that it takes, numbers too: it is run as it is.
  SmallVector<int, 4> terms_;
  TensorIterator iter_;
  SpanKernel kernel_;
  bool serial_;
  std::optional<CopyKernel> copy_;  // instead, of a chain that is nothing else
  std::vector<DirectCall> direct_;
  bool is_direct_ = false;
  Tensor buffers_;  // of direct calls
};

}  // namespace v0
}  // namespace weft
