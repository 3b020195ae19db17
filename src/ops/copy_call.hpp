// SPDX-License-Identifier: Apache-2.0
/// @file
/// A copy about to run.
#pragma once

#include "kernels/stage/stage.hpp"
#include "ops/elementwise.hpp"

namespace weft {
inline namespace v0 {

/// A conversion of elements of `sizes` bytes, to and from.
struct Conversion {
  ConvertFn convert;
  std::int64_t sizes[2];
};

/// An iterator and a kernel that is nothing but a conversion of spans. Refers to itself, so it
/// stays where it was made.
class CopyCall {
 public:
  CopyCall(const Output& to, const TensorView& from);
  CopyCall(const CopyCall&) = delete;
  CopyCall& operator=(const CopyCall&) = delete;

  void run() const;
  Explanation explain() const;

 private:
  bool converts() const { return iter_.dtype(0) != iter_.dtype(1); }

  TensorIterator iter_;
  Conversion conversion_;
  SpanKernel kernel_;
};

}  // namespace v0
}  // namespace weft
