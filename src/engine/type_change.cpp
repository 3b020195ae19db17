// SPDX-License-Identifier: Apache-2.0
#include "engine/type_change.hpp"

namespace weft {
inline namespace v0 {

void TypeChange::find_conversions(const Operand& op, ScalarType kernel_type) {
  const ScalarType from = op.is_output ? kernel_type : op.storage;
  const ScalarType to = op.is_output ? op.storage : kernel_type;
  if (op.dtype == from || op.dtype == to) {
    first_ = convert_kernel(to, from);
    return;
  }
  via_size = size_of(op.dtype);
  first_ = convert_kernel(op.dtype, from);
  second_ = convert_kernel(to, op.dtype);
}

}  // namespace v0
}  // namespace weft
