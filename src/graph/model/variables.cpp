// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/variables.hpp>

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {

const Tensor* Variables::find(std::string_view id) const noexcept {
  const auto found = variables_.find(id);
  return found != variables_.end() && found->second.now.defined() ? &found->second.now : nullptr;
}

TensorView Variables::prepare_next(std::string_view id, ScalarType type, IntSpan shape) {
  auto found = variables_.find(id);
  if (found == variables_.end()) found = variables_.emplace(std::string(id), Variable()).first;
  Variable& variable = found->second;
  Tensor& next = variable.next;
  if (!next.defined() || next.dtype() != type || !std::ranges::equal(next.shape(), shape)) {
    next = Tensor::empty(shape, type);
  }
  variable.is_set = true;
  return next;
}

void Variables::end_run() noexcept {
  for (auto& [id, variable] : variables_) {
    if (std::exchange(variable.is_set, false)) std::swap(variable.now, variable.next);
  }
}

void Variables::clear() noexcept { variables_.clear(); }

}  // namespace graph
}  // namespace v0
}  // namespace weft
