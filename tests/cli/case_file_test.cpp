// SPDX-License-Identifier: Apache-2.0
#include "cli/case_file.hpp"

#include "error_of.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <string>

using namespace weft;
using namespace weft::cli;

namespace {

const TensorSpec& tensor_input(const Case& c, std::size_t i) {
  return std::get<TensorSpec>(c.inputs.at(i));
}
const Scalar& number_input(const Case& c, std::size_t i) {
  return std::get<Scalar>(c.inputs.at(i));
}

bool same(const DimVector& got, IntSpan wanted) { return std::ranges::equal(got, wanted); }

/// Checks that a call is refused with a message that names `word` and has `part` in it.
void check_refused(const std::string& call, const std::string& word, const std::string& part) {
  INFO(call);
  const auto [code, message] = error_of([&] { parse_call(call); });
  INFO(message);
  CHECK(code == ErrorCode::parse);
  CHECK(contains(message, "word '" + word + "'"));
  CHECK(contains(message, part));
}

}  // namespace

TEST_CASE("case: operands", "[case]") {
  const Case c = parse_call("add out:f32[5,9,8,7] f32[5,9,8,7]{1,35,315,5} bf16[7]{-1} 2.5 3");
  CHECK(c.name.empty());
  CHECK(c.op == "add");
  REQUIRE(c.outputs.size() == 1);
  CHECK(c.outputs[0].type == ScalarType::f32);
  CHECK(same(c.outputs[0].shape, {5, 9, 8, 7}));
  CHECK(same(c.outputs[0].strides, {504, 56, 7, 1}));
  REQUIRE(c.inputs.size() == 4);
  CHECK(same(tensor_input(c, 0).strides, {1, 35, 315, 5}));
  CHECK(tensor_input(c, 1).type == ScalarType::bf16);
  CHECK(same(tensor_input(c, 1).strides, {-1}));
  CHECK(number_input(c, 2).dtype() == ScalarType::f64);
  CHECK(number_input(c, 2).to<double>() == 2.5);
  CHECK(number_input(c, 3).dtype() == ScalarType::i64);
  CHECK(number_input(c, 3).to<std::int64_t>() == 3);
  CHECK(c.fill == Fill::sym);
  CHECK(c.axes.empty());
  CHECK(!c.keepdim);
  CHECK(!c.min);
  CHECK(!c.max);
}

TEST_CASE("case: every element type", "[case]") {
  for (int i = 0; i < scalar_type_count; ++i) {
    const auto type = static_cast<ScalarType>(i);
    const Case c = parse_call("copy out:" + std::string(name(type)) + "[2] " +
                              std::string(name(type)) + "[2]");
    CHECK(c.outputs[0].type == type);
    CHECK(tensor_input(c, 0).type == type);
  }
}

TEST_CASE("case: shapes and strides", "[case]") {
  CHECK(parse_call("neg out:f32[] f32[]").outputs[0].shape.empty());
  CHECK(parse_call("neg out:f32[]{} f32[]").outputs[0].strides.empty());
  // An extent of 0 counts as 1 in the strides of a contiguous tensor.
  CHECK(same(parse_call("neg out:f32[4,0,3] f32[4,0,3]").outputs[0].strides, {3, 3, 1}));
  CHECK(same(tensor_input(parse_call("neg f32[2,3]{0,-7}"), 0).strides, {0, -7}));
  CHECK(same(tensor_input(parse_call("neg f32[1]{9223372036854775807}"), 0).strides, {INT64_MAX}));
  CHECK(same(tensor_input(parse_call("neg f32[1]{-9223372036854775808}"), 0).strides, {INT64_MIN}));
  std::string deep = "neg u8[1";
  for (int i = 1; i < 64; ++i)
    deep += ",1";
  CHECK(tensor_input(parse_call(deep + "]"), 0).shape.size() == 64);
}

TEST_CASE("case: numbers", "[case]") {
  const auto number = [](const std::string& word) {
    return number_input(parse_call("mul out:f32[1] " + word), 0);
  };
  CHECK(number("0").dtype() == ScalarType::i64);
  CHECK(number("-7").to<std::int64_t>() == -7);
  CHECK(number("9223372036854775807").to<std::int64_t>() == INT64_MAX);
  CHECK(number("-9223372036854775808").to<std::int64_t>() == INT64_MIN);
  CHECK(number("3.").dtype() == ScalarType::f64);
  CHECK(number(".5").to<double>() == 0.5);
  CHECK(number("-0.0").dtype() == ScalarType::f64);
  CHECK(number("1e3").dtype() == ScalarType::f64);
  CHECK(number("1e3").to<double>() == 1000);
  CHECK(number("-2.5e-3").to<double>() == -0.0025);
  for (const char* bad :
       {"+1", "1,5", "0x10", "1_000", "--1", "-", "1.5f", "1e", "e5", "1e999", "-1e999", "inf",
        "nan", "nan(e)", "-infinite", "9223372036854775808", "1.2.3", "1E5", "one"}) {
    check_refused(std::string("mul out:f32[1] ") + bad, bad, "expected out:DTYPE[SHAPE]{STRIDES}");
  }
}

