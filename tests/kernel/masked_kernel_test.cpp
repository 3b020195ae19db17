// SPDX-License-Identifier: Apache-2.0
// cpu_kernel and its kin with a mask: what is selected is stored, and nothing else.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/vectorized.hpp>
#include <weft/machine/strategy.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/mix.hpp"
#include "support/threads.hpp"

#include <cstring>
#include <functional>
#include <thread>

namespace {

using test::Dims;
using test::iterator;
using test::Memory;
using test::mix;
using weft::masked;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorView;

/// Of so many percent, in any layout that broadcasts; any byte but 0 selects.
Memory random_mask(test::Random& random, const Dims& shape, int percent) {
  Memory mask = test::random_input(random, ScalarType::boolean, shape);
  for (std::int64_t i = 0; i < mask.size_bytes(); ++i)
    mask.data()[i] = std::byte(random.chance(percent) ? random.integer(1, 255) : 0);
  return mask;
}
int random_density(test::Random& random) {
  return random.pick(std::vector<int>{0, 1, 50, 99, 100});
}
/// Small ones, long rows, and several boxes along both axes.
Dims random_geometry(test::Random& random, int round) {
  if (round % 8 == 0) return {random.integer(1, 3), random.integer(1000, 20000)};
  if (round % 8 == 4) return {random.integer(2, 200), random.integer(2, 150)};
  return test::random_shape(random, 4, 9);
}

/// The elements of an output, written anew each time.
class Restored {
 public:
  explicit Restored(const Memory& memory)
      : memory_(memory), bytes_(memory.data(), memory.data() + memory.size_bytes()) {}
  void restore() const { std::copy(bytes_.begin(), bytes_.end(), memory_.data()); }

