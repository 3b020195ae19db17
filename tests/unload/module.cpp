// SPDX-License-Identifier: Apache-2.0
// What is loaded and unloaded.
#include "calls.hpp"

#if defined(__GNUC__)
#define WEFT_TEST_EXPORT __attribute__((visibility("default")))
#else
#define WEFT_TEST_EXPORT
#endif

extern "C" WEFT_TEST_EXPORT int weft_test_module_is_right();
extern "C" WEFT_TEST_EXPORT int weft_test_module_is_right() {
  return test::calls_are_right() && test::graph_is_right() ? 1 : 0;
}
