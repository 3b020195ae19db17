// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model's text: an Error comes back or a model, within the limits. What constants
// depend on is computed, the rest is not run.
#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>
#include <weft/parallel/parallel.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace {

using namespace weft;

constexpr ir::Limits limits{.max_xml_bytes = 1 << 20,
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
                            .max_run_bytes = 1 << 22,
                            .max_weights_bytes = 1 << 20};

/// Small integers and bits of all kinds.
Tensor make_weights() {
  Tensor weights = Tensor::zeros({1 << 12}, ScalarType::u8);
  auto* bytes = weights.data_as<std::uint8_t>();
  for (int i = 0; i < 1 << 10; ++i)
    bytes[8 * (i % 256)] = static_cast<std::uint8_t>(i % 7);
  for (int i = 1 << 11; i < 1 << 12; ++i)
    bytes[i] = static_cast<std::uint8_t>(i * i * 31);
  return weights;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Tensor weights = [] {
    set_num_threads(1);
    return make_weights();
  }();
  try {
    ir::build_model(ir::read_document(std::as_bytes(std::span(data, size)), "fuzz", limits),
                    weights, limits);
  } catch (const Error&) {
    // What bad input is meant to end in.
  }
  return 0;
}
