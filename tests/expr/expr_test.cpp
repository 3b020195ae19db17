// SPDX-License-Identifier: Apache-2.0
// Expressions give what their functions give one by one.
#include <weft/expr/explain_expr.hpp>
#include <weft/expr/expr.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/division.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <optional>
#include <thread>

namespace {

using test::Dims;
using test::Memory;
using weft::Expr;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

Tensor converted(const Tensor& x, ScalarType type) {
  const test::Dense from = test::dense_copy(x);
  const Tensor out = Tensor::empty(x.shape(), type);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    test::convert_element(type, static_cast<std::byte*>(out.data()) + i * weft::element_size(type),
                          x.dtype(), from.at(i));
  }
  return out;
}

// A temporary view would not keep its memory.
template <class T>
concept StartsFromTemporary = requires(const T& t) { weft::expr(t.transpose(0, 1)); };
template <class T>
concept IsMadeOfTemporary = requires(const T& t) { Expr(t.transpose(0, 1)); };
static_assert(!StartsFromTemporary<Tensor> && !IsMadeOfTemporary<Tensor>);
static_assert(std::is_constructible_v<Expr, const TensorView&> &&
              std::is_constructible_v<Expr, Tensor> && !std::is_constructible_v<Expr, TensorView>);

/// An expression, and what its functions gave; of an operand, how it lies in memory.
struct Both {
  Expr lazy;
  Tensor eager;
  Tensor as_it_is = eager;
};

/// Applies f to both; nothing if the functions refuse it, as the expression has to do.
template <class F>
std::optional<Both> apply(test::Tally& tally, const F& f, const auto&... args) {
  std::optional<weft::ErrorCode> refused;
  std::string words;
  Tensor eager;
  try {
    eager = f(args.eager...);
  } catch (const weft::Error& error) {
    refused = error.code();
    words = error.what();
  }
  try {
    Both made{f(args.lazy...), eager};
    const bool same = !refused && made.lazy.dtype() == eager.dtype() &&
                      std::ranges::equal(made.lazy.shape(), eager.shape());
    // Divisions by zero show when they are carried out.
    const bool later = refused == weft::ErrorCode::division;
    tally.check(same || later, [&](auto& text) {
      text << made.lazy.text() << ": " << words << " type " << weft::name(made.lazy.dtype());
    });
    if (same) return made;
  } catch (const weft::Error& error) {
    // Of what is wrong in two ways, either is told.
    const bool both = refused == weft::ErrorCode::dtype && error.code() == weft::ErrorCode::shape;
    tally.check(refused == error.code() || both,
                [&](auto& text) { text << error.what() << "; called: " << words; });
  }
  return std::nullopt;
}

constexpr ScalarType types[] = {ScalarType::f32, ScalarType::f32,  ScalarType::f64,
                                ScalarType::f16, ScalarType::bf16, ScalarType::i32,
                                ScalarType::i16, ScalarType::u8,   ScalarType::boolean,
                                ScalarType::i64, ScalarType::c64};

/// Of an operand, the reduction of that; else of a dense tensor.
std::optional<Both> reduce(test::Random& random, test::Tally& tally, const Both& a) {
  using weft::Reduction;
  const Both from{a.lazy, a.as_it_is};
  Dims axes;
  for (int axis = 0; axis < static_cast<int>(a.lazy.shape().size()); ++axis)
    if (random.chance(50)) axes.push_back(random.chance(50) ? axis : axis - a.lazy.shape().rank());
  const weft::ReduceOptions options{.keepdim = random.chance(70), .correction = 0};
  const std::optional<std::int64_t> axis = axes.empty() ? std::nullopt : std::optional(axes[0]);
  switch (random.integer(0, 13)) {
#define WEFT_CASE(NUMBER, NAME) \
  case NUMBER:                  \
    return apply(               \
        tally, [&](const auto& x) { return weft::NAME(x, axes, options); }, from);
    WEFT_CASE(0, sum)
    WEFT_CASE(1, mean)
    WEFT_CASE(2, prod)
    WEFT_CASE(3, var)
    WEFT_CASE(4, std)
    WEFT_CASE(5, logsumexp)
    WEFT_CASE(6, amax)
    WEFT_CASE(7, amin)
    WEFT_CASE(8, any)
    WEFT_CASE(9, all)
    WEFT_CASE(10, count_nonzero)
    WEFT_CASE(11, nansum)
#undef WEFT_CASE
    case 12:
      return apply(
          tally, [&](const auto& x) { return weft::argmax(x, axis, options.keepdim); }, from);
    default:
      return apply(
          tally, [&](const auto& x) { return weft::argmin(x, axis, options.keepdim); }, from);
  }
}

