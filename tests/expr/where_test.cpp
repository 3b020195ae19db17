// SPDX-License-Identifier: Apache-2.0
// Plain calls with a mask: those without one, and where().
#include <weft/weft.hpp>

#include "expr/copies.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

#include <functional>

namespace {

using test::copied;
using test::difference;
using test::Dims;
using test::Memory;
using weft::Input;
using weft::Output;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::Where;

constexpr ScalarType types[] = {
    ScalarType::boolean, ScalarType::u8,  ScalarType::i8,  ScalarType::i16, ScalarType::u16,
    ScalarType::i32,     ScalarType::u32, ScalarType::i64, ScalarType::u64, ScalarType::f16,
    ScalarType::bf16,    ScalarType::f32, ScalarType::f64, ScalarType::c64, ScalarType::c128};

/// One function of the tables, as it is called without a mask, and with one.
struct Function {
  const char* name;
  int inputs;
  Tensor (*plain)(const TensorView* in);
  void (*masked)(const Output& out, const TensorView* in, const Where& where);
};

#define WEFT_ENTRY_1(NAME, ...)                                      \
  {#NAME, 1, [](const TensorView* in) { return weft::NAME(in[0]); }, \
   [](const Output& out, const TensorView* in, const Where& where) { \
     weft::NAME##_out(out, in[0], where);                            \
   }},
#define WEFT_ENTRY_2(NAME, ...)                                             \
  {#NAME, 2, [](const TensorView* in) { return weft::NAME(in[0], in[1]); }, \
   [](const Output& out, const TensorView* in, const Where& where) {        \
     weft::NAME##_out(out, in[0], in[1], where);                            \
   }},
#define WEFT_ENTRY_3(NAME, ...)                                                    \
  {#NAME, 3, [](const TensorView* in) { return weft::NAME(in[0], in[1], in[2]); }, \
   [](const Output& out, const TensorView* in, const Where& where) {               \
     weft::NAME##_out(out, in[0], in[1], in[2], where);                            \
   }},
const Function functions[] = {WEFT_FOR_EACH_UNARY(WEFT_ENTRY_1) WEFT_FOR_EACH_BINARY(
    WEFT_ENTRY_2) WEFT_FOR_EACH_COMPARISON(WEFT_ENTRY_2) WEFT_FOR_EACH_TERNARY(WEFT_ENTRY_3)};
#undef WEFT_ENTRY_1
#undef WEFT_ENTRY_2
#undef WEFT_ENTRY_3

struct Reducing {
  const char* name;
  weft::Expr (*lazy)(weft::Expr a, weft::IntSpan axes, const weft::ReduceOptions& options);
  Tensor (*plain)(const Input& a, const Where& where, weft::IntSpan axes,
                  const weft::ReduceOptions& options);
  void (*out)(const Output& out, const Input& a, const Where& where, weft::IntSpan axes,
              const weft::ReduceOptions& options);
};
#define WEFT_ENTRY(NAME, ...) {#NAME, weft::NAME, weft::NAME, weft::NAME##_out},
const Reducing reducing[] = {WEFT_FOR_EACH_REDUCTION(WEFT_ENTRY)};
#undef WEFT_ENTRY

Memory random_mask(test::Random& random, const Dims& shape) {
  Memory mask = test::random_input(random, ScalarType::boolean, shape);
  const int percent = random.pick(std::vector<int>{0, 10, 50, 100});
  for (std::int64_t i = 0; i < mask.size_bytes(); ++i)
    mask.data()[i] = std::byte(random.chance(percent));
  return mask;
}

}  // namespace

