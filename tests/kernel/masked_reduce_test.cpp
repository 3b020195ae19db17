// SPDX-License-Identifier: Apache-2.0
// Reduction structs with a mask: elements that it leaves out are not there.
#include <weft/iter/config.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/kernel/vectorized_math.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <cstring>
#include <limits>
#include <vector>

namespace {

using test::Dims;
using test::Memory;
using weft::masked;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorView;

TensorIterator reduction(const std::vector<TensorView>& outs, const std::vector<TensorView>& ins) {
  weft::TensorIteratorConfig config;
  for (const TensorView& out : outs)
    config.add_output(out);
  for (const TensorView& in : ins)
    config.add_input(in);
  return config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true).build();
}

/// Each struct comes masked, and told by a bool what to leave out: the bits are the same.
template <class T>
struct Sum {
  T identity() const { return 0; }
  T accumulate(T sum, T x) const { return static_cast<T>(sum + x); }
  T combine(T a, T b) const { return static_cast<T>(a + b); }
  T project(T sum) const { return sum; }
};
template <class T>
struct ToldSum : Sum<T> {
  T accumulate(T sum, T x, bool is) const { return is ? static_cast<T>(sum + x) : sum; }
};

template <class T>
struct Dot {
  T identity() const { return 0; }
  T accumulate(T sum, T x, T w) const { return sum + x * w; }
  T combine(T a, T b) const { return a + b; }
  T project(T sum) const { return sum; }
};
template <class T>
struct ToldDot : Dot<T> {
  T accumulate(T sum, T x, T w, bool is) const { return is ? sum + x * w : sum; }
};
template <class T>
struct GenericDot : Dot<T> {
  template <class V>
  V accumulate(V sum, V x, V w) const {
    return sum + x * w;
  }
};
static_assert(!weft::ReductionLoops<GenericDot<float>, false, true>::takes_vectors);
static_assert(weft::ReductionLoops<GenericDot<float>, false, true>::nin == 3);
static_assert(!weft::ReductionLoops<Dot<float>, false, true>::takes_vectors);

/// Of members that are numbers, and two results.
struct Moments {
  struct Acc {
    double sum, squares;
    std::int64_t count;
  };
  Acc identity() const { return {0, 0, 0}; }
  Acc accumulate(const Acc& acc, float x, float w) const {
    return {acc.sum + double(x) * w, acc.squares + double(x) * x, acc.count + 1};
  }
  Acc combine(const Acc& a, const Acc& b) const {
    return {a.sum + b.sum, a.squares + b.squares, a.count + b.count};
  }
  std::tuple<double, std::int64_t> project(const Acc& acc) const {
    return {acc.sum + acc.squares, acc.count};
  }
};
struct ToldMoments : Moments {
  Acc accumulate(const Acc& acc, float x, float w, bool is) const {
    return is ? Moments::accumulate(acc, x, w) : acc;
  }
};

/// Where the largest is, the first.
struct Largest {
  struct Acc {
    float value;
    std::int64_t at;
  };
  Acc identity() const { return {-std::numeric_limits<float>::infinity(), -1}; }
  Acc accumulate(const Acc& acc, float x, std::int64_t index) const {
    return combine(acc, {x, index});
  }
  Acc combine(const Acc& a, const Acc& b) const {
    if (a.value != b.value) return a.value > b.value ? a : b;
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    return a.at < b.at ? a : b;
  }
  std::int64_t project(const Acc& acc) const { return acc.at; }
};

/// Whether one is above 2; stops early.
struct AnyAbove {
  bool identity() const { return false; }
  bool accumulate(bool any, float x) const { return any || x > 2; }
  bool combine(bool a, bool b) const { return a || b; }
  bool project(bool any) const { return any; }
  bool done(bool any) const { return any; }
};

/// Too large for arrays of its members.
struct Histogram {
  struct Acc {
    std::int32_t bins[20];
  };
  Acc identity() const { return {}; }
  Acc accumulate(Acc acc, float x) const {
    ++acc.bins[static_cast<unsigned>(static_cast<int>(x) & 15)];
    return acc;
  }
  Acc combine(Acc a, const Acc& b) const {
    for (int i = 0; i < 20; ++i)
      a.bins[i] += b.bins[i];
    return a;
  }
  std::int64_t project(const Acc& acc) const {
    std::int64_t sum = 0;
    for (int i = 0; i < 20; ++i)
      sum = sum * 3 + acc.bins[i];
    return sum;
  }
};
struct ToldHistogram : Histogram {
  Acc accumulate(const Acc& acc, float x, bool is) const {
    return is ? Histogram::accumulate(acc, x) : acc;
  }
};

