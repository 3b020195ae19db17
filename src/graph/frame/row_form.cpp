// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/row_form.hpp"

namespace weft {
inline namespace v0 {
namespace graph {

std::optional<RowForm> row_form(IntSpan shape, IntSpan strides) {
  RowForm form{.rows = 1, .row_elements = 1, .step = 0};
  std::int64_t next = 0;  // stride that goes on with the rows
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const std::int64_t extent = shape[axis], stride = strides[axis];
    if (extent == 0) return {};
    if (extent == 1) continue;
    if (form.rows == 1 && stride == form.row_elements) {
      form.row_elements *= extent;
      continue;
    }
    if (form.rows == 1) form.step = next = stride;
    if (stride != next || stride < form.row_elements) return {};
    form.rows *= extent;
    next *= extent;
  }
  if (form.rows == 1) return {};
  return form;
}

DimVector row_strides(IntSpan shape, std::int64_t row_elements, std::int64_t step) {
  DimVector strides(shape.size(), 0);
  std::int64_t product = 1;
  bool inside = true;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (inside && product == row_elements) {
      product = step;
      inside = false;
    }
    strides[axis] = product;
    product *= shape[axis];
  }
  return strides;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
