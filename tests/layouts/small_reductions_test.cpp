// SPDX-License-Identifier: Apache-2.0
// A few contiguous elements that become one take no plan: the same bits as with one.
#include <weft/ops/reduce.hpp>

#include "support/dense.hpp"

#include <cstring>
#include <optional>
#include <vector>

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

TEST_CASE("row reductions: parts of a row are combined as by way of a plan", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<std::int64_t> lengths = {2049, 4096, 4097,  8191,  8192,
                                             8193, 9000, 14000, 16383, 16384};
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(4); ++round) {
      const std::int64_t n = random.pick(lengths);
      // Two rows are too many for a small reduction.
      const test::Memory rows = test::random_memory(
          random, type, test::fit({{20000 / n + 1, n}, {n, 1}}), test::Values::small);
      const TensorView row = rows.view().select(0, 0);
      for (const Function& function : functions) {
        std::optional<Tensor> planned;
        try {
          planned = function.make(rows.view(), {1}, {});
        } catch (const weft::Error&) {
          continue;  // not for this type
        }
        const Tensor out = Tensor::empty({}, planned->dtype());
        function.out(out, row, {}, {});
        const Tensor made = function.make(row, {}, {});  // by way of an iterator
        const auto size = static_cast<std::size_t>(out.nbytes());
        const bool same = std::memcmp(out.data(), planned->data(), size) == 0 &&
                          std::memcmp(made.data(), planned->data(), size) == 0;
        tally.check(same, [&](auto& text) {
          text << function.name << " of " << n << ' ' << weft::name(type);
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("row reductions: the same bits as by way of a plan", "[layouts]") {
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
