// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/order.hpp>

#include "iter/step_cost.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

constexpr std::uint64_t cache_line = 64;
// A narrow axis has fewer elements. Where all axes have so few together, a pass over the others for
// each of its elements is as quick.
constexpr std::int64_t narrow = 16, least_elements = 256;

/// What it costs to step along an axis, see order_by_cost.
struct Cost {
  std::uint64_t bytes;  // all ones for extent 1, which goes outermost
  int axis;
};

std::uint64_t bytes_of_step(const std::int64_t* strides,
                            std::span<const OrderOperand> operands) noexcept {
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].counts) continue;
    const std::uint64_t cost = step_cost(strides[k]);
    bytes += operands[k].is_output ? 2 * cost : cost;
  }
  return bytes;
}

/// The sum of the strides; a double cannot overflow.
double reach_of_step(const std::int64_t* strides, std::span<const OrderOperand> operands) noexcept {
  double reach = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].counts) continue;
    reach += (operands[k].is_output ? 2 : 1) * static_cast<double>(magnitude(strides[k]));
  }
  return reach;
}

/// True if every operand that counts is row-major, gaps and all: no extent of 1, no repetition.
/// Then the cost says nothing new.
bool is_row_major(const Geometry& geometry, std::span<const OrderOperand> operands) noexcept {
  const std::int64_t* outer = nullptr;
  for (int axis = 0; axis < geometry.ndim(); ++axis) {
    const std::int64_t* strides = geometry.strides(axis);
    if (geometry.extent(axis) == 1) return false;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (!operands[k].counts) continue;
      if (strides[k] <= 0 || (outer != nullptr && outer[k] < strides[k])) return false;
    }
    outer = strides;
  }
  return true;
}

/// True if most of the operands that count, outputs twice, go on along `outer` where `inner` ends.
/// Inputs that are the same all along `outer` have no say: what repeats is brought into a buffer
/// once.
bool mostly_coalesces(const Geometry& geometry, std::span<const OrderOperand> operands, int inner,
                      int outer) noexcept {
  const auto extent = static_cast<std::uint64_t>(geometry.extent(inner));
  int balance = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].counts) continue;
    const auto at = static_cast<int>(k);
    if (!operands[k].is_output && geometry.stride(outer, at) == 0) continue;
    const auto end = extent * static_cast<std::uint64_t>(geometry.stride(inner, at));
    const int weight = operands[k].is_output ? 2 : 1;
    balance += end == static_cast<std::uint64_t>(geometry.stride(outer, at)) ? weight : -weight;
  }
  return balance > 0;
}

/// Moves the axis at one place to another before it.
void move_axis(Permutation& perm, std::size_t from, std::size_t to) noexcept {
  for (; from > to; --from)
    std::swap(perm[from], perm[from - 1]);
}

/// Moves the axis that coalesces with another to the place after it, whatever it costs: the two are
/// one dim of the inner one's cost, for all operands or for those that need not be staged then.
void keep_coalescing_together(Permutation& perm, const Geometry& geometry,
                              std::span<const OrderOperand> operands) noexcept {
  for (std::size_t d = 0; d + 2 < perm.size(); ++d) {
    if (geometry.extent(perm[d]) == 1) return;
    for (std::size_t e = d + 1; e < perm.size() && geometry.extent(perm[e]) != 1; ++e) {
      if (!mostly_coalesces(geometry, operands, perm[d], perm[e])) continue;
      move_axis(perm, e, d + 1);
      break;
    }
  }
}

/// The shortest step of an operand that leads to another element.
std::uint64_t least_step(const Geometry& geometry, int operand) noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (int axis = 0; axis < geometry.ndim(); ++axis) {
    const std::uint64_t step = magnitude(geometry.stride(axis, operand));
    if (geometry.extent(axis) > 1 && step != 0) least = std::min(least, step);
  }
  return least;
}

