// SPDX-License-Identifier: Apache-2.0
#include <weft/core/dispatch_types.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {

void fail_unsupported_type(ScalarType type) {
  fail(ErrorCode::dtype, text("element type ", name(type), " is not supported by this operation"));
}

}  // namespace v0
}  // namespace weft
