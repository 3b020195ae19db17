// SPDX-License-Identifier: Apache-2.0
// Loops, choices and networks where memory runs out, in trips too.
#include <weft/recurrent/choice.hpp>
#include <weft/recurrent/network.hpp>

#include "failing/out_of_memory.hpp"
#include "recurrent/loops.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace test;
using weft::graph::Frame;
using weft::recurrent::Network;
using weft::recurrent::NetworkLoop;
using weft::recurrent::OutputForm;
using weft::recurrent::TripLimit;
using Kind = LoopOutputKind;

constexpr std::int64_t unknown = PartialShape::unknown;

/// h' = tanh(x W + h R) over the slices of x along axis 1: products, a state, all h' joined.
Graph cell_loop(std::int64_t trips) {
  Graph body("cell");
  const Value x = body.add_parameter({ScalarType::f32, {2, 1, 6}}),
              h = body.add_parameter({ScalarType::f32, {2, 4}});
  const Value w = body.add_constant(Tensor::full({6, 4}, ScalarType::f32, 0.25)),
              r = body.add_constant(Tensor::full({4, 4}, ScalarType::f32, -0.5));
  const Value sum = body.add(
      "Add", {body.add("MatMul", {reshape(body, x, {2, 6}), w}), body.add("MatMul", {h, r})});
  const Value next = body.add("Tanh", {sum});
  body.add_result(next);
  body.add_result(reshape(body, next, {2, 1, 4}));
  PortMap map;
  map.name = "cells";
  map.inputs = {{.input = 0, .parameter = 0, .axis = 1}, {.input = 1, .parameter = 1}};
  map.back_edges = {{.result = 0, .parameter = 1}};
  map.outputs = {{.output = 0, .result = 1, .axis = 1}, {.output = 1, .result = 0}};
  Graph graph("cell loop");
  const Value all = graph.add_parameter({ScalarType::f32, {2, trips, 6}}, "x"),
              first = graph.add_parameter({ScalarType::f32, {2, 4}}, "h");
  for (const Value output : weft::recurrent::add_loop(graph, map, body, {all, first}))
    graph.add_result(output);
  return graph;
}
std::vector<Tensor> cell_inputs(std::int64_t trips) {
  return {Tensor::full({2, trips, 6}, ScalarType::f32, 0.5),
          Tensor::full({2, 4}, ScalarType::f32, 0.125)};
}

/// A state that grows by a row a trip as long as a condition holds, and what the trips gave of it:
/// a loop whose shapes are not known before it runs. In each trip a choice.
Graph growing_loop() {
  auto twice = std::make_shared<Graph>("twice"), negative = std::make_shared<Graph>("negative");
  const Value a = twice->add_parameter({ScalarType::f32, {1, 3}});
  twice->add_result(twice->add("Add", {a, a}));
  const Value b = negative->add_parameter({ScalarType::f32, {1, 3}});
  negative->add_result(negative->add("Negative", {b}));
  LoopSpec spec;
  spec.name = "growing";
  Graph body("growing");
  const Value s = body.add_parameter({ScalarType::f32, {unknown, 3}}, "s"),
              i = body.add_parameter({ScalarType::i64, {}}, "i"),
              row = body.add_parameter({ScalarType::f32, {1, 3}}, "row"),
              limit = body.add_parameter({ScalarType::i64, {}}, "limit");
  const Value early = body.add("Less", {i, body.add_constant(integers({}, {2}))});
  const Value more = weft::recurrent::add_if(body, "choice", {twice, {1}, {0}},
                                             {negative, {1}, {0}}, {early, row})[0];
  body.add_result(body.add("Concat", {s, more}, {{"axis", std::int64_t{0}}}));
  body.add_result(body.add("Less", {i, limit}));
  body.add_result(more);
  spec.next_condition = 1;
  spec.states = {{.input = 0, .parameter = 0, .result = 0}};
  spec.indexes = {1};
  spec.invariants = {{.input = 1, .parameter = 2}, {.input = 2, .parameter = 3}};
  spec.outputs = {{.kind = Kind::last_state, .state = 0},
                  {.kind = Kind::join, .result = 2, .axis = 0, .backwards = true},
                  {.kind = Kind::stack, .result = 2, .axis = 0},
                  {.kind = Kind::trips}};
  Graph graph("growing loop");
  const std::vector<Value> inputs = {graph.add_parameter({ScalarType::f32, {unknown, 3}}, "s"),
                                     graph.add_parameter({ScalarType::f32, {1, 3}}, "row"),
                                     graph.add_parameter({ScalarType::i64, {}}, "limit")};
  for (const Value output : weft::recurrent::add_loop(graph, spec, body, inputs))
    graph.add_result(output);
  return graph;
}
std::vector<Tensor> growing_inputs(std::int64_t limit) {
  return {floats({1, 3}, {1, 2, 3}), floats({1, 3}, {4, 5, 6}),
          integers({}, {static_cast<double>(limit)})};
}

