// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the fuzz target makes of its bytes, for the target and for the test that reads its corpus.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace test {

/// Small enough that nothing takes long.
inline constexpr weft::ir::Limits fuzz_limits{.max_xml_bytes = 1 << 20,
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
                                              .max_trips = 1000,
                                              .max_weights_bytes = 1 << 20};

/// Builds a model of a text and, after a byte 0 (which no text has), its weights. What constants
/// depend on is computed, the rest is not run.
inline weft::ir::Model build_fuzz_input(std::span<const std::byte> input) {
  using namespace weft;
  const auto end = std::ranges::find(input, std::byte{0});
  const std::span xml(input.begin(), end);
  Tensor weights;
  if (end != input.end()) {
    const std::span bytes(end + 1, input.end());
    weights = Tensor::empty({static_cast<std::int64_t>(bytes.size())}, ScalarType::u8);
    if (!bytes.empty()) std::memcpy(weights.data(), bytes.data(), bytes.size());
  }
  return ir::build_model(ir::read_document(xml, "fuzz", fuzz_limits), weights, fuzz_limits);
}

}  // namespace test
