// SPDX-License-Identifier: Apache-2.0
// Recurrent cells: published cases, a plain computation in double precision, and what is refused.
#include <weft/graph/executable.hpp>

#include "graph/cells/expand_cell.hpp"
#include "support/errors.hpp"
#include "support/json.hpp"
#include "support/naive_cells.hpp"

#include <algorithm>

namespace {

using test::Json;
using test::NaiveCell;
using test::worst_difference;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Attributes;
using weft::graph::Executable;
using weft::graph::Graph;
using weft::graph::Node;
using weft::graph::PartialShape;
using weft::graph::Value;

struct Cell {
  std::string op;
  Attributes attributes;
  std::vector<Tensor> inputs;
};

/// The outputs of a cell, its weights (all inputs from the first one of rank 2 that is no state on)
/// being constants or parameters like the rest.
std::vector<Tensor> run(const Cell& cell, bool constants, bool expanded) {
  Graph graph;
  const std::size_t states = cell.op == "LSTMCell" ? 3 : 2;
  Node node;
  node.op = cell.op;
  node.name = "cell";
  node.attributes = cell.attributes;
  node.noutputs = cell.op == "LSTMCell" ? 2 : 1;
  std::vector<TensorView> given;
  for (std::size_t i = 0; i < cell.inputs.size(); ++i) {
    const Tensor& input = cell.inputs[i];
    if (constants && i >= states) {
      node.inputs.push_back(graph.add_constant(input));
    } else {
      node.inputs.push_back(graph.add_parameter({input.dtype(), PartialShape(input.shape())}));
      given.emplace_back(input);
    }
  }
  const int count = node.noutputs;
  const int index = graph.add_node(std::move(node));
  for (int i = 0; i < count; ++i)
    graph.add_result({index, i});
  if (expanded) weft::graph::expand_cell(graph, index);
  return Executable(graph).run(given);
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](const Tensor& x, const Tensor& y) {
    return test::dense_copy(x).bytes == test::dense_copy(y).bytes;
  });
}

Tensor tensor_of(const Json& json) {
  Tensor tensor = Tensor::empty(json["shape"].integers(), ScalarType::f32);
  const std::vector<double> numbers = json["data"].numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    tensor.data_as<float>()[i] = static_cast<float>(numbers[i]);
  return tensor;
}

Attributes attributes_of(const Json& json) {
  Attributes attributes;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string& name = json.names[i];
    const Json& value = json.items[i];
    if (value.is(Json::Kind::array)) {
      attributes.set(name, value.strings());
    } else if (value.is(Json::Kind::boolean)) {
      attributes.set(name, value.boolean);
    } else {
      attributes.set(name, value.number);
    }
  }
  return attributes;
}

void check_file(const char* file) {
  const Json document = test::read_json(std::string("openvino/") + file);
  CHECK(document["cases"].size() > 0);
  for (const Json& json : document["cases"]) {
    INFO(json["name"].string);
    Cell cell{json["op"].string, attributes_of(json["attributes"]), {}};
    cell.attributes.set("hidden_size",
                        static_cast<std::int64_t>(json["attributes"]["hidden_size"].integer));
    const Json& inputs = json["inputs"];
    for (const char* name : {"X", "H", "C", "W", "R", "B"}) {
      if (inputs.has(name)) cell.inputs.push_back(tensor_of(inputs[name]));
    }
    std::vector<Cell> forms{cell};
    if (const Json* both = inputs.find("WR_legacy_alternative_to_W_and_R")) {
      Cell legacy = cell;
      legacy.inputs.erase(legacy.inputs.begin() + 3, legacy.inputs.begin() + 5);
      legacy.inputs.insert(legacy.inputs.begin() + 3, tensor_of(*both));
      forms.push_back(legacy);
    }
    for (const Cell& form : forms) {
      const std::vector<Tensor> whole = run(form, true, false);
      CHECK(worst_difference(whole[0], json["expected"]["Ho"]["data"].numbers()) < 2e-6);
      if (whole.size() > 1)
        CHECK(worst_difference(whole[1], json["expected"]["Co"]["data"].numbers()) < 2e-6);
      CHECK(same_bits(whole, run(form, false, false)));
      CHECK(same_bits(whole, run(form, true, true)));
      CHECK(same_bits(whole, run(form, false, true)));
    }
  }
}

}  // namespace

