// SPDX-License-Identifier: Apache-2.0
/// @file
/// Tensors as text, for people.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor_view.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>

namespace weft {
inline namespace v0 {

/// How tensors are written.
struct PrintOptions {
  std::int64_t max_elements = 1000;  ///< of more, the middle of every long axis is left out
  std::int64_t edge = 3;             ///< what is written of such an axis at either end
  int digits = 6;                    ///< significant ones of floating numbers, 1 to 17
};

/// Element type and shape, and the elements as nested lists, a row on a line, in columns of equal
/// width: "f32[2, 3]\n[[1, 2, 3],\n [4, 5, 6]]". Any type, layout and rank; "undefined" of no
/// tensor, and "[...]" for more than max_elements lists that are empty. Throws
/// Error(invalid_argument) for options below 0 or digits that there are not.
WEFT_API std::string to_text(const TensorView& view, const PrintOptions& options = {});

/// Writes to_text(view).
WEFT_API std::ostream& operator<<(std::ostream& out, const TensorView& view);

}  // namespace v0
}  // namespace weft
