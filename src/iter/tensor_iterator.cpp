// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/tensor_iterator.hpp>

#include "base/text.hpp"
#include "iter/operand_name.hpp"

#include <algorithm>
#include <limits>

namespace weft {
inline namespace v0 {

void TensorIterator::fail_operand(int operand) const {
  fail(ErrorCode::invalid_argument,
       text("operand ", operand, " of an iterator over ", ntensors(), " operands"));
}

void TensorIterator::check_dim(int dim) const {
  if (dim < 0 || dim >= ndim())
    fail(ErrorCode::axis, text("dim ", dim, " of an iterator of ", ndim(), " dims"));
}

DimVector TensorIterator::strides(int operand) const {
  if (operand < 0 || operand >= ntensors()) fail_operand(operand);
  DimVector strides;
  for (int d = 0; d < ndim(); ++d)
    strides.push_back(geometry_.stride(d, operand));
  return strides;
}

IntSpan TensorIterator::get_dim_strides(int dim) const noexcept {
  static constexpr std::int64_t zeros[max_operands] = {};
  const auto count = static_cast<std::size_t>(ntensors());
  return dim < 0 || dim >= ndim() ? IntSpan(zeros, count) : IntSpan(geometry_.strides(dim), count);
}

StrideVector TensorIterator::get_strides() const {
  StrideVector strides = geometry_.strides_bytes;
  strides.resize(static_cast<std::size_t>(std::max(ndim(), 2) * ntensors()), 0);
  return strides;
}

ScalarType TensorIterator::common_dtype() const {
  if (!common_dtype_) {
    fail(ErrorCode::dtype,
         "no common element type: expected a config that promotes, casts or allocates");
  }
  return *common_dtype_;
}

Tensor TensorIterator::allocated_output(int i) const {
  for (const Kept& kept : kept_) {
    const bool made = kept.operand == i && operands_[static_cast<std::size_t>(i)].allocated;
    if (made && !kept.write_back_to) return kept.tensor;  // not one that the config owned
  }
  fail(ErrorCode::undefined, text("output ", i, " was not allocated by build()"));
}

bool TensorIterator::is_contiguous() const noexcept {
  return numel_ == 1 || (ndim() == 1 && has_contiguous_first_dim());
}

bool TensorIterator::has_contiguous_first_dim() const noexcept {
  if (ndim() == 0) return true;
  for (int k = 0; k < ntensors(); ++k) {
    if (geometry_.stride(0, k) !=
        weft::element_size(operands_[static_cast<std::size_t>(k)].storage))
      return false;
  }
  return true;
}

bool TensorIterator::is_scalar(int operand) const {
  if (operand < 0 || operand >= ntensors()) fail_operand(operand);
  for (int d = 0; d < ndim(); ++d) {
    if (geometry_.extent(d) != 1 && geometry_.stride(d, operand) != 0) return false;
  }
  return true;
}

const Operand& TensorIterator::scalar_operand(int operand) const {
  if (!is_scalar(operand) || numel_ == 0) {
    fail(ErrorCode::shape, text(operand_name(operand, noutputs_),
                                ": expected one value for the whole iteration, got shape ",
                                to_string(at(operand).view.shape())));
  }
  return at(operand);
}

bool TensorIterator::is_dim_reduced(int dim) const noexcept {
  if (dim < 0 || dim >= ndim() || geometry_.extent(dim) <= 1) return false;
  return std::any_of(geometry_.strides(dim), geometry_.strides(dim) + noutputs_,
                     [](std::int64_t s) { return s == 0; });
}

int TensorIterator::num_reduce_dims() const noexcept {
  int count = 0;
  for (int d = 0; d < ndim() && noutputs_ > 0; ++d)
    count += geometry_.stride(d, 0) == 0 ? 1 : 0;
  return count;
}

std::int64_t TensorIterator::num_output_elements() const noexcept {
  // Along an empty axis nothing advances, whether it is reduced or not.
  if (numel_ == 0 && noutputs_ > 0 && operands_[0].view.numel() == 0) return 0;
  std::uint64_t count = 1;  // unsigned, as in Geometry::numel
  for (int d = 0; d < ndim() && noutputs_ > 0; ++d) {
    if (geometry_.stride(d, 0) != 0) count *= static_cast<std::uint64_t>(geometry_.extent(d));
  }
  return static_cast<std::int64_t>(count);
}

SmallVector<char*, inline_operands> TensorIterator::get_base_ptrs() const {
  SmallVector<char*, inline_operands> ptrs;
  for (const Operand& op : operands_)
    ptrs.push_back(op.data);
  return ptrs;
}

void TensorIterator::unsafe_set_arg_strides(int operand, IntSpan strides_bytes) {
  at(operand);
  if (strides_bytes.rank() != ndim()) {
    fail(ErrorCode::rank,
         text("expected one stride for each of ", ndim(), " dims, got ", to_string(strides_bytes)));
  }
  for (int d = 0; d < ndim(); ++d)
    geometry_.stride(d, operand) = strides_bytes[static_cast<std::size_t>(d)];
}

void TensorIterator::unsafe_set_geometry(const Geometry& geometry) {
  geometry_ = geometry;
  numel_ = geometry.numel();
  view_offsets_.resize(static_cast<std::size_t>(std::max(ndim(), 1)), 0);
}

[[gnu::cold]] void TensorIterator::remove_operand(int operand) {
  at(operand);
  Geometry fewer;
  fewer.noperands = geometry_.noperands - 1;
  fewer.resize(ndim());
  for (int d = 0; d < ndim(); ++d) {
    fewer.extent(d) = geometry_.extent(d);
    std::int64_t* to = fewer.strides(d);
    for (int k = 0; k < geometry_.noperands; ++k) {
      if (k != operand) *to++ = geometry_.stride(d, k);
    }
  }
  geometry_ = std::move(fewer);
  if (operand < noutputs_) --noutputs_;
  operands_.erase(static_cast<std::size_t>(operand));
  std::erase_if(kept_, [&](const Kept& kept) { return kept.operand == operand; });
  for (Kept& kept : kept_)
    kept.operand -= kept.operand > operand ? 1 : 0;
}

DimVector TensorIterator::compatible_stride(std::int64_t element_bytes) const {
  DimVector strides;
  auto step = static_cast<std::uint64_t>(element_bytes);
  for (int d = 0; d < ndim(); ++d) {
    strides.push_back(static_cast<std::int64_t>(step));
    step *= static_cast<std::uint64_t>(geometry_.extent(d));
  }
  return strides;
}

DimVector TensorIterator::invert_perm(IntSpan per_dim) const {
  if (per_dim.size() != perm_.size()) {
    fail(ErrorCode::rank,
         text("expected one value for each of ", perm_.size(), " axes, got ", to_string(per_dim)));
  }
  DimVector per_axis(per_dim.size(), 0);
  for (std::size_t d = 0; d < per_dim.size(); ++d)
    per_axis[perm_[d]] = per_dim[d];
  return per_axis;
}

void TensorIterator::require_uncast(const char* method) const {
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    const Operand& op = operands_[k];
    if (op.dtype == op.storage) continue;
    fail(ErrorCode::dtype,
         text(method, ": ", operand_name(k, noutputs_), " is ", name(op.storage), " in memory and ",
              name(op.dtype),
              " to the kernel; expected equal types, cpu_kernel, or materialize_casts() before"));
  }
}

[[gnu::cold]] void TensorIterator::materialize_casts() {
  kept_.reserve(kept_.size() + operands_.size());  // an operand that was replaced has to be kept
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    Operand& op = operands_[k];
    if (op.dtype == op.storage) continue;
    const std::int64_t from_size = weft::element_size(op.storage);
    const std::int64_t to_size = weft::element_size(op.dtype);
    // Dense in the plan's order; broadcast and reduced dims stay so.
    DimVector shape, from_strides, to_strides;
    std::int64_t step = 1;
    for (int d = 0; d < ndim(); ++d) {
      const std::int64_t stride = geometry_.stride(d, static_cast<int>(k));
      shape.push_back(stride == 0 ? std::min<std::int64_t>(geometry_.extent(d), 1)
                                  : geometry_.extent(d));
      from_strides.push_back(stride / from_size);
      to_strides.push_back(stride == 0 ? 0 : step);
      step *= shape.back();
    }
    for (int d = 0; d < ndim(); ++d) {
      if (geometry_.stride(d, static_cast<int>(k)) % from_size != 0) {
        fail(ErrorCode::invalid_argument,
             text("materialize_casts: stride of ", geometry_.stride(d, static_cast<int>(k)),
                  " bytes is no multiple of the element size"));
      }
    }
    const TensorView from =
        TensorView::trusted(static_cast<void*>(op.data), op.storage, shape, from_strides);
    Tensor to = Tensor::empty_strided(shape, to_strides, op.dtype);
    // An output that is read: in place, or accumulated into from the identity that stands there.
    if (!op.is_output || op.is_read_write || is_reduction_) cast_tensor(to, from);
    for (int d = 0; d < ndim(); ++d) {
      geometry_.stride(d, static_cast<int>(k)) = to_strides[static_cast<std::size_t>(d)] * to_size;
    }
    op.storage = op.dtype;
    op.data = static_cast<char*>(to.data());
    op.origin_offset_bytes = 0;
    Kept kept{static_cast<int>(k), std::move(to)};
    if (op.is_output) kept.write_back_to = from;
    kept_.push_back(std::move(kept));
  }
}

void TensorIterator::cast_outputs() {
  for (const Kept& kept : kept_) {
    if (kept.write_back_to) cast_tensor(*kept.write_back_to, kept.tensor);
  }
}

}  // namespace v0
}  // namespace weft