TEST_CASE("case: keys", "[case]") {
  const Case c = parse_call("sum out:f32[4] f32[4,5] dim=-1,0 keepdim=1 fill=nz min=-0.5 max=2");
  CHECK(same(c.axes, {-1, 0}));
  CHECK(c.keepdim);
  CHECK(c.fill == Fill::nz);
  CHECK(c.min->dtype() == ScalarType::f64);
  CHECK(c.min->to<double>() == -0.5);
  CHECK(c.max->dtype() == ScalarType::i64);
  CHECK(parse_call("sum out:f32[4] f32[4,5] keepdim=0 fill=pos").fill == Fill::pos);
  CHECK(parse_call("sum fill=sym").fill == Fill::sym);

  CHECK(same(parse_call("roll out:f32[4] f32[4] dim=0 n=-3").numbers, {-3}));
  CHECK(same(parse_call("tile out:f32[4] f32[4] n=2,3").numbers, {2, 3}));

  check_refused("tile n=", "n=", "expected a number");
  check_refused("tile n=2,x", "n=2,x", "expected an integer among its numbers, got 'x'");
  check_refused("sum dim=", "dim=", "expected an axis");
  check_refused("sum dim=1,", "dim=1,", "after the last comma");
  check_refused("sum dim=,1", "dim=,1", "got ''");
  check_refused("sum dim=a", "dim=a", "expected an integer among its axes, got 'a'");
  check_refused("sum dim=1.0", "dim=1.0", "got '1.0'");
  check_refused("sum keepdim=2", "keepdim=2", "keepdim=0 or keepdim=1");
  check_refused("sum keepdim=", "keepdim=", "keepdim=0 or keepdim=1");
  check_refused("sum keepdim=true", "keepdim=true", "keepdim=0 or keepdim=1");
  check_refused("sum fill=zero", "fill=zero", "fill=sym");
  check_refused("sum fill=", "fill=", "fill=sym");
  check_refused("clamp min=x", "min=x", "expected a number, got 'x'");
  check_refused("clamp max=", "max=", "expected a number");
  check_refused("sum dims=1", "dims=1", "unknown key 'dims'");
  check_refused("sum =1", "=1", "unknown key ''");
  check_refused("sum dim=1 dim=1", "dim=1", "key 'dim' twice");
  check_refused("sum Dim=1", "Dim=1", "unknown key 'Dim'");
  check_refused("sum keepdim=1=1", "keepdim=1=1", "keepdim=0 or keepdim=1");
}

