// SPDX-License-Identifier: Apache-2.0
/// @file
/// The strategy that a command line asks for.
#pragma once

#include "machine/tuning.hpp"

#include <optional>
#include <string>

namespace weft::cli {

/// Forces elementwise calls and copies for as long as it lives, if a strategy is named. Throws
/// UsageError that lists the names if there is none of that name.
class StrategyChoice {
 public:
  explicit StrategyChoice(const std::optional<std::string>& name);

 private:
  std::optional<ScopedTuning> forced_;
};

}  // namespace weft::cli
