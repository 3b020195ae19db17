// SPDX-License-Identifier: Apache-2.0
// Plans of reductions, declared shapes and squashed axes: the visited offsets against the naive
// oracle.
#include <weft/iter/config.hpp>

#include "support/random_layout.hpp"
#include "support/tally.hpp"
#include "support/visit.hpp"

namespace {

using test::Dims;
using weft::ScalarType;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// Some axes of extent 1 instead, some leading ones of those dropped.
Dims random_reduced(test::Random& random, const Dims& shape) {
  Dims out = shape;
  for (std::int64_t& extent : out) {
    if (random.chance(50)) extent = 1;
  }
  while (!out.empty() && out.front() == 1 && random.chance(30))
    out.erase(out.begin());
  return out;
}

std::string text(const TensorView& v) {
  return weft::to_string(v.shape()) + weft::to_string(v.strides()) + " ";
}

}  // namespace

TEST_CASE("reduction: every input element meets the output element it belongs to", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(10000); ++round) {
    const Dims shape = test::random_shape(random, 4);
    const test::Memory in(ScalarType::f32, test::random_layout(random, shape));
    const test::Memory out(
        ScalarType::f64,
        test::random_layout(random, random_reduced(random, shape), {.zero = false}));
    const TensorView views[] = {out.view(), in.view()};
    TensorIteratorConfig config;
    config.add_output(views[0]).add_input(views[1]).is_reduction(true);
    config.check_all_same_dtype(false).resize_outputs(random.chance(50));
    config.pytorch_order(random.chance(30));
    const TensorIterator iter = config.build();
    const std::vector<Dims> wanted = test::naive_offsets(shape, {out.naive(), in.naive()});
    bool right = test::sorted(test::visited(iter)) == test::sorted(wanted);
    right = right && iter.is_reduction();
    // Output elements, and dims along which the output stands still.
    std::int64_t kept = 1;
    for (int d = 0; d < iter.ndim(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      if (!iter.is_dim_reduced(d)) kept *= iter.shape()[at];
      right = right && iter.is_dim_reduced(d) == (iter.strides(0)[at] == 0 && iter.shape()[at] > 1);
    }
    if (iter.numel() > 0) right = right && kept == out.view().numel();
    right = right && iter.num_output_elements() == out.view().numel();
    tally.check(right, [&](auto& o) { o << text(views[0]) << text(views[1]); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("reduction: along a reduced axis indexes rise", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(8000); ++round) {
    Dims shape = test::random_shape(random, 3);
    if (shape.empty()) continue;
    for (std::int64_t& extent : shape)
      extent = std::max<std::int64_t>(extent, 1);
    const auto axis =
        static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(shape.size()) - 1));
    Dims out_shape = shape;
    out_shape[axis] = 1;
    const test::Memory in(ScalarType::f32, test::random_layout(random, shape, {.zero = false}));
    const test::Memory out(ScalarType::f32,
                           test::random_layout(random, out_shape, {.zero = false}));
    const TensorView views[] = {out.view(), in.view()};
    const TensorIterator iter = TensorIterator::reduce_op(views[0], views[1]);
    // What is met for each output element, in the order of the walk, steps by the axis's stride.
    std::vector<Dims> tuples = test::visited(iter);
    std::stable_sort(tuples.begin(), tuples.end(),
                     [](const Dims& a, const Dims& b) { return a[0] < b[0]; });
    bool right = true;
    for (std::size_t i = 1; i < tuples.size(); ++i) {
      if (tuples[i][0] != tuples[i - 1][0]) continue;
      right = right && tuples[i][1] - tuples[i - 1][1] == 4 * in.layout().strides[axis];
    }
    tally.check(right, [&](auto& o) { o << text(views[0]) << text(views[1]) << " axis " << axis; });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("declared shape: operands are seen as if they had it", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(10000); ++round) {
    const Dims shape = test::random_shape(random, 4);
    std::vector<std::int64_t> squashed;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (random.chance(25)) squashed.push_back(static_cast<std::int64_t>(axis));
    }
    // The operand's own extents are other ones, in memory for the declared ones.
    const test::Layout declared = test::random_layout(random, shape);
    const test::Memory memory(ScalarType::i16, declared);
    Dims own = shape;
    for (std::int64_t& extent : own)
      extent = extent == 0 ? 0 : random.integer(1, extent);
    const TensorView view = memory.view().as_strided(own, declared.strides);
    TensorIteratorConfig config;
    config.add_input(view).resize_outputs(false).declare_static_shape(shape, squashed);
    config.enforce_linear_iteration(random.chance(30)).pytorch_order(random.chance(30));
    const TensorIterator iter = config.build();
    Dims walked = shape;
    for (const std::int64_t axis : squashed)
      walked[static_cast<std::size_t>(axis)] = 1;
    test::NaiveOperand naive{shape, declared.strides, 2};
    for (const std::int64_t axis : squashed) {
      // Without elements there may be no memory: then the pointer stands still.
      if (own[static_cast<std::size_t>(axis)] == 0) naive.strides.assign(shape.size(), 0);
    }
    const std::vector<Dims> wanted = test::naive_offsets(walked, {naive});
    tally.check(test::sorted(test::visited(iter)) == test::sorted(wanted) &&
                    test::dims(iter.common_shape()) == shape,
                [&](auto& o) {
                  o << text(view) << " as " << weft::to_string(shape) << " without "
                    << weft::to_string(squashed);
                });
  }
  CHECK_TALLY(tally);
}
