// SPDX-License-Identifier: Apache-2.0
// LSTMSequence, GRUSequence and RNNSequence: published cases, a plain computation in double
// precision, and what they are made of.
#include <weft/ops/copy.hpp>

#include "recurrent/sequences.hpp"
#include "support/errors.hpp"
#include "support/tally.hpp"

#include <sstream>

namespace {

using namespace test;

Attributes attributes_of(const Json& json) {
  Attributes attributes;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string& name = json.names[i];
    const Json& value = json.items[i];
    if (value.is(Json::Kind::array)) {
      if (name == "activations") attributes.set(name, value.strings());
      if (name != "activations") attributes.set(name, value.numbers());
    } else if (value.is(Json::Kind::boolean)) {
      attributes.set(name, value.boolean);
    } else if (value.is(Json::Kind::string)) {
      attributes.set(name, value.string);
    } else if (name == "hidden_size") {
      attributes.set(name, value.integer);
    } else {
      attributes.set(name, value.number);
    }
  }
  return attributes;
}

/// A published case, with its numbers as another type.
Sequence published(const Json& json, ScalarType type) {
  Sequence sequence{json["op"].string, attributes_of(json["attributes"]), {}};
  for (const char* name :
       {"X", "initial_hidden_state", "initial_cell_state", "sequence_lengths", "W", "R", "B"}) {
    const Json* input = json["inputs"].find(name);
    if (input == nullptr) continue;
    const Tensor given = tensor_of(*input);
    sequence.inputs.push_back(is_floating(given.dtype()) ? weft::contiguous(given, type) : given);
  }
  return sequence;
}

/// The same elements, with gaps between all of them.
Tensor spread(const Tensor& tensor) {
  weft::DimVector shape(tensor.shape().begin(), tensor.shape().end());
  shape.push_back(2);
  const Tensor wide = Tensor::zeros(shape, tensor.dtype());
  const TensorView narrow = wide.select(-1, 0);
  weft::copy_out(narrow, tensor);
  return Tensor::share(wide.owner(), narrow);
}

/// The same elements, the last axis first in memory.
Tensor turned(const Tensor& tensor) {
  if (tensor.rank() < 2) return tensor;
  const Tensor other = Tensor::copy_of(tensor.transpose(0, tensor.rank() - 1));
  return Tensor::share(other.owner(), other.transpose(0, tensor.rank() - 1));
}

bool all_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](const Tensor& x, const Tensor& y) { return same_bits(x, y); });
}

/// Of a type that rounds after each of some steps.
double published_tolerance(const Json& json, ScalarType type) {
  const double given = json["suggested_tolerance_f32"].number;
  if (type == ScalarType::f16) return 2e-2;
  return type == ScalarType::bf16 ? 2e-1 : given;
}

std::string described(const KnownSequence& known) {
  const NaiveCell& cell = known.cell;
  std::ostringstream text;
  text << known.sequence.op << ' ' << name(known.type) << ' ' << known.direction << " batch "
       << known.batch << " steps " << known.steps << " inputs " << cell.i << " units " << cell.h
       << " clip " << cell.clip << " given " << known.sequence.inputs.size()
       << " linear_before_reset " << cell.linear_before_reset << " input_forget "
       << cell.input_forget << " format " << cell.format << " activations";
  for (const std::string& each : cell.activations)
    text << ' ' << each;
  text << " lengths";
  for (const std::int64_t length : known.lengths)
    text << ' ' << length;
  return text.str();
}

}  // namespace

TEST_CASE("sequences give OpenVINO's published numbers", "[recurrent]") {
  const Json document = read_json("openvino/openvino_sequences.json");
  CHECK(document["cases"].size() == 13);
  for (const Json& json : document["cases"]) {
    for (const ScalarType type :
         {ScalarType::f32, ScalarType::f64, ScalarType::f16, ScalarType::bf16}) {
      INFO(json["name"].string << ' ' << name(type));
      const Sequence sequence = published(json, type);
      const std::vector<Tensor> got = run_sequence(sequence);
      const Json& expected = json["expected"];
      for (std::size_t o = 0; o < got.size(); ++o) {
        const char* const names[] = {"Y", "Ho", "Co"};
        const Json* wanted = expected.find(names[o]);
        if (wanted == nullptr) continue;
        INFO(names[o]);
        REQUIRE(std::ranges::equal(got[o].shape(), (*wanted)["shape"].integers()));
        CHECK(worst_difference(got[o], (*wanted)["data"].numbers()) <=
              published_tolerance(json, type));
      }
      // However the inputs come, and wherever they lie.
      CHECK(all_same_bits(got, run_sequence(sequence, {.weights = false})));
      CHECK(all_same_bits(got, run_sequence(sequence, {.lengths = true})));
      for (const bool spreads : {true, false}) {
        Sequence other = sequence;
        for (Tensor& input : other.inputs)
          input = spreads ? spread(input) : turned(input);
        CHECK(all_same_bits(got, run_sequence(other)));
        CHECK(all_same_bits(got, run_sequence(other, {.weights = false})));
      }
    }
  }
}

