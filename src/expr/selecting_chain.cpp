// SPDX-License-Identifier: Apache-2.0
#include "expr/selecting_chain.hpp"

#include "kernels/stage/masked_store.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/masked_stores.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {

std::unique_ptr<SelectingChain> SelectingChain::make(const Chain& chain, const Geometry& geometry,
                                                     ScalarType type) {
  const SpanKernel::Run run = has_fast_masked_stores() ? fused_selecting_loop(type) : nullptr;
  if (run == nullptr || geometry.ndim() == 0) return nullptr;
  std::optional<FusedSteps> steps = fuse_whole(chain);
  const auto term = [&](int k) { return chain.terms[static_cast<std::size_t>(steps->terms[k])]; };
  // Exp and its like alone are quicker in the loop that they have for themselves.
  if (!steps || term(0).dtype != type || (chain.steps.size() == 1 && steps->has_functions()) ||
      steps->terms.size() == static_cast<std::size_t>(max_operands))
    return nullptr;
  steps->select_output();
  std::unique_ptr<SelectingChain> made(new SelectingChain(steps->program));
  made->run_ = run;
  for (int k = 1; k < static_cast<int>(steps->terms.size()); ++k)
    made->inputs_.emplace_back(term(k));
  for (int k = 0; k < static_cast<int>(steps->terms.size()); ++k) {
    const std::int64_t stride = made->stride(geometry, 0, k);
    const bool is_one = k > 0 && stride == 0;
    if (!is_one && stride != element_size(term(k).dtype)) return nullptr;
    made->broadcast_ |= static_cast<std::uint32_t>(is_one) << k;
    made->sizes_.push_back(stride);
  }
  made->sizes_.push_back(1);
  return made;
}

std::int64_t SelectingChain::stride(const Geometry& geometry, int dim, int k) const {
  if (k == 0) return geometry.stride(dim, 0);
  const int input = inputs_[static_cast<std::size_t>(k - 1)].input;
  return input < 0 ? 0 : geometry.stride(dim, 1 + input);
}

void SelectingChain::run_rows(char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                              std::int64_t rows) const {
  const std::size_t count = sizes_.size();
  const char* const flags = data[count - 1];
  // Rows that follow each other are one.
  bool is_one_row = true;
  for (std::size_t k = 0; k < count; ++k)
    is_one_row = is_one_row && (rows == 1 || row_bytes[k] == n * sizes_[k]);
  if (is_one_row) n *= std::exchange(rows, 1);
  // Parts of a row, or some rows: from the first that has something to store on, as many as have.
  const std::int64_t all = is_one_row ? n : rows, unit = is_one_row ? 1 : n;
  const std::int64_t part = std::max<std::int64_t>(fixed::masked_box_bytes / sizes_[0] / unit, 1);
  const auto end_of = [&](std::int64_t at) { return std::min(at + part, all); };
  const auto selects = [&](std::int64_t at) {
    return selects_any(flags + at * unit, (end_of(at) - at) * unit);
  };
  for (std::int64_t at = 0; at < all; at = end_of(at)) {
    if (!selects(at)) continue;
    const std::int64_t first = at;
    while (end_of(at) < all && selects(end_of(at)))
      at = end_of(at);
    char* there[max_operands];
    for (std::size_t k = 0; k < count; ++k)
      there[k] = data[k] + first * (is_one_row ? sizes_[k] : row_bytes[k]);
    const std::int64_t taken = end_of(at) - first;
    run_(&program_, there, row_bytes, is_one_row ? taken : n, is_one_row ? 1 : taken, broadcast_);
  }
}

void SelectingChain::run(const Geometry& geometry, const TileCursor& box, const char* flags) const {
  const int ndim = geometry.ndim(), mask = 1 + static_cast<int>(inputs_.size());
  const std::int64_t n = box.extents[0], rows = ndim > 1 ? box.extents[1] : 1;
  char* data[max_operands] = {box.ptrs[0]};
  std::int64_t row_bytes[max_operands];
  for (int k = 1; k < mask; ++k)
    data[k] = inputs_[static_cast<std::size_t>(k - 1)].at(box.ptrs + 1);
  for (int k = 0; k < mask; ++k)
    row_bytes[k] = ndim > 1 ? stride(geometry, 1, k) : 0;
  data[mask] = const_cast<char*>(flags);  // which is only read
  row_bytes[mask] = n;
  std::int64_t at[max_rank];
  std::fill_n(at, ndim, std::int64_t{0});
  for (;;) {
    run_rows(data, row_bytes, n, rows);
    data[mask] += n * rows;
    int d = 2;
    for (; d < ndim; ++d) {
      const bool more = ++at[d] < box.extents[d];
      for (int k = 0; k < mask; ++k)
        data[k] += (more ? 1 : 1 - box.extents[d]) * stride(geometry, d, k);
      if (more) break;
      at[d] = 0;
    }
    if (d >= ndim) return;
  }
}

}  // namespace v0
}  // namespace weft
