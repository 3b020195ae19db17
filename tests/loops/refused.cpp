// SPDX-License-Identifier: Apache-2.0
// Kernels that are none: check_refused.cmake compiles each alone.
#include <weft/kernel/cpu_kernel.hpp>

#include <string>
#include <tuple>

void run(const weft::TensorIterator& iter) {
#if defined(WEFT_TEST_REFERENCE)
  weft::cpu_kernel(iter, [](float& x) { return x; });
#elif defined(WEFT_TEST_POINTER)
  weft::cpu_kernel(iter, [](const float* x) { return *x; });
#elif defined(WEFT_TEST_STRING)
  weft::cpu_kernel(iter, [](const std::string&) { return 1.0F; });
#elif defined(WEFT_TEST_NOTHING)
  weft::cpu_kernel(iter, [](float) {});
#elif defined(WEFT_TEST_TUPLE)
  weft::cpu_kernel(iter, [](float x) { return std::tuple(x, x); });
#else
  weft::cpu_kernel(iter, [](const float& x) { return x; });
#endif
}
