// SPDX-License-Identifier: Apache-2.0
// cpu_cumulative with users' own structs, along every axis of random layouts.
#include <weft/kernel/cumulative.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_reduce.hpp"
#include "support/threads.hpp"

#include <limits>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// 2 * acc + x, wrapping: the order of accumulation shows. The result is doubled by project, so
/// that a projected value taken for an accumulator shows too.
struct Shifting {
  using Acc = std::uint64_t;
  Acc identity() const { return 3; }
  Acc accumulate(Acc acc, std::int32_t x) const {
    return 2 * acc + static_cast<Acc>(static_cast<std::int64_t>(x));
  }
  std::int64_t project(Acc acc) const { return static_cast<std::int64_t>(2 * acc); }
};

struct RunningMax {
  float identity() const { return -std::numeric_limits<float>::infinity(); }
  float accumulate(float acc, float x) const { return x > acc || x != x ? x : acc; }
  float project(float acc) const { return acc; }
};

/// An accumulator of 64 bytes: the last eight elements.
struct Window {
  struct Acc {
    double last[8];
  };
  Acc identity() const { return {}; }
  Acc accumulate(const Acc& before, double x) const {
    Acc acc{};
    for (int i = 0; i < 7; ++i)
      acc.last[i] = before.last[i + 1];
    acc.last[7] = x;
    return acc;
  }
  double project(const Acc& acc) const {
    double sum = 0;
    for (int i = 0; i < 8; ++i)
      sum = sum * 3 + acc.last[i];
    return sum;
  }
};

/// What Op makes of `in` along `axis`, one element after the other; converted to the output's type.
template <class Op>
test::Dense prefix(const TensorView& in, std::size_t axis, ScalarType out_type, const Op& op) {
  using Loops = weft::CumulativeLoops<Op>;
  using In = std::tuple_element_t<0, typename weft::CumulativeTypes<Op>::Ins>;
  using Out = std::tuple_element_t<0, typename weft::CumulativeTypes<Op>::Outs>;
  const Dims shape = test::dims(in.shape());
  const Dims reduced =
      shape.empty() ? shape : test::reduced_shape(shape, 1u << static_cast<unsigned>(axis));
  std::vector<typename Loops::Acc> acc(static_cast<std::size_t>(test::product(reduced)),
                                       op.identity());
  test::Dense result(out_type, shape);
  const test::NaiveOperand operand = test::naive(in);
  // Row-major order visits every line along the axis from its beginning.
  std::int64_t flat = 0;
  test::for_each_index(shape, [&](const Dims& index) {
    In x{};
    test::convert_element(
        weft::scalar_type_of<In>, &x, in.dtype(),
        static_cast<const std::byte*>(in.data()) + test::naive_offset(operand, index));
    auto& a = acc[test::flat_index(reduced, index)];
    a = op.accumulate(a, x);
    const Out value = op.project(a);
    test::convert_element(out_type, result.at(flat++), weft::scalar_type_of<Out>, &value);
  });
  return result;
}

template <class Op>
void check_random(int rounds, const std::vector<ScalarType>& in_types,
                  const std::vector<ScalarType>& out_types, const Op& op) {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(rounds); ++round) {
    Dims shape = test::random_shape(random, 4, round % 8 == 0 ? 20 : 6);
    // Sometimes more columns than one piece has, or more rows than a block.
    if (!shape.empty() && random.chance(20)) {
      const auto last = static_cast<std::int64_t>(shape.size()) - 1;
      shape[static_cast<std::size_t>(random.integer(0, last))] = random.integer(100, 700);
    }
    for (std::size_t axis = 0; axis < std::max<std::size_t>(shape.size(), 1); ++axis) {
      const Memory in =
          test::random_memory(random, random.pick(in_types), test::random_layout(random, shape));
      const Memory out = test::random_output(random, random.pick(out_types), shape);
      const test::Watch watch(out);
      const auto from_end = static_cast<std::int64_t>(axis) -
                            (random.chance(50) ? static_cast<std::int64_t>(shape.size()) : 0);
      weft::cpu_cumulative(out.view(), in.view(), shape.empty() ? 0 : from_end, op);
      std::string wrong =
          test::difference(out.view(), prefix(in.view(), axis, out.view().dtype(), op));
      if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text, in.view());
        test::describe(text << " to ", out.view()) << " along " << axis << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

}  // namespace

TEST_CASE("cpu_cumulative: every axis of random layouts", "[kernel]") {
  check_random(400, {ScalarType::i32}, {ScalarType::i64}, Shifting{});
}

TEST_CASE("cpu_cumulative: operands of other types are converted", "[kernel]") {
  check_random(400, {ScalarType::u8, ScalarType::i64, ScalarType::boolean, ScalarType::i16},
               {ScalarType::i32, ScalarType::f64, ScalarType::u8, ScalarType::c128}, Shifting{});
}

