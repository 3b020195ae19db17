// SPDX-License-Identifier: Apache-2.0
// Each elementwise operator against what its specification says, element by element.
#include <weft/graph/executable.hpp>

#include "support/errors.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Attributes;
using weft::graph::Executable;
using weft::graph::Graph;
using weft::graph::Value;

namespace {

Tensor run(const std::string& op, const std::vector<Tensor>& inputs,
           const Attributes& attributes = {}) {
  Graph graph;
  std::vector<Value> values;
  for (const Tensor& input : inputs)
    values.push_back(graph.add_parameter({input.dtype(), input.shape()}));
  graph.add_result(graph.add(op, values, attributes));
  return Executable(graph).run(std::vector<TensorView>(inputs.begin(), inputs.end()))[0];
}

const std::vector<double>& samples() {
  static const std::vector<double> list = {-20, -3.5,  -2,  -1, -0.5, -0.001, -0.0,
                                           0,   0.001, 0.5, 1,  1.5,  2,      20};
  return list;
}

Tensor column(const std::vector<double>& values, ScalarType type) {
  Tensor out = Tensor::empty({static_cast<std::int64_t>(values.size())}, type);
  weft::cast_elements(out.data(), type, weft::element_size(type), values.data(), ScalarType::f64, 8,
                      out.numel());
  return out;
}

double at(const Tensor& tensor, std::int64_t i) {
  double value = 0;
  weft::cast_elements(
      &value, ScalarType::f64, 0,
      static_cast<const char*>(tensor.data()) + i * weft::element_size(tensor.dtype()),
      tensor.dtype(), 0, 1);
  return value;
}

using Formula = std::function<double(double)>;
using Formula2 = std::function<double(double, double)>;

}  // namespace

TEST_CASE("operators of one input", "[graph]") {
  struct Entry {
    const char* op;
    Formula formula;
    Attributes attributes = {};
  };
  const auto kept = [](double x) { return std::min(std::max(x + 3, 0.0), 6.0) / 6; };
  const auto softplus = [](double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
  };
  const auto inner = [](double x) {
    return std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
  };
  const std::vector<Entry> entries = {
      {"Abs", [](double x) { return std::fabs(x); }},
      {"Acos", [](double x) { return std::acos(x); }},
      {"Acosh", [](double x) { return std::acosh(x); }},
      {"Asin", [](double x) { return std::asin(x); }},
      {"Asinh", [](double x) { return std::asinh(x); }},
      {"Atan", [](double x) { return std::atan(x); }},
      {"Atanh", [](double x) { return std::atanh(x); }},
      {"Ceiling", [](double x) { return std::ceil(x); }},
      {"Clamp",
       [](double x) { return std::min(std::max(x, -1.5), 0.75); },
       {{"min", -1.5}, {"max", 0.75}}},
      {"Cos", [](double x) { return std::cos(x); }},
      {"Cosh", [](double x) { return std::cosh(x); }},
      {"Elu", [](double x) { return x > 0 ? x : 0.75 * std::expm1(x); }, {{"alpha", 0.75}}},
      {"Erf", [](double x) { return std::erf(x); }},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Gelu", [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }},
      {"Gelu",
       [inner](double x) { return x / 2 * (1 + std::tanh(inner(x))); },
       {{"approximation_mode", "TANH"}}},
      {"HSigmoid", kept},
      {"HSwish", [kept](double x) { return x * kept(x); }},
      {"Log", [](double x) { return std::log(x); }},
      {"Mish", [softplus](double x) { return x * std::tanh(softplus(x)); }},
      {"Round", [](double x) { return std::nearbyint(x); }},
      {"Round", [](double x) { return std::round(x); }, {{"mode", "half_away_from_zero"}}},
      {"Sin", [](double x) { return std::sin(x); }},
      {"Sinh", [](double x) { return std::sinh(x); }},
      {"SoftPlus", softplus},
      {"SoftSign", [](double x) { return x / (1 + std::fabs(x)); }},
      {"Swish", [](double x) { return x / (1 + std::exp(-x)); }},
      {"Tan", [](double x) { return std::tan(x); }},
      {"Floor", [](double x) { return std::floor(x); }},
      {"Negative", [](double x) { return -x; }},
      {"ReLU", [](double x) { return std::max(x, 0.0); }},
      {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"Sign", [](double x) { return static_cast<double>((x > 0) - (x < 0)); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"Tanh", [](double x) { return std::tanh(x); }},
  };
  struct Precision {
    ScalarType type;
    double error;
  };
  for (const Entry& entry : entries) {
    for (const Precision& precision :
         {Precision{ScalarType::f32, 3e-7}, Precision{ScalarType::f64, 1e-15},
          Precision{ScalarType::f16, 1e-3}, Precision{ScalarType::bf16, 8e-3}}) {
      const Tensor x = column(samples(), precision.type);
      const Tensor y = run(entry.op, {x}, entry.attributes);
      REQUIRE(y.dtype() == precision.type);
      for (std::int64_t i = 0; i < x.numel(); ++i) {
        const double expected = entry.formula(at(x, i)), got = at(y, i);
        INFO(entry.op << '(' << at(x, i) << ") in " << weft::name(precision.type));
        if (std::isnan(expected)) {
          CHECK(std::isnan(got));
        } else if (std::isinf(expected) ||
                   (precision.type == ScalarType::f16 && std::fabs(expected) > 65504)) {
          CHECK((std::isinf(got) && std::signbit(got) == std::signbit(expected)));
        } else {
          CHECK(std::fabs(got - expected) <= precision.error * std::max(1.0, std::fabs(expected)));
        }
      }
    }
  }
}

TEST_CASE("the sign of NaN is NaN", "[graph]") {
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::f16}) {
    const Tensor y = run("Sign", {column({std::nan(""), -0.0, -3, 2}, type)});
    CHECK(std::isnan(at(y, 0)));
    CHECK((at(y, 1) == 0 && at(y, 2) == -1 && at(y, 3) == 1));
  }
}

