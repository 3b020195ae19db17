// SPDX-License-Identifier: Apache-2.0
#include "cli/cache_sweep.hpp"

#include <weft/core/tensor_view.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/parallel/parallel.hpp>

#include "cli/timing.hpp"
#include "machine/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace weft::cli {
namespace {

constexpr std::int64_t min_bytes = 8 << 10;
constexpr std::int64_t min_memory_bytes = 64 << 20;
constexpr std::int64_t max_memory_bytes = 1 << 30;
constexpr std::int64_t words_of_line = cache_line_bytes / 8;
constexpr std::size_t lines_of_page = 4096 / cache_line_bytes;
constexpr int min_rounds = 3, max_rounds = 20;
/// A level is beyond another one if a read takes so many times as long.
constexpr double clear_step = 1.3;

/// Memory whose lines lead from one to the other.
class Ring {
 public:
  explicit Ring(std::int64_t bytes) : words_(static_cast<std::size_t>(bytes / 8)) {}

  /// Makes a ring of the lines of the first `bytes`: pages in random order and the lines of each
  /// page as well, so that nothing is fetched ahead, but few reads wait for a page's address.
  void link(std::int64_t bytes) {
    std::vector<std::size_t> pages(static_cast<std::size_t>(bytes / 4096));
    std::iota(pages.begin(), pages.end(), 0);
    std::shuffle(pages.begin(), pages.end(), random_);
    std::size_t in_page[lines_of_page];
    std::iota(std::begin(in_page), std::end(in_page), 0);
    order_.clear();
    for (const std::size_t page : pages) {
      std::shuffle(std::begin(in_page), std::end(in_page), random_);
      for (const std::size_t line : in_page)
        order_.push_back((page * lines_of_page + line) * words_of_line);
    }
    for (std::size_t i = 0; i < order_.size(); ++i)
      words_[order_[i]] = static_cast<std::int64_t>(order_[i + 1 < order_.size() ? i + 1 : 0]);
  }

  /// Nanoseconds of a step along the ring.
  double latency_ns() const {
    constexpr std::size_t min_steps = 1 << 15, max_steps = 1 << 18;
    const std::size_t steps = std::clamp(order_.size(), min_steps, max_steps);
    std::size_t at = order_.front();
    const double ns = time_calls(
        [&] {
          for (std::size_t i = 0; i < steps; ++i)
            at = static_cast<std::size_t>(words_[at]);
        },
        1);
    // Or no step would be taken.
    const volatile std::size_t end = at;
    static_cast<void>(end);
    return ns / static_cast<double>(steps);
  }

  /// Reads the first half of `bytes` one after the other, and all of them.
  PairTimes time_reads(std::int64_t bytes, double seconds) const {
    std::int64_t sum = 0;
    const TensorView out(std::span(&sum, 1), {});
    const std::span<const std::int64_t> words(words_);
    const TensorView half(words, {bytes / 16}), all(words, {bytes / 8});
    return time_pair([&] { sum_out(out, half); }, [&] { sum_out(out, all); }, seconds);
  }

 private:
  std::vector<std::int64_t> words_;
  std::vector<std::size_t> order_;
  std::mt19937_64 random_{1};
};

/// From a few KiB to `most`, two points from each power of two to the next.
std::vector<SweepPoint> points_up_to(std::int64_t most) {
  std::vector<SweepPoint> points;
  for (std::int64_t bytes = min_bytes; bytes <= most; bytes *= 2) {
    for (const std::int64_t point : {bytes, bytes / 2 * 3})
      if (point <= most) points.push_back({point, std::numeric_limits<double>::infinity()});
  }
  return points;
}

/// The latency of the largest point of at most `bytes`.
double latency_at(std::span<const SweepPoint> points, std::int64_t bytes) {
  double latency = points.front().latency_ns;
  for (const SweepPoint& point : points)
    if (point.bytes <= bytes) latency = point.latency_ns;
  return latency;
}

}  // namespace

