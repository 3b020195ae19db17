// SPDX-License-Identifier: Apache-2.0
#include "cli/case_operands.hpp"

#include <weft/core/tensor.hpp>

#include "cli/fill.hpp"
#include "error_of.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <string>

using namespace weft;
using namespace weft::cli;

namespace {

constexpr auto values = BoundCase::Contents::values;

std::pair<ErrorCode, std::string> refusal(const std::string& call) {
  return error_of([&] { BoundCase(parse_call(call), values); });
}

/// The elements of a filled buffer of `count` f32.
Tensor buffer_of(std::int64_t count, int input) {
  Tensor t = Tensor::empty({count}, ScalarType::f32);
  fill_buffer(t, Fill::sym, input);
  return t;
}

}  // namespace

TEST_CASE("case operands: buffers span what the strides reach", "[case]") {
  const BoundCase c(parse_call("add out:f32[3,4] f32[3,4]{-10,2} f32[4]{-3}"), values);
  const OpArguments& args = c.arguments();
  REQUIRE(args.outputs.size() == 1);
  REQUIRE(args.inputs.size() == 2);

  // Reaches from -20 to 6 elements of its origin: 27 elements.
  const TensorView& a = args.inputs[0];
  CHECK(a.range().end - a.range().begin == 27 * 4);
  CHECK(static_cast<const std::byte*>(a.data()) - a.range().begin == 20 * 4);
  const Tensor a_buffer = buffer_of(27, 0);
  CHECK(a.at<float>({0, 0}) == a_buffer.at<float>({20}));
  CHECK(a.at<float>({2, 3}) == a_buffer.at<float>({6}));

  const TensorView& b = args.inputs[1];
  CHECK(b.range().end - b.range().begin == 10 * 4);
  CHECK(b.at<float>({3}) == buffer_of(10, 1).at<float>({0}));

  c.run();
  CHECK(args.outputs[0].at<float>({1, 2}) == a.at<float>({1, 2}) + b.at<float>({2}));
}

TEST_CASE("case operands: numbers do not count as inputs of their own", "[case]") {
  const BoundCase c(parse_call("where out:f32[5] bool[5] 2.5 f32[5]"), values);
  const auto inputs = c.arguments().inputs;
  REQUIRE(inputs.size() == 3);
  CHECK(inputs[1].is_weak_scalar());
  CHECK(inputs[1].rank() == 0);
  CHECK(inputs[2].at<float>({4}) == buffer_of(5, 1).at<float>({4}));
  c.run();
  for (std::int64_t i = 0; i < 5; ++i) {
    CHECK(c.arguments().outputs[0].at<float>({i}) ==
          (inputs[0].at<bool>({i}) ? 2.5F : inputs[2].at<float>({i})));
  }
}

TEST_CASE("case operands: outputs start as zero bytes", "[case]") {
  const BoundCase c(parse_call("neg out:f64[3]{2} f64[3]"), values);
  const ByteRange range = c.arguments().outputs[0].range();
  CHECK(range.end - range.begin == 5 * 8);
  CHECK(std::all_of(range.begin, range.end, [](std::byte b) { return b == std::byte{0}; }));
}

TEST_CASE("case operands: one element, none, repeated ones", "[case]") {
  const BoundCase scalar(parse_call("sum out:f32[] f32[7] dim=0"), values);
  scalar.run();
  CHECK(scalar.arguments().axes.size() == 1);
  const BoundCase empty(parse_call("add out:f32[0,3] f32[0,3] f32[0,3]{-3,-1}"), values);
  empty.run();
  CHECK(empty.arguments().outputs[0].numel() == 0);
  const BoundCase repeated(parse_call("neg out:f32[1000] f32[1000]{0}"), values);
  const ByteRange range = repeated.arguments().inputs[0].range();
  CHECK(range.end - range.begin == 4);
}

TEST_CASE("case operands: bounds, and the number of scaled functions", "[case]") {
  const auto first = [](const char* call) {
    const BoundCase c(parse_call(call), values);
    c.run();
    return c.arguments().outputs[0].at<float>({0});
  };
  const float x = buffer_of(1, 0).at<float>({0});
  CHECK(first("clamp out:f32[1] f32[1] min=2 max=3.5") == 2);
  CHECK(first("clamp out:f32[1] f32[1] min=2") == 2);
  CHECK(first("clamp out:f32[1] f32[1] max=-2.5") == -2.5F);
  CHECK(first("clamp out:f32[1] f32[1] -7 7") == x);
  CHECK(first("addcmul out:f32[1] f32[1] 2 3") == x + 3);
  CHECK(contains(refusal("clamp out:f32[1] f32[1]").second, "clamp: expected 1 output and 3"));
}

TEST_CASE("case operands: what is refused", "[case]") {
  CHECK(contains(refusal("frobnicate out:f32[4] f32[4]").second, "frobnicate"));
  // Before memory is asked for.
  CHECK(contains(refusal("frobnicate out:f32[99999999999999]").second, "frobnicate"));
  const auto counts = refusal("add out:f32[4] f32[4]");
  CHECK(counts.first == ErrorCode::invalid_argument);
  CHECK(contains(counts.second, "add"));
  CHECK(contains(refusal("add out:f32[4] f32[4] f32[4] min=1").second, "add takes no min="));
  CHECK(contains(refusal("add out:f32[4] f32[4] f32[4] max=1").second, "add takes no min="));
  CHECK(contains(refusal("add out:f32[4] f32[4] f32[4] dim=0").second, "add takes no dim="));
  CHECK(contains(refusal("copy out:f32[4] f32[4] dim=0").second, "copy takes no dim="));
  CHECK(contains(refusal("cumsum out:f32[4] f32[4] keepdim=1").second, "takes no keepdim=1"));
  CHECK(contains(refusal("add out:f32[4] f32[4] f32[4] n=1").second, "add takes no n="));
  CHECK(contains(refusal("concat out:f32[4] f32[4] n=1").second, "concat takes no n="));
  CHECK(contains(refusal("tile out:f32[8] f32[4] dim=0 n=2").second, "tile takes no dim="));
  CHECK(contains(refusal("topk out:f32[2] f32[4] n=2").second, "2 outputs"));
  CHECK(contains(refusal("ad out:f32[4] f32[4] f32[4]").second, "'ad'; weft info lists"));
  CHECK(refusal("neg out:f32[2] f32[2]{4611686018427387904}").first == ErrorCode::overflow);
  CHECK(refusal("neg out:f32[3] f32[3]{9223372036854775807}").first == ErrorCode::overflow);
  CHECK(refusal("neg out:f32[2,2] f32[2,2]{9223372036854775807,-9223372036854775807}").first ==
        ErrorCode::overflow);
  CHECK(refusal("neg out:f32[2] f32[2]{-9223372036854775808}").first == ErrorCode::overflow);
  const auto memory = refusal("neg out:u8[2] u8[2]{1152921504606846976}");
  CHECK(memory.first == ErrorCode::limit);
  CHECK(contains(memory.second, "GiB"));
  const auto sum_of_two = refusal("neg out:u8[2]{4611686018427387905} u8[2]{4611686018427387905}");
  CHECK(sum_of_two.first == ErrorCode::limit);
}
