// SPDX-License-Identifier: Apache-2.0
// What a loop allocates and copies: nothing in a trip after the second, and no more after ten
// thousand runs.
#include "recurrent/loops.hpp"
#include "recurrent/sequences.hpp"
#include "support/allocation_counter.hpp"
#include "support/seed.hpp"

#include <cstring>
#include <fstream>

namespace {

using namespace test;
using Kind = LoopOutputKind;

/// The specification's second example in small: X sliced along axis 1, an LSTM cell, its hidden
/// state collected with the axis put back.
struct Lstm {
  static constexpr std::int64_t columns = 8, units = 4;
  Graph body;
  PortMap map;

  explicit Lstm(bool as_operations) {
    const Value x = body.add_parameter({ScalarType::f32, {1, 1, columns}});
    const Value h = body.add_parameter({ScalarType::f32, {1, units}}),
                c = body.add_parameter({ScalarType::f32, {1, units}});
    const auto weights = [&](const std::vector<std::int64_t>& shape) {
      return body.add_constant(Tensor::full(shape, ScalarType::f32, 0.1));
    };
    const Value w = weights({4 * units, columns}), r = weights({4 * units, units}),
                b = weights({4 * units});
    const Value row = reshape(body, x, {1, columns});
    Value h_out, c_out;
    if (as_operations) {
      const auto product = [&](Value a, Value m) {
        return body.add("MatMul", {a, m}, {{"transpose_b", true}});
      };
      const Value sums = body.add("Add", {body.add("Add", {product(row, w), product(h, r)}), b});
      weft::graph::Node split;
      split.op = "Split";
      split.noutputs = 4;
      split.attributes.set("num_splits", std::int64_t{4});
      split.inputs = {sums, body.add_constant(integers({}, {1}))};
      const int gates = body.add_node(split);
      const auto gate = [&](const char* op, int i) { return body.add(op, {Value{gates, i}}); };
      const Value kept = body.add("Multiply", {gate("Sigmoid", 0), c});
      c_out = body.add("Add", {kept, body.add("Multiply", {gate("Sigmoid", 1), gate("Tanh", 2)})});
      h_out = body.add("Multiply", {gate("Sigmoid", 3), body.add("Tanh", {c_out})});
    } else {
      weft::graph::Node cell;
      cell.op = "LSTMCell";
      cell.noutputs = 2;
      cell.attributes.set("hidden_size", units);
      cell.inputs = {row, h, c, w, r, b};
      const int made = body.add_node(cell);
      h_out = {made, 0};
      c_out = {made, 1};
    }
    body.add_result(c_out);
    body.add_result(h_out);
    body.add_result(reshape(body, h_out, {1, 1, units}));
    map.name = "lstm";
    map.inputs = {{.input = 0, .parameter = 0, .axis = 1},
                  {.input = 1, .parameter = 1},
                  {.input = 2, .parameter = 2}};
    map.back_edges = {{.result = 0, .parameter = 2}, {.result = 1, .parameter = 1}};
    map.outputs = {{.output = 0, .result = 2, .axis = 1}};
  }
  LoopProgram program() const {
    const ValueType state{ScalarType::f32, {1, units}};
    return {map, body, {{ScalarType::f32, {1, PartialShape::unknown, columns}}, state, state}};
  }
  static std::vector<Tensor> inputs(std::int64_t trips) {
    const Tensor state = Tensor::full({1, units}, ScalarType::f32, 0.25);
    return {Tensor::full({1, trips, columns}, ScalarType::f32, 0.5), state, state};
  }
};

long allocations_of_a_run(weft::graph::Frame& frame, const std::vector<Tensor>& inputs) {
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  frame.plan(views);
  frame.run();
  frame.run();
  return allocations([&] { frame.run(); });
}

}  // namespace

