// SPDX-License-Identifier: Apache-2.0
/// @file
/// One operand of a built iterator.
#pragma once

#include <weft/core/tensor_view.hpp>

#include <cstdint>
#include <string>

namespace weft {
inline namespace v0 {

/// A tensor taking part in an iteration.
struct Operand {
  Operand() noexcept {}  // NOLINT(modernize-use-equals-default): see TensorView
  explicit Operand(const TensorView& tensor)
      : data(static_cast<char*>(tensor.data())),
        dtype(tensor.dtype()),
        storage(tensor.dtype()),
        view(tensor) {}

  char* data = nullptr;  ///< address of the element at plan index (0, 0, ...)
  std::int64_t origin_offset_bytes =
      0;  ///< data minus the tensor's own origin: what flipping and narrowing moved
  ScalarType dtype = ScalarType::f32;    ///< type that the kernel sees
  ScalarType storage = ScalarType::f32;  ///< type in memory
  bool is_output = false;
  bool is_const = false;  ///< added as a const input
  bool is_read_write =
      false;               ///< an output that is also an input: same elements in the same places
  bool allocated = false;  ///< build() made this tensor
  TensorView view;         ///< the tensor as given, or as allocated
};

}  // namespace v0
}  // namespace weft
