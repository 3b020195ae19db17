// SPDX-License-Identifier: Apache-2.0
#include "iter/plan_builder.hpp"

#include <weft/iter/broadcast.hpp>
#include <weft/iter/coalesce.hpp>

#include "base/operation.hpp"
#include "base/text.hpp"
#include "iter/operand_name.hpp"
#include "iter/pytorch_layout.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
TensorIterator TensorIteratorConfig::build() const {
  TensorIterator iter;
  with_operation(operation_, [&] { PlanBuilder(*this, iter).run(); });
  return iter;
}

void PlanBuilder::run() {
  check_rules();
  if (!build_dense()) {
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
  assign_outputs();
}

std::string PlanBuilder::operand_label(std::size_t operand) const {
  return operand_name(operand, iter_.noutputs_);
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

/// An output with the very elements of an input works in place, and is never replaced.
WEFT_ALWAYS_INLINE void PlanBuilder::mark_read_write(const Operand& in) {
  for (int i = 0; i < iter_.noutputs_; ++i) {
    Operand& out = iter_.operands_[static_cast<std::size_t>(i)];
    if (in.data != out.data || in.storage != out.storage || is_new(static_cast<std::size_t>(i)))
      continue;
    out.is_read_write |= same_list(in.view.shape(), out.view.shape()) &&
                         same_list(in.view.strides(), out.view.strides());
  }
}

/// Copies the operands' views into the iterator.
void PlanBuilder::add_operands() {
  iter_.is_reduction_ = config_.reduction_;
  iter_.pytorch_order_ = config_.pytorch_order_;
  iter_.linear_ = config_.linear_;
  for (const Entry& entry : config_.entries_) {
    const bool given = entry.view != nullptr && entry.view->defined();
    Operand& op =
        given ? iter_.operands_.emplace_back(*entry.view) : iter_.operands_.emplace_back();
    op.is_output = entry.is_output;
    op.is_const = entry.is_const;
    if (entry.is_output) {
      new_ |= given ? 0u : 1u << iter_.noutputs_;
      ++iter_.noutputs_;
    } else {
      mark_read_write(op);
    }
  }
}

void PlanBuilder::collect_operands() {
  add_operands();
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
}

void PlanBuilder::find_shape() {
  DimVector& shape = iter_.common_shape_;
  if (config_.has_static_shape_) {
    shape = config_.static_shape_;
    iter_.has_declared_shape_ = true;
    iter_.numel_ = numel(shape);
    return;
  }
  std::size_t from = 0;  // operand that the shape so far comes from, for the message
  bool any = false;
  for (std::size_t k = 0; k < iter_.operands_.size(); ++k) {
    const Operand& op = iter_.operands_[k];
    if (is_new(k) || (op.is_output && config_.resize_outputs_)) continue;
    if (!any) {
      shape.assign(op.view.shape());
      from = k;
      any = true;
      continue;
    }
    if (same_list(shape, op.view.shape())) continue;
    try {
      shape = broadcast_shapes(shape, op.view.shape());
    } catch (const Error& error) {
      fail(error.code(), text(operand_label(from), " with ", operand_label(k), ": ", error.what()));
    }
    from = k;
  }
  if (!any) {  // nothing but outputs that may be resized: they say
    for (const Operand& op : iter_.operands_) {
      if (op.view.defined()) {
        shape.assign(op.view.shape());
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
    if (is_new(k) || config_.has_static_shape_ || same_list(op.view.shape(), shape)) continue;
    if (config_.resize_outputs_ && config_.entries_[k].tensor != nullptr && !op.is_read_write &&
        !config_.reduction_) {
      new_ |= 1u << k;
      continue;
    }
    if (!config_.reduction_ || !broadcasts_to(op.view.shape(), shape)) {
      fail(ErrorCode::shape, text(operand_label(k), " with shape ", to_string(op.view.shape()),
                                  config_.reduction_ ? " doesn't reduce" : " doesn't match",
                                  " the broadcast shape ", to_string(shape)));
    }
  }
}

void PlanBuilder::find_types() {
  const ScalarType first = iter_.operands_[static_cast<std::size_t>(iter_.ntensors() - 1)].storage;
  const bool one_type = std::ranges::all_of(iter_.operands_, [&](const Operand& op) {
    return !op.view.defined() || (op.storage == first && !op.view.is_weak_scalar());
  });
  if (one_type && iter_.ninputs() > 0 && one_type_suffices(first)) return take_type(first);
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

/// Whether the rules leave the type that all operands have as it is.
bool PlanBuilder::one_type_suffices(ScalarType type) const {
  const TypeRules& rules = config_.types_;
  const bool to_float =
      rules.integers_to_float && (is_integer(type) || type == ScalarType::boolean);
  return !to_float && !rules.undefined_outputs;
}

/// The stage for operands of one type: most calls.
void PlanBuilder::take_type(ScalarType type) {
  const TypeRules& rules = config_.types_;
  if (new_ != 0 || rules.check_all_same || rules.promote_inputs || rules.cast_to_outputs ||
      rules.safe_casting) {
    iter_.common_dtype_ = type;  // as in PyTorch, only where the rules ask for one
  }
  for (std::size_t k = 0; new_ >> k != 0; ++k) {
    if (is_new(k)) iter_.operands_[k].storage = iter_.operands_[k].dtype = type;
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

bool PlanBuilder::is_squashed(int axis) const {
  return std::ranges::count(config_.squash_axes_, axis) > 0;
}

void PlanBuilder::choose_order() {
  Geometry& geometry = iter_.geometry_;
  const bool any_new = new_ != 0;
  OrderOperand roles[max_operands];
  for (std::size_t k = 0; k < iter_.operands_.size(); ++k)
    roles[k] = {iter_.operands_[k].is_output, !is_new(k)};
  // Which elements a reduction takes together, and so the last bit of a sum, is a matter of its
  // inputs alone.
  if (config_.reduction_ && !config_.pytorch_order_) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(iter_.noutputs_); ++k)
      roles[k].counts = false;
  }
  const std::span<const OrderOperand> operands(roles, iter_.operands_.size());

  if (config_.pytorch_order_) {
    if (const auto fast = pytorch_fast_layout(config_.reduction_, config_.linear_, iter_, new_)) {
      iter_.perm_ = fast->perm;
      new_strides_ = fast->new_strides;
      return;
    }
  }
  if (config_.pytorch_order_ || config_.linear_) {
    iter_.perm_ = config_.linear_ ? order_linear(geometry.ndim())
                                  : order_as_pytorch(geometry, operands, config_.reduction_);
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

void PlanBuilder::squash() {
  for (const std::int64_t axis : config_.squash_axes_) {
    iter_.geometry_.extent(static_cast<int>(axis)) = 1;
    iter_.squashed_ |= std::uint64_t{1} << axis;
  }
  // Such an operand may have no memory at all, so its pointer stands still.
  for (int k = 0; k < iter_.ntensors() && !config_.squash_axes_.empty(); ++k) {
    if (!has_nothing_to_walk(iter_.operands_[static_cast<std::size_t>(k)])) continue;
    for (int d = 0; d < iter_.geometry_.ndim(); ++d) {
      iter_.geometry_.stride(d, k) = 0;
    }
  }
  if (!config_.squash_axes_.empty()) iter_.numel_ = iter_.geometry_.numel();
}

void PlanBuilder::finish() {
  permute_dims(iter_.geometry_, iter_.perm_);
  flip_backwards();
  coalesce_dims(iter_.geometry_);
  iter_.view_offsets_.resize(static_cast<std::size_t>(std::max(iter_.ndim(), 1)), 0);
}

/// Reduced dims are walked forwards: their order is what an index reduction counts. So are other
/// dims of a reduction where an input runs forwards: inputs are most of what is walked, and what
/// computes them counts its elements from the front.
void PlanBuilder::flip_backwards() {
  if (config_.pytorch_order_ || config_.linear_ || !config_.squash_axes_.empty()) return;
  const bool any = std::ranges::any_of(iter_.operands_,
                                       [](const Operand& op) { return op.view.first_byte() < 0; });
  if (!any || iter_.numel_ == 0) return;
  std::uint64_t keep = 0;
  for (int d = 0; config_.reduction_ && d < iter_.ndim(); ++d) {
    bool forwards = iter_.is_dim_reduced(d);
    for (int k = iter_.noutputs(); k < iter_.ntensors(); ++k)
      forwards = forwards || iter_.geometry_.stride(d, k) > 0;
    if (forwards) keep |= std::uint64_t{1} << d;
  }
  SmallVector<std::int64_t, inline_operands> offsets(iter_.operands_.size(), 0);
  iter_.flipped_ = flip_backward_dims(iter_.geometry_, {offsets.data(), offsets.size()}, keep);
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    iter_.operands_[k].origin_offset_bytes = offsets[k];
    iter_.operands_[k].data += offsets[k];
  }
}

}  // namespace v0
}  // namespace weft
