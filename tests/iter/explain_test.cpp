// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/config.hpp>
#include <weft/iter/explain.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"
#include "support/visit.hpp"

#include <cctype>
#include <string>

namespace {

using test::dims;
using test::Dims;
using weft::Explanation;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

/// Reads one JSON value and gives what is left; null if it is none.
const char* skip_json(const char* at) {
  const auto space = [&] {
    while (std::isspace(static_cast<unsigned char>(*at)) != 0)
      ++at;
  };
  space();
  if (*at == '"') {
    for (++at; *at != '"'; ++at) {
      if (*at == '\\') ++at;
      if (static_cast<unsigned char>(*at) < ' ') return nullptr;
    }
    return at + 1;
  }
  if (*at == '[' || *at == '{') {
    const bool object = *at++ == '{';
    const char close = object ? '}' : ']';
    space();
    if (*at == close) return at + 1;
    for (;;) {
      if (object) {
        space();
        if (*at != '"' || (at = skip_json(at)) == nullptr) return nullptr;
        space();
        if (*at++ != ':') return nullptr;
      }
      if ((at = skip_json(at)) == nullptr) return nullptr;
      space();
      if (*at == close) return at + 1;
      if (*at++ != ',') return nullptr;
    }
  }
  for (const std::string word : {"true", "false", "null"}) {
    if (std::string(at, std::min(word.size(), std::string(at).size())) == word) {
      return at + word.size();
    }
  }
  if (*at == '-') ++at;
  if (std::isdigit(static_cast<unsigned char>(*at)) == 0) return nullptr;
  while (std::isdigit(static_cast<unsigned char>(*at)) != 0)
    ++at;
  return at;
}
bool is_json(const std::string& text) {
  const char* rest = skip_json(text.c_str());
  return rest != nullptr && *rest == '\0';
}

/// Dims that the neighbours' story leads to: those that did not become one with the one before.
std::size_t dims_told(const Explanation& e) {
  std::size_t count = e.perm.empty() ? 0 : 1;
  for (const auto& pair : e.neighbours)
    count += pair.merged ? 0 : 1;
  return count;
}

}  // namespace

TEST_CASE("explain: shape, order, dims and operands", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3, 4}, ScalarType::i32);
  const Tensor b = Tensor::zeros({4}, ScalarType::f32);
  Tensor out;
  const TensorIterator iter = TensorIterator::binary_op(out, a, b);
  const Explanation e = iter.explain();
  CHECK(dims(e.common_shape) == Dims{2, 3, 4});
  CHECK(e.perm == std::vector<int>{2, 1, 0});
  CHECK(e.flipped.empty());
  CHECK(dims(e.shape) == Dims{4, 6});
  CHECK(e.numel == 24);
  CHECK_FALSE(e.reduction);
  CHECK_FALSE(e.has_run);
  REQUIRE(e.neighbours.size() == 2);
  CHECK(e.neighbours[0].inner_axis == 2);
  CHECK(e.neighbours[0].outer_axis == 1);
  CHECK_FALSE(e.neighbours[0].merged);
  CHECK(has(e.neighbours[0].why_not, "input 1"));
  CHECK(has(e.neighbours[0].why_not, "extent 4 * stride 4 is not stride 0"));
  CHECK(e.neighbours[1].merged);
  CHECK(e.neighbours[1].why_not.empty());
  REQUIRE(e.operands.size() == 3);
  CHECK(e.operands[0].name == "output 0");
  CHECK(e.operands[0].allocated);
  CHECK(e.operands[0].dtype == ScalarType::f32);
  CHECK(dims(e.operands[0].strides_bytes) == Dims{4, 16});
  CHECK(e.operands[1].name == "input 0");
  CHECK_FALSE(e.operands[1].allocated);
  CHECK(e.operands[1].storage == ScalarType::i32);
  CHECK(e.operands[1].dtype == ScalarType::f32);
  CHECK(dims(e.operands[1].shape) == Dims{2, 3, 4});
  CHECK(dims(e.operands[1].strides) == Dims{12, 4, 1});
  CHECK(dims(e.operands[2].strides_bytes) == Dims{4, 0});
}

