// SPDX-License-Identifier: Apache-2.0
// Slices and collected elements that are rows with gaps between them: read and written there, to
// the bit what a body run trip by trip on copies gives.
#include "recurrent/loops.hpp"
#include "recurrent/naive_loop.hpp"
#include "support/seed.hpp"

namespace {

using namespace test;
using Kind = LoopOutputKind;

constexpr std::int64_t batch = 3, width = 20;

/// What a loop over the second axis of [batch, trips, width] does besides.
struct Form {
  bool backwards, delays, collects_twice, ends, reshapes, last_value, has_products;

  explicit Form(int bits)
      : backwards(bits & 1),
        delays(bits & 2),
        collects_twice(bits & 4),
        ends(bits & 8),
        reshapes(bits & 16),
        last_value(bits & 32),
        has_products(bits & 64) {}
  /// Whether the trip can write its element straight into the output.
  bool in_place() const {
    return !delays && !collects_twice && !ends && !last_value && !has_products;
  }
};

Graph body_of(const Form& form) {
  Graph body("rows");
  const Value x = body.add_parameter({ScalarType::f32, {batch, width}}, "x");
  const Value s = body.add_parameter({ScalarType::f32, {batch, width}}, "s");
  const Value late = body.add_parameter({ScalarType::f32, {batch, width}}, "late");
  const Value i = body.add_parameter({ScalarType::i64, {}}, "i");
  Value sum = body.add("Add", {body.add("Multiply", {s, late}), x});
  if (form.has_products) {
    const Tensor matrix = Tensor::full({width, width}, ScalarType::f32, 0.125);
    sum = body.add("Add", {sum, body.add("MatMul", {s, body.add_constant(matrix)})});
  }
  const Value next = body.add("Relu", {sum});
  body.add_result(next);
  body.add_result(form.delays ? s : body.add("Minimum", {late, x}));
  body.add_result(form.reshapes ? reshape(body, next, {batch, 1, width}) : next);
  body.add_result(body.add("Less", {i, body.add_constant(integers({}, {4}))}));
  return body;
}

LoopSpec spec_of(const Form& form) {
  LoopSpec spec;
  spec.name = "rows";
  spec.iterators = {{.input = 0, .parameter = 0, .axis = 1}};
  if (form.backwards) spec.iterators[0].range = {-1, 0, -1};
  spec.states = {{.input = 1, .parameter = 1, .result = 0},
                 {.input = 2, .parameter = 2, .result = 1}};
  spec.indexes = {3};
  spec.outputs = {{.kind = form.reshapes ? Kind::join : Kind::stack,
                   .result = 2,
                   .axis = 1,
                   .backwards = form.backwards && !form.ends},
                  {.kind = Kind::last_state, .state = 0},
                  {.kind = Kind::last_state, .state = 1}};
  if (form.collects_twice) spec.outputs.push_back({.kind = Kind::stack, .result = 0, .axis = 0});
  if (form.last_value) spec.outputs.push_back({.kind = Kind::last_value, .result = 0});
  if (form.ends) spec.next_condition = 3;
  return spec;
}

}  // namespace

TEST_CASE("rows: slices and results of any distance", "[recurrent]") {
  WEFT_RANDOM(random);
  const auto filled = [&](const std::vector<std::int64_t>& shape) {
    std::vector<double> values;
    for (std::int64_t i = weft::numel(shape); i > 0; --i)
      values.push_back(static_cast<double>(random.integer(-16, 16)) / 16);
    return floats(shape, values);
  };
  for (int bits = 0; bits < 128; ++bits) {
    const Form form(bits);
    const LoopSpec spec = spec_of(form);
    const Graph body = body_of(form);
    const ValueType state{ScalarType::f32, {batch, width}};
    const LoopProgram program(
        spec, body, {{ScalarType::f32, {batch, PartialShape::unknown, width}}, state, state});
    weft::graph::Frame frame{program.executable()};
    for (int run = 0; run < 4; ++run) {
      const std::int64_t trips = random.integer(form.last_value ? 1 : 0, 9);
      // Dense, or every second row of a larger one; states dense, or transposed.
      const bool wide = random.chance(50), turned = random.chance(50);
      const Tensor memory = filled({batch, wide ? trips + 3 : trips, width});
      const Tensor x = Tensor::share(memory.owner(), memory.slice(1, 0, trips));
      const Tensor s = filled(turned ? std::vector<std::int64_t>{width, batch}
                                     : std::vector<std::int64_t>{batch, width});
      const Tensor start = turned ? Tensor::share(s.owner(), s.transpose(0, 1)) : s;
      const std::vector<Tensor> inputs = {x, start, filled({batch, width})};
      const std::vector<Tensor> expected = NaiveLoop(spec, body, inputs).run();
      frame.plan(std::vector<TensorView>(inputs.begin(), inputs.end()));
      frame.run();
      for (std::size_t o = 0; o < expected.size(); ++o) {
        CAPTURE(bits, run, trips, wide, turned, o);
        REQUIRE(same_bits(frame.result(static_cast<int>(o)), expected[o]));
      }
      if (trips < 2) continue;
      const LoopReport report = program.report();
      CHECK(report.viewed_slices == 1);
      if (form.in_place()) {
        CHECK(report.written_in_place == 1);
        CHECK(report.bytes_copied_late == 0);
      } else if (!form.collects_twice && !form.ends) {
        CHECK(report.written_in_blocks == 1);
      }
    }
  }
}
