// SPDX-License-Identifier: Apache-2.0
// Models with loops and branches, from text to results.
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>
#include <weft/recurrent/loop.hpp>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/loop_text.hpp"
#include "support/net_text.hpp"
#include "xml.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace weft;
using test::LoopText;
using test::NetText;
using test::replaced;

namespace {

using Floats = std::vector<float>;

ir::Model build(const NetText& net) {
  return ir::build_model(test::read(net.text()), test::weights_of(net.weights()));
}

std::vector<Tensor> run(const ir::Model& model, const std::vector<TensorView>& inputs) {
  return model.program.run(inputs);
}

Floats floats(const Tensor& t) { return {t.data_as<float>(), t.data_as<float>() + t.numel()}; }

Tensor row(std::initializer_list<float> values) {
  return Tensor::of<float>({1, static_cast<std::int64_t>(values.size())}, values);
}

/// Running sums of x f32[1,n] from s f32[1,1] on: all of them, and the last. `more` goes to the
/// entries of x and of the sums.
NetText running_sum(const std::string& more_in = "axis=\"1\"",
                    const std::string& more_out = "axis=\"1\"", const std::string& n = "4") {
  NetText net;
  const auto x = net.parameter("x", "f32", "1," + n);
  const auto s = net.parameter("s", "f32", "1,1");
  NetText body = net.body();
  const auto xi = body.parameter("xi", "f32", "1,1");
  const auto si = body.parameter("si", "f32", "1,1");
  const int next = body.result("next", body.op("Add", {xi, si}));
  LoopText loop;
  loop.input(0, xi, more_in).input(1, si).output(2, next, more_out).output(3, next);
  loop.back_edge(next, si);
  const auto outs = net.layer("sums", "TensorIterator", "opset1", {x, s}, 2, "", loop.text(body));
  net.result("all", outs[0]);
  net.result("last", outs[1]);
  return net;
}

/// A Loop over `trips` that adds 1 to s f32[1] each time and goes on while the sum is below
/// `below`; gives the last sum, all of them, and the iterations' numbers.
NetText counted(std::int64_t trips, float below, bool start = true) {
  NetText net;
  const auto s = net.parameter("s", "f32", "1");
  const auto count = net.constant<std::int64_t>("", {trips});
  const auto go = net.constant<std::int8_t>("1", {static_cast<std::int8_t>(start)});
  NetText body = net.body();
  const auto i = body.parameter("i", "i64", "1");
  const auto si = body.parameter("si", "f32", "1");
  const auto sum = body.op("Add", {si, body.constant<float>("1", {1})});
  const int next = body.result("next", sum);
  const int again =
      body.result("again", body.op("Less", {sum, body.constant<float>("1", {below})}));
  const int number = body.result("number", i);
  LoopText loop;
  loop.input(2, si).input(-1, i, "purpose=\"current_iteration\"");
  loop.output(-1, again, "purpose=\"execution_condition\"");
  loop.output(3, next).output(4, next, "axis=\"0\"").output(5, number, "axis=\"0\"");
  loop.back_edge(next, si);
  const auto outs = net.layer("count", "Loop", "opset5", {count, go, s}, 3, "", loop.text(body));
  net.result("last", outs[0]);
  net.result("all", outs[1]);
  net.result("numbers", outs[2]);
  return net;
}

/// counted() with its condition constant stored as i8 read as the boolean it is meant to be.
ir::Model build_counted(const NetText& net) {
  const std::string text = replaced(net.text(), "element_type=\"i8\"", "element_type=\"boolean\"");
  return ir::build_model(test::read(text), test::weights_of(net.weights()));
}

}  // namespace

TEST_CASE("loop model: a variable of the body lasts from trip to trip and from run to run",
          "[model]") {
  NetText net;
  const auto x = net.parameter("x", "f32", "1,2");
  NetText body = net.body();
  const auto xi = body.parameter("xi", "f32", "1,1");
  const auto before =
      body.op("ReadValue", {body.constant<float>("1,1", {10})}, "variable_id=\"s\"", "opset3");
  const auto after = body.op("Add", {before, xi});
  body.layer("set", "Assign", "opset3", {after}, 0, "variable_id=\"s\"");
  const int next = body.result("next", after);
  LoopText loop;
  loop.input(0, xi, "axis=\"1\"").output(1, next, "axis=\"1\"");
  net.result("all", net.layer("sums", "TensorIterator", "opset1", {x}, 1, "", loop.text(body))[0]);
  const ir::Model model = build(net);
  graph::Frame frame(model.program);
  const Tensor given = row({1, 2});
  frame.plan(std::vector<TensorView>{given});
  frame.run();
  CHECK(floats(Tensor::copy_of(frame.result(0))) == Floats{11, 13});
  frame.run();
  CHECK(floats(Tensor::copy_of(frame.result(0))) == Floats{14, 16});
}

