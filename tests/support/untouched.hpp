// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operands for builds that are to fail.
#pragma once

#include <weft/core/tensor.hpp>

#include "support/visit.hpp"

namespace test {

/// A view whose memory need not exist: nothing may touch it.
inline weft::TensorView far(const Dims& shape, const Dims& strides,
                            weft::ScalarType type = weft::ScalarType::f32) {
  return weft::TensorView::trusted(reinterpret_cast<const void*>(std::uintptr_t{1} << 40), type,
                                   shape, strides);
}

/// An output full of a pattern, to see whether anybody wrote or replaced it.
struct Untouched {
  weft::Tensor tensor = weft::Tensor::full({3, 4}, weft::ScalarType::f32, 7.25);
  const void* before = tensor.data();

  bool holds() const {
    bool same = tensor.data() == before && dims(tensor.shape()) == Dims{3, 4};
    for (int i = 0; i < 12; ++i)
      same = same && tensor.data_as<float>()[i] == 7.25f;
    return same;
  }
};

}  // namespace test
