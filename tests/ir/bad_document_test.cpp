// SPDX-License-Identifier: Apache-2.0
// Texts that are not in order: each ends in an Error that says where, and nothing else happens. The
// tags are the classes of bad input that readers of such files are known to stumble over.
#include <weft/ir/document.hpp>
#include <weft/ir/read_document.hpp>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "xml.hpp"

#include <string>
#include <vector>

using namespace weft;
using test::read;
using test::replaced;
using test::small_net;

namespace {

/// What reading small_net() with one change gives.
ir::Document changed(std::string_view from, std::string_view to) {
  return read(replaced(small_net(), from, to));
}

/// A Loop with one invariant Parameter 0, carried Parameter 1, Results 2 and 3, whose port map and
/// back edges are given.
std::string loop(const std::string& port_map, const std::string& back_edges,
                 const std::string& outputs = "<port id='3'/>") {
  return "<layer id='9' name='lp' type='Loop'><input><port id='0'/><port id='1'/><port "
         "id='2'/></input>"
         "<output>" +
         outputs + "</output><port_map>" + port_map + "</port_map><back_edges>" + back_edges +
         "</back_edges><body><layers>"
         "<layer id='0' name='p' type='Parameter'><output><port id='0'/></output></layer>"
         "<layer id='1' name='q' type='Parameter'><output><port id='0'/></output></layer>"
         "<layer id='2' name='r' type='Result'><input><port id='0'/></input></layer>"
         "<layer id='3' name='s' type='Result'><input><port id='0'/></input></layer>"
         "</layers><edges/></body></layer>";
}

const std::string loop_output = "<output external_port_id='3' internal_layer_id='2'/>";

std::string nested(int depth, const std::string& open, const std::string& close,
                   const std::string& inside = "") {
  std::string text;
  for (int i = 0; i < depth; ++i)
    text += open;
  text += inside;
  for (int i = 0; i < depth; ++i)
    text += close;
  return text;
}

}  // namespace

TEST_CASE("bad input: numbers are whole and in range", "[bad][numbers]") {
  for (const char* bad :
       {"", " ", "abc", "12abc", "0x10", " 1", "1 ", "+1", "1.0", "1e3", "-1", "--1", "1,2",
        "9223372036854775808", "18446744073709551616", "99999999999999999999999999", "\xD9\xA1"}) {
    INFO('"' << bad << '"');
    const std::string id = "layer id=\"" + std::string(bad) + "\"";
    CHECK_ERROR(parse, ("m.xml: layer 'act'", "attribute 'id'", "an integer"),
                changed("layer id=\"1\"", id));
    CHECK_ERROR(parse, ("m.xml: edge 1", "attribute 'to-port'"),
                changed("to-layer=\"2\" to-port=\"0\"",
                        "to-layer=\"2\" to-port=\"" + std::string(bad) + '"'));
    CHECK_ERROR(parse, ("m.xml: layer 0 'in' (Parameter): output", "attribute 'id'"),
                changed("port id=\"0\"", "port id=\"" + std::string(bad) + '"'));
    CHECK_ERROR(parse, ("m.xml", "attribute 'version' of <'net'>"),
                changed("version=\"11\"", "version=\"" + std::string(bad) + '"'));
    if (std::string(bad) == "-1") continue;  // an extent that is left open
    CHECK_ERROR(parse, ("layer 0 'in' (Parameter): output: port 0: dim 1", "an extent"),
                changed("<dim>3</dim>", "<dim>" + std::string(bad) + "</dim>"));
  }
  for (const char* bad : {"-2", "1..2..3", "..", "1..x", "-1..2", "?1"}) {
    INFO(bad);
    CHECK_ERROR(parse, ("dim 1", "an extent"),
                changed("<dim>3</dim>", "<dim>" + std::string(bad) + "</dim>"));
  }
  for (const char* bad : {"", "x", "1.5", "9223372036854775808", "-9223372036854775809", "1 "}) {
    INFO('"' << bad << '"');
    for (const char* attribute : {"axis", "start", "end", "stride", "part_size"}) {
      CHECK_ERROR(
          parse,
          ("m.xml: layer 9 'lp' (Loop): port_map: input 0", attribute, "an integer of 64 bits"),
          read(loop("<input external_port_id='0' internal_layer_id='0' " + std::string(attribute) +
                        "='" + bad + "'/>",
                    "")));
    }
  }
  for (const char* version : {"0", "1", "3", "8", "9", "12", "4294967306"}) {
    CHECK_ERROR(parse, ("attribute 'version' of <net>", "expected 4 to 7, 10 or 11", version),
                changed("version=\"11\"", "version=\"" + std::string(version) + '"'));
  }
}

