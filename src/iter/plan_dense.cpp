// SPDX-License-Identifier: Apache-2.0
// The path of dense operands through PlanBuilder: one dim, and no stages.
#include "iter/plan_builder.hpp"

namespace weft {
inline namespace v0 {

/// The common case, without most of the stages: operands that are row-major and of one shape, or
/// inputs of one element. One dim of numel elements (none for 0-d operands), along which these last
/// stand still. False, with nothing done, if it is not that case.
bool PlanBuilder::build_dense() {
  const TensorIteratorConfig& c = config_;
  if (c.reduction_ || c.has_static_shape_) return false;
  bool one_type = true;
  const TensorView* dense = dense_operand(one_type);
  if (dense == nullptr || may_overlap()) return false;
  TensorIterator& it = iter_;
  add_operands();
  it.common_shape_.assign(dense->shape());
  it.numel_ = dense->numel();
  for (int d = dense->rank(); d-- > 0;)
    it.perm_.push_back(static_cast<std::uint8_t>(d));
  if (one_type) {
    take_type(dense->dtype());
  } else {
    find_types();
  }
  Geometry& geometry = it.geometry_;
  geometry.noperands = it.ntensors();
  geometry.resize(dense->rank() > 0 ? 1 : 0);
  if (dense->rank() > 0) geometry.extent(0) = it.numel_;
  if (new_ != 0) {
    new_strides_ = contiguous_strides(it.common_shape_);
    allocate_outputs();
  } else {
    keep_owned();
  }
  if (dense->rank() > 0) {
    for (int k = 0; k < geometry.noperands; ++k) {
      const Operand& op = it.operands_[static_cast<std::size_t>(k)];
      const bool one = op.view.numel() == 1 && it.numel_ != 1;
      geometry.stride(0, k) = one ? 0 : element_size(op.storage);
    }
  }
  it.view_offsets_.push_back(0);
  return true;
}

/// True if all operands are defined, row-major, of one type and one shape, and none is a weak
/// scalar or an output that may not be written: most calls.
bool PlanBuilder::is_uniform() const {
  if (config_.entries_.empty()) return false;
  const TensorView* first = config_.entries_[0].view;
  if (first == nullptr) return false;
  for (const Entry& entry : config_.entries_) {
    if (entry.view == nullptr) return false;
    const TensorView& view = *entry.view;
    if (!view.defined() || !view.is_contiguous() || view.is_weak_scalar() ||
        (entry.is_output && view.read_only()) || view.dtype() != first->dtype() ||
        view.numel() != first->numel() || view.rank() != first->rank()) {
      return false;
    }
  }
  for (const Entry* entry = config_.entries_.begin() + 1; entry != config_.entries_.end();
       ++entry) {
    if (!same_list(entry->view->shape(), first->shape())) return false;
  }
  return true;
}

/// The operand whose shape all have that are not one element; null if some operand is neither.
/// one_type becomes false if the types stage has more to do than to take that operand's type.
const TensorView* PlanBuilder::dense_operand(bool& one_type) const {
  if (is_uniform()) {
    const TensorView* view = config_.entries_[0].view;
    one_type = one_type_suffices(view->dtype());
    return view;
  }
  // The first with other than one element, wherever it stands: a + b and b + a are one plan.
  const TensorView* dense = nullptr;
  for (const Entry& entry : config_.entries_) {
    if (entry.view == nullptr || !entry.view->defined()) continue;
    if (dense == nullptr || (dense->numel() == 1 && entry.view->numel() != 1)) dense = entry.view;
  }
  if (dense == nullptr) return nullptr;
  bool from_input = false;  // an input has the shape
  bool any_single = false;
  for (const Entry& entry : config_.entries_) {
    const TensorView* view = entry.view;
    if (view == nullptr || !view->defined()) {
      if (!entry.is_output) return nullptr;
      continue;
    }
    if (!view->is_contiguous() || (entry.is_output && view->read_only())) return nullptr;
    const bool input = !entry.is_output;
    one_type = one_type && !view->is_weak_scalar() && view->dtype() == dense->dtype();
    if (same_list(view->shape(), dense->shape())) {
      from_input = from_input || input;
    } else if (input && view->numel() == 1 && dense->numel() != 1 &&
               view->rank() <= dense->rank()) {
      any_single = true;
    } else {
      return nullptr;
    }
  }
  one_type = one_type && one_type_suffices(dense->dtype());
  if (!any_single) return dense;
  // Outputs that may be resized do not say what the shape is. PyTorch's order of axes of extent 1
  // depends on single elements, though nothing else does.
  return (from_input || !config_.resize_outputs_) && !config_.pytorch_order_ ? dense : nullptr;
}

/// Whether an output's bytes meet another operand's in any way but element for element.
bool PlanBuilder::may_overlap() const {
  if (config_.overlap_ == OverlapPolicy::ignore) return false;
  for (const Entry& out : config_.entries_) {
    if (!out.is_output) break;
    if (out.view == nullptr) continue;
    const char* begin = static_cast<const char*>(out.view->data());
    const char* end = begin + out.view->end_byte();
    for (const Entry& other : config_.entries_) {
      if (other.view == nullptr || &other == &out) continue;
      const char* other_begin = static_cast<const char*>(other.view->data());
      const char* other_end = other_begin + other.view->end_byte();
      if (end <= other_begin || other_end <= begin) continue;
      const bool in_place = other_begin == begin && other_end == end && !other.is_output;
      if (!in_place) return true;
    }
  }
  return false;
}

}  // namespace v0
}  // namespace weft
