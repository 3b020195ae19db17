// SPDX-License-Identifier: Apache-2.0
#include "base/set_bits.hpp"

namespace weft {
inline namespace v0 {
namespace {

constexpr SetBits find_set_bits() {
  SetBits found{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    for (unsigned place = 0; place < 8; ++place) {
      if ((bits >> place & 1) != 0)
        found.places[bits] |= std::uint64_t{place} << 8 * found.counts[bits]++;
    }
  }
  return found;
}

}  // namespace

constinit const SetBits set_bits = find_set_bits();

}  // namespace v0
}  // namespace weft
