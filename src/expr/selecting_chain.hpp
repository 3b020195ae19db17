// SPDX-License-Identifier: Apache-2.0
/// @file
/// A chain whose result is stored as it is computed, where a mask selects it.
#pragma once

#include <weft/iter/geometry.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "engine/tile_cursor.hpp"
#include "expr/fused_steps.hpp"

#include <memory>
#include <vector>

namespace weft {
inline namespace v0 {

/// A chain that is one fused program, which ends by masked stores. So results are in no memory but
/// the output's.
class SelectingChain {
 public:
  /// Null if it cannot be that: where the chain has functions without an instruction, masked stores
  /// are none or slow, or elements of operands are not next to each other along dim 0.
  /// `geometry` is that of the output and of the chain's inputs; `type` is the output's.
  static std::unique_ptr<SelectingChain> make(const Chain& chain, const Geometry& geometry,
                                              ScalarType type);

  /// A box of that geometry, of which flags, dense, dim 0 fastest, select what is stored. Parts of
  /// it that have nothing to store are not computed.
  void run(const Geometry& geometry, const TileCursor& box, const char* flags) const;

 private:
  explicit SelectingChain(const FusedProgram& program) : program_(program) {}
  /// Of the program's operand k, which is not the mask.
  std::int64_t stride(const Geometry& geometry, int dim, int k) const;
  /// Rows of elements next to each other.
  void run_rows(char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                std::int64_t rows) const;

  FusedProgram program_;
  SmallVector<std::int64_t, inline_operands> sizes_;  // bytes of elements; 0: one value
  SpanKernel::Run run_ = nullptr;
  std::vector<FusedInput> inputs_;  // without the mask
  std::uint32_t broadcast_ = 0;     // operands that are one value in each row
};

}  // namespace v0
}  // namespace weft
