// SPDX-License-Identifier: Apache-2.0
// What callers get wrong, class by class: each is a typed error that names operand, axis, what was
// expected and what came, before anything is written. Here: counts, ranks and missing data.
// Declared shapes: bad_bounds_test.cpp; shared memory: bad_overlap_test.cpp; threads:
// parallel/bad_input_test.cpp; views that are wrong by themselves: core/tensor_view_test.cpp.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/untouched.hpp"
#include "support/visit.hpp"

namespace {

using test::dims;
using test::Dims;
using test::far;
using test::Untouched;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

constexpr std::int64_t two_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_32 = std::int64_t{1} << 32;

}  // namespace

TEST_CASE("bad input: a common shape of too many elements", "[iter]") {
  const TensorView column = far({two_32, 1}, {1, 1});
  const TensorView row = far({1, two_31}, {1, 1});
  Untouched out;
  CHECK_ERROR(
      overflow, ("[4294967296, 2147483648]", "2^63-1"),
      TensorIteratorConfig().add_output(out.tensor).add_input(column).add_input(row).build());
  CHECK(out.holds());
  // One bit less fits, as long as nothing of this size is to be allocated.
  const TensorView shorter = far({two_31, 1}, {1, 1});
  const TensorIterator iter = TensorIteratorConfig().add_input(shorter).add_input(row).build();
  CHECK(iter.numel() == two_31 * two_31);
  CHECK(dims(iter.shape()) == Dims{two_31, two_31});
}

TEST_CASE("bad input: an output of too many bytes", "[iter]") {
  const TensorView column = far({two_31, 1}, {1, 1}, ScalarType::f64);
  const TensorView row = far({1, two_31}, {1, 1}, ScalarType::f64);
  Untouched out;
  Tensor to_resize = out.tensor;
  CHECK_ERROR(overflow, ("f32", "2^63-1"),
              TensorIteratorConfig()
                  .add_output(to_resize)
                  .add_input(column)
                  .add_input(row)
                  .check_all_same_dtype(false)
                  .build());
  CHECK(to_resize.data() == out.before);
  CHECK(out.holds());
}

TEST_CASE("bad input: counts just past 32 bits are counted right", "[iter]") {
  for (const std::int64_t count : {two_31 - 1, two_31, two_31 + 1, two_32, two_32 + 3}) {
    const TensorView view = far({count}, {2});
    const TensorIterator iter = TensorIteratorConfig().add_input(view).build();
    CHECK(iter.numel() == count);
    CHECK(dims(iter.shape()) == Dims{count});
    std::int64_t seen = 0;
    iter.serial_for_each(
        [&](char** data, const std::int64_t* strides, std::int64_t n) {
          CHECK(strides[0] == 8);
          CHECK(reinterpret_cast<std::intptr_t>(data[0]) ==
                (std::intptr_t{1} << 40) + 8 * (count - 5));
          seen += n;
        },
        {count - 5, count});
    CHECK(seen == 5);
  }
}

TEST_CASE("bad input: nothing is computed from the extents of an empty operand", "[iter]") {
  const std::int64_t two_62 = std::int64_t{1} << 62;
  struct Row {
    Dims empty, also;
  };
  for (const Row& row :
       {Row{{two_62, two_62, 0}, {two_62, 1, 1}}, Row{{0, two_62, two_62}, {1, two_62, 1}},
        Row{{3, 0, two_62}, {1, 1, two_62}}}) {
    for (const int rules : {0, 1, 2, 3}) {
      CAPTURE(weft::to_string(row.empty), rules);
      const TensorView empty = far(row.empty, {0, 0, 0});
      const TensorView also = far(row.also, {0, 0, 0}, ScalarType::u8);
      TensorIteratorConfig config;
      config.add_input(empty).add_input(also).promote_inputs_to_common_dtype(true);
      config.enforce_linear_iteration((rules & 1) != 0).pytorch_order((rules & 2) != 0);
      TensorIterator iter = config.build();
      CHECK(iter.numel() == 0);
      CHECK(test::product(dims(iter.shape())) == 0);
      CHECK(iter.can_use_32bit_indexing());
      CHECK(iter.get_dim_to_split() >= 0);
      CHECK(iter.num_output_elements() == 1);
      CHECK(iter.explain().numel == 0);
      for (const std::int64_t extent : iter.shape())
        CHECK(extent >= 0);
      iter.serial_for_each([](char**, const std::int64_t*, std::int64_t) { FAIL("called"); });
      // An output of that shape has no strides that fit; nothing is allocated.
      Tensor out;
      TensorIteratorConfig with_output;
      with_output.add_output(out).add_input(empty).add_input(also);
      with_output.promote_inputs_to_common_dtype(true);
      with_output.enforce_linear_iteration((rules & 1) != 0).pytorch_order((rules & 2) != 0);
      if (row.empty[0] == 3) continue;  // here they do fit
      CHECK_ERROR(overflow, (weft::to_string(row.empty)), with_output.build());
      CHECK_FALSE(out.defined());
    }
  }
}