TEST_CASE("bad input: nothing comes twice", "[bad][duplicates]") {
  CHECK_ERROR(parse, ("m.xml", "layer 1 comes twice"), changed("layer id=\"2\"", "layer id=\"1\""));
  CHECK_ERROR(parse, ("m.xml: line 12: attribute 'id' twice in <'layer'>"),
              changed("layer id=\"2\"", "layer id=\"2\" id=\"3\""));
  CHECK_ERROR(parse, ("m.xml: line 5", "attribute 'shape' twice in <'data'>"),
              changed("shape=\"2,3\"", "shape=\"2,3\" shape=\"3,3\""));
  CHECK_ERROR(parse, ("m.xml: layer 0 'in' (Parameter): output port 0 comes twice"),
              changed("<output><port", "<output><port id=\"0\"/><port"));
  CHECK_ERROR(parse, ("m.xml: layer 1 'act' (ReLU): input port 0 comes twice"),
              changed("<input><port", "<input><port id=\"0\"/><port"));
  CHECK_ERROR(parse, ("layer 0 'in' (Parameter)", "<'data'> twice"),
              changed("<data", "<data/><data"));
  CHECK_ERROR(parse, ("<'layers'> twice"), changed("<layers>", "<layers/><layers>"));
  CHECK_ERROR(
      parse, ("m.xml: layer 2 'out' (Result): input port 0: two edges lead to it"),
      changed("<edges>", "<edges><edge from-layer='0' from-port='0' to-layer='2' to-port='0'/>"));
  CHECK_ERROR(parse, ("one root element"), read(small_net() + small_net().substr(22)));
}

TEST_CASE("bad input: shapes of no possible size", "[bad][huge]") {
  CHECK_ERROR(limit, ("m.xml: layer 0 'in' (Parameter): output: port 0", "elements of shape"),
              changed("<dim>3</dim>", "<dim>1000000000000</dim>"));
  CHECK_ERROR(overflow, ("layer 0 'in' (Parameter): output: port 0", "exceed 2^63-1"),
              changed("<dim>3</dim>", "<dim>9223372036854775807</dim>"));
  CHECK_ERROR(rank, ("layer 0 'in' (Parameter): output: port 0", "more than 64 dims"),
              changed("<dim>3</dim>", nested(64, "<dim>1</dim>", "")));
  CHECK_NOTHROW(changed("<dim>3</dim>", nested(63, "<dim>1</dim>", "")));
  CHECK_NOTHROW(changed("<dim>3</dim>", "<dim>0</dim><dim>9223372036854775807</dim>"));
  CHECK_ERROR(rank, ("attribute 'shape'", "rank 70"),
              changed("shape=\"2,3\"", "shape=\"1" + nested(69, ",1", "") + '"')
                  .network.layers[0]
                  .shape("shape"));
}

