// SPDX-License-Identifier: Apache-2.0
// Expressions from text are those that are written in C++, and what is no expression is refused
// with the column.
#include <weft/expr/masked.hpp>
#include <weft/expr/parse_expr.hpp>
#include <weft/operators.hpp>
#include <weft/ops/reduce.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/small_stack.hpp"

#include <string>
#include <vector>

namespace {

using weft::Expr;
using weft::ScalarType;
using weft::Tensor;

struct Operands {
  Tensor a = Tensor::of<float>({2, 3}, {1, -2, 3, 0.5, 4, -1});
  Tensor b = Tensor::of<float>({3}, {2, 3, -1});
  Tensor i = Tensor::of<std::int32_t>({2, 1}, {5, -7});
  Tensor t = Tensor::of<bool>({2, 3}, {true, false, true, false, false, true});

  std::vector<weft::NamedExpr> named() const {
    return {{"a", weft::expr(a)}, {"b", weft::expr(b)}, {"i", weft::expr(i)}, {"t", weft::expr(t)}};
  }
};

}  // namespace

TEST_CASE("expressions from text: the same as in C++", "[expr]") {
  using namespace weft;
  using namespace weft::operators;
  const Operands all;
  const auto [a, b, i, t] = all;
  const Expr x = expr(a);
  const std::int64_t both[] = {0, 1};
  const struct {
    const char* text;
    Expr value;
  } cases[] = {
      {"a", x},
      {" a*b + 2 ", x * b + 2},
      {"a + b * 2 - 1 / a", x + expr(b) * 2 - 1 / x},
      {"a - b - 1", x - b - 1},
      {"a - (b - 1)", x - (expr(b) - 1)},
      {"-a * -b", -x * -expr(b)},
      {"--a", -(-x)},
      {"2 - -2", Expr(Scalar(2)) - Expr(Scalar(-2))},
      {"-9223372036854775808 + i64(i)",
       Expr(Scalar(std::int64_t{-9223372036854775807} - 1)) + convert(expr(i), ScalarType::i64)},
      {"a * 1e-1 + .5 + 2.E+0", x * 0.1 + 0.5 + 2.0},
      {"i / 2", expr(i) / 2},
      {"a > b", x > b},
      {"a + 1 >= b * 2", x + 1 >= expr(b) * 2},
      {"i & 3 == 1 | i", (expr(i) & 3) == (1 | expr(i))},
      {"~t ^ t & t", ~expr(t) ^ (expr(t) & t)},
      {"!t | !(a > b)", (!expr(t)) | !(x > b)},
      {"a - b % 2 * a", x - (expr(b) % 2) * x},
      {"i + 1 << 2 & i >> 1", ((expr(i) + 1) << 2) & (expr(i) >> 1)},
      {"where(a != b, a, 0)", where(x != b, x, 0)},
      {"relu(maximum(a, b))", relu(maximum(x, b))},
      {"clamp(a, -1, 0.5)", clamp(x, -1, 0.5)},
      {"fmod(a, 2)", fmod(x, 2)},
      {"f64(i) * 0.5", convert(expr(i), ScalarType::f64) * 0.5},
      {"sum(a)", sum(x)},
      {"sum(a * a, 1)", sum(x * x, 1)},
      {"mean(a,-1,1) + b", mean(x, -1, {.keepdim = true}) + b},
      {"amax(a, (0, 1), 0)", amax(x, both)},
      {"argmin(a + b, 1)", argmin(x + b, 1)},
      {"argmax(a, 0, 1)", argmax(x, 0, true)},
      {"nanmean(sqrt(a))", nanmean(sqrt(x))},
      {"nanmax(a / b, (0, 1), 1)", nanmax(x / b, both, {.keepdim = true})},
      {"norm(a, 2)", norm(x, 2)},
      {"norm(a - b, -0.5, 1, 1)", norm(x - b, -0.5, 1, {.keepdim = true})},
      {"sum(a, (), 1)", sum(x, {}, {.keepdim = true})},
      {"a - mean(a, ( ), 0)", x - mean(x)},
      {"var(a, 1, 0, 0)", var(x, 1, {.correction = 0})},
      {"nanstd(a, (), 1, 0.5)", nanstd(x, {}, {.keepdim = true, .correction = 0.5})},
      {"dot(b, b * 2)", dot(b, expr(b) * 2)},
      {"sum(masked(a, t), 1)", sum(masked(x, t), 1)},
      {"amin(masked(a, a > 0, -3)) + 1", amin(masked(x, x > 0, -3)) + 1},
      {"y = a - b; z_1 = y * y; z_1 + y", (x - b) * (x - b) + (x - b)},
      {"x = a - mean(a, 1, 1); x * rsqrt(mean(x * x, 1, 1) + 1e-05)",
       (x - mean(x, 1, {.keepdim = true})) *
           rsqrt(mean(square(x - mean(x, 1, {.keepdim = true})), 1, {.keepdim = true}) + 1e-05)},
  };
  for (const auto& one : cases) {
    INFO(one.text);
    const Expr got = parse_expr(one.text, all.named());
    CHECK(got.dtype() == one.value.dtype());
    CHECK(test::difference(evaluate(got), test::dense_copy(evaluate(one.value))) == "");
  }
}