TEST_CASE("explain: dims that are walked backwards", "[iter]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::f32);
  const TensorView flipped = a.flip(0).flip(1);
  const Explanation both = TensorIteratorConfig().add_input(flipped).build().explain();
  CHECK(both.flipped == std::vector<int>{1, 0});
  CHECK(dims(both.shape) == Dims{12});
  // One axis of two: after turning it they follow each other, and are merged.
  const TensorView half = a.flip(0);
  const Explanation one = TensorIteratorConfig().add_input(half).build().explain();
  CHECK(one.flipped == std::vector<int>{0});
  CHECK(dims(one.shape) == Dims{12});
  REQUIRE(one.neighbours.size() == 1);
  CHECK(one.neighbours[0].merged);
  // Of several, as most of them run; of as many each way, as the output does.
  const auto turned = [](const TensorView& out, const TensorView& x, const TensorView& y) {
    return TensorIteratorConfig()
        .add_output(out)
        .add_input(x)
        .add_input(y)
        .build()
        .explain()
        .flipped;
  };
  const Tensor b = Tensor::zeros({3, 4}, ScalarType::f32),
               c = Tensor::zeros({3, 4}, ScalarType::f32);
  const Tensor one_value = Tensor::zeros({1, 1}, ScalarType::f32);
  const TensorView number = one_value.expand({3, 4});
  CHECK(turned(half, b.flip(0), c) == std::vector<int>{0});
  CHECK(turned(a, b.flip(0), c.flip(0)) == std::vector<int>{0});
  CHECK(turned(half, b, c).empty());
  CHECK(turned(half, b, number) == std::vector<int>{0});
  CHECK(turned(a, b.flip(0), number).empty());
}

TEST_CASE("explain: a reduction says so", "[iter]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::f32);
  const Tensor out = Tensor::zeros({3, 1}, ScalarType::f32);
  const Explanation e = TensorIterator::reduce_op(out, a).explain();
  CHECK(e.reduction);
  CHECK(has(e.to_text(), "reduction"));
}

