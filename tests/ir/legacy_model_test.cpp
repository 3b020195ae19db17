// SPDX-License-Identifier: Apache-2.0
// Operations in the forms of files before version 10.
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/net_text.hpp"
#include "xml.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using namespace weft;
using test::NetText;

namespace {

using Floats = std::vector<float>;

std::string dims(const std::vector<int>& shape) {
  std::string out;
  for (const int extent : shape)
    out += "<dim>" + std::to_string(extent) + "</dim>";
  return out;
}

/// A net of version 7 with one layer: Inputs of these shapes, outputs of those.
std::string one_layer(const std::string& type, const std::string& data,
                      const std::vector<std::vector<int>>& inputs,
                      const std::vector<std::vector<int>>& outputs, const std::string& blobs = "") {
  std::string layers;
  std::string edges;
  std::string ports;
  const std::string id = std::to_string(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string n = std::to_string(i);
    layers += "<layer id='" + n + "' name='in" + n + "' type='Input' precision='FP32'><output>" +
              "<port id='0'>" + dims(inputs[i]) + "</port></output></layer>";
    ports += "<port id='" + n + "'>" + dims(inputs[i]) + "</port>";
    edges +=
        "<edge from-layer='" + n + "' from-port='0' to-layer='" + id + "' to-port='" + n + "'/>";
  }
  layers += "<layer id='" + id + "' name='op' type='" + type + "' precision='FP32'><data " + data +
            "/><input>" + ports + "</input><output>";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    layers +=
        "<port id='" + std::to_string(inputs.size() + i) + "'>" + dims(outputs[i]) + "</port>";
  }
  return "<net name='one' version='7'><layers>" + layers + "</output>" + blobs +
         "</layer></layers><edges>" + edges + "</edges></net>";
}

