// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running the pieces of a walk along an axis, and telling how they would run.
#pragma once

#include <weft/base/checked.hpp>
#include <weft/iter/explain.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/axis/axis_form.hpp"
#include "engine/grain.hpp"
#include "parallel/loop_threads.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

/// Least pieces that a thread gets, where an element takes `ns` nanoseconds.
template <class Walk>
std::int64_t pieces_a_thread(const Walk& walk, double ns, const RunOptions& options) {
  const std::int64_t elements = options.grain > 0 ? options.grain : least_elements_a_thread(ns);
  return std::max<std::int64_t>(1, elements / walk.piece_elements());
}

template <class Walk>
void run_pieces(const Walk& walk, double ns, const RunOptions& options) {
  if (options.serial) return walk.run(0, walk.count());
  parallel_for(walk.count(), pieces_a_thread(walk, ns, options),
               [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
}

/// Tells of blocks of up to `columns` across the axis and `rows` elements along it.
inline void explain_form(AxisForm form, std::int64_t columns, std::int64_t rows,
                         std::int64_t blocks, Explanation& e) {
  for (Explanation::Operand& op : e.operands)
    op.access = access_name(form);
  e.run.form = name(form);
  e.run.span = is_by_lines(form) ? rows : columns;
  e.run.tile[0] = columns;
  e.run.tile[1] = rows;
  e.run.blocks = blocks;
}

/// What run_pieces() would do.
template <class Walk>
void explain_pieces(const Walk& walk, double ns, const RunOptions& options, Explanation& e) {
  explain_form(walk.form(), walk.piece_elements() / walk.length(), walk.rows(),
               walk.count() * ceil_div(walk.length(), walk.rows()), e);
  if (!options.serial)
    e.run.threads = loop_threads(walk.count(), pieces_a_thread(walk, ns, options));
}

}  // namespace v0
}  // namespace weft
