// SPDX-License-Identifier: Apache-2.0
// Results are the same on every machine and at every level with fused multiply-add: their hashes
// are those of tests/data/results/hashes.txt, which level avx2 wrote. A line of it is an operation,
// or a type that is converted to any, and a hash for each of its cases.
//
//     WEFT_ISA=avx2 WEFT_TEST_RESULTS=hashes.txt weft_test_properties '[write-results]'
//
// writes the file anew, where results are meant to change.
#include <weft/machine/level.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/matmul.hpp>
#include <weft/ops/registry.hpp>

#include "properties/random_call.hpp"
#include "support/levels.hpp"
#include "support/own_program.hpp"
#include "support/plain_ops.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace {

using test::Dims;
using test::Layout;
using test::Memory;
using test::Random;
using weft::ScalarType;

constexpr const char* file_name = WEFT_TESTS_DIR "/data/results/hashes.txt";
/// Of each operation: all fifteen types, and the floating ones twice.
constexpr int cases = 28;

/// A number that no function has to ask the C library about, which is another on every system: of
/// magnitude 2^-10 to 2^most.
struct Plain {
  int most = 7;
  bool positive = false;
};
template <class T>
T plain_number(Random& random, Plain plain) {
  const auto fraction = 1.0 + static_cast<double>(random.bits() >> 12) * 0x1p-52;
  const double value = std::ldexp(fraction, static_cast<int>(random.integer(-10, plain.most - 1)));
  const bool negative = random.chance(50) && !plain.positive;
  return weft::cast<T>(negative ? -value : value);
}
template <class T>
T plain_element(Random& random, Plain plain) {
  if constexpr (weft::is_complex_type<T>) {
    using Part = typename T::value_type;
    const Part real = plain_number<Part>(random, plain);
    return T(real, plain_number<Part>(random, plain));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random.integer(plain.positive || !std::is_signed_v<T> ? 1 : -100, 100));
  } else {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double special[] = {0.0, -0.0, 1.0, -1.0, infinity, -infinity, infinity - infinity};
    if (!plain.positive && random.chance(10)) return weft::cast<T>(special[random.integer(0, 6)]);
    return plain_number<T>(random, plain);
  }
}
template <Plain plain>
Memory draw_plain(Random& random, ScalarType type, const Layout& layout) {
  Memory memory(type, layout);
  std::byte* to = memory.data();
  weft::dispatch_all_types(type, [&]<class T>() {
    for (std::int64_t i = 0; i < layout.size; ++i, to += sizeof(T))
      test::store(to, plain_element<T>(random, plain));
  });
  return memory;
}

test::DrawInput draw_for(const weft::OpEntry& op) {
  if (op.name == "lgamma") return &draw_plain<Plain{.positive = true}>;  // zeros lie below 0
  if (op.name == "pow") return &draw_plain<Plain{.most = 4}>;            // or it is infinite
  const auto others = {"abs", "sqrt", "logcumsumexp", "softmax", "log_softmax"};
  return test::is_approximate(op) || std::ranges::count(others, op.name) > 0 ? &draw_plain<Plain{}>
                                                                             : &test::draw_any;
}

std::uint32_t folded(std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ hash >> 32); }

std::uint32_t hash_of(test::Dense values) {
  test::canonicalize(values);
  return folded(test::digest(values));
}

/// A random source for a case: the same everywhere, whatever other cases there are.
Random random_for(std::string_view name, int number) {
  auto seed = static_cast<std::uint64_t>(number);
  for (const char c : name)
    seed = (seed ^ static_cast<std::uint64_t>(c)) * 0x100000001b3;
  return Random(seed);
}

ScalarType type_of_case(int number) {
  const auto& types = test::all_types();
  const auto place = static_cast<std::size_t>(number);
  const std::size_t exact = 9;  // in front of those that are floating
  return types[place < types.size() ? place : exact + place % (types.size() - exact)];
}

