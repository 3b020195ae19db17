// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running a single operator in a graph of its own.
#pragma once

#include <weft/core/cast.hpp>
#include <weft/graph/executable.hpp>

#include "support/naive.hpp"

#include <string>
#include <vector>

namespace test {

/// An operator and how its inputs come.
struct OperatorRun {
  std::string op;
  weft::graph::Attributes attributes = {};
  int noutputs = 1;
  int opset = 0;
  /// Inputs from this one on are constants; the others are parameters.
  std::size_t first_constant = 100;
  /// Parameters are declared with this few known extents; the others are unknown. -1: all known.
  bool dynamic = false;

  weft::graph::Graph graph(const std::vector<weft::TensorView>& inputs) const {
    weft::graph::Graph made;
    weft::graph::Node node;
    node.op = op;
    node.opset = opset;
    node.name = "it";
    node.attributes = attributes;
    node.noutputs = noutputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const weft::TensorView& input = inputs[i];
      if (!input.defined()) {
        node.inputs.push_back({});
      } else if (i >= first_constant) {
        node.inputs.push_back(made.add_constant(weft::Tensor::copy_of(input)));
      } else {
        const weft::graph::PartialShape shape =
            dynamic ? weft::graph::PartialShape::of_rank(input.rank())
                    : weft::graph::PartialShape(input.shape());
        node.inputs.push_back(made.add_parameter({input.dtype(), shape}));
      }
    }
    const int count = node.noutputs;
    const int index = made.add_node(std::move(node));
    for (int i = 0; i < count; ++i)
      made.add_result({index, i});
    return made;
  }
  std::vector<weft::Tensor> operator()(const std::vector<weft::TensorView>& inputs) const {
    std::vector<weft::TensorView> given;
    for (std::size_t i = 0; i < inputs.size() && i < first_constant; ++i) {
      if (inputs[i].defined()) given.push_back(inputs[i]);
    }
    return weft::graph::Executable(graph(inputs)).run(given);
  }
};

/// The elements, row-major, of any real type.
inline std::vector<double> numbers_of(const weft::TensorView& view) {
  const weft::Tensor dense = weft::Tensor::copy_of(view);
  std::vector<double> list(static_cast<std::size_t>(dense.numel()));
  weft::cast_elements(list.data(), weft::ScalarType::f64, 8, dense.data(), dense.dtype(),
                      weft::element_size(dense.dtype()), dense.numel());
  return list;
}

inline weft::Tensor integers(const std::vector<std::int64_t>& values) {
  weft::Tensor tensor =
      weft::Tensor::empty({static_cast<std::int64_t>(values.size())}, weft::ScalarType::i64);
  std::copy(values.begin(), values.end(), tensor.data_as<std::int64_t>());
  return tensor;
}

inline weft::Tensor integer(std::int64_t value) {
  return weft::Tensor::of<std::int64_t>({}, {value});
}

/// 0, 1, 2, ... of a type.
inline weft::Tensor counting(const Dims& shape, weft::ScalarType type = weft::ScalarType::f32) {
  weft::Tensor tensor = weft::Tensor::empty(shape, type);
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    values.push_back(static_cast<double>(i));
  weft::cast_elements(tensor.data(), type, weft::element_size(type), values.data(),
                      weft::ScalarType::f64, 8, tensor.numel());
  return tensor;
}

}  // namespace test