TEST_CASE("operators of two inputs", "[graph]") {
  struct Entry {
    const char* op;
    Formula2 formula;
  };
  const std::vector<Entry> entries = {
      {"Add", [](double a, double b) { return a + b; }},
      {"Divide", [](double a, double b) { return a / b; }},
      {"Equal", [](double a, double b) { return a == b; }},
      {"Greater", [](double a, double b) { return a > b; }},
      {"GreaterEqual", [](double a, double b) { return a >= b; }},
      {"Less", [](double a, double b) { return a < b; }},
      {"LessEqual", [](double a, double b) { return a <= b; }},
      {"Maximum", [](double a, double b) { return std::max(a, b); }},
      {"Minimum", [](double a, double b) { return std::min(a, b); }},
      {"Multiply", [](double a, double b) { return a * b; }},
      {"NotEqual", [](double a, double b) { return a != b; }},
      {"Subtract", [](double a, double b) { return a - b; }},
  };
  for (const Entry& entry : entries) {
    for (const double b : samples()) {
      if (b == 0 && std::string(entry.op) == "Divide") continue;
      const Tensor x = column(samples(), ScalarType::f64);
      const Tensor y = run(entry.op, {x, column({b}, ScalarType::f64)});
      for (std::int64_t i = 0; i < x.numel(); ++i) {
        INFO(entry.op << '(' << at(x, i) << ", " << b << ')');
        CHECK(at(y, i) == entry.formula(at(x, i), b));
      }
    }
  }
}

