// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the bits of a byte are set: once for the loops of all levels.
#pragma once

#include <cstdint>

namespace weft {
inline namespace v0 {

/// From the lowest on, a byte for each; and how many are.
struct SetBits {
  std::uint64_t places[256];
  std::uint8_t counts[256];
};
extern const SetBits set_bits;

}  // namespace v0
}  // namespace weft
