// SPDX-License-Identifier: Apache-2.0
#include <weft/base/version.hpp>
#include <weft/core/tensor.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>

#include "scaled_add.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

bool all_equal(const weft::Tensor& tensor, float expected) {
  const auto* values = static_cast<const float*>(tensor.data());
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (values[i] != expected) {
      std::printf("element %d is %g instead of %g\n", static_cast<int>(i), values[i], expected);
      return false;
    }
  }
  return true;
}

}  // namespace

int main() {
  if (std::strcmp(weft::version(), EXPECTED_WEFT_VERSION) != 0) {
    std::printf("linked with weft %s, found as " EXPECTED_WEFT_VERSION "\n", weft::version());
    return 1;
  }

  const auto a = weft::Tensor::full({2, 3}, weft::ScalarType::f32, 1.0);
  const auto b = weft::Tensor::full({2, 3}, weft::ScalarType::f32, 0.5);
  auto out = weft::Tensor::full({2, 3}, weft::ScalarType::f32, 0.0);
  auto iter = weft::TensorIteratorConfig().add_output(out).add_input(a).add_input(b).build();

  // A lambda in an ordinary file, and the kernel of this project's kernel file.
  weft::cpu_kernel(iter, [](float x, float y) { return x - y; });
  if (!all_equal(out, 0.5F)) return 1;
  consumer::scaled_add(iter, 2.0F);
  if (!all_equal(out, 2.5F)) return 1;

  std::puts("fine");
  return 0;
}