TEST_CASE("Round: halves, their neighbours, and large numbers", "[graph]") {
  const std::vector<double> list = {0.5,
                                    -0.5,
                                    1.5,
                                    2.5,
                                    -2.5,
                                    std::nextafter(0.5, 0),
                                    0.25,
                                    -0.0,
                                    1e15 + 0.5,
                                    4503599627370497.0,
                                    -4503599627370497.0,
                                    1e300,
                                    std::numeric_limits<double>::infinity()};
  const Tensor x = column(list, ScalarType::f64);
  const Tensor even = run("Round", {x}, {{"mode", "half_to_even"}});
  const Tensor away = run("Round", {x}, {{"mode", "half_away_from_zero"}});
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const double from = list[static_cast<std::size_t>(i)];
    INFO(from);
    CHECK(at(even, i) == std::nearbyint(from));
    CHECK(at(away, i) == std::round(from));
    CHECK(std::signbit(at(away, i)) == std::signbit(from));
  }
  CHECK(std::isnan(
      at(run("Round", {column({std::nan("")}, ScalarType::f32)}, {{"mode", "half_away_from_zero"}}),
         0)));
  CHECK(at(run("Round", {column({-7}, ScalarType::i16)}, {{"mode", "half_away_from_zero"}}), 0) ==
        -7);
  CHECK_ERROR(invalid_argument, ("mode", "half_to_even or half_away_from_zero", "got 'up'"),
              run("Round", {x}, {{"mode", "up"}}));
}

TEST_CASE("operators that ask for what is no number", "[graph]") {
  const double inf = std::numeric_limits<double>::infinity();
  const auto truths = [&](const char* op, ScalarType type, const Attributes& attributes = {}) {
    std::string out;
    const Tensor y = run(op, {column({1, inf, -inf, std::nan("")}, type)}, attributes);
    REQUIRE(y.dtype() == ScalarType::boolean);
    for (std::int64_t i = 0; i < y.numel(); ++i)
      out += y.at<bool>({i}) ? '1' : '0';
    return out;
  };
  for (const ScalarType type :
       {ScalarType::f32, ScalarType::f64, ScalarType::f16, ScalarType::bf16}) {
    CHECK(truths("IsNaN", type) == "0001");
    CHECK(truths("IsFinite", type) == "1000");
    CHECK(truths("IsInf", type) == "0110");
    CHECK(truths("IsInf", type, {{"detect_negative", "false"}}) == "0100");
    CHECK(truths("IsInf", type, {{"detect_positive", "false"}}) == "0010");
    CHECK(truths("IsInf", type, {{"detect_positive", "false"}, {"detect_negative", "false"}}) ==
          "0000");
  }
}

TEST_CASE("bits, remainders and squared differences", "[graph]") {
  const auto values = [](const Tensor& t) {
    std::vector<double> list;
    for (std::int64_t i = 0; i < t.numel(); ++i)
      list.push_back(at(t, i));
    return list;
  };
  using List = std::vector<double>;
  const Tensor a = column({12, -7, 7, -8}, ScalarType::i32);
  const Tensor b = column({10, 3, -3, 4}, ScalarType::i32);
  CHECK(values(run("BitwiseAnd", {a, b})) == List{8, 1, 5, 0});
  CHECK(values(run("BitwiseOr", {a, b})) == List{14, -5, -1, -4});
  CHECK(values(run("BitwiseXor", {a, b})) == List{6, -6, -6, -4});
  CHECK(values(run("BitwiseNot", {a})) == List{-13, 6, -8, 7});
  const Tensor two = column({2}, ScalarType::i32);
  CHECK(values(run("BitwiseLeftShift", {a, two})) == List{48, -28, 28, -32});
  CHECK(values(run("BitwiseRightShift", {a, two})) == List{3, -2, 1, -2});
  CHECK(values(run("Mod", {a, b})) == List{2, -1, 1, 0});
  CHECK(values(run("FloorMod", {a, b})) == List{2, 2, -2, 0});
  CHECK(values(run("SquaredDifference", {a, b})) == List{4, 100, 100, 144});
  CHECK_ERROR(division, ("Mod", "divided by 0"),
              run("Mod", {a, Tensor::zeros({4}, ScalarType::i32)}));
  const Tensor x = column({7.5, -7.5}, ScalarType::f32), y = column({2}, ScalarType::f32);
  CHECK(values(run("Mod", {x, y})) == List{1.5, -1.5});
  CHECK(values(run("FloorMod", {x, y})) == List{1.5, 0.5});
  const Tensor truth = Tensor::of<bool>({2}, {true, false});
  CHECK(run("BitwiseNot", {truth}).at<bool>({1}));
  CHECK_ERROR(dtype, ("BitwiseAnd"), run("BitwiseAnd", {x, y}));
}

