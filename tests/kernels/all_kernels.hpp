// SPDX-License-Identifier: Apache-2.0
/// @file
/// The kernels of the function tables, for tests of what holds for all of them.
#pragma once

#include "ops/any_function.hpp"
#include "support/element.hpp"

#include <iterator>
#include <string_view>

namespace test {

/// Calls f(name, kernel) for each function and type that has a kernel at a level.
template <class F>
void for_each_kernel(weft::Level level, F&& f) {
  const auto all_of = [&]<class Op>(const auto& functions, Op) {
    for (std::size_t op = 0; op < std::size(functions); ++op) {
      for (const weft::ScalarType type : all_types()) {
        const weft::SpanKernel* kernel =
            weft::any_function(static_cast<Op>(op)).kernel(type, level);
        if (kernel != nullptr) f(std::string_view(functions[op].name), *kernel);
      }
    }
  };
  all_of(weft::unary_functions, weft::UnaryOp());
  all_of(weft::binary_functions, weft::BinaryOp());
  all_of(weft::compare_functions, weft::CompareOp());
  all_of(weft::ternary_functions, weft::TernaryOp());
}

}  // namespace test
