// SPDX-License-Identifier: Apache-2.0
// Reduction structs whose accumulate is a template, and is called with vectors: the bits of the
// same structs with types.
#include <weft/iter/config.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/kernel/vectorized_math.hpp>

#include "support/arena.hpp"
#include "support/dense.hpp"
#include "support/tally.hpp"

#include <cstring>
#include <vector>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorView;

template <class T>
struct Typed {
  T identity() const { return 0; }
  T accumulate(T sum, T x, T w) const { return sum + weft::exp(x) * w; }
  T combine(T a, T b) const { return a + b; }
  T project(T sum) const { return sum; }
};
template <class T>
struct Generic {
  T identity() const { return 0; }
  template <class V>
  V accumulate(V sum, V x, V w) const {
    return sum + weft::exp(x) * w;
  }
  T combine(T a, T b) const { return a + b; }
  T project(T sum) const { return sum; }
};
static_assert(!weft::ReductionLoops<Typed<float>, false>::takes_vectors);
static_assert(weft::ReductionLoops<Generic<float>, false>::takes_vectors);
static_assert(weft::ReductionLoops<Generic<double>, false>::nin == 2);

TensorIterator reduction(const TensorView& out, const TensorView& x, const TensorView& w) {
  weft::TensorIteratorConfig config;
  config.add_output(out).add_input(x).add_input(w);
  return config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true).build();
}

template <class T>
void check_layouts(test::Random& random, test::Tally& tally) {
  constexpr ScalarType type = weft::scalar_type_of<T>;
  for (int round = 0; round < test::rounds(120); ++round) {
    // Lengths around those of vectors and of all lanes.
    const Dims shape = {random.integer(1, 9), random.integer(1, random.chance(20) ? 5000 : 150)};
    Dims kept = shape, weights = shape;
    kept[random.chance(50) ? 0 : 1] = 1;
    if (random.chance(20)) kept = {1, 1};
    if (random.chance(50)) weights[random.chance(50) ? 0 : 1] = 1;
    const test::Memory x =
        test::random_memory(random, type, test::random_layout(random, shape), test::Values::small);
    const test::Memory w = test::random_memory(random, type, test::random_layout(random, weights),
                                               test::Values::small);
    const Tensor got = Tensor::full(kept, type, 5), want = Tensor::full(kept, type, 6);
    const TensorView spread = w.view().expand(shape);
    test::in_arena(static_cast<int>(random.integer(1, 4)), [&] {
      weft::cpu_reduce(reduction(got, x.view(), spread), Generic<T>(), random.integer(0, 300));
    });
    weft::cpu_reduce(reduction(want, x.view(), spread), Typed<T>());
    const bool same =
        std::memcmp(got.data(), want.data(), static_cast<std::size_t>(got.nbytes())) == 0;
    tally.check(same, [&](auto& text) {
      text << weft::to_string(shape) << " to " << weft::to_string(kept) << ", strides "
           << weft::to_string(x.view().strides()) << weft::to_string(spread.strides());
    });
  }
}

}  // namespace

TEST_CASE("cpu_reduce: an accumulate of one template has the bits of one with types", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  check_layouts<float>(random, tally);
  check_layouts<double>(random, tally);
  CHECK_TALLY(tally);
}