TEST_CASE("activations whose settings are inputs", "[graph]") {
  const Tensor x = column(samples(), ScalarType::f64);
  const Tensor alpha = column({1.5}, ScalarType::f64), lambda = column({1.25}, ScalarType::f64);
  const Tensor selu = run("Selu", {x, alpha, lambda});
  const Tensor swish = run("Swish", {x, Tensor::of<double>({}, {0.5})});
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const double from = at(x, i);
    INFO(from);
    const double bent = 1.25 * (from > 0 ? from : 1.5 * std::expm1(from));
    CHECK(std::fabs(at(selu, i) - bent) <= 1e-15 * std::max(1.0, std::fabs(bent)));
    const double passed = from / (1 + std::exp(-from / 2));
    CHECK(std::fabs(at(swish, i) - passed) <= 1e-15 * std::max(1.0, std::fabs(passed)));
  }
  CHECK_ERROR(invalid_argument, ("Swish", "expected 1 to 2 inputs, got 3"),
              run("Swish", {x, x, x}));
  CHECK_ERROR(invalid_argument, ("Elu", "alpha"), run("Elu", {x}));
}

TEST_CASE("logic, selection and conversion", "[graph]") {
  const Tensor a = Tensor::of<bool>({4}, {false, false, true, true});
  const Tensor b = Tensor::of<bool>({4}, {false, true, false, true});
  const auto bits = [](const Tensor& t) {
    std::string out;
    for (std::int64_t i = 0; i < t.numel(); ++i)
      out += t.at<bool>({i}) ? '1' : '0';
    return out;
  };
  CHECK(bits(run("LogicalAnd", {a, b})) == "0001");
  CHECK(bits(run("LogicalOr", {a, b})) == "0111");
  CHECK(bits(run("LogicalXor", {a, b})) == "0110");
  CHECK(bits(run("LogicalNot", {a})) == "1100");
  const Tensor x = Tensor::of<float>({4}, {1, 2, 3, 4}), y = Tensor::of<float>({1}, {-1});
  const Tensor chosen = run("Select", {a, x, y});
  CHECK(at(chosen, 0) == -1);
  CHECK(at(chosen, 3) == 4);
  CHECK_ERROR(dtype, ("condition", "expected bool", "got i32"),
              run("Select", {Tensor::zeros({4}, ScalarType::i32), x, y}));
  const Tensor whole =
      run("Convert", {Tensor::of<float>({3}, {1.75F, -1.75F, 300})}, {{"destination_type", "u8"}});
  CHECK(whole.dtype() == ScalarType::u8);
  CHECK(at(whole, 0) == 1);
  const Tensor truth = run("Convert", {x}, {{"destination_type", "boolean"}});
  CHECK(bits(truth) == "1111");
  CHECK(run("ConvertLike", {x, a}).dtype() == ScalarType::boolean);
  // Of the second input only the type counts.
  const Tensor like = run("ConvertLike", {x, Tensor::zeros({2, 3}, ScalarType::i64)});
  CHECK(like.dtype() == ScalarType::i64);
  CHECK(like.numel() == x.numel());
  const Tensor same = run("Convert", {x}, {{"destination_type", "f32"}});
  CHECK(at(same, 2) == 3);
  const Tensor hard =
      run("HardSigmoid", {Tensor::of<float>({3}, {-9, 1, 9}), Tensor::of<float>({}, {0.25F}),
                          Tensor::of<float>({}, {0.5F})});
  CHECK(at(hard, 0) == 0);
  CHECK(at(hard, 1) == 0.75);
  CHECK(at(hard, 2) == 1);
}

