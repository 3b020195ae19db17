// SPDX-License-Identifier: Apache-2.0
// Loops in loops, choices in loops, loops in choices.
#include <weft/recurrent/choice.hpp>

#include "recurrent/loops.hpp"
#include "support/errors.hpp"

namespace {

using namespace test;
using weft::recurrent::add_if;
using weft::recurrent::add_loop;
using weft::recurrent::Branch;

std::vector<Tensor> run(const Graph& graph, const std::vector<Tensor>& inputs) {
  const Executable program(graph, {.operators = &weft::recurrent::operators()});
  return program.run(std::vector<TensorView>(inputs.begin(), inputs.end()));
}

/// A TensorIterator that adds up the elements of [1, n]; gives [1, 1].
Value add_row_sum(Graph& graph, Value row) {
  Graph body("elements");
  const Value x = body.add_parameter({ScalarType::f32, {1, 1}}),
              s = body.add_parameter({ScalarType::f32, {1, 1}});
  body.add_result(body.add("Add", {s, x}));
  PortMap map;
  map.name = "elements";
  map.inputs = {{.input = 0, .parameter = 0, .axis = 1}, {.input = 1, .parameter = 1}};
  map.back_edges = {{.result = 0, .parameter = 1}};
  map.outputs = {{.output = 0, .result = 0}};
  return add_loop(graph, map, body, {row, graph.add_constant(floats({1, 1}, {0}))})[0];
}

/// A TensorIterator over the rows of [m, n] with that inside; gives [m, 1].
Value add_row_sums(Graph& graph, Value matrix, std::int64_t columns) {
  Graph body("rows");
  const Value row = body.add_parameter({ScalarType::f32, {1, columns}});
  body.add_result(add_row_sum(body, row));
  PortMap map;
  map.name = "rows";
  map.inputs = {{.input = 0, .parameter = 0, .axis = 0}};
  map.outputs = {{.output = 0, .result = 0, .axis = 0}};
  return add_loop(graph, map, body, {matrix})[0];
}

/// A Loop that adds the row sums of the matrix to a total of [m, 1] `count` times.
Value add_repeated(Graph& graph, Value count, Value matrix, std::int64_t rows,
                   std::int64_t columns) {
  Graph body("repeat");
  const Value m = body.add_parameter({ScalarType::f32, {rows, columns}}),
              total = body.add_parameter({ScalarType::f32, {rows, 1}});
  body.add_result(body.add("Add", {total, add_row_sums(body, m, columns)}));
  body.add_result(body.add_constant(truth(true)));
  PortMap map;
  map.kind = PortMap::Kind::loop;
  map.name = "repeat";
  map.condition = 1;
  map.inputs = {{.input = 2, .parameter = 0}, {.input = 3, .parameter = 1}};
  map.back_edges = {{.result = 0, .parameter = 1}};
  map.outputs = {{.output = 0, .result = 0}};
  const Value zero =
      graph.add_constant(floats({rows, 1}, std::vector<double>(static_cast<std::size_t>(rows), 0)));
  return add_loop(graph, map, body, {count, graph.add_constant(truth(true)), matrix, zero})[0];
}

}  // namespace

TEST_CASE("nesting: TensorIterator in TensorIterator in Loop in If", "[recurrent]") {
  auto yes = std::make_shared<Graph>("yes");
  const Value count = yes->add_parameter({ScalarType::i64, {}}),
              m = yes->add_parameter({ScalarType::f32, {2, 3}});
  yes->add_result(add_repeated(*yes, count, m, 2, 3));
  auto no = std::make_shared<Graph>("no");
  no->add_result(no->add_constant(floats({1, 1}, {-1})));
  Graph graph;
  const Value go = graph.add_parameter({ScalarType::boolean, {}}),
              n = graph.add_parameter({ScalarType::i64, {}});
  const Value matrix = graph.add_parameter({ScalarType::f32, {2, 3}});
  graph.add_result(add_if(graph, "choice", {yes, {1, 2}, {0}}, {no, {}, {0}}, {go, n, matrix})[0]);
  const Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(difference(run(graph, {truth(true), integers({}, {4}), x})[0], floats({2, 1}, {24, 60})) ==
        "");
  CHECK(difference(run(graph, {truth(true), integers({}, {0}), x})[0], floats({2, 1}, {0, 0})) ==
        "");
  CHECK(difference(run(graph, {truth(false), integers({}, {4}), x})[0], floats({1, 1}, {-1})) ==
        "");
}