TEST_CASE("bad input: a text that grows when it is read", "[bad][bombs]") {
  CHECK_ERROR(parse, ("m.xml", "document type"),
              read("<!DOCTYPE net [<!ENTITY a 'b'>]>" + small_net().substr(22)));
  CHECK_ERROR(parse, ("m.xml"),
              read("<!DOCTYPE lolz [<!ENTITY lol 'lol'><!ENTITY lol2 '&lol;&lol;&lol;'>]>"
                   "<net name='&lol2;' version='10'><layers/></net>"));
  // Entities that are not XML's own stay what they are.
  CHECK(changed("name=\"act\"", "name=\"&lol; &amp;\"").network.layers[1].name == "&lol; &");
  CHECK_ERROR(limit, ("m.xml", "bytes of XML, allowed are 100"),
              read(small_net(), {.max_xml_bytes = 100}));
}

TEST_CASE("bad input: elements inside elements without end", "[bad][bombs]") {
  CHECK_ERROR(limit, ("m.xml", "nested more than 256 deep"),
              changed("<anything", nested(300, "<a>", "</a>") + "<anything"));
  CHECK_ERROR(limit, ("nested more than 256 deep"), read(nested(200000, "<a>", "</a>")));
  CHECK_ERROR(parse, ("line 1"), read(nested(200000, "<a>", "")));
  CHECK_ERROR(parse, ("line 1"), read(nested(200000, "<!DOCTYPE [", "")));
  CHECK_ERROR(parse, ("line 1"), read(nested(200000, "<![", "")));

  const std::string open = "<layer id='0' name='l' type='Loop'><body><layers>";
  const std::string close = "</layers></body></layer>";
  CHECK_NOTHROW(read(nested(64, open, close)));
  CHECK_ERROR(limit, ("m.xml: layer 0 'l' (Loop): body: layer 0", "nested more than 64 deep"),
              read(nested(65, open, close)));
  CHECK_ERROR(limit, ("nested more than 2 deep"), read(nested(3, open, close), {.max_bodies = 2}));
}

TEST_CASE("bad input: more of everything than the limits allow", "[bad][bombs]") {
  CHECK_ERROR(limit, ("m.xml", "more than 2 layers"), read(small_net(), {.max_layers = 2}));
  CHECK_NOTHROW(read(small_net(), {.max_layers = 3}));
  CHECK_ERROR(limit, ("more than 1 edges"), read(small_net(), {.max_edges = 1}));
  CHECK_ERROR(limit, ("layer 0 'in' (Parameter): output", "more than 0 ports"),
              read(small_net(), {.max_ports = 0}));
  CHECK_ERROR(limit, ("'layer'", "more than 3 attributes"),
              read(small_net(), {.max_attributes = 3}));
  CHECK_ERROR(limit, ("attribute 'name' has more than 10 bytes"),
              read(replaced(small_net(), "name=\"act\"", "name=\"longer than 10\""),
                   {.max_name_bytes = 10}));
  CHECK_ERROR(limit, ("line 4: attribute 'type' of <'layer'> has more than 5 bytes"),
              read(small_net(), {.max_value_bytes = 5}));
  CHECK_ERROR(limit, ("6 elements of shape [2, 3], allowed are 5"),
              read(small_net(), {.max_elements = 5}));
}

