// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/segment.hpp"

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {
namespace graph {

void Assumptions::add_shapes(const ValueTable& table) {
  for (const Root& root : table.roots()) {
    if (root.kind != Root::Kind::dynamic) continue;
    const IntSpan shape = table[root.index].view.shape();
    shapes.emplace_back(root.index, DimVector(shape.begin(), shape.end()));
  }
}

bool Assumptions::hold(const ValueTable& table) const {
  for (const auto& [value, shape] : shapes) {
    if (!std::ranges::equal(shape, table[value].view.shape())) return false;
  }
  for (const auto& [value, assumed] : values) {
    TensorView now = table.current_view(table[value]);
    Tensor dense;
    if (!now.is_contiguous()) now = dense = Tensor::copy_of(now);
    if (now.numel() != assumed.numel() ||
        std::memcmp(now.data(), assumed.data(), static_cast<std::size_t>(now.nbytes())) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
