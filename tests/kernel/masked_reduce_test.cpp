// SPDX-License-Identifier: Apache-2.0
// Reduction structs with a mask: elements that it leaves out are not there.
#include "kernel/masked_reduction.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <limits>

namespace {

using test::Dims;
using test::Dot;
using test::Operands;
using test::reduction;
using weft::masked;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorView;

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

bool same_bytes(const Tensor& got, const Tensor& want) {
  return std::memcmp(got.data(), want.data(), static_cast<std::size_t>(got.nbytes())) == 0;
}

/// How many are selected, and the place of the first one: of the mask alone.
struct Count {
  std::int64_t identity() const { return 0; }
  std::int64_t accumulate(std::int64_t count) const { return count + 1; }
  std::int64_t combine(std::int64_t a, std::int64_t b) const { return a + b; }
  std::int64_t project(std::int64_t count) const { return count; }
};
struct FirstPlace {
  std::int64_t identity() const { return std::numeric_limits<std::int64_t>::max(); }
  std::int64_t accumulate(std::int64_t first, std::int64_t index) const {
    return std::min(first, index);
  }
  std::int64_t combine(std::int64_t a, std::int64_t b) const { return std::min(a, b); }
  std::int64_t project(std::int64_t first) const { return first; }
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

}  // namespace

// Two of integers more, of the sizes of floats, take a minute each to compile with sanitizers.
#if defined(WEFT_TEST_SANITIZED)
#define WEFT_TEST_TYPES bool, float, std::complex<double>
#else
#define WEFT_TEST_TYPES bool, std::int32_t, std::int64_t, float, std::complex<double>
#endif
TEMPLATE_TEST_CASE("masked reduce: the bits of a struct that is told", "[kernel]",
                   WEFT_TEST_TYPES) {
  constexpr ScalarType type = weft::scalar_type_of<TestType>;
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(40); ++round) {
    const Operands of(random, type, round);
    const auto results = [&] { return std::vector{Tensor::full(of.kept, type, 5)}; };
    check_bits(tally, "typed", of, ToldSum<TestType>(), Sum<TestType>(),
               {of.x.view(), of.mask.view()}, results);
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
    tally.check(same_bytes(got, want), [&](auto& text) { text << weft::to_string(of.shape); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked reduce: structs that take no element, or the place alone", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(30); ++round) {
    Operands of(random, ScalarType::f32, round);
    of.kept = of.shape;
    of.kept.back() = 1;
    const Tensor counts = Tensor::zeros(of.kept, ScalarType::i64);
    const Tensor firsts = Tensor::full(of.kept, ScalarType::i64, FirstPlace().identity());
    of.for_each([&](const Dims& index, bool is) {
      if (!is) return;
      void* const count = test::element_at(counts, index);
      void* const first = test::element_at(firsts, index);
      test::store(count, test::load<std::int64_t>(count) + 1);
      test::store(first, std::min(test::load<std::int64_t>(first), index.back()));
    });
    const auto same = [&](const Tensor& got, const Tensor& want) {
      tally.check(same_bytes(got, want), [&](auto& text) { text << weft::to_string(of.shape); });
    };
    const Tensor got = Tensor::full(of.kept, ScalarType::i64, -1);
    weft::cpu_reduce(reduction({got}, {of.mask.view().expand(of.shape)}), masked(Count()));
    same(got, counts);
    weft::cpu_reduce_indexed(reduction({got}, {of.mask.view().expand(of.shape)}),
                             masked(FirstPlace()));
    same(got, firsts);
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
      tally.check(same_bytes(got, want),
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
