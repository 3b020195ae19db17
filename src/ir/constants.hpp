// SPDX-License-Identifier: Apache-2.0
/// @file
/// Constants of a model, out of its weights file.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/graph/partial_shape.hpp>
#include <weft/ir/document.hpp>
#include <weft/ir/limits.hpp>

#include <cstdint>
#include <string>

namespace weft {
inline namespace v0 {
namespace ir {

/// Element type and shape of a Parameter or Const: of its <data>, or else of its output port.
/// Throws Error: parse, dtype.
graph::ValueType declared_type(const Layer& layer);

/// The one place where offsets and sizes of a file become tensors.
class Constants {
 public:
  Constants(const Tensor& weights, const Limits& limits);

  /// The value of a Const. Throws Error: parse, dtype, shape, bounds, limit, which name the layer.
  Tensor value(const Layer& layer);

 private:
  Tensor weights_;  // u8 [bytes], or undefined
  Limits limits_;
  std::int64_t bytes_ = 0;  // of all constants so far
};

/// A file as u8 [bytes]. Throws Error: io, limit.
Tensor load_weights(const std::string& path, const Limits& limits);

}  // namespace ir
}  // namespace v0
}  // namespace weft
