// SPDX-License-Identifier: Apache-2.0
// Reduction structs with a mask that take vectors, or whose accumulators are structs.
#include <weft/kernel/vectorized_math.hpp>

#include "kernel/masked_reduction.hpp"

namespace {

using test::Dot;
using test::Operands;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

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

}  // namespace

TEST_CASE("masked reduce: vectors and members, the bits of structs that are told", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(40); ++round) {
    const Operands of(random, ScalarType::f32, round);
    const std::vector<TensorView> inputs{of.x.view(), of.w.view(), of.mask.view()};
    const auto results = [&](ScalarType type) {
      return [&of, type] { return std::vector{Tensor::full(of.kept, type, 5)}; };
    };
    check_bits(tally, "generic", of, ToldDot<float>(), GenericDot<float>(), inputs,
               results(ScalarType::f32));
    check_bits(tally, "members", of, ToldMoments(), Moments(), inputs, [&] {
      return std::vector{Tensor::full(of.kept, ScalarType::f64, 5),
                         Tensor::full(of.kept, ScalarType::i64, 5)};
    });
    check_bits(tally, "large", of, ToldHistogram(), Histogram(), {inputs[0], inputs[2]},
               results(ScalarType::i64));
  }
  CHECK_TALLY(tally);
}
