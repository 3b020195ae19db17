// SPDX-License-Identifier: Apache-2.0
// Variables (ReadValue, Assign) in the bodies of loops and choices.
#include <weft/recurrent/choice.hpp>

#include "recurrent/loops.hpp"
#include "support/errors.hpp"

namespace {

using namespace test;
using weft::graph::Frame;
using weft::graph::Node;
using weft::recurrent::add_if;
using weft::recurrent::add_loop;

Value read(Graph& graph, const std::string& id, Value first) {
  return graph.add("ReadValue", {first}, {{"variable_id", id}});
}
Value assign(Graph& graph, const std::string& id, Value next) {
  const Value value = graph.add("Assign", {next}, {{"variable_id", id}});
  graph.add_sink(value.node);
  return value;
}

/// Runs one after the other in one frame.
class Session {
 public:
  explicit Session(const Graph& graph)
      : frame_(Executable(graph, {.operators = &weft::recurrent::operators()})) {}
  std::vector<double> operator()(const std::vector<Tensor>& inputs) {
    frame_.plan(std::vector<TensorView>(inputs.begin(), inputs.end()));
    frame_.run();
    return doubles(frame_.result(0));
  }

 private:
  Frame frame_;
};

PortMap over_columns(std::vector<PortMapInput> more = {}) {
  PortMap map;
  map.name = "columns";
  map.inputs = {{.input = 0, .parameter = 0, .axis = 1}};
  map.inputs.insert(map.inputs.end(), more.begin(), more.end());
  map.outputs = {{.output = 0, .result = 0, .axis = 1}};
  return map;
}

constexpr std::int64_t any = PartialShape::unknown;

}  // namespace

TEST_CASE("variables: every trip sees what the trip before has set, a run what the run before has",
          "[recurrent]") {
  Graph body("sum");
  const Value x = body.add_parameter({ScalarType::f32, {1, 1}});
  const Value before = read(body, "s", body.add_constant(floats({1, 1}, {100})));
  body.add_result(assign(body, "s", body.add("Add", {before, x})));
  Graph graph;
  const Value row = graph.add_parameter({ScalarType::f32, {1, any}});
  graph.add_result(add_loop(graph, over_columns(), body, {row})[0]);
  Session session(graph);
  CHECK(session({floats({1, 3}, {1, 2, 3})}) == std::vector<double>{101, 103, 106});
  CHECK(session({floats({1, 2}, {4, 5})}) == std::vector<double>{110, 115});
  CHECK(session({floats({1, 0}, {})}).empty());
  CHECK(session({floats({1, 1}, {6})}) == std::vector<double>{121});
  Session another(graph);  // frames share nothing
  CHECK(another({floats({1, 1}, {1})}) == std::vector<double>{101});
}

TEST_CASE("variables: a state that a sequence in pieces keeps", "[recurrent]") {
  // What OpenVINO's LowLatency makes of a state: the first value is the body's own parameter.
  Graph body("cell");
  const Value x = body.add_parameter({ScalarType::f32, {1, 1}}),
              h = body.add_parameter({ScalarType::f32, {1, 1}});
  const Value next = body.add("Tanh", {body.add("Add", {read(body, "h", h), x})});
  assign(body, "h", next);
  body.add_result(next);
  PortMap map = over_columns({{.input = 1, .parameter = 1}});
  map.back_edges = {{.result = 0, .parameter = 1}};
  Graph graph;
  const Value row = graph.add_parameter({ScalarType::f32, {1, any}}),
              first = graph.add_parameter({ScalarType::f32, {1, 1}});
  graph.add_result(add_loop(graph, map, body, {row, first})[0]);
  Session whole(graph), pieces(graph);
  const std::vector<double> expected =
      whole({floats({1, 5}, {0.5, -1, 0.25, 2, -0.5}), floats({1, 1}, {0.75})});
  std::vector<double> got = pieces({floats({1, 2}, {0.5, -1}), floats({1, 1}, {0.75})});
  for (const double each : pieces({floats({1, 3}, {0.25, 2, -0.5}), floats({1, 1}, {9})}))
    got.push_back(each);
  CHECK(got == expected);
}

TEST_CASE("variables: of a loop in a loop, and read outside as well", "[recurrent]") {
  Graph inner("columns");
  const Value x = inner.add_parameter({ScalarType::f32, {1, 1}});
  const Value zero = inner.add_constant(floats({1, 1}, {0}));
  const Value sum = inner.add("Add", {read(inner, "s", inner.add("Negative", {zero})), x});
  assign(inner, "s", sum);
  inner.add_result(sum);
  Graph outer("rows");
  const Value matrix_row = outer.add_parameter({ScalarType::f32, {1, 2}});
  outer.add_result(add_loop(outer, over_columns(), inner, {matrix_row})[0]);
  PortMap rows;
  rows.name = "rows";
  rows.inputs = {{.input = 0, .parameter = 0, .axis = 0}};
  rows.outputs = {{.output = 0, .result = 0, .axis = 0}};
  Graph graph;
  const Value matrix = graph.add_parameter({ScalarType::f32, {3, 2}});
  const Value sums = add_loop(graph, rows, outer, {matrix})[0];
  const Value before = read(graph, "s", graph.add_constant(floats({1, 1}, {-1})));
  graph.add_result(graph.add("Add", {sums, before}));
  Session session(graph);
  const Tensor m = floats({3, 2}, {1, 2, 3, 4, 5, 6});
  CHECK(session({m}) == std::vector<double>{0, 2, 5, 9, 14, 20});
  CHECK(session({m}) == std::vector<double>{43, 45, 48, 52, 57, 63});
}

