// SPDX-License-Identifier: Apache-2.0
// Texts that are in order and say what cannot be: each ends in an Error that names file and layer,
// before anything is computed.
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/net_text.hpp"
#include "xml.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

using namespace weft;
using test::NetText;
using test::replaced;
using test::small_net;

namespace {

ir::Model build(const std::string& xml, const test::WeightsText& weights = {},
                const ir::Limits& limits = {}) {
  return ir::build_model(test::read(xml, limits), test::weights_of(weights), limits);
}

/// x f32[2] plus a constant of four f32 of which the node wants two, at byte 4 of 24.
std::string with_constant(const std::string& data) {
  return "<net name='n' version='11'><layers>"
         "<layer id='0' name='x' type='Parameter' version='opset1'><data element_type='f32' "
         "shape='2'/>"
         "<output><port id='0' precision='FP32'><dim>2</dim></port></output></layer>"
         "<layer id='1' name='k' type='Const' version='opset1'><data " +
         data +
         "/><output><port id='0' precision='FP32'><dim>2</dim></port></output></layer>"
         "<layer id='2' name='s' type='Add' version='opset1'><input><port id='0'/><port "
         "id='1'/></input>"
         "<output><port id='2' precision='FP32'/></output></layer>"
         "<layer id='3' name='y' type='Result' version='opset1'><input><port "
         "id='0'/></input></layer>"
         "</layers><edges><edge from-layer='0' from-port='0' to-layer='2' to-port='0'/>"
         "<edge from-layer='1' from-port='0' to-layer='2' to-port='1'/>"
         "<edge from-layer='2' from-port='2' to-layer='3' to-port='0'/></edges></net>";
}

}  // namespace

TEST_CASE("bad input: offset and size beyond the weights, and around", "[bad][offsets]") {
  const test::WeightsText weights(24);
  const auto with = [&](const std::string& offset, const std::string& size) {
    return build(
        with_constant("element_type='f32' shape='2' offset='" + offset + "' size='" + size + "'"),
        weights);
  };
  CHECK_NOTHROW(with("0", "8"));
  CHECK_NOTHROW(with("16", "8"));
  CHECK_NOTHROW(with("13", "8"));  // offsets need not be aligned
  CHECK_NOTHROW(with("4", "20"));  // nor sizes exact
  const std::string layer = "m.xml: layer 1 'k' (Const)";
  CHECK_ERROR(bounds, (layer, "'offset' and 'size'", "24 bytes"), with("17", "8"));
  CHECK_ERROR(bounds, (layer), with("24", "8"));
  CHECK_ERROR(bounds, (layer), with("0", "25"));
  CHECK_ERROR(bounds, (layer), with("9223372036854775807", "8"));
  CHECK_ERROR(bounds, (layer), with("8", "9223372036854775807"));
  CHECK_ERROR(bounds, (layer), with("9223372036854775800", "9223372036854775800"));
  CHECK_ERROR(parse, (layer, "attribute 'offset'", "an integer"),
              with("18446744073709551608", "8"));
  CHECK_ERROR(parse, (layer, "attribute 'offset'", "0 or more"), with("-8", "8"));
  CHECK_ERROR(parse, (layer, "attribute 'size'", "0 or more"), with("0", "-8"));
  CHECK_ERROR(shape, (layer, "attribute 'size': expected 8 bytes for f32[2], got 7"),
              with("0", "7"));
  CHECK_ERROR(parse, (layer, "attribute 'size'", "missing"),
              build(with_constant("offset='0'"), weights));
}

