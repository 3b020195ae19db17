// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/reduce_plan.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Whether two plans combine the elements that go into a result in the same order.
bool have_one_order(const ReducePlan& a, const ReducePlan& b) {
  const auto same_step = [](const TileStep& x, const TileStep& y) {
    return x.tile == y.tile && x.tiles == y.tiles;
  };
  return a.dims.form == b.dims.form && a.dims.fold == b.dims.fold &&
         a.dims.deferred == b.dims.deferred && a.blocks.span == b.blocks.span &&
         a.blocks.spans == b.blocks.spans && a.blocks.pack == b.blocks.pack &&
         std::ranges::equal(a.blocks.reduced.steps, b.blocks.reduced.steps, same_step);
}

}  // namespace

bool combine_alike(const TensorIterator& a, const TensorIterator& b,
                   const ReductionKernel& kernel) {
  return have_one_order(ReducePlan(a, kernel, {.serial = true}),
                        ReducePlan(b, kernel, {.serial = true}));
}

}  // namespace v0
}  // namespace weft
