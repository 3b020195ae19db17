// SPDX-License-Identifier: Apache-2.0
// run_spans at its limits: many operands, wide elements, many dims.
#include <weft/kernel/span_kernel.hpp>

#include "support/dense.hpp"
#include "support/mix.hpp"
#include "support/threads.hpp"

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::SpanKernel;
using weft::TensorView;

/// out = sum over k of (k + 1) * input k, over spans of c128.
void weighted_sum(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
  const int inputs = *static_cast<const int*>(context);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto start = [&](int k) { return data[k] + (row == 0 ? 0 : row * row_bytes[k]); };
    for (std::int64_t i = 0; i < n; ++i) {
      std::complex<double> sum = 0;
      for (int k = 1; k <= inputs; ++k) {
        const std::int64_t at = (broadcast >> k & 1) != 0 ? 0 : i;
        sum += static_cast<double>(k) * test::load<std::complex<double>>(start(k) + at * 16);
      }
      test::store(start(0) + i * 16, sum);
    }
  }
}

SpanKernel weighted_sum_kernel(const int& inputs, std::uint32_t broadcastable) {
  SpanKernel kernel;
  kernel.run = &weighted_sum;
  kernel.context = &inputs;
  kernel.noutputs = 1;
  kernel.ninputs = inputs;
  kernel.broadcastable = broadcastable;
  for (ScalarType& type : kernel.types)
    type = ScalarType::c128;
  return kernel;
}

/// Inputs of all types and random layouts; the sums are integers, so exact.
void check_sum(test::Random& random, test::Tally& tally, int inputs, const Dims& shape) {
  std::vector<Memory> memories;
  std::vector<TensorView> views;
  for (int k = 0; k < inputs; ++k) {
    memories.push_back(
        test::random_input(random, random.pick(test::all_types()), shape, test::Values::small));
    views.push_back(memories.back().view());
  }
  const Memory out =
      test::random_output(random, random.chance(50) ? ScalarType::c64 : ScalarType::c128, shape);
  const test::Watch watch(out);
  const auto broadcastable = static_cast<std::uint32_t>(random.bits()) & ~1u;
  test::in_arena(4, [&] {
    weft::run_spans(test::iterator(out.view(), views), weighted_sum_kernel(inputs, broadcastable),
                    {.grain = 1});
  });
  const auto want =
      test::naive_map(out.view().dtype(), shape, views, [&](const auto* in, void* to) {
        std::complex<double> sum = 0;
        for (int k = 0; k < inputs; ++k) {
          std::complex<double> value;
          const auto i = static_cast<std::size_t>(k);
          test::convert_element(ScalarType::c128, &value, views[i].dtype(), in[i]);
          sum += static_cast<double>(k + 1) * value;
        }
        test::convert_element(out.view().dtype(), to, ScalarType::c128, &sum);
      });
  std::string wrong = test::difference(out.view(), want);
  if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
  tally.check(wrong.empty(), [&](auto& text) {
    text << inputs << " inputs, ";
    test::describe(text, out.view()) << ": " << wrong;
  });
}

}  // namespace

TEST_CASE("run_spans: up to 32 operands of any types", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const int inputs : {1, 5, 8, 9, 20, 31}) {
    for (const Dims& shape : {Dims{}, Dims{1}, Dims{700}, Dims{3, 7}, Dims{40, 33}, Dims{5, 3, 140},
                              Dims{2, 3, 4, 5}}) {
      check_sum(random, tally, inputs, shape);
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("run_spans: up to 64 dims", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const std::size_t rank : {8u, 9u, 12u, 20u, 64u}) {
    for (int round = 0; round < test::rounds(10); ++round) {
      // Ten axes of two and three elements somewhere among axes of one.
      Dims shape(rank, 1);
      for (int i = 0; i < 10; ++i) {
        auto& extent =
            shape[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(rank) - 1))];
        if (extent == 1) extent = random.integer(2, 3);
      }
      check_sum(random, tally, 3, shape);
    }
  }
  CHECK_TALLY(tally);
}
