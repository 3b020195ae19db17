// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions one element at a time: the oracle for reductions over any set of axes.
#pragma once

#include "support/dense.hpp"

#include <cstdint>
#include <vector>

namespace test {

/// `shape` with the axes of a bit mask as extent 1.
inline Dims reduced_shape(Dims shape, unsigned axes) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if ((axes >> axis & 1) != 0) shape[axis] = 1;
  }
  return shape;
}

/// Row-major number of `index` among those of `shape`, whose axes of extent 1 do not count.
inline std::size_t flat_index(const Dims& shape, const Dims& index) {
  std::int64_t flat = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    flat = flat * shape[axis] + (shape[axis] == 1 ? 0 : index[axis]);
  }
  return static_cast<std::size_t>(flat);
}

/// One accumulator for each element of the reduced shape, row-major: take(accumulator, elements,
/// position) is called for every index of `shape`, elements[k] being the address of input k's and
/// position the row-major number of the index among those reduced into the same accumulator.
template <class Acc, class Take>
std::vector<Acc> naive_reduce(const Dims& shape, const Dims& reduced,
                              const std::vector<weft::TensorView>& inputs, const Acc& identity,
                              Take&& take) {
  std::vector<Acc> accumulators(static_cast<std::size_t>(product(reduced)), identity);
  std::vector<std::int64_t> seen(accumulators.size(), 0);
  std::vector<NaiveOperand> operands;
  for (const weft::TensorView& input : inputs)
    operands.push_back(naive(input));
  std::vector<const void*> elements(inputs.size());
  for_each_index(shape, [&](const Dims& index) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      elements[k] =
          static_cast<const std::byte*>(inputs[k].data()) + naive_offset(operands[k], index);
    }
    const std::size_t at = flat_index(reduced, index);
    take(accumulators[at], elements.data(), seen[at]++);
  });
  return accumulators;
}

/// The accumulators projected into elements of type T.
template <class T, class Acc, class Project>
Dense projected(const Dims& shape, const std::vector<Acc>& accumulators, Project&& project) {
  Dense result(weft::scalar_type_of<T>, shape);
  for (std::size_t i = 0; i < accumulators.size(); ++i) {
    store<T>(result.at(static_cast<std::int64_t>(i)), project(accumulators[i]));
  }
  return result;
}

}  // namespace test
