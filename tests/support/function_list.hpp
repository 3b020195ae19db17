// SPDX-License-Identifier: Apache-2.0
/// @file
/// Every function of the table with its forms and its oracle, for tests that run over all of them.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/function_table.hpp>

#include <functional>
#include <string>
#include <vector>

namespace test {

using Views = std::vector<weft::TensorView>;

struct Function {
  const weft::FunctionInfo* info;
  std::function<weft::Tensor(const Views&)> make;
  std::function<void(const weft::Output&, const Views&)> write;
  /// The result for elements of the common type.
  std::function<void(weft::ScalarType, const void* const*, void*)> oracle;
  bool inexact = false;  ///< of floating types; the oracle's results are rounded once

  std::string name() const { return info->name; }
};

/// The number that scaled functions are called with.
inline constexpr int scaled_by = -3;

const std::vector<Function>& all_functions();

}  // namespace test
