// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/iter/types.hpp>

#include "base/text.hpp"
#include "iter/operand_name.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// First operand whose type differs from the first one's, or -1.
int first_difference(std::span<const OperandType> operands, bool outputs_too) {
  int reference = -1;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const OperandType& op = operands[i];
    if (!op.defined || (op.is_output && !outputs_too)) continue;
    if (reference < 0) {
      reference = static_cast<int>(i);
    } else if (op.storage != operands[static_cast<std::size_t>(reference)].storage) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

[[noreturn]] void fail_difference(std::span<const OperandType> operands, int at, bool outputs_too) {
  std::size_t reference = 0;
  while (!operands[reference].defined || (operands[reference].is_output && !outputs_too))
    ++reference;
  fail(ErrorCode::dtype,
       text(operand_name(operands, static_cast<std::size_t>(at)), ": found element type ",
            name(operands[static_cast<std::size_t>(at)].storage), ", expected ",
            name(operands[reference].storage), " as ", operand_name(operands, reference)));
}

std::optional<ScalarType> common_type(std::span<const OperandType> operands,
                                      const TypeRules& rules) {
  ResultType result(rules.default_float);
  std::optional<ScalarType> first;
  bool any_axes = false;
  for (const OperandType& op : operands) {
    if (!op.defined) continue;
    any_axes = any_axes || op.rank > 0;
    if (op.is_output) continue;
    if (!first) first = op.storage;
    result.add(op.storage, op.rank, op.weak);
  }
  // A lone scalar keeps its own width unless promotion is asked to look at it.
  const bool compute =
      rules.promote_inputs && (first_difference(operands, false) >= 0 || !any_axes);
  std::optional<ScalarType> common = compute ? result.get() : first;
  if (common && rules.integers_to_float &&
      (is_integer(*common) || *common == ScalarType::boolean)) {
    common = rules.default_float;
  }
  return common;
}

}  // namespace

std::optional<ScalarType> resolve_types(std::span<OperandType> operands, const TypeRules& rules) {
  bool to_infer = false;
  for (OperandType& op : operands) {
    op.dtype = op.storage;
    if (op.defined) continue;
    if (rules.undefined_outputs) {
      op.storage = op.dtype = *rules.undefined_outputs;
    } else {
      to_infer = true;
    }
  }
  if (rules.check_all_same) {
    const int at = first_difference(operands, true);
    if (at >= 0) fail_difference(operands, at, true);
  }
  if (!to_infer && !rules.check_all_same && !rules.promote_inputs && !rules.cast_to_outputs &&
      !rules.safe_casting) {
    return std::nullopt;
  }
  if ((to_infer || rules.safe_casting || rules.cast_to_outputs) && !rules.promote_inputs) {
    const int at = first_difference(operands, false);
    if (at >= 0) fail_difference(operands, at, false);
  }
  const std::optional<ScalarType> common = common_type(operands, rules);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    OperandType& op = operands[i];
    if (!op.is_output) {
      if (rules.promote_inputs && common) op.dtype = *common;
      continue;
    }
    if (!op.defined) {
      if (rules.undefined_outputs) continue;
      if (!common) {
        fail(ErrorCode::dtype, text(operand_name(operands, i),
                                    ": no input to infer an element type from; "
                                    "expected declare_static_dtype or a defined output"));
      }
      op.storage = op.dtype = *common;
      continue;
    }
    if (!common) continue;
    if (rules.safe_casting && !can_cast(*common, op.storage)) {
      fail(ErrorCode::cast, text(operand_name(operands, i), ": result type ", name(*common),
                                 " can't be cast to the output's ", name(op.storage)));
    }
    if (rules.cast_to_outputs) op.dtype = *common;
  }
  return common;
}

}  // namespace v0
}  // namespace weft
