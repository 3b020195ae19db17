// SPDX-License-Identifier: Apache-2.0
// Prefix operations and softmax of larger tensors whose axes lie in any order, the output's in
// another: the same as of dense copies (softmax adds up in an order of its own).
#include <weft/ops/copy.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/softmax.hpp>

#include "support/dense.hpp"
#include "support/threads.hpp"

#include <cstring>

namespace {

using test::Dims;
using test::Random;
using weft::ScalarType;
using weft::Tensor;

/// Dense, or with gaps, in a random order of the axes.
Tensor draw(Random& random, ScalarType type, const Dims& shape) {
  Dims strides(shape.size());
  std::int64_t step = 1;
  for (const std::int64_t axis : random.permutation(static_cast<std::int64_t>(shape.size()))) {
    strides[static_cast<std::size_t>(axis)] = step;
    step *= shape[static_cast<std::size_t>(axis)];
    if (random.chance(15)) step += random.integer(1, 3);
  }
  Tensor t = Tensor::empty_strided(shape, strides, type);
  test::fill(type, t.data(), t.end_byte() / weft::element_size(type), random, test::Values::small);
  return t;
}

}  // namespace

TEST_CASE("operations along an axis: larger permuted tensors", "[layouts]") {
  using enum ScalarType;
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<ScalarType> types = {f32, f64, bf16, i8, i32, i64};
  for (int round = 0; round < test::rounds(60); ++round) {
    Dims shape;
    for (std::int64_t axis = 0; axis < 3 + round % 2; ++axis)
      shape.push_back(random.integer(1, axis == 0 ? 50 : 24));
    const ScalarType type = random.pick(types);
    const bool integer = weft::is_integer(type);
    const auto axis = random.integer(0, static_cast<std::int64_t>(shape.size()) - 1);
    const Tensor a = draw(random, type, shape);
    const Tensor dense = Tensor::copy_of(a);
    const Tensor sum = draw(random, integer ? i64 : type, shape), most = draw(random, type, shape);
    const Tensor soft = draw(random, integer ? f32 : type, shape);
    const test::Dense want_sum = test::dense_copy(weft::cumsum(dense, axis));
    const test::Dense want_most = test::dense_copy(weft::cummax(dense, axis).values);
    const test::Dense want_soft = test::dense_copy(weft::softmax(dense, axis));
    test::for_thread_counts([&](int threads) {
      weft::cumsum_out(sum, a, axis);
      weft::cummax_out(most, a, axis);
      weft::softmax_out(soft, a, axis);
      const auto check = [&](const std::string& wrong, const char* what) {
        tally.check(wrong.empty(), [&](auto& text) {
          test::describe(text << what << " of ", a)
              << " along " << axis << ", " << threads << " threads: " << wrong;
        });
      };
      check(test::difference(sum, want_sum), "cumsum");
      check(test::difference(most, want_most), "cummax");
      check(test::difference(soft, want_soft, {.ulps = 64, .computed = soft.dtype()}), "softmax");
    });
  }
  CHECK_TALLY(tally);
}
