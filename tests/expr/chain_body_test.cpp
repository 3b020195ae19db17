// SPDX-License-Identifier: Apache-2.0
// A chain's steps, some of them together, give what their kernels give one by one over whole
// arrays: random chains, rows of any length, single values, in place, up to the last byte.
#include "expr/chain_body.hpp"

#include "expr/fused_steps.hpp"
#include "support/element.hpp"
#include "support/guarded.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

namespace {

using test::Random;
using weft::BinaryOp;
using weft::CompareOp;
using weft::FormulaTerm;
using weft::ScalarType;
using weft::TernaryOp;
using weft::UnaryOp;

using Bytes = std::vector<char>;

/// A formula grown step by step.
class Growing {
 public:
  Growing(Random& random, const std::vector<ScalarType>& types) : random_(random), builder_(types) {
    for (int i = 0; i < builder_.ninputs(); ++i)
      terms_.push_back(builder_.input(i));
  }

  const weft::Formula& grow(std::int64_t steps) {
    for (std::int64_t i = 0; i < steps; ++i)
      terms_.push_back(step());
    builder_.set_result(terms_.back());
    return builder_.formula();
  }

 private:
  static constexpr UnaryOp unary[] = {
      UnaryOp::neg,  UnaryOp::abs, UnaryOp::square,  UnaryOp::sqrt, UnaryOp::reciprocal,
      UnaryOp::relu, UnaryOp::exp, UnaryOp::sigmoid, UnaryOp::tanh, UnaryOp::floor};
  static constexpr BinaryOp binary[] = {BinaryOp::add,       BinaryOp::sub,       BinaryOp::mul,
                                        BinaryOp::div,       BinaryOp::maximum,   BinaryOp::minimum,
                                        BinaryOp::clamp_min, BinaryOp::clamp_max, BinaryOp::fmax};
  static constexpr CompareOp compare[] = {CompareOp::eq, CompareOp::ne, CompareOp::lt,
                                          CompareOp::le, CompareOp::gt, CompareOp::ge};
  static constexpr BinaryOp bitwise[] = {BinaryOp::bitwise_and, BinaryOp::bitwise_or,
                                         BinaryOp::bitwise_xor};
  static constexpr CompareOp logical[] = {CompareOp::logical_and, CompareOp::logical_or,
                                          CompareOp::logical_xor};

  template <class Op, std::size_t n>
  Op any_of(const Op (&ops)[n]) {
    return ops[random_.integer(0, n - 1)];
  }
  FormulaTerm any() {
    // The last ones more often, so that chains are long.
    const auto last = static_cast<std::int64_t>(terms_.size()) - 1;
    return terms_[static_cast<std::size_t>(
        random_.integer(random_.chance(50) ? std::max<std::int64_t>(last - 1, 0) : 0, last))];
  }
  FormulaTerm any(ScalarType type) {
    if (random_.chance(20))
      return builder_.number(static_cast<double>(random_.integer(-4, 4)) / 2, type);
    return builder_.convert(any(), type);
  }

  /// A bool, one that is there if there is one.
  FormulaTerm any_truth() {
    for (int i = 0; i < 8; ++i) {
      const FormulaTerm a = any();
      if (builder_.dtype(a) == ScalarType::boolean) return a;
    }
    return any(ScalarType::boolean);
  }
  FormulaTerm combined(FormulaTerm truth) {
    switch (random_.integer(0, 4)) {
      case 0: return builder_.apply(UnaryOp::bitwise_not, truth);
      case 1: return builder_.apply(UnaryOp::logical_not, truth);
      case 2: return builder_.apply(any_of(logical), truth, any_truth());
      default: return builder_.apply(any_of(bitwise), any_truth(), truth);
    }
  }

