// SPDX-License-Identifier: Apache-2.0
// Operators that compute each element of their output from the elements at the same place.
#include "base/text.hpp"
#include "graph/chain/chain_kernel.hpp"
#include "graph/operators/families.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// An elementwise operator whose formula is a function of the builder alone.
using Build = Term (*)(ElementwiseBuilder& b);

/// How inputs are brought to one shape: attribute auto_broadcast.
enum class Broadcast : std::uint8_t { numpy, none, pdpd };

Broadcast broadcast_of(const Node& node) {
  std::string rule = node.attributes.text("auto_broadcast", "numpy");
  for (char& c : rule)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (rule == "numpy") return Broadcast::numpy;
  if (rule == "none" || rule == "explicit") return Broadcast::none;
  if (rule == "pdpd") return Broadcast::pdpd;
  fail(ErrorCode::parse,
       text("attribute 'auto_broadcast': expected numpy, none or pdpd, got '", rule, "'"));
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

/// Types are found by building the formula; shapes by broadcasting.
class Elementwise final : public Operator {
 public:
  Elementwise(OperatorName name, int ninputs, Build build)
      : Operator(std::move(name)), ninputs_(ninputs), build_(build) {}

  void infer(InferContext& context) const override {
    if (context.ninputs() != ninputs_) {
      fail(ErrorCode::invalid_argument,
           text("expected ", ninputs_, " inputs, got ", context.ninputs()));
    }
    SmallVector<ScalarType, 4> types;
    for (int i = 0; i < ninputs_; ++i)
      types.push_back(context.input(i).dtype);
    ElementwiseBuilder builder(context.node(), types);
    const Term result = build_(builder);
    context.set_output(0, builder.dtype(result), common_shape(context, builder.formula()));
  }
  bool elementwise(ElementwiseBuilder& builder) const override {
    builder.set_result(build_(builder));
    return true;
  }

 private:
  int ninputs_;
  Build build_;
};

/// x, or x times the slope where x is below 0. A slope of one axis lies along axis 1 of x if it has
/// as many elements as that, else along the last, as every other slope does.
class PRelu final : public Operator {
 public:
  PRelu() : Operator({.name = "PRelu"}) {}

  void infer(InferContext& context) const override {
    if (context.ninputs() != 2) {
      fail(ErrorCode::invalid_argument, text("expected 2 inputs, got ", context.ninputs()));
    }
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

template <auto op>
Term unary(ElementwiseBuilder& b) {
  return b.apply(op, b.input(0));
}
template <auto op>
Term binary(ElementwiseBuilder& b) {
  return b.apply(op, b.input(0), b.input(1, pdpd_axis(b.node())));
}
/// Integers are divided as by Python's //, or with m_pythondiv = false towards 0.
Term divide(ElementwiseBuilder& b) {
  if (!is_integer(b.input_type(0))) return binary<BinaryOp::div>(b);
  if (b.node().attributes.flag("m_pythondiv", true)) return binary<DivisionOp::floor_divide>(b);
  // Less its remainder, which has its sign, the dividend is a multiple: no quotient has to be
  // rounded.
  const Term rest = binary<DivisionOp::fmod>(b);
  const Term multiple = b.apply(BinaryOp::sub, b.input(0), rest);
  return b.apply(DivisionOp::floor_divide, multiple, b.input(1, pdpd_axis(b.node())));
}
/// -1, 0 or 1; NaN stays NaN.
Term sign(ElementwiseBuilder& b) {
  const Term x = b.input(0), s = b.apply(UnaryOp::sign, x);
  if (!is_floating(b.input_type(0))) return s;
  return b.apply(TernaryOp::where, b.apply(CompareOp::ne, x, x), x, s);
}
Term select(ElementwiseBuilder& b) {
  return b.apply(TernaryOp::where, b.input(0), b.input(1), b.input(2));
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

struct Entry {
  const char* name;
  int ninputs;
  Build build;
  std::vector<std::string> aliases = {};
};

}  // namespace

void add_elementwise_operators(OperatorRegistry& registry) {
  const Entry entries[] = {
      {"Abs", 1, unary<UnaryOp::abs>},
      {"Add", 2, binary<BinaryOp::add>},
      {"Ceiling", 1, unary<UnaryOp::ceil>, {"Ceil"}},
      {"Clamp", 1, clamp},
      {"Convert", 1, convert},
      {"ConvertLike", 2, convert_like},
      {"Divide", 2, divide},
      {"Equal", 2, binary<CompareOp::eq>},
      {"Exp", 1, unary<UnaryOp::exp>},
      {"Floor", 1, unary<UnaryOp::floor>},
      {"Greater", 2, binary<CompareOp::gt>},
      {"GreaterEqual", 2, binary<CompareOp::ge>},
      {"Less", 2, binary<CompareOp::lt>},
      {"HardSigmoid", 3, hard_sigmoid},
      {"LessEqual", 2, binary<CompareOp::le>},
      {"LogicalAnd", 2, binary<CompareOp::logical_and>},
      {"LogicalNot", 1, unary<UnaryOp::logical_not>},
      {"LogicalOr", 2, binary<CompareOp::logical_or>},
      {"LogicalXor", 2, binary<CompareOp::logical_xor>},
      {"Maximum", 2, binary<BinaryOp::maximum>},
      {"Minimum", 2, binary<BinaryOp::minimum>},
      {"Multiply", 2, binary<BinaryOp::mul>},
      {"Negative", 1, unary<UnaryOp::neg>},
      {"NotEqual", 2, binary<CompareOp::ne>},
      {"Power", 2, binary<BinaryOp::pow>},
      {"Relu", 1, unary<UnaryOp::relu>},
      {"Select", 3, select},
      {"Sigmoid", 1, unary<UnaryOp::sigmoid>},
      {"Sign", 1, sign},
      {"Sqrt", 1, unary<UnaryOp::sqrt>},
      {"Subtract", 2, binary<BinaryOp::sub>},
      {"Tanh", 1, unary<UnaryOp::tanh>},
  };
  for (const Entry& entry : entries) {
    registry.add(std::make_shared<Elementwise>(
        OperatorName{.name = entry.name, .aliases = entry.aliases}, entry.ninputs, entry.build));
  }
  registry.add(std::make_shared<PRelu>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
