// SPDX-License-Identifier: Apache-2.0
/// @file
/// Small iterations over operands of the kernel's own types.
#pragma once

#include <weft/iter/geometry.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Too little work to plan tiles for: row by row, where rows can be had in place, or as one span, for
/// which what is not dense is packed.
class FewSpans {
 public:
  /// False if there is more to do than that. data[k] is operand k's element at index (0, 0, ...).
  bool collect(const Geometry& geometry, const SpanKernel& kernel, char* const* data);
  /// The same of an iterator; false also if some operand is not of the kernel's type.
  bool collect(const TensorIterator& iter, const SpanKernel& kernel);

  /// Precondition: collect() has said yes to the same two.
  void run(const Geometry& geometry, const SpanKernel& kernel);

  bool is_one_value(int operand) const noexcept { return (broadcast_ >> operand & 1) != 0; }
  /// Whether its elements lie apart or in another order.
  bool is_packed(int operand) const noexcept { return (packed_ >> operand & 1) != 0; }
  /// Whether rows are run in place.
  bool by_rows() const noexcept { return by_rows_; }
  /// Whether that is by the kernel's strided loop.
  bool by_steps() const noexcept { return by_steps_; }

 private:
  bool collect_rows(const Geometry& geometry, const SpanKernel& kernel);
  bool steps_over(const Geometry& geometry, const SpanKernel& kernel) const;
  void run_plane(const Geometry& geometry, const SpanKernel& kernel) const;
  void run_rows(const Geometry& geometry, const SpanKernel& kernel);
  void run_packed(const Geometry& geometry, const SpanKernel& kernel);

  char* data_[max_operands];
  std::int64_t numel_ = 0;
  std::uint32_t broadcast_ = 0;
  std::uint32_t packed_ = 0;
  bool by_rows_ = false;
  bool by_steps_ = false;  // rows, by the kernel's strided loop
};

}  // namespace v0
}  // namespace weft
