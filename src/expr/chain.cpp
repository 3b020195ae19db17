// SPDX-License-Identifier: Apache-2.0
#include "expr/chain.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace weft {
inline namespace v0 {

int Chain::append(const Formula& formula, std::span<const int> input_terms) {
  const FormulaTerm result{formula.result};
  return append(formula, input_terms, {&result, 1})[0];
}

std::vector<int> Chain::append(const Formula& formula, std::span<const int> input_terms,
                               std::span<const FormulaTerm> results) {
  std::vector<int> made;
  for (const Term& term : formula.terms) {
    if (term.kind == Kind::input) {
      made.push_back(input_terms[made.size()]);
    } else {
      made.push_back(static_cast<int>(terms.size()));
      terms.push_back(term);
    }
  }
  for (FormulaStep step : formula.steps) {
    for (int& term : step.terms)
      term = made[static_cast<std::size_t>(term)];
    steps.push_back(std::move(step));
  }
  std::vector<int> out;
  for (const FormulaTerm& result : results) {
    const Term& info = formula.terms[static_cast<std::size_t>(result.index)];
    const int term = made[static_cast<std::size_t>(result.index)];
    if (info.kind == Kind::step && std::ranges::find(out, term) == out.end()) {
      out.push_back(term);
      continue;
    }
    // An input or a number as it stands, or a result that is there already: copied.
    const int copy = static_cast<int>(terms.size());
    terms.push_back({Kind::step, info.dtype});
    steps.push_back({nullptr, {copy, term}});
    out.push_back(copy);
  }
  return out;
}

const char* Chain::division() const noexcept {
  const char* name = nullptr;
  for (const FormulaStep& step : steps) {
    if (!step.divides || !step.function) continue;
    const char* const own = info(*std::get_if<DivisionOp>(&*step.function)).name;
    if (name != nullptr && name != own) return "a division";
    name = own;
  }
  return name;
}

Chain Chain::storing_last() const {
  Chain chain = *this;
  for (int& output : chain.outputs) {
    const int copy = static_cast<int>(chain.terms.size());
    chain.terms.push_back({Kind::step, chain.terms[static_cast<std::size_t>(output)].dtype});
    chain.steps.push_back({nullptr, {copy, output}});
    output = copy;
  }
  return chain;
}

Chain Chain::copy(ScalarType type) {
  return {.terms = {{Kind::input, type, 0}, {Kind::step, type}},
          .steps = {{nullptr, {1, 0}}},
          .ninputs = 1,
          .outputs = {1}};
}

}  // namespace v0
}  // namespace weft