TEST_CASE("bad input: an offset inside a body, and in blobs", "[bad][offsets]") {
  const auto legacy = [&](const std::string& offset, const std::string& size, std::size_t have) {
    return build(
        "<net name='n' version='7'><layers>"
        "<layer id='0' name='x' type='Input' precision='FP32'><output><port id='0'>"
        "<dim>1</dim><dim>2</dim></port></output></layer>"
        "<layer id='1' name='fc' type='FullyConnected' precision='FP32'>"
        "<data out-size='3'/><input><port id='0'><dim>1</dim><dim>2</dim></port></input>"
        "<output><port id='1'><dim>1</dim><dim>3</dim></port></output>"
        "<blobs><weights offset='" +
            offset + "' size='" + size +
            "'/></blobs></layer>"
            "</layers><edges><edge from-layer='0' from-port='0' to-layer='1' to-port='0'/>"
            "</edges></net>",
        test::WeightsText(have));
  };
  CHECK_ERROR(bounds, ("m.xml: layer 1 'fc/weights' (Const)", "24"), legacy("1", "24", 24));
  CHECK_ERROR(bounds, ("m.xml: layer 1 'fc/weights' (Const)"),
              legacy("9223372036854775807", "24", 24));
  CHECK_ERROR(parse, ("m.xml: layer 1 'fc' (FullyConnected)", "multiple of 3 elements, got 5"),
              legacy("0", "20", 24));
  CHECK_ERROR(parse, ("layer 1 'fc' (FullyConnected)", "'offset'", "'-1'"), legacy("-1", "24", 24));
  // The seed's body without weights, and with the first of its Consts in place.
  const std::string seed =
      replaced(test::data_file("seed_example_2.xml"), "<layer type", "<layer id=\"7\" type");
  CHECK_ERROR(bounds,
              ("m.xml: layer 7 '' (TensorIterator): body: layer 1 '' (Const)", "not been given"),
              ir::build_model(test::read(seed)));
  CHECK_ERROR(bounds, ("m.xml: layer 7 '' (TensorIterator): body: layer 5 '' (Const)", "16 bytes"),
              build(seed, test::WeightsText(16)));
}

TEST_CASE("bad input: weights that are missing, too short or too long", "[bad][weights]") {
  const std::string xml = with_constant("element_type='f32' shape='2' offset='0' size='8'");
  CHECK_ERROR(bounds, ("m.xml: layer 1 'k' (Const)", "weights have not been given"),
              ir::build_model(test::read(xml)));
  CHECK_ERROR(bounds, ("m.xml: layer 1 'k' (Const)", "7 bytes"), build(xml, test::WeightsText(7)));
  CHECK_NOTHROW(build(xml, test::WeightsText(800)));
  CHECK_ERROR(invalid_argument, ("m.xml: weights", "expected contiguous u8 of rank 1, got f32 [2]"),
              ir::build_model(test::read(xml), Tensor::zeros({2}, ScalarType::f32)));
  CHECK_ERROR(limit, ("m.xml: layer 1 'k' (Const)", "more than 7 bytes of constants"),
              build(xml, test::WeightsText(8), {.max_constant_bytes = 7}));

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("weft-ir-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, std::string_view text) {
    std::FILE* file = std::fopen((folder / name).c_str(), "wb");
    REQUIRE(file != nullptr);
    REQUIRE(std::fwrite(text.data(), 1, text.size(), file) == text.size());
    REQUIRE(std::fclose(file) == 0);
    return (folder / name).string();
  };
  const std::string path = write("m.xml", xml);
  CHECK_ERROR(io, ("m.bin"), ir::load_model(path));
  CHECK_ERROR(io, ("none.bin"), ir::load_model(path, (folder / "none.bin").string()));
  const std::string bin = write("m.bin", "12345678");
  CHECK_NOTHROW(ir::load_model(path));
  CHECK_NOTHROW(ir::load_model(path, bin));
  CHECK_ERROR(limit, ("m.bin", "8 bytes, allowed are 7"),
              ir::load_model(path, {}, {.max_weights_bytes = 7}));
  CHECK_ERROR(io, ("nothing.xml"), ir::load_model((folder / "nothing.xml").string()));
  CHECK_ERROR(io, (folder.string()), ir::load_model(folder.string()));
  std::filesystem::remove_all(folder);
}

TEST_CASE("bad input: constants of no possible shape", "[bad][huge]") {
  const test::WeightsText weights(24);
  const auto with = [&](const std::string& type, const std::string& shape) {
    return build(
        with_constant("element_type='" + type + "' shape='" + shape + "' offset='0' size='8'"),
        weights);
  };
  const std::string layer = "m.xml: layer 1 'k' (Const)";
  CHECK_ERROR(shape, (layer, "attribute 'size': expected 12 bytes for f32[3], got 8"),
              with("f32", "3"));
  CHECK_ERROR(overflow, ("2^63"), with("f32", "4294967296,4294967296"));
  CHECK_ERROR(limit, (layer, "larger than allowed"), with("f32", "1000000000000,10"));
  CHECK_ERROR(shape, (layer, "expected a constant's shape, got f32[?]"), with("f32", "?"));
  CHECK_ERROR(shape, (layer, "f32[...]"), with("f32", "..."));
  CHECK_ERROR(parse, (layer, "attribute 'shape'", "'-2'"), with("f32", "-2"));
  CHECK_ERROR(dtype, (layer, "attribute 'element_type'", "'u4'"), with("u4", "2"));
  CHECK_ERROR(dtype, (layer, "attribute 'element_type'", "''"), with("", "2"));
}

