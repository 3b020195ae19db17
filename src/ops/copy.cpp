// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/copy.hpp>

#include "engine/copy/run_copy.hpp"
#include "engine/elementwise/run_small.hpp"
#include "ops/copy_call.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

TensorIterator copy_iterator(const Output& to, const TensorView& from) {
  TensorIteratorConfig config;
  config.set_operation("copy");
  add_output(config, to).add_input(from).check_all_same_dtype(false).resize_outputs(false);
  return config.build();
}

/// Rows that follow each other on both sides are converted as one: what is left after whole blocks costs most.
void convert_spans(const void* context, char* const* data, const std::int64_t* row_bytes,
                   std::int64_t n, std::int64_t rows, std::uint32_t) {
  const Conversion& c = *static_cast<const Conversion*>(context);
  if (rows > 1 && row_bytes[0] == n * c.sizes[0] && row_bytes[1] == n * c.sizes[1]) {
    n *= rows;
    rows = 1;
  }
  c.convert(data[0], data[1], n);
  for (std::int64_t row = 1; row < rows; ++row)
    c.convert(data[0] + row * row_bytes[0], data[1] + row * row_bytes[1], n);
}

/// Time of converting an element, in adds, see SpanKernel: more where the element before the end of a row
/// is far dearer than those in the middle, because whole blocks or registers are converted at once.
float conversion_cost(ScalarType to, ScalarType from) {
  const auto is_half = [](ScalarType type) { return is_floating(type) && element_size(type) == 2; };
  const bool through_f32 =
      (is_half(to) && from != ScalarType::f32) || (is_half(from) && to != ScalarType::f32);
  if (through_f32 || (is_floating(from) && is_integer(to) && element_size(to) == 8)) return 4;
  return std::min(element_size(to), element_size(from)) <= 2 ? 2.5F : 1.0F;
}

}  // namespace

CopyCall::CopyCall(const Output& to, const TensorView& from)
    : iter_(copy_iterator(to, from)),
      conversion_{convert_kernel(iter_.dtype(0), iter_.dtype(1)),
                  {element_size(iter_.dtype(0)), element_size(iter_.dtype(1))}} {
  kernel_.run = &convert_spans;
  kernel_.context = &conversion_;
  kernel_.noutputs = 1;
  kernel_.ninputs = 1;
  kernel_.types[0] = iter_.dtype(0);
  kernel_.types[1] = iter_.dtype(1);
  kernel_.cost = conversion_cost(iter_.dtype(0), iter_.dtype(1));
}

void CopyCall::run() const { converts() ? run_spans(iter_, kernel_) : run_copy(iter_); }

Explanation CopyCall::explain() const {
  return converts() ? explain_run(iter_, kernel_) : explain_copy(iter_);
}

void copy_out(const Output& to, const Input& from) {
  if (!copy_small(to.view(), from.view())) CopyCall(to, from.view()).run();
}

Tensor contiguous(const Input& from, std::optional<ScalarType> type) {
  Tensor to = Tensor::empty(from.view().shape(), type.value_or(from.view().dtype()));
  CopyCall(to, from.view()).run();
  return to;
}

}  // namespace v0
}  // namespace weft
