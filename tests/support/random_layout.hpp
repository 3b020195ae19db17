// SPDX-License-Identifier: Apache-2.0
/// @file
/// Random shapes, strides and the exact memory for them.
#pragma once

#include <weft/core/tensor_view.hpp>

#include "support/naive.hpp"
#include "support/seed.hpp"

#include <cstddef>
#include <cstring>
#include <memory>

namespace test {

/// Where the elements of a tensor lie. The memory has `size` elements, not one more than is
/// reached; element (0, 0, ...) is number `origin` of it.
struct Layout {
  Dims shape;
  Dims strides;
  std::int64_t origin = 0;
  std::int64_t size = 0;
};

/// Sets origin and size from shape and strides.
Layout fit(Layout layout);

/// Extents mostly small, sometimes 1, seldom 0.
Dims random_shape(Random& random, int max_rank, std::int64_t max_extent = 5);

/// A shape that broadcasts to `common`: some axes of extent 1, some leading axes missing.
Dims random_operand_shape(Random& random, const Dims& common);

/// What strides may be drawn. Without `zero` no two elements share a place.
struct LayoutKinds {
  bool permuted = true;
  bool padded = true;
  bool negative = true;
  bool zero = true;
};

Layout random_layout(Random& random, const Dims& shape, LayoutKinds kinds = {});

/// Memory of exactly the right size, so that the address sanitizer sees any step outside, and a
/// view of it. Null for no bytes.
class Memory {
 public:
  Memory(weft::ScalarType type, const Layout& layout);

  std::byte* data() const { return data_.get(); }
  std::int64_t size_bytes() const { return bytes_; }
  /// Address of element (0, 0, ...).
  std::byte* origin() const {
    return data_ == nullptr ? nullptr : data_.get() + layout_.origin * element_bytes_;
  }
  const Layout& layout() const { return layout_; }
  NaiveOperand naive() const { return {layout_.shape, layout_.strides, element_bytes_}; }
  weft::TensorView view() const;

 private:
  Layout layout_;
  weft::ScalarType type_;
  std::int64_t element_bytes_;
  std::int64_t bytes_;
  std::unique_ptr<std::byte[]> data_;
};

}  // namespace test
