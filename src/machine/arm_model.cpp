// SPDX-License-Identifier: Apache-2.0
#include "machine/arm_model.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

struct Core {
  std::uint32_t implementer, part;
  std::string_view name;
};

constexpr Core known_cores[] = {
    {0x41, 0xd03, "Cortex-A53"},     {0x41, 0xd04, "Cortex-A35"},
    {0x41, 0xd05, "Cortex-A55"},     {0x41, 0xd07, "Cortex-A57"},
    {0x41, 0xd08, "Cortex-A72"},     {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},     {0x41, 0xd0b, "Cortex-A76"},
    {0x41, 0xd0c, "Neoverse-N1"},    {0x41, 0xd0d, "Cortex-A77"},
    {0x41, 0xd40, "Neoverse-V1"},    {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd44, "Cortex-X1"},      {0x41, 0xd46, "Cortex-A510"},
    {0x41, 0xd47, "Cortex-A710"},    {0x41, 0xd48, "Cortex-X2"},
    {0x41, 0xd49, "Neoverse-N2"},    {0x41, 0xd4a, "Neoverse-E1"},
    {0x41, 0xd4d, "Cortex-A715"},    {0x41, 0xd4e, "Cortex-X3"},
    {0x41, 0xd4f, "Neoverse-V2"},    {0x41, 0xd80, "Cortex-A520"},
    {0x41, 0xd81, "Cortex-A720"},    {0x41, 0xd82, "Cortex-X4"},
    {0x41, 0xd84, "Neoverse-V3"},    {0x41, 0xd8e, "Neoverse-N3"},
    {0x43, 0x0af, "ThunderX2"},      {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "Kunpeng 920"},    {0x4e, 0x004, "Carmel"},
    {0x51, 0x001, "Oryon"},          {0x61, 0x022, "M1 (Icestorm)"},
    {0x61, 0x023, "M1 (Firestorm)"}, {0x61, 0x032, "M2 (Blizzard)"},
    {0x61, 0x033, "M2 (Avalanche)"}, {0x6d, 0xd49, "Cobalt 100"},
    {0xc0, 0xac3, "Ampere-1"},       {0xc0, 0xac4, "Ampere-1A"},
};

/// The number after the colon of a line, 0 if there is none.
std::uint32_t number_of(std::string_view line) noexcept {
  std::size_t at = line.find(':');
  if (at == line.npos) return 0;
  at = line.find_first_not_of(" \t", at + 1);
  if (at == line.npos) return 0;
  line.remove_prefix(at);
  const bool is_hexadecimal = line.starts_with("0x");
  if (is_hexadecimal) line.remove_prefix(2);
  std::uint32_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number, is_hexadecimal ? 16 : 10);
  return number;
}

std::string hexadecimal(std::uint32_t number) {
  char digits[8];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number, 16).ptr;
  return text("0x", std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

std::string name_of(std::uint32_t implementer, std::uint32_t part) {
  for (const Core& core : known_cores) {
    if (core.implementer == implementer && core.part == part) return std::string(core.name);
  }
  return text("ARM implementer ", hexadecimal(implementer), " part ", hexadecimal(part));
}

}  // namespace

std::string arm_model(std::string_view cpuinfo) {
  std::string model;
  std::vector<std::string> listed;
  std::uint32_t implementer = 0;
  while (!cpuinfo.empty()) {
    const std::string_view line = cpuinfo.substr(0, cpuinfo.find('\n'));
    cpuinfo.remove_prefix(line.size() < cpuinfo.size() ? line.size() + 1 : line.size());
    if (line.starts_with("CPU implementer")) implementer = number_of(line);
    if (!line.starts_with("CPU part") || implementer == 0) continue;
    const std::string name = name_of(implementer, number_of(line));
    if (std::ranges::find(listed, name) != listed.end()) continue;
    listed.push_back(name);
    model += (model.empty() ? "" : " + ") + name;
  }
  return model;
}

}  // namespace v0
}  // namespace weft