/// Bytes an element, doubled, that need not be moved if a narrow axis comes inside of the first
/// one, outputs counting one and a half times: operands that have it so are rows of whole pixels
/// then, the axis being their channels; those that are dense along the first axis are no rows any
/// more. Nothing where an operand has another narrow axis inside: long rows are split from that
/// more quickly than it is turned into the order of this one. And nothing in reductions, of which
/// no output counts: their order is which elements they take together.
std::int64_t saved_inside(const Geometry& geometry, std::span<const OrderOperand> operands,
                          int narrow_axis, int first_axis) noexcept {
  const auto extent = static_cast<std::uint64_t>(geometry.extent(narrow_axis));
  std::int64_t saved = 0;
  bool is_written = false;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].counts) continue;
    is_written = is_written || operands[k].is_output;
    const auto at = static_cast<int>(k);
    const std::uint64_t first = magnitude(geometry.stride(first_axis, at));
    const std::uint64_t step = magnitude(geometry.stride(narrow_axis, at));
    if (first == 0 || step == 0) continue;  // it repeats
    const std::uint64_t least = least_step(geometry, at);
    const bool is_close = first <= cache_line / 2;
    const bool has_inside = is_close && step == least && first == step * extent;
    if (!has_inside && first != least) {
      if (is_close) return 0;
      continue;  // it has to be moved in either order
    }
    const auto bytes = static_cast<std::int64_t>(std::min(least, cache_line));
    saved += (has_inside ? bytes : -bytes) * (operands[k].is_output ? 3 : 2);
  }
  return is_written ? saved : 0;
}

/// Moves the narrow axis inside of the first one that saves most, if one does: a pass over the
/// first axis for each channel would fetch all lines of pixels as often.
void put_narrow_axis_inside(Permutation& perm, const Geometry& geometry,
                            std::span<const OrderOperand> operands) noexcept {
  if (geometry.numel() < least_elements) return;
  std::int64_t most = 0;
  std::size_t best = 0;
  for (std::size_t d = 1; d < perm.size() && geometry.extent(perm[d]) != 1; ++d) {
    if (geometry.extent(perm[d]) >= narrow) continue;
    const std::int64_t saved = saved_inside(geometry, operands, perm[d], perm[0]);
    if (saved > most) {
      most = saved;
      best = d;
    }
  }
  move_axis(perm, best, 0);
}

}  // namespace

Permutation order_by_cost(const Geometry& geometry, std::span<const OrderOperand> operands) {
  const int ndim = geometry.ndim();
  if (is_row_major(geometry, operands)) return order_linear(ndim);
  const auto cheaper = [&](const Cost& a, const Cost& b) {
    if (a.bytes != b.bytes) return a.bytes < b.bytes;
    if (a.bytes != ~std::uint64_t{0}) {
      const double reach_a = reach_of_step(geometry.strides(a.axis), operands);
      const double reach_b = reach_of_step(geometry.strides(b.axis), operands);
      if (reach_a != reach_b) return reach_a < reach_b;
    }
    return a.axis > b.axis;
  };
  Cost costs[max_rank];
  for (int axis = ndim, i = 0; axis-- > 0; ++i) {
    const Cost cost{geometry.extent(axis) == 1 ? ~std::uint64_t{0}
                                               : bytes_of_step(geometry.strides(axis), operands),
                    axis};
    // Insertion sort: a handful of dims, which mostly come in the right order, the last axis first.
    int at = i;
    for (; at > 0 && cheaper(cost, costs[at - 1]); --at)
      costs[at] = costs[at - 1];
    costs[at] = cost;
  }
  Permutation perm;
  for (int d = 0; d < ndim; ++d)
    perm.push_back(static_cast<std::uint8_t>(costs[d].axis));
  if (ndim > 2) keep_coalescing_together(perm, geometry, operands);
  put_narrow_axis_inside(perm, geometry, operands);
  return perm;
}

Permutation order_linear(int ndim) {
  Permutation perm;
  for (int axis = ndim; axis-- > 0;)
    perm.push_back(static_cast<std::uint8_t>(axis));
  return perm;
}

