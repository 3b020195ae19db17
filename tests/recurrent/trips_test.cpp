// SPDX-License-Identifier: Apache-2.0
// How many trips a loop has: none in every way, very many, and what moves between them.
#include "recurrent/loops.hpp"
#include "recurrent/naive_loop.hpp"
#include "support/errors.hpp"

#include <limits>

namespace {

using namespace test;
using Kind = LoopOutputKind;

Value constant(Graph& graph, const Tensor& value) { return graph.add_constant(value); }

/// s' = s + x over the rows of x; collects s'. Inputs: x, s, and what the test adds.
struct Summing {
  LoopSpec spec;
  Graph body;
  std::vector<Tensor> inputs;
  Value s;

  explicit Summing(std::int64_t rows) {
    spec.name = "summing";
    const Value x = body.add_parameter({ScalarType::f32, {2}}, "x");
    s = body.add_parameter({ScalarType::f32, {2}}, "s");
    body.add_result(body.add("Add", {s, x}));
    spec.iterators = {{.input = 0, .parameter = 0}};
    spec.states = {{.input = 1, .parameter = 1, .result = 0}};
    spec.outputs = {{.kind = Kind::last_state, .state = 0},
                    {.kind = Kind::stack, .result = 0},
                    {.kind = Kind::join, .result = 0, .axis = 0, .backwards = true},
                    {.kind = Kind::trips}};
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < 2 * rows; ++i)
      numbers.push_back(static_cast<double>(i));
    inputs = {floats({rows, 2}, numbers), floats({2}, {10, 20})};
  }
  int add_input(const Tensor& tensor) {
    inputs.push_back(tensor);
    return static_cast<int>(inputs.size()) - 1;
  }
  Value index() {
    spec.indexes.push_back(static_cast<int>(body.parameters().size()));
    return body.add_parameter({ScalarType::i64, {}}, "i");
  }
  /// Result that says i < limit.
  int below(double limit) {
    return body.add_result(body.add("Less", {index(), constant(body, integers({}, {limit}))}));
  }
  void check_empty() const {
    const std::vector<Tensor> got = run_loop(spec, body, inputs);
    CHECK(difference(got[0], inputs[1]) == "");
    CHECK(difference(got[1], floats({0, 2}, {})) == "");
    CHECK(difference(got[2], floats({0}, {})) == "");
    CHECK(doubles(got[3]) == std::vector<double>{0});
  }
};

}  // namespace

TEST_CASE("no trips: the count is 0, known or not", "[recurrent]") {
  Summing known(3);
  known.spec.most_trips = 0;
  known.check_empty();
  Summing given(3);
  given.spec.count = given.add_input(integers({}, {0}));
  given.check_empty();
  Summing below_zero(3);
  below_zero.spec.count = below_zero.add_input(integers({1}, {-1}));
  below_zero.spec.negative_count_is_endless = false;
  below_zero.check_empty();
}

TEST_CASE("no trips: the condition is false at first", "[recurrent]") {
  Summing summing(3);
  summing.spec.first_condition = summing.add_input(truth(false));
  summing.spec.next_condition = summing.below(5);
  summing.check_empty();
}

TEST_CASE("no trips: the sliced axis is empty", "[recurrent]") {
  const Summing summing(0);
  summing.check_empty();
}

TEST_CASE("no trips: the head is false at once", "[recurrent]") {
  Summing summing(3);
  summing.spec.head = summing.below(0);
  summing.check_empty();
}

TEST_CASE("no trips: all at once", "[recurrent]") {
  Summing summing(0);
  summing.spec.count = summing.add_input(integers({}, {0}));
  summing.spec.first_condition = summing.add_input(truth(false));
  summing.spec.next_condition = summing.spec.head = summing.below(0);
  summing.check_empty();
}

