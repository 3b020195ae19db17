// SPDX-License-Identifier: Apache-2.0
/// @file
/// The form in which a kernel sees a reduction.
#pragma once

#include "engine/reduce/reduce_plan.hpp"
#include "machine/fixed_sizes.hpp"

#include <algorithm>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// The operands of a reduction, and what a plan needs to know of all inputs.
struct ReduceInputs {
  ReduceInputs(const TensorIterator& of, const ReductionKernel& by,
               const ComputedRows* computing = nullptr)
      : iter(of), kernel(by), geometry(of.geometry()), computed(computing) {
    for (int k = 0; k < iter.ntensors(); ++k) {
      const TypeChange& change = operands.emplace_back(iter.operand(k), kernel.types[k]);
      if (k < iter.noutputs()) continue;
      casts = casts || change.converts();
      max_size = std::max<std::int64_t>(max_size, change.kernel_size);
    }
  }

  /// Whether f(k, size) holds for all inputs k, with elements of `size` bytes in memory.
  template <class F>
  bool all(const F& f) const {
    for (int k = iter.noutputs(); k < iter.ntensors(); ++k)
      if (!f(k, std::int64_t{operands[k].memory_size})) return false;
    return true;
  }
  /// Whether an input is the same along a dim, and the kernel has loops for that.
  bool stands_still(int dim, int k) const {
    return kernel.take_values != nullptr && geometry.stride(dim, k) == 0;
  }
  /// Whether it can be one value in each row along a dim where it is.
  bool is_value_along(int dim, int k) const {
    return stands_still(dim, k) && !operands[k].converts();
  }
  /// Whether all are dense along a dim, or one value.
  bool dense_along(int dim) const {
    return all([&](int k, std::int64_t size) {
      return geometry.stride(dim, k) == size || is_value_along(dim, k);
    });
  }
  /// The inputs that are one value in each row along a dim, as ReductionKernel::take_values says.
  std::uint32_t values_along(int dim) const {
    std::uint32_t values = 0;
    for (int k = iter.noutputs(); k < iter.ntensors(); ++k)
      if (is_value_along(dim, k)) values |= 1U << (k - iter.noutputs());
    return values;
  }
  /// Whether an input's rows along a kept dim can be read where they are.
  bool is_row_along(int dim, int k) const {
    return !operands[k].converts() &&
           (geometry.stride(dim, k) == operands[k].memory_size || is_value_along(dim, k));
  }
  /// Kept dims in front of the others that are one row in all inputs whose rows can be read where
  /// they are; 0 if no input's can, or rows would be too short for it.
  int rows_in_place(const ReduceSide& kept) const;
  /// Elements that a block of gathered columns may have. If `in_place`, inputs need no buffer for
  /// them that are read where they are, or one value in each row.
  std::int64_t gathered_elements(const ReduceSide& kept, bool in_place) const {
    std::int64_t bytes = 0;
    for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
      const int row = kept.steps[0].dim;
      if (!in_place || !(stands_still(row, k) || is_row_along(row, k)))
        bytes += operands[k].buffer_bytes();
    }
    return fixed::gathered_bytes / std::max<std::int64_t>(bytes, 1);
  }
  /// Elements along the first `ndim` dims of a side.
  std::int64_t elements_of(const ReduceSide& side, int ndim) const {
    std::int64_t elements = 1;
    for (int i = 0; i < ndim; ++i)
      elements *= geometry.extent(side.steps[i].dim);
    return elements;
  }
  /// Kept dims in front of the others that are one dim in all inputs. They may be several, where an
  /// output does not let them be one; what is made of them must not depend on that.
  int joined_dims(const ReduceSide& kept) const;

  const TensorIterator& iter;
  const ReductionKernel& kernel;
  const Geometry& geometry;
  const ComputedRows* computed;                       // of inputs in no memory; null: they are
  SmallVector<TypeChange, inline_operands> operands;  // outputs first
  bool casts = false;                                 // any of them
  std::int64_t max_size = 1;                          // bytes of an element as the kernel sees it
};

/// Whether to reduce by columns (kept elements next to each other) rather than spans: `kept` and
/// `reduced` elements in all, and whether dim 0 is kept, then of how many columns. Rows that are
/// not gathered have at least `least_row` elements.
bool reduces_by_columns(std::int64_t kept, std::int64_t reduced, bool kept_inside,
                        std::int64_t columns, std::int64_t least_row) noexcept;

/// Rows of a block in columns, of `rows` of them with elements of `size` bytes: many, to combine
/// seldom, but leaving several blocks for threads to share unless these are small. Few where it is
/// asked after each block whether to go on, and where accumulators are no wider than elements, so
/// that not many of these are added one after the other.
std::int64_t rows_of_block(const ReductionKernel& kernel, std::int64_t size, std::int64_t rows,
                           std::int64_t columns) noexcept;

/// Elements of one span, at most, of rows of n elements of `size` bytes. `staged`: it goes through
/// a buffer.
std::int64_t elements_of_span(const ReductionKernel& kernel, std::int64_t size, std::int64_t n,
                              bool staged) noexcept;

/// Chooses.
ReduceDims choose_form(const ReduceInputs& inputs);

/// The largest power of two that is not above n, or 1.
std::int64_t floor_power(std::int64_t n) noexcept;

}  // namespace v0
}  // namespace weft
