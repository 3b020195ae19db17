// SPDX-License-Identifier: Apache-2.0
/// @file
/// Dense loops written by hand with the widest vectors of each instruction set: the yardstick for
/// contiguous_bench. Call one through .at(level).
#pragma once

#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace bench {

enum class HandOp : std::uint8_t { add_f32, add_f64, mul_i32, copy_f32 };

/// Over n elements that stand next to each other; b is not looked at for a copy. `stream`: by
/// non-temporal stores. It pays where the output does not fit them, since a line that is
/// overwritten as a whole need not be read before.
WEFT_DECLARE_KERNEL(hand_loop, void(HandOp op, bool stream, void* out, const void* a, const void* b,
                                    std::int64_t n));

}  // namespace bench
