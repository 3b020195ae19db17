// SPDX-License-Identifier: Apache-2.0
// Operators that compute each element of their output from the elements at the same place.
#include "base/text.hpp"
#include "graph/chain/chain_kernel.hpp"
#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// What an operator is: a function of all its inputs, or a formula that follows from the builder.
using Build = Term (*)(ElementwiseBuilder& b);
using Meaning = std::variant<UnaryOp, BinaryOp, CompareOp, DivisionOp, TernaryOp, Build>;

/// How inputs are brought to one shape: attribute auto_broadcast.
enum class Broadcast : std::uint8_t { numpy, none, pdpd };

Broadcast broadcast_of(const Node& node) {
  constexpr std::string_view names[] = {"numpy", "none", "explicit", "pdpd"};
  constexpr Broadcast rules[] = {Broadcast::numpy, Broadcast::none, Broadcast::none,
                                 Broadcast::pdpd};
  return rules[choice_of(node.attributes, "auto_broadcast", names, 0)];
}

/// The axis of the first input at which the second lies by the rule pdpd; -1 where that is the end.
int pdpd_axis(const Node& node) {
  if (broadcast_of(node) != Broadcast::pdpd) return -1;
  // As OpenVINO writes it, within auto_broadcast; and as it stands in the specification's examples.
  constexpr std::string_view written = "auto_broadcast.auto_broadcast_axis";
  return static_cast<int>(node.attributes.has(written) ? node.attributes.integer(written)
                                                       : node.attributes.integer("axis", -1));
}

/// Whether a formula reads the elements of input i; of others, only the type counts.
bool reads_input(const ElementwiseFormula& formula, int i) {
  return std::ranges::any_of(formula.terms, [&](const ElementwiseFormula::TermInfo& term) {
    return term.kind == ElementwiseFormula::TermKind::input && term.input == i;
  });
}

/// Shapes of the inputs that are read, brought together as the node says. Input 0 always is.
PartialShape common_shape(const InferContext& context, const ElementwiseFormula& formula) {
  PartialShape shape = context.input(0).shape;
  const Broadcast rule = broadcast_of(context.node());
  for (int i = 1; i < context.ninputs(); ++i) {
    if (!reads_input(formula, i)) continue;
    PartialShape next = context.input(i).shape;
    if (rule == Broadcast::none) {
      shape = shape.merged_with(next);
      continue;
    }
    const int axis = pdpd_axis(context.node());
    if (rule == Broadcast::pdpd && axis >= 0 && next.has_rank() && shape.has_rank()) {
      DimVector extents(next.extents().begin(), next.extents().end());
      while (axis + static_cast<int>(extents.size()) < shape.rank())
        extents.push_back(1);
      next = extents;
    }
    shape = broadcast_shapes(shape, next);
  }
  return shape;
}

struct Entry {
  const char* name;
  int ninputs;
  Meaning meaning;
  const char* alias = nullptr;
  int optional_inputs = 0;  ///< besides
};

template <class Op>
Term unary(ElementwiseBuilder& b, Op op) {
  return b.apply(op, b.input(0));
}
template <class Op>
Term binary(ElementwiseBuilder& b, Op op) {
  return b.apply(op, b.input(0), b.input(1, pdpd_axis(b.node())));
}
Term build(const Meaning& meaning, ElementwiseBuilder& b) {
  return std::visit(
      [&](auto op) {
        using Op = decltype(op);
        if constexpr (std::is_same_v<Op, Build>)
          return op(b);
        else if constexpr (std::is_same_v<Op, UnaryOp>)
          return unary(b, op);
        else if constexpr (std::is_same_v<Op, TernaryOp>)
          return b.apply(op, b.input(0), b.input(1), b.input(2));
        else
          return binary(b, op);
      },
      meaning);
}

/// Types are found by building the formula; shapes by broadcasting.
class Elementwise final : public Operator {
 public:
  explicit Elementwise(const Entry& entry)
      : Operator(name_of(entry)),
        least_inputs_(entry.ninputs),
        most_inputs_(entry.ninputs + entry.optional_inputs),
        meaning_(entry.meaning) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, least_inputs_, most_inputs_);
    SmallVector<ScalarType, 4> types;
    for (int i = 0; i < context.ninputs(); ++i)
      types.push_back(context.input(i).dtype);
    ElementwiseBuilder builder(context.node(), types);
    const Term result = build(meaning_, builder);
    context.set_output(0, builder.dtype(result), common_shape(context, builder.formula()));
  }
  bool elementwise(ElementwiseBuilder& builder) const override {
    builder.set_result(build(meaning_, builder));
    return true;
  }

 private:
  static OperatorName name_of(const Entry& entry) {
    OperatorName name{.name = entry.name};
    if (entry.alias != nullptr) name.aliases.emplace_back(entry.alias);
    return name;
  }

  int least_inputs_, most_inputs_;
  Meaning meaning_;
};