TEST_CASE("loop model: a TensorIterator that sums", "[loop]") {
  const ir::Model model = build(running_sum());
  CHECK(to_string(model.outputs[0].type) == "f32[1, 4]");
  const auto results = run(model, {row({1, 2, 3, 4}), row({10})});
  CHECK(floats(results[0]) == Floats{11, 13, 16, 20});
  CHECK(floats(results[1]) == Floats{20});
}

TEST_CASE("loop model: backwards, and in the order of time again", "[loop]") {
  const std::string back = "axis=\"1\" start=\"-1\" end=\"0\" stride=\"-1\"";
  CHECK(floats(run(build(running_sum(back, back)), {row({1, 2, 3, 4}), row({0})})[0]) ==
        Floats{10, 9, 7, 4});
  CHECK(floats(run(build(running_sum(back, "axis=\"1\"")), {row({1, 2, 3, 4}), row({0})})[0]) ==
        Floats{4, 7, 9, 10});
  CHECK(floats(run(build(running_sum("axis=\"-1\" start=\"1\" end=\"3\"", "axis=\"-1\"")),
                   {row({1, 2, 3, 4}), row({0})})[0]) == Floats{2, 5});
}

TEST_CASE("loop model: lengths that are known when it runs", "[loop]") {
  const ir::Model model = build(running_sum("axis=\"1\"", "axis=\"1\"", "?"));
  CHECK(floats(run(model, {row({1}), row({0})})[0]) == Floats{1});
  CHECK(floats(run(model, {row({1, 1, 1}), row({0})})[0]) == Floats{1, 2, 3});
  const auto none = run(model, {Tensor::zeros({1, 0}, ScalarType::f32), row({7})});
  CHECK(none[0].numel() == 0);
  CHECK(floats(none[1]) == Floats{7});  // the initial value
}

TEST_CASE("loop model: a Loop with a trip count", "[loop]") {
  const ir::Model model = build_counted(counted(4, 1000));
  const auto results = run(model, {Tensor::full({1}, ScalarType::f32, 5)});
  CHECK(floats(results[0]) == Floats{9});
  CHECK(floats(results[1]) == Floats{6, 7, 8, 9});
  const std::vector<std::int64_t> numbers = {0, 1, 2, 3};
  REQUIRE(results[2].numel() == 4);
  CHECK(std::equal(numbers.begin(), numbers.end(), results[2].data_as<std::int64_t>()));
}

TEST_CASE("loop model: a Loop with a condition", "[loop]") {
  for (const std::int64_t trips : {std::int64_t{-1}, std::int64_t{1} << 40, std::int64_t{6}}) {
    INFO(trips);
    // The trip that finds 6 not below 6 counts.
    const auto results =
        run(build_counted(counted(trips, 6)), {Tensor::zeros({1}, ScalarType::f32)});
    CHECK(floats(results[0]) == Floats{6});
    CHECK(floats(results[1]) == Floats{1, 2, 3, 4, 5, 6});
  }
  const auto none =
      run(build_counted(counted(4, 6, false)), {Tensor::full({1}, ScalarType::f32, 3)});
  CHECK(floats(none[0]) == Floats{3});
  CHECK(none[1].numel() == 0);
}