TEST_CASE("bad input: edges that lead nowhere, or in a circle", "[bad][edges]") {
  CHECK_ERROR(parse, ("m.xml: edge 0", "no layer 7"),
              changed("from-layer=\"0\"", "from-layer=\"7\""));
  CHECK_ERROR(parse, ("m.xml: edge 0", "no layer 7"), changed("to-layer=\"1\"", "to-layer=\"7\""));
  CHECK_ERROR(parse, ("edge 0: layer 0 'in' (Parameter): there is no output port 4"),
              changed("from-port=\"0\"", "from-port=\"4\""));
  CHECK_ERROR(parse, ("edge 0: layer 1 'act' (ReLU): there is no input port 1"),
              changed("to-layer=\"1\" to-port=\"0\"", "to-layer=\"1\" to-port=\"1\""));
  CHECK_ERROR(parse, ("edge 0", "attribute 'from-port'", "missing"),
              changed("from-port=\"0\"", ""));
  CHECK_ERROR(parse, ("m.xml: layer 1 'act' (ReLU)", "circle"),
              changed("from-layer=\"0\" from-port=\"0\"", "from-layer=\"1\" from-port=\"1\""));
  // A circle of two, with layers before and after it.
  CHECK_ERROR(
      parse, ("m.xml: layer 1 'b' (T)", "circle"),
      read("<net version='10'><layers>"
           "<layer id='0' name='a' type='T'><output><port id='0'/></output></layer>"
           "<layer id='1' name='b' type='T'><input><port id='0'/><port id='1'/></input>"
           "<output><port id='0'/></output></layer>"
           "<layer id='2' name='c' type='T'><input><port id='0'/></input>"
           "<output><port id='0'/></output></layer>"
           "<layer id='3' name='d' type='T'><input><port id='0'/></input></layer></layers><edges>"
           "<edge from-layer='0' from-port='0' to-layer='1' to-port='0'/>"
           "<edge from-layer='2' from-port='0' to-layer='1' to-port='1'/>"
           "<edge from-layer='1' from-port='0' to-layer='2' to-port='0'/>"
           "<edge from-layer='2' from-port='0' to-layer='3' to-port='0'/></edges></net>"));
}

TEST_CASE("bad input: port maps and back edges that fit nothing", "[bad][edges]") {
  const auto with_input = [](const std::string& attributes) {
    return loop("<input " + attributes + "/>" + loop_output, "");
  };
  CHECK_NOTHROW(read(with_input("external_port_id='0' internal_layer_id='0'")));
  const std::string at = "m.xml: layer 9 'lp' (Loop): port_map: input 0: ";
  CHECK_ERROR(parse, (at, "'external_port_id'", "no input port 3"),
              read(with_input("external_port_id='3' internal_layer_id='0'")));
  CHECK_ERROR(parse, (at, "'external_port_id'", "no input port -2"),
              read(with_input("external_port_id='-2' internal_layer_id='0'")));
  CHECK_ERROR(parse, (at, "no input port 9223372036854775807"),
              read(with_input("external_port_id='9223372036854775807' internal_layer_id='0'")));
  CHECK_ERROR(parse, (at, "-1", "'purpose'"),
              read(with_input("external_port_id='-1' internal_layer_id='0'")));
  CHECK_ERROR(parse, (at, "'internal_layer_id'", "no layer 8"),
              read(with_input("external_port_id='0' internal_layer_id='8'")));
  CHECK_ERROR(parse, (at, "expected a Parameter, got layer 2 'r' (Result)"),
              read(with_input("external_port_id='0' internal_layer_id='2'")));
  CHECK_ERROR(parse, (at, "'internal_layer_id'", "missing"),
              read(with_input("external_port_id='0'")));
  CHECK_ERROR(parse, (at, "'external_port_id'", "missing"),
              read(with_input("internal_layer_id='0'")));
  CHECK_ERROR(parse, (at, "'begin'", "not known"),
              read(with_input("external_port_id='0' internal_layer_id='0' begin='1'")));
  CHECK_ERROR(parse, (at, "'purpose'", "expected current_iteration, got 'execution_condition'"),
              read(with_input(
                  "external_port_id='-1' internal_layer_id='0' purpose='execution_condition'")));
  CHECK_ERROR(parse, ("port_map", "two inputs lead to layer 0 'p' (Parameter)"),
              read(loop("<input external_port_id='0' internal_layer_id='0'/>"
                        "<input external_port_id='1' internal_layer_id='0'/>" +
                            loop_output,
                        "")));
  CHECK_ERROR(parse, ("layer 9 'lp' (Loop)", "two entries lead to output port 3"),
              read(loop(loop_output + loop_output, "")));
  CHECK_ERROR(parse, ("layer 9 'lp' (Loop)", "no entry leads to output port 4"),
              read(loop(loop_output, "", "<port id='3'/><port id='4'/>")));
  CHECK_ERROR(parse, ("port_map", "expected <input> or <output>, got 'edge'"),
              read(loop("<edge/>" + loop_output, "")));

  const auto with_edge = [](const std::string& attributes) {
    return loop(loop_output, "<edge " + attributes + "/>");
  };
  const std::string edge = "m.xml: layer 9 'lp' (Loop): back_edges: edge 0: ";
  CHECK_NOTHROW(read(with_edge("from-layer='2' to-layer='1'")));
  CHECK_ERROR(parse, (edge, "'from-layer'", "no layer 7"),
              read(with_edge("from-layer='7' to-layer='1'")));
  CHECK_ERROR(parse, (edge, "'to-layer'", "no layer 7"),
              read(with_edge("from-layer='2' to-layer='7'")));
  CHECK_ERROR(parse, (edge, "expected a Result, got layer 1 'q'"),
              read(with_edge("from-layer='1' to-layer='1'")));
  CHECK_ERROR(parse, (edge, "expected a Parameter, got layer 3 's'"),
              read(with_edge("from-layer='2' to-layer='3'")));
  CHECK_ERROR(parse, (edge, "'to-layer'", "missing"), read(with_edge("from-layer='2'")));
  CHECK_ERROR(parse, ("back_edges", "two edges lead to layer 1 'q' (Parameter)"),
              read(loop(loop_output,
                        "<edge from-layer='2' to-layer='1'/>"
                        "<edge from-layer='3' to-layer='1'/>")));
}