/// Operands of a random call: numbers, weights, and a mask of any layout.
struct Operands {
  Operands(test::Random& random, ScalarType type, int round)
      : shape(round % 10 == 0 ? Dims{random.integer(1, 4), random.integer(2000, 20000)}
              : round % 10 == 5
                  ? Dims{random.integer(100, 3000), random.integer(1, 20)}
                  : Dims{random.integer(1, 6), random.integer(1, 9), random.integer(1, 90)}),
        kept(shape),
        x(test::random_memory(random, type, test::random_layout(random, shape),
                              test::Values::small)),
        w(test::random_memory(random, type,
                              test::random_layout(random, random.chance(50) ? shape : Dims{}),
                              test::Values::small)),
        mask(test::random_memory(
            random, ScalarType::boolean,
            test::random_layout(
                random, random.chance(60) ? shape : test::random_operand_shape(random, shape)))) {
    const int percent = random.pick(std::vector<int>{0, 10, 50, 99, 100});
    for (std::int64_t i = 0; i < mask.size_bytes(); ++i)
      mask.data()[i] = std::byte(random.chance(percent) ? random.integer(1, 255) : 0);
    if (random.chance(70)) {
      kept[random.chance(50) ? 0 : shape.size() - 1] = 1;
    } else {
      kept.assign(shape.size(), 1);
    }
  }
  /// Empty if the element does not count.
  template <class F>
  void for_each(const F& f) const {
    test::for_each_index(shape, [&](const Dims& index) {
      const bool is = std::to_integer<int>(*test::element_at(mask.view(), index)) != 0;
      f(index, is);
    });
  }

  Dims shape, kept;
  Memory x, w, mask;
};

