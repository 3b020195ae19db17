// SPDX-License-Identifier: Apache-2.0
// One frame for sequences of all lengths gives what a frame of its own gives each of them.
#include "recurrent/loops.hpp"
#include "recurrent/random_loop.hpp"
#include "support/seed.hpp"

namespace {

using namespace test;
using weft::graph::Frame;

constexpr std::int64_t any = PartialShape::unknown, rows = 3, width = 5;

/// s' = tanh(s + x W), over the slices of x[...] along an axis, of `part` elements each; all of s,
/// and the last. `multiplies`: with the product, which is made for blocks of trips.
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

/// A loop of which only what it slices is a parameter, of any length, and sometimes the rest.
Graph with_slices_outside(const RandomLoop& loop, Random& random, std::vector<int>& outside) {
  Graph graph;
  std::vector<Value> values;
  for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
    const int input = static_cast<int>(i);
    PartialShape shape = loop.inputs[i].shape();
    const auto iterator = std::ranges::find(loop.spec.iterators, input, &LoopIterator::input);
    const bool sliced = iterator != loop.spec.iterators.end();
    if (sliced) shape = PartialShape::of_rank(shape.rank());
    if (sliced || random.chance(50)) {
      values.push_back(graph.add_parameter({loop.inputs[i].dtype(), shape}));
      outside.push_back(input);
    } else {
      values.push_back(graph.add_constant(loop.inputs[i]));
    }
  }
  for (const Value output : weft::recurrent::add_loop(graph, loop.spec, loop.body, values))
    graph.add_result(output);
  return graph;
}

/// The input of an iterator with `more` trips than it has; its strides are those of a longer one,
/// unless it is `dense`.
TensorView with_trips(const RandomLoop& loop, int input, std::int64_t more, bool dense,
                      std::vector<Tensor>& keep) {
  const Tensor& given = loop.inputs[static_cast<std::size_t>(input)];
  const auto it = std::ranges::find(loop.spec.iterators, input, &LoopIterator::input);
  if (it == loop.spec.iterators.end()) return given;
  const std::int64_t extent = given.extent(it->axis);
  weft::DimVector shape(given.shape().begin(), given.shape().end());
  std::int64_t& along =
      shape[static_cast<std::size_t>(it->axis < 0 ? it->axis + given.rank() : it->axis)];
  along = extent + 400;
  Tensor whole = Tensor::empty(shape, given.dtype());
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < whole.numel(); ++i)
    numbers.push_back(static_cast<double>((i * 7 + input) % 17) / 4);
  whole = tensor_of(given.dtype(), {shape.begin(), shape.end()}, numbers);
  const std::int64_t wanted = extent + more * std::abs(it->range.stride);
  const TensorView part = whole.slice(it->axis, 0, std::max<std::int64_t>(wanted, 0));
  keep.push_back(dense ? Tensor::copy_of(part) : whole);
  return dense ? TensorView(keep.back()) : part;
}

/// Results of a run, or what it throws.
template <class F>
std::vector<Tensor> results_or_error(std::string& error, F&& run) {
  try {
    return run();
  } catch (const weft::Error& thrown) {
    error = thrown.what();
    return {};
  }
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

/// Values of 64 KiB a trip, so that a block is some trips; most lengths are no multiple of it.
TEST_CASE("lengths: blocks of trips that end anywhere", "[recurrent]") {
  constexpr std::int64_t wide = 1 << 14;
  Graph body("wide");
  const Value x = body.add_parameter({ScalarType::f32, {1, 1}}, "x");
  const Value s = body.add_parameter({ScalarType::f32, {1, wide}}, "s");
  std::vector<double> weights;
  for (std::int64_t i = 0; i < wide; ++i)
    weights.push_back(static_cast<double>(i % 7));
  const Value product = body.add("MatMul", {x, body.add_constant(floats({1, wide}, weights))});
  body.add_result(body.add("Add", {s, product}));
  LoopSpec spec;
  spec.name = "wide";
  spec.iterators = {{.input = 0, .parameter = 0, .axis = 0}};
  spec.iterators[0].keep_axis = true;
  spec.states = {{.input = 1, .parameter = 1, .result = 0}};
  spec.outputs = {{.kind = LoopOutputKind::last_state, .state = 0}};
  Graph graph;
  const Value data = graph.add_parameter({ScalarType::f32, PartialShape{any, 1}});
  const Value start = graph.add_constant(Tensor::zeros({1, wide}, ScalarType::f32));
  const int loop = weft::recurrent::add_node(
      graph, weft::recurrent::loop_node(spec, std::make_shared<const Graph>(body), {data, start}));
  graph.add_result({loop, 0});
  Frame frame{Executable(graph, {.operators = &weft::recurrent::operators()})};
  for (std::int64_t length = 1; length <= 50; ++length) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < length; ++i)
      values.push_back(static_cast<double>(i + 1));
    const Tensor given = floats({length, 1}, values);
    frame.plan(std::vector<TensorView>{given});
    frame.run();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < wide; ++i) {
      const auto sum = static_cast<float>(i % 7 * length * (length + 1) / 2);
      wrong += frame.result(0).at<float>({0, i}) != sum ? 1 : 0;
    }
    CAPTURE(length);
    CHECK(wrong == 0);
    const std::int64_t block = weft::recurrent::loop_report(graph.node(loop)).block_trips;
    CHECK(block <= length);
    CHECK((length < 16 || (block > 8 && block <= 16)));
  }
}

