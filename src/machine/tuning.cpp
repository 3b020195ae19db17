// SPDX-License-Identifier: Apache-2.0
#include "machine/tuning.hpp"

#include <weft/base/error.hpp>
#include <weft/base/version.hpp>

#include "base/file.hpp"
#include "base/never_destroyed.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

#define WEFT_TUNING_ROW(name, unit, minimum, maximum, tight, near, far, record, meaning) \
  {#name, unit, &Tuning::name, minimum, maximum, {tight, near, far}, record, meaning},
constexpr TuningRow rows[] = {WEFT_TUNING_ROWS(WEFT_TUNING_ROW)};
#undef WEFT_TUNING_ROW

constexpr std::string_view first_line = "weft-tuning 1";

MachineClass class_of(const CpuInfo& machine) noexcept {
  constexpr std::int64_t roomy_l1_bytes = 48 << 10;
  if (machine.has_far_last_level()) return MachineClass::far;
  return machine.l1_bytes >= roomy_l1_bytes ? MachineClass::near : MachineClass::tight;
}

/// The sizes; and that the last level is told to be far, where it would not count as such.
std::string caches_of(const CpuInfo& machine) {
  CpuInfo untold = machine;
  untold.l3_is_told_far = false;
  const bool far = machine.has_far_last_level() && !untold.has_far_last_level();
  return text(machine.l1_bytes, ' ', machine.l2_bytes, ' ', machine.l3_bytes, far ? " far" : "");
}

constexpr std::string_view blanks = " \t\r";

/// The text without blanks at its ends.
std::string_view trimmed(std::string_view text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// A number that is all of `text`.
bool to_number(std::string_view text, std::int64_t& number) noexcept {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end;
}

/// Whether it is a day such as 2026-11-24.
bool is_date(std::string_view text) noexcept {
  std::int64_t year = 0, month = 0, day = 0;
  return text.size() == 10 && text[4] == '-' && text[7] == '-' &&
         to_number(text.substr(0, 4), year) && to_number(text.substr(5, 2), month) &&
         to_number(text.substr(8, 2), day) && year >= 2000 && month >= 1 && month <= 12 &&
         day >= 1 && day <= 31;
}

/// As `weft info` says it.
std::string_view processor_of(const CpuInfo& machine) noexcept {
  return machine.model.empty() ? std::string_view("unknown") : machine.model;
}

/// Reads the lines of a tuning file.
class TuningParser {
 public:
  TuningParser(std::string_view text, const CpuInfo& machine)
      : rest_(text), machine_(machine), tuning_(default_tuning(machine)) {}

  Tuning parse() {
    if (next_line() != first_line) fail_here(text("expected '", first_line, "'"));
    expect("version", version());
    expect("processor", processor_of(machine_));
    expect("caches", caches_of(machine_));
    const std::string_view date = value_of("date");
    if (!is_date(date))
      fail_here(text("the date is '", date, "', expected one such as 2026-11-24"));
    while (!rest_.empty())
      take_row(next_line());
    return tuning_;
  }

 private:
  [[noreturn]] void fail_here(const std::string& what) const {
    fail(ErrorCode::parse,
         line_ == 0 ? text("the file is empty, ", what) : text("line ", line_, ": ", what));
  }
  /// The next line that is neither empty nor a comment; empty at the end.
  std::string_view next_line() {
    while (!rest_.empty()) {
      ++line_;
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = trimmed(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (!line.empty() && line.front() != '#') return line;
    }
    return {};
  }
  /// What follows the word `key` in the next line.
  std::string_view value_of(std::string_view key) {
    const std::string_view line = next_line();
    if (!line.starts_with(key) || line.size() <= key.size() ||
        blanks.find(line[key.size()]) == blanks.npos) {
      fail_here(text("expected '", key, " ...', got '", line, "'"));
    }
    return trimmed(line.substr(key.size()));
  }
  void expect(std::string_view key, std::string_view wanted) {
    const std::string_view got = value_of(key);
    if (got == trimmed(wanted)) return;
    fail(ErrorCode::invalid_argument,
         text("line ", line_, ": the ", key, " of the file: '", got, "', here: '", wanted, "'"));
  }
  void take_row(std::string_view line) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) return;
    const std::size_t space = std::min(line.find_first_of(blanks), line.size());
    const std::string_view key = line.substr(0, space);
    const TuningRow* row = std::ranges::find(rows, key, &TuningRow::name);
    if (row == std::end(rows)) fail_here(text("there is no row '", key, "'"));
    const auto index = static_cast<std::size_t>(row - rows);
    if (seen_[index]) fail_here(text("'", key, "' comes twice"));
    seen_[index] = true;
    std::int64_t value = 0;
    const std::string_view digits = trimmed(line.substr(space));
    if (!to_number(digits, value))
      fail_here(text("'", key, "' is '", digits, "', expected an integer"));
    if (value < row->minimum || value > row->maximum) {
      fail_here(text("'", key, "' is ", value, ", expected ", row->minimum, " to ", row->maximum,
                     " ", row->unit));
    }
    tuning_.*row->value = value;
  }

  std::string_view rest_;
  const CpuInfo& machine_;
  Tuning tuning_;
  std::bitset<std::size(rows)> seen_;
  int line_ = 0;
};

FoundTuning look_up(const CpuInfo& machine) {
  constexpr std::int64_t max_file_bytes = 64 << 10;
  FoundTuning found{default_tuning(machine), {}, {}};
  const char* path = std::getenv("WEFT_TUNING");
  if (path == nullptr || *path == '\0') return found;
  try {
    const std::vector<std::byte> bytes = File(path, "rb").read_rest(max_file_bytes);
    found.tuning =
        parse_tuning({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, machine);
    found.file = path;
  } catch (const Error& error) {
    found.refused = error.what();
  }
  return found;
}

}  // namespace

std::atomic<const Tuning*> tuning_in_use = nullptr;

std::string_view name(MachineClass machine_class) noexcept {
  switch (machine_class) {
    case MachineClass::tight: return "tight";
    case MachineClass::near: return "near";
    case MachineClass::far: return "far";
  }
  return "unknown";
}

std::span<const TuningRow> tuning_rows() noexcept { return rows; }

Tuning default_tuning(const CpuInfo& machine) noexcept {
  Tuning tuning;
  tuning.machine_class = class_of(machine);
  tuning.l1_bytes = machine.l1_bytes;
  tuning.l2_bytes = machine.l2_bytes;
  tuning.l3_bytes = machine.l3_bytes;
  tuning.last_level_bytes = machine.last_level_share();
  for (const TuningRow& row : rows)
    tuning.*row.value = row.defaults[static_cast<std::size_t>(tuning.machine_class)];
  return tuning;
}

std::string tuning_head(const CpuInfo& machine, std::string_view date) {
  return text(first_line, "\nversion ", version(), "\nprocessor ", processor_of(machine),
              "\ncaches ", caches_of(machine), "\ndate ", date, "\n");
}

std::string tuning_line(const TuningRow& row, std::int64_t value) {
  return text("# ", row.unit, " (", row.minimum, " to ", row.maximum, "): ", row.meaning, "\n",
              row.name, ' ', value, "\n");
}

std::string tuning_text(const Tuning& tuning, const CpuInfo& machine, std::string_view date) {
  std::string out = tuning_head(machine, date);
  for (const TuningRow& row : rows)
    out += tuning_line(row, tuning.*row.value);
  return out;
}

Tuning parse_tuning(std::string_view text, const CpuInfo& machine) {
  return TuningParser(text, machine).parse();
}

const FoundTuning& found_tuning(const CpuInfo& machine) {
  static const NeverDestroyed<FoundTuning> found([&] { return look_up(machine); });
  return *found;
}

const Tuning& find_tuning() {
  const Tuning& found = found_tuning(cpu_info()).tuning;
  const Tuning* nothing = nullptr;
  tuning_in_use.compare_exchange_strong(nothing, &found);
  return found;
}

}  // namespace v0
}  // namespace weft
