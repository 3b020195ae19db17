// SPDX-License-Identifier: Apache-2.0
/// @file
/// Calls of operations by name, with random operands.
#pragma once

#include <weft/ops/registry.hpp>

#include "support/dense.hpp"
#include "support/naive_functions.hpp"
#include "support/reduction_list.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace test {

/// The type in which an operation on inputs of these types gives its result.
inline weft::ScalarType result_type(const weft::OpEntry& op,
                                    const std::vector<weft::ScalarType>& inputs) {
  if (op.function != nullptr) return result_type(*op.function, common_type(*op.function, inputs));
  if (op.reduction != nullptr) return result_type(*op.reduction, inputs[0]);
  if (op.name == "logcumsumexp" || op.name.ends_with("softmax")) return floating_type(inputs[0]);
  if (op.name == "argsort") return weft::ScalarType::i64;
  const bool adds = op.name == "cumsum" || op.name == "cumprod";
  return adds && kind_of(inputs[0]) < 2 ? weft::ScalarType::i64 : inputs[0];
}

/// True for operations that are not exact: made of fused multiply-adds where there are any.
inline bool is_approximate(const weft::OpEntry& op) {
  return op.name == "logsumexp" || (op.function != nullptr && is_inexact(*op.function));
}

/// FNV-1a over all elements.
inline std::uint64_t digest(const Dense& values) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : values.bytes)
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

/// Memory with random elements.
using DrawInput = Memory (*)(Random& random, weft::ScalarType type, const Layout& layout);

/// With any.
inline Memory draw_any(Random& random, weft::ScalarType type, const Layout& layout) {
  return random_memory(random, type, layout);
}

/// A call, and the memory of its operands: inputs of `type`, the last of several perhaps of another
/// one; any layouts.
class RandomCall {
 public:
  /// @param shape  of the inputs, two axes; the first alone for dot
  RandomCall(Random& random, const weft::OpEntry& op, weft::ScalarType type, Dims shape,
             DrawInput draw = &draw_any)
      : op_(op) {
    if (op.name == "dot") shape.resize(1);
    const weft::ScalarType other = random.chance(50) ? type : random.pick(all_types());
    std::vector<weft::ScalarType> types;
    memories_.reserve(static_cast<std::size_t>(op.inputs));
    for (int k = 0; k < op.inputs; ++k) {
      const bool condition =
          k == 0 && op.function != nullptr && op.function->result == weft::ResultRule::chosen;
      const weft::ScalarType own = condition                             ? weft::ScalarType::boolean
                                   : k == op.inputs - 1 && op.inputs > 1 ? other
                                                                         : type;
      memories_.push_back(draw(random, own, random_layout(random, shape)));
      inputs_.push_back(memories_.back().view());
      types.push_back(own);
    }
    Dims result_shape = op.name == "dot" ? Dims{} : shape;
    const bool prefix = op.name.starts_with("cum") || op.name == "logcumsumexp" ||
                        op.name.ends_with("softmax") || op.name.ends_with("sort");
    if (prefix || op.reduction != nullptr) {
      const std::int64_t axis = random.integer(0, 1);
      axes_ = {axis};
      if (!prefix) result_shape.erase(result_shape.begin() + axis);
    }
    memories_.push_back(random_output(random, result_type(op, types), result_shape));
    output_ = memories_.back().view();
  }
  RandomCall(const RandomCall&) = delete;
  RandomCall& operator=(const RandomCall&) = delete;

  weft::ScalarType type() const { return output_.dtype(); }
  /// Throws what the operation throws.
  void run() const { op_.run({.outputs = {&output_, 1}, .inputs = inputs_, .axes = axes_}); }
  /// What the output holds, all NaNs alike.
  Dense result() const {
    Dense values = dense_copy(output_);
    canonicalize(values);
    return values;
  }

 private:
  const weft::OpEntry& op_;
  std::vector<Memory> memories_;
  std::vector<weft::TensorView> inputs_;
  weft::TensorView output_;
  weft::DimVector axes_;
};

}  // namespace test
