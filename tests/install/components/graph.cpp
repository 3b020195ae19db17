// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/graph/executable.hpp>

#include <cstdio>
#include <vector>

int main() {
  using namespace weft::graph;
  using weft::ScalarType, weft::Tensor, weft::TensorView;
  Graph graph("scale");
  const Value x = graph.add_parameter({ScalarType::f32, {PartialShape::unknown, 2}}, "x");
  const Value scale = graph.add_constant(Tensor::of<float>({2}, {1, 10}), "scale");
  const Value scaled = graph.add("Relu", {graph.add("Multiply", {x, scale})});
  const Value axes = graph.add_constant(Tensor::of<std::int64_t>({1}, {1}), "axes");
  graph.add_result(graph.add("ReduceSum", {scaled, axes}), "sums");
  const Tensor data = Tensor::of<float>({2, 2}, {1, 2, 3, -4});
  const Tensor sums = Executable(graph).run(std::vector<TensorView>{data})[0];
  if (sums.at<float>({0}) != 21 || sums.at<float>({1}) != 3) return 1;

  graph.add_result(graph.add("NoSuchOperator", {x}), "refused");
  try {
    const Executable refused(graph);
    return 1;
  } catch (const weft::Error& error) {
    std::printf("%s\n", error.what());
  }
  std::puts("graph: fine");
  return 0;
}
