// SPDX-License-Identifier: Apache-2.0
/// @file
/// The kernels of the function tables, for tests of what holds for all of them.
#pragma once

#include "kernels/binary/binary.hpp"
#include "kernels/compare/compare.hpp"
#include "kernels/ternary/ternary.hpp"
#include "kernels/unary/unary.hpp"
#include "support/element.hpp"

#include <iterator>
#include <string_view>

namespace test {

/// Calls f(name, kernel) for each function and type that has a kernel at a level.
template <class F>
void for_each_kernel(weft::Level level, F&& f) {
  const auto all_of = [&]<class Op>(const auto& functions, const auto& table, Op) {
    for (std::size_t op = 0; op < std::size(functions); ++op) {
      for (const weft::ScalarType type : all_types()) {
        const weft::SpanKernel* kernel = table.at(level)(static_cast<Op>(op), type);
        if (kernel != nullptr) f(std::string_view(functions[op].name), *kernel);
      }
    }
  };
  all_of(weft::unary_functions, weft::unary_kernel, weft::UnaryOp());
  all_of(weft::binary_functions, weft::binary_kernel, weft::BinaryOp());
  all_of(weft::compare_functions, weft::compare_kernel, weft::CompareOp());
  all_of(weft::ternary_functions, weft::ternary_kernel, weft::TernaryOp());
}

}  // namespace test