TEST_CASE("bad input: 65 dims, 33 operands", "[iter]") {
  const Tensor a = Tensor::zeros({1}, ScalarType::f32);
  TensorIteratorConfig dims65;
  dims65.add_input(a).resize_outputs(false).declare_static_shape(Dims(65, 1));
  CHECK_ERROR(rank, ("65", "64"), dims65.build());
  TensorIteratorConfig operands;
  for (int i = 0; i < 32; ++i)
    operands.add_input(a);
  CHECK(operands.build().ntensors() == 32);
  operands.add_input(a);
  CHECK_ERROR(rank, ("33 operands", "32"), operands.build());
}

TEST_CASE("bad input: 64 dims that do not merge are walked", "[iter]") {
  // Two elements along every fifth axis, and padding, so that nothing coalesces.
  test::Layout layout{Dims(64, 1), Dims(64, 3)};
  for (std::size_t axis = 0; axis < 64; axis += 5)
    layout.shape[axis] = 2;
  std::int64_t step = 1;
  for (std::size_t axis = 64; axis-- > 0;) {
    layout.strides[axis] = step;
    if (layout.shape[axis] == 2) step = 2 * step + 1;
  }
  const test::Memory memory(ScalarType::u8, test::fit(layout));
  const TensorView view = memory.view();
  const TensorIterator iter = TensorIteratorConfig().add_input(view).build();
  CHECK(iter.ndim() == 13);
  CHECK(test::visited(iter) == test::naive_offsets(layout.shape, {memory.naive()}));
}

TEST_CASE("bad input: outputs that cannot be written, inputs that are not there", "[iter]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::f32);
  const std::vector<float> constant(12);
  const TensorView read_only(std::span<const float>(constant), {3, 4});
  const TensorView read_only_part = read_only.slice(1, 0, 3);
  const TensorView part = a.slice(1, 0, 3);
  CHECK_ERROR(invalid_argument, ("output 0", "read-only"),
              TensorIteratorConfig().add_output(read_only).add_input(a).build());
  CHECK_ERROR(invalid_argument, ("output 0", "read-only"),
              TensorIteratorConfig().add_output(read_only_part).add_input(part).build());
  const TensorView undefined;
  CHECK_ERROR(undefined, ("input 1"),
              TensorIteratorConfig().add_output().add_input(a).add_input(undefined).build());
  CHECK_ERROR(undefined, ("no defined operand"), TensorIteratorConfig().add_output().build());
  CHECK_ERROR(undefined, ("no defined operand"), TensorIteratorConfig().build());
}

TEST_CASE("bad input: null data and no elements is fine", "[iter]") {
  const TensorView empty(std::span<float>(), {3, 0});
  const TensorView row(std::span<float>(), {0});
  Tensor out;
  const TensorIterator iter =
      TensorIteratorConfig().add_output(out).add_input(empty).add_input(row).build();
  CHECK(iter.numel() == 0);
  CHECK(dims(out.shape()) == Dims{3, 0});
  iter.for_each([](char**, const std::int64_t*, std::int64_t) { FAIL("called"); });
  const TensorView null_output(std::span<float>(), {0, 3});
  CHECK(TensorIteratorConfig().add_output(null_output).build().numel() == 0);
}

TEST_CASE("bad input: misaligned operands are walked as they are", "[iter]") {
  std::vector<char> bytes(8 * 12 + 8);
  for (std::int64_t off = 0; off < 8; ++off) {
    const TensorView view =
        TensorView::trusted(bytes.data() + off, ScalarType::f64, {3, 2}, {4, 1});
    const TensorIterator iter = TensorIteratorConfig().add_output(view).build();
    CHECK(iter.data_ptr(0) == bytes.data() + off);
    CHECK(test::visited(iter) == test::naive_offsets({3, 2}, {{{3, 2}, {4, 1}, 8}}));
  }
}
