// SPDX-License-Identifier: Apache-2.0
#include "recurrent/spec/entry_name.hpp"

#include "base/text.hpp"

namespace weft {
inline namespace v0 {
namespace recurrent {

std::string EntryName::text() const {
  std::string out = kind_;
  if (number_) out += weft::text(' ', *number_);
  if (body_ != nullptr) {
    const graph::Node& parameter =
        body_->node(body_->parameters()[static_cast<std::size_t>(parameter_)]);
    out += weft::text(" (parameter ", parameter_, " '", parameter.name, "')");
  }
  return out + what_;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