template <class Told, class Op, class Result>
void check_bits(test::Tally& tally, const char* name, const Operands& of, const Told& told,
                const Op& op, const std::vector<TensorView>& inputs, const Result& results) {
  const std::vector<Tensor> want = results();
  const auto views = [](const std::vector<Tensor>& list) {
    return std::vector<TensorView>(list.begin(), list.end());
  };
  weft::cpu_reduce(reduction(views(want), inputs), told);
  test::for_thread_counts([&](int threads) {
    const std::vector<Tensor> got = results();
    weft::cpu_reduce(reduction(views(got), inputs), masked(op), threads == 3 ? 100 : 0);
    for (std::size_t k = 0; k < got.size(); ++k) {
      const bool same = std::memcmp(got[k].data(), want[k].data(),
                                    static_cast<std::size_t>(got[k].nbytes())) == 0;
      tally.check(same, [&](auto& text) {
        text << name << ", " << threads << " threads: " << weft::to_string(of.shape) << " to "
             << weft::to_string(of.kept);
      });
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("masked reduce: the bits of a struct that is told", "[kernel]", bool,
                   std::int32_t, std::int64_t, float, std::complex<double>) {
  constexpr ScalarType type = weft::scalar_type_of<TestType>;
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(40); ++round) {
    const Operands of(random, type, round);
    const std::vector<TensorView> inputs{of.x.view(), of.w.view(), of.mask.view()};
    const auto results = [&] { return std::vector{Tensor::full(of.kept, type, 5)}; };
    check_bits(tally, "typed", of, ToldSum<TestType>(), Sum<TestType>(), {inputs[0], inputs[2]},
               results);
    if constexpr (std::is_same_v<TestType, float>) {
      check_bits(tally, "generic", of, ToldDot<TestType>(), GenericDot<TestType>(), inputs,
                 results);
      check_bits(tally, "members", of, ToldMoments(), Moments(), inputs, [&] {
        return std::vector{Tensor::full(of.kept, ScalarType::f64, 5),
                           Tensor::full(of.kept, ScalarType::i64, 5)};
      });
      check_bits(tally, "large", of, ToldHistogram(), Histogram(), {inputs[0], inputs[2]},
                 [&] { return std::vector{Tensor::full(of.kept, ScalarType::i64, 5)}; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked reduce: what is selected, one by one", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(60); ++round) {
    const Operands of(random, ScalarType::i32, round);
    const std::vector<TensorView> inputs{of.x.view(), of.w.view(), of.mask.view()};
    const Tensor want = Tensor::zeros(of.kept, ScalarType::i32);
    const TensorView spread = TensorView(want);
    of.for_each([&](const Dims& index, bool is) {
      if (!is) return;
      const auto sum = test::load<std::uint32_t>(test::element_at(spread, index)) +
                       test::load<std::uint32_t>(test::element_at(inputs[0], index)) *
                           test::load<std::uint32_t>(test::element_at(inputs[1], index));
      test::store(test::element_at(spread, index), sum);
    });
    const Tensor got = Tensor::full(of.kept, ScalarType::i32, 5);
    weft::cpu_reduce(reduction({got}, inputs), masked(Dot<std::int32_t>()));
    const bool same =
        std::memcmp(got.data(), want.data(), static_cast<std::size_t>(got.nbytes())) == 0;
    tally.check(same, [&](auto& text) { text << weft::to_string(of.shape); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked reduce: places, early ends, and parts", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(60); ++round) {
    Operands of(random, ScalarType::f32, round);
    of.kept = of.shape;
    of.kept.back() = 1;
    const std::vector<TensorView> inputs{of.x.view(), of.mask.view()};
    const Tensor places = Tensor::full(of.kept, ScalarType::i64, -1);
    const Tensor largest =
        Tensor::full(of.kept, ScalarType::f32, -std::numeric_limits<float>::infinity());
    const Tensor above = Tensor::zeros(of.kept, ScalarType::boolean);
    of.for_each([&](const Dims& index, bool is) {
      const auto x = test::load<float>(test::element_at(inputs[0], index));
      const auto most = test::load<float>(test::element_at(largest, index));
      if (!is) return;
      if (x > 2) test::store(test::element_at(above, index), true);
      if (x <= most && test::load<std::int64_t>(test::element_at(places, index)) >= 0) return;
      test::store(test::element_at(largest, index), x);
      test::store(test::element_at(places, index), index.back());
    });
    const auto same = [&](const char* what, const Tensor& got, const Tensor& want) {
      tally.check(std::memcmp(got.data(), want.data(), static_cast<std::size_t>(got.nbytes())) == 0,
                  [&](auto& text) { text << what << " of " << weft::to_string(of.shape); });
    };
    const Tensor got = Tensor::full(of.kept, ScalarType::i64, 5);
    weft::cpu_reduce_indexed(reduction({got}, inputs), masked(Largest()));
    same("places", got, places);
    const Tensor any = Tensor::full(of.kept, ScalarType::boolean, true);
    const TensorIterator iter = reduction({any}, inputs);
    weft::cpu_reduce(iter, masked(AnyAbove()));
    same("any", any, above);
    std::vector<char> parts(static_cast<std::size_t>(iter.num_output_elements()));
    weft::cpu_partial(iter, masked(AnyAbove()), reinterpret_cast<bool*>(parts.data()));
    const Tensor finished = Tensor::full(of.kept, ScalarType::boolean, true);
    weft::cpu_finalize(reduction({finished}, inputs), masked(AnyAbove()),
                       reinterpret_cast<const bool*>(parts.data()));
    same("parts", finished, above);
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked reduce: what is wrong is refused, and nothing written", "[kernel]") {
  const Tensor a = Tensor::full({3, 4}, ScalarType::f32, 2),
               out = Tensor::full({3, 1}, ScalarType::f32, 7),
               mask = Tensor::full({3, 4}, ScalarType::boolean, true),
               bytes = Tensor::full({3, 4}, ScalarType::u8, 1);
  const auto dot = masked(Dot<float>());
  float part[3] = {};
  CHECK_ERROR(dtype, ("input 2", "the mask", "expected bool", "got f32"),
              weft::cpu_reduce(reduction({out}, {a, a, a}), dot));
  CHECK_ERROR(dtype, ("input 2", "expected bool", "got u8"),
              weft::cpu_partial(reduction({out}, {a, a, bytes}), dot, part));
  CHECK_ERROR(dtype, ("input 2", "got u8"),
              weft::cpu_finalize(reduction({out}, {a, a, bytes}), dot, part));
  CHECK_ERROR(dtype, ("input 1", "got u8"),
              weft::cpu_reduce_indexed(reduction({out}, {a, bytes}), masked(Largest())));
  CHECK_ERROR(invalid_argument, ("expected a mask"), weft::cpu_reduce(reduction({out}, {}), dot));
  CHECK_ERROR(invalid_argument, ("3 inputs", "the iterator", "2"),
              weft::cpu_reduce(reduction({out}, {a, mask}), dot));
  CHECK(out.at<float>(0, 0) == 7);
}