std::optional<Both> grow(test::Random& random, test::Tally& tally, const std::vector<Both>& all) {
  const Both& a =
      all[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(all.size()) - 1))];
  const Both& b =
      all[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(all.size()) - 1))];
  const Both& c =
      all[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(all.size()) - 1))];
  const double number = static_cast<double>(random.integer(-3, 3)) / 2;
  // Integers may lie outside of the type that they meet.
  const std::int64_t whole = random.pick(std::vector<std::int64_t>{-2, -1, 3, 257, 300, 70000});
  switch (random.integer(0, 22)) {
    case 0:
      return apply(
          tally, [](const auto& x, const auto& y) { return weft::add(x, y); }, a, b);
    case 1:
      return apply(
          tally, [](const auto& x, const auto& y) { return weft::mul(x, y); }, a, b);
    case 2:
      return apply(
          tally, [](const auto& x, const auto& y) { return weft::sub(x, y); }, a, b);
    case 3:
      return apply(
          tally, [](const auto& x, const auto& y) { return weft::div(x, y); }, a, b);
    case 4:
      return apply(
          tally, [](const auto& x, const auto& y) { return weft::maximum(x, y); }, a, b);
    case 5:
      return apply(
          tally, [](const auto& x) { return weft::exp(x); }, a);
    case 6:
      return apply(
          tally, [](const auto& x) { return weft::tanh(x); }, a);
    case 7:
      return apply(
          tally, [](const auto& x) { return weft::abs(x); }, a);
    case 8:
      return apply(
          tally, [](const auto& x) { return weft::neg(x); }, a);
    case 9:
      return apply(
          tally, [](const auto& x, const auto& y) { return weft::lt(x, y); }, a, b);
    case 10:
      return apply(
          tally,
          [](const auto& x, const auto& y, const auto& z) {
            return weft::where(weft::gt(x, y), y, z);
          },
          a, b, c);
    case 11:
      return apply(
          tally, [&](const auto& x) { return weft::mul(x, number); }, a);
    case 12:
      return apply(
          tally, [&](const auto& x) { return weft::sub(2, x); }, a);
    case 13:
      return apply(
          tally, [&](const auto& x) { return weft::clamp(x, -0.5, number); }, a);
    case 14:
      return apply(
          tally, [](const auto& x, const auto& y) { return weft::fmod(x, y); }, a, b);
    case 15:
      return apply(
          tally, [](const auto& x, const auto& y, const auto& z) { return weft::muladd(x, y, z); },
          a, b, c);
    case 16:
      return apply(
          tally, [](const auto& x) { return weft::isnan(x); }, a);
    case 17:
    case 18:
    case 19: return reduce(random, tally, a);
    case 20:
      return apply(
          tally, [&](const auto& x) { return weft::add(x, whole); }, a);
    case 21:
      return apply(
          tally, [&](const auto& x) { return weft::eq(x, whole); }, a);
    default: {
      const ScalarType type =
          random.pick(std::vector<ScalarType>(std::begin(types), std::end(types)));
      if (type == a.lazy.dtype()) return std::nullopt;
      return Both{weft::convert(a.lazy, type), converted(a.eager, type)};
    }
  }
}