TEST_CASE("cells give OpenVINO's published numbers", "[graph]") {
  check_file("openvino_lstm_cell.json");
  check_file("openvino_gru_cell.json");
  check_file("openvino_rnn_cell.json");
}

TEST_CASE("cells of every kind against one unit at a time", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<ScalarType> types{ScalarType::f32, ScalarType::f32, ScalarType::f64,
                                      ScalarType::f16, ScalarType::bf16};
  const std::vector<std::string> names{"sigmoid", "tanh", "relu", "hardsigmoid"};
  const std::vector<std::string> written{"Sigmoid", "TANH", "ReLU", "HardSigmoid"};
  const std::vector<std::string> ops{"LSTMCell", "GRUCell", "RNNCell"};
  const std::vector<std::string> formats{"fico", "icof", "ifco", "ifoc", "iofc"};
  for (int round = 0; round < test::rounds(200); ++round) {
    const std::string op = random.pick(ops);
    const bool lstm = op == "LSTMCell", gru = op == "GRUCell";
    const ScalarType type = random.pick(types);
    NaiveCell naive{lstm  ? test::NaiveCellKind::lstm
                    : gru ? test::NaiveCellKind::gru
                          : test::NaiveCellKind::rnn,
                    random.integer(1, 5),
                    random.integer(1, 9),
                    random.chance(30) ? random.integer(14, 20) : random.integer(1, 9),
                    {},
                    {}};
    const std::int64_t gates = lstm ? 4 : gru ? 3 : 1, h = naive.h;
    const bool before_reset = gru && random.chance(50);
    const bool has_bias = random.chance(70), has_peepholes = lstm && has_bias && random.chance(40);
    const bool input_forget = lstm && random.chance(20);
    const std::string format = lstm && random.chance(50) ? random.pick(formats) : "fico";
    Cell cell{op, {}, {}};
    cell.attributes.set("hidden_size", h);
    const auto add = [&](const test::Dims& shape) {
      auto [tensor, values] = test::small_numbers(random, type, shape);
      cell.inputs.push_back(tensor);
      naive.in.push_back(values);
    };
    add({naive.n, naive.i});
    add({naive.n, h});
    if (lstm) add({naive.n, h});
    add({gates * h, naive.i});
    add({gates * h, h});
    if (has_bias) add({(before_reset ? 4 : gates) * h});
    if (has_peepholes) add({3 * h});
    naive.in.resize(lstm ? 7 : 5);
    const std::size_t count = lstm ? 3 : gru ? 2 : 1;
    naive.activations = lstm  ? std::vector<std::string>{"sigmoid", "tanh", "tanh"}
                        : gru ? std::vector<std::string>{"sigmoid", "tanh"}
                              : std::vector<std::string>{"tanh"};
    if (random.chance(50)) {
      std::vector<std::string> given;
      for (std::size_t i = 0; i < count; ++i) {
        const auto which = static_cast<std::size_t>(random.integer(0, 3));
        naive.activations[i] = names[which];
        given.push_back(written[which]);
      }
      cell.attributes.set("activations", given);
      cell.attributes.set("activations_alpha", std::vector<double>(count, 0.3));
      cell.attributes.set("activations_beta", std::vector<double>(count, 0.4));
    }
    if (random.chance(40)) {
      naive.clip = 0.7;
      cell.attributes.set("clip", naive.clip);
    }
    if (lstm && (format != "fico" || random.chance(50)))
      cell.attributes.set("weights_format", format);
    if (input_forget) cell.attributes.set("input_forget", true);
    if (before_reset) cell.attributes.set("linear_before_reset", true);

    naive.format = format;
    naive.input_forget = input_forget;
    naive.linear_before_reset = before_reset;
    const std::vector<std::vector<double>> wanted = naive.step();
    const std::vector<Tensor> whole = run(cell, true, false);
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      worst = std::max(worst, worst_difference(whole[i], wanted[i]));
    // 16-bit types round the sums between the two nodes of an expanded cell.
    const bool wide = weft::element_size(type) > 2;
    const bool same = same_bits(whole, run(cell, false, false)) &&
                      (!wide || (same_bits(whole, run(cell, true, true)) &&
                                 same_bits(whole, run(cell, false, true))));
    tally.check(worst < test::cell_tolerance(type) && same, [&](auto& text) {
      text << op << ' ' << weft::name(type) << " N " << naive.n << " I " << naive.i << " H " << h
           << " format " << format << " clip " << naive.clip << " bias " << has_bias
           << " peepholes " << has_peepholes << " input_forget " << input_forget
           << " linear_before_reset " << before_reset << ": off by " << worst << ", forms agree "
           << same;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cells refuse what does not fit, naming layer, input and attribute", "[graph]") {
  const auto zeros = [](const test::Dims& shape) { return Tensor::zeros(shape, ScalarType::f32); };
  const auto lstm = [&](Attributes attributes, std::vector<Tensor> inputs) {
    attributes.set("hidden_size", std::int64_t{2});
    run({"LSTMCell", std::move(attributes), std::move(inputs)}, true, false);
  };
  const Tensor x = zeros({3, 5}), state = zeros({3, 2}), w = zeros({8, 5}), r = zeros({8, 2}),
               b = zeros({8});
  lstm({}, {x, state, state, w, r, b});
  lstm({}, {x, state, state, w, r});
  lstm({}, {x, state, state, zeros({8, 7}), b});
  CHECK_ERROR(shape, ("LSTMCell 'cell'", "input 3 (W)", "[8, 5]"),
              lstm({}, {x, state, state, r, r, b}));
  CHECK_ERROR(shape, ("input 4 (R)", "[8, 2]"), lstm({}, {x, state, state, w, w, b}));
  CHECK_ERROR(shape, ("input 5 (B)", "[8]"), lstm({}, {x, state, state, w, r, zeros({6})}));
  CHECK_ERROR(shape, ("input 3 (WR)", "[8, 7]"), lstm({}, {x, state, state, w, b}));
  CHECK_ERROR(shape, ("input 2 (C)", "[3, 2]"), lstm({}, {x, state, zeros({2, 2}), w, r, b}));
  CHECK_ERROR(shape, ("input 0 (X)"), lstm({}, {zeros({2, 5}), state, state, w, r, b}));
  CHECK_ERROR(invalid_argument, ("inputs"), lstm({}, {x, state, state, w}));
  CHECK_ERROR(invalid_argument, ("activations", "'swish'"),
              lstm({{"activations", std::vector<std::string>{"swish", "tanh", "tanh"}}},
                   {x, state, state, w, r, b}));
  CHECK_ERROR(
      invalid_argument, ("activations", "expected 3"),
      lstm({{"activations", std::vector<std::string>{"tanh"}}}, {x, state, state, w, r, b}));
  CHECK_ERROR(invalid_argument, ("clip"), lstm({{"clip", -1.0}}, {x, state, state, w, r, b}));
  CHECK_ERROR(invalid_argument, ("weights_format", "'focus'"),
              lstm({{"weights_format", std::string("focus")}}, {x, state, state, w, r, b}));
  CHECK_ERROR(dtype, ("input 3"),
              lstm({}, {x, state, state, Tensor::zeros({8, 5}, ScalarType::f64), r, b}));
  CHECK_ERROR(shape, ("input 4 (B)", "[8]"),
              run({"GRUCell",
                   {{"hidden_size", std::int64_t{2}}, {"linear_before_reset", true}},
                   {x, state, zeros({6, 5}), zeros({6, 2}), zeros({6})}},
                  true, false));
}

TEST_CASE("types of cells follow from what is known", "[graph]") {
  Graph graph;
  const auto parameter = [&](PartialShape shape) {
    return graph.add_parameter({ScalarType::f32, std::move(shape)});
  };
  Node node;
  node.op = "LSTMCell";
  node.noutputs = 2;
  node.inputs = {parameter({-1, 5}), parameter({-1, 2}), parameter({3, -1}),
                 parameter({8, 5}),  parameter({8, 2}),  parameter({8})};
  const int cell = graph.add_node(std::move(node));
  graph.add_result({cell, 0});
  CHECK(Executable(graph).result_type(0).shape == PartialShape{3, 2});
}
