// SPDX-License-Identifier: Apache-2.0
// Reductions of some ten thousand elements over several axes at once, inputs and outputs permuted
// and with gaps, against the plainest of loops. All results are exact.
#include <weft/ops/reduce.hpp>
#include <weft/ops/registry.hpp>

#include "support/naive_reduce.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace {

using test::Dims;
using test::Memory;
using test::Random;
using weft::Output;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// A function, and its accumulator, an integer that wraps.
struct Function {
  const char* name;
  std::function<void(const Output&, const TensorView&, weft::IntSpan)> call;
  std::uint64_t identity;
  std::uint64_t (*take)(std::uint64_t, std::uint64_t);
  bool integers_only;  // of others results would not be exact
};

std::int64_t whole(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

const std::vector<Function>& functions() {
  using Word = std::uint64_t;
  static const std::vector<Function> all = {
      {"sum", [](auto& out, auto& a, auto axes) { weft::sum_out(out, a, axes); }, 0,
       [](Word acc, Word x) { return acc + x; }, false},
      {"nansum", [](auto& out, auto& a, auto axes) { weft::nansum_out(out, a, axes); }, 0,
       [](Word acc, Word x) { return acc + x; }, false},
      {"prod", [](auto& out, auto& a, auto axes) { weft::prod_out(out, a, axes); }, 1,
       [](Word acc, Word x) { return acc * x; }, true},
      {"amax", [](auto& out, auto& a, auto axes) { weft::amax_out(out, a, axes); },
       static_cast<Word>(-100), [](Word acc, Word x) { return whole(x) > whole(acc) ? x : acc; },
       false},
      {"count_nonzero",
       [](auto& out, auto& a, auto axes) { weft::count_nonzero_out(out, a, axes); }, 0,
       [](Word acc, Word x) { return acc + (x != 0 ? 1 : 0); }, false},
      {"any", [](auto& out, auto& a, auto axes) { weft::any_out(out, a, axes); }, 0,
       [](Word acc, Word x) { return acc | Word{x != 0}; }, false},
  };
  return all;
}

/// Two to four axes, some short; a few ten thousand elements.
Dims draw_shape(Random& random) {
  Dims shape;
  std::int64_t n = 1;
  const std::int64_t rank = random.integer(2, 4);
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const std::int64_t most = std::max<std::int64_t>(1, 60'000 / n);
    shape.push_back(std::min(most, random.integer(1, random.chance(40) ? 8 : 150)));
    n *= shape.back();
  }
  return shape;
}

std::int64_t whole_number(ScalarType type, const void* element) {
  std::int64_t value = 0;
  test::convert_element(ScalarType::i64, &value, type, element);
  return value;
}

}  // namespace

