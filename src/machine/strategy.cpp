// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/machine/strategy.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {
namespace {

struct Words {
  std::string_view name, meaning;
};
#define WEFT_STRATEGY(enumerator, name, meaning) {name, meaning},
constexpr Words words[] = {WEFT_FOR_EACH_STRATEGY(WEFT_STRATEGY)};
#undef WEFT_STRATEGY

const Words& words_of(Strategy strategy) {
  const auto i = static_cast<int>(strategy);
  if (i >= strategy_count) {
    fail(ErrorCode::invalid_argument,
         text("there is no strategy of number ", i, ", expected 0 to ", strategy_count - 1));
  }
  return words[i];
}

}  // namespace

std::string_view name(Strategy strategy) { return words_of(strategy).name; }

std::string_view meaning(Strategy strategy) { return words_of(strategy).meaning; }

std::optional<Strategy> find_strategy(std::string_view name) noexcept {
  for (int i = 0; i < strategy_count; ++i)
    if (words[i].name == name) return static_cast<Strategy>(i);
  return std::nullopt;
}

}  // namespace v0
}  // namespace weft
