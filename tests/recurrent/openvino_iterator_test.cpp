// SPDX-License-Identifier: Apache-2.0
// OpenVINO's cases of TensorIterator, and of cells, which run as the body of a loop of one trip
// too.
#include <weft/recurrent/loop.hpp>

#include "recurrent/loops.hpp"
#include "support/errors.hpp"

#include <map>

namespace {

using namespace test;

const Json& cases(std::string_view file) {
  static std::map<std::string, Json> files;
  const auto [at, fresh] = files.try_emplace(std::string(file));
  if (fresh) at->second = read_json("openvino/openvino_" + at->first + ".json");
  return at->second["cases"];
}
const Json& iterator_case(std::string_view name) {
  for (const Json& one : cases("tensor_iterator")) {
    if (one["name"].string == name) return one;
  }
  throw std::out_of_range("no case " + std::string(name));
}
Tensor input(const Json& json, const char* name) { return tensor_of(json["inputs"][name]); }

weft::graph::Attributes attributes_of(const Json& json) {
  weft::graph::Attributes out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string& name = json.names[i];
    const Json& value = json.items[i];
    if (value.is(Json::Kind::array)) {
      out.set(name, value.strings());
    } else if (value.is(Json::Kind::boolean)) {
      out.set(name, value.boolean);
    } else if (value.is(Json::Kind::number)) {
      out.set(name, value.number);
    }
  }
  if (json.has("hidden_size")) out.set("hidden_size", json["hidden_size"].integer);
  return out;
}

void check(const Json& json, const std::vector<Tensor>& got, const std::vector<std::string>& names,
           double tolerance) {
  REQUIRE(got.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    INFO("output " << names[i]);
    CHECK(difference(got[i], tensor_of(json["expected"][names[i]]), tolerance) == "");
  }
}

/// The structure of the specification's second example: X sliced along axis 1, an LSTM cell, its
/// hidden state with the axis put back collected.
struct LstmLoop {
  PortMap map;
  Graph body;
  std::vector<Tensor> inputs;

  LstmLoop(const Json& json, bool legacy, bool weights_as_inputs) {
    const bool backwards = json["port_map"]["X"].string.find("stride=-1") != std::string::npos;
    const weft::recurrent::PortRange range =
        backwards ? weft::recurrent::PortRange{-1, 0, -1} : weft::recurrent::PortRange{};
    const Tensor x = input(json, "X"), h = input(json, "H0"), c = input(json, "C0");
    const std::int64_t rows = x.extent(0), columns = x.extent(2), units = h.extent(1);
    inputs = {x, h, c};
    const Value slice = body.add_parameter({ScalarType::f32, {rows, 1, columns}}, "X");
    const Value h_in = body.add_parameter(type_of(h), "H"),
                c_in = body.add_parameter(type_of(c), "C");
    map.name = "lstm";
    map.inputs = {{.input = 0, .parameter = 0, .axis = 1, .range = range},
                  {.input = 1, .parameter = 1},
                  {.input = 2, .parameter = 2}};
    const auto weight = [&](const char* name) {
      const Tensor value = input(json, name);
      if (!weights_as_inputs) return body.add_constant(value, name);
      const int parameter = static_cast<int>(body.parameters().size());
      map.inputs.push_back({.input = static_cast<int>(inputs.size()), .parameter = parameter});
      inputs.push_back(value);
      return body.add_parameter(type_of(value), name);
    };
    weft::graph::Node cell;
    cell.op = "LSTMCell";
    cell.noutputs = 2;
    cell.attributes = attributes_of(json["attributes"]);
    cell.inputs = {reshape(body, slice, {rows, columns}), h_in, c_in};
    if (legacy) {
      cell.inputs.push_back(weight("WR_legacy_alternative_to_W_and_R"));
    } else {
      cell.inputs.push_back(weight("W"));
      cell.inputs.push_back(weight("R"));
    }
    cell.inputs.push_back(weight("B"));
    const int made = body.add_node(std::move(cell));
    const Value h_out{made, 0}, c_out{made, 1};
    body.add_result(c_out);
    body.add_result(h_out);
    body.add_result(reshape(body, h_out, {rows, 1, units}));
    map.back_edges = {{.result = 0, .parameter = 2}, {.result = 1, .parameter = 1}};
    map.outputs = {{.output = 0, .result = 2, .axis = 1, .range = range},
                   {.output = 1, .result = 1},
                   {.output = 2, .result = 0}};
  }
};

}  // namespace

TEST_CASE("openvino iterator: two sliced inputs along different axes", "[recurrent]") {
  const Json& json = iterator_case("tensor_iterator_dynamic_inputs");
  Graph body;
  const Value x = body.add_parameter({ScalarType::f32, {1, 1}}),
              y = body.add_parameter({ScalarType::f32, {1, 1}});
  const Value m = body.add_parameter({ScalarType::f32, {1, 1}});
  body.add_result(body.add("Multiply", {body.add("Add", {x, y}), m}));
  PortMap map;
  map.inputs = {{.input = 0, .parameter = 0, .axis = 1},
                {.input = 1, .parameter = 1, .axis = 0},
                {.input = 2, .parameter = 2}};
  map.back_edges = {{.result = 0, .parameter = 2}};
  map.outputs = {{.output = 0, .result = 0}};
  check(json, run_loop(map, body, {input(json, "X"), input(json, "Y"), input(json, "M")}), {"out"},
        0);
}