TEST_CASE("memory: no trip after the second copies or allocates", "[recurrent]") {
  for (const bool as_operations : {false, true}) {
    const Lstm lstm(as_operations);
    const LoopProgram program = lstm.program();
    weft::graph::Frame frame{program.executable()};
    const long few = allocations_of_a_run(frame, Lstm::inputs(3));
    CHECK(program.report().bytes_copied_late == 0);
    const long many = allocations_of_a_run(frame, Lstm::inputs(300));
    CHECK(many == few);
    const LoopReport report = program.report();
    CHECK(report.trips == 300);
    CHECK(report.bytes_copied_late == 0);
    CHECK(report.bytes_copied == 0);
    CHECK(report.written_in_place == 1);
    CHECK(report.viewed_slices == 1);
    CHECK(report.staged_slices == 0);
    CHECK(report.fixed_shapes);
    CHECK(report.blocked.size() == (as_operations ? 2 : 2));  // the reshape and the product
  }
}

TEST_CASE("memory: weights from outside are constants inside", "[recurrent]") {
  // A product of the state with a matrix that the graph around has: packed once, not in every trip.
  LoopSpec spec;
  spec.name = "outer weights";
  Graph body;
  const Value s = body.add_parameter({ScalarType::f32, {1, 4}}),
              w = body.add_parameter({ScalarType::f32, {4, 4}}, "w");
  body.add_result(body.add("MatMul", {s, w}));
  spec.most_trips = 3;
  spec.states = {{.input = 0, .parameter = 0, .result = 0}};
  spec.invariants = {{.input = 1, .parameter = 1}};
  spec.outputs = {{.kind = Kind::last_state, .state = 0}};
  Graph graph;
  const Value start = graph.add_parameter({ScalarType::f32, {1, 4}});
  const Value matrix = graph.add_constant(Tensor::full({4, 4}, ScalarType::f32, 0.5));
  graph.add_result(weft::recurrent::add_loop(graph, spec, body, {start, matrix})[0]);
  int constants = 0;
  for (const auto& node : graph.nodes().back().bodies[0]->nodes())
    constants += node.kind == weft::graph::NodeKind::constant ? 1 : 0;
  CHECK(constants == 1);
  const Executable program(graph, {.operators = &weft::recurrent::operators()});
  const Tensor ones = Tensor::full({1, 4}, ScalarType::f32, 1);
  CHECK(doubles(program.run(std::vector<TensorView>{ones})[0]) == std::vector<double>(4, 8));
}

TEST_CASE("memory: weights that come with the inputs are packed once in a run", "[recurrent]") {
  constexpr std::int64_t n = 40;  // more than a panel
  for (const bool is_cell : {false, true}) {
    INFO(is_cell);
    LoopSpec spec;
    spec.name = "weights";
    Graph body;
    const Value x = body.add_parameter({ScalarType::f32, {1, n}}),
                s = body.add_parameter({ScalarType::f32, {1, n}}),
                w = body.add_parameter({ScalarType::f32, {n, n}}, "w"),
                r = body.add_parameter({ScalarType::f32, {n, n}}, "r");
    if (is_cell) {
      body.add_result(body.add("RNNCell", {x, s, w, r}, {{"hidden_size", n}}));
    } else {
      const Value product = body.add("MatMul", {s, r}, {{"transpose_b", true}});
      const Value more = body.add("FullyConnected", {s, w});
      body.add_result(body.add("Tanh", {body.add("Add", {x, body.add("Add", {product, more})})}));
    }
    spec.iterators = {{.input = 0, .parameter = 0}};
    spec.states = {{.input = 1, .parameter = 1, .result = 0}};
    spec.invariants = {{.input = 2, .parameter = 2}, {.input = 3, .parameter = 3}};
    spec.outputs = {{.kind = Kind::last_state, .state = 0}};
    const ValueType matrix{ScalarType::f32, {n, n}};
    const LoopProgram program(spec, body,
                              {{ScalarType::f32, {PartialShape::unknown, 1, n}},
                               {ScalarType::f32, {1, n}},
                               matrix,
                               matrix});
    weft::graph::Frame frame{program.executable()};
    const auto filled = [](const std::vector<std::int64_t>& shape, float step) {
      Tensor t = Tensor::empty(shape, ScalarType::f32);
      for (std::int64_t i = 0; i < t.numel(); ++i)
        t.data_as<float>()[i] = step * static_cast<float>(i % 17 - 8);
      return t;
    };
    const auto inputs = [&](std::int64_t trips) {
      return std::vector<Tensor>{filled({trips, 1, n}, 0.1F), filled({1, n}, 0.05F),
                                 filled({n, n}, 0.02F), filled({n, n}, 0.01F)};
    };
    const long few = allocations_of_a_run(frame, inputs(4));
    const std::vector<Tensor> given = inputs(40);
    CHECK(allocations_of_a_run(frame, given) == few);
    // Other weights at the same place count from the next run on.
    const std::vector<double> before = doubles(frame.result(0));
    for (std::int64_t i = 0; i < n * n; ++i)
      given[3].data_as<float>()[i] *= -0.5F;
    frame.run();
    const std::vector<TensorView> views(given.begin(), given.end());
    CHECK(doubles(frame.result(0)) == doubles(program.executable().run(views)[0]));
    CHECK(doubles(frame.result(0)) != before);
  }
}

