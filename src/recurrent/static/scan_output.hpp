// SPDX-License-Identifier: Apache-2.0
/// @file
/// Outputs that gather a value of every trip.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/recurrent/loop_spec.hpp>

#include <cstdint>
#include <string>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Where the elements of a stacked or joined output go.
class Collected {
 public:
  /// `element`: type and shape of what a trip adds. Throws Error(axis).
  Collected(const LoopSpec& spec, std::size_t output, ScalarType dtype, IntSpan element);

  std::size_t output() const noexcept { return output_; }
  ScalarType dtype() const noexcept { return dtype_; }
  IntSpan element_shape() const noexcept { return element_; }
  std::int64_t element_bytes() const noexcept { return element_bytes_; }
  bool backwards() const noexcept { return backwards_; }
  /// Elements are row-major in the output, so that a trip can write its own there.
  bool is_direct() const noexcept { return rows_ == 1; }
  /// An element lies in the output as this many dense rows, at a constant stride.
  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t row_bytes() const noexcept { return row_bytes_; }
  /// From row to row; after open().
  std::int64_t row_step() const noexcept { return capacity_ * row_bytes_; }

  /// Shape of the output for `places` trips. Throws Error(overflow).
  DimVector shape(std::int64_t places) const;

  /// The output's memory, row-major, which has room for `places` trips; `trips`, or -1 if that is
  /// not known yet.
  void open(void* memory, std::int64_t places, std::int64_t trips) noexcept;
  /// Where trip i goes. Backwards, the number of trips has to be known.
  char* place(std::int64_t i) const noexcept {
    return origin_ + (backwards_ ? trips_ - 1 - i : i) * row_bytes_;
  }
  /// From trip to trip, in bytes: a row is what an element has next to each other.
  std::int64_t step() const noexcept { return backwards_ ? -row_bytes_ : row_bytes_; }
  /// Places of trips i ... i + count - 1, with the axis of trips in front.
  TensorView places(std::int64_t i, std::int64_t count) const;
  /// Zeros after the last of `trips`.
  void clear_tail(std::int64_t trips) const;

 private:
  TensorView elements(char* first, std::int64_t count, std::int64_t step) const;

  std::size_t output_;
  ScalarType dtype_;
  DimVector element_;
  std::int64_t element_bytes_ = 0;
  std::size_t axis_ = 0;  // of the output
  bool is_stack_;
  bool backwards_;
  std::int64_t rows_ = 1;
  std::int64_t row_bytes_ = 0;

  char* origin_ = nullptr;
  std::int64_t trips_ = -1;
  std::int64_t capacity_ = 0;  // places
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
