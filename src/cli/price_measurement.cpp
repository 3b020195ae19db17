// SPDX-License-Identifier: Apache-2.0
#include "cli/price_measurement.hpp"

#include "cli/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace weft::cli {
namespace {

/// Two measurements that differ by more are none.
constexpr double max_spread = 0.25;
/// Long enough that reading the clock does not count, short enough to lie between interruptions.
constexpr double batch_ns = 5e4;
constexpr long max_calls = 1L << 16;
constexpr int min_batches = 2;
constexpr std::size_t min_samples = 5;
/// Of the machine where the references are from.
constexpr auto reference_class = static_cast<std::size_t>(MachineClass::tight);

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Calls of a batch.
long calls_of(const std::function<void()>& call) {
  call();
  const double once = std::min(time_calls(call, 1), time_calls(call, 1));
  return std::clamp(static_cast<long>(batch_ns / std::max(once, 1.0)), 1L, max_calls);
}

}  // namespace

double TwiceMeasured::spread() const noexcept {
  const double difference = std::abs(first_ns - second_ns);
  if (difference == 0) return 0;
  return best_ns > 0 ? difference / best_ns : std::numeric_limits<double>::infinity();
}

PairTimes time_pair(const std::function<void()>& fewer, const std::function<void()>& more,
                    double seconds) {
  const Clock::time_point start = Clock::now();
  const long fewer_calls = calls_of(fewer), more_calls = calls_of(more);
  constexpr double never = std::numeric_limits<double>::infinity();
  PairTimes least{never, never};
  for (int i = 0; i < min_batches || seconds_since(start) < seconds; ++i) {
    least.fewer_ns = std::min(least.fewer_ns, time_calls(fewer, fewer_calls));
    least.more_ns = std::min(least.more_ns, time_calls(more, more_calls));
  }
  return least;
}

double time_after_pauses(const std::function<void()>& call, double pause_seconds, double seconds) {
  const Clock::time_point start = Clock::now();
  std::vector<double> samples;
  while (samples.size() < min_samples || seconds_since(start) < seconds) {
    const Clock::time_point pause = Clock::now();
    while (seconds_since(pause) < pause_seconds) {
    }
    samples.push_back(time_calls(call, 1));
  }
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

TwiceMeasured difference_of(const PairTimes& first, const PairTimes& second) noexcept {
  return {first.more_ns - first.fewer_ns, second.more_ns - second.fewer_ns,
          std::min(first.more_ns, second.more_ns) - std::min(first.fewer_ns, second.fewer_ns)};
}

RowPrice price_of(const TuningRow& row, std::int64_t kept, const TwiceMeasured& measured,
                  double reference_ns) {
  RowPrice price{kept, measured.spread(), {}, false};
  if (!(measured.first_ns > 0 && measured.second_ns > 0 && measured.best_ns > 0)) {
    price.why_kept = "what should take longer does not";
    price.noisy = true;
  } else if (!(price.spread <= max_spread)) {
    price.why_kept =
        fmt::format("two measurements of it differ by {:.0f} percent", 100 * price.spread);
    price.noisy = true;
  } else {
    // Clamped as a real number: an integer might not hold it.
    const double scaled =
        static_cast<double>(row.defaults[reference_class]) * measured.best_ns / reference_ns;
    price.value = std::llround(
        std::clamp(scaled, static_cast<double>(row.minimum), static_cast<double>(row.maximum)));
  }
  return price;
}

RowPrice kept_price(std::int64_t kept, std::string why) { return {kept, 0, std::move(why), false}; }

}  // namespace weft::cli
