// SPDX-License-Identifier: Apache-2.0
// OpenVINO's cases of Loop and TensorIterator, as weft's port maps.
#include <weft/recurrent/loop.hpp>

#include "recurrent/loops.hpp"
#include "support/errors.hpp"

#include <functional>
#include <map>
#include <set>

namespace {

using namespace test;

const Json& cases(const char* file) {
  static std::map<std::string, Json> files;
  const auto [at, fresh] = files.try_emplace(file);
  if (fresh) at->second = read_json(file);
  return at->second["cases"];
}
const Json& case_named(const char* file, std::string_view name) {
  for (const Json& one : cases(file)) {
    if (one["name"].string == name) return one;
  }
  throw std::out_of_range("no case " + std::string(name));
}

/// A Loop in the making: inputs 0 and 1 are its trip count and condition.
struct LoopCase {
  explicit LoopCase(const Json& description) : json(description) {
    map.kind = PortMap::Kind::loop;
    map.name = json["name"].string;
    inputs = {integers({}, {}), truth(json["execution_condition"].boolean)};
    *inputs[0].data_as<std::int64_t>() = json["trip_count"].integer;
  }

  const Json& json;
  PortMap map;
  Graph body;
  std::vector<Tensor> inputs;

  Tensor input(const std::string& name, ScalarType same = ScalarType::f32) const {
    const Json& in = json["inputs"][name];
    const std::string& type = in["type"].string;
    const bool named = type != "same" && type.find("any") == std::string::npos;
    return tensor_of(named ? type_named(type) : same, in["shape"].integers(), in["data"].numbers());
  }
  /// A parameter of the body that an input of the layer feeds.
  Value feed(const Tensor& tensor, std::optional<std::int64_t> axis = {}) {
    const int number = static_cast<int>(body.parameters().size());
    map.inputs.push_back(
        {.input = static_cast<int>(inputs.size()), .parameter = number, .axis = axis});
    inputs.push_back(tensor);
    ValueType type = type_of(tensor);
    if (axis) {
      weft::DimVector shape(tensor.shape().begin(), tensor.shape().end());
      shape[static_cast<std::size_t>(*axis)] = 1;
      type.shape = PartialShape(shape);
    }
    return body.add_parameter(type, "p" + std::to_string(number));
  }
  Value feed(const std::string& name, std::optional<std::int64_t> axis = {}) {
    return feed(input(name), axis);
  }
  Value iteration(PartialShape shape = {}, ScalarType type = ScalarType::i64) {
    map.current_iteration = static_cast<int>(body.parameters().size());
    return body.add_parameter({type, std::move(shape)}, "iteration");
  }
  void condition(Value value) { map.condition = body.add_result(value, "condition"); }
  void always() { condition(body.add_constant(tensor_of(ScalarType::boolean, {1}, {1}))); }
  void carry(int result, Value parameter) {
    for (std::size_t p = 0; p < body.parameters().size(); ++p) {
      if (body.parameters()[p] == parameter.node)
        map.back_edges.push_back({.result = result, .parameter = static_cast<int>(p)});
    }
  }
  void give(int result, std::optional<std::int64_t> axis = {}) {
    map.outputs.push_back(
        {.output = static_cast<int>(map.outputs.size()), .result = result, .axis = axis});
  }

  void check(const std::vector<std::string>& outputs, ScalarType same = ScalarType::f32) {
    INFO("case " << map.name);
    std::vector<ValueType> types;
    for (const Tensor& input : inputs)
      types.push_back(type_of(input));
    const LoopProgram program(map, body, types);
    const std::vector<Tensor> got = program.run(inputs);
    REQUIRE(got.size() == outputs.size());
    CHECK(program.report().trips == json["iterations"].integer);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Json& expected = json["expected"][outputs[i]];
      const std::string& type = expected["type"].string;
      INFO("output " << outputs[i]);
      CHECK(difference(got[i],
                       tensor_of(type == "same" ? same : type_named(type),
                                 expected["shape"].integers(), expected["data"].numbers())) == "");
    }
  }
};

Value number(Graph& graph, double value, ScalarType type = ScalarType::f32) {
  return graph.add_constant(tensor_of(type, {}, {value}));
}

