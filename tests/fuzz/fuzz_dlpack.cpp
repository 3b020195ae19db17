// SPDX-License-Identifier: Apache-2.0
// Any numbers in DLPack's structs: an Error comes back or a tensor, and the deleter is called once.
// Pointers are trusted: shape and strides have as many numbers as ndim says, up to more than there
// can be axes.
#include <weft/base/error.hpp>
#include <weft/base/limits.hpp>
#include <weft/core/dlpack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

/// Numbers out of the input; 0 where it has ended.
class Numbers {
 public:
  Numbers(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  template <class T>
  T next() {
    T value{};
    const std::size_t count = std::min(sizeof(T), size_);
    std::memcpy(&value, data_, count);
    data_ += count;
    size_ -= count;
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

int deleted = 0;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Numbers numbers(data, size);
  const auto choices = numbers.next<std::uint8_t>();
  weft::dlpack::ManagedTensorVersioned managed{};
  managed.version = {numbers.next<std::uint8_t>(), 0};
  managed.flags = numbers.next<std::uint8_t>();
  managed.deleter = [](weft::dlpack::ManagedTensorVersioned*) { ++deleted; };
  weft::dlpack::TensorInfo& tensor = managed.tensor;
  tensor.device = {(choices & 1) != 0 ? numbers.next<std::int8_t>() : 1, 0};
  tensor.ndim = (choices & 2) != 0 ? numbers.next<std::int32_t>() : numbers.next<std::uint8_t>();
  tensor.dtype = {numbers.next<std::uint8_t>(), numbers.next<std::uint8_t>(),
                  numbers.next<std::uint8_t>()};
  tensor.byte_offset = (choices & 4) != 0 ? numbers.next<std::uint64_t>() : 0;
  std::vector<std::int64_t> shape(weft::max_rank + 1), strides(weft::max_rank + 1);
  const bool wide = (choices & 8) != 0;
  for (std::int64_t& extent : shape)
    extent = wide ? numbers.next<std::int64_t>() : numbers.next<std::uint8_t>();
  for (std::int64_t& stride : strides)
    stride = wide ? numbers.next<std::int64_t>() : numbers.next<std::int8_t>();
  std::uint64_t element = 0;
  tensor.data = (choices & 16) != 0 ? nullptr : &element;
  tensor.shape = (choices & 32) != 0 ? nullptr : shape.data();
  tensor.strides = (choices & 64) != 0 ? nullptr : strides.data();

  deleted = 0;
  try {
    weft::view_of(tensor);
  } catch (const weft::Error&) {
    // What bad input is meant to end in.
  }
  try {
    const weft::Tensor taken = weft::from_dlpack(&managed);
    weft::dlpack::ManagedTensorVersioned* const given = weft::to_dlpack_versioned(taken);
    given->deleter(given);
    if (deleted != 0) std::abort();  // still in use
  } catch (const weft::Error&) {
    // The same.
  }
  if (deleted != 1) std::abort();
  return 0;
}