/// Not a bool as it stands, whose bytes may be others than 0 and 1.
const Both& pick(test::Random& random, const std::vector<Both>& all) {
  for (;;) {
    const auto last = static_cast<std::int64_t>(all.size()) - 1;
    const Both& one = all[static_cast<std::size_t>(random.integer(0, last))];
    if (one.lazy.dtype() != ScalarType::boolean || one.lazy.text().find('(') != std::string::npos)
      return one;
  }
}

/// Some of them together, as outputs of any layout.
void evaluate_several(test::Random& random, test::Tally& tally, const std::vector<Both>& all) {
  std::vector<const Both*> wanted;
  std::vector<Expr> lazy;
  std::vector<Memory> memories;
  for (std::int64_t k = random.integer(2, 4); k > 0; --k) {
    const Both& one = pick(random, all);
    wanted.push_back(&one);
    lazy.push_back(one.lazy);
    memories.push_back(
        test::random_output(random, one.lazy.dtype(), test::dims(one.eager.shape())));
  }
  std::vector<TensorView> views;
  for (const Memory& memory : memories)
    views.push_back(memory.view());
  const std::vector<weft::Output> outs(views.begin(), views.end());
  const std::vector<test::Watch> watches(memories.begin(), memories.end());
  weft::evaluate_out(outs, lazy);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    std::string wrong = test::difference(views[k], test::dense_copy(wanted[k]->eager));
    if (wrong.empty() && !watches[k].gaps_untouched()) wrong = "wrote between elements";
    tally.check(wrong.empty(), [&](auto& text) {
      text << "output " << k << " of " << wanted.size() << ", " << lazy[k].text() << ": " << wrong;
    });
  }
}

/// Some of them together, each into an operand of its shape and type if there is one: right, or
/// refused before anything is written.
void evaluate_in_place(test::Random& random, test::Tally& tally, const std::vector<Both>& all,
                       const std::vector<TensorView>& operands) {
  std::vector<const Both*> wanted;
  std::vector<Expr> lazy;
  std::vector<Tensor> made;
  std::vector<TensorView> views;
  made.reserve(3);
  for (int k = 0; k < 3; ++k) {
    const Both& one = pick(random, all);
    wanted.push_back(&one);
    lazy.push_back(one.lazy);
    const auto fits = std::ranges::find_if(operands, [&](const TensorView& operand) {
      return operand.dtype() == one.lazy.dtype() &&
             std::ranges::equal(operand.shape(), one.lazy.shape()) &&
             std::ranges::none_of(
                 views, [&](const TensorView& view) { return view.data() == operand.data(); });
    });
    if (fits == operands.end())
      views.push_back(made.emplace_back(Tensor::empty(one.lazy.shape(), one.lazy.dtype())));
    else
      views.push_back(*fits);
  }
  std::vector<test::Dense> before;
  for (const TensorView& operand : operands)
    before.push_back(test::dense_copy(operand));
  try {
    weft::evaluate_out(std::vector<weft::Output>(views.begin(), views.end()), lazy);
  } catch (const weft::Error& error) {
    tally.check(error.code() == weft::ErrorCode::overlap,
                [&](auto& text) { text << error.what(); });
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::string wrong = test::difference(operands[i], before[i]);
      tally.check(wrong.empty(), [&](auto& text) { text << "refused, but written: " << wrong; });
    }
    return;
  }
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const std::string wrong = test::difference(views[k], test::dense_copy(wanted[k]->eager));
    tally.check(wrong.empty(), [&](auto& text) {
      text << "in place, output " << k << ", " << lazy[k].text() << ": " << wrong;
    });
  }
}

}  // namespace

