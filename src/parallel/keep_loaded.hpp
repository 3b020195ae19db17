// SPDX-License-Identifier: Apache-2.0
/// @file
/// Keeping code loaded that threads may be in.
#pragma once

namespace weft {
inline namespace v0 {

/// Keeps the program or library that weft is in loaded until the process ends, and with it those
/// that it needs, oneTBB among them, whose workers never end. Where that is not possible, such as
/// for a program, which stays anyway, it does nothing.
void keep_loaded() noexcept;

}  // namespace v0
}  // namespace weft
