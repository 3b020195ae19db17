// SPDX-License-Identifier: Apache-2.0
/// @file
/// A name with the full version in it, which components look for in the lowest one. Shared
/// libraries of one minor version may stand in for one another; what components share of their
/// internals may not.
#pragma once

#include <weft/base/version.hpp>

#include "base/internal_api.hpp"

#define WEFT_INTERNALS_OF_(MAJOR, MINOR, PATCH) internals_of_##MAJOR##_##MINOR##_##PATCH
#define WEFT_INTERNALS_OF(MAJOR, MINOR, PATCH) WEFT_INTERNALS_OF_(MAJOR, MINOR, PATCH)
/// internals_of_0_2_0, or whichever version this is.
#define WEFT_INTERNALS WEFT_INTERNALS_OF(WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH)

namespace weft {
inline namespace v0 {

extern WEFT_INTERNAL_API const char WEFT_INTERNALS;

}  // namespace v0
}  // namespace weft
