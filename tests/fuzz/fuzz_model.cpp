// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model: an Error comes back or a model, within the limits.
#include <weft/base/error.hpp>
#include <weft/parallel/parallel.hpp>

#include "fuzz/fuzz_input.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::set_num_threads(1);
  try {
    test::build_fuzz_input(std::as_bytes(std::span(data, size)));
  } catch (const weft::Error&) {
    // What bad input is meant to end in.
  }
  return 0;
}
