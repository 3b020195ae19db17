// SPDX-License-Identifier: Apache-2.0
// From measurements, made-up ones, to prices and sizes of caches.
#include "cli/price_measurement.hpp"

#include "cli/cache_sweep.hpp"
#include "cli/price_probes.hpp"
#include "error_of.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

using namespace weft;
using namespace weft::cli;

namespace {

/// A row whose value may be 10 to 5000, and is 300 in the class of the references.
TuningRow some_row() {
  return {"some_ps", "ps", &Tuning::row_ps, 10, 5000, {300, 400, 500}, 11, ""};
}

}  // namespace

TEST_CASE("price measurement: two measurements that agree scale the table's value", "[tune]") {
  const RowPrice same = price_of(some_row(), 400, {200, 200, 200}, 200);
  CHECK(same.value == 300);
  CHECK(same.spread == 0);
  CHECK(same.why_kept.empty());
  const RowPrice twice = price_of(some_row(), 400, {420, 400, 400}, 200);
  CHECK(twice.value == 600);
  CHECK((twice.spread > 0.049 && twice.spread < 0.051));
  CHECK(twice.why_kept.empty());
  CHECK_FALSE(twice.noisy);
}

TEST_CASE("price measurement: noise keeps the table's value", "[tune]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const TwiceMeasured& noise :
       {TwiceMeasured{200, 300, 200}, TwiceMeasured{-1, 200, 200}, TwiceMeasured{200, 200, -5},
        TwiceMeasured{0, 0, 0}, TwiceMeasured{-200, -200, -200},
        TwiceMeasured{infinity, 200, 200}}) {
    INFO(noise.first_ns << ' ' << noise.second_ns << ' ' << noise.best_ns);
    const RowPrice price = price_of(some_row(), 400, noise, 200);
    CHECK(price.value == 400);
    CHECK_FALSE(price.why_kept.empty());
    CHECK(price.noisy);
  }
  const RowPrice kept = kept_price(400, "there is one thread only");
  CHECK(kept.value == 400);
  CHECK(kept.why_kept == "there is one thread only");
  CHECK_FALSE(kept.noisy);
}

TEST_CASE("price measurement: values stay within the row's range", "[tune]") {
  CHECK(price_of(some_row(), 400, {1e30, 1e30, 1e30}, 200).value == 5000);
  CHECK(price_of(some_row(), 400, {1e-9, 1e-9, 1e-9}, 200).value == 10);
}

TEST_CASE("price measurement: differences are those of the quickest samples", "[tune][timing]") {
  const TwiceMeasured ns = difference_of({100, 180}, {90, 190});
  CHECK(ns.first_ns == 80);
  CHECK(ns.second_ns == 100);
  CHECK(ns.best_ns == 90);
  CHECK((ns.spread() > 0.22 && ns.spread() < 0.23));

  long fewer = 0, more = 0;
  const PairTimes times = time_pair([&] { ++fewer; }, [&] { ++more; }, 0);
  CHECK((times.fewer_ns > 0 && times.more_ns > 0));
  CHECK((fewer > 1000 && more > 1000));
  int calls = 0;
  CHECK(time_after_pauses([&] { ++calls; }, 1e-5, 0) > 0);
  CHECK(calls == 5);
}

TEST_CASE("price measurement: sizes of caches by latency", "[tune]") {
  const std::vector<SweepPoint> points = {{8 << 10, 1},  {16 << 10, 1},  {32 << 10, 1.1},
                                          {64 << 10, 4}, {128 << 10, 4}, {256 << 10, 30}};
  CHECK(bytes_seen(points, 1, 4) == 32 << 10);
  CHECK(bytes_seen(points, 4, 30) == 128 << 10);
  CHECK(bytes_seen(points, 4, 4.4) == 0);  // no step
  CHECK(bytes_seen(points, 0, 4) == 0);
  CHECK(bytes_seen({}, 1, 4) == 0);

  CpuInfo machine;
  machine.l1_bytes = 32 << 10;
  machine.l2_bytes = 1 << 20;
  machine.l3_bytes = 32 << 20;
  const auto level = [](const char* name, std::int64_t told, std::int64_t seen) {
    return CacheLevel{name, told, seen, 1, {}};
  };
  std::vector<CacheLevel> levels = {level("L1", 32 << 10, 32 << 10),
                                    level("L2", 1 << 20, 768 << 10),
                                    level("L3", 32 << 20, 24 << 20), level("memory", 0, 0)};
  CHECK(contradictions(levels, machine).empty());
  levels[2].seen_bytes = 8 << 20;
  CHECK(contradictions(levels, machine) ==
        std::vector<std::string>{"L3 seems to hold 8 MiB, not 32 MiB"});
  levels[2].seen_bytes = 0;
  CHECK(contradictions(levels, machine) ==
        std::vector<std::string>{
            "memory is about as quick as L3",
            "if it stays so, WEFT_CACHES=32768,1048576,33554432,far says that L3 is far"});
  machine.l3_is_told_far = true;
  CHECK(contradictions(levels, machine).size() == 1);
}

TEST_CASE("price probes: calls can be carried out, each for a price of its own", "[tune]") {
  std::set<std::string_view> names;
  for (const std::int64_t l1 : {4 << 10, 32 << 10, 128 << 10}) {
    CpuInfo machine = cpu_info();
    machine.l1_bytes = l1;
    names.clear();
    for (const PriceProbe& probe : price_probes(machine)) {
      const auto row = std::ranges::find(tuning_rows(), probe.price, &TuningRow::value);
      REQUIRE(row != tuning_rows().end());
      INFO(row->name);
      CHECK(names.insert(row->name).second);
      CHECK(probe.reference_ns > 0);
      const PairTimes times = time_probe(probe, machine, 0);
      CHECK((times.fewer_ns > 0 && times.more_ns > 0));
    }
  }
  CHECK(names.size() == 11);
}