TEST_CASE("no trips: a last value is an error, a state of unknown extents is not", "[recurrent]") {
  Summing summing(0);
  summing.spec.outputs = {{.kind = Kind::last_value, .result = 0}};
  CHECK_ERROR(invalid_argument, ("Loop 'summing'", "output 0", "last trip"),
              run_loop(summing.spec, summing.body, summing.inputs));
  // It grows by a row a trip.
  LoopSpec spec;
  spec.name = "growing";
  Graph body;
  const Value s = body.add_parameter({ScalarType::f32, {1, 2}}, "s");
  body.add_result(
      body.add("Concat", {s, constant(body, floats({1, 2}, {1, 2}))}, {{"axis", std::int64_t{0}}}));
  spec.count = 1;
  spec.states = {{.input = 0, .parameter = 0, .result = 0}};
  spec.outputs = {{.kind = Kind::last_state, .state = 0},
                  {.kind = Kind::join, .result = 0, .axis = 0}};
  for (const int trips : {0, 1, 3}) {
    const std::vector<Tensor> got =
        run_loop(spec, body, {floats({1, 2}, {5, 6}), integers({}, {double(trips)})});
    CHECK(got[0].extent(0) == 1 + trips);
    CHECK(got[1].extent(0) == (trips == 0 ? 0 : trips == 1 ? 2 : 2 + 3 + 4));
    CHECK(got[1].extent(1) == 2);
  }
}

TEST_CASE("counts beyond 32 bits, and every negative one", "[recurrent]") {
  constexpr double over = 4294967296.0 * 2;  // 2^33
  for (const double count :
       {over, 9223372036854775807.0, -1.0, -2147483649.0, -9223372036854775808.0}) {
    Summing summing(9);
    summing.spec.iterators[0].limits_trips = false;
    summing.spec.count = summing.add_input(integers({}, {count}));
    summing.spec.next_condition = summing.below(4);
    const std::vector<Tensor> got = run_loop(summing.spec, summing.body, summing.inputs);
    CHECK(doubles(got[3]) == std::vector<double>{5});
    CHECK(got[1].extent(0) == 5);
  }
  Summing endless(9);
  endless.spec.iterators[0].limits_trips = false;
  endless.spec.count = endless.add_input(integers({}, {over}));
  CHECK_ERROR(bounds, ("iterator 0", "9 slices", "trip 9"),
              run_loop(endless.spec, endless.body, endless.inputs));
  Summing forever(9);
  forever.spec.iterators.clear();
  forever.spec.invariants = {{.input = 0, .parameter = 0}};
  forever.inputs[0] = floats({2}, {1, 1});
  forever.spec.count = forever.add_input(integers({}, {-1}));
  CHECK_ERROR(invalid_argument, ("Loop 'summing'", "nothing ends it"),
              run_loop(forever.spec, forever.body, forever.inputs));
}

TEST_CASE("a slice that is not there is an error at its trip, and not before", "[recurrent]") {
  for (const double limit : {2.0, 3.0}) {
    Summing summing(3);
    summing.spec.iterators[0].limits_trips = false;
    summing.spec.count = summing.add_input(integers({}, {-1}));
    summing.spec.next_condition = summing.below(limit);  // one trip more than that
    if (limit == 2.0) {
      CHECK(doubles(run_loop(summing.spec, summing.body, summing.inputs)[3])[0] == 3);
    } else {
      CHECK_ERROR(bounds, ("iterator 0 (parameter 0 'x')", "3 slices", "trip 3"),
                  run_loop(summing.spec, summing.body, summing.inputs));
    }
  }
}

