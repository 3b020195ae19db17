// SPDX-License-Identifier: Apache-2.0
// Part of every component but the lowest where they are shared libraries. One that meets a lowest
// component of another version is refused by the loader, which misses this name, instead of calling
// functions that have changed.
#include "base/same_version.hpp"

namespace weft {
inline namespace v0 {
namespace {

[[gnu::used]] const char* const same_version = &WEFT_INTERNALS;

}  // namespace
}  // namespace v0
}  // namespace weft
