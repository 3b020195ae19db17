// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/parallel/parallel.hpp>

#include "cli/cache_sweep.hpp"
#include "cli/commands.hpp"
#include "cli/price_probes.hpp"
#include "cli/progress.hpp"
#include "cli/today.hpp"
#include "cli/whole_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace weft::cli {
namespace {

/// A row with its price.
struct Priced {
  const TuningRow* row;
  RowPrice price;
};

/// All that was found out.
struct Measured {
  std::vector<CacheLevel> levels;
  std::vector<Priced> rows;
};

/// The row of a price.
const TuningRow& row_of(std::int64_t Tuning::*value) {
  return *std::ranges::find(tuning_rows(), value, &TuningRow::value);
}

/// What was timed: each twice, with all others in between.
struct Samples {
  std::vector<PairTimes> pairs[2];     ///< of each probe
  std::vector<std::string> why_not;    ///< of each probe, if its calls cannot be carried out
  std::optional<double> waking_ns[2];  ///< without: there is one thread only
  std::vector<CacheLevel> levels;
};

/// Measures everything, for about `seconds`.
Samples take_samples(const std::vector<PriceProbe>& probes, const CpuInfo& machine,
                     double seconds) {
  Samples samples;
  samples.why_not.resize(probes.size());
  // The caches take two shares of the sum.
  const double share = seconds / static_cast<double>(probes.size() + 3);
  Progress progress(2 * probes.size() + 3);
  std::size_t item = 0;
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<PairTimes>& pairs = samples.pairs[pass];
    pairs.resize(probes.size());
    for (std::size_t i = 0; i < probes.size(); ++i) {
      progress.show(item++, row_of(probes[i].price).name);
      try {
        pairs[i] = time_probe(probes[i], machine, share / 2);
      } catch (const Error& error) {
        samples.why_not[i] = error.what();
      }
    }
    progress.show(item++, "threads");
    if (num_threads() > 1) samples.waking_ns[pass] = time_waking(share / 2);
    if (pass > 0) continue;
    progress.show(item++, "caches");
    samples.levels = sweep_caches(machine, 2 * share);
  }
  return samples;
}

/// The price of a thread.
RowPrice thread_price(const Samples& samples, std::int64_t kept) {
  const std::optional<double> first = samples.waking_ns[0], second = samples.waking_ns[1];
  if (!first || !second) return kept_price(kept, "there is one thread only");
  if (std::max(*first, *second) >= static_cast<double>(no_thread_came.count())) {
    RowPrice price = kept_price(kept, "a second thread seldom comes");
    price.noisy = true;
    return price;
  }
  return price_of(row_of(&Tuning::thread_ns), kept, {*first, *second, (*first + *second) / 2},
                  reference_waking_ns);
}

/// All prices, in the order of the table.
std::vector<Priced> prices_of(const Samples& samples, const std::vector<PriceProbe>& probes,
                              const CpuInfo& machine) {
  const Tuning table = default_tuning(machine);
  std::vector<Priced> rows;
  const auto add = [&](std::int64_t Tuning::*value, RowPrice price) {
    rows.push_back({&row_of(value), std::move(price)});
  };
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const std::int64_t kept = table.*probes[i].price;
    const TwiceMeasured ns = difference_of(samples.pairs[0][i], samples.pairs[1][i]);
    add(probes[i].price, samples.why_not[i].empty()
                             ? price_of(row_of(probes[i].price), kept, ns, probes[i].reference_ns)
                             : kept_price(kept, samples.why_not[i]));
  }
  add(&Tuning::thread_ns, thread_price(samples, table.thread_ns));
  constexpr auto last_level = &Tuning::last_level_line_ps, memory = &Tuning::memory_line_ps;
  add(last_level, price_of(row_of(last_level), table.*last_level, samples.levels[2].line,
                           reference_last_level_line_ns));
  add(memory, samples.levels.size() > 3
                  ? price_of(row_of(memory), table.*memory, samples.levels[3].line,
                             reference_memory_line_ns)
                  : kept_price(table.*memory, "the last level is too large to read beyond it"));
  std::ranges::sort(rows, {}, &Priced::row);
  return rows;
}

