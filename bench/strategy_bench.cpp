// SPDX-License-Identifier: Apache-2.0
// Whether the engine chooses well: random calls, each carried out by the strategy that is chosen
// and by every other one that can, those with tiles also with these at half and at double size; and
// by plain nested loops. Prints how much longer the chosen one takes than the best of all, which is
// timed once more in turns with it, and how much two runs of the chosen one differ.
//
//   strategy_bench [--cases N] [--seed N] [--least BYTES] [--most BYTES] [--worst N]
//                  [--rows | --json]
//
// --json prints an object a call instead: its dims, innermost first, the time of each strategy, and
// the engine's estimates.
// --rows asks something else: for each row of the tuning table, what a quarter of it and four times
// as much cost in the calls whose plan that changes.
#include <weft/machine/strategy.hpp>

#include "machine/tuning.hpp"
#include "random_case.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using bench::RandomCase;
using weft::RunOptions;
using weft::ScopedTuning;
using weft::Strategy;
using weft::Tuning;
using weft::TuningRow;

struct Options {
  std::int64_t cases = 1000;
  std::uint64_t seed = static_cast<std::uint64_t>(
      std::chrono::system_clock::now().time_since_epoch() / std::chrono::hours(24));
  std::int64_t least = 64, most = 96 << 20;
  std::int64_t worst = 15;
  bool rows = false, json = false;
};

double seconds_of(const std::function<void()>& run, std::int64_t times) {
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < times; ++i)
    run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
         static_cast<double>(times);
}

/// How many runs take about `sample` seconds, at most 20000. A run or two tell nothing of a short
/// one: what they branch to is not predicted yet, and the clock takes as long.
std::int64_t runs_in(const std::function<void()>& run, double sample) {
  std::int64_t times = 1;
  double one = seconds_of(run, times);
  while (static_cast<double>(times) * one < sample / 2 && times < 20000) {
    times = std::min<std::int64_t>(4 * times, 20000);
    one = seconds_of(run, times);
  }
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(sample / one), 1, 20000);
}

/// The least time of each, in turns: a call, or as many as take `sample` seconds. An eighth of that
/// goes before: the clock rate and the wide registers that the way before left are not this one's.
std::vector<double> least_times(const std::vector<std::function<void()>>& runs, int rounds,
                                double sample) {
  std::vector<double> least(runs.size(), std::numeric_limits<double>::infinity());
  std::vector<std::int64_t> times;
  for (const auto& run : runs) {
    run();
    times.push_back(runs_in(run, sample));
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < runs.size(); ++i) {
      seconds_of(runs[i], times[i] / 8);
      least[i] = std::min(least[i], seconds_of(runs[i], times[i]));
    }
  return least;
}

/// Rows of the table that are sizes of tiles.
constexpr std::string_view tile_rows[] = {"tile_bytes",
                                          "max_staged",
                                          "max_in_place",
                                          "transposed_run_bytes",
                                          "transposed_tile_bytes",
                                          "l1_run_bytes",
                                          "l1_tile_bytes",
                                          "wide_l3_run_bytes",
                                          "wide_memory_run_bytes",
                                          "transposed_row_bytes",
                                          "chunk_bytes",
                                          "strided_chunk_bytes",
                                          "copy_side_bytes",
                                          "copy_run_bytes",
                                          "copy_buffer_bytes"};

std::int64_t clamped(const TuningRow& row, std::int64_t value) {
  return std::clamp(value, row.minimum, row.maximum);
}

/// The machine's tuning with tiles of another size: `up` by two or down.
Tuning with_tiles(bool up) {
  Tuning tuning = weft::tuning();
  for (const TuningRow& row : weft::tuning_rows()) {
    if (std::ranges::find(tile_rows, row.name) == std::end(tile_rows)) continue;
    std::int64_t& value = tuning.*row.value;
    value = clamped(row, up ? 2 * value : value / 2);
  }
  return tuning;
}

