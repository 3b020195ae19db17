// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/dispatch_types.hpp>
#include <weft/expr/masked.hpp>
#include <weft/expr/parse_expr.hpp>

#include "base/text.hpp"
#include "expr/expr_node.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where in a list of functions a name is; empty if it is not there.
template <class Op, class Info, std::size_t n>
std::optional<Op> find(const Info (&list)[n], std::string_view name) {
  for (std::size_t i = 0; i < n; ++i)
    if (name == list[i].name) return static_cast<Op>(i);
  return std::nullopt;
}

/// The functions whose names have a name in them, or are in it, as amax and maximum for max.
std::string names_like(std::string_view name) {
  std::string found;
  const auto look = [&](const auto& list) {
    for (const auto& one : list) {
      const std::string_view known = one.name;
      const auto [shorter, longer] =
          std::minmax(name, known, [](auto a, auto b) { return a.size() < b.size(); });
      constexpr std::size_t least = 3;
      if (shorter.size() >= least && longer.find(shorter) != longer.npos)
        found += (found.empty() ? ", there is " : ", ") + std::string(known);
    }
  };
  look(reductions);
  for (const std::span<const FunctionInfo> list :
       {std::span<const FunctionInfo>(unary_functions),
        std::span<const FunctionInfo>(binary_functions),
        std::span<const FunctionInfo>(division_functions)})
    look(list);
  return found;
}

