// SPDX-License-Identifier: Apache-2.0
// What the reader makes of texts that are in order.
#include <weft/ir/document.hpp>
#include <weft/ir/read_document.hpp>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "xml.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace weft;
using test::read;
using test::replaced;
using test::small_net;

namespace {

/// A layer with this <data>.
ir::Layer with_data(const std::string& data) {
  return read("<layer id='3' name='n' type='T'><data " + data + "/></layer>").network.layers.at(0);
}

}  // namespace

TEST_CASE("read: a net of version 11", "[read]") {
  const ir::Document d = read(small_net());
  CHECK(d.file == "m.xml");
  CHECK(d.name == "small");
  CHECK(d.version == 11);
  CHECK(!d.is_legacy());
  CHECK(!d.is_bare_layer());
  REQUIRE(d.network.layers.size() == 3);
  const ir::Layer& in = d.network.layers[0];
  CHECK(in.describe() == "layer 0 'in' (Parameter)");
  CHECK(in.version == "opset1");
  CHECK(in.inputs.empty());
  REQUIRE(in.outputs.size() == 1);
  CHECK(in.outputs[0].precision == "FP32");
  CHECK(in.outputs[0].names == "in");
  CHECK(std::ranges::equal(in.outputs[0].dims, std::vector<std::int64_t>{2, 3}));
  CHECK(in.string("shape") == "2,3");
  REQUIRE(d.network.edges.size() == 2);
  CHECK(d.network.edges[1].from == ir::PortPlace{1, 0});
  CHECK(d.network.edges[1].to == ir::PortPlace{2, 0});
}

TEST_CASE("read: layers, sections and edges in any order; ids are labels", "[read]") {
  const ir::Document d = read(R"(<net version="10" name="x">
    <edges><edge to-layer="70" to-port="9" from-layer="5" from-port="1000"/></edges>
    <layers>
      <layer id="70" type="Result" name="r"><input><port id="9"/></input></layer>
      <!-- a comment -->
      <layer type="Parameter" name="p" id="5"><output><port id="1000"/></output><data/></layer>
    </layers></net>)");
  REQUIRE(d.network.edges.size() == 1);
  CHECK(d.network.edges[0].from == ir::PortPlace{1, 0});
  CHECK(d.network.edges[0].to == ir::PortPlace{0, 0});
}

TEST_CASE("read: the seed's second example, to the letter", "[read]") {
  const ir::Document d = read(test::data_file("seed_example_2.xml"));
  CHECK(d.is_bare_layer());
  REQUIRE(d.network.layers.size() == 1);
  const ir::Layer& layer = d.network.layers[0];
  CHECK(layer.type == "TensorIterator");
  REQUIRE(layer.inputs.size() == 3);
  REQUIRE(layer.outputs.size() == 1);
  CHECK(layer.outputs[0].id == 3);
  REQUIRE(layer.bodies.size() == 1);
  const ir::Body& body = layer.bodies[0];
  CHECK(body.role == ir::Body::Role::loop);
  REQUIRE(body.network.layers.size() == 13);
  CHECK(body.network.edges.size() == 12);
  REQUIRE(body.inputs.size() == 3);
  CHECK(body.inputs[0].axis == 1);
  CHECK(body.inputs[0].start == 0);
  CHECK(body.inputs[0].end == -1);
  CHECK(body.inputs[0].stride == 1);
  CHECK(!body.inputs[0].part_size);
  CHECK(!body.inputs[1].axis);
  CHECK(body.inputs[1].external == 1U);
  CHECK(body.inputs[1].internal_layer == 3);
  REQUIRE(body.outputs.size() == 1);
  CHECK(body.outputs[0].external == 0U);
  CHECK(body.outputs[0].internal_layer == 12);
  REQUIRE(body.back_edges.size() == 2);
  CHECK(body.back_edges[0].from_layer == 8);
  CHECK(body.back_edges[0].to_layer == 4);
  const ir::Layer& cell = body.network.layers[7];
  CHECK(cell.integer("hidden_size") == 256);
  CHECK(cell.outputs[1].id == 6);
  CHECK(body.network.layers[5].integer("offset") == 16);
  CHECK(body.network.layers[5].integer("size") == 3145728);
}

