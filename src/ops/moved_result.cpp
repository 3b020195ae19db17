// SPDX-License-Identifier: Apache-2.0
#include "ops/moved_result.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>
#include <weft/core/promotion.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "engine/elementwise/run_small.hpp"
#include "machine/tuning.hpp"
#include "ops/copy_call.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft {
inline namespace v0 {
namespace {

/// Parts of fewer bytes in a row share many of their lines with their neighbours.
constexpr std::int64_t narrow_part_bytes = 4 * cache_line_bytes;
/// What a second level keeps beside what is read for it.
constexpr std::int64_t block_bytes = 128 * 1024;

/// The longest axis, of those that are not cut, along which the result is walked outside of one; or
/// that one, if there is none.
std::size_t outer_axis(const TensorView& out, std::size_t axis, std::uint64_t cut) {
  std::size_t best = axis;
  for (std::size_t other = 0; other < out.shape().size(); ++other) {
    if ((cut >> other & 1) != 0 || out.shape()[other] == 1) continue;
    if (std::abs(out.strides()[other]) <= std::abs(out.strides()[axis])) continue;
    if (best == axis || out.shape()[other] > out.shape()[best]) best = other;
  }
  return best;
}

}  // namespace

const Output& MovedResult::checked(const Output& out, ScalarType type) {
  const TensorView& view = out.view();
  if (view.defined() && !can_cast(type, view.dtype())) {
    fail(ErrorCode::cast, text("output 0: ", name(type), " can't be cast to ", name(view.dtype())));
  }
  return out;
}

NumberElement::NumberElement(const Scalar& number, ScalarType type, std::string_view what)
    : type_(type) {
  if (!can_cast(number.dtype(), type)) {
    fail(ErrorCode::cast, text(what, ": ", name(number.dtype()), " can't be cast to ", name(type)));
  }
  cast_elements(bytes_, type, 0, number.view().data(), number.dtype(), 0, 1);
}

TensorView NumberElement::view() const {
  return TensorView::trusted(static_cast<const void*>(bytes_), type_, {});
}

bool same_place(const TensorView& a, const TensorView& b) {
  if (!a.defined() || !b.defined() || a.dtype() != b.dtype() || !same_list(a.shape(), b.shape()))
    return false;
  if (a.data() != b.data()) return false;
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    if (a.shape()[axis] != 1 && a.strides()[axis] != b.strides()[axis]) return false;
  }
  return true;
}

std::int64_t extent_sum(std::int64_t a, std::int64_t b, std::size_t axis) {
  std::int64_t sum = 0;
  if (!checked_add(a, b, sum)) {
    fail(ErrorCode::overflow, text("extent of axis ", axis, ": ", a, " + ", b, " exceeds 2^63-1"));
  }
  return sum;
}

std::int64_t extent_product(std::int64_t a, std::int64_t b, std::size_t axis) {
  std::int64_t product = 0;
  if (!checked_mul(a, b, product)) {
    fail(ErrorCode::overflow, text("extent of axis ", axis, ": ", a, " * ", b, " exceeds 2^63-1"));
  }
  return product;
}

void copy_part(const TensorView& to, const TensorView& from) {
  if (to.numel() == 0) return;
  if (copy_small(to, same_list(from.shape(), to.shape()) ? from : from.expand(to.shape()))) return;
  TensorIteratorConfig config;
  config.add_output(to).add_input(from).check_all_same_dtype(false).resize_outputs(false);
  config.set_check_mem_overlap(false);
  const TensorIterator iter = config.build();
  CopyKernel(iter.dtype(0), iter.dtype(1)).run(iter, {}, without_strategy(tuning()));
}

void in_blocks(const TensorView& out, std::size_t axis, std::int64_t parts, std::uint64_t cut,
               FunctionRef<void(const Block& block)> write) {
  const std::int64_t size = element_size(out.dtype());
  const std::int64_t part_bytes =
      out.numel() == 0 ? 0 : out.shape()[axis] / parts * std::abs(out.strides()[axis]) * size;
  if (parts > 1 && out.nbytes() > block_bytes && part_bytes < narrow_part_bytes) {
    const std::size_t along = outer_axis(out, axis, cut);
    const std::int64_t extent = out.shape()[along];
    const std::int64_t count = std::max<std::int64_t>(1, block_bytes / (out.nbytes() / extent));
    if (along != axis && count < extent) {
      return parallel_for(ceil_div(extent, count), 2, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          write(Block(along, i * count, std::min(count, extent - i * count)));
      });
    }
  }
  write(Block());
}

}  // namespace v0
}  // namespace weft
