// SPDX-License-Identifier: Apache-2.0
/// @file
/// A copy about to run.
#pragma once

#include "base/internal_api.hpp"
#include "engine/copy/copy_kernel.hpp"
#include "ops/elementwise.hpp"

namespace weft {
inline namespace v0 {

/// An iterator and the copy to run over it.
class WEFT_INTERNAL_API CopyCall {
 public:
  CopyCall(const Output& to, const TensorView& from);

  void run() const { kernel_.run(iter_); }
  Explanation explain() const { return kernel_.explain(iter_); }

 private:
  TensorIterator iter_;
  CopyKernel kernel_;
};

}  // namespace v0
}  // namespace weft
