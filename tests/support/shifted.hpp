// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operands that are not aligned.
#pragma once

#include "support/dense.hpp"

#include <algorithm>
#include <vector>

namespace test {

/// An operand `shift` bytes behind where its type would like to be, and nothing beyond its end.
class Shifted {
 public:
  Shifted(Random& random, weft::ScalarType type, const Layout& layout, std::int64_t shift)
      : bytes_(weft::ScalarType::u8, fit({{layout.size * weft::element_size(type) + shift}, {1}})) {
    std::byte* begin = bytes_.data() + (layout.size > 0 ? shift : 0);
    std::vector<std::byte> values(static_cast<std::size_t>(layout.size * weft::element_size(type)));
    fill(type, values.data(), layout.size, random);
    std::copy(values.begin(), values.end(), begin);
    view_ = weft::TensorView::within({bytes_.data(), bytes_.data() + bytes_.size_bytes()},
                                     begin + layout.origin * weft::element_size(type), type,
                                     layout.shape, layout.strides);
  }
  const weft::TensorView& view() const { return view_; }
  Watch watch() const { return {bytes_.data(), bytes_.size_bytes(), view_}; }
  void reset(const std::vector<std::byte>& from) {
    std::copy(from.begin(), from.end(), bytes_.data());
  }
  std::vector<std::byte> bytes() const {
    return {bytes_.data(), bytes_.data() + bytes_.size_bytes()};
  }

 private:
  Memory bytes_;
  weft::TensorView view_;
};

}  // namespace test
