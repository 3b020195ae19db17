// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/reduce.hpp>

#include <cstdio>

// A conversion and a transposed operand, which the engine's own kernels pack and convert.
int main() {
  const auto a = weft::Tensor::of<int>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto b = weft::Tensor::of<float>({3, 2}, {10, 40, 20, 50, 30, 60});
  const auto turned = b.permute({1, 0});
  weft::Tensor out;
  auto iter = weft::TensorIteratorConfig()
                  .add_output(out)
                  .add_input(a)
                  .add_input(turned)
                  .promote_inputs_to_common_dtype(true)
                  .build();
  weft::cpu_kernel(iter, [](float x, float y) { return x + y; });
  if (out.at<float>({1, 2}) != 66 || out.at<float>({0, 1}) != 22) return 1;

  const auto wrong = weft::Tensor::zeros({4}, weft::ScalarType::f32);
  weft::TensorIteratorConfig config;
  config.add_output(out).add_input(b).add_input(wrong);
  try {
    config.build();
    return 1;
  } catch (const weft::Error& error) {
    if (error.code() != weft::ErrorCode::shape) return 1;
  }
  std::puts("iter: fine");
  return 0;
}
