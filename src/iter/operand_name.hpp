// SPDX-License-Identifier: Apache-2.0
/// @file
/// How messages name an operand.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>

namespace weft {
inline namespace v0 {

/// "output 0", "input 1": each counted from 0, as callers write them.
std::string operand_name(std::integral auto index, std::integral auto noutputs) {
  const auto k = static_cast<std::int64_t>(index), outputs = static_cast<std::int64_t>(noutputs);
  return k < outputs ? "output " + std::to_string(k) : "input " + std::to_string(k - outputs);
}

/// The same for a list whose elements know whether they are outputs.
template <class Op>
std::string operand_name(std::span<Op> operands, std::size_t index) {
  std::size_t noutputs = 0;
  for (const Op& op : operands)
    noutputs += op.is_output ? 1 : 0;
  return operand_name(index, noutputs);
}

}  // namespace v0
}  // namespace weft
