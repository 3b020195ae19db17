// SPDX-License-Identifier: Apache-2.0
#include "iter/plan_builder.hpp"

#include <weft/base/checked.hpp>
#include <weft/iter/broadcast.hpp>
#include <weft/iter/coalesce.hpp>

#include "base/text.hpp"
#include "iter/operand_name.hpp"
#include "iter/pytorch_layout.hpp"

#include <algorithm>

namespace weft::inline v0 {

TensorIterator TensorIteratorConfig::build() const {
  TensorIterator iter;
  PlanBuilder(*this, iter).run();
  return iter;
}

void PlanBuilder::run() {
  check_rules();
  if (build_dense()) return;
  collect_operands();
  find_shape();
  check_output_shapes();
  find_types();
  lay_out_strides();
  check_overlap();
  choose_order();
  allocate_outputs();
  squash();
  finish();
}

std::string PlanBuilder::operand_label(std::size_t operand) const {
  return operand_name(operand, static_cast<std::size_t>(iter_.noutputs_));
}

/// Rules that contradict each other, and operands out of order.
void PlanBuilder::check_rules() const {
  const TensorIteratorConfig& c = config_;
  if (c.output_after_input_) {
    fail(ErrorCode::invalid_argument, "outputs must be added before inputs: add all outputs first");
  }
  if (c.entries_.size() > max_operands) {
    fail(ErrorCode::rank, text(c.entries_.size(), " operands exceed ", max_operands));
  }
  if (c.types_.integers_to_float && !c.types_.promote_inputs) {
    fail(ErrorCode::invalid_argument,
         "promote_integer_inputs_to_float(true) needs promote_inputs_to_common_dtype(true)");
  }
  if (c.types_.undefined_outputs && c.types_.check_all_same) {
    fail(ErrorCode::invalid_argument,
         "declare_static_dtype(...) needs check_all_same_dtype(false) or promotion");
  }
  if (c.has_static_shape_ && c.resize_outputs_) {
    fail(ErrorCode::invalid_argument, "declare_static_shape(...) needs resize_outputs(false)");
  }
  for (const std::int64_t axis : c.squash_axes_) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(c.static_shape_.size())) {
      fail(ErrorCode::axis,
           text("axis ", axis, " to squash is out of range for the declared shape ",
                to_string(c.static_shape_)));
    }
  }
}

/// The common case, without any of the stages: all defined operands row-major, of one shape and one
/// type, nothing overlapping. One dim of numel elements (none for 0-d operands). False, with
/// nothing done, if it is not that case.
bool PlanBuilder::build_dense() {
  const TensorIteratorConfig& c = config_;
  if (c.reduction_ || c.has_static_shape_ || c.entries_.empty()) return false;
  const TensorView* first = nullptr;
  for (const Entry& entry : c.entries_) {
    const TensorView* view = entry.view;
    if (view == nullptr || !view->defined()) {
      if (!entry.is_output) return false;
      continue;
    }
    if (!view->is_contiguous() || view->is_weak_scalar() || (entry.is_output && view->read_only()))
      return false;
    if (first == nullptr) {
      first = view;
    } else if (view->dtype() != first->dtype() ||
               !std::ranges::equal(view->shape(), first->shape())) {
      return false;
    }
  }
  if (first == nullptr) return false;
  const ScalarType type = first->dtype();
  if (c.types_.integers_to_float && (is_integer(type) || type == ScalarType::boolean)) return false;
  bool any_new = false;
  for (const Entry& out : c.entries_) {
    if (!out.is_output) break;
    if (out.view == nullptr || !out.view->defined()) {
      any_new = true;
      continue;
    }
    if (config_.overlap_ == OverlapPolicy::ignore) continue;
    const char* begin = static_cast<const char*>(out.view->data());
    const char* end = begin + out.view->end_byte();
    for (const Entry& other : c.entries_) {
      if (other.view == nullptr || &other == &out) continue;
      const char* other_begin = static_cast<const char*>(other.view->data());
      const bool apart = end <= other_begin || other_begin + other.view->end_byte() <= begin;
      if (!apart && (other.is_output || other_begin != begin))
        return false;  // the stages know what to say
    }
  }
  TensorIterator& it = iter_;
  for (const Entry& entry : c.entries_) {
    const bool is_new = entry.view == nullptr || !entry.view->defined();
    const ScalarType storage = is_new ? c.types_.undefined_outputs.value_or(type) : type;
    Operand op;
    op.dtype = op.storage = storage;
    op.is_output = entry.is_output;
    op.is_const = entry.is_const;
    if (!is_new) {
      op.data = static_cast<char*>(entry.view->data());
      op.view = *entry.view;
    }
    it.operands_.push_back(std::move(op));
    it.noutputs_ += entry.is_output ? 1 : 0;
  }
  const int count = it.ntensors();
  it.common_shape_ = DimVector(first->shape().begin(), first->shape().end());
  it.numel_ = first->numel();
  it.pytorch_order_ = c.pytorch_order_;
  // PyTorch speaks of a common type only where the rules ask for one.
  if (any_new || c.types_.check_all_same || c.types_.promote_inputs || c.types_.cast_to_outputs ||
      c.types_.safe_casting) {
    it.common_dtype_ = type;
  }
  it.geometry_.noperands = count;
  if (first->rank() > 0) {
    it.geometry_.resize(1);
    it.geometry_.extent(0) = it.numel_;
  }
  for (int d = first->rank(); d-- > 0;)
    it.perm_.push_back(static_cast<std::uint8_t>(d));
  if (any_new) {
    for (int k = 0; k < count; ++k)
      new_.push_back(it.operands_[static_cast<std::size_t>(k)].view.defined() ? 0 : 1);
    new_strides_ = contiguous_strides(it.common_shape_);
    allocate_outputs();
  }
  for (int k = 0; k < count; ++k) {
    Operand& op = it.operands_[static_cast<std::size_t>(k)];
    if (first->rank() > 0) it.geometry_.stride(0, k) = element_size(op.storage);
    if (!op.is_output) {
      for (int o = 0; o < it.noutputs_; ++o) {
        Operand& out = it.operands_[static_cast<std::size_t>(o)];
        if (out.data == op.data) out.is_read_write = true;
      }
    }
  }
  it.view_offsets_.push_back(0);
  return true;
}