/// The same of an operation. Inverse functions of c128 are the C library's.
ScalarType type_for(const weft::OpEntry& op, int number) {
  const ScalarType type = type_of_case(number);
  const auto inverse = {"acos", "acosh", "asin", "asinh", "atan", "atanh"};
  const bool is_library = type == ScalarType::c128 && std::ranges::count(inverse, op.name) > 0;
  return is_library ? ScalarType::c64 : type;
}

std::uint32_t result_of(const weft::OpEntry& op, int number) {
  Random random = random_for(op.name, number);
  Dims shape = {random.integer(1, 6), random.integer(1, 9)};
  shape[static_cast<std::size_t>(random.integer(0, 1))] = random.integer(1, 250);
  if (op.name == "dot") shape = {random.integer(1, 250), 1};
  const test::RandomCall call(random, op, type_for(op, number), shape, draw_for(op));
  try {
    call.run();
  } catch (const weft::Error& error) {
    // Integers have been divided by then.
    if (error.code() != weft::ErrorCode::division) return static_cast<std::uint32_t>(error.code());
  }
  return folded(test::digest(call.result()));
}

std::uint32_t product_of(int number) {
  Random random = random_for("matmul", number);
  const ScalarType type = type_of_case(number);
  const Dims extents = {random.integer(1, 40), random.integer(1, 300), random.integer(1, 70)};
  const auto factor = [&](const Dims& shape) {
    return test::draw_any(random, type, test::random_layout(random, shape));
  };
  const Memory a = factor({extents[0], extents[1]}), b = factor({extents[1], extents[2]});
  return hash_of(test::dense_copy(weft::matmul(a.view(), b.view())));
}

/// Any values of a type, those out of range of the other among them.
std::uint32_t conversion_of(ScalarType from, int number) {
  Random random = random_for(weft::name(from), number);
  const Dims shape = {random.integer(1, 9), random.integer(1, 250)};
  const Memory memory = test::draw_any(random, from, test::random_layout(random, shape));
  return hash_of(test::dense_copy(weft::contiguous(memory.view(), type_of_case(number))));
}

using Results = std::map<std::string, std::vector<std::uint32_t>>;

Results computed() {
  Results results;
  for (int i = 0; i < cases; ++i) {
    for (const weft::OpEntry& op : test::plain_ops())
      results[std::string(op.name)].push_back(result_of(op, i));
    results["matmul"].push_back(product_of(i));
    for (const ScalarType from : test::all_types())
      results["from-" + std::string(weft::name(from))].push_back(conversion_of(from, i));
  }
  return results;
}

Results written() {
  Results results;
  std::ifstream file(file_name);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name >> std::hex;
    for (std::uint32_t hash = 0; words >> hash;)
      results[name].push_back(hash);
  }
  return results;
}

}  // namespace

TEST_CASE("same results: written into a file", "[.][write-results]") {
  const char* path = std::getenv("WEFT_TEST_RESULTS");
  REQUIRE(path != nullptr);
  std::ofstream file(path);
  for (const auto& [name, hashes] : computed()) {
    file << name << std::hex;
    for (const std::uint32_t hash : hashes)
      file << ' ' << hash;
    file << '\n';
  }
  CHECK(file.good());
}

TEST_CASE("same results: those of the file, at the current level", "[.][compare-results]") {
  const Results got = computed(), want = written();
  test::Tally tally;
  for (const auto& result : got) {
    const auto& name = result.first;
    const auto& hashes = result.second;
    const auto found = want.find(name);
    const bool is_there = found != want.end() && found->second.size() == hashes.size();
    tally.check(is_there, [&](auto& text) { text << name << " is not in the file"; });
    for (std::size_t i = 0; is_there && i < hashes.size(); ++i) {
      tally.check(hashes[i] == found->second[i], [&](auto& text) {
        text << name << ", case " << i << ", " << weft::name(type_of_case(static_cast<int>(i)));
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("same results: on every machine, at every level with FMA", "[properties]") {
  for (const weft::Level level : test::levels()) {
    if (level == weft::Level::baseline) continue;
    const std::string command = "WEFT_ISA=" + std::string(weft::name(level)) + " " +
                                test::own_program() + " '[compare-results]'";
    INFO(command);
    CHECK(std::system(command.c_str()) == 0);
  }
}
