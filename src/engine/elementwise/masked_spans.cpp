// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/masked_spans.hpp"

#include <weft/base/error.hpp>
#include <weft/iter/coalesce.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "engine/block.hpp"
#include "engine/check_kernel.hpp"
#include "engine/elementwise/operand_access.hpp"
#include "engine/elementwise/run_spans.hpp"
#include "engine/grain.hpp"
#include "engine/wanted_strategy.hpp"
#include "iter/operand_name.hpp"
#include "machine/fixed_sizes.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// A box is part of what a thread does.
constexpr RunOptions of_box{.serial = true};

/// Throws Error unless the kernel and a mask are the operands of the iterator.
void check_masked_kernel(const TensorIterator& iter, const SpanKernel& kernel) {
  check_mask(iter);
  if (kernel.noutputs == 0)
    fail(ErrorCode::invalid_argument, "a masked kernel without an output has nothing to select");
  if (kernel.noutputs == iter.noutputs() && kernel.ninputs + 1 == iter.ninputs())
    return check_types(iter, iter.ntensors() - 1, kernel.types);
  fail(ErrorCode::invalid_argument,
       text("the kernel (", signature_text(kernel.noutputs, kernel.ninputs, kernel.types), ") has ",
            kernel.noutputs, kernel.noutputs == 1 ? " output, " : " outputs, ", kernel.ninputs,
            kernel.ninputs == 1 ? " input" : " inputs", " and a mask, the iterator ",
            iter.noutputs(), iter.noutputs() == 1 ? " output and " : " outputs and ",
            iter.ninputs(), iter.ninputs() == 1 ? " input" : " inputs"));
}

/// Extents and strides of a box: outputs are dense, in memory of their own; there is no mask.
Geometry geometry_of(const TensorIterator& iter, const std::int64_t* extents) {
  const Geometry& all = iter.geometry();
  Geometry box;
  box.noperands = all.noperands - 1;
  box.resize(all.ndim());
  std::int64_t elements = 1;
  for (int d = 0; d < all.ndim(); ++d) {
    box.extent(d) = extents[d];
    for (int k = 0; k < box.noperands; ++k) {
      box.stride(d, k) =
          k < iter.noutputs() ? elements * element_size(iter.operand(k).storage) : all.stride(d, k);
    }
    elements *= extents[d];
  }
  coalesce_dims(box);
  return box;
}

/// The boxes that outputs whose elements have `sizes` bytes are computed in.
MaskedBoxes boxes_for(const Geometry& geometry, std::span<const std::int64_t> sizes) {
  const int second = MaskedBoxes::second_dim(geometry);
  const std::int64_t bytes = second == 0 ? fixed::masked_row_bytes : fixed::masked_box_bytes;
  return {geometry, sizes, second, bytes};
}

/// The flags of a box as they lie in memory.
int dims_of_mask(const Geometry& geometry, const TileCursor& box, BlockDim* dims) {
  return block_of(geometry, geometry.noperands - 1, box.extents, dims);
}

}  // namespace

/// What one thread has: the plans of the last shapes of boxes.
class MaskedCall::Runner {
 public:
  explicit Runner(const MaskedCall& call) : call_(call), iter_(call.iter_) {
    // Of several outputs, the mask is read after the first is written, which may be the mask: at
    // the same address, or the overlap was refused.
    const char* const mask = iter_.operand(iter_.ntensors() - 1).data;
    for (int k = 0; k < iter_.noutputs() && iter_.noutputs() > 1; ++k)
      copies_mask_ = copies_mask_ || iter_.operand(k).data == mask;
  }

  const char* mask(const TileCursor& box, char* room) const {
    BlockDim dims[max_rank + 2];
    const int ndims = dims_of_mask(iter_.geometry(), box, dims);
    char* const at = box.ptrs[iter_.ntensors() - 1];
    if (!copies_mask_ && is_dense(dims, ndims, 1)) return at;
    pack(copy_block_kernel(1), room, at, 1, dims, ndims);
    return room;
  }