/// A loop inside a loop: the sum of each row, so many times.
Graph nested_loops() {
  Graph elements("elements");
  const Value x = elements.add_parameter({ScalarType::f32, {1, 1}}),
              s = elements.add_parameter({ScalarType::f32, {1, 1}});
  elements.add_result(elements.add("Add", {s, x}));
  PortMap inner;
  inner.name = "elements";
  inner.inputs = {{.input = 0, .parameter = 0, .axis = 1}, {.input = 1, .parameter = 1}};
  inner.back_edges = {{.result = 0, .parameter = 1}};
  inner.outputs = {{.output = 0, .result = 0}};
  Graph rows("rows");
  const Value row = rows.add_parameter({ScalarType::f32, {1, 3}}),
              scale = rows.add_parameter({ScalarType::f32, {1, 1}});
  const Value zero = rows.add_constant(floats({1, 1}, {0}));
  rows.add_result(rows.add(
      "Multiply", {weft::recurrent::add_loop(rows, inner, elements, {row, zero})[0], scale}));
  PortMap outer;
  outer.name = "rows";
  outer.inputs = {{.input = 0, .parameter = 0, .axis = 0}, {.input = 1, .parameter = 1}};
  outer.outputs = {{.output = 0, .result = 0, .axis = 0}};
  Graph graph("nested");
  const Value matrix = graph.add_parameter({ScalarType::f32, {unknown, 3}}),
              factor = graph.add_parameter({ScalarType::f32, {1, 1}});
  graph.add_result(weft::recurrent::add_loop(graph, outer, rows, {matrix, factor})[0]);
  return graph;
}
std::vector<Tensor> nested_inputs(std::int64_t rows) {
  return {Tensor::full({rows, 3}, ScalarType::f32, 2), floats({1, 1}, {3})};
}

/// TensorRT's form: a running sum over rows, its last value and all of them.
void fill_network(Network& network) {
  const Value x = network.add_input({ScalarType::f32, {unknown, 3}}, "x");
  const Value n = network.add_input({ScalarType::i64, {}}, "n");
  NetworkLoop loop = network.add_loop("sum");
  loop.add_trip_limit(n, TripLimit::count);
  const Value sum = loop.add_recurrence(network.add_constant(floats({3}, {0, 0, 0})));
  const Value next = network.add("Add", {sum, loop.add_iterator(x)});
  loop.set_next(sum, next);
  network.mark_output(loop.add_loop_output(sum, OutputForm::last_value), "last");
  const Value all = loop.add_loop_output(next, OutputForm::reverse);
  loop.set_length(all, n);
  network.mark_output(all, "all");
}

Executable compiled(const Graph& graph) {
  return Executable(graph, {.operators = &weft::recurrent::operators()});
}
std::vector<TensorView> views_of(const std::vector<Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}
bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b,
                            [](const Tensor& x, const Tensor& y) { return same_elements(x, y); });
}
std::vector<Tensor> results(const Frame& frame) {
  std::vector<Tensor> all;
  for (int i = 0; i < frame.executable().nresults(); ++i)
    all.push_back(Tensor::copy_of(frame.result(i)));
  return all;
}

