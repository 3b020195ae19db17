// SPDX-License-Identifier: Apache-2.0
// Part of every component but the lowest where they are shared libraries. One that meets a lowest
// component of another version is refused by the loader, which misses this name, instead of calling
// functions that have changed.
#include "base/same_version.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Run when the component is loaded, so that linkers that drop what nobody reads keep it, and the
/// name with it.
[[gnu::constructor]] void look_for_the_name() {
  const char* volatile name = &WEFT_INTERNALS;
  static_cast<void>(name);
}

}  // namespace
}  // namespace v0
}  // namespace weft
