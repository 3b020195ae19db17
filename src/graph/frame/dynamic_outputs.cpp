// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/dynamic_outputs.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

void* DynamicOutputs::allocate(int output, IntSpan shape) {
  const int value = first_value + output;
  ValueState& at = values_[value];
  if (!at.view.defined() || !std::ranges::equal(at.view.shape(), shape)) {
    const ScalarType dtype = program_.values[static_cast<std::size_t>(value)].type.dtype;
    at.view = values_.placeholders.next(dtype, shape);
  }
  program_.operators.check_bytes(at.view.nbytes());
  Root& root = values_.root(at.root);
  root.bind(memory_.buffer(value, at.view.nbytes()));
  return root.origin;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