 private:
  const Memory& memory_;
  std::vector<std::byte> bytes_;
};

/// What becomes of an output: compute(inputs, to) where the mask, the last input, selects.
template <class Compute>
test::Dense wanted(const TensorView& out, const std::vector<TensorView>& inputs,
                   const Compute& compute) {
  const Dims shape(out.shape().begin(), out.shape().end());
  const test::Dense before = test::dense_copy(out);
  std::int64_t flat = 0;
  const auto size = static_cast<std::size_t>(weft::element_size(out.dtype()));
  return test::naive_map(out.dtype(), shape, inputs, [&](const auto* in, void* to) {
    if (*static_cast<const unsigned char*>(in[inputs.size() - 1]) != 0) {
      compute(in, to);
    } else {
      std::memcpy(to, before.at(flat), size);
    }
    ++flat;
  });
}

template <class T>
void run_mix(const TensorIterator& iter, std::int64_t grain) {
  switch (iter.ninputs()) {
    case 2: return weft::cpu_kernel(iter, masked([](T a) { return mix(T{}, a); }), grain);
    case 3:
      return weft::cpu_kernel(iter, masked([](T a, T b) { return mix(mix(T{}, a), b); }), grain);
    default:
      return weft::cpu_kernel(
          iter, masked([](T a, T b, T c) { return mix(mix(mix(T{}, a), b), c); }), grain);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("masked kernel: operands, outputs and masks of any layout", "[kernel]", bool,
                   std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, weft::float16,
                   weft::bfloat16, float, double, std::complex<float>, std::complex<double>) {
  constexpr ScalarType type = weft::scalar_type_of<TestType>;
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(32); ++round) {
    const Dims shape = random_geometry(random, round);
    const Memory out = test::random_output(random, type, shape);
    std::vector<Memory> memories;
    std::vector<TensorView> views;
    for (std::int64_t k = random.integer(1, 3); k > 0; --k)
      memories.push_back(test::random_input(random, type, shape));
    const int percent = random_density(random);
    memories.push_back(random_mask(random, shape, percent));
    for (const Memory& memory : memories)
      views.push_back(memory.view());
    const test::Dense want = wanted(out.view(), views, [&](const auto* in, void* to) {
      TestType value{};
      for (std::size_t k = 0; k + 1 < views.size(); ++k)
        value = mix(value, test::load<TestType>(in[k]));
      test::store(to, value);
    });
    const Restored before(out);
    const test::Watch watch(out);
    const std::int64_t grain = random.chance(50) ? 0 : random.integer(1, 5000);
    test::for_thread_counts([&](int threads) {
      before.restore();
      run_mix<TestType>(iterator(out.view(), views), grain);
      const std::string wrong = test::difference(out.view(), want);
      tally.check(wrong.empty() && watch.gaps_untouched(), [&](auto& text) {
        test::describe(text, out.view());
        for (const TensorView& view : views)
          test::describe(text << ", ", view);
        text << ", " << percent << " %, " << threads
             << " threads: " << (wrong.empty() ? "wrote between elements" : wrong);
      });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked kernel: conversions on the way in and out", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(60); ++round) {
    const Dims shape = random_geometry(random, round);
    const ScalarType types[] = {
        random.pick(
            std::vector{ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::c64}),
        random.pick(std::vector{ScalarType::i16, ScalarType::u8, ScalarType::f16, ScalarType::f32}),
        random.pick(std::vector{ScalarType::i32, ScalarType::f32})};
    const Memory out = test::random_output(random, types[0], shape);
    const Memory a = test::random_input(random, types[1], shape, test::Values::small),
                 b = test::random_input(random, types[2], shape, test::Values::small);
    const Memory mask = random_mask(random, shape, random_density(random));
    const std::vector<TensorView> views{a.view(), b.view(), mask.view()};
    const Tensor sums = Tensor::zeros(shape, types[0]);
    weft::cpu_kernel(iterator(sums, {views[0], views[1]}),
                     [](float x, float y) -> float { return x + y; });
    const auto size = static_cast<std::size_t>(weft::element_size(types[0]));
    std::int64_t at = 0;
    const test::Dense all = test::dense_copy(sums);
    const test::Dense before_dense = test::dense_copy(out.view());
    const test::Dense want = test::naive_map(types[0], shape, views, [&](const auto* in, void* to) {
      const bool is = *static_cast<const unsigned char*>(in[2]) != 0;
      std::memcpy(to, (is ? all : before_dense).at(at++), size);
    });
    const test::Watch watch(out);
    weft::cpu_kernel(iterator(out.view(), views),
                     masked([](float x, float y) -> float { return x + y; }));
    const std::string wrong = test::difference(out.view(), want);
    tally.check(wrong.empty() && watch.gaps_untouched(), [&](auto& text) {
      for (const TensorView& view : views)
        test::describe(text, view) << ", ";
      test::describe(text, out.view()) << ": " << wrong;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked kernel: a value that is converted is another one in each box", "[kernel]") {
  // A box is less than a row, for which the second operand is one value.
  const Tensor out = Tensor::zeros({5, 6000}, ScalarType::f32);
  const Tensor a = Tensor::full({5, 6000}, ScalarType::i32, 1);
  const Tensor b = Tensor::of<std::int16_t>({5, 1}, {10, 20, 30, 40, 50});
  const Tensor mask = Tensor::full({5, 6000}, ScalarType::boolean, true);
  weft::cpu_kernel(iterator(out, {a, b, mask}), masked([](float x, float y) { return x + y; }));
  for (std::int64_t row = 0; row < 5; ++row)
    for (const std::int64_t column : {0, 3000, 4095, 4096, 5999})
      CHECK(out.at<float>(row, column) == static_cast<float>(row + 1) * 10 + 1);
}

TEST_CASE("masked kernel: threads with masks that have nothing in common", "[kernel]") {
  WEFT_RANDOM(random);
  const auto check = [&]<class T>(const TensorView& out, const Dims& shape) {
    const Tensor mask = Tensor::zeros(shape, ScalarType::boolean),
                 other = Tensor::zeros(shape, ScalarType::boolean);
    for (std::int64_t i = 0; i < mask.numel(); ++i) {
      const bool is = random.chance(50);
      static_cast<bool*>(mask.data())[i] = is;
      static_cast<bool*>(other.data())[i] = !is;
    }
    const ScalarType type = weft::scalar_type_of<T>;
    const Tensor one = Tensor::full(shape, type, 1), two = Tensor::full(shape, type, 2);
    const auto write = [&](const Tensor& value, const Tensor& selected) {
      const TensorIterator iter = iterator(out, {value, selected});
      for (int i = 0; i < 5; ++i)
        weft::cpu_kernel(iter, masked([](T x) { return x; }));
    };
    std::thread thread([&] { write(one, other); });
    write(two, mask);
    thread.join();
    std::int64_t at = 0, wrong = 0;
    const test::Dense got = test::dense_copy(out);
    for (; at < mask.numel(); ++at) {
      const bool is = static_cast<const bool*>(mask.data())[at];
      wrong += test::load<T>(got.at(at)) != T(is ? 2 : 1);
    }
    CHECK(wrong == 0);
  };
  const auto check_type = [&]<class T>() {
    const ScalarType type = weft::scalar_type_of<T>;
    check.template operator()<T>(Tensor::zeros({30000}, type), {30000});
    const Tensor wide = Tensor::zeros({120, 200}, type);
    check.template operator()<T>(TensorView(wide).transpose(0, 1), {200, 120});
    check.template operator()<T>(TensorView(wide).slice(1, 0, 200, 2).flip(0), {120, 100});
  };
  check_type.template operator()<std::uint8_t>();
  check_type.template operator()<std::int16_t>();
  check_type.template operator()<float>();
  check_type.template operator()<double>();
  check_type.template operator()<std::complex<double>>();
}

TEST_CASE("masked kernel: several outputs, one of them the mask", "[kernel]") {
  const std::int64_t n = 10000;
  const Tensor a = Tensor::zeros({n}, ScalarType::f32), sign = Tensor::zeros({n}, ScalarType::f64);
  const Tensor mask = Tensor::zeros({n}, ScalarType::boolean);
  for (std::int64_t i = 0; i < n; ++i) {
    static_cast<float*>(a.data())[i] = static_cast<float>(i % 7 - 3);
    static_cast<bool*>(mask.data())[i] = i % 3 == 0;
  }
  // The mask is read before it is written, and the first output is an input.
  weft::TensorIteratorConfig config;
  config.add_output(mask).add_output(sign).add_output(a).add_input(a).add_input(mask);
  config.check_all_same_dtype(false).resize_outputs(false);
  weft::cpu_kernel_multiple_outputs(config.build(), masked([](float x) {
                                      return std::tuple(x > 0, x < 0 ? -1.0F : 1.0F, 2 * x);
                                    }));
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const bool is = i % 3 == 0;
    const auto x = static_cast<float>(i % 7 - 3);
    wrong += mask.at<bool>(i) != (is && x > 0);
    wrong += sign.at<double>(i) != (is ? (x < 0 ? -1.0 : 1.0) : 0.0);
    wrong += a.at<float>(i) != (is ? 2 * x : x);
  }
  CHECK(wrong == 0);
}

float three_times(float x) { return 3 * x; }

TEST_CASE("masked kernel: functions, costs, generic lambdas, and masks of the output", "[kernel]") {
  const Tensor a = Tensor::of<float>({4}, {1, 2, 3, 4}), out = Tensor::zeros({4}, ScalarType::f32);
  const Tensor mask = Tensor::of<bool>({4}, {true, false, false, true});
  const auto iter = iterator(out, {a, mask});
  const auto check = [&](const char* what, float first, float last) {
    INFO(what);
    CHECK(out.at<float>(0) == first);
    CHECK(out.at<float>(1) == 0);
    CHECK(out.at<float>(2) == 0);
    CHECK(out.at<float>(3) == last);
  };
  weft::cpu_kernel(iter, masked(three_times));
  check("a function", 3, 12);
  weft::cpu_kernel(iter, masked(weft::with_cost(100, [](float x) { return 5 * x; })));
  check("a cost", 5, 20);
  weft::cpu_kernel(iter, masked([](auto x) { return x + x; }));
  check("a generic lambda", 2, 8);
  weft::cpu_kernel<float>(iter, masked([](auto x) { return x; }));
  check("a generic lambda of named types", 1, 4);
  const auto op = masked([](float x) { return 7 * x; });
  weft::run_spans(iter, weft::typed_span_kernel(op), {.serial = true});
  check("options", 7, 28);
  const auto costly = masked(weft::with_cost(9, [](float x) { return x; }));
  CHECK(weft::typed_span_kernel(costly).values.cost == 9);
  // Types that are promoted: the mask keeps its own.
  weft::TensorIteratorConfig config;
  const Tensor half = Tensor::full({4}, ScalarType::f64, 0.5);
  config.add_output(half).add_input(a).add_input(half).add_input(mask);
  config.promote_inputs_to_common_dtype(true).resize_outputs(false);
  weft::cpu_kernel(config.build(), masked([](auto x, auto y) { return x + y; }));
  CHECK(half.at<double>(0) == 1.5);
  CHECK(half.at<double>(1) == 0.5);
  CHECK(half.at<double>(3) == 4.5);
  // A mask that is the output.
  weft::cpu_kernel(iterator(mask, {mask, mask}), masked([](bool x) { return !x; }));
  CHECK(!mask.at<bool>(0));
  CHECK(!mask.at<bool>(1));
  // No axes, and no elements.
  const Tensor one = Tensor::full({}, ScalarType::f32, 4),
               yes = Tensor::full({}, ScalarType::boolean, true);
  weft::cpu_kernel(iterator(one, {one, yes}), masked(three_times));
  CHECK(*static_cast<const float*>(one.data()) == 12);
  const Tensor none = Tensor::zeros({0, 3}, ScalarType::f32);
  weft::cpu_kernel(iterator(none, {none, yes}), masked(three_times));
}

TEST_CASE("masked kernel: strategies, grain and serial are followed, or refused", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto op = masked([](float x, float y) { return x * y; });
  const weft::MaskedSpanKernel kernel = weft::typed_span_kernel(op);
  int followed = 0;
  for (int round = 0; round < test::rounds(40); ++round) {
    const Dims shape = random_geometry(random, round);
    const Memory out = test::random_output(random, ScalarType::f32, shape);
    const Memory a = test::random_input(random, ScalarType::f32, shape),
                 b = test::random_input(random, ScalarType::f32, shape);
    const Memory mask = random_mask(random, shape, 50);
    const std::vector<TensorView> views{a.view(), b.view(), mask.view()};
    const test::Dense want = wanted(out.view(), views, [](const auto* in, void* to) {
      test::store(to, test::load<float>(in[0]) * test::load<float>(in[1]));
    });
    const Restored before(out);
    const test::Watch watch(out);
    const TensorIterator iter = iterator(out.view(), views);
    for (int i = 0; i < weft::strategy_count; ++i) {
      const weft::RunOptions options{.grain = random.integer(0, 2000),
                                     .serial = random.chance(50),
                                     .strategy = static_cast<weft::Strategy>(i)};
      before.restore();
      bool refused = false;
      try {
        weft::run_spans(iter, kernel, options);
        ++followed;
      } catch (const weft::Error& error) {
        refused = error.code() == weft::ErrorCode::invalid_argument;
      }
      const std::string wrong = refused ? "" : test::difference(out.view(), want);
      tally.check(refused ? watch.untouched() : wrong.empty() && watch.gaps_untouched(),
                  [&](auto& text) {
                    test::describe(text << weft::name(options.strategy) << ", ", out.view())
                        << (refused ? ": refused and written" : ": ") << wrong;
                  });
    }
  }
  CHECK_TALLY(tally);
  CHECK(followed > test::rounds(40));
  const Tensor a = Tensor::zeros({100000}, ScalarType::f32), out = a.clone(),
               mask = Tensor::zeros({100000}, ScalarType::boolean);
  const TensorIterator iter = iterator(out, {a, a, mask});
  test::in_arena(4, [&] {
    CHECK(weft::explain_run(iter, kernel, {.grain = 100}).run.threads == 4);
    CHECK(weft::explain_run(iter, kernel, {.grain = 100000}).run.threads == 1);
    CHECK(weft::explain_run(iter, kernel, {.grain = 100, .serial = true}).run.threads == 1);
  });
  const weft::Explanation e = weft::explain_run(iter, kernel);
  CHECK(e.run.how() == "masked-boxes");
  CHECK(e.run.why.find("mask") != std::string::npos);
  CHECK(e.run.blocks == 49);
  CHECK(e.run.span == 2048);
  CHECK(e.run.bytes_moved == 100000 * 13);
  CHECK(e.operands[0].access == "staged: masked stores");
  CHECK(e.operands[1].access == "direct");
  CHECK(e.operands[3].access == "direct");
}

TEST_CASE("masked kernel: what is wrong is refused, and nothing written", "[kernel]") {
  const Tensor a = Tensor::full({3, 4}, ScalarType::f32, 2),
               out = Tensor::full({3, 4}, ScalarType::f32, 7),
               mask = Tensor::full({3, 4}, ScalarType::boolean, true),
               bytes = Tensor::full({3, 4}, ScalarType::u8, 1);
  const auto twice = masked([](float x) { return 2 * x; });
  CHECK_ERROR(dtype, ("input 1", "the mask", "expected bool", "got f32"),
              weft::cpu_kernel(iterator(out, {a, a}), twice));
  CHECK_ERROR(dtype, ("input 1", "expected bool", "got u8"),
              weft::cpu_kernel(iterator(out, {a, bytes}), twice));
  CHECK_ERROR(invalid_argument, ("expected a mask", "last input"),
              weft::cpu_kernel(iterator(out, {}), masked([](float x) { return x; })));
  CHECK_ERROR(invalid_argument, ("1 input and a mask", "3 inputs"),
              weft::cpu_kernel(iterator(out, {a, a, mask}), twice));
  CHECK_ERROR(invalid_argument, ("1 output, 1 input and a mask", "1 output and 1 input"),
              weft::cpu_kernel(iterator(out, {mask}), twice));
  CHECK_ERROR(cast, ("output 0", "f32"), weft::cpu_kernel(iterator(bytes, {a, mask}), twice));
  CHECK_ERROR(invalid_argument, ("grain"), weft::cpu_kernel(iterator(out, {a, mask}), twice, -1));
  // More axes than the output.
  const Tensor deep = Tensor::full({2, 3, 4}, ScalarType::boolean, true);
  CHECK_ERROR(shape, ("output 0"), weft::cpu_kernel(iterator(out, {a, deep}), twice));
  // A mask that lies in the output in another way.
  const Tensor flags = Tensor::full({8}, ScalarType::boolean, true);
  const TensorView part = TensorView(flags).slice(0, 0, 6),
                   later = TensorView(flags).slice(0, 2, 8);
  CHECK_ERROR(overlap, ("output 0"),
              weft::cpu_kernel(iterator(part, {part, later}), masked([](bool x) { return !x; })));
  CHECK(out.at<float>(0, 0) == 7);
  CHECK(bytes.at<std::uint8_t>(0, 0) == 1);
  CHECK(flags.at<bool>(0));
}

TEST_CASE("masked kernel: an output may be the mask, by another type or shape", "[kernel]") {
  constexpr std::int64_t n = 10000;
  const Tensor a = Tensor::full({n}, ScalarType::f32, 2);
  const auto zeros_and_copy = weft::masked([](float x) -> std::tuple<std::uint8_t, float> {
    return {std::uint8_t{0}, x};
  });
  for (const bool by_shape : {false, true}) {
    CAPTURE(by_shape);
    const Tensor mask = Tensor::empty({1, n}, ScalarType::boolean);
    auto* const flags = static_cast<unsigned char*>(mask.data());
    for (std::int64_t i = 0; i < n; ++i)
      flags[i] = i % 3 == 0 ? 1 : 0;
    const Tensor b = Tensor::full({1, n}, ScalarType::f32, -1);
    const TensorView row = TensorView(mask).select(0, 0);
    const TensorView bytes = TensorView::trusted(flags, ScalarType::u8, {n}, {1});
    weft::TensorIteratorConfig config;
    config.check_all_same_dtype(false).resize_outputs(false);
    if (by_shape) {
      config.add_output(mask).add_output(b).add_input(a).add_input(row);
      weft::cpu_kernel_multiple_outputs(config.build(),
                                        weft::masked([](float x) -> std::tuple<bool, float> {
                                          return {false, x};
                                        }));
    } else {
      const TensorView b_row = TensorView(b).select(0, 0);
      config.add_output(bytes).add_output(b_row).add_input(a).add_input(row);
      weft::cpu_kernel_multiple_outputs(config.build(), zeros_and_copy);
    }
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i)
      wrong += static_cast<std::int64_t>(b.at<float>(0, i) != (i % 3 == 0 ? 2.0F : -1.0F));
    CHECK(wrong == 0);
  }
}
