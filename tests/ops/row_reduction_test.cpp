// SPDX-License-Identifier: Apache-2.0
// A few elements next to each other that become one take no plan: the same bits as with one, and
// where it is not that simple, all the same results and errors.
#include <weft/ops/reduce.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"

#include <cstring>
#include <optional>

namespace {

using test::Dims;
using test::Random;
using weft::IntSpan;
using weft::ReduceOptions;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

struct Function {
  const char* name;
  Tensor (*make)(const weft::Input& a, IntSpan axes, const ReduceOptions& options);
  void (*out)(const weft::Output& out, const weft::Input& a, IntSpan axes,
              const ReduceOptions& options);
};
constexpr Function functions[] = {
#define WEFT_FUNCTION(NAME, ...) {#NAME, &weft::NAME, &weft::NAME##_out},
    WEFT_FOR_EACH_REDUCTION(WEFT_FUNCTION)
#undef WEFT_FUNCTION
};

/// Into a new output, which takes the plan.
std::optional<Tensor> result(const Function& function, const TensorView& a) {
  try {
    return function.make(a, {}, {});
  } catch (const weft::Error&) {
    return std::nullopt;  // not for this type
  }
}

}  // namespace

TEST_CASE("row reductions: the same bits as by way of a plan", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (std::int64_t n : {1, 2, 3, 7, 15, 16, 17, 64, 100, 129, 513, 2047, 2048, 2049}) {
      const test::Memory row =
          test::random_memory(random, type, test::fit({{n}, {1}}), test::Values::small);
      for (const Function& function : functions) {
        const std::optional<Tensor> planned = result(function, row.view());
        if (!planned) continue;
        for (const Dims& axes : {Dims{}, Dims{0}, Dims{-1}}) {
          const Tensor out = Tensor::empty({}, planned->dtype());
          function.out(out, row.view(), axes, {});
          const Tensor kept = Tensor::empty({1}, planned->dtype());
          function.out(kept, row.view(), axes, {.keepdim = true});
          const auto size = static_cast<std::size_t>(planned->nbytes());
          const bool same = std::memcmp(out.data(), planned->data(), size) == 0 &&
                            std::memcmp(kept.data(), planned->data(), size) == 0;
          tally.check(same, [&](auto& text) {
            text << function.name << " of " << n << ' ' << weft::name(type);
          });
        }
      }
    }
  }
  INFO("seed " << test::seed());
  CHECK_TALLY(tally);
}

TEST_CASE("row reductions: what is not that simple takes the plan", "[ops]") {
  const Tensor a = Tensor::of<float>({4}, {1, 2, 3, 4});
  Tensor out = Tensor::empty({3}, ScalarType::f32);
  weft::sum_out(out, a);  // replaced by one of the right shape
  CHECK(out.rank() == 0);
  CHECK(out.at<float>({}) == 10);
  Tensor wide = Tensor::empty({}, ScalarType::f64);
  weft::sum_out(wide, a);
  CHECK(wide.at<double>({}) == 10);
  const Tensor square = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  Tensor columns;
  weft::sum_out(columns, square, {0});
  CHECK(columns.at<float>({1}) == 6);
  const Tensor whole = Tensor::empty({}, ScalarType::f32);
  weft::amax_out(whole, square);
  CHECK(whole.at<float>({}) == 4);
}

TEST_CASE("row reductions: errors as ever", "[ops]") {
  const Tensor a = Tensor::of<float>({4}, {1, 2, 3, 4});
  const Tensor out = Tensor::empty({}, ScalarType::f32);
  CHECK_THROWS_AS(weft::sum_out(out, a, {1}), weft::Error);
  CHECK_THROWS_AS(weft::sum_out(out, a, {0, 0}), weft::Error);
  CHECK_THROWS_AS(weft::sum_out(TensorView(a).select(0, 1), a), weft::Error);
  CHECK_THROWS_AS(weft::sum_out(out, TensorView()), weft::Error);
}