/// a_out = a_in + {1, 1}; the condition is i < limit; scan of a_out.
void counting(LoopCase& loop, double limit) {
  const Value a = loop.feed("a_init");
  const Value i = loop.iteration();
  const Value ones = loop.body.add_constant(floats({2}, {1, 1}));
  const Value sum = loop.body.add("Add", {a, ones});
  const int final = loop.body.add_result(sum);
  const int row = loop.body.add_result(reshape(loop.body, sum, {1, 1, 2}));
  loop.condition(loop.body.add("Less", {i, number(loop.body, limit, ScalarType::i64)}));
  loop.carry(final, a);
  loop.give(final);
  loop.give(row, 0);
  loop.check({"a_final", "a_values"});
}

constexpr const char* loop_file = "openvino/openvino_loop.json";
constexpr const char* iterator_file = "openvino/openvino_tensor_iterator.json";

}  // namespace

TEST_CASE("openvino loop: dynamic inputs", "[recurrent]") {
  LoopCase loop(case_named(loop_file, "loop_dynamic_inputs"));
  const Value x = loop.feed("X"), y = loop.feed("Y"), m = loop.feed("M");
  const int out =
      loop.body.add_result(loop.body.add("Multiply", {loop.body.add("Add", {x, y}), m}));
  loop.always();
  loop.carry(out, m);
  loop.give(out);
  loop.check({"out"});
}

TEST_CASE("openvino loop: every element type, one result mapped three ways", "[recurrent]") {
  for (const char* name : {"loop_for_common_trip1", "loop_for_common_trip5"}) {
    for (const ScalarType type :
         {ScalarType::i8, ScalarType::i16, ScalarType::i32, ScalarType::i64, ScalarType::u8,
          ScalarType::u16, ScalarType::u32, ScalarType::u64, ScalarType::f16, ScalarType::bf16,
          ScalarType::f32, ScalarType::f64}) {
      const Json& json = case_named(loop_file, name);
      LoopCase loop(json);
      if (!json["inputs"].has("A")) continue;
      const Value a = loop.feed(loop.input("A", type)), b = loop.feed(loop.input("B", type));
      const Value m = loop.feed(loop.input("M", type));
      const int out = loop.body.add_result(loop.body.add("Add", {m, loop.body.add("Add", {b, a})}));
      loop.always();
      loop.carry(out, m);
      if (json["expected"].has("cond")) loop.give(*loop.map.condition);
      loop.give(out);
      loop.give(out, 1);
      loop.check({"cond", "last", "concat"}, type);
    }
  }
}

TEST_CASE("openvino loop: the IR file's loop", "[recurrent]") {
  // The condition comes in by a parameter, and is handed on as it is.
  LoopCase loop(case_named(loop_file, "loop_2d_add_ir_file"));
  const Value a = loop.feed("a_init");
  loop.map.inputs.push_back({.input = 1, .parameter = 1});
  const Value go = loop.body.add_parameter({ScalarType::boolean, {}}, "condition");
  const Value sum = loop.body.add("Add", {a, loop.body.add_constant(floats({1, 2}, {1, 1}))});
  const int final = loop.body.add_result(sum);
  const int row = loop.body.add_result(reshape(loop.body, sum, {1, 1, 2}));
  loop.condition(go);
  loop.carry(*loop.map.condition, go);
  loop.carry(final, a);
  loop.give(final);
  loop.give(row, 0);
  loop.check({"a_final", "a_values"});
}

TEST_CASE("openvino loop: while, do-while, for with condition", "[recurrent]") {
  for (const char* name : {"while_trip_minus_1", "while_trip_int64_max", "for_with_condition"}) {
    LoopCase loop(case_named(loop_file, name));
    counting(loop, 5);
  }
  LoopCase do_while(case_named(loop_file, "do_while_const_cond"));
  counting(do_while, 3);
}

TEST_CASE("openvino loop: condition false at first", "[recurrent]") {
  LoopCase loop(case_named(loop_file, "condition_false_at_first"));
  counting(loop, 5);
}

TEST_CASE("openvino loop: endless, stopped by the first condition of the body", "[recurrent]") {
  LoopCase loop(case_named(loop_file, "loop_infinite_stops_on_cond"));
  const Value carried = loop.feed("carried"), outer = loop.feed("outer");
  const int kept = loop.body.add_result(carried), scan = loop.body.add_result(outer);
  loop.condition(loop.body.add_constant(truth(false)));
  loop.carry(kept, carried);
  loop.give(kept);
  loop.give(scan, 0);
  loop.check({"final", "scan"});
}