/// x, or x times the slope where x is below 0. A slope of one axis lies along axis 1 of x if it has
/// as many elements as that, else along the last, as every other slope does.
class PRelu final : public Operator {
 public:
  PRelu() : Operator({.name = "PRelu"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 2);
    const ValueType& x = context.input(0);
    const ScalarType types[] = {x.dtype, context.input(1).dtype};
    ElementwiseBuilder builder(context.node(), types);
    build(builder);
    const PartialShape& slope = context.input(1).shape;
    if (slope.is_static() && x.shape.is_static()) {
      DimVector extents(slope.extents().begin(), slope.extents().end());
      extents.resize(extents.size() + axes_behind(x.shape.extents(), extents), 1);
      if (!fits(x.shape.extents(), extents)) {
        fail(ErrorCode::shape,
             text("input 1 (slope): shape ", to_string(slope),
                  " does not broadcast to that of input 0, ", to_string(x.shape)));
      }
    }
    context.set_output(0, x);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    const TensorView& x = context.input(0);
    TensorView slope = context.input(1);
    for (std::size_t axis = axes_behind(x.shape(), slope.shape()); axis > 0; --axis)
      slope = slope.unsqueeze(-1);
    const ScalarType types[] = {x.dtype(), slope.dtype()};
    ElementwiseBuilder builder(context.node(), types);
    build(builder);
    Chain chain;
    chain.terms = {{Chain::Kind::input, types[0], 0}, {Chain::Kind::input, types[1], 1}};
    const int inputs[] = {0, 1};
    chain.outputs = {chain.append(builder.formula(), inputs)};
    chain.ninputs = 2;
    const TensorView operands[] = {x, slope};
    return prepare_chain(chain, {&context.output(0), 1}, operands);
  }
  bool accepts_input(const Node&, int, const TensorView&) const override { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const override { return true; }

 private:
  /// Axes of extent 1 that go behind those of the slope.
  static std::size_t axes_behind(IntSpan x, IntSpan slope) {
    return slope.size() == 1 && x.size() > 2 && x[1] == slope[0] ? x.size() - 2 : 0;
  }
  /// Whether a slope broadcasts to x, which keeps its shape.
  static bool fits(IntSpan x, IntSpan slope) {
    if (slope.size() > x.size()) return false;
    const std::size_t lead = x.size() - slope.size();
    for (std::size_t axis = 0; axis < slope.size(); ++axis) {
      if (slope[axis] != 1 && slope[axis] != x[lead + axis]) return false;
    }
    return true;
  }
  static void build(ElementwiseBuilder& b) {
    const Term x = b.input(0), slope = b.input(1);
    const Term below = b.apply(CompareOp::lt, x, b.number(0, b.input_type(0)));
    b.set_result(b.apply(TernaryOp::where, below, b.apply(BinaryOp::mul, x, slope), x));
  }
};

// ---- Formulas -----------------------------------------------------------------------------------

/// Integers are divided as by Python's //, or with m_pythondiv = false towards 0.
Term divide(ElementwiseBuilder& b) {
  if (!is_integer(b.input_type(0))) return binary(b, BinaryOp::div);
  if (b.node().attributes.flag("m_pythondiv", true)) return binary(b, DivisionOp::floor_divide);
  // Less its remainder, which has its sign, the dividend is a multiple: no quotient has to be
  // rounded.
  const Term rest = binary(b, DivisionOp::fmod);
  const Term multiple = b.apply(BinaryOp::sub, b.input(0), rest);
  return b.apply(DivisionOp::floor_divide, multiple, b.input(1, pdpd_axis(b.node())));
}
/// -1, 0 or 1; NaN stays NaN.
Term sign(ElementwiseBuilder& b) {
  const Term x = b.input(0), s = b.apply(UnaryOp::sign, x);
  if (!is_floating(b.input_type(0))) return s;
  return b.apply(TernaryOp::where, b.apply(CompareOp::ne, x, x), x, s);
}
Term convert(ElementwiseBuilder& b) {
  return b.convert(b.input(0), b.node().attributes.scalar_type("destination_type"));
}
Term convert_like(ElementwiseBuilder& b) { return b.convert(b.input(0), b.input_type(1)); }
/// Between integers that may be beyond the type's. Where none is between the bounds of the node,
/// least is most + 1, and what is below least becomes least, all else most: as in OpenVINO's
/// reference.
Term clamp_integers(ElementwiseBuilder& b, double least, double most) {
  const ScalarType type = b.input_type(0);
  const bool is_signed = !is_unsigned_integer(type);
  const int digits = 8 * static_cast<int>(element_size(type)) - (is_signed ? 1 : 0);
  const double end = std::ldexp(1.0, digits);  // one past the largest number of the type
  const double lowest = is_signed ? -end : 0.0;
  const double last = std::min(end - 1, std::nextafter(end, 0.0));  // the largest that f64 has
  const Term x = b.input(0);
  const Term low = b.number(std::clamp(least, lowest, last), type);
  const Term high = b.number(std::clamp(most, lowest, last), type);
  if (least > most) return b.apply(TernaryOp::where, b.apply(CompareOp::lt, x, low), low, high);
  const Term raised = least > lowest ? b.apply(BinaryOp::maximum, x, low) : x;
  return most < end - 1 ? b.apply(BinaryOp::minimum, raised, high) : raised;
}
Term clamp(ElementwiseBuilder& b) {
  const Attributes& attributes = b.node().attributes;
  const double least = attributes.number("min"), most = attributes.number("max");
  if (!(least <= most)) {
    fail(ErrorCode::invalid_argument,
         text("attributes min and max: expected min <= max, got ", least, " and ", most));
  }
  const ScalarType type = b.input_type(0);
  if (is_integer(type)) return clamp_integers(b, std::ceil(least), std::floor(most));
  return b.apply(TernaryOp::clamp, b.input(0), b.number(least, type), b.number(most, type));
}

/// alpha x + beta, kept within 0 and 1.
Term hard_sigmoid(ElementwiseBuilder& b) {
  const ScalarType type = b.input_type(0);
  const Term line = b.apply(TernaryOp::muladd, b.input(0), b.input(1), b.input(2));
  return b.apply(TernaryOp::clamp, line, b.number(0, type), b.number(1, type));
}

/// The square of what a is more than b.
Term squared_difference(ElementwiseBuilder& b) {
  return b.apply(UnaryOp::square, binary(b, BinaryOp::sub));
}
/// To the nearest integer; halves to an even one, or away from 0.
Term round(ElementwiseBuilder& b) {
  constexpr std::string_view modes[] = {"half_to_even", "half_away_from_zero"};
  if (choice_of(b.node().attributes, "mode", modes, 0) == 0) return unary(b, UnaryOp::round);
  const ScalarType type = b.input_type(0);
  const Term x = b.input(0), whole = b.apply(UnaryOp::trunc, x);
  if (!is_floating(type)) return whole;
  // What trunc() takes off is exact.
  const Term rest = b.apply(UnaryOp::abs, b.apply(BinaryOp::sub, x, whole));
  const Term away =
      b.apply(BinaryOp::add, whole, b.apply(BinaryOp::copysign, b.number(1, type), x));
  return b.apply(TernaryOp::where, b.apply(CompareOp::ge, rest, b.number(0.5, type)), away, whole);
}
/// Infinities of both signs, or of one, or of none.
Term is_inf(ElementwiseBuilder& b) {
  const Attributes& attributes = b.node().attributes;
  const bool below = attributes.flag("detect_negative", true);
  const bool above = attributes.flag("detect_positive", true);
  const Term x = b.input(0), infinite = b.apply(UnaryOp::isinf, x);
  if (below && above) return infinite;
  if (!below && !above) return b.apply(CompareOp::logical_xor, infinite, infinite);
  const Term zero = b.number(0, b.input_type(0));
  const Term asked = b.apply(below ? CompareOp::lt : CompareOp::gt, x, zero);
  return b.apply(CompareOp::logical_and, infinite, asked);
}
/// alpha, an attribute, times e^x - 1 below 0.
Term elu(ElementwiseBuilder& b) {
  const Term alpha = b.number(b.node().attributes.number("alpha"), b.input_type(0));
  return b.apply(BinaryOp::elu, b.input(0), alpha);
}
/// lambda times elu(x, alpha): inputs 2 and 1.
Term selu(ElementwiseBuilder& b) {
  return b.apply(BinaryOp::mul, b.input(2), b.apply(BinaryOp::elu, b.input(0), b.input(1)));
}
Term gelu(ElementwiseBuilder& b) {
  constexpr std::string_view modes[] = {"erf", "tanh"};
  const std::size_t mode = choice_of(b.node().attributes, "approximation_mode", modes, 0);
  return mode == 0 ? unary(b, UnaryOp::gelu) : unary(b, UnaryOp::gelu_tanh);
}
/// x sigmoid(beta x), beta being 1 if it is left out.
Term swish(ElementwiseBuilder& b) {
  if (b.ninputs() == 1) return unary(b, UnaryOp::silu);
  const Term x = b.input(0);
  return b.apply(BinaryOp::mul, x,
                 b.apply(UnaryOp::sigmoid, b.apply(BinaryOp::mul, x, b.input(1))));
}

}  // namespace