TEST_CASE("openvino iterator: running sum", "[recurrent]") {
  const Json& json = iterator_case("scan_running_sum");
  Graph body;
  const Value s = body.add_parameter({ScalarType::f32, {1}}),
              x = body.add_parameter({ScalarType::f32, {1, 1}});
  const Value sum = body.add("Add", {s, reshape(body, x, {1})});
  body.add_result(sum);
  body.add_result(reshape(body, sum, {1, 1}));
  PortMap map;
  map.inputs = {{.input = 0, .parameter = 0}, {.input = 1, .parameter = 1, .axis = 0}};
  map.back_edges = {{.result = 0, .parameter = 0}};
  map.outputs = {{.output = 0, .result = 0}, {.output = 1, .result = 1, .axis = 0}};
  check(json, run_loop(map, body, {input(json, "state"), input(json, "seq")}),
        {"out_final", "out_scan"}, 0);
}

TEST_CASE("openvino iterator: a stride without a part size is the part size", "[recurrent]") {
  const Json& json = iterator_case("legacy_stride_is_chunk");
  for (const bool declared : {false, true}) {
    Graph body;
    const PartialShape slice =
        declared ? PartialShape{1, 4} : PartialShape{1, PartialShape::unknown};
    const Value x = body.add_parameter({ScalarType::f32, slice}),
                before = body.add_parameter({ScalarType::f32, {1, 4}});
    const Value out = body.add("Add", {x, before});
    body.add_result(out);
    body.add_result(body.add("Add", {out, body.add_constant(floats({}, {1}))}));
    PortMap map;
    map.inputs = {{.input = 0, .parameter = 0, .axis = 1, .range = {.stride = 4}},
                  {.input = 1, .parameter = 1}};
    map.back_edges = {{.result = 1, .parameter = 1}};
    map.outputs = {{.output = 0, .result = 0, .axis = 1, .range = {.stride = 4}}};
    check(json, run_loop(map, body, {input(json, "in1"), input(json, "in2")}), {"out1"}, 0);
  }
}

TEST_CASE("openvino iterator: LSTM forwards and backwards, weights in any form", "[recurrent]") {
  for (const char* name : {"lstm_forward_seed_structure", "lstm_reverse_seed_structure"}) {
    const Json& json = iterator_case(name);
    for (const bool legacy : {false, true}) {
      for (const bool as_inputs : {false, true}) {
        INFO(name << " legacy " << legacy << " weights as inputs " << as_inputs);
        LstmLoop loop(json, legacy, as_inputs);
        std::vector<ValueType> types;
        for (const Tensor& tensor : loop.inputs)
          types.push_back(type_of(tensor));
        const LoopProgram program(loop.map, loop.body, types);
        check(json, program.run(loop.inputs), {"Y", "Ho", "Co"}, 3e-6);
        const LoopReport report = program.report();
        CHECK(report.trips == 4);
        // The product of X is taken out of the trips wherever W can be told from R.
        CHECK(report.blocked.empty() == (legacy && as_inputs));
      }
    }
  }
}

TEST_CASE("openvino cells: alone and in a loop of one trip", "[recurrent]") {
  for (const char* file : {"lstm_cell", "gru_cell", "rnn_cell"}) {
    for (const Json& json : cases(file)) {
      INFO(json["name"].string);
      const std::string& op = json["op"].string;
      const bool lstm = op == "LSTMCell";
      for (const bool legacy : {false, true}) {
        if (legacy && !(lstm && json["inputs"].has("WR_legacy_alternative_to_W_and_R"))) continue;
        std::vector<const char*> names = {"X", "H"};
        if (lstm) names.push_back("C");
        if (legacy) {
          names.push_back("WR_legacy_alternative_to_W_and_R");
        } else {
          names.insert(names.end(), {"W", "R"});
        }
        if (json["inputs"].has("B")) names.push_back("B");
        Graph body;
        weft::graph::Node cell;
        cell.op = op;
        cell.attributes = attributes_of(json["attributes"]);
        cell.noutputs = lstm ? 2 : 1;
        LoopSpec spec;
        spec.name = "cell";
        std::vector<Tensor> inputs;
        for (const char* name : names) {
          const Tensor tensor = input(json, name);
          const int number = static_cast<int>(inputs.size());
          inputs.push_back(tensor);
          const std::string key = name;
          if (key == "X") {
            inputs.back() = Tensor::share(tensor.owner(), tensor.unsqueeze(0));
            spec.iterators.push_back({.input = number, .parameter = number});
          } else if (key == "H" || key == "C") {
            spec.states.push_back(
                {.input = number, .parameter = number, .result = key == "H" ? 0 : 1});
          } else {
            spec.invariants.push_back({.input = number, .parameter = number});
          }
          cell.inputs.push_back(body.add_parameter(type_of(tensor), name));
        }
        const int outputs = cell.noutputs;
        const int made = body.add_node(std::move(cell));
        for (int o = 0; o < outputs; ++o) {
          body.add_result({made, o});
          spec.outputs.push_back({.kind = LoopOutputKind::last_state, .state = o});
        }
        const double tolerance = json["suggested_tolerance_f32"].number;
        std::vector<std::string> expected = {"Ho"};
        if (lstm) expected.push_back("Co");
        check(json, run_loop(spec, body, inputs), expected, tolerance);
      }
    }
  }
}
