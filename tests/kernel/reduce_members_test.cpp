// SPDX-License-Identifier: Apache-2.0
// Reduction structs whose accumulators are structs of numbers, which lie member by member: the bits
// of the same reductions with accumulators that are one member.
#include <weft/iter/config.hpp>
#include <weft/kernel/reduce.hpp>

#include "support/arena.hpp"
#include "support/dense.hpp"
#include "support/tally.hpp"

#include <complex>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorView;

// ---- Which structs are arrays by member ---------------------------------------------------------

struct One {
  float a;
};
struct Two {
  float value;
  std::int32_t place;
};
struct Three {
  double mean, squares;
  std::int64_t count;
};
struct Four {
  std::int8_t a;
  bool b;
  double c;
  float d = 1;
};
struct OfArray {
  float sums[2];
  std::int32_t count;
};
struct OfArrayOfOne {
  float sum[1];
  float count;
};
struct Nested {
  Two best;
  float least;
};
struct Derived : Two {
  float least;
};
struct Pointer {
  float* at;
  float value;
};
struct Built {
  Built(float a, float b) : x(a), y(b) {}
  float x, y;
};
template <class T>
constexpr bool by_member = weft::MemberArrays<T, 4>::by_member;
static_assert(by_member<Two> && by_member<Three> && by_member<Four>);
static_assert(!by_member<float> && !by_member<One> && !by_member<OfArray> && !by_member<Nested>);
static_assert(!by_member<OfArrayOfOne>);
static_assert(!by_member<Derived> && !by_member<Pointer> && !by_member<Built>);
static_assert(std::is_same_v<decltype(weft::members_of(Four())),
                             std::tuple<std::int8_t, bool, double, float>>);

// ---- The same results ---------------------------------------------------------------------------

/// The accumulator of a struct in a single member.
template <class Op>
struct Whole {
  struct Acc {
    decltype(Op().identity()) all;
  };
  Op op;
  Acc identity() const { return {op.identity()}; }
  Acc combine(Acc a, Acc b) const { return {op.combine(a.all, b.all)}; }
  auto project(Acc acc) const { return op.project(acc.all); }
};
template <class Op>
struct WholeOf : Whole<Op> {
  using Acc = typename Whole<Op>::Acc;
  Acc accumulate(Acc acc, float x, float y) const { return {this->op.accumulate(acc.all, x, y)}; }
  Acc combine(Acc a, Acc b) const { return Whole<Op>::combine(a, b); }
};
template <class Op>
struct WholeOfIndexed : Whole<Op> {
  using Acc = typename Whole<Op>::Acc;
  Acc accumulate(Acc acc, float x, float y, std::int64_t i) const {
    return {this->op.accumulate(acc.all, x, y, i)};
  }
  Acc combine(Acc a, Acc b) const { return Whole<Op>::combine(a, b); }
};

struct Greatest {
  Two identity() const { return {-1e30F, -1}; }
  Two accumulate(Two best, float x, float y, std::int64_t index) const {
    return x * y > best.value ? Two{x * y, static_cast<std::int32_t>(index)} : best;
  }
  Two combine(Two a, Two b) const {
    const bool second = b.value > a.value || (b.value == a.value && b.place < a.place);
    return second ? b : a;
  }
  std::tuple<std::int32_t, float> project(Two best) const { return {best.place, best.value}; }
};
/// The same with a place of another size than the value.
struct GreatestFar {
  struct Far {
    float value;
    std::int64_t place;
  };
  Far identity() const { return {-1e30F, -1}; }
  Far accumulate(Far best, float x, float y, std::int64_t index) const {
    return x * y > best.value ? Far{x * y, index} : best;
  }
  Far combine(Far a, Far b) const {
    return b.value > a.value || (b.value == a.value && b.place < a.place) ? b : a;
  }
  std::tuple<std::int64_t, float> project(Far best) const { return {best.place, best.value}; }
};
/// A choice among members of the struct itself and what an accumulator is.
struct FirstAbove {
  std::int32_t none = 100'000;
  float least = 0.25F;
  std::int32_t identity() const { return none; }
  std::int32_t accumulate(std::int32_t first, float x, float y, std::int64_t index) const {
    const std::int32_t here = x - y > least ? static_cast<std::int32_t>(index) : none;
    return here < first ? here : first;
  }
  std::int32_t combine(std::int32_t a, std::int32_t b) const { return a < b ? a : b; }
  std::tuple<std::int32_t, float> project(std::int32_t first) const { return {first, least}; }
};
/// Numbers in pairs, whose products compilers like to fuse.
struct ComplexProduct {
  using Complex = std::complex<float>;
  static Complex product(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  Complex identity() const { return {1, 0}; }
  Complex accumulate(Complex acc, float x, float y) const {
    const float size = x * x + y * y + 1e-3F;
    return product(acc, {x / size, y / size}) + Complex(y, x);
  }
  Complex combine(Complex a, Complex b) const { return product(a, b); }
  Complex project(Complex acc) const { return product(acc, {0.6F, 0.8F}); }
};
struct Moments {
  Three identity() const { return {0, 0, 0}; }
  Three accumulate(Three a, float x, float y) const {
    const double v = static_cast<double>(x) - static_cast<double>(y);
    return {a.mean + v, a.squares + v * v, a.count + 1};
  }
  Three combine(Three a, Three b) const {
    return {a.mean + b.mean, a.squares + b.squares, a.count + b.count};
  }
  float project(Three a) const {
    return static_cast<float>(a.squares - a.mean / static_cast<double>(a.count + 1));
  }
};
/// Numbers alone: the order of additions shows in float.
struct Sum {
  float identity() const { return 0; }
  float accumulate(float acc, float x, float y) const { return acc + x * y; }
  float combine(float a, float b) const { return a + b; }
  float project(float acc) const { return acc; }
};
struct Count {
  std::int64_t identity() const { return 0; }
  std::int64_t accumulate(std::int64_t n, float x, float y) const { return n + (x > y ? 1 : 0); }
  std::int64_t combine(std::int64_t a, std::int64_t b) const { return a + b; }
  float project(std::int64_t n) const { return static_cast<float>(n); }
};
static_assert(!by_member<WholeOf<Moments>::Acc> && sizeof(WholeOf<Moments>::Acc) == sizeof(Three));

TensorIterator reduction(const std::vector<Tensor>& outputs, const TensorView& x,
                         const TensorView& y) {
  weft::TensorIteratorConfig config;
  for (const Tensor& out : outputs)
    config.add_output(out);
  config.add_input(x).add_input(y);
  config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true);
  return config.enforce_linear_iteration(true).build();
}

