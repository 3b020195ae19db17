// SPDX-License-Identifier: Apache-2.0
// docs/operators.md lists the operators that there are.
#include <weft/graph/operator_registry.hpp>

#include "support/catch.hpp"

#include <fstream>
#include <iterator>
#include <string>

TEST_CASE("documents: the tables of operators", "[graph]") {
  std::ifstream file(WEFT_TESTS_DIR "/../docs/operators.md");
  REQUIRE(file);
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const weft::graph::Operator* op : weft::graph::standard_operators().all()) {
    INFO("docs/operators.md has no row with `" << op->name().name << "`");
    CHECK(page.find("`" + op->name().name + "`") != std::string::npos);
  }
}