TEST_CASE("memory: outputs of unknown length grow by doubling", "[recurrent]") {
  LoopSpec spec;
  spec.name = "until";
  Graph body;
  const Value s = body.add_parameter({ScalarType::i64, {4}}),
              most = body.add_parameter({ScalarType::i64, {}});
  const Value i = body.add_parameter({ScalarType::i64, {}});
  body.add_result(body.add("Add", {s, body.add_constant(integers({}, {1}))}));
  body.add_result(body.add("Less", {i, most}));
  spec.states = {{.input = 0, .parameter = 0, .result = 0}};
  spec.invariants = {{.input = 1, .parameter = 1}};
  spec.indexes = {2};
  spec.next_condition = 1;
  spec.outputs = {{.kind = Kind::stack, .result = 0}};
  const LoopProgram program(spec, body, {{ScalarType::i64, {4}}, {ScalarType::i64, {}}});
  weft::graph::Frame frame{program.executable()};
  const Tensor start = integers({4}, {0, 0, 0, 0});
  const auto run = [&](double trips) {
    const Tensor limit = integers({}, {trips - 1});
    const std::vector<TensorView> views = {start, limit};
    frame.plan(views);
    const long count = allocations([&] { frame.run(); });
    CHECK(doubles(frame.result(0)).back() == trips);
    return count;
  };
  run(1000);
  const long again = run(1000);
  CHECK(run(17) <= again + 8);    // buffers are kept
  CHECK(run(3000) < again + 40);  // and as many more as it takes to double
  CHECK(program.report().bytes_held < 3 * 3000 * 32);
}

