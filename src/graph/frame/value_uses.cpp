// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/value_uses.hpp"

namespace weft {
inline namespace v0 {
namespace graph {

ValueUses::ValueUses(const Program& program) {
  uses_.resize(program.values.size());
  for (std::size_t n = 0; n < program.nodes.size(); ++n) {
    for (const int input : program.nodes[n].inputs) {
      if (input >= 0) uses_[static_cast<std::size_t>(input)].readers.push_back(static_cast<int>(n));
    }
  }
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    const auto value = static_cast<std::size_t>(program.results[i]);
    uses_[value].results.push_back(static_cast<int>(i));
  }
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
