// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/vectorized.hpp>

#include <cstdio>

int main() {
  const auto a = weft::Tensor::of<float>({3}, {1, 4, 9});
  weft::Tensor out;
  auto iter = weft::TensorIteratorConfig().add_output(out).add_input(a).build();
  weft::cpu_kernel(iter, [](auto x) { return x * x; });
  if (out.at<float>({2}) != 81) return 1;
  std::puts("vectorized: fine");
  return 0;
}