TEST_CASE("sequences against one unit at a time", "[recurrent]") {
  WEFT_RANDOM(random);
  Tally tally;
  for (int round = 0; round < rounds(400); ++round) {
    const KnownSequence known =
        SequenceMaker(random, {.ragged = random.chance(70), .wide_types = false}).make();
    const std::vector<std::vector<double>> wanted = known.expected();
    const std::vector<Tensor> got = run_sequence(known.sequence);
    // States of unusual activations grow.
    double worst = 0, largest = 1;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      worst = std::max(worst, worst_difference(got[i], wanted[i]));
      for (const double value : wanted[i])
        largest = std::max(largest, std::fabs(value));
    }
    // The GRU's bias of four blocks is split from the cell only if it is a constant.
    const bool wide = weft::element_size(known.type) > 2;
    const bool same =
        all_same_bits(got, run_sequence(known.sequence, {.lengths = true})) &&
        (!wide || all_same_bits(got, run_sequence(known.sequence, {.weights = false})));
    tally.check(worst < 2 * cell_tolerance(known.type) * largest && same, [&](auto& text) {
      text << described(known) << ": off by " << worst << ", forms agree " << same;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("sequences: both directions are those of two sequences", "[recurrent]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < rounds(60); ++round) {
    KnownSequence known = SequenceMaker(random, {}).make();
    if (known.direction != "bidirectional") continue;
    INFO(described(known));
    const std::vector<Tensor> both = run_sequence(known.sequence);
    for (const std::int64_t d : {0, 1}) {
      Sequence one = known.sequence;
      one.attributes.set("direction", std::string(d == 0 ? "forward" : "reverse"));
      for (std::size_t i = 1; i < one.inputs.size(); ++i) {
        if (i == one.lengths() || !one.inputs[i].defined()) continue;
        const std::int64_t axis = i < one.lengths() ? 1 : 0;
        one.inputs[i] = Tensor::share(one.inputs[i].owner(), one.inputs[i].slice(axis, d, d + 1));
      }
      const std::vector<Tensor> single = run_sequence(one);
      for (std::size_t o = 0; o < both.size(); ++o)
        CHECK(same_bits(both[o].slice(1, d, d + 1), single[o]));
    }
  }
}

TEST_CASE("sequences: a frame that has run others gives the same bits", "[recurrent]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < rounds(40); ++round) {
    const KnownSequence known = SequenceMaker(random, {.wide_types = true}).make();
    INFO(described(known));
    const Constants constants{.weights = random.chance(70), .lengths = false};
    const SequenceProgram whole(known.sequence, constants, true);
    const Executable program = whole.compile();
    Frame frame(program);
    for (int run = 0; run < 8; ++run) {
      // Fewer rows, fewer steps, sometimes all rows in full.
      const std::int64_t rows = random.chance(70) ? known.batch : random.integer(1, known.batch);
      const std::int64_t steps = random.integer(0, known.steps);
      const bool full = random.chance(40);
      std::vector<double> lengths;
      for (std::int64_t row = 0; row < rows; ++row)
        lengths.push_back(static_cast<double>(full ? steps : random.integer(0, steps)));
      const Tensor given =
          tensor_of(known.sequence.inputs[known.sequence.lengths()].dtype(), {rows}, lengths);
      std::vector<TensorView> inputs = whole.given;
      for (std::size_t i = 0; i < known.sequence.lengths(); ++i)
        inputs[i] = inputs[i].slice(0, 0, rows);
      inputs[0] = inputs[0].slice(1, 0, steps);
      inputs[known.sequence.lengths()] = given;
      frame.plan(inputs);
      frame.run();
      const std::vector<Tensor> fresh = program.run(inputs);
      INFO("run " << run << ", " << rows << " rows, " << steps << " steps, full " << full);
      for (std::size_t o = 0; o < fresh.size(); ++o)
        REQUIRE(same_bits(frame.result(static_cast<int>(o)), fresh[o]));
    }
  }
}

TEST_CASE("sequences: in the body of a loop, a row of the batch in each trip", "[recurrent]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < rounds(20); ++round) {
    const KnownSequence known = SequenceMaker(random, {.wide_types = true}).make();
    INFO(described(known));
    const Sequence& sequence = known.sequence;
    Graph body("row");
    LoopSpec spec;
    spec.name = "rows";
    Node node;
    node.op = sequence.op;
    node.attributes = sequence.attributes;
    node.noutputs = sequence.noutputs();
    std::vector<ValueType> types;
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < sequence.inputs.size(); ++i) {
      if (!sequence.inputs[i].defined()) {
        node.inputs.emplace_back();
        continue;
      }
      const int number = static_cast<int>(inputs.size());
      node.inputs.push_back(
          body.add_parameter({sequence.inputs[i].dtype(), PartialShape::unranked()}));
      if (i <= sequence.lengths()) {
        spec.iterators.push_back({.input = number, .parameter = number, .keep_axis = true});
      } else {
        spec.invariants.push_back({.input = number, .parameter = number});
      }
      inputs.push_back(sequence.inputs[i]);
      types.push_back(type_of(sequence.inputs[i]));
    }
    const int noutputs = node.noutputs, made = body.add_node(std::move(node));
    for (int o = 0; o < noutputs; ++o) {
      body.add_result({made, o});
      spec.outputs.push_back({.kind = LoopOutputKind::join, .result = o, .axis = 0});
    }
    const std::vector<Tensor> got = LoopProgram(spec, body, types).run(inputs);
    const std::vector<Tensor> whole = run_sequence(sequence, {.weights = false});
    CHECK(all_same_bits(got, whole));
  }
}

