// SPDX-License-Identifier: Apache-2.0
// Graphs where memory runs out: made, compiled, planned, planned again, resized, run, explained.
#include <weft/graph/executable.hpp>

#include "failing/out_of_memory.hpp"
#include "support/catch.hpp"

#include <memory>
#include <string>
#include <vector>

namespace {

using test::Attempt;
using test::check_out_of_memory;
using test::On;
using test::same_elements;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::Node;
using weft::graph::PartialShape;
using weft::graph::ResultPlace;
using weft::graph::Value;

constexpr std::int64_t unknown = PartialShape::unknown;

Tensor numbered(const std::vector<std::int64_t>& shape) {
  const Tensor made = Tensor::empty(shape, ScalarType::f32);
  for (std::int64_t i = 0; i < made.numel(); ++i)
    made.data_as<float>()[i] = static_cast<float>(i % 11) * 0.25F;
  return made;
}
Value integers(Graph& graph, std::initializer_list<std::int64_t> values) {
  return graph.add_constant(
      Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values));
}

/// Something of every kind: fused steps, views, kernels of their own, a packed constant, what is
/// folded, several outputs of a node.
Graph many_kinds(std::int64_t rows) {
  Graph graph("many kinds");
  const Value x = graph.add_parameter({ScalarType::f32, {rows, 6}}, "x");
  const Value y = graph.add_parameter({ScalarType::f32, {rows, 6}}, "y");
  const Value w = graph.add_constant(numbered({6, 8}));
  const Value bias = graph.add("Relu", {graph.add_constant(numbered({8}))});
  const Value sum = graph.add("Multiply", {graph.add("Add", {x, y}), graph.add("Sigmoid", {x})});
  const Value product = graph.add("Add", {graph.add("MatMul", {sum, w}), bias});
  graph.add_result(graph.add("Softmax", {product}, {{"axis", std::int64_t{1}}}), "softmax");
  graph.add_result(graph.add("ReduceSum", {graph.add("Tanh", {product}), integers(graph, {1})}));
  graph.add_result(graph.add("Transpose", {product, integers(graph, {1, 0})}), "turned");
  Node split;
  split.op = "Split";
  split.noutputs = 2;
  split.attributes.set("num_splits", std::int64_t{2});
  split.inputs = {product, graph.add_constant(Tensor::of<std::int64_t>({}, {1}))};
  const int parts = graph.add_node(split);
  graph.add_result(
      graph.add("Concat", {Value{parts, 1}, x, Value{parts, 0}}, {{"axis", std::int64_t{1}}}));
  return graph;
}

/// Shapes that turn up while it runs.
Graph with_shapes_in_data() {
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {unknown, 6}}, "x");
  const Value shape = graph.add_parameter({ScalarType::i64, {2}}, "shape");
  const Value reshaped = graph.add("Reshape", {x, graph.add("Relu", {shape})});
  const Value one = graph.add_constant(Tensor::full({}, ScalarType::f32, 1));
  graph.add_result(graph.add("Multiply", {reshaped, reshaped}), "squares");
  graph.add_result(graph.add("Add", {graph.add("Broadcast", {one, shape}), one}), "twos");
  return graph;
}

/// A counter that lasts from run to run.
Graph with_variable() {
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {4}});
  Node read;
  read.op = "ReadValue";
  read.opset = 3;
  read.attributes.set("variable_id", std::string("sum"));
  read.inputs = {x};
  const Value before{graph.add_node(read), 0};
  const Value next = graph.add("Add", {before, x});
  Node assign;
  assign.op = "Assign";
  assign.opset = 3;
  assign.attributes.set("variable_id", std::string("sum"));
  assign.inputs = {next};
  graph.add_sink(graph.add_node(assign));
  graph.add_result(next);
  return graph;
}

std::vector<Tensor> copies(const Frame& frame) {
  std::vector<Tensor> all;
  for (int i = 0; i < frame.executable().nresults(); ++i)
    all.push_back(Tensor::copy_of(frame.result(i)));
  return all;
}
bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b,
                            [](const Tensor& x, const Tensor& y) { return same_elements(x, y); });
}

/// Inputs of many_kinds().
std::vector<Tensor> two_inputs(std::int64_t rows) {
  return {numbered({rows, 6}), numbered({rows, 6})};
}

void run_frame(Frame& frame, const std::vector<Tensor>& inputs) {
  frame.plan(std::vector<TensorView>(inputs.begin(), inputs.end()));
  frame.run();
}

/// A frame that has run on some inputs is run on others.
void check_second_run(const std::string& name, const Graph& graph, const std::vector<Tensor>& first,
                      const std::vector<Tensor>& second) {
  const Executable program(graph);
  const std::vector<TensorView> views(second.begin(), second.end()),
      before(first.begin(), first.end());
  const std::vector<Tensor> wanted = program.run(views), wanted_before = program.run(before);
  check_out_of_memory(name, [&] {
    const auto frame = std::make_shared<Frame>(program);
    run_frame(*frame, first);
    return Attempt{[&, frame] { run_frame(*frame, second); },
                   [&, frame] {
                     if (!same(copies(*frame), wanted)) return false;
                     // And back again.
                     run_frame(*frame, first);
                     return same(copies(*frame), wanted_before);
                   }};
  });
}

}  // namespace