  FormulaTerm step() {
    const FormulaTerm a = any();
    const ScalarType type = builder_.dtype(a);
    if (type == ScalarType::boolean && random_.chance(50)) return combined(a);
    if (type == ScalarType::boolean || random_.chance(5)) {
      const ScalarType other = random_.chance(80) ? ScalarType::f32 : ScalarType::f64;
      return builder_.apply(TernaryOp::where, builder_.convert(a, ScalarType::boolean), any(other),
                            any(other));
    }
    switch (random_.integer(0, 6)) {
      case 0: return builder_.apply(any_of(unary), a);
      case 1:
      case 6: return builder_.apply(any_of(compare), a, any(type));
      case 2: return builder_.apply(TernaryOp::muladd, a, any(type), any(type));
      case 3: return builder_.apply(TernaryOp::clamp, a, any(type), any(type));
      default:
        return random_.chance(50) ? builder_.apply(any_of(binary), a, any(type))
                                  : builder_.apply(any_of(binary), any(type), a);
    }
  }

  Random& random_;
  weft::FormulaBuilder builder_;
  std::vector<FormulaTerm> terms_;
};

weft::Chain random_chain(Random& random, bool one_output) {
  std::vector<ScalarType> types;
  for (std::int64_t i = random.integer(1, 5); i > 0; --i)
    types.push_back(random.chance(75)   ? ScalarType::f32
                    : random.chance(50) ? ScalarType::f64
                                        : ScalarType::boolean);
  Growing growing(random, types);
  const weft::Formula& formula = growing.grow(random.integer(1, 40));
  weft::Chain chain;
  for (std::size_t i = 0; i < types.size(); ++i)
    chain.terms.push_back({weft::Chain::Kind::input, types[i], static_cast<int>(i)});
  chain.ninputs = static_cast<int>(types.size());
  std::vector<int> inputs;
  for (const weft::Formula::TermInfo& term : formula.terms)
    if (term.kind == weft::Formula::TermKind::input) inputs.push_back(term.input);
  chain.outputs = {chain.append(formula, inputs)};
  // Others are written on the way.
  for (const weft::FormulaStep& step : chain.steps) {
    if (one_output || chain.outputs.size() == 3 || !random.chance(10)) continue;
    if (step.terms[0] != chain.outputs[0]) chain.outputs.push_back(step.terms[0]);
  }
  return chain;
}

/// The terms of a chain, each an array of n elements, by the steps' own kernels.
std::vector<Bytes> by_steps(const weft::Chain& chain, const std::vector<Bytes>& inputs,
                            std::int64_t n) {
  std::vector<Bytes> terms;
  for (const weft::Chain::Term& term : chain.terms) {
    const std::int64_t size = weft::element_size(term.dtype);
    Bytes bytes(static_cast<std::size_t>(n * size));
    if (term.kind == weft::Chain::Kind::input) bytes = inputs[static_cast<std::size_t>(term.input)];
    if (term.kind == weft::Chain::Kind::number)
      weft::cast_elements(bytes.data(), term.dtype, size, &term.number, ScalarType::f64, 0, n);
    terms.push_back(std::move(bytes));
  }
  const auto type = [&](int term) { return chain.terms[static_cast<std::size_t>(term)].dtype; };
  const auto data = [&](int term) { return terms[static_cast<std::size_t>(term)].data(); };
  for (const weft::FormulaStep& step : chain.steps) {
    char* at[4];
    for (std::size_t k = 0; k < step.terms.size(); ++k)
      at[k] = data(step.terms[k]);
    if (step.kernel != nullptr) {
      step.kernel->run(step.kernel->context, at, nullptr, n, 1, 0);
    } else {
      const ScalarType to = type(step.terms[0]), from = type(step.terms[1]);
      weft::cast_elements(at[0], to, weft::element_size(to), at[1], from, weft::element_size(from),
                          n);
    }
  }
  return terms;
}

/// One operand of a call: rows of n elements, or of one value each.
struct Operand {
  std::unique_ptr<test::Guarded> memory;
  char* data;
  std::int64_t size, row_bytes;
  bool one;