TEST_CASE("expressions from text: what is none is refused with the column", "[expr]") {
  const Operands all;
  const struct {
    const char* text;
    const char* column;
    const char* why;
  } cases[] = {
      {"", "column 1:", "expected a number, a name or (, got the end"},
      {"a +", "column 4:", "expected a number, a name or (, got the end"},
      {"a b", "column 3:", "expected an operator or the end, got 'b'"},
      {"a + )", "column 5:", "got ')'"},
      {"(a", "column 3:", "expected an operator or ), got the end"},
      {"a + nobody", "column 5:", "unknown name 'nobody'"},
      {"nothing(a)", "column 1:", "unknown function 'nothing'"},
      {"1 + max(a)", "column 5:", "unknown function 'max', there is amax, "},
      {"power(a, 2)", "column 1:", "unknown function 'power', there is pow"},
      {"a < b < a", "column 7:", "expected no second comparison without parentheses"},
      {"a $ b", "column 3:", "got '$'"},
      {"a \xc3\xa4", "column 3:", "got byte 195"},
      {"1.2.3", "column 1:", "'1.2.3' is no number"},
      {"1e999 * a", "column 1:", "'1e999' is no number, or too large"},
      {"99999999999999999999", "column 1:", "too large"},
      {"a * 1e-400", "column 5:", "or small"},
      {"exp(a, b)", "column 6:", "behind argument 1 of exp"},
      {"maximum(a)", "column 10:", "argument 2 of 2 of maximum"},
      {"where(t, a)", "column 11:", "argument 3 of 3 of where"},
      {"sum(a, b)", "column 8:", "expected an axis or ("},
      {"sum(a, (0, b))", "column 12:", "expected an axis"},
      {"sum(a, (0 1))", "column 11:", "expected , or )"},
      {"sum(a, 0, keep)", "column 11:", "expected 1 to keep the axes"},
      {"argmax(a, (0, 1))", "column 12:", "expected one axis"},
      {"var_mean(a)", "column 1:", "has two results"},
      {"norm(a)", "column 7:", "p of norm"},
      {"norm(a, b)", "column 9:", "expected p of norm, got 'b'"},
      {"norm(a, 2, b)", "column 12:", "expected an axis or ("},
      {"dot(b)", "column 6:", "argument 2 of 2 of dot"},
      {"dot(b, b, b)", "column 9:", "behind argument 2 of dot"},
      {"sum(a, 1, 0, 0)", "column 12:", "expected , or )"},
      {"std(a, 1, 0, b)", "column 14:", "expected the correction, got 'b'"},
      {"masked(a)", "column 9:", "the mask of masked"},
      {"sum(masked(a, t, b))", "column 18:", "the initial number of masked, got 'b'"},
      {"nanmean(a, (0 1))", "column 15:", "expected , or )"},
      {"y = a", "column 6:", "expected an operator or ;, got the end"},
      {"a = b; a", "column 1:", "'a' is there already"},
      {"y = a; y = b; y", "column 8:", "'y' is there already"},
      {"y = a;", "column 7:", "got the end"},
  };
  for (const auto& one : cases) {
    INFO(one.text);
    CHECK_ERROR(parse, (one.column, one.why), weft::parse_expr(one.text, all.named()));
  }
  CHECK_ERROR(shape, ("add(f32[2, 3], sum(i32[2, 1], [1]))", "do not broadcast"),
              weft::parse_expr("a + sum(i, 1)", all.named()));
  CHECK_ERROR(axis, ("sum(f32[2, 3], [5])"), weft::parse_expr("sum(a, 5)", all.named()));
  CHECK_ERROR(dtype, ("bitwise_and(f32[2, 3], f32[3])"), weft::parse_expr("a & b", all.named()));
}

