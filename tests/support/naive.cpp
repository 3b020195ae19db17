// SPDX-License-Identifier: Apache-2.0
#include "support/naive.hpp"

namespace test {

std::optional<Dims> naive_broadcast(const std::vector<Dims>& shapes) {
  std::size_t rank = 0;
  for (const Dims& shape : shapes)
    rank = std::max(rank, shape.size());
  Dims common(rank, 1);
  for (std::size_t from_end = 1; from_end <= rank; ++from_end) {
    std::int64_t& extent = common[rank - from_end];
    for (const Dims& shape : shapes) {
      if (from_end > shape.size()) continue;
      const std::int64_t own = shape[shape.size() - from_end];
      if (own == 1) continue;
      if (extent != 1 && extent != own) return std::nullopt;
      extent = own;
    }
  }
  return common;
}

std::vector<Dims> naive_offsets(const Dims& common, const std::vector<NaiveOperand>& operands) {
  std::vector<Dims> tuples;
  for_each_index(common, [&](const Dims& index) {
    Dims tuple;
    for (const NaiveOperand& operand : operands)
      tuple.push_back(naive_offset(operand, index));
    tuples.push_back(tuple);
  });
  return tuples;
}

std::vector<Dims> sorted(std::vector<Dims> tuples) {
  std::sort(tuples.begin(), tuples.end());
  return tuples;
}

Dims row_major(const Dims& shape) {
  Dims strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

std::int64_t product(const Dims& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  for (const std::int64_t extent : shape)
    count *= extent;
  return count;
}

}  // namespace test
