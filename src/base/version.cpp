// SPDX-License-Identifier: Apache-2.0
#include <weft/base/version.hpp>

#include "base/same_version.hpp"

#define WEFT_QUOTE_(x) #x
#define WEFT_QUOTE(x) WEFT_QUOTE_(x)

namespace weft {
inline namespace v0 {

const char WEFT_INTERNALS = 0;

const char* version() noexcept {
  return WEFT_QUOTE(WEFT_VERSION_MAJOR) "." WEFT_QUOTE(WEFT_VERSION_MINOR) "." WEFT_QUOTE(
      WEFT_VERSION_PATCH);
}

}  // namespace v0
}  // namespace weft
