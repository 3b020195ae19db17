// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

#include "base/text.hpp"

namespace weft::inline v0 {

void fail_no_kernel(std::string_view operation, ScalarType type) {
  fail(ErrorCode::dtype, text(operation, ": not defined for element type ", name(type)));
}

}  // namespace weft::inline v0