TEST_CASE("bad input: ports of a file before version 10", "[bad][edges]") {
  const auto legacy = [](std::string_view from, std::string_view to) {
    return read(replaced(test::data_file("legacy_v5.xml"), from, to));
  };
  CHECK_ERROR(parse, ("layer 2 'sums'", "port_map: input 0", "there is no input port 5"),
              legacy("internal_port_id=\"0\"", "internal_port_id=\"5\""));
  CHECK_ERROR(parse, ("port_map: input 0", "expected a Parameter, got layer 0 'add' (Eltwise)"),
              legacy("internal_port_id=\"0\" ", ""));
  CHECK_ERROR(parse, ("back_edges: edge 0", "there is no output port 0"),
              legacy("from-layer=\"1\" from-port=\"1\" to-layer=\"0\"",
                     "from-layer=\"1\" from-port=\"0\" to-layer=\"0\""));
  CHECK_ERROR(parse, ("two inputs lead to layer 0 'add'"),
              legacy("internal_port_id=\"1\"", "internal_port_id=\"0\""));
}

TEST_CASE("bad input: not a model at all", "[bad][text]") {
  CHECK_ERROR(parse, ("m.xml", "not XML"), read(""));
  CHECK_ERROR(parse, ("m.xml", "not XML"),
              read("\x7f"
                   "ELF\x02\x01"));
  CHECK_ERROR(parse, ("m.xml"), read("{\"net\": 1}"));
  CHECK_ERROR(parse, ("<net> or <layer>", "'html'"), read("<html/>"));
  CHECK_ERROR(parse, ("<layers>", "missing"), read("<net version='10'/>"));
  CHECK_ERROR(parse, ("attribute 'version'", "missing"), read("<net/>"));
  CHECK_ERROR(parse, ("line 3"), read("<net version='10'>\n<layers>\n</net>"));
  CHECK_ERROR(parse, ("element <'lairs'>", "<'net'>", "not known"),
              read("<net version='10'><layers/><lairs/></net>"));
  CHECK_ERROR(parse, ("expected <layer> in <'layers'>, got <'layr'>"),
              read("<net version='10'><layers><layr/></layers></net>"));
  CHECK_ERROR(parse, ("layer 'x'", "attribute 'id'", "missing"),
              read("<net version='10'><layers><layer name='x' type='T'/></layers></net>"));
  CHECK_ERROR(parse, ("layer 0 'x' ()", "attribute 'type' is missing"), read("<layer name='x'/>"));
  CHECK_ERROR(parse, ("got text 'hello'"), read("<net version='10'>hello<layers/></net>"));
  CHECK_ERROR(parse, ("layer 0 '' (T)", "<port_map> without a body"),
              read("<layer type='T'><port_map/></layer>"));
  CHECK_ERROR(parse, ("expected a number in <'dim'>, got elements"),
              changed("<dim>3</dim>", "<dim><b/></dim>"));
  CHECK_ERROR(parse, ("port 0", "expected <dim>, got 'dimm'"),
              changed("<dim>3</dim>", "<dimm>3</dimm>"));
  const std::string with_nul = small_net() + std::string(1, '\0') + "<x/>";
  CHECK_ERROR(parse, ("m.xml: line 22: not XML"), read(with_nul));
}