TEST_CASE("bad input: layers that are not connected", "[bad][edges]") {
  CHECK_ERROR(
      parse, ("m.xml: layer 1 'act' (ReLU): input port 0: no edge leads to it"),
      build(replaced(small_net(),
                     "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/>", "")));
  CHECK_ERROR(
      parse, ("m.xml: layer 2 'out' (Result)", "input port 0"),
      build(replaced(small_net(),
                     "<edge from-layer=\"1\" from-port=\"1\" to-layer=\"2\" to-port=\"0\"/>", "")));
  CHECK_ERROR(parse, ("m.xml: the model has no outputs"),
              build("<net version='10'><layers/></net>"));
  CHECK_ERROR(
      parse, ("m.xml: layer 0 'p' (Parameter)", "one output port, got 0"),
      build("<net version='10'><layers><layer id='0' name='p' type='Parameter'/></layers></net>"));
  CHECK_ERROR(
      parse, ("m.xml: layer 0 'p' (Add)", "has no output port"),
      build("<net version='10'><layers><layer id='0' name='p' type='Add'/></layers></net>"));
}

TEST_CASE("bad input: operations that there are none of", "[bad][types]") {
  CHECK_ERROR(invalid_argument, ("m.xml", "FancyOp 'act' (layer 1, opset1)"),
              build(replaced(small_net(), "type=\"ReLU\"", "type=\"FancyOp\"")));
  CHECK_ERROR(parse, ("m.xml: layer 1 'act' (ReLU)", "attribute 'version'", "'my_ops'"),
              build(replaced(small_net(), "type=\"ReLU\" version=\"opset1\"",
                             "type=\"ReLU\" version=\"my_ops\"")));
  for (const char* version :
       {"opset", "opset0", "opset-1", "opset1x", "opset17", "opset99999999999999999999"}) {
    INFO(version);
    CHECK_ERROR(parse, ("attribute 'version'"),
                build(replaced(small_net(), "type=\"ReLU\" version=\"opset1\"",
                               "type=\"ReLU\" version=\"" + std::string(version) + '"')));
  }
}

TEST_CASE("bad input: operands of types that do not fit", "[bad][types]") {
  const test::WeightsText weights(24);
  CHECK_ERROR(dtype, ("m.xml", "Add 's' (layer 2, opset1)"),
              build(with_constant("element_type='i64' shape='1' offset='0' size='8'"), weights));
  CHECK_ERROR(shape, ("m.xml", "Add 's' (layer 2, opset1)"),
              build(with_constant("element_type='f32' shape='3' offset='0' size='12'"), weights));
  CHECK_ERROR(parse, ("m.xml", "special_zero", "'maybe'"), [] {
    NetText net;
    const auto x = net.parameter("x", "f32", "2,3");
    net.result("y", net.op("Reshape", {x, net.constant<std::int64_t>("1", {6})},
                           "special_zero=\"maybe\""));
    return build(net.text(), net.weights());
  }());
}

TEST_CASE("bad input: nothing of a model is executed when it is read", "[bad][execution]") {
  // Types and attributes that name code are just names that there is no operation for.
  for (const char* type : {"PythonOp", "system", "../plugin.so", "Custom"}) {
    INFO(type);
    CHECK_ERROR(invalid_argument, ("m.xml", type, "layer 1"),
                build(replaced(small_net(), "type=\"ReLU\" version=\"opset1\">",
                               "type=\"" + std::string(type) +
                                   "\" version=\"opset1\"><data code=\"exit(1)\" "
                                   "library=\"/tmp/evil.so\"/>")));
  }
}

