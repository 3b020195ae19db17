// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .npy file: an Error comes back, or a tensor that is the same when written and read
// again.
#include <weft/base/error.hpp>
#include <weft/core/npy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const weft::Tensor read = weft::parse_npy(std::as_bytes(std::span(data, size)));
    const weft::Tensor again = weft::parse_npy(weft::format_npy(read));
    if (again.dtype() != read.dtype() || !std::ranges::equal(again.shape(), read.shape()))
      std::abort();
  } catch (const weft::Error&) {
    // What bad input is meant to end in.
  }
  return 0;
}