template <class Op, class Other>
void check_layouts(test::Random& random, test::Tally& tally, const std::vector<ScalarType>& types) {
  constexpr bool indexed =
      requires(Op op) { op.accumulate(op.identity(), 1.0F, 1.0F, std::int64_t{1}); };
  for (int round = 0; round < test::rounds(150); ++round) {
    // Lengths around short rows and columns, around those of vectors and of all lanes.
    const std::int64_t short_extent = random.integer(0, 7);
    Dims shape = {random.chance(30) ? short_extent : random.integer(1, 70),
                  random.chance(10) ? random.integer(2000, 9000) : random.integer(1, 200)};
    if (random.chance(40)) std::swap(shape[0], shape[1]);
    Dims kept = shape, second = shape;
    kept[random.chance(50) ? 0 : 1] = 1;
    if (random.chance(10)) kept = {1, 1};
    if (random.chance(40)) second[random.chance(50) ? 0 : 1] = 1;
    const ScalarType stored = random.chance(15) ? ScalarType::f16 : ScalarType::f32;
    const test::Memory x = test::random_memory(random, stored, test::random_layout(random, shape),
                                               test::Values::small);
    const test::Memory y = test::random_memory(
        random, ScalarType::f32, test::random_layout(random, second), test::Values::small);
    const TensorView spread = y.view().expand(shape);
    std::vector<Tensor> got, want;
    for (const ScalarType type : types) {
      got.push_back(Tensor::full(kept, type, 5));
      want.push_back(Tensor::full(kept, type, 6));
    }
    test::in_arena(static_cast<int>(random.integer(1, 4)), [&] {
      const std::int64_t grain = random.integer(0, 300);
      if constexpr (indexed)
        weft::cpu_reduce_indexed(reduction(got, x.view(), spread), Op(), grain);
      else
        weft::cpu_reduce(reduction(got, x.view(), spread), Op(), grain);
    });
    if constexpr (indexed)
      weft::cpu_reduce_indexed(reduction(want, x.view(), spread), Other());
    else
      weft::cpu_reduce(reduction(want, x.view(), spread), Other());
    for (std::size_t k = 0; k < types.size(); ++k) {
      const auto bytes = static_cast<std::size_t>(got[k].nbytes());
      const bool same = std::memcmp(got[k].data(), want[k].data(), bytes) == 0;
      tally.check(same, [&](auto& text) {
        text << weft::to_string(shape) << " to " << weft::to_string(kept) << ", strides "
             << weft::to_string(x.view().strides()) << weft::to_string(spread.strides())
             << ", output " << k;
      });
    }
  }
}

}  // namespace

TEST_CASE("cpu_reduce: accumulators by member have the bits of whole ones", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  check_layouts<Greatest, WholeOfIndexed<Greatest>>(random, tally,
                                                    {ScalarType::i32, ScalarType::f32});
  check_layouts<GreatestFar, WholeOfIndexed<GreatestFar>>(random, tally,
                                                          {ScalarType::i64, ScalarType::f32});
  check_layouts<FirstAbove, WholeOfIndexed<FirstAbove>>(random, tally,
                                                        {ScalarType::i32, ScalarType::f32});
  check_layouts<ComplexProduct, WholeOf<ComplexProduct>>(random, tally, {ScalarType::c64});
  check_layouts<Moments, WholeOf<Moments>>(random, tally, {ScalarType::f32});
  check_layouts<Sum, WholeOf<Sum>>(random, tally, {ScalarType::f32});
  check_layouts<Count, WholeOf<Count>>(random, tally, {ScalarType::f32});
  CHECK_TALLY(tally);
}
