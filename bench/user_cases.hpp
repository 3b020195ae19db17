// SPDX-License-Identifier: Apache-2.0
/// @file
/// What users write, and plain loops that do the same: compiled as an ordinary file and as a kernel
/// file, from this one text.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/kernel/vectorized_math.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace bench {

enum class UserCase : std::uint8_t {
  scaled,  ///< x * 2 + 1
  root,    ///< std::sqrt, which is a builtin function
  floor,   ///< the same
  exp,     ///< weft::exp of a float
  log,
  tanh,
  pow,          ///< of two
  exp_vectors,  ///< by a lambda with auto
  weighted,     ///< sum of (x - y)^2 w over the middle axis, w as it comes
  deviations,   ///< sum of (x - mean)^2
  sum_of_exp,   ///< accumulate of one template
  greatest,     ///< the largest element of each row, and its place
  picture,      ///< bytes, a mean and a bias to floats
  box,          ///< nine views of one picture
  windows,      ///< unfold and weights
  recurrence,   ///< h = a h + b along the first axis
};
inline constexpr const char* user_case_names[] = {
    "x * 2 + 1", "std::sqrt", "std::floor",        "weft::exp",  "weft::log",  "weft::tanh",
    "weft::pow", "exp, auto", "weighted squares",  "deviations", "sum of exp", "greatest and place",
    "picture",   "3x3 box",   "windows by unfold", "recurrence"};

/// One iterator, outputs first, and what the plain loop walks: the same memory.
struct UserOperands {
  weft::TensorIterator iter;
  weft::TensorView views[11];
};

/// A case in weft, or by plain loops.
using UserRun = void(UserCase which, bool plain, const UserOperands& operands);
WEFT_DECLARE_KERNEL(user_case_in_kernel_file, UserRun);
/// In weft by a file with -O2, by plain loops with -O3.
UserRun user_case_in_ordinary_file;
void user_case_by_plain_loops(UserCase which, const UserOperands& operands);

}  // namespace bench
