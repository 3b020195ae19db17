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
  explicit Recorder(const weft::TensorIterator& iter) {
    for (int k = 0; k < iter.ntensors(); ++k) {
      // An address as a number: differences of pointers into different arrays mean nothing.
      origins_.push_back(reinterpret_cast<std::intptr_t>(iter.tensor(k).data()));
    }
  }

  void operator()(char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
    std::vector<Dims> tuples;
    const std::size_t count = origins_.size();
    for (std::int64_t j = 0; j < n1; ++j) {
      for (std::int64_t i = 0; i < n0; ++i) {
        Dims tuple;
        for (std::size_t k = 0; k < count; ++k) {
          const auto address = reinterpret_cast<std::intptr_t>(data[k]);
          tuple.push_back(address + i * strides[k] + j * strides[count + k] - origins_[k]);
        }
        tuples.push_back(tuple);
      }
    }
    // The loop is allowed to change the pointers it is given; nobody may rely on them afterwards.
    for (std::size_t k = 0; k < count; ++k)
      data[k] = nullptr;
    const std::lock_guard lock(mutex_);
    ++calls_;
    tuples_.insert(tuples_.end(), tuples.begin(), tuples.end());
  }

  const std::vector<Dims>& tuples() const { return tuples_; }
  int calls() const { return calls_; }

 private:
  std::vector<std::int64_t> origins_;
  std::mutex mutex_;
  std::vector<Dims> tuples_;
  int calls_ = 0;
};

/// Offset tuples of a part of an iteration, in the order of the walk.
inline std::vector<Dims> visited(const weft::TensorIterator& iter, weft::Range range) {
  Recorder recorder(iter);
  iter.serial_for_each(recorder, range);
  return recorder.tuples();
}
inline std::vector<Dims> visited(const weft::TensorIterator& iter) {
  return visited(iter, {0, iter.numel()});
}

/// A list of weft as a std::vector, for comparing and printing.
inline Dims dims(weft::IntSpan values) { return Dims(values.begin(), values.end()); }
inline Dims perm_of(const weft::TensorIterator& iter) {
  return Dims(iter.perm().begin(), iter.perm().end());
}

}  // namespace test
