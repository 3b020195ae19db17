// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/file.hpp"
#include "cli/case_operands.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/printable.hpp"
#include "cli/progress.hpp"
#include "cli/strategy_choice.hpp"
#include "cli/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <new>
#include <optional>

namespace weft::cli {
namespace {

/// Case files are written by people; this is far above any of them.
constexpr std::int64_t max_file_bytes = 64 << 20;

std::string read_text(const std::string& path) {
  try {
    const std::vector<std::byte> bytes = File(path, "rb").read_rest(max_file_bytes);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } catch (const Error& e) {
    throw UsageError(e.what());
  }
}

/// Outputs as they are after one run: NAME.bin, NAME.1.bin, ...
void dump(const std::string& folder, const std::string& case_name,
          std::span<const TensorView> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string file =
        i == 0 ? fmt::format("{}.bin", case_name) : fmt::format("{}.{}.bin", case_name, i);
    const Tensor dense = Tensor::copy_of(outputs[i]);
    File to((std::filesystem::path(folder) / file).string(), "wb");
    to.write_all(
        {static_cast<const std::byte*>(dense.data()), static_cast<std::size_t>(dense.nbytes())});
    to.close();
  }
}

/// Of a case that was run.
struct CaseTimes {
  Times times;
  /// Of an expression: the first evaluation, which plans.
  std::optional<double> first_ns;
};

CaseTimes run_case(const CaseLine& line, const BenchOptions& options) {
  const Case c = parse_case(line);
  const BoundCase bound(c, BoundCase::Contents::values);
  const auto call = [&] { bound.run(); };
  const double once = time_calls(call, 1);
  if (options.dump) dump(*options.dump, c.name, bound.outputs());
  const auto first = bound.is_expression() ? std::optional(once) : std::nullopt;
  if (options.min_time == 0) return {{once, once, 1}, first};
  // Threads that were asleep wake up on the core of the one that calls; 5 to 40 ms were seen to
  // pass until they had one of their own, and so long they are of no use.
  constexpr double until_threads_are_spread = 0.05;
  if (num_threads() > 1) warm_up(call, std::min(until_threads_are_spread, options.min_time));
  return {measure(call, options.min_time), first};
}

/// Prints results as they come.
class Report {
 public:
  Report(bool json, std::size_t name_width) : json_(json), name_width_(name_width) {
    if (!json_)
      fmt::print("{:<{}}  {:>10}  {:>10}  {:>6}\n", "case", name_width_, "least", "median", "runs");
  }

  void result(std::string_view name, const CaseTimes& of) const {
    const Times& times = of.times;
    if (json_) {
      fmt::print("{{\"name\": {}, \"ns_min\": {:.1f}, \"ns_median\": {:.1f}, \"runs\": {}{}}}\n",
                 json_string(name), times.least_ns, times.median_ns, times.runs,
                 of.first_ns ? fmt::format(", \"ns_first\": {:.1f}", *of.first_ns) : "");
    } else {
      fmt::print("{:<{}}  {:>10}  {:>10}  {:>6}{}\n", name, name_width_, duration(times.least_ns),
                 duration(times.median_ns), times.runs,
                 of.first_ns ? fmt::format("  first {}", duration(*of.first_ns)) : "");
    }
    std::fflush(stdout);
  }

  void error(std::string_view name, std::string_view message) const {
    if (json_) {
      fmt::print("{{\"name\": {}, \"error\": {}}}\n", json_string(name), json_string(message));
    } else {
      fmt::print("{:<{}}  error: {}\n", printable(name), name_width_, printable(message));
    }
    std::fflush(stdout);
  }

 private:
  bool json_;
  std::size_t name_width_;
};

}  // namespace

void run_bench(const BenchOptions& options) {
  // NaN lies in every range.
  if (!(options.min_time >= 0)) throw UsageError("--min-time: expected a number of seconds");
  const StrategyChoice forced(options.strategy);
  const std::string text = read_text(options.file);
  std::vector<CaseLine> lines = split_case_lines(text);
  std::erase_if(lines, [&](const CaseLine& line) {
    return line.name.find(options.filter) == std::string_view::npos;
  });
  if (lines.empty() && !options.filter.empty()) {
    fmt::print(stderr, "weft: no case of '{}' has '{}' in its name\n", options.file,
               options.filter);
  }
  if (options.dump) make_folder(*options.dump);
  set_num_threads(options.threads);

  std::size_t width = 4;
  for (const CaseLine& line : lines)
    width = std::max(width, std::min<std::size_t>(line.name.size(), 40));
  const Report report(options.json, width);
  Progress progress(lines.size());
  std::map<std::string_view, int> first_line;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const CaseLine& line = lines[i];
    progress.show(i, line.name);
    try {
      const auto [before, is_new] = first_line.emplace(line.name, line.number);
      if (!is_new) {
        fail(ErrorCode::parse, fmt::format("line {}: word '{}': the name of line {} again",
                                           line.number, line.name, before->second));
      }
      const CaseTimes times = run_case(line, options);
      progress.clear();
      report.result(line.name, times);
    } catch (const std::bad_alloc&) {
      ++failed;
      progress.clear();
      report.error(line.name, "not enough memory");
    } catch (const std::exception& e) {
      ++failed;
      progress.clear();
      report.error(line.name, e.what());
    }
  }
  // Some cases may be for another program; where there is nothing but errors, something is wrong.
  if (!lines.empty() && failed == lines.size()) {
    throw std::runtime_error(fmt::format("none of the cases of '{}' could be run", options.file));
  }
}

}  // namespace weft::cli