TEST_CASE("every permutation of four states, for every number of trips", "[recurrent]") {
  std::vector<int> order = {0, 1, 2, 3};
  do {
    for (int trips = 0; trips <= 5; ++trips) {
      LoopSpec spec;
      spec.name = "permutation";
      spec.most_trips = trips;
      Graph body;
      std::vector<Value> parameters;
      std::vector<Tensor> inputs;
      std::vector<double> expected;
      for (int j = 0; j < 4; ++j) {
        parameters.push_back(body.add_parameter({ScalarType::f64, {}}));
        inputs.push_back(tensor_of(ScalarType::f64, {}, {double(j)}));
        expected.push_back(j);
        spec.states.push_back({.input = j, .parameter = j, .result = j});
        spec.outputs.push_back({.kind = Kind::last_state, .state = j});
        spec.outputs.push_back({.kind = Kind::stack, .result = j});
      }
      for (const int from : order)
        body.add_result(parameters[static_cast<std::size_t>(from)]);
      for (int i = 0; i < trips; ++i) {
        std::vector<double> next;
        for (const int from : order)
          next.push_back(expected[static_cast<std::size_t>(from)]);
        expected = next;
      }
      const std::vector<Tensor> got = run_loop(spec, body, inputs);
      for (std::size_t j = 0; j < 4; ++j)
        REQUIRE(doubles(got[2 * j])[0] == expected[j]);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("a value is handed down a row of states", "[recurrent]") {
  // s0' = s0 + 1, s1' = s0, s2' = s1, s3' = s2: each lives three trips longer than it is computed.
  LoopSpec spec;
  spec.name = "delay";
  spec.most_trips = 9;
  Graph body;
  std::vector<Value> parameters;
  for (int j = 0; j < 4; ++j) {
    parameters.push_back(body.add_parameter({ScalarType::f32, {2}}));
    spec.states.push_back({.input = j, .parameter = j, .result = j});
    spec.outputs.push_back({.kind = Kind::last_state, .state = j});
  }
  body.add_result(body.add("Add", {parameters[0], constant(body, floats({}, {1}))}));
  for (std::size_t j = 0; j < 3; ++j)
    body.add_result(parameters[j]);
  const Tensor zero = floats({2}, {0, 0});
  const std::vector<Tensor> got = run_loop(spec, body, {zero, zero, zero, zero});
  for (std::size_t j = 0; j < 4; ++j)
    CHECK(doubles(got[j])[1] == 9.0 - static_cast<double>(j));
}

TEST_CASE("a parameter that is sliced and fed back sees slice 0 first", "[recurrent]") {
  // As the specification says: the back edge replaces the port map from the second iteration on.
  PortMap map;
  map.name = "both";
  map.inputs = {{.input = 0, .parameter = 0, .axis = 0}};
  map.back_edges = {{.result = 0, .parameter = 0}};
  map.outputs = {{.output = 0, .result = 0, .axis = 0}};
  Graph body;
  const Value x = body.add_parameter({ScalarType::f32, {1, 2}}, "x");
  body.add_result(body.add("Add", {x, x}));
  const std::vector<Tensor> got = run_loop(map, body, {floats({3, 2}, {1, 2, 30, 40, 50, 60})});
  CHECK(difference(got[0], floats({3, 2}, {2, 4, 4, 8, 8, 16})) == "");
}

TEST_CASE("one input for several parameters, one result for several outputs", "[recurrent]") {
  PortMap map;
  map.inputs = {{.input = 0, .parameter = 0, .axis = 0},
                {.input = 0, .parameter = 1, .axis = 0, .range = {-1, 0, -1}},
                {.input = 0, .parameter = 2}};
  map.outputs = {{.output = 1, .result = 0, .axis = -1, .range = {.stride = -1}},
                 {.output = 0, .result = 0, .axis = 0},
                 {.output = 2, .result = 0}};
  Graph body;
  const Value a = body.add_parameter({ScalarType::f32, {1}}),
              b = body.add_parameter({ScalarType::f32, {1}});
  const Value all = body.add_parameter({ScalarType::f32, {3}});
  const Value first = body.add(
      "Gather", {all, constant(body, integers({1}, {0})), constant(body, integers({}, {0}))});
  body.add_result(body.add("Add", {body.add("Subtract", {a, b}), first}));
  const std::vector<Tensor> got = run_loop(map, body, {floats({3}, {1, 2, 5})});
  CHECK(difference(got[0], floats({3}, {-3, 1, 5})) == "");
  CHECK(difference(got[1], floats({3}, {5, 1, -3})) == "");
  CHECK(difference(got[2], floats({1}, {5})) == "");
}

TEST_CASE("an iterator's elements, an invariant and the index go straight to outputs",
          "[recurrent]") {
  LoopSpec spec;
  spec.name = "through";
  Graph body;
  body.add_result(body.add_parameter({ScalarType::i64, {2}}, "x"));
  body.add_result(body.add_parameter({ScalarType::i64, {2}}, "c"));
  body.add_result(body.add_parameter({ScalarType::i64, {}}, "i"));
  spec.iterators = {{.input = 0, .parameter = 0, .axis = 1}};
  spec.invariants = {{.input = 1, .parameter = 1}};
  spec.indexes = {2};
  for (int r = 0; r < 3; ++r) {
    spec.outputs.push_back({.kind = Kind::stack, .result = r, .axis = 0, .backwards = true});
    spec.outputs.push_back({.kind = Kind::last_value, .result = r});
  }
  const std::vector<Tensor> got =
      run_loop(spec, body, {integers({2, 3}, {1, 2, 3, 4, 5, 6}), integers({2}, {8, 9})});
  CHECK(difference(got[0], integers({3, 2}, {3, 6, 2, 5, 1, 4})) == "");
  CHECK(difference(got[1], integers({2}, {3, 6})) == "");
  CHECK(difference(got[2], integers({3, 2}, {8, 9, 8, 9, 8, 9})) == "");
  CHECK(difference(got[3], integers({2}, {8, 9})) == "");
  CHECK(difference(got[4], integers({3}, {2, 1, 0})) == "");
  CHECK(difference(got[5], integers({}, {2})) == "");
}

TEST_CASE("the reason why a loop ended is reported", "[recurrent]") {
  const auto end_of = [](const Summing& summing) {
    std::vector<ValueType> types;
    for (const Tensor& input : summing.inputs)
      types.push_back(type_of(input));
    const LoopProgram program(summing.spec, summing.body, types);
    CHECK(program.report().end == LoopEnd::not_run);
    program.run(summing.inputs);
    program.run(summing.inputs);
    CHECK(program.report().runs == 2);
    CHECK(program.report().to_text().find("loop 'summing'") == 0);
    return program.report().end;
  };
  Summing slices(3);
  CHECK(end_of(slices) == LoopEnd::slices);
  slices.spec.most_trips = 2;
  CHECK(end_of(slices) == LoopEnd::count);
  Summing condition(3);
  condition.spec.next_condition = condition.below(1);
  CHECK(end_of(condition) == LoopEnd::condition);
  Summing head(3);
  head.spec.head = head.below(1);
  CHECK(end_of(head) == LoopEnd::head);
  Summing rows(3);
  rows.spec.rows =
      weft::recurrent::LoopRows{.lengths = rows.add_input(integers({2}, {1, 2})), .axis = 0};
  rows.spec.outputs.resize(2);
  CHECK(end_of(rows) == LoopEnd::rows);
}

TEST_CASE("columns: slices and results whose numbers lie on lines of their own", "[recurrent]") {
  // Blocks of trips are transposed on the way; these lengths leave parts of blocks of every width.
  struct Case {
    ScalarType type;
    std::vector<std::int64_t> element;
    std::int64_t axis, trips;
  };
  const Case cases[] = {
      {ScalarType::i8, {3}, 1, 300},        {ScalarType::i8, {70}, 1, 37},
      {ScalarType::f16, {33}, 1, 95},       {ScalarType::f32, {2}, 1, 257},
      {ScalarType::f32, {256}, 1, 131},     {ScalarType::f32, {5, 40}, 2, 97},
      {ScalarType::f32, {4, 7}, 1, 40},     {ScalarType::f32, {3000}, 1, 21},
      {ScalarType::f32, {100, 101}, 2, 19}, {ScalarType::f64, {129}, 1, 66},
      {ScalarType::c64, {64}, 1, 45},       {ScalarType::c128, {31}, 1, 33},
  };
  for (const Case& c : cases) {
    for (const bool backwards : {false, true}) {
      CAPTURE(name(c.type), c.element, c.axis, c.trips, backwards);
      Graph body("sums");
      const Value x = body.add_parameter({c.type, PartialShape(c.element)}, "x");
      const Value s = body.add_parameter({c.type, PartialShape(c.element)}, "s");
      body.add_result(body.add("Add", {s, x}));
      LoopSpec spec;
      spec.name = "sums";
      spec.iterators = {{.input = 0, .parameter = 0, .axis = c.axis}};
      if (backwards) spec.iterators[0].range = {-1, 0, -1};
      spec.states = {{.input = 1, .parameter = 1, .result = 0}};
      spec.outputs = {{.kind = Kind::stack, .result = 0, .axis = c.axis, .backwards = backwards},
                      {.kind = Kind::stack, .result = 0, .axis = c.axis, .backwards = !backwards}};
      std::vector<std::int64_t> shape = c.element;
      shape.insert(shape.begin() + c.axis, c.trips);
      std::int64_t behind = 1, before = 1;  // elements of a trip after, and before, the axis
      for (std::size_t a = 0; a < c.element.size(); ++a)
        (static_cast<std::int64_t>(a) < c.axis ? before : behind) *= c.element[a];
      std::vector<double> given(static_cast<std::size_t>(before * c.trips * behind));
      for (std::size_t i = 0; i < given.size(); ++i)
        given[i] = static_cast<double>(i * 7 % 11 % 3) - 1;
      std::vector<double> sums = given, turned = given;
      for (std::int64_t row = 0; row < before; ++row) {
        for (std::int64_t column = 0; column < behind; ++column) {
          const auto at = [&](std::int64_t trip, bool from_end) {
            const std::int64_t t = from_end ? c.trips - 1 - trip : trip;
            return static_cast<std::size_t>((row * c.trips + t) * behind + column);
          };
          double sum = 0;
          for (std::int64_t trip = 0; trip < c.trips; ++trip) {
            sum += given[at(trip, backwards)];
            sums[at(trip, backwards)] = turned[at(trip, !backwards)] = sum;
          }
        }
      }
      const std::vector<Tensor> got =
          run_loop(spec, body, {tensor_of(c.type, shape, given), Tensor::zeros(c.element, c.type)});
      CHECK(same_bits(got[0], tensor_of(c.type, shape, sums)));
      CHECK(same_bits(got[1], tensor_of(c.type, shape, turned)));
    }
  }
}

TEST_CASE("trips: backwards from the count, whatever else ends them", "[recurrent]") {
  Graph body;
  body.add_result(body.add_parameter({ScalarType::f32, {}}, "last"));
  body.add_parameter({ScalarType::f32, {}}, "first");
  LoopSpec spec;
  spec.name = "backwards";
  spec.count = 2;
  spec.iterators = {{.input = 0, .parameter = 0, .from_count = true}, {.input = 1, .parameter = 1}};
  spec.outputs = {{.kind = Kind::stack, .result = 0}};
  const Tensor eight = floats({8}, {0, 1, 2, 3, 4, 5, 6, 7}), three = floats({3}, {0, 0, 0});
  const auto run = [&](std::int64_t count) {
    return run_loop(spec, body, {eight, three, integers({}, {static_cast<double>(count)})})[0];
  };
  CHECK(difference(run(5), floats({3}, {4, 3, 2})) == "");
  CHECK(difference(run(2), floats({2}, {1, 0})) == "");
  CHECK(difference(run(8), floats({3}, {7, 6, 5})) == "");
  CHECK(difference(run(0), floats({0}, {})) == "");
  CHECK_ERROR(bounds, ("iterator 0", "8 slices", "count of 9"), run(9));
  CHECK_ERROR(bounds, ("iterator 0", "8 slices", "no count"), run(-1));
  // With the axis kept, what its range says does not count.
  Graph pair;
  const Value x = pair.add_parameter({ScalarType::f32, {1}}, "x");
  pair.add_result(pair.add("Add", {x, x}));
  spec.iterators = {{.input = 0, .parameter = 0, .keep_axis = true, .from_count = true}};
  spec.iterators[0].range.stride = 2;
  spec.outputs = {{.kind = Kind::join, .result = 0}};
  CHECK(difference(run_loop(spec, pair, {eight, three, integers({}, {5})})[0],
                   floats({5}, {8, 6, 4, 2, 0})) == "");
}

TEST_CASE("trips: a first condition that is false is the last one", "[recurrent]") {
  for (const bool grows : {false, true}) {
    Graph body;
    const Value s = body.add_parameter({ScalarType::f32, PartialShape{PartialShape::unknown}}, "s");
    body.add_result(grows ? body.add("Concat", {s, s}, {{"axis", std::int64_t{0}}}) : s);
    LoopSpec spec;
    spec.name = "never";
    spec.most_trips = 4;
    spec.first_condition = 1;
    spec.states = {{.input = 0, .parameter = 0, .result = 0}};
    // The result of an output that is made of none is not read.
    spec.outputs = {{.kind = Kind::condition, .result = 1'000'000'000},
                    {.kind = Kind::trips, .result = 7},
                    {.kind = Kind::last_state, .state = 0, .result = 1'000'000'000}};
    for (const bool first : {false, true}) {
      const std::vector<Tensor> got = run_loop(spec, body, {floats({1}, {3}), truth(first)});
      CAPTURE(grows, first);
      CHECK(difference(got[0], truth(first)) == "");
      CHECK(doubles(got[1])[0] == (first ? 4 : 0));
      CHECK(got[2].numel() == (grows && first ? 16 : 1));
    }
  }
}

TEST_CASE("trips: blocks that the end of a chunk cuts short keep states", "[recurrent]") {
  // A large product makes blocks of few trips; the end is not known, so that what is stacked first
  // fills chunks of 16, 32, ... trips, and what has a length and short rows, blocks.
  for (const std::int64_t wide : {16, 30000, 52000}) {
    for (const bool blocks_first : {false, true}) {
      Graph body("cut");
      const Value x = body.add_parameter({ScalarType::f32, {1, 4}}, "x");
      const Value s = body.add_parameter({ScalarType::f32, {8, 4}}, "s");
      std::vector<double> weights;
      for (std::int64_t i = 0; i < 4 * wide; ++i)
        weights.push_back(static_cast<double>(i % 7 - 3) / 64);
      const Value mean =
          body.add("ReduceMean",
                   {body.add("MatMul", {x, constant(body, floats({4, wide}, weights))}),
                    constant(body, integers({1}, {1}))},
                   {{"keep_dims", true}});
      body.add_result(
          body.add("Add", {body.add("Reverse", {s, constant(body, integers({1}, {0}))}), mean}));
      body.add_result(
          reshape(body, body.add("Less", {mean, constant(body, floats({}, {1e9}))}), {1}));
      LoopSpec spec;
      spec.name = "cut";
      spec.next_condition = 1;
      spec.iterators = {{.input = 0, .parameter = 0}};
      spec.states = {{.input = 1, .parameter = 1, .result = 0}};
      const LoopOutput chunks{.kind = Kind::stack, .result = 0},
          blocks{.kind = Kind::stack, .result = 0, .axis = 1, .length = 2};
      spec.outputs = {blocks_first ? blocks : chunks, blocks_first ? chunks : blocks};
      constexpr std::int64_t trips = 75;
      std::vector<double> numbers, start;
      for (std::int64_t i = 0; i < trips * 4; ++i)
        numbers.push_back(static_cast<double>(i * 37 % 19 - 9) / 8);
      for (std::int64_t i = 0; i < 32; ++i)
        start.push_back(static_cast<double>(i - 7));
      const Tensor given = floats({trips, 1, 4}, numbers), first = floats({8, 4}, start);
      const std::vector<Tensor> got = run_loop(spec, body, {given, first, integers({}, {trips})});
      const Executable alone(body, {.operators = &weft::recurrent::operators(), .fuse = false});
      Tensor state = first;
      std::int64_t wrong = 0;
      for (std::int64_t t = 0; t < trips; ++t) {
        state = alone.run(std::vector<TensorView>{given.select(0, t), state})[0];
        wrong += same_bits(got[blocks_first ? 1 : 0].select(0, t), state) ? 0 : 1;
        wrong += same_bits(got[blocks_first ? 0 : 1].select(1, t), state) ? 0 : 1;
      }
      CAPTURE(wide, blocks_first);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("trips: operators without broadcasting, of slices and what stays the same",
          "[recurrent]") {
  for (const std::string rule : {"none", "numpy"}) {
    Graph body;
    const Value x = body.add_parameter({ScalarType::f32, {2, 3}}, "x");
    const Value w = body.add_parameter({ScalarType::f32, {2, 3}}, "w");
    body.add_result(body.add("Add", {x, w}, {{"auto_broadcast", rule}}));
    body.add_result(body.add("Multiply", {x, x}, {{"auto_broadcast", rule}}));
    LoopSpec spec;
    spec.name = "none";
    spec.iterators = {{.input = 0, .parameter = 0}};
    spec.invariants = {{.input = 1, .parameter = 1}};
    spec.outputs = {{.kind = Kind::stack, .result = 0}, {.kind = Kind::stack, .result = 1}};
    std::vector<double> numbers, sums, squares;
    for (int i = 0; i < 24; ++i) {
      numbers.push_back(i);
      sums.push_back(i + i % 6);
      squares.push_back(i * i);
    }
    const std::vector<Tensor> got =
        run_loop(spec, body, {floats({4, 2, 3}, numbers), floats({2, 3}, {0, 1, 2, 3, 4, 5})});
    CHECK(difference(got[0], floats({4, 2, 3}, sums)) == "");
    CHECK(difference(got[1], floats({4, 2, 3}, squares)) == "");
  }
}

TEST_CASE("trips: a state that changes its shape, and strided slices", "[recurrent]") {
  Graph body;
  const Value x = body.add_parameter({ScalarType::f32, {40}}, "x");
  const Value s = body.add_parameter({ScalarType::f32, PartialShape{PartialShape::unknown}}, "s");
  body.add_result(body.add("Softmax", {x}, {{"axis", std::int64_t{0}}}));
  body.add_result(body.add("Concat", {s, x}, {{"axis", std::int64_t{0}}}));
  LoopSpec spec;
  spec.name = "grows";
  spec.iterators = {{.input = 0, .parameter = 0, .axis = 1}};
  spec.states = {{.input = 1, .parameter = 1, .result = 1}};
  spec.outputs = {{.kind = Kind::stack, .result = 0}, {.kind = Kind::last_state, .state = 0}};
  std::vector<double> numbers;
  for (int i = 0; i < 40 * 30; ++i)
    numbers.push_back((i * 37 % 101) / 16.0);
  const Tensor given = floats({40, 30}, numbers);
  const std::vector<Tensor> got = run_loop(spec, body, {given, floats({1}, {0})});
  Graph one;
  one.add_result(one.add("Softmax", {one.add_parameter({ScalarType::f32, {40}})},
                         {{"axis", std::int64_t{0}}}));
  const Executable alone(one, {.operators = &weft::recurrent::operators()});
  for (std::int64_t t = 0; t < 30; ++t) {
    const Tensor slice = Tensor::copy_of(given.select(1, t));
    CHECK(same_bits(got[0].select(0, t), alone.run(std::vector<TensorView>{slice})[0]));
  }
}
