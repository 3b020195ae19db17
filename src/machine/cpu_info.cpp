// SPDX-License-Identifier: Apache-2.0
#include <weft/machine/cpu_info.hpp>

#include "base/never_destroyed.hpp"
#include "machine/arm_model.hpp"
#include "machine/tuning.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#if defined(__unix__)
#include <unistd.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace weft {
inline namespace v0 {
namespace {

Level detect() noexcept {
#if WEFT_HIGHEST_LEVEL > 0
  // What cmake/WeftKernels.cmake compiles a level for. The builtin also asks whether the operating
  // system saves the registers.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  // Two have no name of their own in older compilers' builtin: F16C is CPUID leaf 1, ECX bit 29,
  // LZCNT leaf 0x80000001, ECX bit 5.
  const auto has_bit = [](unsigned leaf, int bit) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(leaf, &a, &b, &c, &d) != 0 && (c >> bit & 1) != 0;
  };
  if (!avx2 || !has_bit(1, 29) || !has_bit(0x80000001, 5)) return Level::baseline;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  return avx512 && WEFT_HIGHEST_LEVEL >= 2 ? Level::avx512 : Level::avx2;
#else
  return lowest_level;
#endif
}

Level choose() noexcept {
  const Level best = best_level();
  const char* wanted = std::getenv("WEFT_ISA");
  if (wanted == nullptr) return best;
  for (int i = 0; i <= place_of(best); ++i) {
    if (name(level_at(i)) == wanted) return level_at(i);
  }
  return best;  // unknown, or above what the machine offers
}

#if defined(__aarch64__) && defined(__linux__)
/// All of a file of the system's; empty if there is none.
std::string contents(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
#endif

std::string model() {
  std::string text;
#if defined(__aarch64__) && defined(__linux__)
  text = arm_model(contents("/proc/cpuinfo"));
  // The board's name, which ends with a zero.
  if (text.empty()) text = contents("/proc/device-tree/model").c_str();
#elif defined(__x86_64__)
  for (unsigned leaf = 0x80000002u; leaf <= 0x80000004u; ++leaf) {
    unsigned part[4] = {};
    if (__get_cpuid(leaf, &part[0], &part[1], &part[2], &part[3]) == 0) return {};
    text.append(reinterpret_cast<const char*>(part), sizeof(part));
  }
  text.resize(std::strlen(text.c_str()));
  while (!text.empty() && text.back() == ' ')
    text.pop_back();
#endif
  return text;
}

#if defined(_SC_LEVEL1_DCACHE_SIZE)
void set_if_known(std::int64_t& bytes, int what) {
  const long value = sysconf(what);
  if (value > 0) bytes = value;
}
#endif

#if defined(__linux__)
/// One line of a file of the first core's caches; empty if there is none.
std::string cache_attribute(int index, const char* attribute) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + '/' +
                     attribute);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Sizes as the kernel tells them. In virtual machines the C library's answer for the last level is
/// that of a whole socket, ten times what the core can use on one machine measured.
void set_from_kernel(CpuInfo& info) {
  for (int index = 0; index < 8; ++index) {
    const std::string type = cache_attribute(index, "type");
    if (type.empty()) return;
    if (type == "Instruction") continue;
    const std::int64_t kib = std::atoll(cache_attribute(index, "size").c_str());
    if (kib <= 0) continue;
    const std::string level = cache_attribute(index, "level");
    if (level == "1") info.l1_bytes = kib << 10;
    if (level == "2") info.l2_bytes = kib << 10;
    if (level == "3") info.l3_bytes = kib << 10;
  }
}
#endif

/// Bytes of a size such as 48K at the start of `text`, which it is taken from; 0 if there is none,
/// or none that a cache could have.
std::int64_t take_size(std::string_view& text) {
  constexpr std::int64_t least = 4 << 10, most = std::int64_t{64} << 30;
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || size <= 0 || size > most) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  constexpr std::string_view units = "KMG";
  const std::size_t unit = text.empty() ? units.npos : units.find(text.front());
  if (unit != units.npos) {
    text.remove_prefix(1);
    for (std::size_t i = 0; i <= unit && size <= most; ++i)
      size <<= 10;
  }
  return size >= least && size <= most ? size : 0;
}

/// True if the text starts with `what`, which it then loses.
bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

/// Caches as WEFT_CACHES says, if it follows the form.
void set_as_told(CpuInfo& info) {
  const char* told = std::getenv("WEFT_CACHES");
  if (told == nullptr) return;
  std::string_view text = told;
  std::int64_t sizes[3];
  for (int i = 0; i < 3; ++i) {
    if (i > 0 && !take(text, ",")) return;
    sizes[i] = take_size(text);
    if (sizes[i] == 0) return;
  }
  const bool far = take(text, ",far");
  if (!text.empty()) return;
  info.l1_bytes = sizes[0];
  info.l2_bytes = sizes[1];
  info.l3_bytes = sizes[2];
  info.caches_are_told = true;
  info.l3_is_told_far = far;
}

CpuInfo look_up() {
  CpuInfo info;
  info.model = model();
  info.level = current_level();
  info.best_level = best_level();
  info.hardware_threads = static_cast<int>(std::thread::hardware_concurrency());
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  set_if_known(info.l1_bytes, _SC_LEVEL1_DCACHE_SIZE);
  set_if_known(info.l2_bytes, _SC_LEVEL2_CACHE_SIZE);
  set_if_known(info.l3_bytes, _SC_LEVEL3_CACHE_SIZE);
#endif
#if defined(__linux__)
  set_from_kernel(info);
#endif
  set_as_told(info);
  return info;
}

}  // namespace

Level best_level() noexcept {
  static const Level level = detect();
  return level;
}

Level current_level() noexcept {
  static const Level level = choose();
  return level;
}

std::string_view name(Level level) noexcept {
  switch (level) {
    case Level::baseline: return "baseline";
    case Level::avx2: return "avx2";
    case Level::avx512: return "avx512";
    case Level::neon: return "neon";
  }
  return "unknown";
}

const CpuInfo& cpu_info() {
  static const NeverDestroyed<CpuInfo> info([] {
    CpuInfo machine = look_up();
    const FoundTuning& found = found_tuning(machine);
    machine.tuning_file = found.file;
    machine.tuning_refused = found.refused;
    return machine;
  });
  return *info;
}

}  // namespace v0
}  // namespace weft
