// SPDX-License-Identifier: Apache-2.0
#include "expr/masked_chain.hpp"

#include <weft/core/shape.hpp>
#include <weft/parallel/parallel.hpp>

#include "expr/prepared_chain.hpp"
#include "machine/fixed_sizes.hpp"

#include <atomic>

namespace weft {
inline namespace v0 {
namespace {

/// The minimum of elements for a thread.
constexpr std::int64_t min_elements = 16 << 10;

/// Of views that broadcast to a shape: the last axis is dim 0.
Geometry geometry_of(IntSpan shape, std::span<const TensorView> views) {
  Geometry geometry;
  geometry.noperands = static_cast<int>(views.size());
  const int rank = shape.rank();
  geometry.resize(rank);
  for (int d = 0; d < rank; ++d) {
    geometry.extent(d) = shape[static_cast<std::size_t>(rank - 1 - d)];
    for (int k = 0; k < geometry.noperands; ++k) {
      const TensorView& view = views[static_cast<std::size_t>(k)];
      const int axis = view.rank() - 1 - d;
      const auto at = static_cast<std::size_t>(axis);
      const bool is_there = axis >= 0 && view.shape()[at] > 1;
      geometry.stride(d, k) = is_there ? view.strides()[at] * element_size(view.dtype()) : 0;
    }
  }
  return geometry;
}

std::vector<TensorView> all_of(const TensorView& out, std::span<const TensorView> values,
                               std::span<const TensorView> mask = {}) {
  std::vector<TensorView> views{out};
  views.insert(views.end(), values.begin(), values.end());
  views.insert(views.end(), mask.begin(), mask.end());
  return views;
}

/// What boxes have by dim, by axis.
template <class OfDim>
DimVector by_axis(int rank, const OfDim& of_dim) {
  DimVector list(static_cast<std::size_t>(rank), 0);
  for (int d = 0; d < rank; ++d)
    list[static_cast<std::size_t>(rank - 1 - d)] = of_dim(d);
  return list;
}

}  // namespace

MaskedChain::MaskedChain(const Chain& values, std::span<const TensorView> value_inputs,
                         const Chain& mask, std::span<const TensorView> mask_inputs, IntSpan shape,
                         const TensorView& out)
    : values_(values, shape, value_inputs),
      mask_(mask, shape, mask_inputs),
      geometry_(geometry_of(shape, all_of(out, value_inputs))),
      element_size_(element_size(out.dtype())),
      selecting_(SelectingChain::make(values, geometry_, out.dtype())),
      boxes_(geometry_, {&element_size_, 1},
             MaskedBoxes::second_dim(geometry_of(shape, all_of(out, value_inputs, mask_inputs))),
             selecting_ != nullptr ? fixed::selecting_box_bytes : fixed::masked_box_bytes) {}

std::int64_t MaskedChain::grain() const noexcept { return boxes_.boxes_of(min_elements); }

void MaskedChain::run(const TensorView& out, const void* const* value_inputs,
                      const void* const* mask_inputs, bool serial) {
  char* origins[max_operands] = {static_cast<char*>(out.data())};
  for (int k = 1; k < geometry_.noperands; ++k)  // which are only read
    origins[k] = static_cast<char*>(const_cast<void*>(value_inputs[k - 1]));
  const int rank = geometry_.ndim();
  const auto begin_of = [&](const TileCursor& box) {
    return by_axis(rank, [&](int d) { return boxes_.first(box, d); });
  };
  const auto extents_of = [&](const TileCursor& box) {
    return by_axis(rank, [&](int d) { return box.extents[d]; });
  };
  // Of all boxes, before it is thrown: what is written does not depend on who computes which.
  std::atomic<bool> by_zero = false;
  const auto note = [&](bool divided) {
    if (divided) by_zero.store(true, std::memory_order_relaxed);
  };
  const std::int64_t least = serial ? boxes_.count() : grain();
  parallel_for(boxes_.count(), least, [&](std::int64_t begin, std::int64_t end) {
    boxes_.run(
        begin, end, origins,
        [&](const TileCursor& box, char* room) -> const char* {
          const DimVector first = begin_of(box), extents = extents_of(box);
          if (const char* const mask = mask_.in_place(first, extents, mask_inputs)) return mask;
          note(mask_.compute(first, extents, room, mask_inputs));
          return room;
        },
        [&](const TileCursor& box, const char* flags, char* const* room) {
          if (selecting_ != nullptr) return selecting_->run(geometry_, box, flags);
          note(values_.compute(begin_of(box), extents_of(box), room[0], value_inputs));
          boxes_.store(box, room, flags);
        });
  });
  if (by_zero) {
    const char* const of_values = values_.division();
    PreparedChain::fail_by_zero(of_values != nullptr ? of_values : mask_.division());
  }
}

Explanation::Run MaskedChain::explain() const {
  Explanation::Run run = boxes_.explain(grain());
  run.bytes_moved = values_.input_bytes() + mask_.input_bytes() + geometry_.numel() * element_size_;
  return run;
}

}  // namespace v0
}  // namespace weft
