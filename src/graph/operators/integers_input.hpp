// SPDX-License-Identifier: Apache-2.0
/// @file
/// Lists of integers that inputs hold.
#pragma once

#include "graph/operators/checks.hpp"

#include <cstdint>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// The integers, or bools as 0 and 1, that an input holds: once where it is a constant, else anew
/// in each run. The input is contiguous.
class IntegersInput {
 public:
  IntegersInput(const PrepareContext& context, int input) : input_(input) {
    if (const TensorView* constant = context.constant(input)) {
      list_ = integers_of(*constant, input);
    } else {
      view_ = context.input(input);
      list_.resize(static_cast<std::size_t>(view_.numel()));
    }
  }

  /// Allocates nothing. Throws Error(overflow) as read_integers().
  IntSpan in(const KernelArguments& arguments) {
    if (view_.defined()) {
      read_integers(rebound(view_, arguments.inputs[input_]), input_, list_.data());
    }
    return {list_.data(), list_.size()};
  }

 private:
  int input_;
  std::vector<std::int64_t> list_;
  TensorView view_;  // undefined: the input is a constant
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
