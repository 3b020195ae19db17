// SPDX-License-Identifier: Apache-2.0
// docs/operators.md names the operators that this layer adds.
#include <weft/recurrent/loop.hpp>

#include "support/catch.hpp"

#include <fstream>
#include <iterator>
#include <string>

TEST_CASE("documents: operators that run loops", "[recurrent]") {
  std::ifstream file(WEFT_TESTS_DIR "/../docs/operators.md");
  REQUIRE(file);
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  int count = 0;
  for (const weft::graph::Operator* op : weft::recurrent::operators().all()) {
    INFO("docs/operators.md does not name `" << op->name().name << "`");
    CHECK(page.find("`" + op->name().name + "`") != std::string::npos);
    count += op->name().name.ends_with("Sequence") ? 1 : 0;
  }
  CHECK(count == 4);  // and ReverseSequence
}
