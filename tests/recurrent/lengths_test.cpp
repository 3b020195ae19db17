// SPDX-License-Identifier: Apache-2.0
// One frame for sequences of all lengths gives what a frame of its own gives each of them.
#include "recurrent/loops.hpp"
#include "support/seed.hpp"

namespace {

using namespace test;
using weft::graph::Frame;

constexpr std::int64_t any = PartialShape::unknown, rows = 3, width = 5;

/// s' = tanh(s + x W), over the slices of x[...] along an axis, of `part` elements each; all of s, and the
/// last. `multiplies`: with the product, which is made for blocks of trips.
Graph recurrence(std::int64_t axis, bool backwards, bool multiplies, bool grows) {
  Graph body("cell");
  const Value x = body.add_parameter({ScalarType::f32, {rows, 1, width}}, "x");
  const Value s = body.add_parameter({ScalarType::f32, {any, width}}, "s");
  std::vector<double> weights;
  for (std::int64_t i = 0; i < width * width; ++i)
    weights.push_back(static_cast<double>(i % 7 - 3) / 8);
  Value in = reshape(body, x, {rows, width});
  if (multiplies) in = body.add("MatMul", {in, body.add_constant(floats({width, width}, weights))});
  const Value next = body.add("Tanh", {body.add("Add", {s, in})});
  body.add_result(next);
  body.add_result(grows ? body.add("Concat", {next, next}, {{"axis", std::int64_t{0}}}) : next);
  LoopSpec spec;
  spec.name = "lengths";
  LoopIterator iterator{.input = 0, .parameter = 0, .axis = axis};
  if (backwards) iterator.range = {-1, 0, -1};
  iterator.keep_axis = axis == 1;
  spec.iterators = {iterator};
  spec.states = {{.input = 1, .parameter = 1, .result = 0}};
  spec.outputs = {{.kind = LoopOutputKind::stack, .result = 0, .axis = 1, .backwards = backwards},
                  {.kind = LoopOutputKind::join, .result = 1, .axis = 0},
                  {.kind = LoopOutputKind::last_state, .state = 0}};
  Graph graph;
  const PartialShape shape = axis == 0   ? PartialShape{any, rows, width}
                             : axis == 1 ? PartialShape{rows, any, width}
                                         : PartialShape{rows, width, any};
  const Value data = graph.add_parameter({ScalarType::f32, shape});
  const Value start = graph.add_parameter({ScalarType::f32, {any, width}});
  for (const Value output : weft::recurrent::add_loop(graph, spec, body, {data, start}))
    graph.add_result(output);
  return graph;
}

}  // namespace

TEST_CASE("lengths: a frame that has run others gives the same bits", "[recurrent]") {
  test::Random random(test::seed());
  for (const std::int64_t axis : {0, 1, 2}) {
    for (int form = 0; form < 8; ++form) {
      const bool backwards = (form & 1) != 0, multiplies = (form & 2) != 0, grows = (form & 4) != 0;
      CAPTURE(test::seed(), axis, backwards, multiplies, grows);
      const Executable program(recurrence(axis, backwards, multiplies, grows),
                               {.operators = &weft::recurrent::operators()});
      Frame frame(program);
      for (int run = 0; run < 6; ++run) {
        const std::int64_t length = random.chance(20) ? 0 : random.integer(1, 40);
        std::vector<std::int64_t> shape = {rows, width};
        shape.insert(shape.begin() + axis, length);
        std::vector<double> values;
        for (std::int64_t i = 0; i < rows * width * length; ++i)
          values.push_back(static_cast<double>(random.integer(-100, 100)) / 64);
        const Tensor x = floats(shape, values);
        // With gaps between the rows, or between all elements.
        const Tensor wide = Tensor::zeros({rows, 2 * width}, ScalarType::f32);
        const TensorView start =
            random.chance(30) ? wide.slice(1, 0, width) : wide.slice(1, 0, 2 * width, 2);
        const std::vector<TensorView> inputs = {x, start};
        frame.plan(inputs);
        frame.run();
        const std::vector<Tensor> fresh = program.run(inputs);
        for (std::size_t i = 0; i < fresh.size(); ++i)
          CHECK(same_bits(frame.result(static_cast<int>(i)), fresh[i]));
      }
    }
  }
}
