// SPDX-License-Identifier: Apache-2.0
/// @file
/// Products of f16, bf16, f32 and f64 whose right side is in panels, or lies like panels: shared
/// among threads, and by way of buffers where an operand does not lie as the kernels read it.
#pragma once

#include "linalg/run_product.hpp"

namespace weft {
inline namespace v0 {

/// A product whose right side is in panels, or lies like panels.
struct PanelProduct {
  ScalarType type;
  const ProductKernel* kernel;
  ProductShape shape;
  MatrixAt c, a, start;
  const char* b;
  std::int64_t b_depth_step, b_panel_step;

  std::int64_t size() const { return element_size(type); }
  std::int64_t width() const { return kernel->panel_columns; }
  bool is_narrow() const { return product_type(type) != type; }

  bool dense(const MatrixAt& m) const { return m.column_step == size() && !is_narrow(); }
  bool takes_left() const {
    if (is_narrow()) return false;
    constexpr std::int64_t few_panels = 2;
    return a.column_step == size() || shape.depth <= 1 || shape.rows == 1 ||
           shape.columns <= few_panels * width();
  }
  bool takes_start() const { return start.data == nullptr || dense(start); }

  void run() const;

 private:
  /// On this thread.
  void run_here() const;
};

}  // namespace v0
}  // namespace weft