TEST_CASE("expressions: what their functions give one by one", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(500); ++round) {
    // Some so long that a reduction has several blocks, of rows or of columns.
    const Dims shape = round % 20 == 0   ? Dims{random.integer(1, 3), random.integer(1000, 30000)}
                       : round % 10 == 5 ? Dims{random.integer(2, 600), random.integer(2, 70)}
                                         : test::random_shape(random, 4, round % 8 == 0 ? 40 : 6);
    std::vector<Memory> memories;
    std::vector<Both> all;
    const std::int64_t operands = random.integer(1, 6);
    for (std::int64_t i = 0; i < operands; ++i) {
      const ScalarType type =
          random.pick(std::vector<ScalarType>(std::begin(types), std::end(types)));
      memories.push_back(i == 0
                             ? test::random_memory(random, type, test::random_layout(random, shape))
                             : test::random_input(random, type, shape));
    }
    std::vector<TensorView> views;
    for (const Memory& memory : memories)
      views.push_back(memory.view());
    for (const TensorView& view : views) {
      const Tensor copy = Tensor::empty(view.shape(), view.dtype());
      weft::copy_out(copy, view);
      all.push_back({weft::expr(view), copy, Tensor::share(nullptr, view)});
    }
    const std::int64_t steps = random.integer(2, 12);
    for (std::int64_t i = 0; i < steps; ++i)
      if (auto made = grow(random, tally, all)) all.push_back(std::move(*made));
    if (all.size() == views.size()) continue;
    const Both& last = all.back();
    const test::Dense want = test::dense_copy(last.eager);
    const Dims result_shape = test::dims(last.eager.shape());
    const Memory out = test::random_output(random, last.lazy.dtype(), result_shape);
    const test::Watch watch(out);
    for (const char* how : {"first", "kept"}) {
      const weft::ThreadLimit limit(static_cast<int>(random.integer(1, 8)));
      weft::evaluate_out(out.view(), last.lazy);
      std::string wrong = test::difference(out.view(), want);
      if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
      tally.check(wrong.empty(),
                  [&](auto& text) { text << how << ", " << last.lazy.text() << ": " << wrong; });
    }
    const std::string wrong = test::difference(weft::evaluate(last.lazy), want);
    tally.check(wrong.empty(), [&](auto& text) { text << last.lazy.text() << ": " << wrong; });
    evaluate_several(random, tally, all);
    evaluate_in_place(random, tally, all, views);
  }
  CHECK_TALLY(tally);
}

TEST_CASE("expressions: the same for any threads, and on several at once", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Memory a = test::random_memory(random, ScalarType::f32, test::fit({{300, 400}, {1, 300}}));
  const Memory b = test::random_memory(random, ScalarType::f32, test::fit({{400}, {1}}));
  const TensorView av = a.view(), bv = b.view();
  const Expr e = weft::tanh(weft::expr(av) * weft::expr(bv) + 0.5) * weft::expr(av);
  const Tensor ta = Tensor::empty({300, 400}, ScalarType::f32);
  weft::copy_out(ta, av);
  const test::Dense want =
      test::dense_copy(weft::mul(weft::tanh(weft::add(weft::mul(ta, bv), 0.5)), ta));
  test::for_thread_counts([&](int threads) {
    tally.check(test::difference(weft::evaluate(e), want).empty(),
                [&](auto& text) { text << threads << " threads"; });
  });
  std::vector<std::thread> threads;
  std::vector<std::string> wrong(4);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20 && wrong[i].empty(); ++k)
        wrong[i] = test::difference(
            weft::evaluate(k % 2 == 0 ? e
                                      : weft::tanh(weft::expr(av) * weft::expr(bv) + 0.5) *
                                            weft::expr(av)),
            want);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const std::string& text : wrong)
    CHECK(text == "");
  CHECK_TALLY(tally);
}