TEST_CASE("PRelu: slopes lie along axis 1", "[graph]") {
  const Tensor x = Tensor::of<float>({2, 2, 2}, {-1, 2, -3, 4, -5, 6, -7, -8});
  const auto values = [](const Tensor& t) {
    return std::vector<float>(t.data_as<float>(), t.data_as<float>() + t.numel());
  };
  CHECK(values(run("PRelu", {x, Tensor::of<float>({2}, {0.5F, 2})})) ==
        std::vector<float>{-0.5F, 2, -6, 4, -2.5F, 6, -14, -16});
  CHECK(values(run("PReLU", {x, Tensor::of<float>({1}, {0.5F})})) ==
        std::vector<float>{-0.5F, 2, -1.5F, 4, -2.5F, 6, -3.5F, -4});
  CHECK(values(run("PRelu", {x, Tensor::of<float>({2, 1, 1}, {1, 2})})) ==
        std::vector<float>{-1, 2, -3, 4, -10, 6, -14, -16});
  const Tensor row = Tensor::of<float>({2}, {-1, -2});
  CHECK(values(run("PRelu", {row, row})) == std::vector<float>{1, 4});
  CHECK_ERROR(shape, ("PRelu"), run("PRelu", {x, Tensor::zeros({3}, ScalarType::f32)}));
  CHECK_ERROR(shape, ("PRelu"), run("PRelu", {row, x}));
  CHECK_ERROR(dtype, ("PRelu"), run("PRelu", {x, Tensor::zeros({2}, ScalarType::f64)}));
}

TEST_CASE("PRelu: a slope of one axis that does not fit axis 1 lies along the last", "[graph]") {
  Tensor x = Tensor::full({2, 3, 4, 5}, ScalarType::f32, -1);
  const Tensor slope = Tensor::of<float>({5}, {1, 2, 3, 4, 5});
  const Tensor y = run("PRelu", {x, slope});
  for (std::int64_t i = 0; i < 5; ++i)
    CHECK(y.at<float>({1, 2, 3, i}) == -static_cast<float>(i + 1));
  x = Tensor::of<float>({2, 1, 2}, {-1, -2, -3, 4});
  const Tensor z = run("PRelu", {x, Tensor::of<float>({2}, {10, 100})});
  CHECK(z.at<float>({0, 0, 0}) == -10);
  CHECK(z.at<float>({0, 0, 1}) == -200);
  CHECK(z.at<float>({1, 0, 0}) == -30);
  CHECK(z.at<float>({1, 0, 1}) == 4);
  CHECK_ERROR(shape, ("input 1 (slope)", "[3]", "input 0", "[2, 1, 2]"),
              run("PRelu", {x, Tensor::zeros({3}, ScalarType::f32)}));
}

