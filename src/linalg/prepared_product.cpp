// SPDX-License-Identifier: Apache-2.0
#include "linalg/prepared_product.hpp"

#include <weft/base/error.hpp>
#include <weft/iter/overlap.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {

PreparedProduct::PreparedProduct(const TensorView& c, const TensorView& a, const TensorView& b)
    : type_(c.dtype()) {
  const std::int64_t size = element_size(type_);
  const int leading = c.rank() - 2;
  // Aligned at the last axis, with stride 0 where an operand is broadcast.
  const auto stride = [&](const TensorView& view, int axis) -> std::int64_t {
    const int own = axis - (c.rank() - view.rank());
    if (own < 0 || view.shape()[static_cast<std::size_t>(own)] == 1) return 0;
    return view.strides()[static_cast<std::size_t>(own)] * size;
  };
  for (int axis = 0; axis <= leading; ++axis) {
    const bool rows = axis == leading;
    add_axis(c.extent(axis), {c.stride(axis) * size, rows ? a.stride(-2) * size : stride(a, axis),
                              rows ? 0 : stride(b, axis), 0});
  }
  shape_ = {1, c.extent(-1), a.extent(-1)};
  take_rows();
  c_.column_step = c.stride(-1) * size;
  a_.column_step = a.stride(-1) * size;
  b_ = {nullptr, b.stride(-2) * size, b.stride(-1) * size};
}

PreparedProduct::PreparedProduct(const TensorView& c, const TensorView& a,
                                 const PackedMatrix& matrix, const TensorView& start)
    : type_(c.dtype()), packed_(&matrix) {
  const std::int64_t size = element_size(type_);
  const TensorView from = start.defined() ? start.expand(c.shape()) : TensorView();
  const auto last = static_cast<std::size_t>(c.rank() - 1);
  for (std::size_t axis = 0; axis < last; ++axis) {
    add_axis(c.shape()[axis], {c.strides()[axis] * size, a.strides()[axis] * size, 0,
                               from.defined() ? from.strides()[axis] * size : 0});
  }
  shape_ = {1, matrix.columns(), matrix.rows()};
  take_rows();
  c_.column_step = c.strides()[last] * size;
  a_.column_step = a.strides()[last] * size;
  start_.column_step = from.defined() ? from.strides()[last] * size : 0;
}

/// From the outermost axis in; one that all operands walk as one with the last is joined to it.
void PreparedProduct::add_axis(std::int64_t extent, const Steps& steps) {
  if (extent == 1) return;
  if (!axes_.empty()) {
    Axis& outer = axes_.back();
    bool joins = true;
    for (std::size_t k = 0; k < steps.size(); ++k)
      joins &= outer.steps[k] == extent * steps[k];
    if (joins) {
      outer = {outer.extent * extent, steps};
      return;
    }
  }
  axes_.push_back({extent, steps});
}

void PreparedProduct::take_rows() {
  if (axes_.empty() || axes_.back().steps[right] != 0) return;
  const Axis rows = axes_.back();
  axes_.pop_back();
  shape_.rows = rows.extent;
  c_.row_step = rows.steps[result];
  a_.row_step = rows.steps[left];
  start_.row_step = rows.steps[initial];
}

void PreparedProduct::run_one(const Steps& offsets, char* c, const char* a, const char* b,
                              const char* start) const {
  const auto at = [](const MatrixAt& m, const char* data, std::int64_t offset) {
    return MatrixAt{data == nullptr ? nullptr : const_cast<char*>(data) + offset, m.row_step,
                    m.column_step};
  };
  const MatrixAt to = at(c_, c, offsets[result]);
  const MatrixAt from = at(a_, a, offsets[left]);
  const MatrixAt initially = at(start_, start, offsets[initial]);
  if (packed_ != nullptr) {
    packed_->multiply(shape_.rows, to, from, initially);
  } else {
    run_offered_product(product_provider(), type_, shape_, to, from, at(b_, b, offsets[right]),
                        initially);
  }
}

void PreparedProduct::run(void* c, const void* a, const void* b, const void* start) const {
  auto* to = static_cast<char*>(c);
  const auto* from_a = static_cast<const char*>(a);
  const auto* from_b = static_cast<const char*>(b);
  const auto* from_start = static_cast<const char*>(start);
  if (axes_.empty()) {
    run_one({}, to, from_a, from_b, from_start);
    return;
  }
  std::int64_t count = 1;
  for (const Axis& axis : axes_)
    count *= axis.extent;
  const double work = static_cast<double>(shape_.rows) * static_cast<double>(shape_.columns) *
                      static_cast<double>(shape_.depth);
  parallel_for(count, product_grain(work), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Steps offsets{};
      std::int64_t rest = i;
      for (std::size_t axis = axes_.size(); axis-- > 0;) {
        const std::int64_t index = rest % axes_[axis].extent;
        rest /= axes_[axis].extent;
        for (std::size_t k = 0; k < offsets.size(); ++k)
          offsets[k] += index * axes_[axis].steps[k];
      }
      run_one(offsets, to, from_a, from_b, from_start);
    }
  });
}

void check_product_overlap(const TensorView& c, const TensorView& other, const char* operand) {
  if (overlap(c, other) == Overlap::none) return;
  fail(ErrorCode::overlap,
       text("output 0 shares memory with ", operand, ", or may; a product can't be made in place"));
}

void check_product_output(const TensorView& c) {
  if (c.read_only()) fail(ErrorCode::invalid_argument, "output 0: read-only view");
  if (internal_overlap(c) == Overlap::none) return;
  fail(ErrorCode::overlap, "output 0: elements share memory with each other, or may");
}

}  // namespace v0
}  // namespace weft