TEST_CASE("memory: flat over many runs of random lengths", "[recurrent]") {
  const Lstm lstm(false);
  const LoopProgram program = lstm.program();
  weft::graph::Frame frame{program.executable()};
  WEFT_RANDOM(random);
  const auto resident_pages = [] {
    long all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident;
  };
  const Tensor x = Tensor::full({1, 512, Lstm::columns}, ScalarType::f32, 0.5);
  const std::vector<Tensor> states = Lstm::inputs(1);
  const auto run = [&](std::int64_t trips) {
    const TensorView part = x.slice(1, 0, trips);
    frame.plan(std::vector<TensorView>{part, states[1], states[2]});
    frame.run();
  };
  run(512);
  for (int i = 0; i < 200; ++i)
    run(random.integer(1, 512));
  const long before = resident_pages();
  for (int i = 0; i < 10'000; ++i)
    run(random.integer(1, 512));
  CHECK(resident_pages() <= before + before / 10 + 64);
}

TEST_CASE("memory: another length neither plans nor allocates", "[recurrent]") {
  // Two loops one after the other, the second backwards along another axis of what the first
  // collects.
  constexpr std::int64_t width = 5;
  const auto loop = [](Graph& graph, Value x, std::int64_t axis, bool backwards) {
    Graph body("sum");
    const Value part = body.add_parameter({ScalarType::f32, {width}}),
                s = body.add_parameter({ScalarType::f32, {width}});
    body.add_result(body.add("Add", {s, part}));
    LoopSpec spec;
    spec.name = "sum";
    spec.iterators = {{.input = 0, .parameter = 0, .axis = 0}};
    if (backwards) spec.iterators[0].range = {-1, 0, -1};
    spec.states = {{.input = 1, .parameter = 1, .result = 0}};
    spec.outputs = {{.kind = Kind::stack, .result = 0, .axis = axis},
                    {.kind = Kind::last_state, .state = 0}};
    const Value start = graph.add_constant(Tensor::zeros({width}, ScalarType::f32));
    return weft::recurrent::add_loop(graph, spec, body, {x, start});
  };
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {PartialShape::unknown, width}});
  const std::vector<Value> first = loop(graph, x, 0, false);
  const std::vector<Value> second = loop(graph, first[0], -1, true);
  for (const Value value : {first[0], first[1], second[0], second[1]})
    graph.add_result(value);
  const Executable program(graph, {.operators = &weft::recurrent::operators()});
  weft::graph::Frame frame(program);
  WEFT_RANDOM(random);
  std::vector<double> values;
  for (std::int64_t i = 0; i < 300 * width; ++i)
    values.push_back(static_cast<double>(random.integer(-100, 100)) / 64);
  const Tensor all = floats({300, width}, values);
  std::vector<TensorView> inputs(1);
  const auto run = [&](std::int64_t length) {
    inputs[0] = all.slice(0, 300 - length, 300);
    return allocations([&] {
      frame.plan(inputs);
      frame.run();
    });
  };
  run(300);
  run(299);
  const std::int64_t plans = frame.counters().plans;
  for (int i = 0; i < 50; ++i) {
    CHECK(run(random.integer(1, 300)) == 0);
    const std::vector<Tensor> fresh = program.run(inputs);
    for (std::size_t o = 0; o < fresh.size(); ++o)
      CHECK(same_bits(frame.result(static_cast<int>(o)), fresh[o]));
    const auto notes = frame.explain().notes;
    CHECK(notes.front().bytes == fresh[0].nbytes() + fresh[1].nbytes());
  }
  CHECK(frame.counters().plans == plans);
  run(0);
  CHECK(frame.result(2).numel() == 0);
  run(7);
  const std::vector<Tensor> fresh = program.run(inputs);
  CHECK(same_bits(frame.result(2), fresh[2]));
}

TEST_CASE("allocation failures: a loop that could not be planned or run can be", "[recurrent]") {
  for (const bool as_operations : {false, true}) {
    const Lstm lstm(as_operations);
    const LoopProgram program = lstm.program();
    weft::graph::Frame frame{program.executable()};
    const auto run = [&](const std::vector<Tensor>& inputs) {
      const std::vector<TensorView> views(inputs.begin(), inputs.end());
      frame.plan(views);
      frame.run();
      return Tensor::copy_of(frame.result(0));
    };
    // The same numbers lying in two ways, so that slices have other strides.
    std::vector<Tensor> dense = Lstm::inputs(5);
    std::vector<Tensor> strided = dense;
    const Tensor wide = Tensor::full({1, 10, Lstm::columns}, ScalarType::f32, 0.5);
    strided[0] = Tensor::share(wide.owner(), wide.slice(1, 0, 10, 2));
    const Tensor wanted = run(dense);
    const auto right = [&](const Tensor& got) {
      CHECK(std::memcmp(got.data(), wanted.data(), static_cast<std::size_t>(wanted.nbytes())) == 0);
    };
    long round = 0;
    const long failures = fail_each_allocation([&] { run(++round % 2 != 0 ? strided : dense); },
                                               [&] {
                                                 right(run(round % 2 != 0 ? dense : strided));
                                                 right(run(round % 2 != 0 ? strided : dense));
                                               });
    CHECK(failures > 10);
  }
}