/// Compiling, a first run, and a run on other inputs after one.
void check_loop(const std::string& name, const Graph& graph, const std::vector<Tensor>& first,
                const std::vector<Tensor>& second) {
  const Executable program = compiled(graph);
  const std::vector<Tensor> wanted = program.run(views_of(first));
  const std::vector<Tensor> wanted_second = program.run(views_of(second));
  check_out_of_memory(name + ", compiled", [&] {
    const auto made = std::make_shared<std::unique_ptr<Executable>>();
    return Attempt{[&, made] { *made = std::make_unique<Executable>(compiled(graph)); },
                   [&, made] { return same((*made)->run(views_of(first)), wanted); },
                   [made] { return *made == nullptr; }};
  });
  for (const bool has_run : {false, true}) {
    check_out_of_memory(
        name + (has_run ? ", run again" : ", run"),
        [&] {
          const auto frame = std::make_shared<Frame>(program);
          const auto run = [frame](const std::vector<Tensor>& inputs) {
            frame->plan(views_of(inputs));
            frame->run();
          };
          if (has_run) run(first);
          return Attempt{[&, run] { run(second); },
                         [&, run, frame] {
                           if (!same(results(*frame), wanted_second)) return false;
                           run(first);
                           return same(results(*frame), wanted);
                         }};
        },
        has_run ? On::one_thread : On::four_threads);
  }
}

}  // namespace

TEST_CASE("out of memory: a loop over slices", "[failing]") {
  check_loop("cells", cell_loop(unknown), cell_inputs(3), cell_inputs(7));
  check_loop("cells, shorter", cell_loop(unknown), cell_inputs(40), cell_inputs(2));
  check_loop("cells, known", cell_loop(5), cell_inputs(5), cell_inputs(5));
}

TEST_CASE("out of memory: a loop whose shapes change, with a choice in it", "[failing]") {
  check_loop("growing", growing_loop(), growing_inputs(3), growing_inputs(6));
  check_loop("growing, shorter", growing_loop(), growing_inputs(6), growing_inputs(0));
}

TEST_CASE("out of memory: loops in loops", "[failing]") {
  check_loop("nested", nested_loops(), nested_inputs(2), nested_inputs(5));
}

TEST_CASE("out of memory: a network is built and lowered", "[failing]") {
  const std::vector<Tensor> inputs = {floats({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                                      integers({}, {3})};
  Network whole("network");
  fill_network(whole);
  const Graph graph = whole.build();
  const std::vector<Tensor> wanted = compiled(graph).run(views_of(inputs));
  check_out_of_memory("made", [&] {
    const auto network = std::make_shared<std::unique_ptr<Network>>();
    return Attempt{
        [=] {
          *network = std::make_unique<Network>("network");
          fill_network(**network);
        },
        [&, network] { return same(compiled((*network)->build()).run(views_of(inputs)), wanted); }};
  });
  check_out_of_memory("lowered", [&] {
    const auto made = std::make_shared<Graph>();
    return Attempt{[&, made] { *made = whole.build(); },
                   [&, made] { return same(compiled(*made).run(views_of(inputs)), wanted); },
                   [made] { return made->nodes().empty(); }};
  });
}

TEST_CASE("out of memory: what a loop reports", "[failing]") {
  Graph graph = cell_loop(unknown);
  compiled(graph).run(views_of(cell_inputs(3)));
  const weft::graph::Node& loop = graph.nodes().back();
  const std::string wanted = weft::recurrent::loop_report(loop).to_text();
  check_out_of_memory("report", [&] {
    const auto text = std::make_shared<std::string>();
    return Attempt{[&, text] { *text = weft::recurrent::loop_report(loop).to_text(); },
                   [&, text] { return *text == wanted; }, [text] { return text->empty(); }};
  });
}
