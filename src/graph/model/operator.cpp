// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/operator.hpp>

#include "base/index.hpp"
#include "base/text.hpp"
#include "graph/operators/checks.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

InferContext::InferContext(const Node& node, std::span<const ValueType* const> types,
                           std::span<const TensorView* const> values,
                           const OperatorRegistry& operators)
    : node_(node),
      types_(types),
      values_(values),
      operators_(operators),
      outputs_(static_cast<std::size_t>(node.noutputs),
               ValueType{ScalarType::f32, PartialShape::unranked()}),
      output_values_(outputs_.size()) {}

const ValueType& InferContext::input(int i) const {
  if (!has_input(i)) fail(ErrorCode::invalid_argument, text("input ", i, " is missing"));
  return *types_[static_cast<std::size_t>(i)];
}

const TensorView* InferContext::value(int i) const {
  if (!has_input(i)) return nullptr;
  asked_ |= std::uint64_t{1} << (i & 63);
  return values_[static_cast<std::size_t>(i)];
}

const TensorView* InferContext::value_if_known(int i) const noexcept {
  if (!has_input(i) || values_[static_cast<std::size_t>(i)] == nullptr) return nullptr;
  return value(i);  // what is inferred holds for this value only
}

bool InferContext::integers(int i, std::vector<std::int64_t>& out) const {
  const ScalarType type = input(i).dtype;
  if (!is_integer(type)) {
    fail(ErrorCode::dtype, text("input ", i, ": expected integers, got ", weft::name(type)));
  }
  const TensorView* view = value(i);
  if (view == nullptr) return false;
  out = integers_of(*view, i);
  return true;
}

bool InferContext::asked_for_value(int i) const noexcept { return (asked_ >> (i & 63) & 1) != 0; }

void InferContext::set_output(int i, ValueType type) {
  if (i < 0 || static_cast<std::size_t>(i) >= outputs_.size()) {
    fail(ErrorCode::invalid_argument,
         text("has an output ", i, ", but ", outputs_.size(), " outputs are declared"));
  }
  outputs_[static_cast<std::size_t>(i)] = std::move(type);
  set_ = std::max(set_, i + 1);
}

void InferContext::expect_all_outputs() const {
  if (static_cast<std::size_t>(set_) >= outputs_.size()) return;
  fail(ErrorCode::invalid_argument, text("has ", set_, set_ == 1 ? " output" : " outputs", ", but ",
                                         outputs_.size(), " outputs are declared"));
}

void InferContext::set_value(int i, Tensor value) {
  output_values_[checked_index(i, output_values_.size(), "output")] = std::move(value);
}

const TensorView& PrepareContext::at(std::span<const TensorView> views, int i) noexcept {
  static const TensorView none;
  return i >= 0 && static_cast<std::size_t>(i) < views.size() ? views[static_cast<std::size_t>(i)]
                                                              : none;
}

Kernel::~Kernel() = default;
void Kernel::hold(int) {}
bool Kernel::resize(std::span<const TensorView* const>, std::span<DimVector>) { return false; }
bool Kernel::adapt(const PrepareContext&) { return false; }
std::vector<Explanation::Run> Kernel::explain() const { return {}; }
Operator::~Operator() = default;

bool Operator::elementwise(ElementwiseBuilder&) const { return false; }

bool Operator::view(const PrepareContext&, std::span<TensorView>) const { return false; }

std::unique_ptr<Kernel> Operator::prepare(const PrepareContext&) const {
  fail(ErrorCode::invalid_argument, text(name_.name, ": cannot be computed for these operands"));
}

bool Operator::accepts_input(const Node&, int, const TensorView& view) const {
  return view.is_contiguous();
}

bool Operator::accepts_output(const Node&, int, const TensorView& view) const {
  return view.is_contiguous();
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