TEST_CASE("sequences: what their loops did", "[recurrent]") {
  WEFT_RANDOM(random);
  for (const bool both : {false, true}) {
    const std::int64_t batch = 1, steps = 20, inputs = 5, units = 4, directions = both ? 2 : 1;
    const auto numbers = [&](const Dims& shape) {
      return small_numbers(random, ScalarType::f32, shape).first;
    };
    const Sequence sequence{
        "LSTMSequence",
        {{"hidden_size", units}, {"direction", std::string(both ? "bidirectional" : "forward")}},
        {numbers({batch, steps, inputs}), numbers({batch, directions, units}),
         numbers({batch, directions, units}), integers({batch}, {20}),
         numbers({directions, 4 * units, inputs}), numbers({directions, 4 * units, units}),
         numbers({directions, 4 * units})}};
    const SequenceProgram program(sequence, {});
    const Node& node = program.graph.nodes().back();
    CHECK(weft::recurrent::sequence_reports(node).empty());
    Frame frame(program.compile());
    std::vector<TensorView> given = program.given;
    for (const bool ragged : {false, true, false}) {
      INFO("both " << both << " ragged " << ragged);
      const Tensor lengths = integers({batch}, {ragged ? 7.0 : 20.0});
      given[3] = lengths;
      frame.plan(given);
      frame.run();
      frame.run();
      const std::vector<LoopReport> reports = weft::recurrent::sequence_reports(node);
      REQUIRE(reports.size() == static_cast<std::size_t>(directions));
      for (std::size_t d = 0; d < reports.size(); ++d) {
        const LoopReport& report = reports[d];
        INFO("direction " << d);
        CHECK(report.name == "seq");
        CHECK(report.trips == steps);
        CHECK(report.end == LoopEnd::slices);
        CHECK(report.fixed_shapes);
        REQUIRE(report.blocked.size() == 1);
        CHECK(report.blocked[0].find("FullyConnected") == 0);
        CHECK(report.block_trips == steps);
        // Slices of X go into one product, packed if they come backwards. The mask is sliced only
        // where rows end early, and nothing looks at lengths otherwise.
        CHECK(report.staged_slices == static_cast<int>(d));
        CHECK(report.viewed_slices == (ragged ? 2 : 1) - static_cast<int>(d));
        CHECK(report.in_trips.size() == (ragged ? 2 : 1));
        CHECK(report.states == 2);
        CHECK(report.written_in_place == 1);
        if (d == 0) CHECK(report.bytes_copied == 2 * units * 4);  // the last states
      }
    }
  }
  Node other;
  other.op = "LSTMCell";
  CHECK(!weft::recurrent::is_sequence(other));
  CHECK_ERROR(invalid_argument, ("LSTMCell"), weft::recurrent::sequence_node(other));
  CHECK_ERROR(invalid_argument, ("LSTMCell"), weft::recurrent::sequence_reports(other));
}

TEST_CASE("sequences: what is known of their types", "[recurrent]") {
  const auto type_of_output = [](const char* op, Attributes attributes,
                                 const std::vector<PartialShape>& shapes, int output) {
    Graph graph;
    Node node;
    node.op = op;
    node.attributes = std::move(attributes);
    node.noutputs = output + 1;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const bool lengths = shapes[i].has_rank() && shapes[i].rank() == 1;
      node.inputs.push_back(
          graph.add_parameter({lengths ? ScalarType::i64 : ScalarType::f32, shapes[i]}));
    }
    const int made = graph.add_node(std::move(node));
    graph.add_result({made, output});
    return Executable(graph, {.operators = &weft::recurrent::operators()}).result_type(0).shape;
  };
  constexpr std::int64_t any = PartialShape::unknown;
  const PartialShape unranked = PartialShape::unranked();
  const Attributes both{{"direction", std::string("bidirectional")}};
  CHECK(type_of_output("LSTMSequence", both,
                       {{any, 7, 3}, {any, 2, 5}, unranked, {4}, unranked, unranked},
                       0) == PartialShape{4, 2, 7, 5});
  CHECK(type_of_output("GRUSequence", {}, {unranked, unranked, {any}, {1, 12, 3}, unranked}, 0) ==
        PartialShape{any, 1, any, 4});
  CHECK(type_of_output("RNNSequence", {{"hidden_size", std::int64_t{6}}},
                       {{3, any, any}, unranked, {any}, unranked, unranked},
                       1) == PartialShape{3, 1, 6});
}
