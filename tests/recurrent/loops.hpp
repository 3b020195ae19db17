// SPDX-License-Identifier: Apache-2.0
/// @file
/// Short ways to write bodies and run loops in tests.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/graph/executable.hpp>
#include <weft/recurrent/loop.hpp>

#include "support/json.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace test {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Executable;
using weft::graph::Graph;
using weft::graph::PartialShape;
using weft::graph::Value;
using weft::graph::ValueType;
using weft::recurrent::BackEdge;
using weft::recurrent::LoopEnd;
using weft::recurrent::LoopIterator;
using weft::recurrent::LoopOutput;
using weft::recurrent::LoopOutputKind;
using weft::recurrent::LoopReport;
using weft::recurrent::LoopSpec;
using weft::recurrent::LoopState;
using weft::recurrent::PortMap;
using weft::recurrent::PortMapInput;
using weft::recurrent::PortMapOutput;

/// Row-major, elements converted from doubles.
inline Tensor tensor_of(ScalarType type, const std::vector<std::int64_t>& shape,
                        const std::vector<double>& values) {
  Tensor out = Tensor::empty(shape, type);
  weft::cast_elements(out.data(), type, element_size(type), values.data(), ScalarType::f64, 8,
                      static_cast<std::int64_t>(values.size()));
  return out;
}
inline Tensor floats(const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
  return tensor_of(ScalarType::f32, shape, values);
}
inline Tensor integers(const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
  return tensor_of(ScalarType::i64, shape, values);
}
inline Tensor truth(bool value) { return tensor_of(ScalarType::boolean, {}, {value ? 1.0 : 0.0}); }

inline std::vector<double> doubles(const TensorView& view) {
  const Tensor wide = Tensor::empty(view.shape(), ScalarType::f64);
  weft::cast_tensor(wide, view);
  const auto* data = wide.data_as<double>();
  return {data, data + wide.numel()};
}

/// Equal in type, shape and every bit.
inline bool same_bits(const TensorView& a, const TensorView& b) {
  if (a.dtype() != b.dtype() || !std::ranges::equal(a.shape(), b.shape())) return false;
  const Tensor x = Tensor::copy_of(a), y = Tensor::copy_of(b);
  return x.nbytes() == 0 ||
         std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.nbytes())) == 0;
}

inline ScalarType type_named(const std::string& name) {
  return weft::graph::parse_element_type(name);
}
inline Tensor tensor_of(const Json& json) {
  return tensor_of(type_named(json["type"].string), json["shape"].integers(),
                   json["data"].numbers());
}

/// Empty if `got` has type, shape and values of `expected`, within `tolerance`; else what is wrong.
inline std::string difference(const TensorView& got, const TensorView& expected,
                              double tolerance = 0) {
  if (got.dtype() != expected.dtype()) {
    return "type " + std::string(name(got.dtype())) + ", expected " +
           std::string(name(expected.dtype()));
  }
  if (!std::ranges::equal(got.shape(), expected.shape())) {
    return "shape " + to_string(got.shape()) + ", expected " + to_string(expected.shape());
  }
  const std::vector<double> a = doubles(got), b = doubles(expected);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || std::fabs(a[i] - b[i]) <= tolerance) continue;
    return "element " + std::to_string(i) + ": " + std::to_string(a[i]) + ", expected " +
           std::to_string(b[i]);
  }
  return "";
}

inline ValueType type_of(const TensorView& view) { return {view.dtype(), view.shape()}; }

/// A graph of the loop alone: its inputs are parameters, its outputs results.
class LoopProgram {
 public:
  LoopProgram(const LoopSpec& spec, const Graph& body, const std::vector<ValueType>& inputs)
      : LoopProgram(make(spec, body, inputs)) {}
  LoopProgram(const PortMap& map, const Graph& body, const std::vector<ValueType>& inputs)
      : LoopProgram(make(map, body, inputs)) {}

  std::vector<Tensor> run(const std::vector<Tensor>& inputs) const {
    const std::vector<TensorView> views(inputs.begin(), inputs.end());
    return executable_.run(views);
  }
  LoopReport report() const { return weft::recurrent::loop_report(graph_.nodes().back()); }
  const Executable& executable() const { return executable_; }

 private:
  explicit LoopProgram(Graph graph)
      : graph_(std::move(graph)),
        executable_(graph_, {.operators = &weft::recurrent::operators()}) {}
  template <class Description>
  static Graph make(const Description& description, const Graph& body,
                    const std::vector<ValueType>& inputs) {
    Graph graph("test");
    std::vector<Value> values;
    for (const ValueType& type : inputs)
      values.push_back(graph.add_parameter(type));
    for (const Value output : weft::recurrent::add_loop(graph, description, body, values))
      graph.add_result(output);
    return graph;
  }

  Graph graph_;
  Executable executable_;
};

/// Runs a loop once.
template <class Description>
std::vector<Tensor> run_loop(const Description& description, const Graph& body,
                             const std::vector<Tensor>& inputs) {
  std::vector<ValueType> types;
  for (const Tensor& input : inputs)
    types.push_back(type_of(input));
  return LoopProgram(description, body, types).run(inputs);
}

/// The same value in another shape.
inline Value reshape(Graph& graph, Value value, const std::vector<std::int64_t>& shape) {
  Tensor target = Tensor::empty({static_cast<std::int64_t>(shape.size())}, ScalarType::i64);
  std::copy(shape.begin(), shape.end(), target.data_as<std::int64_t>());
  return graph.add("Reshape", {value, graph.add_constant(target)});
}

}  // namespace test