void PlanBuilder::collect_operands() {
  for (const Entry& entry : config_.entries_) {
    Operand op;
    op.is_output = entry.is_output;
    op.is_const = entry.is_const;
    if (entry.view != nullptr) op.view = *entry.view;
    op.data = static_cast<char*>(op.view.data());
    iter_.noutputs_ += entry.is_output ? 1 : 0;
    new_.push_back(entry.is_output && !op.view.defined() ? 1 : 0);
    copy_.push_back(0);
    iter_.operands_.push_back(std::move(op));
  }
  for (std::size_t k = 0; k < iter_.operands_.size(); ++k) {
    const Operand& op = iter_.operands_[k];
    if (op.is_output && op.view.read_only()) {
      fail(ErrorCode::invalid_argument, text(operand_label(k), ": the tensor is read-only"));
    }
    if (!op.is_output && !op.view.defined())
      fail(ErrorCode::undefined, text(operand_label(k), ": undefined tensor"));
    if (is_new(k) && config_.reduction_) {
      fail(ErrorCode::undefined,
           text(operand_label(k),
                ": a reduction needs a defined output; its shape says what is reduced"));
    }
  }
  iter_.is_reduction_ = config_.reduction_;
  iter_.pytorch_order_ = config_.pytorch_order_;
  mark_read_write();
}

/// An output with the very elements of an input works in place, and is never replaced.
void PlanBuilder::mark_read_write() {
  for (Operand& out : iter_.operands_) {
    if (!out.is_output || !out.view.defined()) continue;
    for (const Operand& in : iter_.operands_) {
      if (in.is_output || in.view.data() != out.view.data() || in.view.dtype() != out.view.dtype())
        continue;
      out.is_read_write |= std::ranges::equal(in.view.shape(), out.view.shape()) &&
                           std::ranges::equal(in.view.strides(), out.view.strides());
    }
  }
}

void PlanBuilder::find_shape() {
  DimVector& shape = iter_.common_shape_;
  if (config_.has_static_shape_) {
    shape = config_.static_shape_;
    iter_.numel_ = numel(shape);
    return;
  }
  std::size_t from = 0;  // operand that the shape so far comes from, for the message
  bool any = false;
  for (std::size_t k = 0; k < iter_.operands_.size(); ++k) {
    const Operand& op = iter_.operands_[k];
    if (is_new(k) || (op.is_output && config_.resize_outputs_)) continue;
    if (!any) {
      shape = DimVector(op.view.shape().begin(), op.view.shape().end());
      from = k;
      any = true;
      continue;
    }
    if (std::ranges::equal(shape, op.view.shape())) continue;
    try {
      shape = broadcast_shapes(shape, op.view.shape());
    } catch (const Error& error) {
      fail(error.code(), text(operand_label(k), " with ", operand_label(from), ": ", error.what()));
    }
    from = k;
  }
  if (!any) {  // nothing but outputs that may be resized: they say
    for (const Operand& op : iter_.operands_) {
      if (op.view.defined()) {
        shape = DimVector(op.view.shape().begin(), op.view.shape().end());
        any = true;
        break;
      }
    }
  }
  if (!any) fail(ErrorCode::undefined, "no defined operand to take a shape from");
  iter_.numel_ = numel(shape);
}