TEST_CASE("loop model: an If", "[loop][if]") {
  NetText net;
  const auto go = net.parameter("go", "boolean", "");
  const auto a = net.parameter("a", "f32", "2");
  const auto b = net.parameter("b", "f32", "2");
  NetText yes = net.body();
  const auto ya = yes.parameter("ya", "f32", "2");
  const auto yb = yes.parameter("yb", "f32", "2");
  LoopText yes_map;
  yes_map.input(2, yb).input(1, ya).output(0, yes.result("r", yes.op("Subtract", {ya, yb})));
  NetText no = net.body();
  const auto na = no.parameter("na", "f32", "2");
  LoopText no_map;
  no_map.input(1, na).output(0, no.result("r", no.op("Negative", {na})));
  net.result("y", net.layer("choice", "If", "opset8", {go, a, b}, 1, "",
                            test::if_text(yes, yes_map, no, no_map))[0]);
  const ir::Model model = build(net);
  const Tensor x = Tensor::of<float>({2}, {5, 7});
  const Tensor y = Tensor::of<float>({2}, {1, 2});
  CHECK(floats(run(model, {Tensor::of<bool>({}, {true}), x, y})[0]) == Floats{4, 5});
  CHECK(floats(run(model, {Tensor::of<bool>({}, {false}), x, y})[0]) == Floats{-5, -7});

  const std::string unmapped =
      replaced(net.text(), "<input external_port_id=\"2\" internal_layer_id=\"1\" />", "");
  CHECK_ERROR(parse,
              ("m.xml: layer 3 'choice' (If): then_body: layer 1 'yb' (Parameter)",
               "no entry of the port map leads to it"),
              ir::build_model(test::read(unmapped)));
}

