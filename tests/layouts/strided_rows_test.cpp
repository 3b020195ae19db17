// SPDX-License-Identifier: Apache-2.0
// Long rows of strided elements, which are packed and unpacked chunk by chunk: the same elements as
// by the plainest of loops, and nothing between them.
#include <weft/iter/config.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/ops/binary.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/naive_ops.hpp"
#include "support/random_layout.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using test::Binary;
using test::Random;
using weft::ScalarType;
using weft::TensorView;

constexpr char gap = 0x5a;

/// rows x n elements, `step` elements from one to the next (backwards if below 0), in memory that
/// begins and ends with them.
template <class T>
class StridedRows {
 public:
  StridedRows(std::int64_t rows, std::int64_t n, std::int64_t step, std::int64_t shift)
      : rows_(rows), n_(n), step_(step), pitch_(std::abs(step) * n + 3) {
    const std::int64_t last = (rows - 1) * pitch_ + (n - 1) * std::abs(step);
    bytes_.assign(static_cast<std::size_t>(shift + (last + 1) * size), gap);
    first_ = bytes_.data() + shift + (step < 0 ? (1 - n) * step * size : 0);
  }
  void fill(Random& random) {
    for (std::int64_t r = 0; r < rows_; ++r) {
      for (std::int64_t i = 0; i < n_; ++i)
        test::store(at(r, i), weft::cast<T>(static_cast<std::int32_t>(random.integer(0, 100))));
    }
  }
  char* at(std::int64_t r, std::int64_t i) { return first_ + (r * pitch_ + i * step_) * size; }
  T get(std::int64_t r, std::int64_t i) { return test::load<T>(at(r, i)); }
  TensorView view() {
    return TensorView::trusted(static_cast<void*>(first_), weft::scalar_type_of<T>, {rows_, n_},
                               {pitch_, step_});
  }
  /// Puts gaps where the elements are; then every byte should be one.
  bool only_gaps_left() {
    for (std::int64_t r = 0; r < rows_; ++r) {
      for (std::int64_t i = 0; i < n_; ++i)
        std::memset(at(r, i), gap, static_cast<std::size_t>(size));
    }
    return std::ranges::all_of(bytes_, [](char c) { return c == gap; });
  }

 private:
  static constexpr std::int64_t size = sizeof(T);
  std::int64_t rows_, n_, step_, pitch_;  // in elements
  std::vector<char> bytes_;
  char* first_;
};

std::int64_t draw_step(Random& random) {
  constexpr std::int64_t steps[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 17, 33};
  const std::int64_t step = steps[random.integer(0, std::ssize(steps) - 1)];
  return random.chance(20) ? -step : step;
}

/// out = a + b, computed in type C, over random steps and lengths.
template <class Out, class A, class B, class C>
void check(Random& random, test::Tally& tally, int rounds) {
  for (int round = 0; round < test::rounds(rounds); ++round) {
    const std::int64_t rows = random.integer(1, 3);
    const std::int64_t n = random.chance(30) ? random.integer(505, 520) : random.integer(500, 3000);
    const std::int64_t steps[3] = {draw_step(random), draw_step(random), draw_step(random)};
    const auto shift = [&] { return random.integer(0, 3); };
    StridedRows<Out> out(rows, n, steps[0], shift());
    StridedRows<A> a(rows, n, steps[1], shift());
    StridedRows<B> b(rows, n, steps[2], shift());
    a.fill(random);
    b.fill(random);
    const weft::ThreadLimit limit(1 + round % 2);
    weft::add_out(out.view(), a.view(), b.view());
    std::int64_t wrong = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t i = 0; i < n; ++i) {
        const auto want = weft::cast<Out>(test::binary_value<C>(
            Binary::add, weft::cast<C>(a.get(r, i)), weft::cast<C>(b.get(r, i))));
        wrong += std::memcmp(out.at(r, i), &want, sizeof(Out)) == 0 ? 0 : 1;
      }
    }
    const bool clean = out.only_gaps_left();
    tally.check(wrong == 0 && clean, [&](auto& text) {
      text << rows << " x " << n << ", steps " << steps[0] << ' ' << steps[1] << ' ' << steps[2]
           << ": " << wrong << " elements wrong" << (clean ? "" : ", wrote between them");
    });
  }
}

using c64 = std::complex<float>;
using weft::bfloat16;
using weft::float16;

}  // namespace

TEST_CASE("strided rows: every element size", "[layouts]") {
  Random random(test::seed());
  test::Tally tally;
  test::in_arena(2, [&] {
    check<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>(random, tally, 40);
    check<std::int16_t, std::int16_t, std::int16_t, std::int16_t>(random, tally, 30);
    check<float, float, float, float>(random, tally, 30);
    check<double, double, double, double>(random, tally, 30);
    check<std::complex<double>, std::complex<double>, std::complex<double>, std::complex<double>>(
        random, tally, 15);
  });
  INFO("seed " << test::seed());
  CHECK_TALLY(tally);
}

TEST_CASE("strided rows: converted on the way", "[layouts]") {
  Random random(test::seed());
  test::Tally tally;
  test::in_arena(2, [&] {
    check<float, std::int16_t, float, float>(random, tally, 20);
    check<double, float, std::int32_t, float>(random, tally, 20);
    check<float16, float16, float16, float16>(random, tally, 20);
    check<bfloat16, std::uint8_t, bfloat16, bfloat16>(random, tally, 20);
    check<c64, std::uint8_t, float, float>(random, tally, 20);
  });
  INFO("seed " << test::seed());
  CHECK_TALLY(tally);
}

TEST_CASE("strided rows: explained as packed, in spans of a piece", "[layouts]") {
  StridedRows<float> out(1, 5000, 1, 0);
  StridedRows<float> a(1, 5000, 5, 0);
  const TensorView to = out.view();
  const TensorView from = a.view();
  weft::TensorIteratorConfig config;
  config.add_output(to).add_input(from).add_input(to).set_overlap_policy(
      weft::OverlapPolicy::ignore);
  const weft::Explanation e = weft::explain_run(config.build());
  CHECK(e.operands[0].access == "direct");
  CHECK(e.operands[1].access == "staged: packed");
  CHECK(e.run.span < 5000);
  CHECK(e.run.span >= 64);
}

TEST_CASE("strided rows: the same row for all others is packed for a tile, not piece by piece",
          "[layouts]") {
  StridedRows<float> out(40, 700, 1, 0);
  StridedRows<float> a(40, 700, 1, 0);
  StridedRows<float> b(1, 700, 3, 0);
  Random random(test::seed());
  a.fill(random);
  b.fill(random);
  const TensorView to = out.view();
  const TensorView left = a.view();
  const TensorView right = b.view();
  weft::TensorIteratorConfig config;
  config.add_output(to).add_input(left).add_input(right);
  CHECK(weft::explain_run(config.build()).run.span == 700);
  weft::add_out(to, left, right);
  test::Tally tally;
  for (std::int64_t r = 0; r < 40; ++r) {
    for (std::int64_t i = 0; i < 700; ++i) {
      tally.check(test::load<float>(out.at(r, i)) == a.get(r, i) + b.get(0, i),
                  [&](auto& text) { text << r << ", " << i; });
    }
  }
  INFO("seed " << test::seed());
  CHECK_TALLY(tally);
}
