// SPDX-License-Identifier: Apache-2.0
/// @file
/// The operations by name, for programs that read what to do: the bench runner, explain, tests.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>
#include <weft/ops/function_table.hpp>
#include <weft/ops/reduction_table.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace weft {
inline namespace v0 {

/// Arguments of one call by name. Language scalars are weak 0-d views (Scalar::view()).
struct OpArguments {
  std::span<const TensorView> outputs;
  std::span<const TensorView> inputs;
  DimVector axes;  ///< of a reduction; empty: all. The one of a prefix operation, softmax or sort
  /// Shifts, repeats, ... of functions that move elements, see OpEntry::numbers.
  DimVector numbers = {};
  bool keepdim = false;
  Scalar value = 1;  ///< of a function that takes a number (scaled.hpp)
};

/// One operation.
struct OpEntry {
  /// As `inputs`: one at least.
  static constexpr int any_number = -1;

  std::string_view name;
  int inputs = 0;
  /// Writes into the given outputs; errors as the function of that name.
  void (*run)(const OpArguments&) = nullptr;
  /// How run() would go about it.
  Explanation (*explain)(const OpArguments&) = nullptr;
  /// What is known of an elementwise function; null for reductions and the rest.
  const FunctionInfo* function = nullptr;
  /// What is known of a reduction; null for everything else.
  const ReductionInfo* reduction = nullptr;
  bool takes_axes = false;
  bool takes_keepdim = false;
  /// Of what moves, counts or picks elements: what OpArguments::numbers are, such as "a shift for
  /// each axis"; empty if there are none. Null for all others, which take none.
  const char* numbers = nullptr;
  int outputs = 1;
};

/// All operations, in alphabetical order.
WEFT_API std::span<const OpEntry> all_ops() noexcept;
/// The operation of that name. Throws Error(invalid_argument) that names it if there is none, and
/// that says how many inputs and outputs were expected if the counts do not fit.
WEFT_API const OpEntry& find_op(std::string_view name, const OpArguments& arguments);

}  // namespace v0
}  // namespace weft