TEST_CASE("lengths: random loops on one frame", "[recurrent]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < rounds(150); ++round) {
    const bool plain = random.chance(50);
    std::optional<test::Dims> wide;
    if (random.chance(50))
      wide = {random.integer(1, 4), random.integer(1, 3), random.integer(8, 40)};
    const RandomLoop loop =
        RandomLoopMaker(random,
                        {.conditions = random.chance(30), .plain_iterators = plain, .shape = wide})
            .make();
    INFO("round " << round << '\n' << describe(loop));
    std::vector<int> outside;
    std::string refused;
    std::optional<Executable> program;
    results_or_error(refused, [&] {
      program.emplace(with_slices_outside(loop, random, outside),
                      weft::graph::CompileOptions{.operators = &weft::recurrent::operators()});
      return std::vector<Tensor>();
    });
    if (!program) continue;
    Frame frame(*program);
    const bool dense = random.chance(30);
    for (int run = 0; run < 6; ++run) {
      const std::int64_t more =
          random.chance(10) ? random.integer(200, 300) : random.integer(-loop.trips, 5);
      std::vector<Tensor> keep;
      std::vector<TensorView> inputs;
      for (const int input : outside) {
        const std::int64_t own = random.chance(5) ? random.integer(-2, 2) : more;
        inputs.push_back(with_trips(loop, input, own, dense, keep));
      }
      std::string expected_error, error;
      const std::vector<Tensor> expected =
          results_or_error(expected_error, [&] { return program->run(inputs); });
      const std::vector<Tensor> got = results_or_error(error, [&] {
        frame.plan(inputs);
        frame.run();
        std::vector<Tensor> copies;
        for (int i = 0; i < program->nresults(); ++i)
          copies.push_back(Tensor::copy_of(frame.result(i)));
        return copies;
      });
      INFO("run " << run << ", " << more << " trips more");
      REQUIRE(error == expected_error);
      for (std::size_t i = 0; i < expected.size(); ++i)
        REQUIRE(same_bits(got[i], expected[i]));
    }
  }
}

TEST_CASE("lengths: one input that two iterators walk", "[recurrent]") {
  // Along two axes, with a limit of trips; and forwards and backwards at once.
  Graph both("both");
  both.add_result(both.add_parameter({ScalarType::f32, {any}}, "row"));
  both.add_result(both.add_parameter({ScalarType::f32, {any}}, "column"));
  LoopSpec spec;
  spec.name = "both";
  spec.most_trips = 3;
  spec.iterators = {{.input = 0, .parameter = 0, .axis = 0, .limits_trips = false},
                    {.input = 0, .parameter = 1, .axis = 1, .limits_trips = false}};
  spec.outputs = {{.kind = LoopOutputKind::stack, .result = 0},
                  {.kind = LoopOutputKind::stack, .result = 1}};
  Graph turned("turned");
  const Value forwards = turned.add_parameter({ScalarType::f32, {any}}, "forwards");
  const Value backwards = turned.add_parameter({ScalarType::f32, {any}}, "backwards");
  turned.add_result(turned.add("Subtract", {forwards, backwards}));
  LoopSpec turns;
  turns.name = "turned";
  turns.iterators = {{.input = 0, .parameter = 0}, {.input = 0, .parameter = 1}};
  turns.iterators[1].range = {-1, 0, -1};
  turns.outputs = {{.kind = LoopOutputKind::stack, .result = 0}};
  const std::vector<ValueType> types = {{ScalarType::f32, PartialShape{any, any}}};
  const LoopProgram programs[] = {{spec, both, types}, {turns, turned, types}};
  for (const LoopProgram& program : programs) {
    Frame frame(program.executable());
    const std::int64_t sizes[][2] = {{4, 4}, {5, 5}, {6, 4}, {3, 4}, {3, 7}, {33, 7}, {12, 7}};
    for (const auto& size : sizes) {
      std::vector<double> values;
      for (std::int64_t i = 0; i < size[0] * size[1]; ++i)
        values.push_back(static_cast<double>(i));
      const Tensor given = floats({size[0], size[1]}, values);
      frame.plan(std::vector<TensorView>{given});
      frame.run();
      const std::vector<Tensor> fresh = program.run({given});
      CAPTURE(size[0], size[1]);
      for (std::size_t i = 0; i < fresh.size(); ++i)
        CHECK(same_bits(frame.result(static_cast<int>(i)), fresh[i]));
    }
  }
}