test::WeightsText bytes_of_floats(const Floats& values) {
  test::WeightsText bytes(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<Tensor> run(const std::string& xml, const std::vector<Tensor>& inputs,
                        const Floats& weights = {}) {
  const ir::Model model =
      ir::build_model(test::read(xml), test::weights_of(bytes_of_floats(weights)));
  return model.program.run(std::vector<TensorView>(inputs.begin(), inputs.end()));
}

Floats floats(const Tensor& t) {
  const Tensor dense = Tensor::copy_of(t);
  return {dense.data_as<float>(), dense.data_as<float>() + dense.numel()};
}

/// A fixed sequence of numbers around 0.
Floats some(std::size_t count, float scale) {
  Floats out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(scale * (static_cast<float>((i * 37 + 11) % 23) - 11) / 11);
  return out;
}

Tensor matrix(std::int64_t rows, std::int64_t columns, const Floats& values) {
  Tensor t = Tensor::empty({rows, columns}, ScalarType::f32);
  std::memcpy(t.data(), values.data(), values.size() * sizeof(float));
  return t;
}

}  // namespace

TEST_CASE("legacy: Eltwise", "[legacy]") {
  const Tensor a = matrix(1, 3, {6, 8, -9});
  const Tensor b = matrix(1, 3, {2, -4, 3});
  const auto both = [&](const std::string& operation) {
    return floats(
        run(one_layer("Eltwise", "operation='" + operation + "'", {{1, 3}, {1, 3}}, {{1, 3}}),
            {a, b})[0]);
  };
  CHECK(both("sum") == Floats{8, 4, -6});
  CHECK(both("sub") == Floats{4, 12, -12});
  CHECK(both("mul") == Floats{12, -32, -27});
  CHECK(both("prod") == Floats{12, -32, -27});
  CHECK(both("div") == Floats{3, -2, -3});
  CHECK(both("max") == Floats{6, 8, 3});
  CHECK(both("min") == Floats{2, -4, -9});
  CHECK(floats(run(one_layer("Eltwise", "", {{1, 3}, {1, 3}, {1, 3}}, {{1, 3}}), {a, b, a})[0]) ==
        Floats{14, 12, -15});
  CHECK_ERROR(parse, ("m.xml: layer 2 'op' (Eltwise)", "'operation'", "'pow'"), both("pow"));
  CHECK_ERROR(parse, ("m.xml: layer 2 'op' (Eltwise)", "'coeff'"), both("sum' coeff='1,2"));
  CHECK_ERROR(parse, ("m.xml: layer 1 'op' (Eltwise)", "expected 2 or more inputs, got 1"),
              run(one_layer("Eltwise", "", {{1, 3}}, {{1, 3}}), {a}));
}

TEST_CASE("legacy: Reshape, Permute, Split and Activation by attributes", "[legacy]") {
  const Tensor a = matrix(2, 3, {1, 2, 3, 4, 5, 6});
  const auto reshaped = run(one_layer("Reshape", "dim='0,-1,1'", {{2, 3}}, {{2, 3, 1}}), {a});
  CHECK(to_string(reshaped[0].shape()) == "[2, 3, 1]");
  const auto permuted = run(one_layer("Permute", "order='1,0'", {{2, 3}}, {{3, 2}}), {a});
  CHECK(to_string(permuted[0].shape()) == "[3, 2]");
  CHECK(floats(permuted[0]) == Floats{1, 4, 2, 5, 3, 6});
  const auto parts = run(one_layer("Split", "axis='1'", {{2, 3}}, {{2, 2}, {2, 1}}), {a});
  REQUIRE(parts.size() == 2);
  CHECK(floats(parts[0]) == Floats{1, 2, 4, 5});
  CHECK(floats(parts[1]) == Floats{3, 6});
  const auto tanh = run(one_layer("Activation", "type='tanh'", {{2, 3}}, {{2, 3}}), {a});
  CHECK(std::abs(floats(tanh[0])[0] - std::tanh(1.0F)) < 1e-6F);
  CHECK_ERROR(axis, ("m.xml: layer 1 'op' (Split)", "'axis': 2"),
              run(one_layer("Split", "axis='2'", {{2, 3}}, {{2, 2}, {2, 1}}), {a}));
  CHECK_ERROR(parse, ("m.xml: layer 1 'op' (Activation)", "'type'", "missing"),
              run(one_layer("Activation", "", {{2, 3}}, {{2, 3}}), {a}));
}

TEST_CASE("legacy: Power of one input", "[legacy]") {
  const Tensor a = matrix(1, 3, {1, 2, 3});
  const auto power = [&](const std::string& data) {
    return floats(run(one_layer("Power", data, {{1, 3}}, {{1, 3}}), {a})[0]);
  };
  CHECK(power("scale='2' shift='-1'") == Floats{1, 3, 5});
  CHECK(power("power='1' scale='1' shift='0'") == Floats{1, 2, 3});
}

TEST_CASE("legacy: FullyConnected with blobs", "[legacy]") {
  const Tensor a = matrix(2, 2, {1, 2, 3, 4});
  const std::string blobs =
      "<blobs><weights offset='0' size='24'/><biases offset='24' size='12'/></blobs>";
  const auto result = run(one_layer("FullyConnected", "out-size='3'", {{2, 2}}, {{2, 3}}, blobs),
                          {a}, {1, 0, 0, 1, 1, 1, 10, 20, 30});
  CHECK(floats(result[0]) == Floats{11, 22, 33, 13, 24, 37});
}

TEST_CASE("legacy: a blob of another precision than the layer", "[legacy]") {
  const std::string xml =
      one_layer("FullyConnected", "out-size='1'", {{1, 2}}, {{1, 1}},
                "<blobs><weights offset='0' size='16' precision='FP64'/></blobs>");
  CHECK_ERROR(dtype, ("m.xml", "FullyConnected 'op' (layer 1)"),
              run(xml, {matrix(1, 2, {1, 2})}, Floats(4)));
  CHECK_ERROR(dtype, ("m.xml: layer 1 'op' (FullyConnected)", "blob 'weights'", "'U4'"),
              run(test::replaced(xml, "FP64", "U4"), {matrix(1, 2, {1, 2})}, Floats(4)));
}

TEST_CASE("legacy: cells with one matrix of weights", "[legacy]") {
  constexpr int X = 3, H = 2;
  struct Cell {
    const char* type;
    int gates;
    int states;
  };
  for (const Cell& cell : {Cell{"LSTMCell", 4, 2}, Cell{"GRUCell", 3, 1}, Cell{"RNNCell", 1, 1}}) {
    INFO(cell.type);
    const int rows = cell.gates * H;
    const Floats wr = some(static_cast<std::size_t>(rows * (X + H)), 0.7F);
    const Floats bias = some(static_cast<std::size_t>(rows), 0.3F);
    Floats w;
    Floats r;
    for (int row = 0; row < rows; ++row) {
      const float* from = wr.data() + row * (X + H);
      w.insert(w.end(), from, from + X);
      r.insert(r.end(), from + X, from + X + H);
    }
    Floats file = wr;
    file.insert(file.end(), bias.begin(), bias.end());
    std::vector<std::vector<int>> inputs(static_cast<std::size_t>(1 + cell.states), {1, H});
    inputs[0] = {1, X};
    const std::vector<std::vector<int>> outputs(static_cast<std::size_t>(cell.states), {1, H});
    const std::string wr_size = std::to_string(wr.size() * 4);
    const std::string blobs = "<blobs><weights offset='0' size='" + wr_size +
                              "'/><biases offset='" + wr_size + "' size='" +
                              std::to_string(bias.size() * 4) + "'/></blobs>";
    std::vector<Tensor> values = {matrix(1, X, some(X, 1)), matrix(1, H, {0.5F, -0.25F}),
                                  matrix(1, H, {-0.75F, 0.125F})};
    values.resize(inputs.size());
    const auto older =
        run(one_layer(cell.type, "hidden_size='2'", inputs, outputs, blobs), values, file);

    NetText net;
    std::vector<NetText::Out> operands = {net.parameter("x", "f32", "1,3")};
    for (int s = 0; s < cell.states; ++s)
      operands.push_back(net.parameter("s" + std::to_string(s), "f32", "1,2"));
    const std::string n = std::to_string(rows);
    operands.push_back(net.constant<float>(n + ",3", w));
    operands.push_back(net.constant<float>(n + ",2", r));
    operands.push_back(net.constant<float>(n, bias));
    const auto outs =
        net.layer("cell", cell.type, "opset4", operands, cell.states, "hidden_size=\"2\"");
    for (int s = 0; s < cell.states; ++s)
      net.result("y" + std::to_string(s), outs[static_cast<std::size_t>(s)]);
    const ir::Model today =
        ir::build_model(test::read(net.text(10)), test::weights_of(net.weights()));
    const auto expected = today.program.run(std::vector<TensorView>(values.begin(), values.end()));
    REQUIRE(older.size() == expected.size());
    for (std::size_t i = 0; i < older.size(); ++i)
      CHECK(floats(older[i]) == floats(expected[i]));
  }
}