void PlanBuilder::check_output_shapes() {
  const IntSpan shape = iter_.common_shape_;
  for (std::size_t k = 0; k < static_cast<std::size_t>(iter_.noutputs_); ++k) {
    const Operand& op = iter_.operands_[k];
    if (is_new(k) || config_.has_static_shape_ || std::ranges::equal(op.view.shape(), shape))
      continue;
    if (config_.resize_outputs_ && config_.entries_[k].tensor != nullptr && !op.is_read_write &&
        !config_.reduction_) {
      new_[k] = 1;
      continue;
    }
    if (!config_.reduction_) {
      fail(ErrorCode::shape, text(operand_label(k), " with shape ", to_string(op.view.shape()),
                                  " doesn't match the broadcast shape ", to_string(shape)));
    }
  }
}

void PlanBuilder::find_types() {
  SmallVector<OperandType, inline_operands> types;
  for (std::size_t k = 0; k < iter_.operands_.size(); ++k) {
    const Operand& op = iter_.operands_[k];
    OperandType type;
    type.is_output = op.is_output;
    type.defined = op.view.defined();  // an output of the wrong shape still says its type
    type.weak = op.view.is_weak_scalar();
    type.rank = op.view.rank();
    type.storage = op.view.dtype();
    types.push_back(type);
  }
  iter_.common_dtype_ = resolve_types({types.data(), types.size()}, config_.types_);
  for (std::size_t k = 0; k < types.size(); ++k) {
    iter_.operands_[k].storage = types[k].storage;
    iter_.operands_[k].dtype = types[k].dtype;
  }
}

/// With a declared shape, operands are seen as if they had it, those of lower rank at its trailing
/// axes.
IntSpan PlanBuilder::declared_or_own_shape(const TensorView& view) const {
  if (!config_.has_static_shape_) return view.shape();
  const IntSpan shape = iter_.common_shape_;
  return {shape.data() + shape.size() - view.shape().size(), view.shape().size()};
}

void PlanBuilder::lay_out_strides() {
  Geometry& geometry = iter_.geometry_;
  geometry.noperands = iter_.ntensors();
  if (iter_.common_shape_.size() > max_rank) {
    fail(ErrorCode::rank, text("rank ", iter_.common_shape_.size(), " exceeds ", max_rank));
  }
  geometry.resize(static_cast<int>(iter_.common_shape_.size()));
  std::ranges::copy(iter_.common_shape_, geometry.shape.begin());
  for (std::size_t k = 0; k < iter_.operands_.size(); ++k) {
    const Operand& op = iter_.operands_[k];
    if (is_new(k)) {
      for (int d = 0; d < geometry.ndim(); ++d)
        geometry.stride(d, static_cast<int>(k)) = 0;
      continue;
    }
    if (op.view.rank() > geometry.ndim()) {
      fail(ErrorCode::rank, text(operand_label(k), " of rank ", op.view.rank(),
                                 " exceeds the declared shape ", to_string(iter_.common_shape_)));
    }
    broadcast_strides(geometry, static_cast<int>(k), declared_or_own_shape(op.view),
                      op.view.strides(), element_size(op.storage));
  }
  if (config_.has_static_shape_) check_reach();
}

/// A declared shape makes operands' reach differ from what their own views were checked for.
/// Squashed axes are the kernel's to walk, with each operand's own extents.
void PlanBuilder::check_reach() const {
  if (iter_.numel_ == 0) return;
  const Geometry& geometry = iter_.geometry_;
  for (int k = 0; k < geometry.noperands; ++k) {
    const Operand& op = iter_.operands_[static_cast<std::size_t>(k)];
    if (is_new(static_cast<std::size_t>(k))) continue;
    std::int64_t first = 0;
    std::int64_t end = 0;
    bool fits = true;
    for (int d = 0; d < geometry.ndim(); ++d) {
      const bool squashed = std::ranges::count(config_.squash_axes_, d) > 0;
      if (squashed || geometry.extent(d) == 1) continue;
      std::int64_t span = 0;
      fits = fits && checked_mul(geometry.extent(d) - 1, geometry.stride(d, k), span);
      std::int64_t& edge = span < 0 ? first : end;
      fits = fits && checked_add(edge, span, edge);
    }
    fits = fits && checked_add(end, element_size(op.storage), end);
    const std::string label = operand_label(static_cast<std::size_t>(k));
    if (!fits) {
      fail(ErrorCode::overflow, text(label, ": byte offsets under the declared shape ",
                                     to_string(iter_.common_shape_), " exceed 2^63-1"));
    }
    // Memory of unknown extent counts as what the view itself reaches.
    std::int64_t low = op.view.first_byte();
    std::int64_t high = op.view.end_byte();
    if (const ByteRange range = op.view.range(); range.begin != nullptr) {
      low = range.begin - static_cast<const std::byte*>(op.view.data());
      high = range.end - static_cast<const std::byte*>(op.view.data());
    }
    if (first < low || end > high) {
      fail(ErrorCode::bounds, text(label, ": under the declared shape ",
                                   to_string(iter_.common_shape_), " reaches bytes ", first, " to ",
                                   end, " of its origin, expected ", low, " to ", high));
    }
  }
}

