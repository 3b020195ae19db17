// SPDX-License-Identifier: Apache-2.0
// Reductions of what is computed as it is reduced, and sums of what a mask selects: the bits of the
// reduction of what functions give one at a time.
#include <weft/expr/explain_expr.hpp>
#include <weft/expr/expr.hpp>
#include <weft/expr/masked.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/reduction_table.hpp>
#include <weft/ops/ternary.hpp>

#include "expr/copies.hpp"
#include "support/dense.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <limits>
#include <string>
#include <vector>

namespace {

using test::Dims;
using test::Memory;
using weft::Expr;
using weft::expr;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// Rows of whole blocks, of parts of them, and of more than one span.
std::int64_t random_length(test::Random& random, int round) {
  switch (round % 6) {
    case 0: return 128 * random.integer(1, 9) + random.integer(-1, 1);
    case 1: return random.integer(1, 140);
    case 2: return random.integer(640, 1200);
    case 3: return 128 * random.integer(2, 20);
    case 4: return random.integer(4000, 40000);
    default: return random.integer(60000, 140000);
  }
}

/// An operand of rows: all, a row for all rows, a value for each, one for all, each at any offset
/// and with gaps between rows.
Memory random_operand(test::Random& random, ScalarType type, const Dims& shape,
                      test::Values values = test::Values::small) {
  Dims own = shape;
  if (random.chance(20)) own[0] = 1;
  if (random.chance(20)) own[1] = 1;
  if (random.chance(10)) own[2] = 1;
  test::Layout layout =
      test::fit({own, {own[1] * (own[2] + 3), own[2] + (random.chance(50) ? 3 : 0), 1}});
  return test::random_memory(random, type, layout, values);
}

/// A term of an expression, and the same by functions one at a time, which no step joins.
struct Term {
  Expr e;
  Tensor value;
};
template <class F, class... Terms>
Term apply(const F& f, const Terms&... terms) {
  return {f(terms.e...), weft::evaluate(f(expr(terms.value)...))};
}

Term random_flags(test::Random& random, const Term& flags, const Term& a, const Term& b) {
  if (random.chance(50)) return flags;
  return apply([](const Expr& x, const Expr& y) { return x > y; }, a, b);
}

/// Two to five functions that have instructions.
Term random_formula(test::Random& random, const Term& a, const Term& b, const Term& flags) {
  const auto mul = [](const Expr& x, const Expr& y) { return x * y; };
  const auto sub = [](const Expr& x, const Expr& y) { return x - y; };
  Term e = random.chance(50) ? apply(mul, a, b) : apply(sub, a, b);
  for (std::int64_t n = random.integer(1, 4); n > 0; --n) {
    switch (random.integer(0, 6)) {
      case 0: e = apply(mul, e, e); break;
      case 1: e = apply(sub, b, e); break;
      case 2:
        e = apply([](const Expr& x) { return x * 0.01; }, e);
        e = apply([](const Expr& x) { return weft::exp(x); }, e);
        break;
      case 3: e = apply([](const Expr& x) { return weft::abs(x); }, e); break;
      case 4:
        e = apply([](const Expr& c, const Expr& x, const Expr& y) { return weft::where(c, x, y); },
                  random_flags(random, flags, a, b), e, a);
        break;
      case 5:
        e = apply([](const Expr& x, const Expr& y) { return weft::maximum(x, y); }, e, a);
        break;
      default:
        e = apply([](const Expr& x) { return weft::sigmoid(x); }, e);
        e = apply([](const Expr& c, const Expr& x) { return weft::where(c, 2, x); },
                  random_flags(random, flags, a, b), e);
        break;
    }
  }
  return e;
}

/// A reduction of an expression or of a tensor, by its number.
template <class X>
auto reduced(std::int64_t number, const X& x, const Dims& axes) {
  std::int64_t at = 0;
#define WEFT_CASE(NAME, ...) \
  if (number == at++) return weft::NAME(x, axes);
  WEFT_FOR_EACH_REDUCTION(WEFT_CASE)
#undef WEFT_CASE
#define WEFT_CASE(NAME, ...) \
  if (number == at++) return weft::NAME(x, axes[0]);
  WEFT_FOR_EACH_ARG_REDUCTION(WEFT_CASE)
#undef WEFT_CASE
  const double p[] = {1, 2, std::numeric_limits<double>::infinity(), 3};
  return weft::norm(x, p[(number - at) % 4], axes);
}
constexpr std::int64_t most_reduced = 17;

/// Compares a reduction of a random formula over `axes` with that of its result in memory. Returns
/// the form of the reduction.
std::string check_reduction(test::Random& random, ScalarType type, const Dims& shape,
                            const Dims& axes, test::Tally& tally) {
  const auto values = random.chance(30) ? test::Values::any : test::Values::small;
  const Memory a = random_operand(random, type, shape, values),
               b = random_operand(random, type, shape, values),
               flags = random_operand(random, ScalarType::boolean, shape);
  for (std::int64_t i = 0; i < flags.size_bytes(); ++i)
    flags.data()[i] = std::byte(random.chance(50) ? random.integer(1, 255) : 0);
  // All of the shape, or there is nothing to sum.
  const Tensor zeros = Tensor::zeros(shape, type);
  const TensorView av = a.view(), bv = b.view(), fv = flags.view();
  const Expr all = expr(av) + zeros;
  const Term term = random_formula(random, {all, weft::evaluate(all)}, {expr(bv), test::copied(bv)},
                                   {expr(fv), test::copied(fv)});
  // Mostly sums, means, and the largest and smallest, which columns are for.
  const std::int64_t number = random.chance(70) ? random.pick(std::vector<std::int64_t>{0, 2, 7, 8})
                                                : random.integer(0, most_reduced);
  const Tensor want = reduced(number, term.value, axes);
  const Expr from_formula = reduced(number, term.e, axes);
  test::for_thread_counts([&](int threads) {
    const std::string differs = test::difference(weft::evaluate(from_formula), want);
    tally.check(differs.empty(), [&](auto& text) {
      text << from_formula.text() << " of " << weft::to_string(shape) << ", " << threads
           << " threads: " << differs;
    });
  });
  return weft::explain(from_formula).passes.back().run.form;
}

}  // namespace

