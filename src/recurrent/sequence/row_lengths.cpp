// SPDX-License-Identifier: Apache-2.0
#include "recurrent/sequence/row_lengths.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {
namespace recurrent {

void RowLengths::read(int input, const TensorView& lengths, std::int64_t steps) {
  lengths_.resize(static_cast<std::size_t>(lengths.numel()));
  cast_elements(lengths_.data(), ScalarType::i64, element_size(ScalarType::i64), lengths.data(),
                lengths.dtype(), lengths.stride(0) * element_size(lengths.dtype()),
                lengths.numel());
  ragged_ = false;
  for (std::size_t row = 0; row < lengths_.size(); ++row) {
    if (lengths_[row] < 0 || lengths_[row] > steps) {
      fail(ErrorCode::invalid_argument,
           text("input ", input, " (sequence_lengths): row ", row, ": expected from 0 to ", steps,
                ", got ", lengths_[row]));
    }
    ragged_ = ragged_ || lengths_[row] < steps;
  }
  if (ragged_) make_mask(steps);
}

void RowLengths::make_mask(std::int64_t steps) {
  const auto rows = static_cast<std::int64_t>(lengths_.size());
  std::int64_t bytes = 0;
  if (!checked_mul(steps, rows, bytes))
    fail(ErrorCode::overflow, text(steps, " steps of ", rows, " rows"));
  if (!memory_.defined() || memory_.nbytes() < bytes)
    memory_ = Tensor::empty({bytes}, ScalarType::u8);
  auto* has_step = static_cast<bool*>(memory_.data());
  for (std::int64_t step = 0; step < steps; ++step) {
    for (const std::int64_t length : lengths_)
      *has_step++ = step < length;
  }
  mask_ = TensorView::trusted(memory_.data(), ScalarType::boolean, DimVector{steps, rows, 1});
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