TEST_CASE("explain: the story of the dims leads to the dims", "[iter]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const Dims common = test::random_shape(random, 4);
    const test::Memory a(ScalarType::i32, test::random_layout(random, common));
    const test::Memory b(ScalarType::i32,
                         test::random_layout(random, test::random_operand_shape(random, common)));
    const TensorView views[] = {a.view(), b.view()};
    TensorIteratorConfig config;
    if (random.chance(50)) config.add_output();
    config.add_input(views[0]).add_input(views[1]);
    config.enforce_linear_iteration(random.chance(30)).pytorch_order(random.chance(30));
    const TensorIterator iter = config.build();
    const Explanation e = iter.explain();
    bool right = dims(e.common_shape) == dims(iter.common_shape()) &&
                 dims(e.shape) == dims(iter.shape()) && e.numel == iter.numel() &&
                 e.operands.size() == static_cast<std::size_t>(iter.ntensors());
    right = right && dims_told(e) == static_cast<std::size_t>(iter.ndim());
    for (const auto& pair : e.neighbours)
      right = right && pair.merged == pair.why_not.empty();
    right = right && is_json(e.to_json());
    tally.check(right, [&](auto& out) { out << e.to_text() << e.to_json(); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("explain: works on whatever was built, cut, bound or converted", "[iter]") {
  const Tensor a = Tensor::zeros({4, 6}, ScalarType::f32);
  SECTION("a declared shape that is not the operand's own") {
    const TensorIterator iter = TensorIteratorConfig()
                                    .add_input(a)
                                    .resize_outputs(false)
                                    .declare_static_shape({2, 3})
                                    .build();
    CHECK(dims(iter.explain().common_shape) == Dims{2, 3});
    CHECK(dims_told(iter.explain()) == 2);
  }
  SECTION("a squashed axis") {
    const TensorIterator iter = TensorIteratorConfig()
                                    .add_input(a)
                                    .resize_outputs(false)
                                    .declare_static_shape({4, 6}, {1})
                                    .build();
    CHECK(dims(iter.explain().shape) == Dims{4});
    CHECK(is_json(iter.explain().to_json()));
  }
  SECTION("a part") {
    TensorIterator iter = TensorIteratorConfig().add_input(a).build();
    iter.narrow(0, 3, 5);
    CHECK(dims(iter.explain().shape) == Dims{5});
    CHECK(iter.explain().numel == 5);
  }
  SECTION("a copy made because of overlap") {
    const TensorView shifted = a.slice(0, 1, 4);
    const TensorView out = a.slice(0, 0, 3);
    const TensorIterator iter = TensorIteratorConfig()
                                    .add_output(out)
                                    .add_input(shifted)
                                    .set_overlap_policy(weft::OverlapPolicy::copy)
                                    .build();
    CHECK(dims(iter.explain().operands[1].shape) == Dims{3, 6});
  }
  SECTION("converted operands") {
    const Tensor b = Tensor::zeros({6}, ScalarType::i16);
    Tensor out;
    TensorIterator iter = TensorIterator::binary_op(out, a, b);
    iter.materialize_casts();
    CHECK(iter.explain().operands[2].storage == ScalarType::f32);
    CHECK(is_json(iter.explain().to_json()));
  }
  SECTION("no operand left") {
    TensorIterator iter = TensorIteratorConfig().add_input(a).build();
    iter.remove_operand(0);
    CHECK(iter.explain().operands.empty());
    CHECK(is_json(iter.explain().to_json()));
  }
}

TEST_CASE("explain: as text for a person", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3, 4}, ScalarType::i32);
  const Tensor b = Tensor::zeros({4}, ScalarType::f32);
  Tensor out;
  const std::string text = TensorIterator::binary_op(out, a, b).explain().to_text();
  for (const char* words :
       {"shape [2, 3, 4]", "24 elements", "innermost first) [2, 1, 0]", "axes 2 and 1: separate",
        "axes 1 and 0: one dim", "[4, 6]", "output 0: f32", "allocated", "input 0: i32 as f32",
        "[12, 4, 1]", "input 1: f32", "[4, 0]"}) {
    CAPTURE(text, words);
    CHECK(has(text, words));
  }
  CHECK_FALSE(has(text, "run:"));
}

TEST_CASE("explain: how a kernel would run it comes last", "[iter]") {
  Explanation e;
  e.has_run = true;
  e.run.instruction_set = "avx2 \"with\" a \\";
  e.run.threads = 3;
  e.run.blocks = 7;
  e.run.span = 512;
  e.run.tile[0] = 64;
  e.run.tile[1] = 8;
  e.run.bytes_moved = 12345;
  const std::string text = e.to_text();
  for (const char* words : {"3 threads", "7 blocks", "64 x 8", "512", "12345 bytes", "avx2"}) {
    CAPTURE(text, words);
    CHECK(has(text, words));
  }
  const std::string json = e.to_json();
  CAPTURE(json);
  CHECK(is_json(json));
  CHECK(has(json, "\"avx2 \\\"with\\\" a \\\\\""));
  CHECK(has(json, "\"bytes_moved\": 12345"));
  CHECK(has(json, "\"run\": " + e.run.to_json() + "}"));
  CHECK(e.run.to_text() == "nothing, 3 threads, 12345 bytes moved");
  e.run.form = "columns";
  e.run.threads = 1;
  CHECK(e.run.to_text() == "columns, 1 thread, 12345 bytes moved");
  CHECK(has(e.to_text(), "form: columns\n"));
  CHECK(has(e.run.to_json(), "\"form\": \"columns\""));
  e.run.form.clear();
  e.run.strategy = weft::Strategy::row_tiles;
  CHECK(e.run.how() == "row-tiles");
  CHECK(is_json(e.run.to_json()));
  CHECK_FALSE(is_json("[1, 2"));
  CHECK_FALSE(is_json("{\"a\" 1}"));
  CHECK_FALSE(is_json("[1] 2"));
}
