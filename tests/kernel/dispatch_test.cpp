// SPDX-License-Identifier: Apache-2.0
// Levels: which there are, which one runs, and that a user's own kernel file gives the same at all.
#include <weft/machine/cpu_info.hpp>
#include <weft/machine/dispatch.hpp>

#include "kernel/scaled_add.hpp"
#include "support/dense.hpp"
#include "support/levels.hpp"
#include "support/mix.hpp"

#include <cstdlib>
#include <string>
#include <utility>

namespace {

using test::Dims;
using test::Memory;
using weft::Level;
using weft::ScalarType;

/// A table whose functions give the places of their levels.
template <int... places>
constexpr auto table_of_places(std::integer_sequence<int, places...>) {
  return weft::LevelTable<int()>([] { return places; }...);
}
/// One whose functions are all the same.
template <class Signature, class F, int... places>
constexpr auto table_of_one(F f, std::integer_sequence<int, places...>) {
  return weft::LevelTable<Signature>((static_cast<void>(places), f)...);
}
constexpr auto all_places = std::make_integer_sequence<int, weft::level_count>();

}  // namespace

TEST_CASE("levels: their names", "[kernel]") {
  CHECK(weft::name(Level::baseline) == "baseline");
  CHECK(weft::name(Level::avx2) == "avx2");
  CHECK(weft::name(Level::avx512) == "avx512");
  CHECK(weft::name(Level::neon) == "neon");
#if defined(__x86_64__)
  CHECK(weft::lowest_level == Level::baseline);
  CHECK(weft::level_count == 3);
#elif defined(__aarch64__)
  CHECK(weft::lowest_level == Level::neon);
  CHECK(weft::level_count == 1);
#endif
}

TEST_CASE("levels: WEFT_ISA lowers the level, and never raises it", "[kernel]") {
  const char* wanted = std::getenv("WEFT_ISA");
  Level expected = weft::best_level();
  for (int i = 0; wanted != nullptr && i < weft::level_count; ++i) {
    const Level level = weft::level_at(i);
    if (wanted == weft::name(level) && level < expected) expected = level;
  }
  CHECK(weft::current_level() == expected);
  CHECK(weft::cpu_info().level == expected);
  CHECK(weft::cpu_info().best_level == weft::best_level());
#if !defined(__x86_64__)
  CHECK(weft::best_level() == weft::lowest_level);
#endif
}

TEST_CASE("cpu_info: plausible", "[kernel]") {
  const weft::CpuInfo& info = weft::cpu_info();
  CHECK(info.hardware_threads >= 1);
  CHECK(info.l1_bytes >= 4 << 10);
  CHECK(info.l2_bytes >= info.l1_bytes);
  CHECK(info.l3_bytes > 0);
  CHECK(info.model.find('\0') == std::string::npos);
}

TEST_CASE("LevelTable: calls the function of the current level", "[kernel]") {
  constexpr auto table = table_of_places(all_places);
  CHECK(table() == weft::place_of(weft::current_level()));
  for (int i = 0; i < weft::level_count; ++i)
    CHECK(table.at(weft::level_at(i))() == i);

  int moved_from = 0;
  constexpr auto forward = [](std::unique_ptr<int> p, int& counter) { counter += *p; };
  constexpr auto forwarding = table_of_one<void(std::unique_ptr<int>, int&)>(forward, all_places);
  forwarding(std::make_unique<int>(5), moved_from);
  CHECK(moved_from == 5);
}

TEST_CASE("kernel files: each level is compiled for itself", "[kernel]") {
  CHECK(test::compiled_level() == weft::current_level());
  for (const Level level : test::levels())
    CHECK(test::compiled_level.at(level)() == level);
}

TEST_CASE("kernel files: the same result at every level", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(300); ++round) {
    const bool wide = random.chance(50);
    const ScalarType type = wide ? ScalarType::f64 : ScalarType::f32;
    const Dims shape = test::random_shape(random, 3, round % 10 == 0 ? 40 : 8);
    const Memory a = test::random_input(random, type, shape);
    const Memory b = test::random_input(random, type, shape);
    const Memory out = test::random_output(random, type, shape);
    const auto want =
        test::naive_map(type, shape, {a.view(), b.view()}, [&](const auto* in, void* to) {
          // Two roundings, at every level: contraction is off.
          if (wide) {
            const volatile double product = test::load<double>(in[0]) * 1.1;
            test::store(to, product + test::load<double>(in[1]));
          } else {
            const volatile float product = test::load<float>(in[0]) * 1.1f;
            test::store(to, product + test::load<float>(in[1]));
          }
        });
    const auto iter = test::iterator(out.view(), {a.view(), b.view()});
    for (const Level level : test::levels()) {
      test::scaled_add.at(level)(iter, 1.1);
      const std::string wrong = test::difference(out.view(), want);
      tally.check(wrong.empty(), [&](auto& text) { text << weft::name(level) << ": " << wrong; });
    }
    test::scaled_add(iter, 1.1);
    tally.check(test::difference(out.view(), want).empty(),
                [&](auto& text) { text << "at the current level"; });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("kernel files: a reduction gives the same bits at every level", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(300); ++round) {
    const Dims shape = test::random_shape(random, 3, round % 4 == 0 ? 60 : 12);
    Dims reduced = shape;
    for (std::int64_t& extent : reduced) {
      if (random.chance(50)) extent = 1;
    }
    Memory a = test::random_memory(random, ScalarType::f32, test::random_layout(random, shape));
    for (std::int64_t i = 0; i < a.layout().size; ++i) {
      test::store(a.data() + 4 * i,
                  static_cast<float>(random.integer(-1'000'000, 1'000'000)) / 777);
    }
    const Memory out = test::random_output(random, ScalarType::f64, reduced);
    const auto iter = weft::TensorIteratorConfig()
                          .add_owned_output(weft::Tensor::share(nullptr, out.view()))
                          .add_owned_input(weft::Tensor::share(nullptr, a.view()))
                          .check_all_same_dtype(false)
                          .resize_outputs(false)
                          .is_reduction(true)
                          .build();
    test::sum_of_squares.at(weft::lowest_level)(iter);
    const test::Dense want = test::dense_copy(out.view());
    for (const Level level : test::levels()) {
      test::sum_of_squares.at(level)(iter);
      const std::string wrong = test::difference(out.view(), want);
      tally.check(wrong.empty(), [&](auto& text) { text << weft::name(level) << ": " << wrong; });
    }
    tally.check(true, [](auto&) {});
  }
  CHECK_TALLY(tally);
}
