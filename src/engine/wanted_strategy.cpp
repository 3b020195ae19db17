// SPDX-License-Identifier: Apache-2.0
#include "engine/wanted_strategy.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"

#include <string>

namespace weft {
inline namespace v0 {

void fail_strategy(Strategy wanted, const Strategies& candidates) {
  std::string names;
  for (const StrategyCandidate& candidate : candidates)
    names += text(names.empty() ? "" : ", ", name(candidate.strategy));
  fail(ErrorCode::invalid_argument,
       text("strategy '", name(wanted), "' cannot carry out this call; these can: ", names));
}

}  // namespace v0
}  // namespace weft