TEST_CASE("expressions: what does not fit is refused with the expression and the place", "[expr]") {
  const Tensor a = Tensor::full({3, 4}, ScalarType::f32, 1),
               b = Tensor::full({5}, ScalarType::f32, 1);
  const Tensor z = Tensor::full({3, 4}, ScalarType::c64, 1),
               i = Tensor::zeros({3, 4}, ScalarType::i32);
  CHECK_ERROR(shape, ("add(mul(f32[3, 4], 2), f32[5])", "4", "5"), weft::expr(a) * 2 + b);
  CHECK_ERROR(dtype, ("lt(c64[3, 4], f32[3, 4])", "c64"), weft::expr(z) < a);
  CHECK_ERROR(dtype, ("where(f32[3, 4], 1, 2)", "bool"), weft::where(weft::expr(a), 1, 2));
  CHECK_ERROR(undefined, ("expr"), weft::expr(Tensor()));
  CHECK_ERROR(invalid_argument, ("add(f32[3, 4], 1)", "operand"),
              (weft::expr(a) + 1).transpose(0, 1));
  const Tensor out = Tensor::full({3, 4}, ScalarType::f32, 7);
  CHECK_ERROR(
      shape, ("output 0", "[3, 4]", "[3, 3]"),
      weft::evaluate_out(Tensor::empty({3, 3}, ScalarType::f32).slice(0, 0, 3), weft::expr(a)));
  CHECK_ERROR(cast, ("output 0", "c64", "f32"),
              weft::evaluate_out(out.slice(0, 0, 3), weft::expr(z) * 2));
  CHECK_ERROR(division, ("divided by 0"),
              weft::evaluate_out(out.slice(0, 0, 3), weft::floor_divide(weft::expr(i), i)));
  const Tensor square = Tensor::full({4, 4}, ScalarType::f32, 7);
  CHECK_ERROR(overlap, ("output 0", "f32[4, 4]"),
              weft::evaluate_out(square.slice(0, 0, 4), weft::expr(square).transpose(0, 1) + 1));
  CHECK_ERROR(
      overlap, ("output 0", "f32[1, 4]"),
      weft::evaluate_out(square.slice(0, 0, 4), weft::expr(square).slice(0, 0, 1) + square));
  CHECK(test::difference(square, test::dense_copy(Tensor::full({4, 4}, ScalarType::f32, 7))) == "");
}

TEST_CASE("expressions: more tensors than a pass has are refused", "[expr]") {
  Expr sum = weft::expr(Tensor::full({4}, ScalarType::f32, 1));
  for (int i = 1; i < 31; ++i)
    sum = sum + Tensor::full({4}, ScalarType::f32, i);
  CHECK(weft::evaluate(sum).at<float>(0) == 466);
  sum = sum + Tensor::full({4}, ScalarType::f32, 1);
  CHECK_ERROR(limit, ("add(", "33 tensors", "at most 32"), weft::evaluate(sum));
  CHECK((weft::expr(Tensor::full({1}, ScalarType::c64, 1)) * std::complex<float>(1, 2)).text() ==
        "mul(c64[1], complex(1, 2))");
}

TEST_CASE("expressions: parts that are repeated", "[expr]") {
  WEFT_RANDOM(random);
  const Tensor a = Tensor::copy_of(test::random_input(random, ScalarType::f32, {4, 300}).view());
  const Tensor b = Tensor::copy_of(test::random_input(random, ScalarType::f32, {1, 300}).view());
  // As many that each would be a tensor of the pass are computed within it.
  Expr e = expr(a);
  Tensor want = a;
  for (int k = 0; k < 40; ++k) {
    e = e * (expr(b) * 0.25F + k);
    want = weft::mul(want, weft::add(weft::mul(b, 0.25F), k));
  }
  CHECK(test::difference(weft::evaluate(e), test::dense_copy(want)) == "");
  // Nothing is divided where a product has no elements.
  const Tensor none = Tensor::zeros({4, 0}, ScalarType::i32);
  const Tensor column = Tensor::zeros({4, 1}, ScalarType::i32);
  const Tensor one = Tensor::full({1}, ScalarType::i32, 1);
  const Tensor zero = Tensor::zeros({1}, ScalarType::i32);
  const Expr divided = (weft::floor_divide(expr(one), zero) + column) * none;
  CHECK(weft::evaluate(divided).numel() == 0);
  CHECK_ERROR(division, ("floor_divide: input 1", "divided by 0"),
              weft::evaluate(weft::floor_divide(expr(one), zero)));
  CHECK_ERROR(division, ("a division: input 1"),
              weft::evaluate(weft::floor_divide(expr(one), zero) + weft::remainder(expr(one), 1)));
  CHECK_ERROR(division, ("remainder: input 1"),
              weft::evaluate(weft::sum(weft::remainder(expr(one), zero) + 1)));
}