  Operand(Random& random, ScalarType type, std::int64_t n, std::int64_t rows, bool dense,
          bool is_one, bool is_input)
      : size(weft::element_size(type)), one(is_one) {
    const std::int64_t row = one ? size : n * size;
    row_bytes = dense || random.chance(60) ? row : row + size * random.integer(1, 9);
    if (is_input && random.chance(one ? 50 : 25)) row_bytes = 0;  // one row all along
    const std::int64_t bytes = (rows - 1) * row_bytes + row;
    memory = std::make_unique<test::Guarded>(bytes);
    data = memory->place(bytes, random);
    test::fill(type, data, bytes / size, random);
  }
  char* at(std::int64_t row, std::int64_t i) const {
    return data + row * row_bytes + (one ? 0 : i * size);
  }
  Bytes gathered(std::int64_t n, std::int64_t rows) const {
    Bytes all;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t i = 0; i < n; ++i)
        all.insert(all.end(), at(r, i), at(r, i) + size);
    return all;
  }
};

std::int64_t count_different(ScalarType type, const Bytes& a, const Bytes& b) {
  const std::int64_t size = weft::element_size(type);
  std::int64_t different = 0;
  for (std::int64_t i = 0; i < std::ssize(a); i += size)
    different += static_cast<std::int64_t>(!test::same_element(type, a.data() + i, b.data() + i));
  return different;
}

}  // namespace