TEST_CASE("where: every function of the tables, of every type", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Function& f : functions) {
    for (const ScalarType type : types) {
      const Dims shape = test::random_shape(random, 3, 8);
      std::vector<Memory> memories;
      std::vector<TensorView> in;
      for (int k = 0; k < f.inputs; ++k) {
        const bool is_condition = std::string(f.name) == "where" && k == 0;
        memories.push_back(test::random_memory(random, is_condition ? ScalarType::boolean : type,
                                               test::random_layout(random, shape),
                                               test::Values::small));
        in.push_back(memories.back().view());
      }
      const Memory mask = random_mask(random, shape);
      Tensor all;
      try {
        all = f.plain(in.data());
      } catch (const weft::Error& error) {
        tally.check(error.code() == weft::ErrorCode::dtype, [&](auto& text) { text << f.name; });
        CHECK_THROWS_AS(f.masked(Tensor::zeros(shape, type), in.data(), Where(mask.view())),
                        weft::Error);
        continue;
      }
      const Memory out = test::random_output(random, all.dtype(), shape);
      const bool truth = all.dtype() == ScalarType::boolean;
      const Tensor before = truth ? weft::ne(out.view(), false) : copied(out.view());
      weft::copy_out(out.view(), before);
      const test::Watch watch(out);
      f.masked(out.view(), in.data(), Where(mask.view()));
      const std::string wrong = difference(out.view(), weft::where(mask.view(), all, before));
      tally.check(wrong.empty() && watch.gaps_untouched(), [&](auto& text) {
        text << f.name << " of " << weft::name(type) << weft::to_string(shape) << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("where: every reduction that takes a mask", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Reducing& f : reducing) {
    const std::string name = f.name;
    const bool extreme = name == "amax" || name == "amin";
    for (const ScalarType type : types) {
      if (!weft::info(weft::Reduction::var).kinds || weft::is_complex(type)) continue;
      if (type == ScalarType::boolean && extreme) continue;
      const Dims shape{random.integer(1, 9), random.integer(1, 70)};
      const Memory a = test::random_memory(random, type, test::random_layout(random, shape),
                                           test::Values::small);
      const Memory mask = random_mask(random, shape);
      const Where where = extreme ? Where(mask.view(), 1) : Where(mask.view());
      const Dims axes = random.pick(std::vector<Dims>{{}, {0}, {1}});
      const weft::ReduceOptions options{.keepdim = random.chance(50)};
      const TensorView view = a.view();
      const Tensor want = weft::evaluate(f.lazy(where.of(weft::expr(view)), axes, options));
      test::for_thread_counts([&](int threads) {
        const Tensor got = f.plain(view, where, axes, options);
        const Tensor out = Tensor::full(want.shape(), want.dtype(), 1);
        f.out(out, view, where, axes, options);
        const std::string wrong = difference(got, want) + difference(out, want);
        tally.check(wrong.empty(), [&](auto& text) {
          text << name << " of " << weft::name(type) << ", " << threads << " threads: " << wrong;
        });
      });
    }
  }
  CHECK_TALLY(tally);
  const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 60, 4, 5, 6});
  const Tensor small = Tensor::of<bool>({2, 3}, {true, true, false, true, true, true});
  CHECK(difference(weft::mean(a, Where(small), 1), Tensor::of<float>({2}, {1.5F, 5})) == "");
  CHECK(difference(weft::amax(a, Where(small, 3), 0), Tensor::of<float>({3}, {4, 5, 6})) == "");
  CHECK(difference(weft::sum(a, Where(small, 10)), Tensor::of<float>({}, {28})) == "");
}

TEST_CASE("where: numbers, temporary views, copies, and divisors that are 0", "[expr]") {
  const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor mask = Tensor::of<bool>({2, 2}, {true, false, false, true});
  const Tensor out = Tensor::zeros({2, 2}, ScalarType::f32);
  weft::sub_out(out, 10, a.transpose(0, 1), Where(mask));
  CHECK(difference(out, Tensor::of<float>({2, 2}, {9, 0, 0, 6})) == "");
  weft::clamp_out(out, a, 0, 2.5, Where(mask));
  CHECK(difference(out, Tensor::of<float>({2, 2}, {1, 0, 0, 2.5F})) == "");
  weft::copy_out(out, -1, Where(mask.flip(0)));
  CHECK(difference(out, Tensor::of<float>({2, 2}, {1, -1, -1, 2.5F})) == "");
  const Tensor whole = Tensor::full({2, 2}, ScalarType::u8, 9);
  weft::copy_out(whole, Tensor::of<double>({2}, {3.75, 300}), Where(mask));
  Tensor cast = weft::contiguous(Tensor::of<double>({2}, {3.75, 300}), ScalarType::u8);
  CHECK(whole.at<std::uint8_t>(0, 0) == cast.at<std::uint8_t>(0));
  CHECK(whole.at<std::uint8_t>(0, 1) == 9);
  CHECK(whole.at<std::uint8_t>(1, 1) == cast.at<std::uint8_t>(1));
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::i16, ScalarType::i32, ScalarType::i64}) {
    const auto typed = [&](std::initializer_list<std::int64_t> values) {
      return weft::contiguous(Tensor::of<std::int64_t>({4}, values), type);
    };
    const Tensor n = typed({7, 8, 9, 10}), d = typed({2, 0, 3, 0}), q = typed({1, 1, 1, 1});
    weft::floor_divide_out(q, n, d, Where(weft::ne(d, 0)));
    CHECK(difference(q, typed({3, 1, 3, 1})) == "");
    weft::remainder_out(q, n, d, Where(weft::ne(d, 0)));
    CHECK(difference(q, typed({1, 1, 0, 1})) == "");
    weft::fmod_out(q, n, d, Where(weft::gt(d, 2)));
    CHECK(difference(q, typed({1, 1, 0, 1})) == "");
    CHECK_ERROR(division, ("divided by 0"), weft::floor_divide_out(q, n, d, Where(weft::gt(n, 7))));
  }
  // It comes when all that is selected is written, whoever writes what.
  for (const std::int64_t count : {4, 3000, 300'000}) {
    const Tensor n = Tensor::full({count}, ScalarType::i32, 7),
                 d = Tensor::full({count}, ScalarType::i32, 2),
                 some = Tensor::full({count}, ScalarType::boolean, true);
    d.data_as<std::int32_t>()[count / 2] = 0;
    some.data_as<bool>()[1] = false;
    for (const int threads : {1, 2}) {
      const weft::ThreadLimit limit(threads);
      const Tensor q = Tensor::full({count}, ScalarType::i32, -9);
      CHECK_ERROR(division, ("divided by 0"), weft::floor_divide_out(q, n, d, Where(some)));
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < count; ++i)
        wrong += q.at<std::int32_t>({i}) != (i == 1 ? -9 : i == count / 2 ? 7 : 3) ? 1 : 0;
      CAPTURE(count, threads);
      CHECK(wrong == 0);
    }
  }
  // An output may keep what is reduced, as that of the call without a mask.
  {
    const Tensor rows = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor kept = Tensor::zeros({2, 1}, ScalarType::f32);
    weft::amax_out(TensorView(kept), rows, Where(weft::lt(rows, 6), 0), 1);
    CHECK(difference(kept, Tensor::of<float>({2, 1}, {3, 5})) == "");
    weft::sum_out(TensorView(kept), weft::expr(rows) * 2, 1);
    CHECK(difference(kept, Tensor::of<float>({2, 1}, {12, 30})) == "");
    CHECK_ERROR(shape, ("[2]", "[1, 2]"),
                weft::sum_out(TensorView(kept.transpose(0, 1)), weft::expr(rows) * 2, 1));
  }
  // A mask that is a tensor is shared.
  const Where above(weft::gt(a, 1));
  const Tensor others = Tensor::full({64}, ScalarType::boolean, false);
  CHECK(difference(weft::sum(a, above), Tensor::of<float>({}, {9})) == "");
  // Braces mean axes still.
  Tensor sum;
  weft::sum_out(sum, a, {0, 1});
  weft::sum_out(sum, a, {}, {.keepdim = false});
  CHECK(difference(sum, Tensor::of<float>({}, {10})) == "");
}

