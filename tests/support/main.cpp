// SPDX-License-Identifier: Apache-2.0
// The main function of every test program.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "support/levels.hpp"

int main(int argc, char** argv) {
  if (test::is_run_at_another_level()) return test::skipped_run;
  return Catch::Session().run(argc, argv);
}
