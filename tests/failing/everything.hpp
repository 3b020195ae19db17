// SPDX-License-Identifier: Apache-2.0
/// @file
/// A call of each layer, for processes in which weft has not been used, or has been forked.
#pragma once

#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/matmul.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/softmax.hpp>
#include <weft/recurrent/loop.hpp>

#include "support/loop_text.hpp"
#include "support/net_text.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace test {

/// Large enough for several threads.
inline bool elementwise_is_right() {
  using weft::ScalarType, weft::Tensor;
  const Tensor a = Tensor::full({600, 700}, ScalarType::f32, 2);
  const Tensor b = Tensor::full({700, 600}, ScalarType::f64, 3);
  const Tensor sum = weft::add(a, b.transpose(0, 1));
  return sum.at<double>({0, 0}) == 5 && sum.at<double>({599, 699}) == 5;
}
inline bool reductions_are_right() {
  using weft::ScalarType, weft::Tensor;
  const Tensor a = Tensor::full({600, 700}, ScalarType::f32, 2);
  return weft::sum(a).at<float>({}) == 840000 && weft::cumsum(a, 0).at<float>({599, 1}) == 1200 &&
         weft::softmax(a, 0).at<float>({7, 7}) == 1.0F / 600;
}
inline bool product_is_right() {
  using weft::ScalarType, weft::Tensor;
  const Tensor a = Tensor::full({200, 300}, ScalarType::f32, 0.5);
  return weft::matmul(a, a.transpose(0, 1)).at<float>({199, 199}) == 75;
}
inline bool graph_is_right() {
  using weft::ScalarType, weft::Tensor, weft::TensorView;
  weft::graph::Graph graph;
  const auto x = graph.add_parameter({ScalarType::f32, {300, 400}});
  graph.add_result(graph.add("Relu", {graph.add("Add", {x, x})}));
  const Tensor in = Tensor::full({300, 400}, ScalarType::f32, 1.5);
  const weft::graph::Executable program(graph, {.operators = &weft::recurrent::operators()});
  return program.run(std::vector<TensorView>{in})[0].at<float>({299, 399}) == 3;
}
inline bool model_is_right() {
  using weft::ScalarType, weft::Tensor, weft::TensorView;
  NetText net;
  const auto x = net.parameter("x", "f32", "1,4"), s = net.parameter("s", "f32", "1,1");
  NetText body = net.body();
  const auto xi = body.parameter("xi", "f32", "1,1"), si = body.parameter("si", "f32", "1,1");
  const int next = body.result("next", body.op("Add", {xi, si}));
  LoopText loop;
  loop.input(0, xi, "axis=\"1\"").input(1, si).output(2, next);
  loop.back_edge(next, si);
  net.result("y", net.layer("sums", "TensorIterator", "opset1", {x, s}, 1, "", loop.text(body))[0]);
  const std::string text = net.text();
  const weft::ir::Model model = weft::ir::build_model(
      weft::ir::read_document(std::as_bytes(std::span(text.data(), text.size()))));
  const Tensor in = Tensor::full({1, 4}, ScalarType::f32, 3),
               zero = Tensor::zeros({1, 1}, ScalarType::f32);
  return model.program.run(std::vector<TensorView>{in, zero})[0].at<float>({0, 0}) == 12;
}

inline bool all_is_right() {
  return elementwise_is_right() && reductions_are_right() && product_is_right() &&
         graph_is_right() && model_is_right();
}

}  // namespace test