TEST_CASE("where: what is wrong is refused, and nothing written", "[expr]") {
  const Tensor a = Tensor::full({3, 4}, ScalarType::f32, 1),
               out = Tensor::full({3, 4}, ScalarType::f32, 7);
  const Tensor mask = Tensor::full({3, 4}, ScalarType::boolean, true);
  Tensor none;
  CHECK_ERROR(dtype, ("the mask", "expected bool", "got f32"), weft::add_out(out, a, a, Where(a)));
  CHECK_ERROR(dtype, ("the mask", "got f32"), weft::sum(a, Where(a)));
  CHECK_ERROR(shape, ("the mask", "broadcasts to [3, 4]", "[2, 3, 4]"),
              weft::add_out(out, a, a, Where(Tensor::full({2, 3, 4}, ScalarType::boolean, true))));
  CHECK_ERROR(shape, ("the mask", "[2, 3, 4]"),
              weft::mean(a, Where(Tensor::full({2, 3, 4}, ScalarType::boolean, true))));
  CHECK_ERROR(shape, ("[5]"),
              weft::sqrt_out(out, a, Where(Tensor::full({5}, ScalarType::boolean, true))));
  CHECK_ERROR(undefined, ("undefined"), weft::sqrt_out(out, a, Where(none)));
  CHECK_ERROR(invalid_argument, ("stays as it is"), weft::sqrt_out(none, a, Where(mask)));
  CHECK_ERROR(invalid_argument, ("stays as it is"), weft::copy_out(none, a, Where(mask)));
  CHECK_ERROR(invalid_argument, ("no initial number"), weft::add_out(out, a, a, Where(mask, 3)));
  CHECK_ERROR(invalid_argument, ("amax", "expected an initial number"), weft::amax(a, Where(mask)));
  CHECK_ERROR(invalid_argument, ("amin", "expected an initial number"),
              weft::amin_out(none, a, Where(mask)));
  CHECK_ERROR(invalid_argument, ("mean", "no initial number"), weft::mean(a, Where(mask, 1)));
  const Tensor integers = Tensor::zeros({3, 4}, ScalarType::i32);
  CHECK_ERROR(cast,
              ("add(f32[3, 4], f32[3, 4])", "output 0", "result type f32", "the output's i32"),
              weft::add_out(integers, a, a, Where(mask)));
  CHECK_ERROR(shape, ("sqrt(f32[3, 4])", "output 0", "expected shape [3, 4], got [4]"),
              weft::sqrt_out(out.select(0, 0), a, Where(mask)));
  // A mask that lies in the output in another way.
  const Tensor bytes = Tensor::full({8}, ScalarType::boolean, true);
  CHECK_ERROR(overlap, ("output 0"),
              weft::logical_not_out(bytes.slice(0, 0, 6), Tensor::zeros({6}, ScalarType::boolean),
                                    Where(bytes.slice(0, 2, 8))));
  CHECK(bytes.at<bool>(0));
  CHECK(out.at<float>(0, 0) == 7);
}
