// SPDX-License-Identifier: Apache-2.0
#include <weft/machine/strategy.hpp>

#include <cstddef>

namespace weft {
inline namespace v0 {
namespace {

struct Words {
  std::string_view name, meaning;
};
#define WEFT_STRATEGY(enumerator, name, meaning) {name, meaning},
constexpr Words words[] = {WEFT_FOR_EACH_STRATEGY(WEFT_STRATEGY)};
#undef WEFT_STRATEGY

}  // namespace

std::string_view name(Strategy strategy) noexcept {
  return words[static_cast<std::size_t>(strategy)].name;
}

std::string_view meaning(Strategy strategy) noexcept {
  return words[static_cast<std::size_t>(strategy)].meaning;
}

std::optional<Strategy> find_strategy(std::string_view name) noexcept {
  for (int i = 0; i < strategy_count; ++i)
    if (words[i].name == name) return static_cast<Strategy>(i);
  return std::nullopt;
}

}  // namespace v0
}  // namespace weft