TEST_CASE("case: words that are refused", "[case]") {
  check_refused("add f99[4]", "f99[4]", "unknown element type 'f99'");
  check_refused("add [4]", "[4]", "unknown element type ''");
  check_refused("add F32[4]", "F32[4]", "unknown element type 'F32'");
  check_refused("add out:[4]", "out:[4]", "unknown element type ''");
  check_refused("add out:", "out:", "expected [...]");
  check_refused("add out:f32", "out:f32", "expected [...]");
  check_refused("add out:2.5", "out:2.5", "expected [...]");
  check_refused("add in:f32[4]", "in:f32[4]", "unknown element type 'in:f32'");
  check_refused("add f32[4", "f32[4", "expected [...]");
  check_refused("add f32]4[", "f32]4[", "expected [...]");
  check_refused("add f32{1}", "f32{1}", "expected [...]");
  check_refused("add f32[4]]", "f32[4]]", "expected {...}");
  check_refused("add f32[4]x", "f32[4]x", "expected {...}");
  check_refused("add f32[4]{1", "f32[4]{1", "expected {...}");
  check_refused("add f32[4]{1}{1}", "f32[4]{1}{1}", "nothing after the strides, got '{1}'");
  check_refused("add f32[4][4]", "f32[4][4]", "expected {...}");
  check_refused("add f32[4]{}", "f32[4]{}", "one stride per extent, got 0 for 1");
  check_refused("add f32[4]{1,2}", "f32[4]{1,2}", "one stride per extent, got 2 for 1");
  check_refused("add f32[4,]", "f32[4,]", "after the last comma of its extents");
  check_refused("add f32[,4]", "f32[,4]", "expected an integer among its extents, got ''");
  check_refused("add f32[4,,4]", "f32[4,,4]", "got ''");
  check_refused("add f32[4x4]", "f32[4x4]", "got '4x4'");
  check_refused("add f32[4.0]", "f32[4.0]", "got '4.0'");
  check_refused("add f32[+4]", "f32[+4]", "got '+4'");
  check_refused("add f32[4]{1.5}", "f32[4]{1.5}", "among its strides, got '1.5'");
  check_refused("add f32[-4]", "f32[-4]", "-4");
  check_refused("add f32[99999999999999999999]", "f32[99999999999999999999]",
                "expected an integer");
  check_refused("add f32[4294967296,4294967296]", "f32[4294967296,4294967296]", "2^63-1");
  check_refused("add f32[0,4294967296,4294967296]", "f32[0,4294967296,4294967296]", "2^63-1");
  check_refused("add f32[4] out:f32[4]", "out:f32[4]", "outputs come before inputs");
  check_refused("add 2.5 out:f32[4]", "out:f32[4]", "outputs come before inputs");
  check_refused("sum dim=0 out:f32[4]", "out:f32[4]", "operands come before KEY=VALUE");
  check_refused("sum out:f32[4] dim=0 f32[4]", "f32[4]", "operands come before KEY=VALUE");
  check_refused("add # comment", "#", "expected out:");
  check_refused("f32[4] f32[4]", "f32[4]", "expected the name of an operation");
  check_refused("out:f32[4] f32[4]", "out:f32[4]", "expected the name of an operation");
  check_refused("dim=1", "dim=1", "expected the name of an operation");
  std::string deep = "u8[1";
  for (int i = 1; i < 65; ++i)
    deep += ",1";
  check_refused("add " + deep + "]", deep + "]", "more than 64 extents");
  for (const char* empty : {"", "   ", "\t\r"}) {
    CHECK(contains(error_of([&] { parse_call(empty); }).second, "expected an operation"));
  }
}

TEST_CASE("case: lines of a file", "[case]") {
  const std::string text =
      "# a comment\n"
      "\n"
      "a.x add out:f32[4] f32[4] f32[4]\r\n"
      "   \t\n"
      "   # another\n"
      "#b add\n"
      "  b.y\tneg  out:f32[4]   f32[4]  \n"
      "c";
  const auto lines = split_case_lines(text);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].number == 3);
  CHECK(lines[0].name == "a.x");
  CHECK(lines[1].number == 7);
  CHECK(lines[1].name == "b.y");
  CHECK(lines[2].number == 8);
  CHECK(lines[2].name == "c");
  const Case a = parse_case(lines[0]);
  CHECK(a.name == "a.x");
  CHECK(a.inputs.size() == 2);
  CHECK(parse_case(lines[1]).op == "neg");
  CHECK(contains(error_of([&] { parse_case(lines[2]); }).second, "line 8: expected an operation"));
  CHECK(split_case_lines("").empty());
  CHECK(split_case_lines("\n\n#\n").empty());
}

TEST_CASE("case: errors name the line and the word", "[case]") {
  const auto lines = split_case_lines("ok neg out:f32[1] f32[1]\n\nbad neg out:f32[1] f32[1]{x}\n");
  REQUIRE(lines.size() == 2);
  const auto [code, message] = error_of([&] { parse_case(lines[1]); });
  CHECK(code == ErrorCode::parse);
  CHECK(message == "line 3: word 'f32[1]{x}': expected an integer among its strides, got 'x'");
}

TEST_CASE("case: names are fit to be names of files", "[case]") {
  for (const char* good : {"a", "a.b-c_d+e", "x#1", "group.case[3]"}) {
    CHECK(parse_case({1, good, "neg out:f32[1] f32[1]"}).name == good);
  }
  for (const char* bad : {"../x", "a/b", "a\\b", ".hidden", "a\"b", "caf\xc3\xa9", "a\x01"}) {
    INFO(bad);
    CHECK(contains(error_of([&] {
                     parse_case({1, bad, "neg out:f32[1] f32[1]"});
                   }).second,
                   "a name is"));
  }
  const std::string lengthy(201, 'a');
  CHECK(contains(error_of([&] { parse_case({1, lengthy, "neg"}); }).second, "a name is"));
}
