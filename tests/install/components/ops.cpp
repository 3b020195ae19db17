// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/matmul.hpp>
#include <weft/ops/reduce.hpp>

#include <cstdio>

int main() {
  const auto a = weft::Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const auto sum = weft::sum(weft::add(a, a), {1});
  if (sum.at<float>({0}) != 6 || sum.at<float>({1}) != 14) return 1;
  if (weft::matmul(a, a).at<float>({1, 0}) != 15) return 1;

  // Found by the component below, and caught here.
  try {
    weft::add(a, weft::Tensor::zeros({3}, weft::ScalarType::f32));
    return 1;
  } catch (const weft::Error& error) {
    if (error.code() != weft::ErrorCode::shape) return 1;
  }
  std::puts("ops: fine");
  return 0;
}