TEST_CASE("expressions: reductions of columns of any width", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(200); ++round) {
    const ScalarType type = random.pick(std::vector<ScalarType>{
        ScalarType::f32, ScalarType::f64, ScalarType::c64, ScalarType::c128, ScalarType::u8});
    const Tensor a = Tensor::empty({random.integer(2, 900), random.integer(2, 130)}, type);
    test::fill(type, a.data(), a.numel(), random, test::Values::small);
    const Expr x = weft::expr(a) * 1;
    const Tensor same = weft::mul(a, 1);
    const auto check = [&](const Expr& e, const Tensor& want) {
      const std::string wrong = test::difference(weft::evaluate(e), test::dense_copy(want));
      tally.check(wrong.empty(), [&](auto& text) { text << e.text() << ": " << wrong; });
    };
    check(weft::sum(x, 0), weft::sum(same, 0));
    check(weft::mean(x, 0), weft::mean(same, 0));
    check(weft::var(x, 0), weft::var(same, 0));
    check(weft::prod(x, 0), weft::prod(same, 0));
    if (weft::is_complex(type)) continue;
    check(weft::logsumexp(x, 0), weft::logsumexp(same, 0));
    check(weft::argmax(x, 0), weft::argmax(same, 0));
    check(weft::amax(x), weft::amax(same));
  }
  CHECK_TALLY(tally);
}

TEST_CASE("expressions: text of shared parts is cut short", "[expr]") {
  const Tensor a = Tensor::full({3}, ScalarType::f32, 1), b = Tensor::full({4}, ScalarType::f32, 1);
  Expr e = weft::expr(a);
  for (int i = 0; i < 90; ++i)
    e = e * e + a;
  CHECK(e.text().size() < 3000);
  CHECK(e.text().find("...") != std::string::npos);
  CHECK_ERROR(shape, ("add(add(", "do not broadcast"), e + b);
}

