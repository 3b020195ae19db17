// SPDX-License-Identifier: Apache-2.0
/// @file
/// Random numbers that a failing test can be run again with.
///
///     WEFT_TEST_SEED=12345 weft_test_iter "name of the test"
///
/// repeats a run; WEFT_TEST_ROUNDS=100 makes the random tests a hundred times as long, 0.1 a tenth.
#pragma once

#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace test {

inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : std::strtoull(value, nullptr, 10);
}

/// The seed of this run: WEFT_TEST_SEED, or always the same.
inline std::uint64_t seed() { return number_from_environment("WEFT_TEST_SEED", 20'260'229); }

/// `count`, times WEFT_TEST_ROUNDS where that is set; at least once.
inline int rounds(int count) {
  const char* value = std::getenv("WEFT_TEST_ROUNDS");
  const double factor = value == nullptr || *value == '\0' ? 1 : std::strtod(value, nullptr);
  return std::max(1, static_cast<int>(count * factor));
}

/// A random source that gives the same numbers everywhere, quickly: SplitMix64 (Steele, Lea, Flood:
/// Fast Splittable Pseudorandom Number Generators, 2014). Drawing elements is a good part of what
/// tests take.
class Random {
 public:
  explicit Random(std::uint64_t from) : state_(from) {}

  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  /// From low to high, both included.
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    const auto count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + below(count));
  }
  /// True in `percent` of 100 cases.
  bool chance(int percent) { return integer(0, 99) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(from.size()) - 1))];
  }
  /// 0, 1, ..., n - 1 in random order.
  std::vector<std::int64_t> permutation(std::int64_t n) {
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < n; ++i)
      order.push_back(i);
    for (std::int64_t i = n; i-- > 1;) {
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(integer(0, i))]);
    }
    return order;
  }

 private:
  /// From 0 to count - 1; a count of 0 stands for 2^64.
  std::uint64_t below(std::uint64_t count) {
    const std::uint64_t drawn = bits();
    if (count == 0) return drawn;
    return count >> 32 == 0 ? (drawn >> 32) * count >> 32 : drawn % count;
  }

  std::uint64_t state_;
};

}  // namespace test

/// Declares a random source, and has Catch print the seed with whatever fails in this scope.
#define WEFT_RANDOM(NAME)          \
  test::Random NAME(test::seed()); \
  INFO("WEFT_TEST_SEED=" << test::seed())