/// One way of carrying out a call.
struct Way {
  std::string name;
  std::function<void()> run;
};

/// Whether both take the same tiles.
bool same_walk(const weft::Explanation& a, const weft::Explanation& b) {
  return a.run.blocks == b.run.blocks && a.run.span == b.run.span &&
         std::ranges::equal(a.run.tile, b.run.tile) &&
         std::ranges::equal(a.operands, b.operands, {}, &weft::Explanation::Operand::access,
                            &weft::Explanation::Operand::access);
}

/// All of them; the one that is chosen first.
std::vector<Way> ways_of(const RandomCase& call, const Tuning& half, const Tuning& twice) {
  std::vector<Way> ways;
  const RunOptions serial{.serial = true};
  const weft::Explanation chosen = call.explain(serial);
  ways.push_back({std::string(name(chosen.run.strategy)), [&call, serial] { call.run(serial); }});
  for (const weft::StrategyCandidate& possible : chosen.run.candidates) {
    const Strategy candidate = possible.strategy;
    const RunOptions options{.serial = true, .strategy = candidate};
    const weft::Explanation plan = call.explain(options);
    const std::string name(weft::name(candidate));
    if (candidate != chosen.run.strategy)
      ways.push_back({name, [&call, options] { call.run(options); }});
    for (const auto& [word, tuning] : {std::pair{" / 2", &half}, std::pair{" * 2", &twice}}) {
      const ScopedTuning scope(*tuning);
      const weft::Explanation other = call.explain({.serial = true});
      const bool can =
          std::ranges::find(other.run.candidates, candidate, &weft::StrategyCandidate::strategy) !=
          other.run.candidates.end();
      if (!can || same_walk(call.explain(options), plan)) continue;
      ways.push_back({name + word, [&call, options, tuning = tuning] {
                        const ScopedTuning inside(*tuning);
                        call.run(options);
                      }});
    }
  }
  ways.push_back({"nested loops", [&call] { call.run_nested(); }});
  return ways;
}

/// Ends the program unless all of them give the same.
void check(const RandomCase& call, const std::vector<Way>& ways) {
  std::vector<char> expected;
  for (const Way& way : ways) {
    call.clear_output();
    way.run();
    std::vector<char> got = call.output_bytes();
    if (expected.empty())
      expected = std::move(got);
    else if (got != expected) {
      std::fprintf(stderr, "%s: %s and %s differ\n", call.text().c_str(), ways[0].name.c_str(),
                   way.name.c_str());
      std::exit(1);
    }
  }
}

struct Result {
  double ratio;  ///< the chosen one's time over the best's
  double noise;  ///< the chosen one's over its own
  double nested;
  double seconds;
  std::size_t candidates;
  std::string chosen, best, text;
};

