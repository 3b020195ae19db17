// SPDX-License-Identifier: Apache-2.0
/// @file
/// The axes round a matrix product: which of them are rows of one product, and the walk over the
/// others. Private to the compiled part.
#pragma once

#include <weft/base/limits.hpp>
#include <weft/base/small_vector.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernel/run_product.hpp"

#include <array>
#include <cstdint>

namespace weft::inline v0 {

/// The operands of a product in their fixed order.
enum ProductOperand : std::uint8_t { product_c, product_a, product_b, product_start };

/// All axes of a product's result but the last, with what each operand moves by (bytes or elements).
class ProductAxes {
 public:
  using Steps = std::array<std::int64_t, 4>;
  struct Axis {
    std::int64_t extent;
    Steps steps;
  };

  /// From the outermost axis in; an axis that all operands walk as one with the last is joined to it.
  void add(std::int64_t extent, const Steps& steps) {
    if (extent == 1) return;
    if (!axes_.empty()) {
      Axis& outer = axes_.back();
      bool joins = true;
      for (std::size_t k = 0; k < steps.size(); ++k)
        joins &= outer.steps[k] == extent * steps[k];
      if (joins) {
        outer = {outer.extent * extent, steps};
        return;
      }
    }
    axes_.push_back({extent, steps});
  }

  /// Takes the innermost axis as rows, if the right side stands still along it.
  Axis take_rows() {
    if (axes_.empty() || axes_.back().steps[product_b] != 0) return {1, {}};
    const Axis rows = axes_.back();
    axes_.pop_back();
    return rows;
  }

  /// Calls f(offsets, in the steps' unit) for each index of the axes that are left, on several threads if a product
  /// of `multiplications` is worth it.
  template <class F>
  void for_each(double multiplications, F&& f) const {
    std::int64_t count = 1;
    for (const Axis& axis : axes_)
      count *= axis.extent;
    parallel_for(count, product_grain(multiplications), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        Steps offsets{};
        std::int64_t left = i;
        for (std::size_t axis = axes_.size(); axis-- > 0;) {
          const std::int64_t index = left % axes_[axis].extent;
          left /= axes_[axis].extent;
          for (std::size_t k = 0; k < offsets.size(); ++k)
            offsets[k] += index * axes_[axis].steps[k];
        }
        f(offsets);
      }
    });
  }

 private:
  SmallVector<Axis, inline_rank> axes_;
};

/// Throws Error(overlap) if the result meets itself or an operand; `operand` names it.
void check_product_overlap(const TensorView& c, const TensorView& other, const char* operand);
void check_product_output(const TensorView& c);

}  // namespace weft::inline v0
