// SPDX-License-Identifier: Apache-2.0
/// @file
/// How many steps each row of a batch has.
#pragma once

#include <weft/core/tensor.hpp>

#include <cstdint>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// The lengths of a sequence's rows. Allocates when there are more rows or steps than ever before.
class RowLengths {
 public:
  /// Reads what input number `input` of a sequence holds: integers [rows], of any stride. Throws
  /// Error(invalid_argument) that names the input and the row unless each is from 0 to `steps`.
  void read(int input, const TensorView& lengths, std::int64_t steps);

  /// Whether some row ends before the last step.
  bool are_ragged() const noexcept { return ragged_; }
  /// bool [steps, rows, 1]: whether a row has a step. Good until lengths are read again; what is
  /// given where they are not ragged means nothing.
  const TensorView& mask() const noexcept { return mask_; }

 private:
  void make_mask(std::int64_t steps);

  std::vector<std::int64_t> lengths_;
  bool ragged_ = false;
  Tensor memory_;
  TensorView mask_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
