// SPDX-License-Identifier: Apache-2.0
// Every operation gives the same bits at every level, but for functions that are not exact, which
// at baseline, without FMA, give others within their stated error.
//
// A process has one level, so this program runs itself once for each level of the machine: a hidden
// test case prints results, and the visible one compares what was printed.
#include "support/levels.hpp"

#include <weft/machine/level.hpp>
#include <weft/ops/registry.hpp>

#include "properties/random_call.hpp"
#include "support/own_program.hpp"
#include "support/plain_ops.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

namespace {

using test::Dims;
using weft::Level;
using weft::ScalarType;

constexpr const char* mark = "result-at-level";

/// True for the line of an approximate operation with a complex result.
bool is_approximate_complex(const std::string& line) {
  std::istringstream words(line);
  std::string first, name, type;
  words >> first >> name >> type;
  if (type != "c64" && type != "c128") return false;
  return std::ranges::any_of(test::plain_ops(), [&](const weft::OpEntry& op) {
    return op.name == name && test::is_approximate(op);
  });
}

/// One call with random operands: a line of text that says which, and what came out. Of
/// functions that are not exact the values themselves, to be compared with a tolerance.
void print_result(test::Random& random, const weft::OpEntry& op, ScalarType type) {
  Dims shape = {random.integer(1, 6), random.integer(1, 9)};
  shape[static_cast<std::size_t>(random.integer(0, 1))] = random.integer(1, 250);
  if (op.name == "dot") shape = {random.integer(1, 250), 1};
  const test::RandomCall call(random, op, type, shape);
  std::cout << mark << ' ' << op.name << ' ' << weft::name(call.type()) << ' ';
  try {
    call.run();
  } catch (const weft::Error& error) {
    std::cout << weft::name(error.code());
    // Integers have been divided by then.
    if (error.code() != weft::ErrorCode::division) {
      std::cout << '\n';
      return;
    }
  }
  const test::Dense values = call.result();
  std::cout << std::hex;
  if (test::is_approximate(op) && !weft::is_complex(call.type())) {
    for (std::int64_t i = 0; i < test::product(values.shape); ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, values.at(i), static_cast<std::size_t>(weft::element_size(call.type())));
      std::cout << bits << ',';
    }
  } else {
    std::cout << test::digest(values);
  }
  std::cout << std::dec << '\n';
}

/// The lines that this program prints at a level; empty if it could not be run.
std::vector<std::string> lines_at(Level level) {
  std::vector<std::string> lines;
#if defined(__linux__)
  const std::string command = "WEFT_ISA=" + std::string(weft::name(level)) + " " +
                              test::own_program() + " '[level-results]'";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return lines;
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof(buffer), pipe)) {
    text.append(buffer, count);
  }
  const int status = pclose(pipe);
  std::istringstream stream(text);
  for (std::string line; status == 0 && std::getline(stream, line);) {
    if (line.rfind(mark, 0) == 0) lines.push_back(line);
  }
#else
  static_cast<void>(level);
#endif
  return lines;
}

/// The place of a floating number among all of `bytes` bytes, in ascending order.
std::int64_t rank_of(std::uint64_t bits, int bytes) {
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

/// True if two lines of values name the same calls, and values that are next to each other or have
/// three others between them at most. What logsumexp gives may be near 0 and further from each
/// other.
bool neighbours(const std::string& a, const std::string& b) {
  std::istringstream x(a), y(b);
  std::string type;
  for (int word = 0; word < 3; ++word) {
    std::string q;
    x >> type;
    y >> q;
    if (type != q) return false;
    if (type == "logsumexp") return true;
  }
  const int bytes = type == "f64" ? 8 : type == "f32" ? 4 : 2;
  std::uint64_t p = 0, q = 0;
  char comma = 0;
  x >> std::hex;
  y >> std::hex;
  while (x >> p >> comma) {
    if (!(y >> q >> comma)) return false;
    if (p != q && std::abs(rank_of(p, bytes) - rank_of(q, bytes)) > 4) return false;
  }
  return !(y >> q);
}

}  // namespace

TEST_CASE("levels: results of every operation, printed", "[.][level-results]") {
  test::Random random(test::seed());
  for (const weft::OpEntry& op : test::plain_ops()) {
    for (const ScalarType type : test::all_types()) {
      for (int round = 0; round < test::rounds(8); ++round)
        print_result(random, op, type);
    }
  }
  std::cout << mark << " level " << weft::name(weft::current_level()) << std::endl;
}

TEST_CASE("levels: the same bits, except of inexact functions at baseline", "[properties]") {
  INFO("WEFT_TEST_SEED=" << test::seed());
  std::map<Level, std::vector<std::string>> results;
  for (const Level level : test::levels()) {
    std::vector<std::string>& lines = results[level];
    lines = lines_at(level);
#if defined(__linux__)
    INFO(weft::name(level));
    REQUIRE(lines.size() == test::plain_ops().size() * test::all_types().size() *
                                    static_cast<std::size_t>(test::rounds(8)) +
                                1);
    // The child did run at the level that it was asked for.
    REQUIRE(lines.back() == std::string(mark) + " level " + std::string(weft::name(level)));
#endif
    lines.resize(lines.empty() ? 0 : lines.size() - 1);
  }
  test::Tally tally;
  const auto compare = [&](Level a, Level b) {
    for (std::size_t i = 0; i < results[a].size(); ++i) {
      const std::string& x = results[a][i];
      const std::string& y = results[b][i];
      // Made of fused operations, which baseline does not have; their own tests say how exact they
      // are.
      if (a == Level::baseline && b != a &&
          (x.find("softmax ") != std::string::npos || is_approximate_complex(x))) {
        continue;
      }
      const bool tolerant = a == Level::baseline && x.find(',') != std::string::npos;
      tally.check(tolerant ? neighbours(x, y) || x == y : x == y, [&](auto& text) {
        text << weft::name(a) << ": " << x.substr(0, 300) << "; " << weft::name(b) << ": "
             << y.substr(0, 300);
      });
    }
  };
  for (const auto& [level, lines] : results) {
    compare(weft::lowest_level, level);
    if (level == Level::avx512) compare(Level::avx2, level);
  }
#if defined(__linux__)
  CHECK_TALLY(tally);
#endif
}
