// SPDX-License-Identifier: Apache-2.0
#include <weft/parallel/parallel.hpp>

#include "cli/case_operands.hpp"
#include "cli/commands.hpp"
#include "cli/strategy_choice.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace weft::cli {

void run_explain(const ExplainOptions& options) {
  std::string call;
  for (const std::string& word : options.words)
    call += word + ' ';
  const Case c = parse_call(without_name(call));
  const StrategyChoice forced(options.strategy);
  if (options.threads) set_num_threads(*options.threads);
  const BoundCase bound(c, BoundCase::Contents::nothing);
  fmt::print("{}{}", bound.explain(options.json), options.json ? "\n" : "");
}

}  // namespace weft::cli
