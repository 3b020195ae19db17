// SPDX-License-Identifier: Apache-2.0
#include "cli/timing.hpp"

#include "support/catch.hpp"

using namespace weft::cli;

TEST_CASE("timing: least, median and number of batches", "[timing]") {
  long calls = 0;
  const Times none = measure([&] { ++calls; }, 0);
  CHECK(none.runs == 5);
  CHECK(none.least_ns > 0);
  CHECK(none.least_ns <= none.median_ns);
  CHECK(calls > 1000);

  const Times some = measure([&] { ++calls; }, 0.02);
  CHECK(some.runs > 5);

  calls = 0;
  time_calls([&] { ++calls; }, 7);
  CHECK(calls == 7);
}