TEST_CASE("bad input: layers that need a body, and bodies that nothing needs", "[bad][edges]") {
  const auto alone = [](const std::string& type, const std::string& inside) {
    return build("<layer id='5' name='l' type='" + type + "'><input><port id='0'/></input>" +
                 inside + "</layer>");
  };
  for (const char* type : {"TensorIterator", "Loop"}) {
    CHECK_ERROR(parse, ("m.xml: layer 5 'l' (" + std::string(type) + ")", "<body> is missing"),
                alone(type, "<output><port id='1'/></output>"));
  }
  CHECK_ERROR(parse, ("m.xml: layer 5 'l' (If)", "<then_body> is missing"),
              alone("If", "<output><port id='1'/></output>"));
  CHECK_ERROR(parse, ("m.xml: layer 5 'l' (Abs)", "expected no body"),
              alone("Abs",
                    "<output><port id='1'/></output><port_map><output external_port_id='1' "
                    "internal_layer_id='1'/></port_map><body><layers>"
                    "<layer id='0' type='Parameter'><output><port id='0' "
                    "precision='FP32'/></output></layer><layer id='1' type='Result'><input>"
                    "<port id='0'/></input></layer></layers><edges><edge from-layer='0' "
                    "from-port='0' to-layer='1' to-port='0'/></edges></body>"));
  CHECK_ERROR(parse, ("m.xml: layer 5 'l' (TensorIterator)", "<layers> is missing"),
              alone("TensorIterator", "<body/>"));
  CHECK_ERROR(parse, ("m.xml: layer 5 'l' (TensorIterator)", "has no output port"),
              alone("TensorIterator", "<body><layers/></body>"));
  CHECK_ERROR(parse, ("m.xml: layer 5 'l' (TensorIterator)", "no entry leads to output port 1"),
              alone("TensorIterator", "<output><port id='1'/></output><body><layers/></body>"));
}

TEST_CASE("bad input: element types that are not told or do not fit", "[bad][types]") {
  CHECK_ERROR(dtype, ("m.xml: layer 0 'in' (Parameter): output port 0: element type ''"),
              build(replaced(replaced(small_net(), " element_type=\"f32\"", ""),
                             "precision=\"FP32\" names", "names")));
  CHECK_ERROR(dtype, ("m.xml: layer 0 'in' (Parameter)", "attribute 'element_type'", "'string'"),
              build(replaced(small_net(), "element_type=\"f32\"", "element_type=\"string\"")));
  const auto cell = [](const std::string& x_type, const std::string& w_shape,
                       const std::string& data) {
    NetText net;
    const auto x = net.parameter("x", x_type, "1,3");
    const auto h = net.parameter("h", "f32", "1,2");
    const auto c = net.parameter("c", "f32", "1,2");
    const auto w = net.parameter("w", "f32", w_shape);
    const auto r = net.parameter("r", "f32", "8,2");
    net.result("y", net.layer("cell", "LSTMCell", "opset4", {x, h, c, w, r}, 2, data)[0]);
    return build(net.text());
  };
  CHECK_NOTHROW(cell("f32", "8,3", "hidden_size=\"2\""));
  CHECK_ERROR(dtype, ("m.xml", "LSTMCell 'cell' (layer 5, opset4)"),
              cell("i64", "8,3", "hidden_size=\"2\""));
  CHECK_ERROR(shape, ("m.xml", "LSTMCell 'cell' (layer 5, opset4)"),
              cell("f32", "8,4", "hidden_size=\"2\""));
  CHECK_ERROR(shape, ("m.xml", "LSTMCell 'cell' (layer 5, opset4)"),
              cell("f32", "8,3", "hidden_size=\"3\""));
  CHECK_ERROR(parse, ("m.xml", "LSTMCell 'cell'", "hidden_size"),
              cell("f32", "8,3", "hidden_size=\"two\""));
}

TEST_CASE("bad input: more memory than a model may take", "[bad][resources]") {
  // 16 Mi elements out of two constants of 4 Ki.
  NetText net;
  const auto column = net.constant<float>("4096,1", std::vector<float>(4096, 1));
  const auto row = net.constant<float>("1,4096", std::vector<float>(4096, 2));
  const auto x = net.parameter("x", "f32", "1");
  net.result("y", net.op("Add", {net.op("Add", {column, row}), x}));
  constexpr std::int64_t needed = std::int64_t{4096} * 4096 * 4;
  CHECK_NOTHROW(build(net.text(), net.weights(), {.max_run_bytes = needed}));
  CHECK_ERROR(limit, ("m.xml", "67108864 bytes", "allowed are 67108863"),
              build(net.text(), net.weights(), {.max_run_bytes = needed - 1}));

  // The same when it runs, out of what it is given; and nothing runs.
  NetText late;
  const auto a = late.parameter("a", "f32", "?,1");
  const auto b = late.parameter("b", "f32", "1,?");
  late.result("y", late.op("Add", {a, b}));
  const ir::Model model = build(late.text(), {}, {.max_run_bytes = needed});
  const auto run = [&](std::int64_t n) {
    const Tensor left = Tensor::zeros({n, 1}, ScalarType::f32);
    const Tensor right = Tensor::zeros({1, n}, ScalarType::f32);
    return model.program.run(std::vector<TensorView>{left, right});
  };
  CHECK_NOTHROW(run(64));
  CHECK_ERROR(limit, ("bytes for values"), run(4200));
}