TEST_CASE("variables: set on one side of a choice", "[recurrent]") {
  auto add = std::make_shared<Graph>("add"), keep = std::make_shared<Graph>("keep");
  const Value x = add->add_parameter({ScalarType::f32, {1}});
  const Value sum = add->add("Add", {read(*add, "s", add->add_constant(floats({1}, {10}))), x});
  assign(*add, "s", sum);
  add->add_result(sum);
  const Value y = keep->add_parameter({ScalarType::f32, {1}});
  keep->add_result(keep->add("Negative", {y}));
  Graph graph;
  const Value go = graph.add_parameter({ScalarType::boolean, {}}),
              v = graph.add_parameter({ScalarType::f32, {1}});
  graph.add_result(add_if(graph, "choice", {add, {1}, {0}}, {keep, {1}, {0}}, {go, v})[0]);
  Session session(graph);
  CHECK(session({truth(true), floats({1}, {1})}) == std::vector<double>{11});
  CHECK(session({truth(false), floats({1}, {5})}) == std::vector<double>{-5});
  CHECK(session({truth(true), floats({1}, {2})}) == std::vector<double>{13});
}

TEST_CASE("variables: read on both sides of a choice in other orders", "[recurrent]") {
  auto yes = std::make_shared<Graph>("yes"), no = std::make_shared<Graph>("no");
  const auto constant = [](Graph& graph, double value) {
    return graph.add_constant(floats({1}, {value}));
  };
  const Value a = read(*yes, "a", constant(*yes, 1)), b = read(*yes, "b", constant(*yes, 2));
  yes->add_result(yes->add("Subtract", {a, b}));
  assign(*yes, "b", a);
  const Value d = read(*no, "b", constant(*no, 2)), c = read(*no, "a", constant(*no, 1));
  no->add_result(no->add("Add", {d, c}));
  assign(*no, "a", no->add("Add", {d, d}));
  assign(*no, "b", d);
  Graph graph;
  const Value go = graph.add_parameter({ScalarType::boolean, {}});
  graph.add_result(add_if(graph, "choice", {yes, {}, {0}}, {no, {}, {0}}, {go})[0]);
  Session session(graph);                                    // a, b: 1, 2
  CHECK(session({truth(false)}) == std::vector<double>{3});  // 4, 2
  CHECK(session({truth(true)}) == std::vector<double>{2});   // 4, 4
  CHECK(session({truth(false)}) == std::vector<double>{8});  // 8, 4
  CHECK(session({truth(true)}) == std::vector<double>{4});
}

TEST_CASE("variables: refused", "[recurrent]") {
  const auto build = [](bool twice, bool sliced) {
    Graph body("body");
    const Value x = body.add_parameter({ScalarType::f32, {1, 1}}, "x");
    const Value one = body.add_constant(floats({1, 1}, {1}));
    const Value sum = body.add("Add", {read(body, "s", sliced ? body.add("Exp", {x}) : one), x});
    assign(body, "s", sum);
    if (twice) assign(body, "s", x);
    body.add_result(sum);
    Graph graph;
    const Value row = graph.add_parameter({ScalarType::f32, {1, 3}});
    graph.add_result(add_loop(graph, over_columns(), body, {row})[0]);
  };
  CHECK_NOTHROW(build(false, false));
  CHECK_ERROR(invalid_argument, ("Assign", "variable 's'", "twice"), build(true, false));
  CHECK_ERROR(invalid_argument, ("ReadValue", "first value of variable 's'", "parameter 0 'x'"),
              build(false, true));
  auto sets = std::make_shared<Graph>("sets"), other = std::make_shared<Graph>("other");
  const Value x = sets->add_parameter({ScalarType::f32, {1}});
  assign(*sets, "s", x);
  sets->add_result(x);
  other->add_result(other->add_parameter({ScalarType::f32, {1}}));
  Graph graph;
  const Value go = graph.add_parameter({ScalarType::boolean, {}}),
              v = graph.add_parameter({ScalarType::f32, {1}});
  CHECK_ERROR(invalid_argument, ("variable 's'", "one side of an If only"),
              add_if(graph, "choice", {sets, {1}, {0}}, {other, {1}, {0}}, {go, v}));
}
