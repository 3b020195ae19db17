// SPDX-License-Identifier: Apache-2.0
// exp through the function that people call: error, types, layouts, and independence of position.
#include <weft/ops/copy.hpp>
#include <weft/ops/unary.hpp>

#include "support/dense.hpp"
#include "support/naive_ops.hpp"
#include "support/threads.hpp"
#include "support/ulp.hpp"

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;

double real(ScalarType type, const void* element) {
  double value = 0;
  test::convert_element(ScalarType::f64, &value, type, element);
  return value;
}

}  // namespace

TEST_CASE("exp: all real types and layouts", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    const ScalarType result = test::floating_type(type);
    const test::Format format = test::format_of(result);
    for (int round = 0; round < test::rounds(60); ++round) {
      const Dims shape = test::random_shape(random, 3, round % 8 == 0 ? 40 : 7);
      const Memory a = test::random_memory(random, type, test::random_layout(random, shape));
      const Tensor out = weft::exp(a.view());
      tally.check(out.dtype() == result, [&](auto& text) { text << weft::name(out.dtype()); });
      test::for_each_index(shape, [&](const Dims& index) {
        const auto x = test::as_type(result, type, test::element_at(a.view(), index));
        const long double want = std::exp(static_cast<long double>(real(result, x.bytes)));
        const long double got = real(result, test::element_at(out, index));
        // Half an ulp of the narrow types, for one rounding, and what exp in f32 is off.
        const long double most = format.digits < 24 ? 0.51L : 1.0L;
        const long double off = test::ulp_error(got, want, format);
        tally.check(off <= most, [&](auto& text) {
          text << "exp of " << weft::name(result) << " " << real(result, x.bytes) << " is "
               << static_cast<double>(got) << ", off by " << static_cast<double>(off) << " ulp";
        });
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("exp: the same for an element wherever it stands", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Memory a = test::random_memory(random, ScalarType::f32, test::fit({{5000}, {1}}));
  const test::Dense all = test::dense_copy(weft::exp(a.view()));
  for (int round = 0; round < test::rounds(300); ++round) {
    const std::int64_t step = random.integer(1, 5);
    const std::int64_t begin = random.integer(0, 4000);
    const std::int64_t end = random.integer(begin, 5000);
    const weft::TensorView part = a.view().slice(0, begin, end, step);
    const bool flipped = random.chance(50);
    const Tensor got = weft::exp(flipped ? part.flip(0) : part);
    for (std::int64_t i = 0; i < got.numel(); ++i) {
      const std::int64_t at = flipped ? got.numel() - 1 - i : i;
      const float value = got.at<float>({i});
      tally.check(test::same_element(ScalarType::f32, &value, all.at(begin + at * step)),
                  [&](auto& text) { text << begin << " + " << at << " * " << step; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("exp: any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  const Memory a = test::random_memory(random, ScalarType::f64, test::fit({{200, 300}, {1, 203}}));
  const test::Dense want = test::dense_copy(weft::exp(a.view()));
  test::for_thread_counts([&](int) { CHECK(test::difference(weft::exp(a.view()), want) == ""); });
}