TEST_CASE("loop model: a TensorIterator in a TensorIterator in a Loop in an If", "[loop][nested]") {
  NetText net;
  const auto go = net.parameter("go", "boolean", "1");
  const auto x = net.parameter("x", "f32", "3,4");
  const auto zero = net.constant<float>("1,1", {0});
  NetText yes = net.body();
  const auto yes_x = yes.parameter("x", "f32", "3,4");
  const auto yes_zero = yes.parameter("zero", "f32", "1,1");
  const auto trips = yes.constant<std::int64_t>("1", {2});
  const auto first = yes.op("Equal", {trips, trips});

  // Twice: s = s + sum of all of x, element by element.
  NetText loop = yes.body();
  const auto loop_x = loop.parameter("x", "f32", "3,4");
  const auto loop_s = loop.parameter("s", "f32", "1,1");
  const auto loop_go = loop.parameter("go", "boolean", "1");

  NetText rows = loop.body();
  const auto rows_x = rows.parameter("row", "f32", "1,4");
  const auto rows_s = rows.parameter("s", "f32", "1,1");

  NetText cells = rows.body();
  const auto cells_x = cells.parameter("cell", "f32", "1,1");
  const auto cells_s = cells.parameter("s", "f32", "1,1");
  const int cells_next = cells.result("next", cells.op("Add", {cells_x, cells_s}));
  LoopText cells_map;
  cells_map.input(0, cells_x, "axis=\"1\"").input(1, cells_s).output(2, cells_next);
  cells_map.back_edge(cells_next, cells_s);
  const auto cells_out = rows.layer("cells", "TensorIterator", "opset1", {rows_x, rows_s}, 1, "",
                                    cells_map.text(cells));
  const int rows_next = rows.result("next", cells_out[0]);
  LoopText rows_map;
  rows_map.input(0, rows_x, "axis=\"0\"").input(1, rows_s).output(2, rows_next);
  rows_map.back_edge(rows_next, rows_s);
  const auto rows_out =
      loop.layer("rows", "TensorIterator", "opset1", {loop_x, loop_s}, 1, "", rows_map.text(rows));

  const int loop_next = loop.result("next", rows_out[0]);
  const int loop_again = loop.result("again", loop_go);
  LoopText loop_map;
  loop_map.input(1, loop_go).input(2, loop_x).input(3, loop_s);
  loop_map.output(-1, loop_again, "purpose=\"execution_condition\"");
  loop_map.output(4, loop_next).output(5, loop_next, "axis=\"0\"");
  loop_map.back_edge(loop_next, loop_s).back_edge(loop_again, loop_go);
  const auto loop_out = yes.layer("twice", "Loop", "opset5", {trips, first, yes_x, yes_zero}, 2, "",
                                  loop_map.text(loop));
  LoopText yes_map;
  yes_map.input(1, yes_x).input(2, yes_zero);
  yes_map.output(0, yes.result("last", loop_out[0])).output(1, yes.result("all", loop_out[1]));

  NetText no = net.body();
  const auto no_zero = no.parameter("zero", "f32", "1,1");
  LoopText no_map;
  no_map.input(2, no_zero);
  no_map.output(0, no.result("last", no_zero)).output(1, no.result("all", no_zero));
  const auto outs = net.layer("maybe", "If", "opset8", {go, x, zero}, 2, "",
                              test::if_text(yes, yes_map, no, no_map));
  net.result("last", outs[0]);
  net.result("all", outs[1]);

  const ir::Model model = build(net);
  const Tensor values = Tensor::of<float>({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  auto results = run(model, {Tensor::of<bool>({1}, {true}), values});
  CHECK(floats(results[0]) == Floats{156});
  CHECK(floats(results[1]) == Floats{78, 156});
  results = run(model, {Tensor::of<bool>({1}, {false}), values});
  CHECK(floats(results[0]) == Floats{0});
}

TEST_CASE("loop model: a file before version 10", "[loop][legacy]") {
  const ir::Model model = ir::build_model(test::read(test::data_file("legacy_v5.xml")));
  REQUIRE(model.inputs.size() == 2);
  CHECK(model.inputs[0].name == "in1");
  CHECK(to_string(model.inputs[1].type) == "f32[1, 4]");
  REQUIRE(model.outputs.size() == 1);
  CHECK(model.outputs[0].name == "sums");
  const auto results = run(
      model, {Tensor::full({1, 12}, ScalarType::f32, 1), Tensor::full({1, 4}, ScalarType::f32, 1)});
  CHECK(floats(results[0]) == Floats{2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6});
}

TEST_CASE("loop model: a bare layer has the ids of its ports for names", "[loop][bare]") {
  const std::string net = running_sum().text();
  const std::size_t begin = net.find("<layer id=\"2\"");
  const std::size_t end = net.rfind("</layer>\n<layer id=\"3\"") + 8;
  std::string text = net.substr(begin, end - begin);
  // As in the documentation, which does not say the type of an input.
  text = replaced(text, "<input><port id=\"0\"/>",
                  "<input><port id=\"0\"><dim>1</dim><dim>4</dim></port>");
  text = replaced(text, "<port id=\"1\"/>", "<port id=\"1\"><dim>1</dim><dim>1</dim></port>");
  const ir::Model model = ir::build_model(test::read(text));
  REQUIRE(model.inputs.size() == 2);
  CHECK(model.inputs[1].name == "1");
  CHECK(to_string(model.inputs[0].type) == "f32[1, 4]");
  REQUIRE(model.outputs.size() == 2);
  CHECK(model.outputs[0].name == "2");
  CHECK(model.outputs[1].name == "3");
  CHECK(floats(run(model, {row({1, 2, 3, 4}), row({10})})[0]) == Floats{11, 13, 16, 20});
}

TEST_CASE("loop model: what its loops did", "[loop]") {
  const ir::Model model = build(running_sum());
  run(model, {row({1, 2, 3, 4}), row({10})});
  int loops = 0;
  for (const graph::Node& node : model.graph.nodes()) {
    if (node.op != "Loop") continue;
    ++loops;
    const recurrent::LoopReport report = recurrent::loop_report(node);
    CHECK(report.name == "sums");
    CHECK(report.trips == 4);
    CHECK(report.end == recurrent::LoopEnd::slices);
    REQUIRE(report.in_trips.size() == 1);
    CHECK(report.in_trips[0].kind == graph::PlanNote::Kind::fused);
    REQUIRE(report.in_trips[0].runs.size() == 1);
    CHECK(report.in_trips[0].runs[0].strategy == Strategy::line);
    CHECK(report.to_text().find("in every trip:\n    fused: Add") != std::string::npos);
  }
  CHECK(loops == 1);
}

TEST_CASE("bad input: slices that there cannot be", "[bad][slices]") {
  const auto with = [](const std::string& more) {
    return run(build(running_sum("axis=\"1\" " + more)), {row({1, 2, 3, 4}), row({0})});
  };
  const std::string at = "m.xml: ";
  CHECK_NOTHROW(with("start=\"0\" end=\"4\""));
  CHECK_ERROR(invalid_argument, (at, "layer 2", "'sums'", "stride"), with("stride=\"0\""));
  CHECK_ERROR(invalid_argument, (at, "'sums'", "part"), with("part_size=\"0\""));
  CHECK_ERROR(invalid_argument, (at, "'sums'", "part"), with("part_size=\"-1\""));
  CHECK_ERROR(bounds, (at, "'sums'", "end"), with("end=\"5\""));
  CHECK_ERROR(bounds, (at, "'sums'", "start"), with("start=\"-6\""));
  CHECK_ERROR(invalid_argument, (at, "'sums'", "start"), with("start=\"3\" end=\"1\""));
  CHECK_ERROR(shape, (at, "'sums'"), with("stride=\"2\""));
  CHECK_ERROR(bounds, (at, "'sums'"), with("end=\"9223372036854775807\""));
  CHECK_ERROR(bounds, (at, "'sums'"), with("start=\"-9223372036854775808\""));
  CHECK_ERROR(shape, (at, "'sums'"), with("stride=\"9223372036854775807\""));
  CHECK_ERROR(invalid_argument, (at, "'sums'", "stride"), with("stride=\"-9223372036854775808\""));
  CHECK_ERROR(axis, (at, "'sums'", "axis 2"), build(running_sum("axis=\"2\"")));
  CHECK_ERROR(axis, (at, "'sums'", "axis -3"), build(running_sum("axis=\"-3\"")));
  CHECK_ERROR(axis, (at, "'sums'", "axis 7"), build(running_sum("axis=\"1\"", "axis=\"7\"")));
  CHECK_ERROR(invalid_argument, (at, "'sums'", "stride"),
              build(running_sum("axis=\"1\"", "axis=\"1\" stride=\"0\"")));
}

TEST_CASE("bad input: inputs of a loop with different numbers of slices", "[bad][slices]") {
  NetText net;
  const auto a = net.parameter("a", "f32", "4");
  const auto b = net.parameter("b", "f32", "5");
  NetText body = net.body();
  const auto ai = body.parameter("ai", "f32", "1");
  const auto bi = body.parameter("bi", "f32", "1");
  const int sum = body.result("sum", body.op("Add", {ai, bi}));
  LoopText loop;
  loop.input(0, ai, "axis=\"0\"").input(1, bi, "axis=\"0\"").output(2, sum, "axis=\"0\"");
  net.result("y", net.layer("two", "TensorIterator", "opset1", {a, b}, 1, "", loop.text(body))[0]);
  CHECK_ERROR(shape, ("m.xml", "'two'", "4 slices", "'bi'", "has 5"), build(net));
}

TEST_CASE("bad input: Parameters of a loop that nothing feeds", "[bad][edges]") {
  const std::string text = running_sum().text();
  CHECK_ERROR(invalid_argument, ("m.xml: layer 2 'sums' (TensorIterator)", "back edge"),
              ir::build_model(test::read(
                  replaced(text, "<input external_port_id=\"1\" internal_layer_id=\"1\" />", ""))));
  CHECK_ERROR(
      invalid_argument, ("m.xml: layer 2 'sums' (TensorIterator)", "input 0", "port map"),
      ir::build_model(test::read(replaced(
          text, "<input external_port_id=\"0\" internal_layer_id=\"0\" axis=\"1\"/>", ""))));
  CHECK_ERROR(
      parse, ("m.xml: layer 2 'sums' (TensorIterator)", "'purpose' in a TensorIterator"),
      ir::build_model(test::read(replaced(text, "external_port_id=\"3\" internal_layer_id=\"3\" ",
                                          "external_port_id=\"3\" internal_layer_id=\"3\" "
                                          "purpose=\"execution_condition\""))));
  const NetText loop = counted(4, 9);
  std::string unconditional =
      replaced(loop.text(), "element_type=\"i8\"", "element_type=\"boolean\"");
  const std::size_t begin = unconditional.find("<output external_port_id=\"-1\"");
  unconditional.erase(begin, unconditional.find("/>", begin) + 2 - begin);
  CHECK_ERROR(invalid_argument, ("m.xml: layer 3 'count' (Loop)", "execution_condition"),
              ir::build_model(test::read(unconditional), test::weights_of(loop.weights())));
}

TEST_CASE("bad input: loops that would collect without end", "[bad][resources]") {
  const ir::Limits limits{.max_run_bytes = 1 << 20};
  const auto build_limited = [&](const NetText& net) {
    std::string text = net.text();
    if (text.find("\"i8\"") != std::string::npos)
      text = replaced(text, "element_type=\"i8\"", "element_type=\"boolean\"");
    return ir::build_model(test::read(text), test::weights_of(net.weights()), limits);
  };
  // Below 1e30 for ever: adding 1 does not get a float beyond 2^24.
  const ir::Model endless = build_limited(counted(-1, 1e30F));
  CHECK_ERROR(limit, ("'count'", "collects", "allowed are 1048576"),
              run(endless, {Tensor::zeros({1}, ScalarType::f32)}));
  // A count that is known beforehand is refused before the first trip.
  const ir::Model known = build_limited(running_sum("axis=\"1\"", "axis=\"1\"", "?"));
  CHECK_ERROR(limit, ("bytes for values"),
              run(known, {Tensor::zeros({1, 300000}, ScalarType::f32), row({0})}));
  CHECK_NOTHROW(run(known, {Tensor::zeros({1, 200000}, ScalarType::f32), row({0})}));

  // A state that doubles.
  NetText growing;
  const auto s = growing.parameter("s", "f32", "?");
  const auto count = growing.constant<std::int64_t>("", {60});
  const auto go = growing.constant<std::int8_t>("", {1});
  NetText body = growing.body();
  const auto si = body.parameter("si", "f32", "?");
  const auto twice = body.op("Concat", {si, si}, "axis=\"0\"");
  const int next = body.result("next", twice);
  const int again = body.result(
      "again", body.op("Equal", {body.constant<float>("", {1}), body.constant<float>("", {1})}));
  LoopText loop;
  loop.input(2, si).output(-1, again, "purpose=\"execution_condition\"").output(3, next);
  loop.back_edge(next, si);
  growing.result(
      "y", growing.layer("grow", "Loop", "opset5", {count, go, s}, 1, "", loop.text(body))[0]);
  CHECK_ERROR(limit, ("'grow'", "bytes for values"),
              run(build_limited(growing), {Tensor::zeros({1}, ScalarType::f32)}));
}

TEST_CASE("bad input: loops that would run without end", "[bad][resources]") {
  // Nothing is collected; the sum stays below 1e30 for ever. One loop of fixed shapes, and one
  // whose state may change its shape.
  for (const char* shape : {"1", "?"}) {
    INFO(shape);
    NetText net;
    const auto s = net.parameter("s", "f32", shape);
    const auto count = net.constant<std::int64_t>("", {-1});
    const auto one = net.constant<float>("1", {1});
    const auto go = net.op("Less", {net.constant<float>("", {0}), net.constant<float>("", {1})});
    NetText body = net.body();
    const auto si = body.parameter("si", "f32", shape);
    const auto step = body.parameter("step", "f32", "1");
    const auto sum = body.op("Add", {si, step});
    const int next = body.result("next", sum);
    const auto first = body.op("Gather", {sum, body.constant<std::int64_t>("", {0}),
                                          body.constant<std::int64_t>("", {0})});
    const int again =
        body.result("again", body.op("Less", {first, body.constant<float>("", {1e30F})}));
    LoopText loop;
    loop.input(2, si).input(3, step).output(-1, again, "purpose=\"execution_condition\"");
    loop.output(4, next).back_edge(next, si);
    net.result("y",
               net.layer("ever", "Loop", "opset5", {count, go, s, one}, 1, "", loop.text(body))[0]);
    const auto model = [&](std::int64_t most) {
      return ir::build_model(test::read(net.text()), test::weights_of(net.weights()),
                             {.max_trips = most});
    };
    const Tensor zero = Tensor::zeros({1}, ScalarType::f32);
    CHECK_ERROR(limit, ("m.xml: ", "layer ", "'ever'", "more than 1000 trips"),
                run(model(1000), {zero}));
  }
  // A loop that ends in time is no matter.
  const NetText net = counted(-1, 6);
  const std::string text = replaced(net.text(), "element_type=\"i8\"", "element_type=\"boolean\"");
  const auto exact = [&](std::int64_t most) {
    return ir::build_model(test::read(text), test::weights_of(net.weights()), {.max_trips = most});
  };
  CHECK_NOTHROW(run(exact(6), {Tensor::zeros({1}, ScalarType::f32)}));
  CHECK_ERROR(limit, ("'count'", "more than 5 trips"),
              run(exact(5), {Tensor::zeros({1}, ScalarType::f32)}));
}
