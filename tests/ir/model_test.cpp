// SPDX-License-Identifier: Apache-2.0
// Models without loops, from text to results.
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>
#include <weft/ops/copy.hpp>

#include "support/catch.hpp"
#include "support/net_text.hpp"
#include "xml.hpp"

#include <cstring>
#include <string>
#include <vector>

using namespace weft;
using test::NetText;

namespace {

ir::Model build(const NetText& net) {
  return ir::build_model(test::read(net.text()), test::weights_of(net.weights()));
}

std::vector<Tensor> run(const ir::Model& model, const std::vector<TensorView>& inputs) {
  return model.program.run(inputs);
}

std::vector<float> floats(const Tensor& t) {
  return {t.data_as<float>(), t.data_as<float>() + t.numel()};
}

}  // namespace

TEST_CASE("model: a parameter, an operation, a result", "[model]") {
  const ir::Model model = ir::build_model(test::read(test::small_net()));
  CHECK(model.name == "small");
  REQUIRE(model.inputs.size() == 1);
  CHECK(model.inputs[0].name == "in");
  CHECK(model.inputs[0].id == "0");
  CHECK(to_string(model.inputs[0].type) == "f32[2, 3]");
  REQUIRE(model.outputs.size() == 1);
  CHECK(model.outputs[0].name == "out");
  CHECK(to_string(model.outputs[0].type) == "f32[2, 3]");
  CHECK(ir::find_port(model.inputs, "in") == 0);
  CHECK(ir::find_port(model.inputs, "0") == 0);
  CHECK(ir::find_port(model.inputs, "out") == -1);
  const Tensor x = Tensor::of<float>({2, 3}, {-1, 2, -3, 4, -5, 6});
  CHECK(floats(run(model, {x})[0]) == std::vector<float>{0, 2, 0, 4, 0, 6});
}

TEST_CASE("model: inputs and outputs in the file's order, names before ids", "[model]") {
  NetText net;
  const auto b = net.parameter("1", "f32", "2");  // called 1, with id 0
  const auto a = net.parameter("a", "f32", "2");  // called a, with id 1
  net.result("first", net.op("Subtract", {a, b}));
  net.result("second", net.op("Add", {a, b}));
  const ir::Model model = build(net);
  CHECK(ir::find_port(model.inputs, "1") == 0);
  CHECK(ir::find_port(model.inputs, "0") == 0);
  CHECK(ir::find_port(model.inputs, "a") == 1);
  const Tensor one = Tensor::of<float>({2}, {1, 2});
  const Tensor ten = Tensor::of<float>({2}, {10, 20});
  const auto results = run(model, {one, ten});
  CHECK(floats(results[0]) == std::vector<float>{9, 18});
  CHECK(floats(results[1]) == std::vector<float>{11, 22});
}

TEST_CASE("model: constants are views of the weights where they can be", "[model]") {
  NetText net;
  const auto x = net.parameter("x", "f32", "2");
  const auto aligned = net.constant<float>("2", {1, 2});
  net.constant<std::int8_t>("1", {7});
  const auto odd = net.constant<float>("2", {10, 20});  // at byte 9
  net.result("y", net.op("Add", {net.op("Add", {x, aligned}), odd}));
  const Tensor weights = test::weights_of(net.weights());
  const ir::Model model = ir::build_model(test::read(net.text()), weights);
  const auto* first = static_cast<const std::byte*>(weights.data());
  int shared = 0;
  int copied = 0;
  for (const graph::Node& node : model.graph.nodes()) {
    if (node.kind != graph::NodeKind::constant || node.constant.dtype() != ScalarType::f32)
      continue;
    const auto* at = static_cast<const std::byte*>(node.constant.data());
    (at >= first && at < first + weights.numel() ? shared : copied) += 1;
  }
  CHECK(shared == 1);
  CHECK(copied == 1);
  CHECK(floats(run(model, {Tensor::of<float>({2}, {100, 200})})[0]) ==
        std::vector<float>{111, 222});
}

TEST_CASE("model: bools of other bytes than 0 and 1", "[model]") {
  NetText net;
  const auto c = net.constant<std::int8_t>("3", {0, 2, -1});
  const auto a = net.parameter("a", "f32", "3");
  const auto b = net.parameter("b", "f32", "3");
  net.result("y", net.op("Select", {c, a, b}));
  const std::string text =
      test::replaced(net.text(), "element_type=\"i8\"", "element_type=\"boolean\"");
  const ir::Model model = ir::build_model(test::read(text), test::weights_of(net.weights()));
  const auto results =
      run(model, {Tensor::full({3}, ScalarType::f32, 1), Tensor::full({3}, ScalarType::f32, 2)});
  CHECK(floats(results[0]) == std::vector<float>{2, 1, 1});
}