TEST_CASE("out of memory: a graph is made and compiled", "[failing]") {
  const std::vector<Tensor> inputs = two_inputs(5);
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  const std::vector<Tensor> wanted = Executable(many_kinds(5)).run(views);
  check_out_of_memory("made", [&] {
    const auto graph = std::make_shared<Graph>();
    return Attempt{[=] { *graph = many_kinds(5); },
                   [&, graph] { return same(Executable(*graph).run(views), wanted); },
                   [=] { return graph->nodes().empty(); }};
  });
  for (const std::int64_t rows : {std::int64_t{5}, unknown}) {
    const Graph graph = many_kinds(rows);
    check_out_of_memory("compiled", [&] {
      const auto program = std::make_shared<std::unique_ptr<Executable>>();
      return Attempt{[&, program] { *program = std::make_unique<Executable>(graph); },
                     [&, program] { return same((*program)->run(views), wanted); },
                     [program] { return *program == nullptr; }};
    });
  }
}

TEST_CASE("out of memory: a program runs once", "[failing]") {
  const Executable program(many_kinds(unknown));
  const std::vector<Tensor> inputs = two_inputs(5);
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  const std::vector<Tensor> wanted = program.run(views);
  check_out_of_memory("run", [&] {
    const auto got = std::make_shared<std::vector<Tensor>>();
    return Attempt{[&, got] { *got = program.run(views); }, [&, got] { return same(*got, wanted); },
                   [got] { return got->empty(); }};
  });
}

TEST_CASE("out of memory: a frame is planned and run", "[failing]") {
  const Executable program(many_kinds(unknown));
  const std::vector<Tensor> inputs = two_inputs(800);
  const std::vector<Tensor> wanted =
      program.run(std::vector<TensorView>(inputs.begin(), inputs.end()));
  check_out_of_memory(
      "first plan",
      [&] {
        const auto frame = std::make_shared<Frame>(program);
        return Attempt{[&, frame] { run_frame(*frame, inputs); },
                       [&, frame] { return same(copies(*frame), wanted); }};
      },
      On::four_threads);
  check_out_of_memory("frame", [&] {
    const auto frame = std::make_shared<std::unique_ptr<Frame>>();
    return Attempt{[&, frame] {
                     *frame = std::make_unique<Frame>(program);
                     run_frame(**frame, inputs);
                   },
                   [&, frame] { return same(copies(**frame), wanted); }};
  });
}

TEST_CASE("out of memory: a frame is planned again", "[failing]") {
  // Other extents, which a frame follows, with more memory and with less; other strides.
  check_second_run("longer", many_kinds(unknown), two_inputs(5), two_inputs(9));
  check_second_run("shorter", many_kinds(unknown), two_inputs(9), two_inputs(5));
  const Tensor memory = numbered({6, 5});
  const Tensor turned = Tensor::share(memory.owner(), memory.transpose(0, 1));
  check_second_run("turned", many_kinds(unknown), two_inputs(5), {turned, turned});
}

TEST_CASE("out of memory: shapes that turn up in the run", "[failing]") {
  const auto shape = [](std::int64_t a, std::int64_t b) {
    return Tensor::of<std::int64_t>({2}, {a, b});
  };
  check_second_run("another shape", with_shapes_in_data(), {numbered({4, 6}), shape(3, 8)},
                   {numbered({4, 6}), shape(12, 2)});
  check_second_run("a longer one", with_shapes_in_data(), {numbered({4, 6}), shape(3, 8)},
                   {numbered({7, 6}), shape(21, 2)});
}

TEST_CASE("out of memory: a variable keeps its value", "[failing]") {
  const Executable program(with_variable());
  const Tensor ones = Tensor::full({4}, ScalarType::f32, 1);
  check_out_of_memory("variable", [&] {
    const auto frame = std::make_shared<Frame>(program);
    const auto runs = std::make_shared<float>(0);
    return Attempt{[&, frame, runs] {
                     run_frame(*frame, {ones});
                     ++*runs;
                   },
                   // The first run begins with what it reads.
                   [=] { return frame->result(0).at<float>({3}) == *runs + 1; }};
  });
}

TEST_CASE("out of memory: results in external places", "[failing]") {
  const Executable program(many_kinds(unknown));
  const std::vector<Tensor> inputs = two_inputs(5);
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  const std::vector<Tensor> wanted = program.run(views);
  std::vector<ResultPlace> places(4);
  places[0] = {.external = true, .strides = {16, 2}};
  const auto run_into = [&](Frame& frame, const Tensor& out) {
    frame.plan(views, places);
    frame.bind_result(0, out.data());
    frame.run();
  };
  // The last bits of a softmax may be others where its lines are not dense.
  Frame first(program);
  const Tensor turned = Tensor::full({5, 16}, ScalarType::f32, 7);
  run_into(first, turned);
  check_out_of_memory("places", [&] {
    const auto frame = std::make_shared<Frame>(program);
    const auto out = std::make_shared<Tensor>(Tensor::full({5, 16}, ScalarType::f32, 7));
    return Attempt{[&, frame, out] { run_into(*frame, *out); },
                   [&, frame, out] {
                     return same_elements(*out, turned) &&
                            same_elements(frame->result(3), wanted[3]) &&
                            out->at<float>({4, 15}) == 7;
                   }};
  });
}

TEST_CASE("out of memory: what a frame tells of itself", "[failing]") {
  const Executable program(many_kinds(unknown));
  Frame frame(program);
  run_frame(frame, two_inputs(5));
  const std::string wanted = to_string(frame.explain());
  check_out_of_memory("explain", [&] {
    const auto text = std::make_shared<std::string>();
    return Attempt{[&, text] { *text = to_string(frame.explain()); },
                   [&, text] { return *text == wanted; }, [text] { return text->empty(); }};
  });
}
