// SPDX-License-Identifier: Apache-2.0
/// @file
/// Copies between any two element types.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "base/internal_api.hpp"
#include "engine/wanted_strategy.hpp"
#include "kernels/stage/stage.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// A conversion of elements of `sizes` bytes, to and from.
struct WEFT_INTERNAL_API Conversion {
  Conversion(ScalarType to, ScalarType from);

  ConvertFn convert;
  std::int64_t sizes[2];
};

/// A SpanKernel::Run of one output and one input, whose context is a Conversion.
WEFT_INTERNAL_API void convert_spans(const void* context, char* const* data,
                                     const std::int64_t* row_bytes, std::int64_t n,
                                     std::int64_t rows, std::uint32_t broadcast);

/// Copies the input of an iterator over one output and one input, converted where the types differ.
/// Refers to itself, so it stays where it was made.
class WEFT_INTERNAL_API CopyKernel {
 public:
  CopyKernel(ScalarType to, ScalarType from);
  CopyKernel(const CopyKernel&) = delete;
  CopyKernel& operator=(const CopyKernel&) = delete;

  /// Allocates nothing. The iterator's types are those that the kernel was made for.
  void run(const TensorIterator& iter, const RunOptions& options = {}) const {
    run(iter, options, wanted_strategy(options, tuning()));
  }
  Explanation explain(const TensorIterator& iter, const RunOptions& options = {}) const {
    return explain(iter, options, wanted_strategy(options, tuning()));
  }
  /// The same of a copy that is part of another call, which a forced strategy is not meant for.
  void run_as_part(const TensorIterator& iter) const { run(iter, {}, Strategy::automatic); }
  Explanation explain_as_part(const TensorIterator& iter) const {
    return explain(iter, {}, Strategy::automatic);
  }

 private:
  void run(const TensorIterator& iter, const RunOptions& options, Strategy wanted) const;
  Explanation explain(const TensorIterator& iter, const RunOptions& options, Strategy wanted) const;
  bool converts() const { return kernel_.types[0] != kernel_.types[1]; }

  Conversion conversion_;
  SpanKernel kernel_;
};

}  // namespace v0
}  // namespace weft
