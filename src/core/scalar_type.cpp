// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/scalar_type.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {
namespace {

constexpr std::string_view names[scalar_type_count] = {"bool", "u8",  "i8",  "u16", "i16",
                                                       "u32",  "i32", "u64", "i64", "f16",
                                                       "bf16", "f32", "f64", "c64", "c128"};

}  // namespace

std::string_view name(ScalarType type) noexcept {
  const auto i = static_cast<int>(type);
  return i < scalar_type_count ? names[i] : "unknown";
}

ScalarType parse_scalar_type(std::string_view wanted) {
  std::string known;
  for (int i = 0; i < scalar_type_count; ++i) {
    if (names[i] == wanted) return static_cast<ScalarType>(i);
    known += i == 0 ? "" : ", ";
    known += names[i];
  }
  fail(ErrorCode::parse, text("unknown element type '", wanted, "', expected one of ", known));
}

}  // namespace v0
}  // namespace weft