TEST_CASE("memory: a sequence of another length neither plans nor allocates", "[recurrent]") {
  WEFT_RANDOM(random);
  constexpr std::int64_t batch = 3, most = 60, columns = 5, units = 4;
  const auto numbers = [&](const Dims& shape) {
    return small_numbers(random, ScalarType::f32, shape).first;
  };
  for (const bool both : {false, true}) {
    const std::int64_t directions = both ? 2 : 1;
    const Sequence sequence{
        "LSTMSequence",
        {{"direction", std::string(both ? "bidirectional" : "reverse")}},
        {numbers({batch, most, columns}), numbers({batch, directions, units}),
         numbers({batch, directions, units}), integers({batch}, {0, 0, 0}),
         numbers({directions, 4 * units, columns}), numbers({directions, 4 * units, units}),
         numbers({directions, 4 * units})}};
    const SequenceProgram whole(sequence, {}, true);
    const Executable program = whole.compile();
    weft::graph::Frame frame(program);
    std::vector<TensorView> inputs = whole.given;
    const Tensor lengths = integers({batch}, {0, 0, 0});
    inputs[3] = lengths;
    const auto run = [&](std::int64_t steps, bool ragged) {
      inputs[0] = sequence.inputs[0].slice(1, 0, steps);
      for (std::int64_t row = 0; row < batch; ++row)
        lengths.data_as<std::int64_t>()[row] = ragged ? random.integer(0, steps - 1) : steps;
      return allocations([&] {
        frame.plan(inputs);
        frame.run();
      });
    };
    for (const bool ragged : {false, true, false, true}) {
      run(most, ragged);
      run(most - 1, ragged);
    }
    const std::int64_t plans = frame.counters().plans;
    for (int i = 0; i < 50; ++i) {
      const std::int64_t steps = random.integer(1, most);
      const bool ragged = random.chance(50);
      CAPTURE(both, steps, ragged);
      CHECK(run(steps, ragged) == 0);
      const std::vector<Tensor> fresh = program.run(inputs);
      for (std::size_t o = 0; o < fresh.size(); ++o)
        CHECK(same_bits(frame.result(static_cast<int>(o)), fresh[o]));
    }
    CHECK(frame.counters().plans == plans);
  }
}

TEST_CASE("allocation failures: a sequence that could not be planned or run can be",
          "[recurrent]") {
  WEFT_RANDOM(random);
  constexpr std::int64_t batch = 2, most = 6, columns = 3, units = 4;
  const auto numbers = [&](const Dims& shape) {
    return small_numbers(random, ScalarType::f32, shape).first;
  };
  const Sequence sequence{
      "GRUSequence",
      {{"direction", std::string("bidirectional")}},
      {numbers({batch, most, 2 * columns}), numbers({batch, 2, units}), integers({batch}, {0, 0}),
       numbers({2, 3 * units, columns}), numbers({2, 3 * units, units}), numbers({2, 3 * units})}};
  const SequenceProgram whole(sequence, {}, true);
  const Executable program = whole.compile();
  weft::graph::Frame frame(program);
  // The inputs of a step next to each other, or with gaps between them: planned in other ways.
  const auto run = [&](bool dense, std::int64_t steps, double first) {
    const Tensor lengths = integers({batch}, {first, static_cast<double>(steps)});
    const TensorView& x = sequence.inputs[0];
    std::vector<TensorView> inputs = whole.given;
    inputs[0] = (dense ? x.slice(2, 0, columns) : x.slice(2, 0, 2 * columns, 2)).slice(1, 0, steps);
    inputs[2] = lengths;
    frame.plan(inputs);
    frame.run();
    return Tensor::copy_of(frame.result(0));
  };
  const Tensor dense = run(true, most, 2), strided = run(false, 4, 4);
  long round = 0;
  const long failures =
      fail_each_allocation([&] { ++round % 2 != 0 ? run(true, most, 2) : run(false, 4, 4); },
                           [&] {
                             if (round % 2 != 0) CHECK(same_bits(run(false, 4, 4), strided));
                             CHECK(same_bits(run(true, most, 2), dense));
                             if (round % 2 == 0) CHECK(same_bits(run(false, 4, 4), strided));
                           });
  CHECK(failures > 4);
}