TEST_CASE("read: three dots stand for attributes in tags only", "[read]") {
  const ir::Document d = read(
      "<layer ... type=\"T\" name='a ... > b' ...><!-- it's <x ...> --><data k=\"1 ...\" "
      ".../></layer>");
  CHECK(d.network.layers[0].name == "a ... > b");
  CHECK(d.network.layers[0].string("k") == "1 ...");
}

TEST_CASE("read: port maps and purposes of a Loop", "[read]") {
  const ir::Document d = read(R"(<layer type="Loop" version="opset5">
    <port_map>
      <input external_port_id="1" internal_layer_id="0"/>
      <input external_port_id="-1" internal_layer_id="1" purpose="current_iteration"/>
      <input external_port_id="7" internal_layer_id="2" axis="-1" start="-1" end="0" stride="-2" part_size="2"/>
      <output external_port_id="-1" internal_layer_id="3" purpose="execution_condition"/>
      <output external_port_id="8" internal_layer_id="3"/>
    </port_map>
    <back_edges><edge from-layer="3" from-port="0" to-layer="0" to-port="0"/></back_edges>
    <input><port id="0"/><port id="4"/><port id="7"/></input>
    <output><port id="8"/></output>
    <body><layers>
      <layer id="0" name="c" type="Parameter"><output><port id="0"/></output></layer>
      <layer id="1" name="i" type="Parameter"><output><port id="0"/></output></layer>
      <layer id="2" name="x" type="Parameter"><output><port id="0"/></output></layer>
      <layer id="3" name="r" type="Result"><input><port id="0"/></input></layer>
    </layers><edges><edge from-layer="0" from-port="0" to-layer="3" to-port="0"/></edges></body>
  </layer>)");
  const ir::Body& body = d.network.layers.at(0).bodies.at(0);
  REQUIRE(body.inputs.size() == 3);
  CHECK(body.inputs[0].external == 1U);  // no port is called 1: the second one
  CHECK(!body.inputs[1].external);
  CHECK(body.inputs[1].purpose == ir::Purpose::current_iteration);
  CHECK(body.inputs[2].external == 2U);
  CHECK(body.inputs[2].axis == -1);
  CHECK(body.inputs[2].start == -1);
  CHECK(body.inputs[2].end == 0);
  CHECK(body.inputs[2].stride == -2);
  CHECK(body.inputs[2].part_size == 2);
  REQUIRE(body.outputs.size() == 2);
  CHECK(body.outputs[0].purpose == ir::Purpose::execution_condition);
  CHECK(body.outputs[1].external == 0U);
}

TEST_CASE("read: both branches of an If", "[read]") {
  const std::string branch =
      "<layers><layer id='0' type='Parameter' name='p'><output><port id='0'/></output></layer>"
      "<layer id='1' type='Result' name='r'><input><port id='0'/></input></layer></layers>"
      "<edges><edge from-layer='0' from-port='0' to-layer='1' to-port='0'/></edges>";
  const std::string map =
      "<input external_port_id='1' internal_layer_id='0'/>"
      "<output external_port_id='0' internal_layer_id='1'/>";
  const ir::Document d = read(
      "<layer id='4' type='If' version='opset8'><input><port id='0'/><port id='1'/></input>"
      "<output><port id='2'/></output><then_port_map>" +
      map +
      "</then_port_map>"
      "<else_port_map>" +
      map + "</else_port_map><then_body>" + branch +
      "</then_body>"
      "<else_body>" +
      branch + "</else_body></layer>");
  const auto& bodies = d.network.layers.at(0).bodies;
  REQUIRE(bodies.size() == 2);
  CHECK(bodies[0].role == ir::Body::Role::then_branch);
  CHECK(bodies[1].role == ir::Body::Role::else_branch);
  CHECK(bodies[1].outputs.at(0).external == 0U);  // ports of If are given by position
}

