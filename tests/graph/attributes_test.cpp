// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/attributes.hpp>

#include "support/errors.hpp"

using weft::ScalarType;
using weft::graph::Attributes;

TEST_CASE("attributes as they were set", "[graph]") {
  const Attributes list{{"axis", 2},
                        {"clip", 0.5},
                        {"keep", true},
                        {"mode", "numpy"},
                        {"order", std::vector<std::int64_t>{1, 0}}};
  CHECK(list.integer("axis") == 2);
  CHECK(list.number("clip") == 0.5);
  CHECK(list.number("axis") == 2.0);
  CHECK(list.flag("keep"));
  CHECK(list.text("mode") == "numpy");
  CHECK(list.integers("order") == std::vector<std::int64_t>{1, 0});
  CHECK(list.integers("axis") == std::vector<std::int64_t>{2});
  CHECK(list.integer("other", 7) == 7);
  CHECK_FALSE(list.has("Axis"));
}

TEST_CASE("attributes that come as text", "[graph]") {
  const Attributes list{
      {"axis", " -1 "},    {"clip", "3.5e0"}, {"keep", "True"},           {"drop", "0"},
      {"order", "2, 0,1"}, {"none", ""},      {"names", "sigmoid, tanh"}, {"type", "FP32"}};
  CHECK(list.integer("axis") == -1);
  CHECK(list.number("clip") == 3.5);
  CHECK(list.flag("keep"));
  CHECK_FALSE(list.flag("drop"));
  CHECK(list.integers("order") == std::vector<std::int64_t>{2, 0, 1});
  CHECK(list.integers("none").empty());
  CHECK(list.texts("names") == std::vector<std::string>{"sigmoid", "tanh"});
  CHECK(list.scalar_type("type") == ScalarType::f32);
}

TEST_CASE("attributes that cannot be read are named", "[graph]") {
  const Attributes list{{"axis", "1x"},    {"far", "99999999999999999999"},
                        {"keep", "maybe"}, {"mode", "numpy"},
                        {"order", "1,,2"}, {"flag", true}};
  CHECK_ERROR(parse, ("'axis'", "1x"), list.integer("axis"));
  CHECK_ERROR(parse, ("'far'", "64 bits"), list.integer("far"));
  CHECK_ERROR(parse, ("'keep'", "maybe"), list.flag("keep"));
  CHECK_ERROR(parse, ("'mode'"), list.number("mode"));
  CHECK_ERROR(parse, ("'order'"), list.integers("order"));
  CHECK_ERROR(parse, ("'mode'", "numpy"), list.scalar_type("mode"));
  CHECK_ERROR(parse, ("'flag'"), list.text("flag"));
  CHECK_ERROR(invalid_argument, ("'stride'", "missing"), list.integer("stride"));
  CHECK_ERROR(parse, ("'axis'"), list.integer("axis", 4));
}

TEST_CASE("element types by the names that files use", "[graph]") {
  using weft::graph::parse_element_type;
  CHECK(parse_element_type("f32") == ScalarType::f32);
  CHECK(parse_element_type("BF16") == ScalarType::bf16);
  CHECK(parse_element_type("boolean") == ScalarType::boolean);
  CHECK(parse_element_type("BOOL") == ScalarType::boolean);
  CHECK(parse_element_type("I64") == ScalarType::i64);
  CHECK_ERROR(parse, ("u4"), parse_element_type("u4"));
}
