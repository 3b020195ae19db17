// SPDX-License-Identifier: Apache-2.0
#include "linalg/prepared_product.hpp"

#include <weft/base/error.hpp>
#include <weft/iter/coalesce.hpp>
#include <weft/iter/overlap.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "parallel/thread_worth.hpp"

#include <utility>

namespace weft {
inline namespace v0 {

PreparedProduct::PreparedProduct(const TensorView& c, const TensorView& a, const TensorView& b,
                                 const PackedMatrix* packed, const TensorView& start)
    : packed_(packed) {
  const std::int64_t size = element_size(c.dtype());
  // Axes count from the last one, -1. Where an operand is broadcast the step is 0.
  const auto step = [&](const TensorView& view, int axis) -> std::int64_t {
    return view.rank() < -axis || view.extent(axis) == 1 ? 0 : view.stride(axis) * size;
  };
  const auto column_step = [&](const TensorView& view) {
    return view.defined() ? view.stride(-1) * size : 0;
  };
  batch_.noperands = 4;
  batch_.resize(c.rank() - 1);
  for (int dim = 0; dim < batch_.ndim(); ++dim) {
    const int axis = -2 - dim;
    batch_.extent(dim) = c.extent(axis);
    batch_.stride(dim, result) = step(c, axis);
    batch_.stride(dim, left) = step(a, axis);
    batch_.stride(dim, right) = dim == 0 ? 0 : step(b, axis);
    batch_.stride(dim, initial) = step(start, axis);
  }
  coalesce_dims(batch_);
  product_.type = c.dtype();
  product_.rows = 1;
  product_.columns = c.extent(-1);
  product_.depth = a.extent(-1);
  product_.c.column_step = column_step(c);
  product_.a.column_step = column_step(a);
  product_.b = {nullptr, b.defined() ? b.stride(-2) * size : 0, column_step(b)};
  product_.start.column_step = column_step(start);
  if (batch_.ndim() == 0 || batch_.stride(0, right) != 0) return;
  product_.rows = std::exchange(batch_.extent(0), 1);
  product_.c.row_step = batch_.stride(0, result);
  product_.a.row_step = batch_.stride(0, left);
  product_.start.row_step = batch_.stride(0, initial);
}

void PreparedProduct::run_one(std::int64_t i, Addresses data) const {
  for (int dim = 0; i != 0; ++dim) {
    const std::int64_t index = i % batch_.extent(dim);
    i /= batch_.extent(dim);
    for (std::size_t k = 0; k < data.size(); ++k) {
      // Null: there is no such operand, or it has no elements.
      if (data[k] != nullptr) data[k] += index * batch_.stride(dim, static_cast<int>(k));
    }
  }
  // No copy of the product: it would be read at once while parts of it are still being written.
  const ProductAt& p = product_;
  const auto at = [&](const MatrixAt& m, Operand operand) {
    return MatrixAt{data[operand], m.row_step, m.column_step};
  };
  if (packed_ != nullptr) {
    packed_->multiply(p.rows, at(p.c, result), at(p.a, left), at(p.start, initial));
  } else {
    run_product({p.type, p.rows, p.columns, p.depth, at(p.c, result), at(p.a, left), at(p.b, right),
                 at(p.start, initial)},
                product_provider());
  }
}

void PreparedProduct::run(void* c, const void* a, const void* b, const void* start) const {
  const auto address = [](const void* data) {
    // What is const is only read.
    return const_cast<char*>(static_cast<const char*>(data));
  };
  const Addresses data{address(c), address(a), address(b), address(start)};
  const std::int64_t count = batch_.numel();
  if (count == 1) return run_one(0, data);
  parallel_for(count, pieces_worth_a_thread(product_time_ns(product_)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i)
                   run_one(i, data);
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