/// What was seen, in lines.
std::vector<std::string> report(const Measured& all, const CpuInfo& machine) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("measured by weft tune, at level {}", name(machine.level)));
  for (const CacheLevel& level : all.levels) {
    const std::string sizes =
        level.told_bytes == 0 ? "memory"
        : level.seen_bytes == 0
            ? fmt::format("{} of {}", level.name, bytes_text(level.told_bytes))
            : fmt::format("{} of {}, seen as {}", level.name, bytes_text(level.told_bytes),
                          bytes_text(level.seen_bytes));
    lines.push_back(fmt::format("{}: a read takes {:.1f} ns, many together {:.1f} GB/s", sizes,
                                level.latency_ns, level.bandwidth()));
  }
  for (std::string& sentence : contradictions(all.levels, machine))
    lines.push_back(std::move(sentence));
  for (const auto& [row, price] : all.rows) {
    if (!price.why_kept.empty())
      lines.push_back(fmt::format("not measured: {}: {}", row->name, price.why_kept));
  }
  return lines;
}

/// The file: what was seen as comments, and the rows that were measured.
std::string file_text(const Measured& all, std::span<const std::string> remarks,
                      const CpuInfo& machine) {
  std::string out = tuning_head(machine, today());
  for (const std::string& line : remarks)
    out += fmt::format("# {}\n", line);
  for (const auto& [row, price] : all.rows)
    if (price.why_kept.empty()) out += tuning_line(*row, price.value);
  return out;
}

/// Names on standard error the rows that the machine was too noisy for. Throws std::runtime_error
/// if there is no other one.
void check_noise(const Measured& all) {
  std::string noisy;
  std::size_t count = 0, measured = 0;
  for (const auto& [row, price] : all.rows) {
    measured += price.why_kept.empty() ? 1 : 0;
    if (!price.noisy) continue;
    ++count;
    noisy += fmt::format("{}{}", noisy.empty() ? "" : ", ", row->name);
  }
  if (measured == 0)
    throw std::runtime_error("nothing could be measured: the machine is too noisy");
  if (count == 0) return;
  fmt::print(stderr,
             "weft: the machine was too noisy for {} of {} prices, which stay as they are: {}\n",
             count, all.rows.size(), noisy);
}

/// The rows beside the table's.
void print_rows(const Measured& all, const CpuInfo& machine) {
  const Tuning table = default_tuning(machine);
  fmt::print("{:<20}  {:>8}  {:>8}  {:>6}\n", "row", "table", "here", "spread");
  for (const auto& [row, price] : all.rows) {
    if (!price.why_kept.empty()) continue;
    fmt::print("{:<20}  {:>8}  {:>8}  {:>4.0f} %\n", row->name, table.*row->value, price.value,
               100 * price.spread);
  }
}

}  // namespace

void run_tune(const TuneOptions& options) {
  // NaN lies in every range.
  if (!(options.seconds >= 0)) throw UsageError("--seconds: expected a number of seconds");
  const CpuInfo& machine = cpu_info();
  std::optional<WholeFile> file;
  if (options.output) file.emplace(*options.output);
  const std::vector<PriceProbe> probes = price_probes(machine);
  const Samples samples = take_samples(probes, machine, options.seconds);
  const Measured all{samples.levels, prices_of(samples, probes, machine)};
  check_noise(all);
  const std::vector<std::string> remarks = report(all, machine);
  const std::string text = file_text(all, remarks, machine);
  if (!file) {
    fmt::print("{}", text);
    return;
  }
  file->write(text);
  for (const std::string& line : remarks)
    fmt::print("{}\n", line);
  print_rows(all, machine);
}

}  // namespace weft::cli