Permutation order_as_pytorch(const Geometry& geometry, std::span<const OrderOperand> operands,
                             bool is_reduction) {
  // > 0: dim0 should be outside dim1; < 0: it should not; 0: nobody decides.
  const auto compare = [&](int dim0, int dim1) {
    for (int k = 0; k < geometry.noperands; ++k) {
      const OrderOperand& operand = operands[static_cast<std::size_t>(k)];
      if (!operand.counts) continue;
      const std::int64_t stride0 = geometry.stride(dim0, k);
      const std::int64_t stride1 = geometry.stride(dim1, k);
      if (is_reduction && operand.is_output && (stride0 == 0) != (stride1 == 0))
        return stride1 == 0 ? 1 : -1;
      if (stride0 == 0 || stride1 == 0) continue;
      if (stride0 != stride1) return stride0 < stride1 ? -1 : 1;
      if (geometry.extent(dim0) > geometry.extent(dim1)) return 1;
    }
    return 0;
  };
  Permutation perm = order_linear(geometry.ndim());
  for (int i = 1; i < geometry.ndim(); ++i) {
    int at = i;
    for (int other = i - 1; other >= 0; --other) {
      auto& inner = perm[static_cast<std::size_t>(other)];
      auto& outer = perm[static_cast<std::size_t>(at)];
      const int order = compare(inner, outer);
      if (order < 0) break;
      if (order > 0) {
        std::swap(inner, outer);
        at = other;
      }
    }
  }
  return perm;
}

void permute_dims(Geometry& geometry, const Permutation& perm) {
  const int ndim = geometry.ndim();
  const int count = geometry.noperands;
  int reversed = 0;
  while (reversed < ndim && perm[static_cast<std::size_t>(reversed)] == ndim - 1 - reversed)
    ++reversed;
  if (reversed == ndim) {  // C order, most often: in place
    for (int low = 0, high = ndim - 1; low < high; ++low, --high) {
      std::swap(geometry.extent(low), geometry.extent(high));
      std::swap_ranges(geometry.strides(low), geometry.strides(low) + count,
                       geometry.strides(high));
    }
    return;
  }
  Geometry from;
  from.noperands = count;
  from.shape = geometry.shape;
  from.strides_bytes.assign(geometry.strides_bytes);
  for (int dim = 0; dim < ndim; ++dim) {
    const int axis = perm[static_cast<std::size_t>(dim)];
    geometry.extent(dim) = from.extent(axis);
    std::copy_n(from.strides(axis), count, geometry.strides(dim));
  }
}

bool all_agree(const Geometry& geometry, std::span<const OrderOperand> operands,
               const Permutation& perm) {
  for (int k = 0; k < geometry.noperands; ++k) {
    if (!operands[static_cast<std::size_t>(k)].counts) continue;
    std::uint64_t previous = 0;
    for (const int axis : perm) {
      const std::uint64_t stride = magnitude(geometry.stride(axis, k));
      if (stride == 0 || geometry.extent(axis) == 1) continue;
      if (stride < previous) return false;
      previous = stride;
    }
  }
  return true;
}

std::uint64_t flip_backward_dims(Geometry& geometry, std::span<std::int64_t> offsets_bytes,
                                 std::uint64_t keep) {
  std::uint64_t flipped = 0;
  for (int dim = 0; dim < std::min(geometry.ndim(), 64); ++dim) {
    if ((keep >> dim & 1) != 0 || geometry.extent(dim) <= 1) continue;
    int backwards = 0, forwards = 0;
    bool first_is_backwards = false;
    for (int k = 0; k < geometry.noperands; ++k) {
      const std::int64_t stride = geometry.stride(dim, k);
      if (backwards + forwards == 0) first_is_backwards = stride < 0;
      backwards += static_cast<int>(stride < 0);
      forwards += static_cast<int>(stride > 0);
    }
    if (backwards < forwards || (backwards == forwards && !first_is_backwards)) continue;
    for (int k = 0; k < geometry.noperands; ++k) {
      std::int64_t& stride = geometry.stride(dim, k);
      offsets_bytes[static_cast<std::size_t>(k)] += (geometry.extent(dim) - 1) * stride;
      stride = -stride;
    }
    flipped |= std::uint64_t{1} << dim;
  }
  return flipped;
}

}  // namespace v0
}  // namespace weft
