// SPDX-License-Identifier: Apache-2.0
#include "core/compiled_types.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"

#include <string>

namespace weft {
inline namespace v0 {
namespace {

/// The names of the types that there are kernels for.
std::string compiled_names() {
  std::string names;
  for (int i = 0; i < scalar_type_count; ++i) {
    const auto type = static_cast<ScalarType>(i);
    if (is_compiled(type)) names += text(names.empty() ? "" : ", ", name(type));
  }
  return names;
}

}  // namespace

void fail_no_kernel(ScalarType type, std::string_view operation) {
  const std::string_view colon = operation.empty() ? "" : ": ";
  if (!is_compiled(type)) {
    fail(ErrorCode::dtype,
         text(operation, colon, "computes in ", name(type),
              ", for which weft was not compiled; its WEFT_TYPES are ", compiled_names()));
  }
  fail(ErrorCode::dtype, text(operation, colon, "not defined for element type ", name(type)));
}

}  // namespace v0
}  // namespace weft
