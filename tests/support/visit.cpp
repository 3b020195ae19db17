// SPDX-License-Identifier: Apache-2.0
#include "support/visit.hpp"

namespace test {

Recorder::Recorder(const weft::TensorIterator& iter) {
  for (int k = 0; k < iter.ntensors(); ++k) {
    // An address as a number: differences of pointers into different arrays mean nothing.
    origins_.push_back(reinterpret_cast<std::intptr_t>(iter.tensor(k).data()));
  }
}

void Recorder::operator()(char** data, const std::int64_t* strides, std::int64_t n0,
                          std::int64_t n1) {
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

std::vector<Dims> visited(const weft::TensorIterator& iter, weft::Range range) {
  Recorder recorder(iter);
  iter.serial_for_each(recorder, range);
  return recorder.tuples();
}
std::vector<Dims> visited(const weft::TensorIterator& iter) {
  return visited(iter, {0, iter.numel()});
}

}  // namespace test