TEST_CASE("openvino loop: numbers without axes", "[recurrent]") {
  LoopCase loop(case_named(loop_file, "scalars"));
  const Value a = loop.feed("a_init");
  const Value sum = loop.body.add("Add", {a, number(loop.body, 1)});
  const int final = loop.body.add_result(sum);
  loop.always();
  loop.carry(final, a);
  loop.give(final);
  loop.give(final, 0);  // joined to a row
  loop.check({"a_final", "a_values"});
}

TEST_CASE("openvino loop: current iteration", "[recurrent]") {
  for (const ScalarType type : {ScalarType::i32, ScalarType::i64}) {
    for (const PartialShape& shape : {PartialShape({}), PartialShape({1})}) {
      LoopCase loop(case_named(loop_file, "current_iteration_power"));
      const Value carried = loop.feed("pow_init");
      const Value i = loop.iteration(shape, type);
      const Value wide = loop.body.add("Convert", {i}, {{"destination_type", std::string("i64")}});
      const Value power = reshape(loop.body, loop.body.add("Multiply", {wide, wide}), {1});
      const int final = loop.body.add_result(power);
      loop.always();
      loop.carry(final, carried);
      loop.give(final);
      loop.give(final, 0);
      loop.check({"pow_final", "pow_scans"});
    }
  }
}

TEST_CASE("openvino loop: zero trips keep the carried value", "[recurrent]") {
  for (const bool by_count : {true, false}) {
    LoopCase loop(case_named(loop_file, "zero_iterations_carried_value"));
    if (!by_count) {
      *loop.inputs[0].data_as<std::int64_t>() = 5;
      loop.inputs[1] = truth(false);
    }
    const Value x = loop.feed("input");
    const int out = loop.body.add_result(loop.body.add("Add", {x, number(loop.body, 1)}));
    loop.always();
    loop.carry(out, x);
    loop.give(out);
    std::vector<Tensor> got = run_loop(loop.map, loop.body, loop.inputs);
    const Tensor input = loop.input("input");
    CHECK(difference(got[0], input) == "");
    const std::vector<double> expected = loop.json["expected"]["result"]["data"].numbers();
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(doubles(got[0])[i] + doubles(input)[i] == expected[i]);
  }
}

TEST_CASE("openvino loop: counters", "[recurrent]") {
  for (const char* name : {"while_counter_trip3", "while_counter_trip8"}) {
    LoopCase loop(case_named(loop_file, name));
    const Value i = loop.feed("i"), x = loop.feed("x");
    const Value go = loop.body.add("Less", {i, number(loop.body, 10, ScalarType::i64)});
    const int next =
        loop.body.add_result(loop.body.add("Add", {i, number(loop.body, 2, ScalarType::i64)}));
    const int out = loop.body.add_result(loop.body.add("Add", {x, number(loop.body, 2)}));
    loop.condition(go);
    loop.carry(next, i);
    loop.carry(out, x);
    loop.give(next);
    loop.give(out);
    loop.check({"i_last", "x_last"});
  }
}

TEST_CASE("openvino loop: the iteration's number as a value", "[recurrent]") {
  for (const bool exits : {false, true}) {
    LoopCase loop(case_named(loop_file, "idx_accumulate"));
    const Value data = loop.feed("data");
    const Value i = loop.iteration({1});
    const Value sum = loop.body.add(
        "Add", {data, loop.body.add("Convert", {i}, {{"destination_type", std::string("f32")}})});
    const int out = loop.body.add_result(sum);
    if (exits) {
      *loop.inputs[0].data_as<std::int64_t>() = 100;
      loop.condition(loop.body.add("Less", {i, number(loop.body, 3, ScalarType::i64)}));
    } else {
      loop.always();
    }
    loop.carry(out, data);
    loop.give(out, 0);
    loop.check({"concat"});
  }
}

TEST_CASE("openvino loop: slices, fewer trips than there are", "[recurrent]") {
  for (const char* name : {"sliced_shorter_trip", "sliced_dynamic_exit"}) {
    LoopCase loop(case_named(loop_file, name));
    const Value x = loop.feed("x", 0), s = loop.feed("s0");
    const int out = loop.body.add_result(loop.body.add("Add", {s, x}));
    if (std::string(name) == "sliced_dynamic_exit") {
      const Value i = loop.iteration();
      loop.condition(loop.body.add("Less", {i, number(loop.body, 3, ScalarType::i64)}));
    } else {
      loop.always();
    }
    loop.carry(out, s);
    loop.give(out);
    loop.check({"last"});
  }
}

