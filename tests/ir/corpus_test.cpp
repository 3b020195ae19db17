// SPDX-License-Identifier: Apache-2.0
// The first inputs of the fuzz target, and whatever once broke something, read again.
#include <weft/base/error.hpp>

#include "fuzz/fuzz_input.hpp"
#include "support/catch.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

using namespace weft;

TEST_CASE("corpus: every file gives a model or an Error", "[corpus]") {
  std::set<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_TESTS_DIR "/fuzz/corpus")) {
    INFO(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    REQUIRE(!bytes.empty());
    try {
      test::build_fuzz_input(std::as_bytes(std::span(bytes)));
      models.insert(entry.path().stem().string());
    } catch (const Error& error) {
      CHECK(std::string(error.what()).rfind("fuzz: ", 0) == 0);
    }
  }
  // These are in order, so that the fuzzer begins behind the first checks.
  for (const char* name : {"small_net", "running_sum", "counted", "if", "lstm", "legacy_v5",
                           "lstm_v7", "operations", "sequence_layer"}) {
    INFO(name);
    CHECK(models.count(name) == 1);
  }
}
