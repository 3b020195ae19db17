// SPDX-License-Identifier: Apache-2.0
/// @file
/// Random operands of operations along an axis.
#pragma once

#include "support/dense.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <cstdint>
#include <string>

namespace test {

/// Checks `difference(out, in, axis, form)` for outputs of f32 and inputs of f32, or now and
/// then of another type, in random layouts. It returns what is wrong, or nothing, and sets `form`
/// for messages.
template <class F>
void check_random_axes(Random& random, Tally& tally, weft::ScalarType other, const F& difference) {
  for (int round = 0; round < rounds(1000); ++round) {
    const Dims shape = random_shape(random, 3, round % 8 == 0 ? 90 : 9);
    if (shape.empty()) continue;
    const Memory out = random_output(random, weft::ScalarType::f32, shape);
    const weft::ScalarType type = random.chance(70) ? weft::ScalarType::f32 : other;
    const Memory in = random_memory(random, type, random_layout(random, shape));
    const std::int64_t axis = random.integer(0, static_cast<std::int64_t>(shape.size()) - 1);
    std::string form;
    const std::string wrong = difference(out.view(), in.view(), axis, form);
    tally.check(wrong.empty(), [&](auto& text) {
      describe(describe(text, out.view()) << " of ", in.view())
          << " along " << axis << ", " << form << ": " << wrong;
    });
  }
}

}  // namespace test
