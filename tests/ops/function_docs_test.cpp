// SPDX-License-Identifier: Apache-2.0
// docs/functions.md lists what the function table says, line by line.
#include <weft/ops/function_table.hpp>
#include <weft/ops/reduction_table.hpp>

#include "support/catch.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <string>

namespace {

std::string kinds_text(weft::Kinds kinds) {
  if (kinds == weft::kinds::all) return "all";
  const std::pair<weft::Kinds, const char*> names[] = {{weft::kinds::boolean, "bool"},
                                                       {weft::kinds::integers, "integers"},
                                                       {weft::kinds::floating, "floating"},
                                                       {weft::kinds::complex, "complex"}};
  std::string text;
  for (const auto& [kind, name] : names) {
    if ((kinds & kind) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

std::string result_text(weft::ResultRule rule) {
  switch (rule) {
    case weft::ResultRule::common: return "common";
    case weft::ResultRule::floating: return "common, integers as f32";
    case weft::ResultRule::part: return "common, of complex its real type";
    case weft::ResultRule::truth: return "bool";
    case weft::ResultRule::chosen: return "common of b and c";
  }
  return "";
}

/// A bar would end the cell.
std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

std::string line_of(const weft::FunctionInfo& function, bool scaled) {
  const char* arguments[] = {"(a)", "(a, b)", "(a, b, c)"};
  const std::string call =
      function.name + std::string(scaled ? "(a, b, c, value)" : arguments[function.inputs - 1]);
  return "| `" + call + "` | " + kinds_text(function.kinds) + " | " + result_text(function.result) +
         " | " + cell(function.text) + " |";
}

std::string result_text(weft::ReduceResult rule) {
  switch (rule) {
    case weft::ReduceResult::common: return "the input's";
    case weft::ReduceResult::counted: return "the input's, i64 for integers and bool";
    case weft::ReduceResult::floating: return "the input's, f32 for integers and bool";
    case weft::ReduceResult::truth: return "bool";
    case weft::ReduceResult::count: return "i64";
    case weft::ReduceResult::magnitude:
      return "the input's, its parts' of complex numbers, f32 for integers and bool";
  }
  return "";
}

std::string line_of(const weft::ReductionInfo& function, bool one_axis) {
  return "| `" + std::string(function.name) + (one_axis ? "(a, axis)" : "(a, axes)") + "` | " +
         kinds_text(function.kinds) + " | " + result_text(function.result) + " | " +
         cell(function.text) + " |";
}

}  // namespace

TEST_CASE("documents: the table of functions", "[ops]") {
  std::ifstream page(WEFT_TESTS_DIR "/../docs/functions.md");
  REQUIRE(page);
  std::set<std::string> listed;
  for (std::string line; std::getline(page, line);) {
    // A row that begins with a call.
    const std::string first = line.substr(0, line.find(" | "));
    if (line.rfind("| `", 0) == 0 && first.ends_with(")`")) listed.insert(line);
  }
  const auto check = [&](std::span<const weft::FunctionInfo> functions, bool scaled = false) {
    for (const weft::FunctionInfo& function : functions) {
      const std::string line = line_of(function, scaled);
      // To be copied into the page where it is missing.
      CHECKED_ELSE(listed.erase(line) == 1) { UNSCOPED_INFO(line); }
    }
  };
  check(weft::unary_functions);
  check(weft::binary_functions);
  check(weft::compare_functions);
  check(weft::division_functions);
  check(weft::ternary_functions);
  check(weft::scaled_functions, true);
  for (const weft::ReductionInfo& function : weft::reductions) {
    const bool one_axis = std::string(function.name).starts_with("arg");
    const std::string line = line_of(function, one_axis);
    CHECKED_ELSE(listed.erase(line) == 1) { UNSCOPED_INFO(line); }
  }
  CHECK(listed == std::set<std::string>());
}