void PlanBuilder::check_overlap() {
  if (config_.overlap_ == OverlapPolicy::ignore) return;
  for (std::size_t out = 0; out < static_cast<std::size_t>(iter_.noutputs_); ++out) {
    if (is_new(out)) continue;
    const TensorView& view = iter_.operands_[out].view;
    switch (internal_overlap(view)) {
      case Overlap::none: break;
      case Overlap::too_hard:
        fail(ErrorCode::overlap,
             text(operand_label(out),
                  ": could not decide within the work limit whether elements of shape ",
                  to_string(view.shape()), " with strides ", to_string(view.strides()),
                  " share memory"));
      default:
        fail(ErrorCode::overlap,
             text(operand_label(out), ": unsupported operation: elements of shape ",
                  to_string(view.shape()), " with strides ", to_string(view.strides()),
                  " share memory; expected each to have its own"));
    }
    for (std::size_t other = 0; other < iter_.operands_.size(); ++other) {
      if (other == out || is_new(other) || (other < out && iter_.operands_[other].is_output))
        continue;
      check_pair(out, other);
    }
  }
}

void PlanBuilder::check_pair(std::size_t out, std::size_t other) {
  const Operand& a = iter_.operands_[out];
  const Operand& b = iter_.operands_[other];
  const Overlap found = overlap(a.view, b.view);
  if (found == Overlap::none || (found == Overlap::full && !b.is_output)) return;
  if (config_.overlap_ == OverlapPolicy::copy && !b.is_output) {
    copy_[other] = 1;
    return;
  }
  if (found == Overlap::too_hard) {
    fail(ErrorCode::overlap,
         text(operand_label(out), " and ", operand_label(other),
              ": could not decide within the work limit whether they share memory"));
  }
  fail(ErrorCode::overlap,
       text(operand_label(out), " and ", operand_label(other), ": unsupported operation: shape ",
            to_string(a.view.shape()), " with strides ", to_string(a.view.strides()), " and shape ",
            to_string(b.view.shape()), " with strides ", to_string(b.view.strides()),
            " share memory; expected the same elements or none"));
}

/// Strides, in elements per axis, of a dense tensor of the common shape whose dims are in the order
/// `perm`.
DimVector PlanBuilder::dense_strides(const Permutation& perm) const {
  DimVector strides(iter_.common_shape_.size(), 1);
  std::int64_t step = 1;
  for (const std::uint8_t axis : perm) {
    strides[axis] = step;
    if (iter_.common_shape_[axis] > 1) step *= iter_.common_shape_[axis];
  }
  return strides;
}

void PlanBuilder::choose_order() {
  Geometry& geometry = iter_.geometry_;
  const bool any_new = std::ranges::count(new_, 1) > 0;
  SmallVector<OrderOperand, inline_operands> roles;
  for (std::size_t k = 0; k < iter_.operands_.size(); ++k)
    roles.push_back({iter_.operands_[k].is_output, !is_new(k)});
  const std::span<const OrderOperand> operands(roles.data(), roles.size());

  if (config_.pytorch_order_) {
    if (const auto fast = pytorch_fast_layout(config_.reduction_, config_.linear_, iter_, new_)) {
      iter_.perm_ = fast->perm;
      new_strides_ = fast->new_strides;
    } else {
      iter_.perm_ = config_.linear_ ? order_linear(geometry.ndim())
                                    : order_as_pytorch(geometry, operands, config_.reduction_);
      new_strides_ = dense_strides(iter_.perm_);
    }
    return;
  }
  if (config_.linear_) {
    iter_.perm_ = order_linear(geometry.ndim());
    if (any_new) new_strides_ = dense_strides(iter_.perm_);
    return;
  }
  iter_.perm_ = order_by_cost(geometry, operands);
  if (!any_new) return;
  // A new output follows the inputs if they agree on an order, and is row-major if they do not:
  // then it has a say too.
  if (all_agree(geometry, operands, iter_.perm_)) {
    new_strides_ = dense_strides(iter_.perm_);
    return;
  }
  new_strides_ = contiguous_strides(iter_.common_shape_);
  lay_out_new_outputs();
  for (OrderOperand& role : roles)
    role.counts = true;
  iter_.perm_ = order_by_cost(geometry, operands);
}

