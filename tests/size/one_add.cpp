// SPDX-License-Identifier: Apache-2.0
// A program with one call, whose size is tested.
#include <weft/ops/binary.hpp>

int main() {
  const weft::Tensor a = weft::Tensor::full({2, 3}, weft::ScalarType::f32, 1);
  return weft::add(a, a).at<float>({1, 2}) == 2.0F ? 0 : 1;
}
