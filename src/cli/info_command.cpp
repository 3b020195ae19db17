// SPDX-License-Identifier: Apache-2.0
#include <weft/base/version.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/ops/registry.hpp>
#include <weft/parallel/parallel.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/today.hpp"
#include "machine/tuning.hpp"
#include "parallel/thread_cap.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace weft::cli {
namespace {

std::vector<std::string_view> type_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i < scalar_type_count; ++i)
    names.push_back(name(static_cast<ScalarType>(i)));
  return names;
}

std::vector<std::string_view> op_names() {
  std::vector<std::string_view> names;
  for (const OpEntry& op : all_ops())
    names.push_back(op.name);
  return names;
}

void print_json(const CpuInfo& cpu) {
  fmt::print(
      "{{\"version\": {}, \"cpu\": {}, \"level\": {}, \"best_level\": {}, \"hardware_threads\": "
      "{}, \"threads\": {}, "
      "\"l1_bytes\": {}, \"l2_bytes\": {}, \"l3_bytes\": {}, \"machine_class\": {}, "
      "\"tuning_file\": {}, \"tuning_refused\": {}, \"types\": {}, \"ops\": {}}}\n",
      json_string(version()), json_string(cpu.model), json_string(name(cpu.level)),
      json_string(name(cpu.best_level)), cpu.hardware_threads, num_threads(), cpu.l1_bytes,
      cpu.l2_bytes, cpu.l3_bytes, json_string(name(tuning().machine_class)),
      json_string(cpu.tuning_file), json_string(cpu.tuning_refused), json_list(type_names()),
      json_list(op_names()));
}

std::string kib(std::int64_t bytes) {
  return bytes % (1 << 20) == 0 ? fmt::format("{} MiB", bytes >> 20)
                                : fmt::format("{} KiB", bytes >> 10);
}

void print_list(const char* title, const std::vector<std::string_view>& values) {
  constexpr std::size_t indent = 16;
  constexpr std::size_t width = 80;
  std::string line = fmt::format("{:<{}}", title, indent - 1);
  for (const std::string_view value : values) {
    if (line.size() + 1 + value.size() > width) {
      fmt::print("{}\n", line);
      line = std::string(indent - 1, ' ');
    }
    line += fmt::format(" {}", value);
  }
  fmt::print("{}\n", line);
}

/// What became of WEFT_ISA, to be read after the level's name.
std::string level_remark(const CpuInfo& cpu) {
  if (cpu.level != cpu.best_level)
    return fmt::format(", lowered by WEFT_ISA from {}", name(cpu.best_level));
  const char* wanted = std::getenv("WEFT_ISA");
  if (wanted == nullptr || wanted == name(cpu.level)) return "";
  return fmt::format(" (WEFT_ISA={} is no level of this machine and this build, and ignored)",
                     wanted);
}

/// What became of WEFT_CACHES, to be read after the sizes.
std::string caches_remark(const CpuInfo& cpu) {
  const char* told = std::getenv("WEFT_CACHES");
  if (told == nullptr) return "";
  if (!cpu.caches_are_told)
    return fmt::format(
        " (WEFT_CACHES={} is no list of three rising sizes such as 48K,1M,32M, and ignored)", told);
  return cpu.l3_is_told_far ? " and far, as WEFT_CACHES says" : ", as WEFT_CACHES says";
}

/// What became of WEFT_TUNING.
std::string tuning_remark(const CpuInfo& cpu) {
  const std::string in_use(name(tuning().machine_class));
  if (!cpu.tuning_file.empty()) return fmt::format("{}, from {}", in_use, cpu.tuning_file);
  const char* named = std::getenv("WEFT_TUNING");
  if (cpu.tuning_refused.empty()) return in_use;
  return fmt::format("{} (WEFT_TUNING={} is ignored: {})", in_use, named, cpu.tuning_refused);
}

/// What became of WEFT_NUM_THREADS, to be read after the number.
std::string threads_remark() {
  const char* wanted = std::getenv("WEFT_NUM_THREADS");
  if (wanted == nullptr || thread_cap_of(wanted) > 0) return "";
  return fmt::format(" (WEFT_NUM_THREADS={} is no number above 0, and ignored)", wanted);
}

}  // namespace

void run_info(const InfoOptions& options) {
  const CpuInfo& cpu = cpu_info();
  if (options.tuning) {
    fmt::print("{}", tuning_text(tuning(), cpu, today()));
    return;
  }
  if (options.json) {
    print_json(cpu);
    return;
  }
  fmt::print("weft            {}\n", version());
  fmt::print("processor       {}\n", cpu.model.empty() ? "unknown" : cpu.model);
  fmt::print("instructions    {}{}\n", name(cpu.level), level_remark(cpu));
  fmt::print("caches          L1 {}, L2 {}, L3 {}{}\n", kib(cpu.l1_bytes), kib(cpu.l2_bytes),
             kib(cpu.l3_bytes), caches_remark(cpu));
  fmt::print("tuning          {}\n", tuning_remark(cpu));
  fmt::print("threads         {} of {}{}\n", num_threads(), cpu.hardware_threads, threads_remark());
  print_list("element types", type_names());
  print_list("operations", op_names());
}

}  // namespace weft::cli