void PlanBuilder::lay_out_new_outputs() {
  for (std::size_t k = 0; k < new_.size(); ++k) {
    if (!is_new(k)) continue;
    broadcast_strides(iter_.geometry_, static_cast<int>(k), iter_.common_shape_, new_strides_,
                      element_size(iter_.operands_[k].storage));
  }
}

/// The last stage that can throw; afterwards callers' tensors are assigned.
void PlanBuilder::allocate_outputs() {
  for (std::size_t k = 0; k < new_.size(); ++k) {
    if (!is_new(k)) continue;
    Operand& op = iter_.operands_[k];
    Tensor tensor = Tensor::empty_strided(iter_.common_shape_, new_strides_, op.storage);
    op.view = tensor;
    op.data = static_cast<char*>(tensor.data());
    op.allocated = true;
    iter_.kept_.push_back({static_cast<int>(k), std::move(tensor)});
  }
  for (std::size_t k = 0; k < copy_.size(); ++k) {
    if (copy_[k] != 0) copy_before_use(k);
  }
  for (const std::shared_ptr<Tensor>& owned : config_.owned_) {
    for (std::size_t k = 0; k < iter_.operands_.size(); ++k) {
      if (config_.entries_[k].view == owned.get() && owned->defined() &&
          !iter_.operands_[k].allocated) {
        iter_.kept_.push_back({static_cast<int>(k), *owned});
      }
    }
  }
  for (const TensorIterator::Kept& kept : iter_.kept_) {
    Tensor* wanted = config_.entries_[static_cast<std::size_t>(kept.operand)].tensor;
    if (wanted != nullptr && iter_.operands_[static_cast<std::size_t>(kept.operand)].allocated)
      *wanted = kept.tensor;
  }
  if (iter_.common_shape_.size() == static_cast<std::size_t>(iter_.geometry_.ndim()))
    lay_out_new_outputs();
}

/// OverlapPolicy::copy: the input is read from a row-major copy. Its broadcast axes stay broadcast.
void PlanBuilder::copy_before_use(std::size_t input) {
  Operand& op = iter_.operands_[input];
  Tensor copy =
      Tensor::copy_of(op.view.as_strided(declared_or_own_shape(op.view), op.view.strides()));
  op.view = copy;
  op.data = static_cast<char*>(copy.data());
  broadcast_strides(iter_.geometry_, static_cast<int>(input), declared_or_own_shape(op.view),
                    op.view.strides(), element_size(op.storage));
  iter_.kept_.push_back({static_cast<int>(input), std::move(copy)});
}

void PlanBuilder::squash() {
  for (const std::int64_t axis : config_.squash_axes_)
    iter_.geometry_.extent(static_cast<int>(axis)) = 1;
  if (!config_.squash_axes_.empty()) iter_.numel_ = iter_.geometry_.numel();
}

void PlanBuilder::finish() {
  Geometry& geometry = iter_.geometry_;
  permute_dims(geometry, iter_.perm_);
  const bool may_flip = !config_.pytorch_order_ && !config_.linear_ &&
                        config_.squash_axes_.empty() && iter_.numel_ > 0;
  if (may_flip) {
    std::uint64_t keep =
        0;  // reduced dims are walked forwards: their order is what an index reduction counts
    for (int d = 0; d < geometry.ndim(); ++d) {
      if (config_.reduction_ && iter_.is_dim_reduced(d)) keep |= std::uint64_t{1} << d;
    }
    SmallVector<std::int64_t, inline_operands> offsets(iter_.operands_.size(), 0);
    iter_.flipped_ = flip_backward_dims(geometry, {offsets.data(), offsets.size()}, keep);
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      iter_.operands_[k].origin_offset_bytes = offsets[k];
      iter_.operands_[k].data += offsets[k];
    }
  }
  coalesce_dims(geometry);
  iter_.view_offsets_ = DimVector(static_cast<std::size_t>(std::max(geometry.ndim(), 1)), 0);
}

}  // namespace weft::inline v0
