// SPDX-License-Identifier: Apache-2.0
#include "cli/strategy_choice.hpp"

#include <weft/machine/strategy.hpp>

#include "cli/commands.hpp"

#include <fmt/format.h>

namespace weft::cli {

StrategyChoice::StrategyChoice(const std::optional<std::string>& name) {
  if (!name) return;
  const std::optional<Strategy> strategy = find_strategy(*name);
  if (!strategy) {
    std::string names;
    for (int i = 0; i < strategy_count; ++i)
      names += fmt::format("{}{}", i == 0 ? "" : ", ", weft::name(static_cast<Strategy>(i)));
    throw UsageError(fmt::format("--strategy: there is no '{}', expected one of {}", *name, names));
  }
  Tuning tuning = weft::tuning();
  tuning.strategy = *strategy;
  forced_.emplace(tuning);
}

}  // namespace weft::cli
