// SPDX-License-Identifier: Apache-2.0
/// @file
/// Calls of weft whose results are known.
#pragma once

#include <weft/graph/executable.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/matmul.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/recurrent/loop.hpp>

#include <vector>

namespace test {

/// On several threads, where there are any.
inline bool calls_are_right() {
  using weft::ScalarType, weft::Tensor, weft::TensorView;
  const Tensor a = Tensor::full({600, 700}, ScalarType::f32, 2);
  const Tensor b = Tensor::full({700, 600}, ScalarType::f64, 3);
  return weft::add(a, b.transpose(0, 1)).at<double>({599, 699}) == 5 &&
         weft::sum(a).at<float>({}) == 840000 &&
         weft::matmul(a, a.transpose(0, 1)).at<float>({7, 7}) == 2800;
}

/// A graph, whose operators are found by name.
inline bool graph_is_right() {
  using weft::ScalarType, weft::Tensor, weft::TensorView;
  weft::graph::Graph graph;
  const auto x = graph.add_parameter({ScalarType::f32, {3}});
  graph.add_result(graph.add("Relu", {graph.add("Add", {x, x})}));
  const weft::graph::Executable program(graph, {.operators = &weft::recurrent::operators()});
  const Tensor in = Tensor::full({3}, ScalarType::f32, 1.5);
  return program.run(std::vector<TensorView>{in})[0].at<float>({2}) == 3;
}

}  // namespace test