TEST_CASE("expressions from text: arithmetic of numbers loses nothing", "[expr]") {
  const Tensor d = Tensor::of<double>({2}, {1.5, 2.5});
  const Tensor few = Tensor::of<std::int8_t>({}, {3});
  const std::vector<weft::NamedExpr> named = {{"d", weft::expr(d)}, {"few", weft::expr(few)}};
  const auto first = [&](const char* text) {
    return weft::evaluate(weft::parse_expr(text, named)).at<double>(0);
  };
  CHECK(first("d * (1e-50 * 1)") == 1.5 * 1e-50);
  CHECK(first("d * -(1e-50)") == 1.5 * -1e-50);
  CHECK(first("1e300 * 1e-300 * d") == 1e300 * 1e-300 * 1.5);
  CHECK(first("d + (0.1 + 0.2)") == 1.5 + (0.1 + 0.2));
  CHECK(first("1 / 3 * d") == 1.0 / 3.0 * 1.5);
  CHECK(first("d - (2 - 5)") == 4.5);
  CHECK(weft::parse_expr("few + (1 + 2) * -(4)", named).dtype() == ScalarType::i8);
  CHECK(weft::parse_expr("few + 1 / 2", named).dtype() == ScalarType::f32);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(first("d + inf") == infinity);
  CHECK(first("minimum(d, -inf)") == -infinity);
  CHECK(std::isnan(first("d * nan")));
  CHECK(first("norm(d, inf) + d * 0") == 2.5);
  CHECK(first("norm(d, -inf) + d * 0") == 1.5);
  CHECK_ERROR(parse, ("column 9", "p of norm"), weft::parse_expr("norm(d, few)", named));
  const std::vector<weft::NamedExpr> taken = {{"inf", weft::expr(d)}};
  CHECK(weft::evaluate(weft::parse_expr("inf * 2", taken)).at<double>(1) == 5);
  const Tensor most = Tensor::full({1}, ScalarType::u64, 0);
  const std::vector<weft::NamedExpr> words = {{"most", weft::expr(most)}};
  CHECK(
      weft::evaluate(weft::parse_expr("most + 18446744073709551615", words)).at<std::uint64_t>(0) ==
      18446744073709551615U);
  // What no i64 holds is a number in f64.
  CHECK(first("d * (9223372036854775807 + 1)") == 1.5 * 0x1p63);
}

TEST_CASE("expressions from text: a zero byte is no end", "[expr]") {
  const Operands all;
  const std::string_view text("a * 2\0 + b", 10);
  CHECK_ERROR(parse, ("column 6", "got byte 0"), weft::parse_expr(text, all.named()));
}

TEST_CASE("expressions from text: nested too deep is refused, on little stack", "[expr]") {
  const Operands all;
  const std::vector<weft::NamedExpr> named = all.named();
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '(') + "a" +
           std::string(static_cast<std::size_t>(depth), ')');
  };
  const auto calls = [](int depth) {
    std::string text = "a";
    for (int i = 0; i < depth; ++i)
      text = "maximum(b, " + text + ")";
    return text;
  };
  const auto check = [&] {
    CHECK_ERROR(limit, ("column", "nested deeper than"), weft::parse_expr(nested(5000), named));
    CHECK_ERROR(limit, ("column", "nested deeper than"), weft::parse_expr(calls(5000), named));
    CHECK_ERROR(limit, ("column", "nested deeper than"),
                weft::parse_expr(std::string(5000, '-') + "a", named));
    CHECK(weft::parse_expr(calls(60), named).dtype() == ScalarType::f32);
    CHECK(weft::parse_expr(nested(64), named).dtype() == ScalarType::f32);
    CHECK_ERROR(limit, ("column", "nested deeper than 64"), weft::parse_expr(nested(65), named));
    // One behind the other is no nesting, and has a limit of its own.
    std::string sum = "a";
    for (int i = 0; i < weft::max_expr_depth; ++i)
      sum += " + 1";
    CHECK(weft::evaluate(weft::parse_expr(sum, named)).at<float>(0, 0) == 1 + weft::max_expr_depth);
    CHECK_ERROR(limit, ("201 functions deep", "at most 200"),
                weft::parse_expr(sum + " + 1", named));
  };
#if WEFT_TEST_HAS_SMALL_STACKS
  test::stack_used(128 << 10, check);
#else
  check();
#endif
}