Result measure(const RandomCase& call, const std::vector<Way>& ways) {
  constexpr double sample = 1e-4;
  std::vector<std::function<void()>> runs;
  for (const Way& way : ways)
    runs.push_back(way.run);
  const std::vector<double> first = least_times(runs, 4, sample);
  const auto best = static_cast<std::size_t>(std::ranges::min_element(first) - first.begin());
  // The best of many is lucky as well: once more, with the chosen one twice.
  const std::vector<double> again =
      least_times({ways[0].run, ways[best].run, ways[0].run}, 9, 2 * sample);
  Result r;
  r.ratio = best == 0 ? 1 : again[0] / again[1];
  r.noise = again[0] / again[2];
  r.nested = first[0] / first.back();
  r.seconds = again[0];
  r.candidates = ways.size();
  r.chosen = ways[0].name;
  r.best = ways[best].name;
  r.text = call.text();
  return r;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values)
    sum += value;
  return sum / static_cast<double>(values.size());
}
/// The value that `share` of all are not above.
double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void report(std::vector<Result> results, std::int64_t worst) {
  std::vector<double> ratios, noise, candidates, nested;
  std::map<std::string, std::vector<double>> by_choice;
  for (const Result& r : results) {
    ratios.push_back(r.ratio);
    noise.push_back(std::max(r.noise, 1 / r.noise));
    candidates.push_back(static_cast<double>(r.candidates));
    nested.push_back(r.nested);
    by_choice[r.chosen].push_back(r.ratio);
  }
  std::printf("chosen / best:   mean %.3f, median %.3f, 95th %.3f, 99th %.3f, most %.3f\n",
              mean(ratios), quantile(ratios, 0.5), quantile(ratios, 0.95), quantile(ratios, 0.99),
              quantile(ratios, 1));
  std::printf("against itself:  mean %.3f, median %.3f, 95th %.3f, 99th %.3f, most %.3f\n",
              mean(noise), quantile(noise, 0.5), quantile(noise, 0.95), quantile(noise, 0.99),
              quantile(noise, 1));
  std::printf("chosen / nested: median %.3f, 95th %.3f, most %.3f\n", quantile(nested, 0.5),
              quantile(nested, 0.95), quantile(nested, 1));
  std::printf("ways in the median case: %.0f\n\n", quantile(candidates, 0.5));
  std::printf("%-28s %6s %7s %7s\n", "chosen", "cases", "mean", "95th");
  for (const auto& [choice, values] : by_choice)
    std::printf("%-28s %6zu %7.3f %7.3f\n", choice.c_str(), values.size(), mean(values),
                quantile(values, 0.95));
  std::ranges::sort(results, std::greater<>(), &Result::ratio);
  std::printf("\nratio   time       chosen -> best, call\n");
  for (std::size_t i = 0; i < results.size() && i < static_cast<std::size_t>(worst); ++i) {
    const Result& r = results[i];
    std::printf("%.3f %8.1f us  %s -> %s, %s\n", r.ratio, r.seconds * 1e6, r.chosen.c_str(),
                r.best.c_str(), r.text.c_str());
  }
}

std::string list(const std::int64_t* values, std::size_t count) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i)
    out += (i == 0 ? "" : ", ") + std::to_string(values[i]);
  return out + "]";
}

void print_json(const RandomCase& call, const std::vector<Way>& ways) {
  std::vector<std::function<void()>> runs;
  for (const Way& way : ways)
    runs.push_back(way.run);
  const std::vector<double> times = least_times(runs, 7, 1e-4);
  const weft::Geometry& g = call.geometry();
  std::vector<std::int64_t> sizes;
  for (int k = 0; k < g.noperands; ++k)
    sizes.push_back(call.element_size(k));
  std::printf("{\"call\": \"%s\", \"sizes\": %s, \"extents\": %s, \"strides\": [",
              call.name().c_str(), list(sizes.data(), sizes.size()).c_str(),
              list(g.shape.data(), g.shape.size()).c_str());
  for (int d = 0; d < g.ndim(); ++d)
    std::printf("%s%s", d == 0 ? "" : ", ",
                list(g.strides(d), static_cast<std::size_t>(g.noperands)).c_str());
  std::printf("], \"chosen\": \"%s\", \"ns\": {", ways[0].name.c_str());
  for (std::size_t i = 0; i < ways.size(); ++i)
    std::printf("%s\"%s\": %.2f", i == 0 ? "" : ", ", ways[i].name.c_str(), times[i] * 1e9);
  std::printf("}, \"estimated_ns\": {");
  const char* before = "";
  for (const weft::StrategyCandidate& candidate : call.explain({.serial = true}).run.candidates) {
    std::printf("%s\"%s\": %.2f", before, std::string(name(candidate.strategy)).c_str(),
                candidate.estimated_ns);
    before = ", ";
  }
  std::printf("}}\n");
}