TEST_CASE("reductions: several axes of larger permuted tensors", "[layouts]") {
  using enum ScalarType;
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<ScalarType> types = {f32, f64, f16, bf16, i8, u8, i16, i32, u32, i64, boolean};
  const test::LayoutKinds kinds = {.negative = random.chance(20), .zero = false};
  for (int round = 0; round < test::rounds(150); ++round) {
    const Function& f = random.pick(functions());
    const ScalarType type = random.pick(types);
    const bool integer = weft::is_integer(type) || type == boolean;
    if (f.integers_only && !integer) continue;
    const Dims shape = draw_shape(random);
    const auto rank = static_cast<std::int64_t>(shape.size());
    const auto mask = static_cast<unsigned>(random.integer(1, (1 << rank) - 1));
    Dims axes;
    for (std::int64_t axis = 0; axis < rank; ++axis)
      if ((mask >> axis & 1) != 0) axes.push_back(axis);
    const Dims reduced = test::reduced_shape(shape, mask);
    const Memory in =
        test::random_memory(random, type, test::random_layout(random, shape, kinds),
                            f.integers_only ? test::Values::any : test::Values::small);
    const auto want = test::naive_reduce(
        shape, reduced, {in.view()}, f.identity,
        [&](std::uint64_t& acc, const auto* x, std::int64_t) {
          acc = f.take(acc, static_cast<std::uint64_t>(whole_number(type, x[0])));
        });
    // Wide enough for any sum of as many small numbers.
    const bool truth = std::string_view(f.name) == "any";
    const ScalarType result = truth ? boolean : integer ? i64 : f64;
    const Memory out(result, test::random_layout(random, reduced, {.zero = false}));
    test::for_thread_counts([&](int threads) {
      f.call(out.view(), in.view(), axes);
      const test::Dense got = test::dense_copy(out.view());
      for (std::size_t i = 0; i < want.size(); ++i) {
        const std::int64_t is = whole_number(result, got.at(static_cast<std::int64_t>(i)));
        tally.check(is == whole(want[i]), [&](auto& text) {
          test::describe(text << f.name << " of ", in.view())
              << " over axes of " << weft::to_string(reduced) << ", " << threads
              << " threads: result " << i << " is " << is << ", expected " << whole(want[i]);
        });
        if (is != whole(want[i])) break;
      }
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("reductions: of one element each, any layout and result type", "[layouts]") {
  using enum ScalarType;
  WEFT_RANDOM(random);
  for (const ScalarType type : {f32, f16, i8, u8, i32, u64, i64, boolean}) {
    for (int round = 0; round < 4; ++round) {
      const Dims shape = {random.integer(1, 40), 1, random.integer(1, 70)};
      const Memory in = test::random_memory(random, type, test::random_layout(random, shape),
                                            test::Values::small);
      const bool integer = weft::is_integer(type) || type == boolean;
      for (const ScalarType result : {integer ? i64 : type, f64}) {
        const Memory out(result, test::random_layout(random, shape, {.zero = false}));
        const auto itself = test::naive_map(
            result, shape, {in.view()},
            [&](const auto* x, void* to) { test::convert_element(result, to, type, x[0]); });
        weft::sum_out(out.view(), in.view(), {1});
        CHECK(test::difference(out.view(), itself) == "");
        weft::prod_out(out.view(), in.view(), {1});
        CHECK(test::difference(out.view(), itself) == "");
        weft::amax_out(out.view(), in.view(), {1});
        CHECK(test::difference(out.view(), itself) == "");
        weft::amin_out(out.view(), in.view(), {1});
        CHECK(test::difference(out.view(), itself) == "");
      }
    }
  }
}

TEST_CASE("argmax, argmin: over an axis of extent 1", "[layouts]") {
  WEFT_RANDOM(random);
  for (const ScalarType type : {ScalarType::f32, ScalarType::i64, ScalarType::boolean}) {
    for (const Dims& shape : {Dims{1}, Dims{7, 1}, Dims{300, 1, 500}, Dims{1, 0, 3}}) {
      const Memory in = test::random_memory(random, type, test::random_layout(random, shape));
      const auto axis = static_cast<std::int64_t>(shape.size() == 1 || shape[0] == 1 ? 0 : 1);
      const Dims reduced = test::reduced_shape(shape, 1u << axis);
      const Memory out(ScalarType::i64, test::random_layout(random, reduced, {.zero = false}));
      std::fill_n(out.data(), out.size_bytes(), std::byte{0x5a});
      const test::Watch watch(out);
      weft::argmax_out(out.view(), in.view(), axis, true);
      CHECK(test::difference(out.view(), test::Dense(ScalarType::i64, reduced)) == "");
      CHECK(watch.gaps_untouched());
      CHECK(test::difference(weft::argmin(in.view(), axis, true),
                             test::Dense(ScalarType::i64, reduced)) == "");
    }
  }
}

TEST_CASE("reductions: of one element each, explained", "[layouts]") {
  const Tensor in = Tensor::zeros({4, 1, 5}, ScalarType::f32);
  const Tensor out = Tensor::zeros({4, 5}, ScalarType::f32);
  const Tensor out_places = Tensor::zeros({4, 5}, ScalarType::i64);
  const std::vector<TensorView> inputs = {in};
  const std::vector<TensorView> values = {out}, places = {out_places};
  const auto access = [&](const char* name, const std::vector<TensorView>& outputs) {
    const weft::OpArguments args{.outputs = outputs, .inputs = inputs, .axes = {1}};
    return weft::find_op(name, args).explain(args).operands[1].access;
  };
  CHECK(access("amax", values) == "copied: one element each");
  CHECK(access("argmin", places) == "not read: one element each");
}