TEST_CASE("openvino loop: two states change places", "[recurrent]") {
  LoopCase loop(case_named(loop_file, "swap_back_edges"));
  const Value a = loop.feed("a"), b = loop.feed("b");
  const int a_out = loop.body.add_result(b), b_out = loop.body.add_result(a);
  loop.always();
  loop.carry(a_out, a);
  loop.carry(b_out, b);
  loop.give(a_out);
  loop.give(b_out);
  loop.give(a_out, 0);
  loop.check({"a_last", "b_last", "a_concat"});
}

TEST_CASE("openvino loop: Fibonacci", "[recurrent]") {
  LoopCase loop(case_named(loop_file, "fibonacci"));
  const Value a = loop.feed("a"), b = loop.feed("b");
  const int a_out = loop.body.add_result(b);
  const int b_out = loop.body.add_result(loop.body.add("Add", {a, b}));
  loop.always();
  loop.carry(a_out, a);
  loop.carry(b_out, b);
  loop.give(a_out);
  loop.give(a_out, 0);
  loop.check({"a_last", "a_concat"});
}

TEST_CASE("openvino loop: a state that grows, collected at every length", "[recurrent]") {
  LoopCase loop(case_named(loop_file, "growing_carried_and_ragged_scan"));
  const Value v = loop.feed("v_init");
  loop.body.node(v.node).type.shape = {PartialShape::unknown};
  const Value i = loop.iteration({1});
  const Value next = loop.body.add("Add", {i, number(loop.body, 1, ScalarType::i64)});
  const int out =
      loop.body.add_result(loop.body.add("Concat", {v, next}, {{"axis", std::int64_t{0}}}));
  loop.always();
  loop.carry(out, v);
  loop.give(out);
  loop.give(out, 0);
  loop.check({"final", "ragged_scan"});
}

TEST_CASE("openvino loop: a state that becomes empty", "[recurrent]") {
  const Json& json = case_named(loop_file, "zero_extent_back_edge");
  LoopSpec spec;
  spec.name = "shrinking";
  spec.most_trips = json["trip_count"].integer;
  Graph body;
  const Value x = body.add_parameter({ScalarType::f32, {2, 10, 10}});
  const auto at = [&](double value) { return body.add_constant(integers({1}, {value})); };
  body.add_result(body.add("Slice", {x, at(0), at(0), at(1), at(0)}));
  spec.states = {{.input = 0, .parameter = 0, .result = 0}};
  spec.outputs = {{.kind = LoopOutputKind::last_state, .state = 0}};
  const std::vector<Tensor> got =
      run_loop(spec, body, {Tensor::zeros({2, 10, 10}, ScalarType::f32)});
  CHECK(difference(got[0], tensor_of(json["expected"]["last"])) == "");
}

TEST_CASE("openvino loop: no case is left out", "[recurrent]") {
  // Those of the tests above; a case that is added to the file needs one.
  const std::set<std::string> tested = {"loop_dynamic_inputs",
                                        "loop_for_common_trip1",
                                        "loop_for_common_trip5",
                                        "loop_2d_add_ir_file",
                                        "while_trip_minus_1",
                                        "while_trip_int64_max",
                                        "do_while_const_cond",
                                        "for_with_condition",
                                        "loop_infinite_stops_on_cond",
                                        "scalars",
                                        "current_iteration_power",
                                        "growing_carried_and_ragged_scan",
                                        "condition_false_at_first",
                                        "zero_iterations_carried_value",
                                        "zero_extent_back_edge",
                                        "while_counter_trip3",
                                        "while_counter_trip8",
                                        "idx_accumulate",
                                        "sliced_shorter_trip",
                                        "sliced_dynamic_exit",
                                        "swap_back_edges",
                                        "fibonacci"};
  for (const Json& json : cases(loop_file))
    CHECK(tested.contains(json["name"].string));
  CHECK(cases(loop_file).size() == 22);
  CHECK(cases(iterator_file).size() == 5);
}
