// SPDX-License-Identifier: Apache-2.0
#include "engine/copy/copy_kernel.hpp"

#include "engine/copy/run_copy.hpp"
#include "engine/elementwise/run_spans.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Time of converting an element, in adds, see SpanKernel: more where the element before the end of
/// a row is far more costly than those in the middle, because whole blocks or registers are
/// converted at once.
float conversion_cost(ScalarType to, ScalarType from) {
  const auto is_half = [](ScalarType type) { return is_floating(type) && element_size(type) == 2; };
  const bool through_f32 =
      (is_half(to) && from != ScalarType::f32) || (is_half(from) && to != ScalarType::f32);
  if (through_f32 || (is_floating(from) && is_integer(to) && element_size(to) == 8)) return 4;
  return std::min(element_size(to), element_size(from)) <= 2 ? 2.5F : 1.0F;
}

}  // namespace

Conversion::Conversion(ScalarType to, ScalarType from)
    : convert(convert_kernel(to, from)), sizes{element_size(to), element_size(from)} {}

/// Rows that follow each other on both sides are converted as one: what is left after whole blocks
/// costs most.
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

CopyKernel::CopyKernel(ScalarType to, ScalarType from) : conversion_(to, from) {
  kernel_.run = &convert_spans;
  kernel_.context = &conversion_;
  kernel_.noutputs = 1;
  kernel_.ninputs = 1;
  kernel_.types[0] = to;
  kernel_.types[1] = from;
  kernel_.cost = conversion_cost(to, from);
  kernel_.row_cost = 12;  // a call of the conversion's own
}

void CopyKernel::run(const TensorIterator& iter, const RunOptions& options, Strategy wanted) const {
  converts() ? run_spans(iter, kernel_, options, wanted) : run_copy(iter, options, wanted);
}

Explanation CopyKernel::explain(const TensorIterator& iter, const RunOptions& options,
                                Strategy wanted) const {
  return converts() ? explain_run(iter, kernel_, options, wanted)
                    : explain_copy(iter, options, wanted);
}

}  // namespace v0
}  // namespace weft