std::optional<ScalarType> find_type(std::string_view type) {
  for (int i = 0; i < scalar_type_count; ++i)
    if (name(static_cast<ScalarType>(i)) == type) return static_cast<ScalarType>(i);
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const NamedExpr> operands)
      : text_(text), names_(operands.begin(), operands.end()) {}

  Expr parse() {
    for (;;) {
      skip_space();
      const std::size_t start = at_;
      const std::string_view name = take_name();
      if (!name.empty() && peek() == '=' && !next_is("==")) {
        ++at_;
        if (find(name) != nullptr) fail_at(start, text("'", name, "' is there already"));
        Expr value = comparison();
        expect(';', "an operator or ;");
        names_.push_back({std::string(name), std::move(value)});
        continue;
      }
      at_ = start;
      Expr value = comparison();
      skip_space();
      if (at_ != text_.size()) fail_here("an operator or the end");
      return value;
    }
  }

 private:
  /// A binary operator.
  using Operator = std::variant<BinaryOp, CompareOp, DivisionOp>;
  struct Sign {
    const char* text;
    int level;  // how much it binds
    Operator op;
  };
  static constexpr int comparisons = 0;
  static constexpr Sign signs[] = {
      // Longer ones first.
      {"==", 0, CompareOp::eq},        {"!=", 0, CompareOp::ne},
      {"<=", 0, CompareOp::le},        {">=", 0, CompareOp::ge},
      {"<<", 4, BinaryOp::lshift},     {">>", 4, BinaryOp::rshift},
      {"<", 0, CompareOp::lt},         {">", 0, CompareOp::gt},
      {"|", 1, BinaryOp::bitwise_or},  {"^", 2, BinaryOp::bitwise_xor},
      {"&", 3, BinaryOp::bitwise_and}, {"+", 5, BinaryOp::add},
      {"-", 5, BinaryOp::sub},         {"*", 6, BinaryOp::mul},
      {"/", 6, BinaryOp::div},         {"%", 6, DivisionOp::remainder}};

  [[noreturn]] void fail_at(std::size_t at, const std::string& why) const {
    fail(ErrorCode::parse, text("column ", at + 1, ": ", why));
  }
  [[noreturn]] void fail_here(std::string_view expected) {
    const char c = peek();
    const std::string got = at_ == text_.size() ? "the end"
                            : c >= ' ' && c <= '~'
                                ? text("'", c, "'")
                                : text("byte ", static_cast<int>(static_cast<unsigned char>(c)));
    fail_at(at_, text("expected ", expected, ", got ", got));
  }

  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  /// The next character that is no space; '\0' at the end.
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool next_is(std::string_view what) {
    skip_space();
    return text_.substr(at_).starts_with(what);
  }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c, std::string_view expected) {
    if (!take(c)) fail_here(expected);
  }
  /// A name, or nothing.
  std::string_view take_name() {
    if (!is_letter(peek())) return {};
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_])))
      ++at_;
    return text_.substr(start, at_ - start);
  }
  const Expr* find(std::string_view name) const {
    const auto found = std::ranges::find(names_, name, &NamedExpr::name);
    return found == names_.end() ? nullptr : &found->value;
  }

  Expr comparison() { return binary(comparisons); }

  /// Operators of a level and above. A comparison stands alone.
  Expr binary(int level) {
    Expr left = sign();
    for (bool compared = false;;) {
      skip_space();
      const auto found =
          std::ranges::find_if(signs, [&](const Sign& s) { return next_is(s.text); });
      if (found == std::end(signs) || found->level < level) return left;
      if (found->level == comparisons && std::exchange(compared, true))
        fail_here("no second comparison without parentheses");
      at_ += std::string_view(found->text).size();
      Expr right = binary(found->level + 1);
      if (const auto number = number_of(found->op, left, right)) {
        left = Expr(*number);
        continue;
      }
      left = std::visit([&](auto op) { return Expr::call(op, std::move(left), std::move(right)); },
                        found->op);
    }
  }

  /// What a number is; null for other expressions.
  static const Scalar* number_in(const Expr& e) {
    return e.node().kind == ExprNode::Kind::number ? &e.node().scalar() : nullptr;
  }
  /// The number that an operator of arithmetic makes of two: whole where both are and an i64 holds
  /// it, else in f64. As tensors they would be f32.
  static std::optional<Scalar> number_of(const Operator& sign, const Expr& left,
                                         const Expr& right) {
    const Scalar *const a = number_in(left), *const b = number_in(right);
    const auto* const op = std::get_if<BinaryOp>(&sign);
    if (a == nullptr || b == nullptr || op == nullptr) return std::nullopt;
    const auto x = a->to<double>(), y = b->to<double>();
    std::int64_t whole = 0;
    const auto is_whole = [&](auto checked) {
      return a->dtype() == ScalarType::i64 && b->dtype() == ScalarType::i64 &&
             checked(a->to<std::int64_t>(), b->to<std::int64_t>(), whole);
    };
    switch (*op) {
      case BinaryOp::add: return is_whole(checked_add) ? Scalar(whole) : Scalar(x + y);
      case BinaryOp::sub: return is_whole(checked_sub) ? Scalar(whole) : Scalar(x - y);
      case BinaryOp::mul: return is_whole(checked_mul) ? Scalar(whole) : Scalar(x * y);
      case BinaryOp::div: return Scalar(x / y);
      default: return std::nullopt;
    }
  }

  Expr sign() {
    const Nested nested(*this);
    if (take('-')) {
      // A number is one with its sign: the least integer has no positive one.
      skip_space();
      if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return number(true);
      const Expr of = sign();
      const std::optional<Scalar> number = number_of(BinaryOp::mul, Expr(Scalar(-1)), of);
      return number ? Expr(*number) : neg(of);
    }
    if (take('~')) return bitwise_not(sign());
    if (take('!')) return logical_not(sign());
    return primary();
  }

  Expr primary() {
    const char c = peek();
    if (take('(')) {
      Expr inside = comparison();
      expect(')', "an operator or )");
      return inside;
    }
    if (is_digit(c) || c == '.') return number(false);
    const std::size_t start = at_;
    const std::string_view name = take_name();
    if (name.empty()) fail_here("a number, a name or (");
    if (take('(')) return call(name, start);
    if (const Expr* named = find(name)) return *named;
    if (const auto number = number_called(name)) return Expr(Scalar(*number));
    fail_at(start, text("unknown name '", name, "'"));
  }

  /// With a sign in front of it if it is `negative`.
  Expr number(bool negative) { return Expr(digits(negative)); }
  /// The same, of a number that stands by itself.
  Scalar number_value(std::string_view expected) {
    const bool negative = take('-');
    const char c = peek();
    if (is_letter(c)) {
      const std::size_t start = at_;
      if (const auto number = number_called(take_name()))
        return Scalar(negative ? -*number : *number);
      at_ = start;
    }
    if (!is_digit(c) && c != '.') fail_here(expected);
    return digits(negative);
  }
  static std::optional<double> number_called(std::string_view name) {
    if (name == "inf") return std::numeric_limits<double>::infinity();
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
    return std::nullopt;
  }
  Scalar digits(bool negative) {
    const std::size_t start = at_;
    bool whole = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool exponent = c == 'e' || c == 'E';
      if (!is_digit(c) && c != '.' && !exponent) break;
      whole = whole && is_digit(c);
      ++at_;
      if (exponent && at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    }
    const std::string all = (negative ? "-" : "") + std::string(text_.substr(start, at_ - start));
    const char* const end = all.data() + all.size();
    const auto take = [&](auto& value) {
      const auto [stop, error] = std::from_chars(all.data(), end, value);
      return error == std::errc() && stop == end;
    };
    std::int64_t integer = 0;
    std::uint64_t large = 0;
    double floating = 0;
    if (whole && take(integer)) return Scalar(integer);
    if (whole && !negative && take(large)) return Scalar(large);
    if (!whole && take(floating)) return Scalar(floating);
    fail_at(start, text("'", all, "' is no number, or too large or small"));
  }

  /// What stands behind `name(`.
  Expr call(std::string_view name, std::size_t start) {
    if (const auto type = find_type(name)) {
      Expr x = comparison();
      expect(')', "an operator or )");
      return Expr::convert(x, *type);
    }
    if (const auto op = weft::find<Reduction>(reductions, name)) return reduction(*op, start);
    for (const NanReduction& one : nan_reductions)
      if (one.name == name) return reduced_by(one.make, comparison(), one.has_correction);
    if (name == "norm") return norm_call();
    if (name == "dot") return dot_call();
    if (name == "masked") return masked_call();
    if (const auto op = weft::find<UnaryOp>(unary_functions, name)) return function(*op, name);
    if (const auto op = weft::find<BinaryOp>(binary_functions, name)) return function(*op, name);
    if (const auto op = weft::find<CompareOp>(compare_functions, name)) return function(*op, name);
    if (const auto op = weft::find<DivisionOp>(division_functions, name))
      return function(*op, name);
    if (const auto op = weft::find<TernaryOp>(ternary_functions, name)) return function(*op, name);
    fail_at(start, text("unknown function '", name, "'", names_like(name)));
  }

  template <class Op>
  Expr function(Op op, std::string_view name) {
    constexpr int count = std::is_same_v<Op, UnaryOp> ? 1 : std::is_same_v<Op, TernaryOp> ? 3 : 2;
    std::vector<Expr> in;
    for (int i = 0; i < count; ++i) {
      if (i > 0)
        expect(',', text("an operator or , and argument ", i + 1, " of ", count, " of ", name));
      in.push_back(comparison());
    }
    expect(')', text("an operator or ) behind argument ", count, " of ", name));
    if constexpr (count == 1) return Expr::call(op, in[0]);
    if constexpr (count == 2) return Expr::call(op, in[0], in[1]);
    if constexpr (count == 3) return Expr::call(op, in[0], in[1], in[2]);
  }

  struct NanReduction {
    std::string_view name;
    ReductionMaker make;
    bool has_correction;
  };
  static constexpr NanReduction nan_reductions[] = {
#define WEFT_LINE(NAME) \
  {#NAME, NAME, std::string_view(#NAME) == "nanvar" || std::string_view(#NAME) == "nanstd"},
      WEFT_FOR_EACH_NAN_REDUCTION(WEFT_LINE)
#undef WEFT_LINE
  };

  Expr reduction(Reduction op, std::size_t start) {
    if (is_pair(op))
      fail_at(start, text("'", info(op).name, "' has two results, expected a function of one"));
    const bool one_axis = op == Reduction::argmax || op == Reduction::argmin;
    const bool has_correction = op == Reduction::var || op == Reduction::std;
    const auto make = [op](Expr x, IntSpan axes, const ReduceOptions& options) {
      return Expr::call(op, std::move(x), axes, options);
    };
    return reduced_by(make, comparison(), has_correction, one_axis);
  }

  /// What stands behind a reduction's tensor: axes, whether it keeps them, and a correction.
  template <class Make>
  Expr reduced_by(const Make& make, Expr x, bool has_correction = false, bool one_axis = false) {
    DimVector axes;
    ReduceOptions options;
    const bool says_more = take(',');
    if (says_more) {
      if (take('(')) {
        if (one_axis) fail_here("one axis");
        if (!take(')')) {  // of none, all
          do
            axes.push_back(integer("an axis"));
          while (take(','));
          expect(')', ", or )");
        }
      } else {
        axes.push_back(integer("an axis or ("));
      }
      if (take(',')) {
        constexpr std::string_view expected = "1 to keep the axes, or 0";
        skip_space();
        const std::size_t flag = at_;
        const std::int64_t keeps = integer(expected);
        if (keeps != 0 && keeps != 1) fail_at(flag, text("expected ", expected, ", got ", keeps));
        options.keepdim = keeps == 1;
        if (has_correction && take(','))
          options.correction = number_value("the correction").to<double>();
      }
    }
    expect(')', says_more ? ", or )" : "an operator, , or )");
    return make(std::move(x), axes, options);
  }

  Expr norm_call() {
    Expr x = comparison();
    expect(',', "an operator or , and p of norm");
    const double p = number_value("p of norm").to<double>();
    return reduced_by(
        [p](Expr of, IntSpan axes, const ReduceOptions& options) {
          return norm(std::move(of), p, axes, options);
        },
        std::move(x));
  }
  Expr dot_call() {
    Expr a = comparison();
    expect(',', "an operator or , and argument 2 of 2 of dot");
    Expr b = comparison();
    expect(')', "an operator or ) behind argument 2 of dot");
    return dot(std::move(a), std::move(b));
  }
  Expr masked_call() {
    Expr x = comparison();
    expect(',', "an operator or , and the mask of masked");
    Expr mask = comparison();
    std::optional<Scalar> initial;
    if (take(',')) initial = number_value("the initial number of masked");
    expect(')', initial ? ")" : "an operator, , or )");
    return masked(std::move(x), std::move(mask), initial);
  }

  std::int64_t integer(std::string_view expected) {
    const bool negative = take('-');
    if (!is_digit(peek())) fail_here(expected);
    std::int64_t value = 0;
    const auto [stop, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail_here(expected);
    at_ = static_cast<std::size_t>(stop - text_.data());
    return negative ? -value : value;
  }

  /// Counts how deep the text is nested: each level takes part of the stack.
  class Nested {
    static constexpr int max_depth = 64;

   public:
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ <= max_depth) return;
      fail(ErrorCode::limit, text("column ", parser_.at_ + 1, ": nested deeper than ", max_depth));
    }
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  template <class... Parts>
  static std::string text(const Parts&... parts) {
    return weft::text(parts...);
  }

  std::string_view text_;
  std::vector<NamedExpr> names_;
  std::size_t at_ = 0;
  int depth_ = -1;  // the whole text is not nested
};

}  // namespace

Expr parse_expr(std::string_view text, std::span<const NamedExpr> operands) {
  return Parser(text, operands).parse();
}

}  // namespace v0
}  // namespace weft
