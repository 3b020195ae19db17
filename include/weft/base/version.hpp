// SPDX-License-Identifier: Apache-2.0
/// @file
/// The library's version. While it is 0.x, a new minor version may change the interface.
#pragma once

#include <weft/base/export.hpp>

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 2
#define WEFT_VERSION_PATCH 0

namespace weft {
inline namespace v0 {

/// The version of the compiled part as "major.minor.patch"; the macros are those of the headers.
WEFT_API const char* version() noexcept;

}  // namespace v0
}  // namespace weft