std::int64_t bytes_seen(std::span<const SweepPoint> points, double inside_ns, double outside_ns) {
  if (!(inside_ns > 0) || !(outside_ns >= clear_step * inside_ns)) return 0;
  const double between = std::sqrt(inside_ns * outside_ns);
  std::int64_t seen = 0;
  for (const SweepPoint& point : points) {
    if (point.latency_ns > between) break;
    seen = point.bytes;
  }
  return seen;
}

std::vector<CacheLevel> sweep_caches(const CpuInfo& machine, double seconds) {
  const ThreadLimit one_thread(1);
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // As much as leaves three quarters of it outside of the last level; less shows no memory.
  const std::int64_t wanted = std::max(4 * machine.l3_bytes, min_memory_bytes);
  const std::int64_t most = std::min(wanted, max_memory_bytes) / 4096 * 4096;
  const bool shows_memory = most >= 2 * machine.l3_bytes;
  Ring ring(most);
  std::vector<SweepPoint> points = points_up_to(most);
  for (int round = 0; round < max_rounds; ++round) {
    for (SweepPoint& point : points) {
      const bool once_is_enough = round >= min_rounds || point.bytes > min_memory_bytes;
      if (round > 0 && once_is_enough && spent() > seconds / 2) continue;
      ring.link(point.bytes);
      point.latency_ns = std::min(point.latency_ns, ring.latency_ns());
    }
  }
  std::vector<CacheLevel> levels = {{"L1", machine.l1_bytes, 0, 0, {}},
                                    {"L2", machine.l2_bytes, 0, 0, {}},
                                    {"L3", machine.l3_bytes, 0, 0, {}}};
  if (shows_memory) levels.push_back({"memory", 0, 0, 0, {}});
  const double share = std::max(seconds - spent(), 0.0) / static_cast<double>(2 * levels.size());
  std::vector<std::int64_t> inside;  // bytes surely of a level: it may hold less than is told
  std::int64_t before = 0;
  for (CacheLevel& level : levels) {
    const std::int64_t told = level.told_bytes == 0 ? most : level.told_bytes;
    inside.push_back(level.told_bytes == 0
                         ? most / 2
                         : std::clamp(4 * before, min_bytes, std::max(told / 2, min_bytes)));
    before = told;
    level.latency_ns = latency_at(points, level.told_bytes == 0 ? most : inside.back());
  }
  std::vector<PairTimes> reads[2];
  for (std::vector<PairTimes>& pass : reads)
    for (const std::int64_t bytes : inside)
      pass.push_back(ring.time_reads(std::min(2 * bytes, most), share));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto lines = static_cast<double>(std::min(inside[i], most / 2) / cache_line_bytes);
    const TwiceMeasured ns = difference_of(reads[0][i], reads[1][i]);
    levels[i].line = {ns.first_ns / lines, ns.second_ns / lines, ns.best_ns / lines};
  }
  for (std::size_t i = 0; i + 1 < levels.size(); ++i)
    levels[i].seen_bytes = bytes_seen(points, levels[i].latency_ns, levels[i + 1].latency_ns);
  return levels;
}

std::vector<std::string> contradictions(std::span<const CacheLevel> levels,
                                        const CpuInfo& machine) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const CacheLevel &level = levels[i], &next = levels[i + 1];
    if (level.seen_bytes == 0) {
      found.push_back(fmt::format("{} is about as quick as {}", next.name, level.name));
    } else if (level.seen_bytes < level.told_bytes / 2 || level.seen_bytes > 2 * level.told_bytes) {
      found.push_back(fmt::format("{} seems to hold {}, not {}", level.name,
                                  bytes_text(level.seen_bytes), bytes_text(level.told_bytes)));
    }
  }
  if (levels.size() == 4 && levels[2].seen_bytes == 0 && !machine.has_far_last_level()) {
    found.push_back(fmt::format("if it stays so, WEFT_CACHES={},{},{},far says that L3 is far",
                                machine.l1_bytes, machine.l2_bytes, machine.l3_bytes));
  }
  return found;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::int64_t mib = 1 << 20, kib = 1 << 10;
  if (bytes >= mib)
    return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / static_cast<double>(mib));
  return fmt::format("{:.4g} KiB", static_cast<double>(bytes) / static_cast<double>(kib));
}

}  // namespace weft::cli