void run_strategies(const Options& options) {
  std::mt19937_64 random(options.seed);
  const Tuning half = with_tiles(false), twice = with_tiles(true);
  std::vector<Result> results;
  for (std::int64_t i = 0; i < options.cases; ++i) {
    const RandomCase call(random, {options.least, options.most});
    const std::vector<Way> ways = ways_of(call, half, twice);
    check(call, ways);
    if (options.json) {
      print_json(call, ways);
      continue;
    }
    results.push_back(measure(call, ways));
  }
  if (!options.json) report(std::move(results), options.worst);
}

/// What a value of a row costs.
struct RowCost {
  double most = 0;  ///< time of the value over that of the table's
  double least = std::numeric_limits<double>::infinity();
  std::int64_t calls = 0;
  std::string text;
};

void run_rows(const Options& options) {
  const std::span<const TuningRow> rows = weft::tuning_rows();
  std::vector<RowCost> costs(2 * rows.size());
  std::mt19937_64 random(options.seed);
  constexpr RunOptions serial{.serial = true};
  for (std::int64_t i = 0; i < options.cases; ++i) {
    const RandomCase call(random, {options.least, options.most});
    const std::string plan = call.explain(serial).to_text();
    for (std::size_t c = 0; c < costs.size(); ++c) {
      const TuningRow& row = rows[c / 2];
      Tuning tuning = weft::tuning();
      std::int64_t& value = tuning.*row.value;
      value = clamped(row, c % 2 == 0 ? value / 4 : 4 * value);
      const auto run = [&] {
        const ScopedTuning scope(tuning);
        call.run(serial);
      };
      {
        const ScopedTuning scope(tuning);
        if (call.explain(serial).to_text() == plan) continue;
      }
      const std::vector<double> times = least_times({[&] { call.run(serial); }, run}, 5, 1e-4);
      const double cost = times[1] / times[0];
      RowCost& total = costs[c];
      ++total.calls;
      total.least = std::min(total.least, cost);
      if (cost > total.most) total.most = cost, total.text = call.text();
    }
  }
  std::printf("%-28s %6s %7s %7s %6s %7s %7s  costliest call\n", "row", "/4", "least", "most", "*4",
              "least", "most");
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const RowCost &down = costs[2 * r], &up = costs[2 * r + 1];
    std::printf("%-28s", std::string(rows[r].name).c_str());
    for (const RowCost* cost : {&down, &up})
      std::printf(" %6lld %7.3f %7.3f", static_cast<long long>(cost->calls),
                  cost->calls != 0 ? cost->least : 0, cost->most);
    std::printf("  %s\n", (down.most > up.most ? down : up).text.c_str());
  }
}

/// Reads an integer, or ends the program.
template <class T>
T number(std::string_view option, const char* word) {
  T value = 0;
  const std::string_view text = word != nullptr ? word : "";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || value < 1) {
    std::fprintf(stderr, "%s: expected a number above 0, got '%s'\n", std::string(option).c_str(),
                 std::string(text).c_str());
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int, char** argv) {
  Options options;
  while (*++argv != nullptr) {
    const std::string_view option = *argv;
    if (option == "--rows") {
      options.rows = true;
    } else if (option == "--json") {
      options.json = true;
    } else if (option == "--seed") {
      options.seed = number<std::uint64_t>(option, *++argv);
    } else if (std::int64_t* const value = option == "--cases"   ? &options.cases
                                           : option == "--least" ? &options.least
                                           : option == "--most"  ? &options.most
                                           : option == "--worst" ? &options.worst
                                                                 : nullptr) {
      *value = number<std::int64_t>(option, *++argv);
    } else {
      std::fprintf(stderr, "strategy_bench: there is no option '%s'\n", *argv);
      return 2;
    }
    if (*argv == nullptr) break;
  }
  std::fprintf(options.json ? stderr : stdout, "seed %llu, %lld cases, machine class %s\n",
               static_cast<unsigned long long>(options.seed), static_cast<long long>(options.cases),
               std::string(name(weft::tuning().machine_class)).c_str());
  options.rows ? run_rows(options) : run_strategies(options);
}