TEST_CASE("cpu_cumulative: NaN, infinities and half types", "[kernel]") {
  check_random(150, {ScalarType::f32, ScalarType::f16, ScalarType::bf16},
               {ScalarType::f32, ScalarType::f16}, RunningMax{});
}

TEST_CASE("cpu_cumulative: large accumulators", "[kernel]") {
  check_random(200, {ScalarType::f64, ScalarType::i8}, {ScalarType::f64, ScalarType::f32},
               Window{});
}

TEST_CASE("cpu_cumulative: in place", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(200); ++round) {
    const Dims shape = test::random_shape(random, 3, round % 8 == 0 ? 60 : 7);
    if (shape.empty()) continue;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const ScalarType type = random.chance(50) ? ScalarType::f32 : ScalarType::f16;
      const Memory data = test::random_output(random, type, shape);
      const auto want = prefix(data.view(), axis, type, RunningMax{});
      weft::cpu_cumulative(data.view(), data.view(), static_cast<std::int64_t>(axis), RunningMax{});
      const std::string wrong = test::difference(data.view(), want);
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text, data.view()) << " along " << axis << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_cumulative: the same for any threads and grain", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Dims& strides : {Dims{4200, 70, 1}, Dims{1, 50, 3000}, Dims{-4200, 70, -1}}) {
    const Dims shape = {50, 60, 70};
    const Memory in = test::random_memory(random, ScalarType::i32, test::fit({shape, strides}));
    const Memory out(ScalarType::i64, test::fit({shape, test::row_major(shape)}));
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      const auto want =
          prefix(in.view(), static_cast<std::size_t>(axis), ScalarType::i64, Shifting{});
      const Shifting op;
      test::for_thread_counts([&](int threads) {
        for (const std::int64_t grain : {0, 1, 10'000}) {
          weft::run_cumulative(out.view(), in.view(), axis, weft::cumulative_kernel(op),
                               {.grain = grain});
          const std::string wrong = test::difference(out.view(), want);
          tally.check(wrong.empty(), [&](auto& text) {
            text << "axis " << axis << ", " << threads << " threads, grain " << grain << ": "
                 << wrong;
          });
        }
        weft::run_cumulative(out.view(), in.view(), axis, weft::cumulative_kernel(op),
                             {.serial = true});
        tally.check(test::difference(out.view(), want).empty(),
                    [&](auto& text) { text << "serial along " << axis; });
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_cumulative: what does not fit is refused before anything is written", "[kernel]") {
  const Tensor in = Tensor::full({3, 4}, ScalarType::f32, 1);
  const Tensor out = Tensor::full({3, 4}, ScalarType::f32, 7);
  const Tensor narrow = Tensor::full({3, 3}, ScalarType::f32, 7);
  const Tensor i32 = Tensor::full({3, 4}, ScalarType::i32, 7);
  const Tensor c64 = Tensor::full({3, 4}, ScalarType::c64, 7);
  const auto run = [](const TensorView& to, const TensorView& from, std::int64_t axis) {
    weft::cpu_cumulative(to, from, axis, RunningMax{});
  };
  CHECK_ERROR(axis, ("axis 2"), run(out, in, 2));
  CHECK_ERROR(axis, ("axis -3"), run(out, in, -3));
  CHECK_ERROR(shape, ("[3, 4]", "[3, 3]", "output 0"), run(narrow, in, 0));
  CHECK_ERROR(cast, ("output 0", "f32", "i32"), run(i32, in, 0));
  CHECK_ERROR(cast, ("input 0", "c64", "f32"), run(out, c64, 0));
  CHECK_ERROR(undefined, ("input 0"), run(out, TensorView(), 0));
  CHECK_ERROR(undefined, ("output 0"), run(TensorView(), in, 0));
  const Tensor wide = Tensor::full({3, 5}, ScalarType::f32, 7);
  CHECK_ERROR(overlap, ("output 0", "input 0"), run(wide.slice(1, 0, 4), wide.slice(1, 1, 5), 0));
  CHECK_ERROR(overlap, ("output 0", "input 0"), run(wide.slice(1, 0, 4), wide.slice(1, 1, 5), 1));
  CHECK_ERROR(overlap, ("output 0"), run(wide.slice(0, 0, 1).expand({3, 5}), wide, 1));
  const Tensor square = Tensor::full({3, 3}, ScalarType::f32, 7);
  CHECK_ERROR(overlap, ("output 0", "input 0"), run(square, square.transpose(0, 1), 0));
  for (const Tensor* t : {&out, &narrow, &i32, &wide, &square}) {
    CHECK(test::difference(*t, test::dense_copy(Tensor::full(t->shape(), t->dtype(), 7))) == "");
  }
}
