// SPDX-License-Identifier: Apache-2.0
/// @file
/// Recording where an iterator goes.
#pragma once

#include <weft/iter/tensor_iterator.hpp>

#include "support/naive.hpp"

#include <mutex>

namespace test {

/// Offsets from the tensors' own origins of one element after the other, as a loop is given them.
class Recorder {
 public:
  explicit Recorder(const weft::TensorIterator& iter);

  void operator()(char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1);

  const std::vector<Dims>& tuples() const { return tuples_; }
  int calls() const { return calls_; }

 private:
  std::vector<std::int64_t> origins_;
  std::mutex mutex_;
  std::vector<Dims> tuples_;
  int calls_ = 0;
};

/// Offset tuples of a part of an iteration, in the order of the walk.
std::vector<Dims> visited(const weft::TensorIterator& iter, weft::Range range);
std::vector<Dims> visited(const weft::TensorIterator& iter);

/// A list of weft as a std::vector, for comparing and printing.
inline Dims dims(weft::IntSpan values) { return Dims(values.begin(), values.end()); }
inline Dims perm_of(const weft::TensorIterator& iter) {
  return Dims(iter.perm().begin(), iter.perm().end());
}

}  // namespace test
