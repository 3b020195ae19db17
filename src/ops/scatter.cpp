// SPDX-License-Identifier: Apache-2.0
// scatter and scatter_add: out[... + index[...] along an axis] = or += source[...].
#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>
#include <weft/iter/config.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/indexing.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "kernels/indexing/indexing.hpp"
#include "ops/index_operand.hpp"
#include "ops/moved_result.hpp"
#include "ops/result.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// Elements that a thread should have, each some ten times as costly as a plain one.
constexpr std::int64_t scatter_grain = default_grain / 8;

/// Steps along the axis, in bytes.
struct AxisSteps {
  std::int64_t length = 0;  ///< indices along it
  std::int64_t source = 0, index = 0;
};

/// Whether a copy of an output, to be put back if an index is outside, costs less than reading the
/// indices twice.
bool is_worth_a_copy(const TensorView& out, const TensorView& index) {
  return out.numel() > 0 && out.nbytes() <= index.nbytes() / 16;
}

/// Every line along the axis in order; lines next to each other step by step, unless each is dense.
/// False if an index is out of range: then not all of it is done.
bool scatter_lines(const TensorIterator& iter, const AxisSteps& axis, const IndexedAxes& indexed,
                   ScatterFn scatter) {
  std::atomic<bool> all_inside = true;
  const auto loop = [&](char** data, const std::int64_t* s, std::int64_t n0, std::int64_t n1) {
    const bool line_by_line = n0 == 1 || std::abs(axis.index) <= std::abs(s[2]);
    for (std::int64_t j = 0; j < n1 && all_inside.load(std::memory_order_relaxed); ++j) {
      IndexedBlock block{data[0] + j * s[3],
                         data[1] + j * s[4],
                         data[2] + j * s[5],
                         {s[0], 0},
                         {s[1], axis.source},
                         {s[2], axis.index},
                         n0,
                         axis.length};
      if (line_by_line) {
        std::swap(block.to_steps[0], block.to_steps[1]);
        std::swap(block.from_steps[0], block.from_steps[1]);
        std::swap(block.index_steps[0], block.index_steps[1]);
        std::swap(block.n0, block.n1);
      }
      if (!scatter(block, indexed)) all_inside.store(false, std::memory_order_relaxed);
    }
  };
  iter.for_each(loop, std::max<std::int64_t>(1, scatter_grain / axis.length));
  return all_inside;
}

void check_source(const TensorView& source, const TensorView& index, ScalarType type) {
  if (source.dtype() != type) {
    fail(ErrorCode::dtype,
         text("input 2: expected ", name(type), " as input 0, got ", name(source.dtype())));
  }
  if (source.rank() != index.rank()) {
    fail(ErrorCode::rank, text("input 2: expected rank ", index.rank(), ", got ", source.rank()));
  }
  for (std::size_t axis = 0; axis < index.shape().size(); ++axis) {
    if (source.shape()[axis] >= index.shape()[axis]) continue;
    fail(ErrorCode::shape, text("input 2: expected at least ", index.shape()[axis], " along axis ",
                                axis, ", got ", source.shape()[axis]));
  }
}

// Operands come by value: a view may be the very tensor that is replaced as an output.
void run_scatter(const char* operation, ScatterOp op, const Output& out, TensorView a,
                 std::int64_t axis, TensorView index, TensorView source) {
  with_operation(operation, [&] {
    check_defined(a, 0);
    check_defined(index, 1);
    check_defined(source, 2);
    const auto along = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
    check_output_type(out.view(), a.dtype());
    const TensorView places = with_axis(index);
    check_index_shape(places, with_axis(a), along);
    // A number becomes one element that every index reads.
    alignas(16) char element[16];
    const bool is_number = source.is_weak_scalar();
    if (!is_number) {
      check_source(with_axis(source), places, a.dtype());
    } else if (!can_cast(source.dtype(), a.dtype())) {
      fail(ErrorCode::cast,
           text("input 2: ", name(source.dtype()), " can't be cast to ", name(a.dtype())));
    } else {
      cast_elements(element, a.dtype(), 0, source.data(), source.dtype(), 0, 1);
    }
    const std::int64_t extent = with_axis(a).shape()[along];
    if (op == ScatterOp::add) check_compiled(a.dtype());
    const IndexOperand indices(places, 1, extent, static_cast<std::int64_t>(along));
    const bool is_there = out.view().defined() && same_list(out.view().shape(), a.shape());
    const bool checks_first = !is_there || !is_worth_a_copy(out.view(), indices.view());
    if (checks_first) indices.check();

    const bool in_place = same_place(out.view(), a);
    const TensorView nothing;
    const Result result(out, a.shape(), a.dtype(),
                        {in_place ? &nothing : &a, &index, is_number ? &nothing : &source});
    const Tensor before = checks_first ? Tensor() : contiguous(result.view());
    if (!in_place) copy_out(result.view(), a);
    if (index.numel() == 0) return;

    const TensorView to = with_axis(result.view());
    DimVector out_strides(to.strides().begin(), to.strides().end());
    const DimVector still(out_strides.size(), 0);
    const TensorView terms = is_number ? TensorView() : with_axis(source);
    const IntSpan source_strides = is_number ? IntSpan(still) : terms.strides();
    const std::int64_t size = element_size(a.dtype());
    const AxisSteps steps{places.shape()[along], source_strides[along] * size,
                          indices.view().strides()[along] * element_size(indices.view().dtype())};
    const std::int64_t out_stride_bytes = out_strides[along] * size;
    const IndexedAxes indexed{indices.view().dtype(), extent,      1, &extent,
                              &out_stride_bytes,      checks_first};
    out_strides[along] = 0;
    const TensorView out_base =
        TensorView::trusted(to.data(), a.dtype(), places.shape(), out_strides);
    const TensorView source_base =
        TensorView::trusted(is_number ? static_cast<const void*>(element) : terms.data(), a.dtype(),
                            places.shape(), source_strides);
    TensorIteratorConfig config;
    config.add_output(out_base).add_input(source_base).add_input(indices.view());
    config.check_all_same_dtype(false).resize_outputs(false).set_check_mem_overlap(false);
    config.declare_static_shape(places.shape(), {static_cast<std::int64_t>(along)});
    if (scatter_lines(config.build(), steps, indexed, scatter_kernel(op, a.dtype()))) return;
    copy_out(result.view(), before);
    indices.fail_outside();
  });
}

}  // namespace

void scatter_out(const Output& out, const TensorView& a, std::int64_t axis, const TensorView& index,
                 const Input& source) {
  run_scatter("scatter", ScatterOp::set, out, a, axis, index, source.view());
}
void scatter_add_out(const Output& out, const TensorView& a, std::int64_t axis,
                     const TensorView& index, const Input& source) {
  run_scatter("scatter_add", ScatterOp::add, out, a, axis, index, source.view());
}

Tensor scatter(const TensorView& a, std::int64_t axis, const TensorView& index,
               const Input& source) {
  Tensor out;
  scatter_out(out, a, axis, index, source);
  return out;
}
Tensor scatter_add(const TensorView& a, std::int64_t axis, const TensorView& index,
                   const Input& source) {
  Tensor out;
  scatter_add_out(out, a, axis, index, source);
  return out;
}

}  // namespace v0
}  // namespace weft
