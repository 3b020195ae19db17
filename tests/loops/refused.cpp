// SPDX-License-Identifier: Apache-2.0
// Kernels that are none: check_refused.cmake compiles each alone.
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/reduce.hpp>

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
#elif defined(WEFT_TEST_GENERIC_TUPLE)
  weft::cpu_kernel(iter, [](auto x) { return std::tuple(x, x); });
#elif defined(WEFT_TEST_GENERIC_NOTHING)
  weft::cpu_kernel_multiple_outputs(iter, [](auto) {});
#elif defined(WEFT_TEST_SERIAL_GENERIC)
  weft::cpu_serial_kernel(iter, [](auto x) { return x; });
#elif defined(WEFT_TEST_MUTABLE)
  weft::cpu_kernel(iter, [n = 0](int x) mutable { return n += x; });
#elif defined(WEFT_TEST_NO_IDENTITY) || defined(WEFT_TEST_NO_COMBINE) || \
    defined(WEFT_TEST_NO_PROJECT) || defined(WEFT_TEST_ACCUMULATE_CHANGES)
  struct Op {
#if !defined(WEFT_TEST_NO_IDENTITY)
    float identity() const { return 0; }
#endif
#if defined(WEFT_TEST_ACCUMULATE_CHANGES)
    float accumulate(float h, float x) { return h + x; }
#else
    float accumulate(float h, float x) const { return h + x; }
#endif
#if !defined(WEFT_TEST_NO_COMBINE)
    float combine(float a, float b) const { return a + b; }
#endif
#if !defined(WEFT_TEST_NO_PROJECT)
    float project(float h) const { return h; }
#endif
  };
  weft::cpu_reduce(iter, Op());
#elif defined(WEFT_TEST_COMBINE_ALONE)
  struct Op {
    float accumulate(float h, float x) const { return h + x; }
    float combine(float a, float b) const { return a + b; }
    float project(float h) const { return h; }
  };
  weft::cpu_cumulative(iter.operand(0).view, iter.operand(1).view, 0, Op());
#elif defined(WEFT_TEST_COMBINE_CHANGES)
  struct Op {
    float identity() const { return 0; }
    float accumulate(float h, float x) const { return h + x; }
    float combine(float a, float b) { return a + b; }
    float project(float h) const { return h; }
  };
  weft::cpu_cumulative(iter.operand(0).view, iter.operand(1).view, 0, Op());
#else
  weft::cpu_kernel(iter, [](const float& x) { return x; });
#endif
}