TEST_CASE("chain bodies: what steps give one by one", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(1500); ++round) {
    const bool in_place = random.chance(30);
    const weft::Chain chain = random_chain(random, in_place);
    weft::ChainBody body(chain);
    const weft::SpanKernel& kernel = body.kernel();
    const std::int64_t n = random.chance(10)   ? random.integer(1, 6000)
                           : random.chance(15) ? std::int64_t{1} << random.integer(0, 9)
                                               : random.integer(1, 300);
    const bool dense = random.chance(30);
    const std::int64_t rows = random.chance(50) ? 1 : random.integer(2, random.chance(20) ? 90 : 5);
    std::vector<Operand> operands;
    std::vector<Bytes> inputs;
    std::uint32_t broadcast = 0;
    const auto noutputs = chain.outputs.size();
    for (std::size_t k = 0; k < body.operands().size(); ++k) {
      const bool one = (kernel.broadcastable >> k & 1) != 0 && random.chance(25);
      broadcast |= static_cast<std::uint32_t>(one) << k;
      operands.emplace_back(random, body.place(body.operands()[k]).dtype, n, rows, dense, one,
                            k >= noutputs);
      if (k >= noutputs) inputs.push_back(operands.back().gathered(n, rows));
    }
    char* data[weft::max_operands];
    std::int64_t row_bytes[weft::max_operands];
    for (std::size_t k = 0; k < operands.size(); ++k) {
      data[k] = operands[k].data;
      row_bytes[k] = operands[k].row_bytes;
    }
    if (in_place && !operands[1].one && operands[1].size == operands[0].size &&
        (rows == 1 || operands[1].row_bytes > 0)) {
      data[0] = operands[0].data = operands[1].data;
      row_bytes[0] = operands[0].row_bytes = operands[1].row_bytes;
    }
    const std::vector<Bytes> want = by_steps(chain, inputs, n * rows);
    kernel.run(kernel.context, data, row_bytes, n, rows, broadcast);
    for (std::size_t k = 0; k < noutputs; ++k) {
      const int term = chain.outputs[k];
      const ScalarType type = chain.terms[static_cast<std::size_t>(term)].dtype;
      const Bytes& values = want[static_cast<std::size_t>(term)];
      const Bytes got = operands[k].gathered(n, rows);
      const std::int64_t wrong = count_different(type, got, values);
      tally.check(wrong == 0, [&](auto& text) {
        text << "round " << round << ", " << chain.steps.size() << " steps as "
             << body.steps().size() << ", output " << k << " of " << noutputs << ", " << rows
             << " rows of " << n << ", broadcast " << broadcast << ": " << wrong << " wrong";
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("chain bodies: functions of one type are one step", "[expr]") {
  const ScalarType types[] = {ScalarType::f32, ScalarType::f32};
  weft::FormulaBuilder builder(types);
  const FormulaTerm a = builder.input(0), b = builder.input(1);
  const FormulaTerm half = builder.number(0.5, ScalarType::f32);
  const FormulaTerm chosen =
      builder.apply(TernaryOp::where, builder.apply(CompareOp::gt, a, b),
                    builder.apply(BinaryOp::mul, a, half), builder.apply(BinaryOp::sub, b, a));
  builder.set_result(builder.apply(UnaryOp::floor, builder.apply(UnaryOp::exp, chosen)));
  weft::Chain chain;
  chain.terms = {{weft::Chain::Kind::input, ScalarType::f32, 0},
                 {weft::Chain::Kind::input, ScalarType::f32, 1}};
  chain.ninputs = 2;
  const int inputs[] = {0, 1};
  chain.outputs = {chain.append(builder.formula(), inputs)};
  const weft::ChainBody body(chain);
  CHECK(chain.steps.size() == 6);
  CHECK(body.steps().size() == 2);
  // What passes between the two is the output's own memory or a buffer; nothing else is.
  CHECK(body.element_bytes() == 4);
}

TEST_CASE("chain bodies: two functions are one instruction", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const BinaryOp ops[] = {BinaryOp::add, BinaryOp::sub, BinaryOp::mul};
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64})
    for (const BinaryOp first : ops)
      for (const BinaryOp second : ops)
        // Which of the three inputs are one value.
        for (std::uint32_t ones = 0; ones < 8; ++ones) {
          const ScalarType types[] = {type, type, type};
          weft::FormulaBuilder builder(types);
          const FormulaTerm a = builder.input(0), b = builder.input(1), c = builder.input(2);
          const FormulaTerm x = builder.apply(second, builder.apply(first, a, b), c);
          builder.set_result(builder.apply(first, x, b));
          weft::Chain chain;
          for (int i = 0; i < 3; ++i)
            chain.terms.push_back({weft::Chain::Kind::input, type, i});
          chain.ninputs = 3;
          const int numbers[] = {0, 1, 2};
          chain.outputs = {chain.append(builder.formula(), numbers)};
          weft::ChainBody body(chain);
          const std::int64_t n = random.integer(1, 200), rows = random.integer(1, 3);
          std::vector<Operand> operands;
          std::vector<Bytes> inputs;
          char* data[4];
          std::int64_t row_bytes[4];
          for (unsigned k = 0; k < 4; ++k) {
            const bool one = (ones << 1 >> k & 1) != 0;
            operands.emplace_back(random, type, n, rows, random.chance(50), one, k > 0);
            if (k > 0) inputs.push_back(operands.back().gathered(n, rows));
            data[k] = operands.back().data;
            row_bytes[k] = operands.back().row_bytes;
          }
          const std::vector<Bytes> want = by_steps(chain, inputs, n * rows);
          body.kernel().run(body.kernel().context, data, row_bytes, n, rows, ones << 1);
          const Bytes got = operands[0].gathered(n, rows);
          tally.check(
              count_different(type, got, want[static_cast<std::size_t>(chain.outputs[0])]) == 0,
              [&](auto& text) {
                text << rows << " rows of " << n << ", functions " << static_cast<int>(first)
                     << " and " << static_cast<int>(second) << ", of one value: " << ones;
              });
        }
  CHECK_TALLY(tally);
}

TEST_CASE("chain bodies: Horner's scheme takes an instruction a term", "[expr]") {
  const ScalarType types[] = {ScalarType::f32};
  weft::FormulaBuilder builder(types);
  const FormulaTerm a = builder.input(0);
  FormulaTerm x = builder.apply(BinaryOp::mul, a, builder.number(0.1, ScalarType::f32));
  for (const double c : {0.2, 0.3, 0.4})
    x = builder.apply(BinaryOp::mul,
                      builder.apply(BinaryOp::add, x, builder.number(c, ScalarType::f32)), a);
  builder.set_result(x);
  weft::Chain chain;
  chain.terms = {{weft::Chain::Kind::input, ScalarType::f32, 0}};
  chain.ninputs = 1;
  const int inputs[] = {0};
  chain.outputs = {chain.append(builder.formula(), inputs)};
  const std::optional<weft::FusedSteps> steps = weft::fuse_whole(chain);
  REQUIRE(steps);
  // A product behind a load, three more behind a sum each, and a store.
  CHECK(steps->program.count == 5);
}