TEMPLATE_TEST_CASE("reductions of programs: the bits of those of what is there", "[expr]", float,
                   double) {
  constexpr ScalarType type = weft::scalar_type_of<TestType>;
  WEFT_RANDOM(random);
  test::Tally tally;
  int computed = 0;
  for (int round = 0; round < test::rounds(90); ++round) {
    // Of doubles, and by other reductions than sums, short rows alone are reduced so.
    const bool is_short = type == ScalarType::f64 && random.chance(60);
    const std::int64_t n = is_short ? random.integer(1, 520) : random_length(random, round);
    // Of short rows so many that several calls of the kernel reduce them.
    const std::int64_t rows = n > 10000 ? 2 : n > 140 ? 9 : 30000 / n;
    const Dims shape{random.integer(1, 2), random.integer(1, rows), n};
    const Dims axes = random.pick(std::vector<Dims>{{2}, {1, 2}, {0, 2}, {0, 1, 2}, {1}});
    const std::string form = check_reduction(random, type, shape, axes, tally);
    computed += static_cast<int>(form == "computed-spans");
  }
  CHECK_TALLY(tally);
  CHECK(computed >= test::rounds(90) / 10);
}

TEMPLATE_TEST_CASE("reductions of programs along first axes: the bits of those of what is there",
                   "[expr]", float, double) {
  constexpr ScalarType type = weft::scalar_type_of<TestType>;
  WEFT_RANDOM(random);
  test::Tally tally;
  int computed = 0;
  for (int round = 0; round < test::rounds(40); ++round) {
    // Around whole pieces of a row, and around blocks of rows.
    const std::int64_t n = random.chance(50) ? 128 * random.integer(1, 9) + random.integer(-1, 16)
                                             : random.integer(120, 1300);
    const std::int64_t most = 400000 / n;
    const std::int64_t rows = random.chance(30) ? random.integer(1, 20) : random.integer(1, most);
    const Dims shape{random.integer(1, 3), rows, n};
    const Dims axes = random.pick(std::vector<Dims>{{1}, {0, 1}, {0}});
    const std::string form = check_reduction(random, type, shape, axes, tally);
    computed += static_cast<int>(form == "computed-columns");
  }
  CHECK_TALLY(tally);
  CHECK(computed >= test::rounds(40) / 5);
}

TEMPLATE_TEST_CASE("sums of what a mask selects: the bits of a sum with zeros", "[expr]", float,
                   double) {
  constexpr ScalarType type = weft::scalar_type_of<TestType>;
  WEFT_RANDOM(random);
  test::Tally tally;
  int in_registers = 0;
  for (int round = 0; round < test::rounds(60); ++round) {
    const std::int64_t n = random_length(random, round);
    const Dims shape{random.integer(1, 2), random.integer(1, n > 10000 ? 2 : 30), n};
    const Memory a = random_operand(random, type, shape),
                 flags = random_operand(random, ScalarType::boolean, shape);
    const std::int64_t percent = random.pick(std::vector<std::int64_t>{0, 10, 50, 99, 100});
    for (std::int64_t i = 0; i < flags.size_bytes(); ++i)
      flags.data()[i] =
          std::byte(random.chance(static_cast<int>(percent)) ? random.integer(1, 255) : 0);
    // What is not selected is not looked at.
    const TensorView mask = flags.view();
    const Tensor all = test::copied(a.view().expand(shape)),
                 chosen = test::copied(mask.expand(shape));
    for (std::int64_t i = 0; i < all.numel(); ++i) {
      if (static_cast<const unsigned char*>(chosen.data())[i] == 0 && random.chance(30))
        static_cast<TestType*>(all.data())[i] = std::numeric_limits<TestType>::quiet_NaN();
    }
    const Dims axes = random.pick(std::vector<Dims>{{2}, {1, 2}, {0, 1, 2}});
    const Tensor zeroed = weft::where(chosen, all, Tensor::zeros({}, type));
    const bool mean = random.chance(30);
    const Expr sum = mean ? weft::mean(weft::where(expr(mask), all, 0), axes)
                          : weft::sum(weft::masked(expr(all), expr(mask)), axes);
    const Tensor want = mean ? weft::mean(zeroed, axes) : weft::sum(zeroed, axes);
    in_registers += static_cast<int>(weft::explain(sum).passes.back().run.form == "computed-spans");
    test::for_thread_counts([&](int threads) {
      const std::string differs = test::difference(weft::evaluate(sum), want);
      tally.check(differs.empty(), [&](auto& text) {
        text << sum.text() << " of " << weft::to_string(shape) << ", " << percent << " %, "
             << threads << " threads: " << differs;
      });
    });
  }
  CHECK_TALLY(tally);
  CHECK(in_registers >= test::rounds(60) / 10);
}