TEST_CASE("Clamp: bounds of integers are rounded inwards", "[graph]") {
  const auto clamped = [](ScalarType type, const std::vector<double>& x, double least,
                          double most) {
    const Tensor out = run("Clamp", {column(x, type)}, {{"min", least}, {"max", most}});
    std::vector<double> list;
    for (std::int64_t i = 0; i < out.numel(); ++i)
      list.push_back(at(out, i));
    return list;
  };
  using List = std::vector<double>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const ScalarType type :
       {ScalarType::i8, ScalarType::i16, ScalarType::i32, ScalarType::i64}) {
    CAPTURE(weft::name(type));
    CHECK(clamped(type, {-1, 3, 20}, 0.4, 5.6) == List{1, 3, 5});
    CHECK(clamped(type, {0, 1, 2, -7}, -5.6, -0.4) == List{-1, -1, -1, -5});
    CHECK(clamped(type, {-3, 0, 1, 9}, 0.4, 0.6) == List{1, 1, 0, 0});
    CHECK(clamped(type, {-3, 100}, -infinity, infinity) == List{-3, 100});
    CHECK(clamped(type, {-3, 100}, -1e30, 50) == List{-3, 50});
    CHECK(clamped(type, {-3, 100}, 50, 1e30) == List{50, 100});
  }
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::u16, ScalarType::u32, ScalarType::u64}) {
    CAPTURE(weft::name(type));
    CHECK(clamped(type, {0, 3, 20}, -2.5, 5.6) == List{0, 3, 5});
    CHECK(clamped(type, {0, 3, 20}, 2.5, 1e30) == List{3, 3, 20});
  }
  const Tensor large = Tensor::of<std::int64_t>({2}, {INT64_MAX, INT64_MIN});
  const Tensor kept = run("Clamp", {large}, {{"min", -0x1p63}, {"max", 0x1p63}});
  CHECK(kept.at<std::int64_t>({0}) == INT64_MAX);
  CHECK(kept.at<std::int64_t>({1}) == INT64_MIN);
}

TEST_CASE("Divide: m_pythondiv = false divides integers towards 0", "[graph]") {
  for (const ScalarType type :
       {ScalarType::i8, ScalarType::i16, ScalarType::i32, ScalarType::i64}) {
    CAPTURE(weft::name(type));
    const Tensor a = column({-10, 10, 10, -10, 9, 0}, type);
    const Tensor b = column({3, -3, 3, -3, -3, 7}, type);
    const Tensor out = run("Divide", {a, b}, {{"m_pythondiv", false}});
    const std::vector<double> wanted = {-3, -3, 3, 3, -3, 0};
    for (std::size_t i = 0; i < wanted.size(); ++i)
      CHECK(at(out, static_cast<std::int64_t>(i)) == wanted[i]);
    CHECK(at(run("Divide", {a, b}, {{"m_pythondiv", true}}), 0) == -4);
  }
  const Tensor least = Tensor::of<std::int64_t>({1}, {INT64_MIN});
  const Tensor one = Tensor::of<std::int64_t>({1}, {-1});
  CHECK(run("Divide", {least, one}, {{"m_pythondiv", false}}).at<std::int64_t>({0}) == INT64_MIN);
  CHECK_ERROR(division, ("divided by 0"),
              run("Divide", {one, Tensor::zeros({1}, ScalarType::i64)}, {{"m_pythondiv", false}}));
}

TEST_CASE("division of integers", "[graph]") {
  const Tensor a = Tensor::of<std::int64_t>({4}, {7, -7, 7, -7});
  const Tensor b = Tensor::of<std::int64_t>({4}, {2, 2, -2, -2});
  const Tensor quotient = run("Divide", {a, b});
  CHECK(at(quotient, 0) == 3);
  CHECK(at(quotient, 1) == -4);
  CHECK(at(quotient, 2) == -4);
  CHECK(at(quotient, 3) == 3);
  CHECK(at(run("Multiply", {a, b}), 1) == -14);
  CHECK_ERROR(dtype, ("Sigmoid", "i64"), run("Sigmoid", {a}));
  CHECK_ERROR(dtype, ("Sqrt", "bool"),
              run("Sqrt", {run("LogicalNot", {Tensor::of<bool>({1}, {true})})}));
  CHECK_ERROR(invalid_argument, ("Clamp", "min"), run("Clamp", {a}, {{"min", 2.0}, {"max", 1.0}}));
  CHECK_ERROR(invalid_argument, ("Clamp", "got 2.5 and -1e+30"),
              run("Clamp", {a}, {{"min", 2.5}, {"max", -1e30}}));
  CHECK_ERROR(invalid_argument, ("Clamp", "'max'", "missing"), run("Clamp", {a}, {{"min", 2.0}}));
}
