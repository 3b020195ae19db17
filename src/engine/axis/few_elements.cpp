// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/few_elements.hpp"

#include <weft/base/checked.hpp>
#include <weft/core/promotion.hpp>

#include "machine/fixed_sizes.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

ConvertFn conversion(ScalarType to, ScalarType from) {
  return to == from ? nullptr : convert_kernel(to, from);
}

}  // namespace

FewElements find_few(const TensorView& out, const TensorView& in, std::int64_t axis,
                     const ScalarType* types) {
  if (!out.defined() || !in.defined() || out.read_only()) return {};
  if (!out.is_contiguous() || !in.is_contiguous()) return {};
  const std::int64_t n = in.numel(), rank = in.rank();
  if (n == 0 || n > fixed::few_along_axis || axis < -rank || axis >= rank) return {};
  if (!std::ranges::equal(out.shape(), in.shape())) return {};
  if (!can_cast(types[0], out.dtype()) || !can_cast(in.dtype(), types[1])) return {};
  const auto* to = static_cast<const char*>(out.data());
  const auto* from = static_cast<const char*>(in.data());
  const bool in_place = to == from && out.dtype() == in.dtype();
  if (!in_place && from < to + out.nbytes() && to < from + in.nbytes()) return {};
  const auto along = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  const std::int64_t length = in.shape()[along];
  std::int64_t columns = length == 1 ? n : 1;
  for (std::size_t d = along + 1; length > 1 && d < in.shape().size(); ++d)
    columns *= in.shape()[d];
  return {true,
          n,
          length,
          columns,
          conversion(types[1], in.dtype()),
          conversion(out.dtype(), types[0])};
}

FewBuffers::FewBuffers(const FewElements& few, const TensorView& o, const TensorView& i,
                       const ScalarType* types)
    : in(static_cast<const char*>(i.data())),
      out(static_cast<char*>(o.data())),
      few_(few),
      to_(out),
      loaded_(few.load == nullptr ? 0 : few.elements * element_size(types[1])),
      results_(few.store == nullptr ? 0 : few.elements * element_size(types[0])) {
  if (few.load != nullptr) {
    few.load(loaded_.data(), in, few.elements);
    in = loaded_.data();
  }
  if (few.store != nullptr) out = results_.data();
}

void FewBuffers::store() const {
  if (few_.store != nullptr) few_.store(to_, out, few_.elements);
}

void explain_few(const FewElements& few, bool lines, std::int64_t columns, bool turned,
                 Explanation& e) {
  const bool staged[] = {turned || few.store != nullptr, turned || few.load != nullptr};
  const auto form = staged[0] || staged[1] ? AxisForm::gathered : AxisForm::few;
  explain_form(form, lines, columns, few.length, e);
  for (const std::size_t k : {0U, 1U})
    if (!staged[k]) e.operands[k].access = access_text(AxisForm::few, lines);
  e.run.blocks = ceil_div(few.elements, columns * few.length);
  e.run.threads = 1;
}

}  // namespace v0
}  // namespace weft
