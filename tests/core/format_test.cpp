// SPDX-License-Identifier: Apache-2.0
#if __has_include(<fmt/format.h>)
#define FMT_HEADER_ONLY
#endif
#include <weft/core/format.hpp>

#include "support/catch.hpp"

TEST_CASE("format: tensors are arguments of fmt and of std::format", "[core]") {
  const weft::Tensor tensor = weft::Tensor::of<std::int32_t>({3}, {1, 2, 3});
  const weft::TensorView view = tensor.slice(0, 0, 2);
  static_cast<void>(view);
#if defined(FMT_HEADER_ONLY)
  CHECK(fmt::format("{}: {}", "a", tensor) == "a: i32[3]\n[1, 2, 3]");
  CHECK(fmt::format("{}", view) == "i32[2]\n[1, 2]");
#endif
#if defined(__cpp_lib_format)
  CHECK(std::format("{} of {}", view, tensor) == "i32[2]\n[1, 2] of i32[3]\n[1, 2, 3]");
#endif
}
