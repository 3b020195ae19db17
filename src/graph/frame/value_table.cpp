// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/value_table.hpp"

#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {

TensorView Placeholders::next(ScalarType dtype, IntSpan shape, IntSpan strides) {
  const TensorView at_zero =
      TensorView::trusted(reinterpret_cast<void*>(std::uintptr_t{1} << 46), dtype, shape, strides);
  const std::uintptr_t origin = next_ - static_cast<std::uintptr_t>(at_zero.first_byte());
  next_ = (origin + static_cast<std::uintptr_t>(at_zero.end_byte()) + 4096) & ~63ULL;
  return TensorView::trusted(reinterpret_cast<void*>(origin), dtype, shape, strides);
}

void ValueTable::start(std::span<const TensorView> parameters) {
  placeholders = {};
  roots_.clear();
  states_.assign(program_.values.size(), {});
  for (std::size_t v = 0; v < program_.values.size(); ++v) {
    const ProgramValue& value = program_.values[v];
    if (value.constant.defined()) set_constant(static_cast<int>(v), value.constant);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const TensorView& given = parameters[i];
    const int number = static_cast<int>(i);
    add_root({.kind = Root::Kind::parameter,
              .index = number,
              .origin = static_cast<char*>(given.data()),
              .last_step = last_of_all});
    ValueState& made = (*this)[program_.parameters[i]];
    made.kind = ValueState::Kind::rooted;
    made.root = parameter_root(number);
    made.view = placeholders.next(given.dtype(), given.shape(), given.strides());
  }
  for (std::size_t i = 0; i < program_.results.size(); ++i) {
    add_root(
        {.kind = Root::Kind::external, .index = static_cast<int>(i), .last_step = last_of_all});
  }
}

void ValueTable::drop_segments(int first) noexcept {
  for (Root& root : roots_)
    std::erase_if(root.patches, [&](const Patch& patch) { return patch.segment >= first; });
  for (ValueState& value : states_) {
    if (value.segment >= first || value.is_pending()) value = {};
  }
  while (!roots_.empty() && roots_.back().segment >= first)
    roots_.pop_back();
}

ValueType ValueTable::type_of(int value) const {
  const ValueState& at = (*this)[value];
  if (at.kind == ValueState::Kind::unknown || !at.view.defined())
    return program_.values[static_cast<std::size_t>(value)].type;
  return {at.view.dtype(), at.view.shape()};
}

void ValueTable::set_constant(int value, Tensor tensor) {
  ValueState& made = (*this)[value];
  made = {};
  made.kind = ValueState::Kind::constant;
  made.view = tensor;
  made.constant = std::move(tensor);
}

int ValueTable::add_root(Root root) {
  roots_.push_back(std::move(root));
  return static_cast<int>(roots_.size()) - 1;
}

TensorView ValueTable::current_view(const ValueState& at) const {
  // What every frame shares, and what the caller gave to be read, is not to be written through a
  // result.
  const auto read_only = [&](const void* data) {
    return TensorView::trusted(data, at.view.dtype(), at.view.shape(), at.view.strides());
  };
  if (at.is_constant()) return read_only(at.view.data());
  if (current_root(at.root).kind == Root::Kind::parameter) return read_only(address(at));
  return TensorView::trusted(static_cast<void*>(address(at)), at.view.dtype(), at.view.shape(),
                             at.view.strides());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
