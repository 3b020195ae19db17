// SPDX-License-Identifier: Apache-2.0
/// @file
/// From times of calls to a price of the tuning table, or to why there is none.
#pragma once

#include "machine/tuning.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace weft::cli {

/// Nanoseconds of two calls, each the minimum of its samples.
struct PairTimes {
  double fewer_ns = 0, more_ns = 0;
};
/// Times two calls in turns, in batches of about 50 us, for about `seconds`; each at least twice.
PairTimes time_pair(const std::function<void()>& fewer, const std::function<void()>& more,
                    double seconds);

/// The median time of a call, each after a pause of `pause_seconds` in which this thread stays
/// awake; for about `seconds`, at least five times.
double time_after_pauses(const std::function<void()>& call, double pause_seconds, double seconds);

/// Nanoseconds of something that was measured twice, with something else in between: what disturbs
/// one of them for as long as it goes on does not disturb the other.
struct TwiceMeasured {
  double first_ns = 0, second_ns = 0;
  double best_ns = 0;  ///< by the samples of both

  /// How much the two differ, in parts of `best_ns`.
  double spread() const noexcept;
};
/// What the second of two calls takes more than the first.
TwiceMeasured difference_of(const PairTimes& first, const PairTimes& second) noexcept;

/// The value of a row, and what is to be told of it.
struct RowPrice {
  std::int64_t value = 0;
  double spread = 0;     ///< of the two measurements
  std::string why_kept;  ///< empty if it was measured; else why it is the table's
  bool noisy = false;    ///< that is so because the machine is busy
};

/// The row's value for a machine on which something takes what was measured, within the row's
/// range. Where that takes `reference_ns`, on a machine of class `tight`, the table's value holds.
/// A row keeps the value `kept` if the two measurements differ too much, or if what should take
/// longer does not.
RowPrice price_of(const TuningRow& row, std::int64_t kept, const TwiceMeasured& measured,
                  double reference_ns);
/// The table's value, for a reason that is not noise.
RowPrice kept_price(std::int64_t kept, std::string why);

}  // namespace weft::cli
