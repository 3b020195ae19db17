// SPDX-License-Identifier: Apache-2.0
// What indices say: whether they are in range, and which offsets they stand for.
#include "kernels/indexing/offset_chunks.hpp"
#include "kernels/stage/moves.hpp"

#include <concepts>
#include <limits>
#include <type_traits>

namespace weft {
inline namespace v0 {
namespace {

/// Types of indices that are read as they are.
template <class T>
concept Index = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

// ---- Range -----------------------------------------------------------------------------------

template <Index T>
bool is_outside(T index, std::int64_t extent) {
  // One comparison: [-extent, extent) moved up by extent, everything else wraps past it.
  const auto shifted = static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) +
                       static_cast<std::uint64_t>(extent);
  return shifted >= 2 * static_cast<std::uint64_t>(extent);
}

/// The same of n indices next to each other. The sign of a sum says it, so that the loop is
/// additions that every processor has vectors for; what wraps has the sign of one of the two. Not
/// for extents above half the largest index.
template <Index T>
bool any_outside_dense(const char* index, std::int64_t n, std::int64_t extent) {
  using Bits = std::make_unsigned_t<T>;
  constexpr std::int64_t size = sizeof(T);
  const auto above = static_cast<Bits>(extent);
  Bits signs = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const Bits value = load<Bits>(index + i * size);
    signs |= (value + above) | (above - 1 - value);
  }
  return static_cast<T>(signs) < 0;
}

template <Index T>
bool any_outside(const char* index, std::int64_t step, std::int64_t n, std::int64_t extent) {
  constexpr std::int64_t size = sizeof(T);
  if (step == size && extent <= std::numeric_limits<T>::max() / 2)
    return any_outside_dense<T>(index, n, extent);
  bool any = false;
  for (std::int64_t i = 0; i < n; ++i)
    any |= is_outside(load<T>(index + i * step), extent);
  return any;
}

// ---- Offsets ---------------------------------------------------------------------------------

// From an index, counted from the front, to an offset in bytes: along an axis of which the stride
// is a power of two, as all dense ones are ...
struct ByShift {
  int shift;
  WEFT_ALWAYS_INLINE std::int64_t operator()(std::int64_t index) const { return index << shift; }
};
/// ... or is not ...
struct ByStride {
  std::int64_t stride_bytes;
  WEFT_ALWAYS_INLINE std::int64_t operator()(std::int64_t index) const {
    return index * stride_bytes;
  }
};
/// ... or through several axes.
struct ThroughAxes {
  const IndexedAxes& axes;
  WEFT_ALWAYS_INLINE std::int64_t operator()(std::int64_t index) const {
    std::int64_t offset = 0;
    for (int axis = axes.count - 1; axis > 0; --axis) {
      offset += index % axes.extents[axis] * axes.strides_bytes[axis];
      index /= axes.extents[axis];
    }
    return offset + index * axes.strides_bytes[0];
  }
};

/// Whether all indices are in range, if `asks`: gathering, which knows, would take a tenth longer.
template <bool asks, Index T, class Offset>
bool offsets_of_row(std::int64_t* __restrict offsets, const char* __restrict index,
                    std::int64_t step, std::int64_t n, std::int64_t extent, const Offset& offset) {
  constexpr std::int64_t size = sizeof(T);
  // As in any_outside_dense(), in 64 bits.
  const auto above = static_cast<std::uint64_t>(extent);
  std::uint64_t signs = 0;
  const auto offset_of = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
    const auto value = static_cast<std::uint64_t>(i);
    if constexpr (asks) signs |= (value + above) | (above - 1 - value);
    return offset(i + (i < 0 ? extent : 0));
  };
  if (step == size) {
    for (std::int64_t i = 0; i < n; ++i)
      offsets[i] = offset_of(load<T>(index + i * size));
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      offsets[i] = offset_of(load<T>(index + i * step));
  }
  return static_cast<std::int64_t>(signs) >= 0;
}

/// Row by row; rows that follow each other are one.
template <Index T, class Offset>
bool offsets_of_block(std::int64_t* offsets, const IndexedBlock& block, const IndexedAxes& axes,
                      const Offset& offset) {
  const std::int64_t step = block.index_steps[0], row_step = block.index_steps[1];
  const bool is_one_row = row_step == block.n0 * step;
  const std::int64_t n = is_one_row ? block.n0 * block.n1 : block.n0;
  const std::int64_t rows = is_one_row ? 1 : block.n1;
  bool right = true;
  for (std::int64_t j = 0; j < rows; ++j) {
    const char* const index = block.index + j * row_step;
    std::int64_t* const to = offsets + j * n;
    // Scatter asks, which goes along one axis.
    if constexpr (!std::same_as<Offset, ThroughAxes>) {
      if (!axes.in_range) {
        right &= offsets_of_row<true, T>(to, index, step, n, axes.extent, offset);
        continue;
      }
    }
    offsets_of_row<false, T>(to, index, step, n, axes.extent, offset);
  }
  return right;
}

template <Index T>
bool offsets_of_block(std::int64_t* offsets, const IndexedBlock& block, const IndexedAxes& axes) {
  if (axes.count > 1) return offsets_of_block<T>(offsets, block, axes, ThroughAxes{axes});
  const std::int64_t stride = axes.strides_bytes[0];
  if (stride > 0 && (stride & (stride - 1)) == 0) {
    const ByShift offset{__builtin_ctzll(static_cast<std::uint64_t>(stride))};
    return offsets_of_block<T>(offsets, block, axes, offset);
  }
  return offsets_of_block<T>(offsets, block, axes, ByStride{stride});
}

}  // namespace

IndexCheckFn WEFT_KERNEL(index_check_kernel)(ScalarType index_type) {
  return index_type == ScalarType::i32 ? &any_outside<std::int32_t> : &any_outside<std::int64_t>;
}

bool WEFT_KERNEL(index_offsets)(std::int64_t* offsets, const IndexedBlock& block,
                                const IndexedAxes& axes) {
  if (axes.index_type == ScalarType::i32)
    return offsets_of_block<std::int32_t>(offsets, block, axes);
  return offsets_of_block<std::int64_t>(offsets, block, axes);
}

}  // namespace v0
}  // namespace weft
