// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/ops/binary.hpp>

#include <between.hpp>

#include <cstdio>

int main() {
  const auto a = weft::Tensor::of<float>({2}, {1, 2});
  if (doubled_sum(weft::add(a, a)).at<float>({}) != 12) return 1;
  // Thrown by the copy of weft that the library uses, caught with the type that the program sees.
  try {
    doubled_sum(weft::TensorView());
    return 1;
  } catch (const weft::Error& error) {
    if (error.code() != weft::ErrorCode::undefined) return 1;
  }
  std::puts("reexport: fine");
  return 0;
}
