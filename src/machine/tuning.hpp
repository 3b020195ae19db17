// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the engine decides by: the machine's caches and the measured constants, as one value.
#pragma once

#include <weft/machine/cpu_info.hpp>
#include <weft/machine/strategy.hpp>

#include "base/internal_api.hpp"
#include "machine/tuning_rows.hpp"

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft {
inline namespace v0 {

/// Bytes of a cache line, on every machine that has a level of its own.
inline constexpr std::int64_t cache_line_bytes = 64;
/// Bytes up to the next line.
constexpr std::int64_t whole_lines(std::int64_t bytes) noexcept {
  return (bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
}

/// An output, a transposed operand and another one: tiles of more have long rows. Record 7.
inline constexpr int few_operands = 3;

/// Elements of at least that many bytes are moved one by one as quickly as by registers.
inline constexpr std::int64_t word_bytes = 4;
/// Elements of at least that many bytes are wide: a register holds few of them.
inline constexpr std::int64_t wide_bytes = 8;

/// Bytes of the smallest register that the end of a loop takes: what is left then comes one by one.
inline constexpr std::int64_t register_bytes = 16;

/// Bytes of the largest element.
inline constexpr std::int64_t max_element_bytes = 16;
/// Elements of a side that in-register transposes take at a time.
inline constexpr std::int64_t transposed_lanes = 8;
/// Bytes that the table has prices for.
inline constexpr std::int64_t priced_bytes = 32;

/// Bytes of a first-level cache that one way of it holds, a page on all processors, and its ways.
inline constexpr std::int64_t l1_way_bytes = 4096;
inline constexpr int l1_ways = 8;

/// Nanoseconds that decide how much is worth a thread: a unit of SpanKernel::cost, a byte from the
/// second level, an element that is packed or converted, a byte that is copied, an element of a
/// prefix operation and of a softmax, a multiplication of a product of a floating type, and of
/// another.
inline constexpr double cost_ns = 0.05, byte_ns = 0.008, staged_ns = 0.3, copied_byte_ns = 0.04,
                        cumulative_ns = 0.4, softmax_ns = 1, product_ns = 0.025,
                        plain_product_ns = 0.2;
/// Picoseconds of a unit of SpanKernel::cost in an estimate.
inline constexpr float cost_ps = 100;

/// Kernels of at most this cost (SpanKernel::cost) do no more than an add does.
inline constexpr float plain_cost = 1;
/// Kernels of at least this cost take several times as long as memory in the caches.
inline constexpr float high_cost = 3;

/// What kind of caches a machine has.
enum class MachineClass : std::uint8_t {
  tight,  ///< a first level of less than 48 KiB, and a last level next to a few cores
  near,   ///< a larger first level, and such a last level
  far,    ///< a last level as far from a core as memory: that of a whole socket
};
WEFT_INTERNAL_API std::string_view name(MachineClass machine_class) noexcept;

/// A value: whoever decides gets one, and asks nobody else.
struct Tuning {
  MachineClass machine_class = MachineClass::tight;
  std::int64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;
  /// Of the last level, what a process on a few cores can count on.
  std::int64_t last_level_bytes = 0;
  /// Forces all elementwise calls and copies whose own options do not name one. No row: a file does
  /// not set it.
  Strategy strategy = Strategy::automatic;
#define WEFT_TUNING_FIELD(name, ...) std::int64_t name = 0;
  WEFT_TUNING_ROWS(WEFT_TUNING_FIELD)
#undef WEFT_TUNING_FIELD

  /// Of the last level, what remains when `parts` of 48 are left out.
  std::int64_t last_level_without(std::int64_t bytes, std::int64_t parts) const noexcept {
    return bytes - bytes * parts / 48;
  }
  /// Whether the first level holds a buffer of 16 KiB and as much besides.
  bool has_roomy_l1() const noexcept { return machine_class != MachineClass::tight; }
  bool has_far_last_level() const noexcept { return machine_class == MachineClass::far; }
};

/// The largest value of each row, for buffers on the stack.
namespace tuning_maximum {
#define WEFT_TUNING_MAXIMUM(name, unit, minimum, maximum, ...) \
  inline constexpr std::int64_t name = maximum;
WEFT_TUNING_ROWS(WEFT_TUNING_MAXIMUM)
#undef WEFT_TUNING_MAXIMUM
}  // namespace tuning_maximum

/// One constant of the table.
struct TuningRow {
  std::string_view name, unit;
  std::int64_t Tuning::*value;
  std::int64_t minimum, maximum;
  std::int64_t defaults[3];  ///< by MachineClass
  int record;                ///< in docs/design/
  std::string_view meaning;
};
WEFT_INTERNAL_API std::span<const TuningRow> tuning_rows() noexcept;

/// The table's column for a machine.
WEFT_INTERNAL_API Tuning default_tuning(const CpuInfo& machine) noexcept;

/// The first lines of a tuning file: the version, the machine that it is for and a date.
/// @param date  as 2026-11-24
WEFT_INTERNAL_API std::string tuning_head(const CpuInfo& machine, std::string_view date);
/// The line `name value` of a row, below a comment of what it is.
WEFT_INTERNAL_API std::string tuning_line(const TuningRow& row, std::int64_t value);
/// A tuning as a file: the head, then all rows.
WEFT_INTERNAL_API std::string tuning_text(const Tuning& tuning, const CpuInfo& machine,
                                          std::string_view date);
/// The other way round: rows that the text does not have are those of default_tuning(). Throws
/// Error(parse) with the line for what is no such text, a row that there is not or that comes
/// twice, and a value out of its range; Error(invalid_argument) for another processor, other caches
/// or another version.
WEFT_INTERNAL_API Tuning parse_tuning(std::string_view text, const CpuInfo& machine);

/// A tuning, and where it is from.
struct FoundTuning {
  Tuning tuning;
  std::string file;     ///< that WEFT_TUNING names, if it was taken
  std::string refused;  ///< why it was not
};
/// What holds on this machine: the file that WEFT_TUNING names, or the table's column. Looked up
/// once.
const FoundTuning& found_tuning(const CpuInfo& machine);

/// The tuning in use, or null before anybody has asked.
extern WEFT_INTERNAL_API std::atomic<const Tuning*> tuning_in_use;
/// found_tuning() of this machine, which is in use from now on.
WEFT_INTERNAL_API const Tuning& find_tuning();
inline const Tuning& tuning() {
  const Tuning* found = tuning_in_use.load(std::memory_order_acquire);
  return found != nullptr ? *found : find_tuning();
}

/// For tests: another tuning for as long as this lives. Nothing may run meanwhile that began
/// before.
class ScopedTuning {
 public:
  explicit ScopedTuning(const Tuning& other) : before_(&tuning()), other_(other) {
    tuning_in_use = &other_;
  }
  ~ScopedTuning() { tuning_in_use = before_; }
  ScopedTuning(const ScopedTuning&) = delete;
  ScopedTuning& operator=(const ScopedTuning&) = delete;

 private:
  const Tuning* before_;
  Tuning other_;
};

}  // namespace v0
}  // namespace weft
