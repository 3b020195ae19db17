// SPDX-License-Identifier: Apache-2.0
// run_spans: whatever the layout, alignment, threads and grain, the kernel sees spans as promised,
// every element once, and the result is the same to the bit.
#include <weft/kernel/detail/span_loop.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "support/mix.hpp"
#include "support/shifted.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <atomic>

namespace {

using test::Dims;
using test::mix;
using test::Shifted;
using weft::RunOptions;
using weft::ScalarType;
using weft::SpanKernel;
using weft::TensorIterator;
using weft::TensorView;

/// 3a + b over spans, which counts the elements it is given.
template <class T>
struct Mixer {
  mutable std::atomic<std::int64_t> elements = 0;
  mutable std::atomic<bool> empty_span = false;

  static void run(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    const auto& self = *static_cast<const Mixer*>(context);
    self.elements += n * rows;
    if (n <= 0 || rows <= 0) self.empty_span = true;
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto start = [&](int k) { return data[k] + (row == 0 ? 0 : row * row_bytes[k]); };
      for (std::int64_t i = 0; i < n; ++i) {
        const auto in = [&](int k) {
          const std::int64_t at = (broadcast >> k & 1) != 0 ? 0 : i;
          return test::load<T>(start(k) + at * static_cast<std::int64_t>(sizeof(T)));
        };
        test::store(start(0) + i * static_cast<std::int64_t>(sizeof(T)), mix(in(1), in(2)));
      }
    }
  }
  SpanKernel kernel(std::uint32_t broadcastable) const {
    SpanKernel k;
    k.run = &run;
    k.context = this;
    k.noutputs = 1;
    k.ninputs = 2;
    k.broadcastable = broadcastable;
    for (ScalarType& type : k.types)
      type = weft::scalar_type_of<T>;
    return k;
  }
};

/// Runs with every number of threads and several grains, each time from the same start.
template <class T>
void check_runs(test::Random& random, test::Tally& tally, const test::Layout& out_layout,
                const test::Layout& a_layout, const test::Layout& b_layout) {
  constexpr ScalarType type = weft::scalar_type_of<T>;
  Shifted out(random, type, out_layout, random.integer(0, 7));
  const Shifted a(random, type, a_layout, random.integer(0, 7));
  const Shifted b(random, type, b_layout, random.integer(0, 7));
  const auto want =
      test::naive_map(type, out_layout.shape, {a.view(), b.view()}, [](const auto* in, void* to) {
        test::store(to, mix(test::load<T>(in[0]), test::load<T>(in[1])));
      });
  const std::vector<std::byte> start = out.bytes();
  const test::Watch watch = out.watch();
  const TensorIterator iter = test::iterator(out.view(), {a.view(), b.view()});
  const auto check = [&](int threads, const RunOptions& options) {
    Mixer<T> mixer;
    out.reset(start);
    weft::run_spans(iter, mixer.kernel(random.chance(80) ? 6 : 0), options);
    std::string wrong = test::difference(out.view(), want);
    if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
    if (wrong.empty() && mixer.elements != iter.numel()) wrong = "elements were not seen once";
    if (wrong.empty() && mixer.empty_span) wrong = "was given an empty span";
    tally.check(wrong.empty(), [&](auto& text) {
      for (const Shifted* operand : {&std::as_const(out), &a, &b}) {
        test::describe(text, operand->view()) << ", ";
      }
      text << threads << " threads, grain " << options.grain << ": " << wrong;
    });
  };
  test::for_thread_counts([&](int threads) {
    for (const std::int64_t grain : {0, 1, 1000})
      check(threads, {.grain = grain});
    check(threads, {.serial = true});
  });
}

}  // namespace

TEMPLATE_TEST_CASE("run_spans: random layouts, unaligned", "[kernel]", std::uint8_t, std::int16_t,
                   float, std::int64_t, std::complex<double>) {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(150); ++round) {
    // Rows of up to 130 elements, of which there are many or few; more dims of few elements.
    Dims shape = test::random_shape(random, 4, 4);
    shape.push_back(random.integer(1, 130));
    if (random.chance(30)) std::swap(shape.front(), shape.back());
    const auto input = [&] {
      return test::random_layout(random, test::random_operand_shape(random, shape));
    };
    const test::Layout out = test::random_layout(random, shape, {.zero = false});
    const test::Layout a = input();
    check_runs<TestType>(random, tally, out, a, input());
  }
  CHECK_TALLY(tally);
}

TEMPLATE_TEST_CASE("run_spans: operands that are transposed to each other", "[kernel]",
                   std::uint8_t, float, std::complex<double>) {
  WEFT_RANDOM(random);
  test::Tally tally;
  // Around the borders of tiles and of cache lines.
  for (const std::int64_t rows : {2, 15, 16, 63, 64, 65, 129}) {
    for (const std::int64_t columns : {3, 16, 48, 64, 65, 130}) {
      const Dims shape = {rows, columns};
      const test::Layout straight = test::fit({shape, {columns, 1}});
      const test::Layout transposed = test::fit({shape, {1, rows}});
      const test::Layout padded = test::fit({shape, {-columns - 3, 1}});
      const test::Layout reversed = test::fit({shape, {1, -rows - 1}});
      check_runs<TestType>(random, tally, straight, transposed, padded);
      check_runs<TestType>(random, tally, transposed, straight, reversed);
      check_runs<TestType>(random, tally, reversed, transposed, straight);
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("run_spans: dims that do not coalesce", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Dims& shape : {Dims{5, 4, 3}, Dims{3, 2, 3, 5}, Dims{2, 3, 2, 3, 2}, Dims{7, 40, 3},
                            Dims{40, 3, 17}, Dims{2, 9, 2, 33}, Dims{3, 65, 66}}) {
    const test::LayoutKinds kinds{.padded = true, .zero = false};
    for (int round = 0; round < test::rounds(20); ++round) {
      // Every operand in an order of its own.
      const test::Layout a = test::random_layout(random, shape, kinds);
      const test::Layout b = test::random_layout(random, shape, kinds);
      check_runs<float>(random, tally, test::random_layout(random, shape, kinds), a, b);
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("run_spans: long rows, in one or several tiles", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const std::int64_t n : {1023, 1024, 1025, 3071, 3072, 3073, 4095, 4096, 4097, 20'000}) {
    const test::Layout dense = test::fit({{n}, {1}});
    const test::Layout spread = test::fit({{n}, {3}});
    const test::Layout reversed = test::fit({{n}, {-1}});
    const test::Layout repeated = test::fit({{n}, {0}});
    check_runs<float>(random, tally, dense, dense, repeated);
    check_runs<float>(random, tally, dense, spread, reversed);
    check_runs<float>(random, tally, reversed, dense, repeated);
    check_runs<float>(random, tally, spread, repeated, repeated);
  }
  CHECK_TALLY(tally);
}

TEST_CASE("run_spans: a window that slides over its own elements", "[kernel]") {
  // Rows overlap (at a stride of 8 elements, 480 long), and tiles are laid so that one begins where
  // the one before began, with as many elements in another arrangement: what is staged must not be
  // reused.
  WEFT_RANDOM(random);
  test::Tally tally;
  const Dims shape = {72, 160};
  const test::Layout straight = test::fit({shape, {160, 1}});
  const test::Layout transposed = test::fit({shape, {1, 72}});
  for (const std::int64_t rows : {6, 8, 9, 10, 16}) {
    const test::Layout window = test::fit({shape, {rows, 3}});
    check_runs<float>(random, tally, straight, transposed, window);
    check_runs<float>(random, tally, straight, window, transposed);
  }
  CHECK_TALLY(tally);
}
