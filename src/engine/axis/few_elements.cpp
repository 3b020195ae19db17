// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/few_elements.hpp"

#include <weft/base/checked.hpp>
#include <weft/core/promotion.hpp>

#include "machine/fixed_sizes.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Whether a view is contiguous, and of a shape but for an extent of 1 along axis `one`, if that is
/// an axis.
bool is_dense(const TensorView& view, IntSpan shape, std::size_t one) {
  const IntSpan own = view.shape();
  if (!view.defined() || !view.is_contiguous() || own.size() != shape.size()) return false;
  for (std::size_t d = 0; d < own.size(); ++d)
    if (own[d] != (d == one ? 1 : shape[d])) return false;
  return true;
}

/// Whether no output before operand k meets it, unless k is an input and both are the same
/// elements.
bool is_separate(const FewElements& few, std::size_t k) {
  const TensorView& b = *few.operands[k].view;
  const auto* const second = static_cast<const char*>(b.data());
  for (std::size_t out = 0; out < few.noutputs && out < k; ++out) {
    const TensorView& a = *few.operands[out].view;
    const auto* const first = static_cast<const char*>(a.data());
    // A start has fewer elements than that, but for lengths of one.
    if (second + few.elements * element_size(b.dtype()) <= first) continue;
    if (first + few.elements * element_size(a.dtype()) <= second) continue;
    const bool is_input = k >= few.noutputs && k < few.moving;
    if (!is_input || first != second || a.dtype() != b.dtype()) return false;
  }
  return true;
}

/// Sets how operand k is brought into the kernel's type, if it can be.
bool find_conversion(FewElements& few, std::size_t k, ScalarType type) {
  FewElements::Operand& op = few.operands[k];
  const ScalarType own = op.view->dtype();
  if (own == type) return true;
  const bool is_output = k < few.noutputs;
  const ScalarType to = is_output ? own : type, from = is_output ? type : own;
  if (k >= few.moving || !can_cast(from, to)) return false;
  op.convert = convert_kernel(to, from);
  few.converts = true;
  return true;
}

std::int64_t converted_bytes(const FewElements& few, const ScalarType* types) {
  std::int64_t bytes = 0;
  for (std::size_t k = 0; few.converts && k < few.moving; ++k)
    bytes += few.operands[k].convert == nullptr ? 0 : few.elements * element_size(types[k]);
  return bytes;
}

}  // namespace

FewElements find_few(const CumulativeOperands& operands, std::int64_t axis,
                     const ScalarType* types) {
  FewElements few;
  const TensorView& in = operands.inputs[0];
  if (!in.defined()) return few;
  const std::int64_t n = in.numel(), rank = in.rank();
  if (n == 0 || n > fixed::few_along_axis || axis < -rank || axis >= rank) return few;
  const auto along = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  few.noutputs = operands.outputs.size();
  few.moving = few.noutputs + operands.inputs.size();
  few.elements = n;
  for (const auto list : {operands.outputs, operands.inputs, operands.starts}) {
    for (const TensorView& view : list) {
      const std::size_t k = few.count++;
      few.operands[k] = {&view, nullptr};
      const bool fits = is_dense(view, in.shape(), k < few.moving ? in.shape().size() : along) &&
                        (k >= few.noutputs || !view.read_only()) && is_separate(few, k) &&
                        find_conversion(few, k, types[k]);
      if (!fits) return few;
    }
  }
  few.possible = true;
  few.length = in.shape()[along];
  few.columns = few.length == 1 ? n : 1;
  for (std::size_t d = along + 1; few.length > 1 && d < in.shape().size(); ++d)
    few.columns *= in.shape()[d];
  return few;
}

FewBuffers::FewBuffers(const FewElements& few, const ScalarType* types)
    : few_(few), converted_(converted_bytes(few, types)) {
  char* buffer = converted_.data();
  for (std::size_t k = 0; k < few.count; ++k) {
    const FewElements::Operand& op = few.operands[k];
    // Of a view that is read only, nothing is written.
    auto* own = static_cast<char*>(const_cast<void*>(static_cast<const void*>(op.view->data())));
    data[k] = op.convert == nullptr ? own : buffer;
    if (op.convert == nullptr) continue;
    if (k >= few.noutputs) op.convert(buffer, own, few.elements);
    buffer += few.elements * element_size(types[k]);
  }
}

void FewBuffers::store() const {
  for (std::size_t k = 0; k < few_.noutputs; ++k) {
    const FewElements::Operand& op = few_.operands[k];
    if (op.convert != nullptr)
      op.convert(static_cast<char*>(op.view->data()), data[k], few_.elements);
  }
}

void explain_few(const FewElements& few, bool lines, std::int64_t columns, bool turned,
                 Explanation& e) {
  const bool staged = turned || few.converts;
  explain_form(staged ? AxisForm::gathered : AxisForm::few, lines, columns, few.length, e);
  for (std::size_t k = 0; k < e.operands.size(); ++k) {
    if (!turned && few.operands[k].convert == nullptr)
      e.operands[k].access = access_text(AxisForm::few, lines);
  }
  e.run.blocks = ceil_div(few.elements, columns * few.length);
  e.run.threads = 1;
}

}  // namespace v0
}  // namespace weft