TEST_CASE("model: layers that no result needs", "[model]") {
  NetText net;
  const auto x = net.parameter("x", "f32", "2");
  const auto unused = net.parameter("unused", "f32", "7");
  net.op("NoSuchThing", {unused});
  net.result("y", net.op("Abs", {x}));
  const ir::Model model = build(net);
  REQUIRE(model.inputs.size() == 2);
  CHECK(model.program.parameter_is_used(0));
  CHECK(!model.program.parameter_is_used(1));
}

TEST_CASE("model: extents that are known when it runs", "[model]") {
  NetText net;
  const auto x = net.parameter("x", "f32", "?,2");
  net.result("y", net.op("Add", {x, net.constant<float>("2", {1, -1})}));
  const ir::Model model = build(net);
  CHECK(to_string(model.outputs[0].type) == "f32[?, 2]");
  for (const std::int64_t n : {0, 1, 5}) {
    const auto results = run(model, {Tensor::zeros({n, 2}, ScalarType::f32)});
    CHECK(results[0].extent(0) == n);
  }
}

TEST_CASE("model: variables that last from run to run", "[model]") {
  // total = total + x; y is what it was before.
  NetText net;
  const auto x = net.parameter("x", "f32", "2");
  const auto before =
      net.op("ReadValue", {net.constant<float>("2", {0, 0})}, "variable_id=\"total\"", "opset3");
  const auto after = net.op("Add", {before, x});
  net.layer("set", "Assign", "opset3", {after}, 0, "variable_id=\"total\"");
  net.result("y", before);
  const ir::Model model = build(net);
  graph::Frame frame(model.program);
  const Tensor one = Tensor::of<float>({2}, {1, 10});
  const std::vector<TensorView> inputs = {one};
  frame.plan(inputs);
  for (const float expected : {0.0F, 1.0F, 2.0F}) {
    frame.run();
    CHECK(frame.result(0).at<float>({0}) == expected);
    CHECK(frame.result(0).at<float>({1}) == 10 * expected);
  }
}

TEST_CASE("model: elements moved, sorted and searched, with the attributes of files", "[model]") {
  NetText net;
  const auto x = net.parameter("x", "f32", "2,3");
  const auto one = net.constant<std::int64_t>("1", {1});
  net.result("rolled", net.op("Roll", {x, one, one}, "", "opset7"));
  net.result("turned", net.op("Reverse", {x, one}, "mode=\"index\""));
  const auto none = net.constant<std::int64_t>("2", {0, 0});
  const auto after = net.constant<std::int64_t>("2", {0, 2});
  net.result("padded", net.op("Pad", {x, none, after}, "pad_mode=\"symmetric\""));
  const auto less = net.constant<std::int32_t>("2", {1, -1});
  const auto nine = net.constant<float>("", {9});
  net.result("cut", net.op("Pad", {x, none, less, nine}, "pad_mode=\"constant\"", "opset12"));
  const auto two = net.constant<std::int32_t>("", {2});
  const auto top = net.layer("top", "TopK", "opset11", {x, two}, 2,
                             "axis=\"1\" mode=\"max\" sort=\"value\" "
                             "index_element_type=\"i32\" stable=\"true\"");
  net.result("values", top[0]);
  net.result("indices", top[1]);
  const auto borders = net.constant<float>("3", {1, 3, 5});
  net.result("buckets", net.op("Bucketize", {x, borders},
                               "output_type=\"i32\" with_right_bound=\"false\"", "opset3"));
  net.result("places", net.op("SearchSorted", {borders, x}, "right_mode=\"false\"", "opset15"));
  net.result("tiled", net.op("Tile", {x, one}));
  const ir::Model model = build(net);
  const auto results = run(model, {Tensor::of<float>({2, 3}, {3, 1, 2, 4, 6, 5})});
  const auto integers = [](const Tensor& t) {
    const Tensor wide = contiguous(t, ScalarType::i64);
    return std::vector<std::int64_t>(wide.data_as<std::int64_t>(),
                                     wide.data_as<std::int64_t>() + wide.numel());
  };
  using Floats = std::vector<float>;
  using Integers = std::vector<std::int64_t>;
  CHECK(floats(results[0]) == Floats{2, 3, 1, 5, 4, 6});
  CHECK(floats(contiguous(results[1])) == Floats{2, 1, 3, 5, 6, 4});
  CHECK(floats(results[2]) == Floats{3, 1, 2, 2, 1, 4, 6, 5, 5, 6});
  CHECK(floats(results[3]) == Floats{3, 1, 4, 6, 9, 9});
  CHECK(floats(results[4]) == Floats{3, 2, 6, 5});
  CHECK(integers(results[5]) == Integers{0, 2, 1, 2});
  CHECK(results[6].dtype() == ScalarType::i32);
  CHECK(integers(results[6]) == Integers{2, 1, 1, 2, 3, 3});
  CHECK(integers(results[7]) == Integers{1, 0, 1, 2, 3, 2});
  CHECK(floats(results[8]) == Floats{3, 1, 2, 4, 6, 5});
}
