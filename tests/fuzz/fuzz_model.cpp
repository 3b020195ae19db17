// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model's text: an Error comes back or a model, within the limits.
#include <weft/base/error.hpp>
#include <weft/ir/read_document.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace {

constexpr weft::ir::Limits limits{.max_xml_bytes = 1 << 20,
                                  .max_xml_depth = 64,
                                  .max_bodies = 8,
                                  .max_layers = 1000,
                                  .max_edges = 1000,
                                  .max_ports = 64,
                                  .max_attributes = 32,
                                  .max_name_bytes = 256,
                                  .max_value_bytes = 1 << 12,
                                  .max_elements = 1 << 20,
                                  .max_tensor_bytes = 1 << 20,
                                  .max_constant_bytes = 1 << 20,
                                  .max_weights_bytes = 1 << 20};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    weft::ir::read_document(std::as_bytes(std::span(data, size)), "fuzz", limits);
  } catch (const weft::Error&) {
    // What bad input is meant to end in.
  }
  return 0;
}