TEST_CASE("read: the layout of files before version 10", "[read]") {
  const ir::Document d = read(test::data_file("legacy_v5.xml"));
  CHECK(d.version == 5);
  CHECK(d.is_legacy());
  const ir::Layer& loop = d.network.layers.at(2);
  CHECK(loop.precision == "FP32");
  const ir::Body& body = loop.bodies.at(0);
  REQUIRE(body.inputs.size() == 2);
  CHECK(body.inputs[1].internal_layer == 0);
  CHECK(body.inputs[1].internal_port == 1U);
  CHECK(!body.inputs[1].axis);  // -1 is how those files say so
  CHECK(body.outputs.at(0).internal_port == 0U);
  CHECK(body.back_edges.at(0).from_port == 0U);
  CHECK(body.back_edges.at(0).to_port == 1U);
}

TEST_CASE("read: extents that a file leaves open", "[read]") {
  const ir::Document d = read(
      "<layer type='T'><input><port id='0'><dim>-1</dim><dim>?</dim><dim>1..10</dim><dim>..4</dim>"
      "<dim>7..</dim><dim>0</dim></port></input></layer>");
  const std::int64_t open = ir::open_extent;
  CHECK(std::ranges::equal(d.network.layers[0].inputs[0].dims,
                           std::vector<std::int64_t>{open, open, open, open, open, 0}));
}

TEST_CASE("read: attributes as values", "[read]") {
  const ir::Layer layer = with_data(
      "i='-5' e='' s='10, ?,1..2' r='' any='...' t='FP16' t2='boolean' w='sigmoid, tanh'");
  CHECK(layer.integer("i") == -5);
  CHECK(layer.integer_or("none", 7) == 7);
  CHECK(std::ranges::equal(*layer.shape("s"), std::vector<std::int64_t>{10, -1, -1}));
  CHECK(layer.shape("r")->empty());
  CHECK(!layer.shape("any"));
  CHECK(layer.element_type("t") == ScalarType::f16);
  CHECK(layer.element_type("t2") == ScalarType::boolean);
  CHECK(layer.string("w") == "sigmoid, tanh");
  CHECK(layer.string_or("none", "x") == "x");
  CHECK(layer.has("e"));
  CHECK(!layer.has("none"));
  CHECK_ERROR(parse, ("layer 3 'n' (T)", "attribute 'none'", "missing"), layer.integer("none"));
  CHECK_ERROR(parse, ("layer 3 'n' (T)", "attribute 'w'", "an integer", "'sigmoid, tanh'"),
              layer.integer("w"));
  CHECK_ERROR(parse, ("attribute 'w'", "extents"), layer.shape("w"));
  CHECK_ERROR(dtype, ("attribute 'w'", "'sigmoid, tanh'"), layer.element_type("w"));
}

TEST_CASE("read: both kinds of names of element types", "[read]") {
  using S = ScalarType;
  const std::vector<std::pair<std::string, S>> names = {
      {"BOOL", S::boolean}, {"boolean", S::boolean}, {"BF16", S::bf16}, {"FP16", S::f16},
      {"FP32", S::f32},     {"FP64", S::f64},        {"f64", S::f64},   {"I8", S::i8},
      {"i16", S::i16},      {"I32", S::i32},         {"I64", S::i64},   {"U8", S::u8},
      {"u16", S::u16},      {"U32", S::u32},         {"u64", S::u64}};
  for (const auto& [name, type] : names) {
    INFO(name);
    CHECK(ir::find_element_type(name) == type);
  }
  for (const char* name :
       {"", "U4", "BIN", "FP8", "FP", "f", "f3", "c64", "string", "FP016", "u1"}) {
    INFO(name);
    CHECK(!ir::find_element_type(name));
  }
}