TEST_CASE("bad input: what a message quotes cannot harm a terminal", "[bad][text]") {
  const std::string name = "\x1b[2J\xff" + std::string(300, 'x');
  try {
    changed("name=\"act\"", "name=\"" + name + "\" type2=\"\" version2=\"\"");
    changed("id=\"1\" name=\"act\"", "id=\"x\" name=\"" + name + "\"");
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(message.find('\x1b') == std::string::npos);
    CHECK(message.find('\xff') == std::string::npos);
    CHECK(message.size() < 300);
  }
}

TEST_CASE("bad input: no file is named by a text", "[bad][paths]") {
  // What other formats take for a place to read from is an attribute like any other here.
  const ir::Document d = changed("<data",
                                 "<data location=\"../../../etc/passwd\" path=\"/etc/passwd\" "
                                 "href=\"file:///etc/passwd\"");
  CHECK(d.network.layers[0].string("location") == "../../../etc/passwd");
  CHECK_ERROR(parse, ("document type"),
              read("<!DOCTYPE net SYSTEM 'file:///etc/passwd'>" + small_net().substr(22)));
  CHECK_ERROR(parse, ("'xi:include'", "not known"),
              changed("<layers>", "<xi:include href='/etc/passwd'/><layers>"));
}

TEST_CASE("bad input: files cut short, and with bytes changed", "[bad][mutations]") {
  WEFT_RANDOM(random);
  std::vector<std::string> texts = {small_net(), test::data_file("seed_example_2.xml"),
                                    test::data_file("legacy_v5.xml"),
                                    loop(loop_output, "<edge from-layer='2' to-layer='1'/>")};
  long errors = 0;
  for (const std::string& text : texts) {
    const auto attempt = [&](const std::string& broken) {
      try {
        read(broken);
      } catch (const Error& error) {
        ++errors;
        if (std::string(error.what()).rfind("m.xml: ", 0) != 0) FAIL(error.what());
      }
    };
    for (std::size_t length = 0; length < text.size(); length += text.size() / 200 + 1)
      attempt(text.substr(0, length));
    for (int i = 0; i < test::rounds(500); ++i) {
      std::string broken = text;
      for (std::int64_t n = random.integer(1, 3); n > 0; --n) {
        const auto at = static_cast<std::size_t>(
            random.integer(0, static_cast<std::int64_t>(broken.size()) - 1));
        switch (random.integer(0, 3)) {
          case 0: broken[at] = static_cast<char>(random.integer(0, 255)); break;
          case 1: broken.erase(at, static_cast<std::size_t>(random.integer(1, 40))); break;
          case 2:
            broken.insert(at,
                          broken.substr(at / 2, static_cast<std::size_t>(random.integer(1, 40))));
            break;
          default: broken[at] = static_cast<char>('0' + random.integer(0, 9)); break;
        }
      }
      attempt(broken);
    }
  }
  CHECK(errors > test::rounds(1000));
}
