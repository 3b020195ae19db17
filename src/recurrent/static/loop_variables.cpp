// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/loop_variables.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

Variable LoopVariables::of(Source source) {
  const auto found = std::ranges::find(sources_, source);
  if (found != sources_.end()) return static_cast<Variable>(found - sources_.begin());
  sources_.push_back(source);
  now_.push_back(nullptr);
  return now_.size() - 1;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