TEST_CASE("expressions: several passes block by block of rows", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const weft::ReduceOptions keep{.keepdim = true};
  constexpr std::int64_t rows = 4099, columns = 515;
  for (int round = 0; round < test::rounds(4); ++round) {
    // Rows with a gap, or the other order.
    const Tensor wide = Tensor::empty({rows, columns + 3}, ScalarType::f32);
    const Tensor turned = Tensor::empty({columns, rows}, ScalarType::f32);
    for (const Tensor& tensor : {wide, turned})
      test::fill(ScalarType::f32, tensor.data(), tensor.numel(), random);
    const TensorView a = round % 2 == 0 ? wide.slice(1, 1, columns + 1) : turned.transpose(0, 1);
    const Tensor scale = Tensor::full({columns}, ScalarType::f32, 0.75);
    const Tensor weights = Tensor::full({rows, 1}, ScalarType::f64, 1.25);
    const auto norm = [&](const auto& x) {
      const auto from = weft::sub(x, weft::mean(x, 1, keep));
      const auto inverse = weft::rsqrt(weft::add(weft::mean(weft::mul(from, from), 1, keep), 1e-5));
      return weft::mul(weft::mul(from, inverse), scale);
    };
    const auto entropy = [&](const auto& x) {
      const auto most = weft::amax(x, 1, keep);
      const auto sum = weft::sum(weft::exp(weft::sub(x, most)), 1, keep);
      return weft::sum(weft::mul(weft::sub(weft::log(sum), weft::sub(x, most)), weights), -1);
    };
    const auto check = [&](const char* what, const Expr& e, const Tensor& want, bool in_blocks) {
      const test::Dense values = test::dense_copy(want);
      CHECK((weft::explain(e).rows > 0) == in_blocks);
      test::for_thread_counts([&](int threads) {
        const std::string wrong = test::difference(weft::evaluate(e), values);
        tally.check(wrong.empty(),
                    [&](auto& text) { text << what << ", " << threads << " threads: " << wrong; });
      });
    };
    const Tensor copy = Tensor::empty({rows, columns}, ScalarType::f32);
    weft::copy_out(copy, a);
    // Of a computed tensor, which has one layout; of an operand, its own.
    check("norm", norm(weft::expr(a) * 1), norm(copy), true);
    check("entropy", entropy(weft::abs(weft::expr(a))), entropy(weft::abs(copy)), true);
    // The order along columns of a turned operand follows how many there are.
    check("as it is", weft::div(weft::expr(a), weft::sum(weft::expr(a), 1, keep)),
          weft::div(a, weft::sum(a, 1, keep)), round % 2 == 0);
  }
  CHECK_TALLY(tally);
  // An output that an earlier pass reads in other rows: all of that is read first.
  const Tensor shared = Tensor::empty({rows + 1, columns}, ScalarType::f32);
  const Tensor factor = Tensor::full({rows, columns}, ScalarType::f32, 2);
  test::fill(ScalarType::f32, shared.data(), shared.numel(), random, test::Values::small);
  const TensorView read = shared.slice(0, 0, rows), written = shared.slice(0, 1, rows + 1);
  const Tensor want = weft::mul(factor, weft::sum(weft::mul(read, read), 1, keep));
  weft::evaluate_out(written, weft::expr(factor) * weft::sum(weft::expr(read) * read, 1, keep));
  CHECK(test::difference(written, test::dense_copy(want)) == "");
  // In place.
  const Tensor same = weft::div(want, weft::sum(weft::mul(want, 1), 1, keep));
  weft::evaluate_out(written, weft::expr(written) / weft::sum(weft::expr(written) * 1, 1, keep));
  CHECK(test::difference(written, test::dense_copy(same)) == "");
  // Rows that depend on each other, or are another axis elsewhere, are not.
  const Tensor square = Tensor::full({1200, 1200}, ScalarType::f32, 1);
  const Expr x = weft::expr(square);
  CHECK(weft::explain(x - weft::mean(x, 0, keep)).rows == 0);
  CHECK(weft::explain(x - weft::mean(x, 1)).rows == 0);
  CHECK(weft::explain(x / weft::amax(x)).rows == 0);
  CHECK(weft::explain(x - weft::mean(x, 1, keep)).rows > 0);
  // Of rows so long that a block has one, however many threads there are.
  const std::int64_t long_row = weft::cpu_info().l2_bytes / 3 / 8;
  const Tensor few = Tensor::full({5, long_row}, ScalarType::f32, 1);
  const Expr y = weft::expr(few);
  for (const int threads : {1, 2, 8}) {
    INFO(threads << " threads");
    test::in_arena(8, [&] {
      const weft::ThreadLimit limit(threads);
      CHECK(weft::explain(y - weft::mean(y, 1, keep)).rows == 1);
    });
  }
}

TEST_CASE("explain: a pass moves what it reads and writes", "[expr]") {
  const Tensor a = Tensor::full({300, 200}, ScalarType::f32, 1),
               row = Tensor::full({200}, ScalarType::f32, 1);
  const Expr x = weft::expr(a);
  for (const Expr& e : {x * row + 1, weft::sum(x * row), weft::sum(x * x, 0),
                        weft::amax(x * row, 1), weft::sum(weft::expr(row) * row + row)}) {
    const auto passes = weft::explain(e).passes;
    REQUIRE(passes.size() == 1);
    INFO(e.text());
    CHECK(passes[0].run.bytes_moved == passes[0].bytes_read + passes[0].bytes_written);
  }
}
