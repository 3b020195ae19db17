// SPDX-License-Identifier: Apache-2.0
// Tensors beside those that tests compare.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/ops/copy.hpp>

#include "support/dense.hpp"

#include <string>

namespace test {

/// A dense copy, of the same bytes.
inline weft::Tensor copied(const weft::TensorView& from) {
  const weft::Tensor copy = weft::Tensor::empty(from.shape(), from.dtype());
  weft::copy_out(copy, from);
  return copy;
}
inline std::string difference(const weft::TensorView& got, const weft::Tensor& want) {
  return difference(got, dense_copy(want));
}

}  // namespace test