  void compute(const TileCursor& box, char* const* values) {
    BoxPlan& plan = plan_of(box);
    for (int k = 0; k < plan.iter.ntensors(); ++k)
      plan.iter.unsafe_replace_operand(k, k < iter_.noutputs() ? values[k] : box.ptrs[k]);
    if (plan.simple.strategy != Strategy::automatic)
      return run_simple(plan.simple, plan.iter, call_.kernel_, of_box);
    // One value for all tiles of a box may be another one for the next box.
    read_constants(plan.tiles.operands, plan.iter, call_.kernel_);
    run_tiles(plan.iter, call_.kernel_, plan.tiles, 0, plan.tiles.count);
  }

 private:
  BoxPlan& plan_of(const TileCursor& box) {
    std::optional<BoxPlan>& plan = call_.boxes_.is_whole(box) ? whole_ : rest_;
    if (!plan || !std::equal(plan->extents.begin(), plan->extents.end(), box.extents))
      plan.emplace(call_, box);
    return *plan;
  }

  const MaskedCall& call_;
  const TensorIterator& iter_;
  bool copies_mask_ = false;
  std::optional<BoxPlan> whole_, rest_;
};

MaskedCall::BoxPlan::BoxPlan(const MaskedCall& call, const TileCursor& box) : iter(call.iter_) {
  extents.assign(IntSpan(box.extents, call.iter_.geometry().shape.size()));
  iter.remove_operand(iter.ntensors() - 1);
  iter.unsafe_set_geometry(geometry_of(call.iter_, box.extents));
  simple = plan_simple(iter, call.kernel_, tuning(), call.wanted_);
  if (simple.strategy == Strategy::automatic)
    tiles = plan_wanted_tiles(iter, call.kernel_, tuning(), of_box, call.wanted_);
}

SmallVector<std::int64_t, inline_operands> MaskedCall::output_sizes() const {
  SmallVector<std::int64_t, inline_operands> sizes;
  for (int k = 0; k < iter_.noutputs(); ++k)
    sizes.push_back(element_size(iter_.operand(k).storage));
  return sizes;
}

MaskedCall::MaskedCall(const TensorIterator& iter, const SpanKernel& kernel,
                       const RunOptions& options)
    : iter_(iter),
      kernel_(kernel),
      wanted_(wanted_strategy(options, tuning())),
      sizes_((check_options(options), check_elementwise(iter), check_masked_kernel(iter, kernel),
              output_sizes())),
      boxes_(boxes_for(iter.geometry(), {sizes_.data(), sizes_.size()})),
      grain_(boxes_.boxes_of(estimate_grain(iter, kernel.cost, options, iter.noutputs()))) {
  // Boxes at the end may be of a shape that the strategy cannot carry out.
  if (wanted_ != Strategy::automatic && iter.numel() > 0)
    boxes_.for_each_shape([&](const TileCursor& box) { const BoxPlan plan(*this, box); });
}

bool MaskedCall::has_mask_in_place(const TileCursor& box) const {
  BlockDim dims[max_rank + 2];
  return is_dense(dims, dims_of_mask(iter_.geometry(), box, dims), 1);
}

void MaskedCall::run() const {
  if (iter_.numel() == 0) return;
  char* origins[max_operands];
  for (int k = 0; k < iter_.ntensors(); ++k)
    origins[k] = iter_.operand(k).data;
  parallel_for(boxes_.count(), grain_, [&](std::int64_t begin, std::int64_t end) {
    Runner runner(*this);
    boxes_.run(
        begin, end, origins,
        [&](const TileCursor& box, char* room) { return runner.mask(box, room); },
        [&](const TileCursor& box, const char* flags, char* const* room) {
          runner.compute(box, room);
          boxes_.store(box, room, flags);
        });
  });
}

void check_mask(const TensorIterator& iter) {
  if (iter.ninputs() == 0)
    fail(ErrorCode::invalid_argument, "expected a mask as the last input, the iterator has none");
  const ScalarType type = iter.operand(iter.ntensors() - 1).storage;
  if (type == ScalarType::boolean) return;
  fail(ErrorCode::dtype, text(operand_name(iter.ntensors() - 1, iter.noutputs()),
                              ", the mask: expected bool, got ", name(type)));
}

void run_spans(const TensorIterator& iter, const MaskedSpanKernel& kernel,
               const RunOptions& options) {
  MaskedCall(iter, kernel.values, options).run();
}

}  // namespace v0
}  // namespace weft