TEST_CASE("nesting: what an inner loop computes of invariants is computed once", "[recurrent]") {
  Graph graph;
  const Value count = graph.add_parameter({ScalarType::i64, {}}),
              matrix = graph.add_parameter({ScalarType::f32, {2, 3}});
  graph.add_result(add_repeated(graph, count, matrix, 2, 3));
  const Executable program(graph, {.operators = &weft::recurrent::operators()});
  const Tensor n = integers({}, {5}), x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(difference(program.run(std::vector<TensorView>{n, x})[0], floats({2, 1}, {30, 75})) == "");
  const LoopReport report = weft::recurrent::loop_report(graph.nodes().back());
  REQUIRE(report.hoisted.size() == 1);
  CHECK(report.hoisted[0].find("rows") != std::string::npos);
  const auto& inner = graph.nodes().back().bodies[0]->nodes();
  for (const auto& node : inner) {
    if (node.op == "Loop") CHECK(weft::recurrent::loop_report(node).runs == 1);
  }
}

TEST_CASE("nesting: a choice in every trip", "[recurrent]") {
  // Even trips add, odd trips double.
  auto add = std::make_shared<Graph>(), twice = std::make_shared<Graph>();
  const Value a = add->add_parameter({ScalarType::f32, {2}});
  add->add_result(add->add("Add", {a, add->add_constant(floats({}, {1}))}));
  const Value b = twice->add_parameter({ScalarType::f32, {2}});
  twice->add_result(twice->add("Add", {b, b}));
  LoopSpec spec;
  spec.name = "choices";
  Graph body;
  const Value even = body.add_parameter({ScalarType::boolean, {}}),
              s = body.add_parameter({ScalarType::f32, {2}});
  body.add_result(add_if(body, "choice", {add, {1}, {0}}, {twice, {1}, {0}}, {even, s})[0]);
  spec.iterators = {{.input = 0, .parameter = 0}};
  spec.states = {{.input = 1, .parameter = 1, .result = 0}};
  spec.outputs = {{.kind = LoopOutputKind::stack, .result = 0}};
  const Tensor flags = tensor_of(ScalarType::boolean, {4}, {1, 0, 1, 0});
  const std::vector<Tensor> got = run_loop(spec, body, {flags, floats({2}, {0, 1})});
  CHECK(difference(got[0], floats({4, 2}, {1, 2, 2, 4, 3, 5, 6, 10})) == "");
}

TEST_CASE("nesting: a choice whose sides differ in shape makes the loop's shapes free",
          "[recurrent]") {
  // Trips with an even number add a row, the others keep what there is.
  auto grow = std::make_shared<Graph>(), keep = std::make_shared<Graph>();
  const Value a = grow->add_parameter({ScalarType::i64, {PartialShape::unknown}});
  grow->add_result(grow->add("Concat", {a, grow->add_constant(integers({1}, {7}))},
                             {{"axis", std::int64_t{0}}}));
  keep->add_result(keep->add_parameter({ScalarType::i64, {PartialShape::unknown}}));
  LoopSpec spec;
  spec.name = "growing";
  Graph body;
  const Value even = body.add_parameter({ScalarType::boolean, {}});
  const Value s = body.add_parameter({ScalarType::i64, {PartialShape::unknown}});
  body.add_result(add_if(body, "choice", {grow, {1}, {0}}, {keep, {1}, {0}}, {even, s})[0]);
  spec.iterators = {{.input = 0, .parameter = 0}};
  spec.states = {{.input = 1, .parameter = 1, .result = 0}};
  spec.outputs = {{.kind = LoopOutputKind::last_state, .state = 0},
                  {.kind = LoopOutputKind::join, .result = 0}};
  const Tensor flags = tensor_of(ScalarType::boolean, {4}, {1, 0, 1, 0});
  const std::vector<Tensor> got = run_loop(spec, body, {flags, integers({0}, {})});
  CHECK(difference(got[0], integers({2}, {7, 7})) == "");
  CHECK(difference(got[1], integers({6}, {7, 7, 7, 7, 7, 7})) == "");
}