void add_elementwise_operators(OperatorRegistry& registry) {
  static constexpr Entry entries[] = {
      {"Abs", 1, UnaryOp::abs},
      {"Acos", 1, UnaryOp::acos},
      {"Acosh", 1, UnaryOp::acosh},
      {"Add", 2, BinaryOp::add},
      {"Asin", 1, UnaryOp::asin},
      {"Asinh", 1, UnaryOp::asinh},
      {"Atan", 1, UnaryOp::atan},
      {"Atanh", 1, UnaryOp::atanh},
      {"BitwiseAnd", 2, BinaryOp::bitwise_and},
      {"BitwiseLeftShift", 2, BinaryOp::lshift},
      {"BitwiseNot", 1, UnaryOp::bitwise_not},
      {"BitwiseOr", 2, BinaryOp::bitwise_or},
      {"BitwiseRightShift", 2, BinaryOp::rshift},
      {"BitwiseXor", 2, BinaryOp::bitwise_xor},
      {"Ceiling", 1, UnaryOp::ceil, "Ceil"},
      {"Clamp", 1, clamp},
      {"Convert", 1, convert},
      {"ConvertLike", 2, convert_like},
      {"Cos", 1, UnaryOp::cos},
      {"Cosh", 1, UnaryOp::cosh},
      {"Divide", 2, divide},
      {"Elu", 1, elu},
      {"Equal", 2, CompareOp::eq},
      {"Erf", 1, UnaryOp::erf},
      {"Exp", 1, UnaryOp::exp},
      {"Floor", 1, UnaryOp::floor},
      {"FloorMod", 2, DivisionOp::remainder},
      {"Gelu", 1, gelu},
      {"Greater", 2, CompareOp::gt},
      {"GreaterEqual", 2, CompareOp::ge},
      {"HSigmoid", 1, UnaryOp::hardsigmoid},
      {"HSwish", 1, UnaryOp::hardswish},
      {"HardSigmoid", 3, hard_sigmoid},
      {"IsFinite", 1, UnaryOp::isfinite},
      {"IsInf", 1, is_inf},
      {"IsNaN", 1, UnaryOp::isnan},
      {"Less", 2, CompareOp::lt},
      {"LessEqual", 2, CompareOp::le},
      {"Log", 1, UnaryOp::log},
      {"LogicalAnd", 2, CompareOp::logical_and},
      {"LogicalNot", 1, UnaryOp::logical_not},
      {"LogicalOr", 2, CompareOp::logical_or},
      {"LogicalXor", 2, CompareOp::logical_xor},
      {"Maximum", 2, BinaryOp::maximum},
      {"Minimum", 2, BinaryOp::minimum},
      {"Mish", 1, UnaryOp::mish},
      {"Mod", 2, DivisionOp::fmod},
      {"Multiply", 2, BinaryOp::mul},
      {"Negative", 1, UnaryOp::neg},
      {"NotEqual", 2, CompareOp::ne},
      {"Power", 2, BinaryOp::pow},
      {"Relu", 1, UnaryOp::relu},
      {"Round", 1, round},
      {"Select", 3, TernaryOp::where},
      {"Selu", 3, selu},
      {"Sigmoid", 1, UnaryOp::sigmoid},
      {"Sign", 1, sign},
      {"Sin", 1, UnaryOp::sin},
      {"Sinh", 1, UnaryOp::sinh},
      {"SoftPlus", 1, UnaryOp::softplus},
      {"SoftSign", 1, UnaryOp::softsign},
      {"Sqrt", 1, UnaryOp::sqrt},
      {"SquaredDifference", 2, squared_difference},
      {"Subtract", 2, BinaryOp::sub},
      {"Swish", 1, swish, nullptr, 1},
      {"Tan", 1, UnaryOp::tan},
      {"Tanh", 1, UnaryOp::tanh},
  };
  for (const Entry& entry : entries)
    registry.add(std::make_shared<Elementwise>(entry));
  registry.add(std::make_shared<PRelu>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
