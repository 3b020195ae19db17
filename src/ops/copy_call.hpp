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

  /// The same of a copy that is part of another call, which a forced strategy is not meant for.
  void run_as_part() const { kernel_.run_as_part(iter_); }
  Explanation explain_as_part() const { return kernel_.explain_as_part(iter_); }

 private:
  TensorIterator iter_;
  CopyKernel kernel_;
};

}  // namespace v0
}  // namespace weft
