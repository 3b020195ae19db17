// SPDX-License-Identifier: Apache-2.0
// PyTorch's overlap tests, the cases it misses, and the three policies.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"

#include <numeric>

namespace {

using test::Dims;
using weft::OverlapPolicy;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

Tensor counting(const Dims& shape) {
  const Tensor t = Tensor::empty(shape, ScalarType::i32);
  std::iota(t.data_as<std::int32_t>(), t.data_as<std::int32_t>() + t.numel(), 1);
  return t;
}

TensorIterator build(const TensorView& out, const TensorView& in,
                     OverlapPolicy policy = OverlapPolicy::error) {
  return TensorIteratorConfig()
      .add_output(out)
      .add_input(in)
      .resize_outputs(false)
      .set_overlap_policy(policy)
      .build();
}

/// out += in, serially.
void add(const TensorIterator& iter) {
  iter.serial_for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      *reinterpret_cast<std::int32_t*>(data[0] + i * strides[0]) +=
          *reinterpret_cast<std::int32_t*>(data[1] + i * strides[1]);
    }
  });
}

}  // namespace

TEST_CASE("overlap: unary cases over one memory", "[conformance]") {
  const std::int64_t n = 10;
  const Tensor d = counting({2 * n});
  const TensorView first = d.slice(0, 0, n);
  const TensorView second = d.slice(0, n, 2 * n);
  const TensorView shifted = d.slice(0, 1, n + 1);
  const TensorView expanded = d.slice(0, 0, 1).expand({n});
  CHECK(build(first, first).operand(0).is_read_write);
  CHECK_FALSE(build(first, second).operand(0).is_read_write);
  CHECK_ERROR(overlap, ("unsupported operation", "output 0", "input 0"), build(first, shifted));
  CHECK_ERROR(overlap, ("unsupported operation", "output 0", "[10]", "[0]"),
              build(expanded, second));
  // The same elements seen through another object are the same elements.
  const TensorView again = first.as_strided({n}, {1});
  CHECK(build(first, again).operand(0).is_read_write);
}

TEST_CASE("overlap: binary cases", "[conformance]") {
  const std::int64_t n = 10;
  const Tensor d = counting({3 * n});
  const TensorView out = d.slice(0, 0, n);
  const TensorView shifted = d.slice(0, 1, n + 1);
  const TensorView separate = d.slice(0, 2 * n, 3 * n);
  CHECK(TensorIterator::binary_op(out, out, out).ntensors() == 3);
  CHECK(TensorIterator::binary_op(out, separate, out).ntensors() == 3);
  CHECK_ERROR(overlap, ("input 0"), TensorIterator::binary_op(out, shifted, separate));
  CHECK_ERROR(overlap, ("input 1"), TensorIterator::binary_op(out, separate, shifted));
  CHECK(TensorIterator::binary_op(separate, out, shifted).ntensors() == 3);  // inputs may
}

TEST_CASE("overlap: what PyTorch lets pass is refused", "[conformance]") {
  const Tensor square = counting({4, 4});
  CHECK_ERROR(overlap, ("input 0"), build(square, square.transpose(0, 1)));
  const Tensor cube = counting({3, 4, 5});
  CHECK_ERROR(overlap, ("[20, 5, 1]"), build(cube.slice(1, 1, 4), cube.slice(1, 0, 3)));
  CHECK_ERROR(overlap, ("[1, 1]"), build(square.as_strided({2, 2}, {1, 1}), counting({2, 2})));
  // Two outputs, over one address range known under two owners.
  const TensorView alias = TensorView::trusted(square.data(), ScalarType::i32, {4, 4});
  CHECK_ERROR(overlap, ("output 0", "output 1"),
              TensorIteratorConfig().add_output(square).add_output(alias).build());
}

TEST_CASE("overlap: what does not overlap is accepted", "[conformance]") {
  const Tensor d = counting({4, 6});
  CHECK(build(d.slice(1, 0, 6, 2), d.slice(1, 1, 6, 2)).numel() == 12);
  CHECK(build(d.slice(1, 0, 3), d.slice(1, 3, 6)).numel() == 12);
  CHECK(build(d.slice(0, 0, 4, 2), d.slice(0, 1, 4, 2)).numel() == 12);
}

