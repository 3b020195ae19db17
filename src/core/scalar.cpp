// SPDX-License-Identifier: Apache-2.0
#include <weft/core/scalar.hpp>

namespace weft {
inline namespace v0 {

TensorView Scalar::view() const {
  TensorView view = TensorView::trusted(static_cast<const void*>(&value_), type_, {}, {});
  view.set_weak_scalar(true);
  return view;
}

}  // namespace v0
}  // namespace weft
