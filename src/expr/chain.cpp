// SPDX-License-Identifier: Apache-2.0
#include "expr/chain.hpp"

#include <utility>

namespace weft {
inline namespace v0 {

int Chain::append(const Formula& formula, std::span<const int> input_terms) {
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
  const Term& result = formula.terms[static_cast<std::size_t>(formula.result)];
  const int term = made[static_cast<std::size_t>(formula.result)];
  if (result.kind == Kind::step) return term;
  // The result is an input or a number as it stands: copied.
  const int copy = static_cast<int>(terms.size());
  terms.push_back({Kind::step, result.dtype});
  steps.push_back({nullptr, {copy, term}});
  return copy;
}

Chain Chain::copy(ScalarType type) {
  return {.terms = {{Kind::input, type, 0}, {Kind::step, type}},
          .steps = {{nullptr, {1, 0}}},
          .ninputs = 1,
          .outputs = {1}};
}

}  // namespace v0
}  // namespace weft
