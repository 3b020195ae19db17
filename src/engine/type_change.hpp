// SPDX-License-Identifier: Apache-2.0
/// @file
/// From an operand's type in memory to the kernel's, or back.
#pragma once

#include <weft/iter/tensor_iterator.hpp>

#include "kernels/stage/stage.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// How the elements of one operand change their type: inputs from memory to the kernel, outputs the
/// other way round. Where the iterator's dtype() is a third type, by way of that, as values pass.
struct TypeChange {
  TypeChange() = default;
  /// An operand whose type in memory is the kernel's.
  explicit TypeChange(ScalarType type) noexcept
      : memory_size(size_of(type)), kernel_size(size_of(type)) {}
  /// An input that becomes the kernel's at once.
  TypeChange(ScalarType memory_type, ScalarType kernel_type)
      : memory_size(size_of(memory_type)), kernel_size(size_of(kernel_type)) {
    if (memory_type != kernel_type) first_ = convert_kernel(kernel_type, memory_type);
  }
  TypeChange(const Operand& op, ScalarType kernel_type)
      : memory_size(size_of(op.storage)), kernel_size(size_of(kernel_type)) {
    if (op.storage != kernel_type || op.dtype != kernel_type) find_conversions(op, kernel_type);
  }

  /// Whether there is anything to do.
  bool converts() const noexcept { return first_ != nullptr; }
  /// Converts n elements. `via` has room for them in the type between; it is not looked at if there
  /// is none.
  void convert(char* to, const char* from, char* via, std::int64_t n) const {
    if (second_ == nullptr) {
      first_(to, from, n);
    } else {
      first_(via, from, n);
      second_(to, via, n);
    }
  }
  /// Bytes of all buffers for an element that is brought into the kernel's type.
  std::int64_t buffer_bytes() const noexcept {
    return kernel_size + via_size + (converts() ? memory_size : 0);
  }

  std::int32_t memory_size = 0;  ///< bytes of an element in memory
  std::int32_t via_size = 0;     ///< of the type between, if there is one
  std::int32_t kernel_size = 0;  ///< as the kernel sees it

 private:
  static std::int32_t size_of(ScalarType type) noexcept {
    return static_cast<std::int32_t>(element_size(type));
  }
  void find_conversions(const Operand& op, ScalarType kernel_type);

  ConvertFn first_ = nullptr, second_ = nullptr;
};

}  // namespace v0
}  // namespace weft