TEST_CASE("overlap: dense or not", "[conformance]") {
  // Expanding one element to any permutation of {1, 2, 3} repeats it.
  const Tensor one = counting({1});
  Dims shape = {1, 2, 3};
  do {
    CHECK_ERROR(overlap, ("output 0"), TensorIterator::nullary_op(one.expand(shape)));
  } while (std::next_permutation(shape.begin(), shape.end()));
  const Tensor dense = counting({2, 3, 4});
  CHECK(TensorIterator::nullary_op(dense.permute({2, 0, 1})).numel() == 24);
  CHECK(TensorIterator::nullary_op(dense.expand({1, 2, 3, 4})).numel() == 24);
  for (std::int64_t times = 2; times <= 4; ++times) {
    CHECK_ERROR(overlap, ("output 0"), TensorIterator::nullary_op(dense.expand({times, 2, 3, 4})));
  }
}

TEST_CASE("overlap: under copy the result is as if nothing overlapped", "[conformance]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  int copied = 0;
  for (int round = 0; round < test::rounds(2000); ++round) {
    // Two views of one memory that broadcast, the first without internal overlap.
    const Dims shape = test::random_shape(random, 3, 4);
    const test::Layout out_layout = test::random_layout(random, shape, {.zero = false});
    const test::Layout in_layout =
        test::random_layout(random, test::random_operand_shape(random, shape));
    const std::int64_t size = std::max(out_layout.size, in_layout.size) + random.integer(0, 5);
    const Tensor memory = counting({size});
    const TensorView out = memory.as_strided(
        shape, out_layout.strides,
        out_layout.size == 0 ? 0 : out_layout.origin + random.integer(0, size - out_layout.size));
    const TensorView in = memory.as_strided(
        in_layout.shape, in_layout.strides,
        in_layout.size == 0 ? 0 : in_layout.origin + random.integer(0, size - in_layout.size));
    std::vector<std::int32_t> wanted(memory.data_as<std::int32_t>(),
                                     memory.data_as<std::int32_t>() + size);
    const auto* base = memory.data_as<std::int32_t>();
    const test::NaiveOperand naive_out{shape, out_layout.strides, 1};
    const test::NaiveOperand naive_in{in_layout.shape, in_layout.strides, 1};
    test::for_each_index(shape, [&](const Dims& index) {
      const std::int64_t to = out.data_as<std::int32_t>() - base + naive_offset(naive_out, index);
      const std::int64_t from = in.data_as<std::int32_t>() - base + naive_offset(naive_in, index);
      wanted[static_cast<std::size_t>(to)] += base[from];
    });
    const TensorIterator iter = build(out, in, OverlapPolicy::copy);
    copied += iter.data_ptr(1) < memory.data() || iter.data_ptr(1) >= base + size ? 1 : 0;
    add(iter);
    tally.check(std::equal(wanted.begin(), wanted.end(), base), [&](auto& text) {
      text << weft::to_string(out.shape()) << weft::to_string(out.strides()) << " and "
           << weft::to_string(in.shape()) << weft::to_string(in.strides());
    });
  }
  CHECK_TALLY(tally);
  CHECK(copied > test::rounds(300));
}

TEST_CASE("overlap: copy cannot help an output that overlaps itself or another", "[conformance]") {
  const Tensor d = counting({10});
  const TensorView window = d.as_strided({4, 3}, {2, 1});
  const TensorView low = d.slice(0, 0, 6);
  const TensorView high = d.slice(0, 4, 10);
  CHECK_ERROR(overlap, ("output 0"), build(window, counting({4, 3}), OverlapPolicy::copy));
  CHECK_ERROR(overlap, ("output 0", "output 1"),
              TensorIteratorConfig()
                  .add_output(low)
                  .add_output(high)
                  .set_overlap_policy(OverlapPolicy::copy)
                  .build());
}

TEST_CASE("overlap: ignore takes the caller's word", "[conformance]") {
  const Tensor d = counting({10});
  const TensorView low = d.slice(0, 0, 6);
  const TensorView high = d.slice(0, 1, 7);
  const TensorIterator iter = build(low, high, OverlapPolicy::ignore);
  CHECK(iter.data_ptr(1) == high.data());
  CHECK(build(d.slice(0, 0, 1).expand({5}), high.slice(0, 0, 5), OverlapPolicy::ignore).numel() ==
        5);
}
