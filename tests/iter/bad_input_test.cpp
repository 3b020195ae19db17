// SPDX-License-Identifier: Apache-2.0
// What callers get wrong, class by class: each is a typed error that names operand, axis, what was
// expected and what came, before anything is written. Misuse under threads is in
// parallel/bad_input_test.cpp, views that are wrong by themselves in core/tensor_view_test.cpp.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"
#include "support/visit.hpp"

#include <limits>

namespace {

using test::dims;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t two_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_32 = std::int64_t{1} << 32;

/// A view whose memory need not exist: nothing here may touch it.
TensorView far(const Dims& shape, const Dims& strides, ScalarType type = ScalarType::f32) {
  return TensorView::trusted(reinterpret_cast<const void*>(std::uintptr_t{1} << 40), type, shape,
                             strides);
}

/// An output full of a pattern, to see whether anybody wrote.
struct Untouched {
  Tensor tensor = Tensor::full({3, 4}, ScalarType::f32, 7.25);
  const void* before = tensor.data();
  bool holds() const {
    bool same = tensor.data() == before && dims(tensor.shape()) == Dims{3, 4};
    for (int i = 0; i < 12; ++i)
      same = same && tensor.data_as<float>()[i] == 7.25f;
    return same;
  }
};

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

TEST_CASE("bad input: a negative extent", "[iter]") {
  Untouched out;
  TensorIteratorConfig config;
  config.add_output(out.tensor).resize_outputs(false).declare_static_shape({3, -4});
  CHECK_ERROR(shape, ("axis 1", "[3, -4]", "negative"), config.build());
  CHECK(out.holds());
}

TEST_CASE("bad input: more axes than the declared shape", "[iter]") {
  Untouched out;
  TensorIteratorConfig config;
  config.add_output(out.tensor).resize_outputs(false).declare_static_shape({12});
  CHECK_ERROR(rank, ("output 0", "rank 2", "[12]"), config.build());
  CHECK(out.holds());
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

TEST_CASE("bad input: a declared shape that leaves an operand's memory", "[iter]") {
  // Exhaustive over small shapes and strides, in memory of exactly the size, at every offset.
  test::Tally tally;
  const test::Memory memory(ScalarType::i16, test::fit({{6}, {1}}));
  for (std::int64_t code = 0; code < 6 * 4 * 4 * 7 * 7; ++code) {
    std::int64_t left = code;
    const auto draw = [&](std::int64_t count) {
      const std::int64_t drawn = left % count;
      left /= count;
      return drawn;
    };
    const std::int64_t origin = draw(6);
    const Dims shape = {draw(4), draw(4)};
    const Dims strides = {draw(7) - 3, draw(7) - 3};
    bool inside = true;
    test::for_each_index(shape, [&](const Dims& i) {
      const std::int64_t at = origin + i[0] * strides[0] + i[1] * strides[1];
      inside = inside && at >= 0 && at < 6;
    });
    const TensorView element = memory.view().as_strided({1, 1}, strides, origin);
    TensorIteratorConfig config;
    config.add_input(element).resize_outputs(false).declare_static_shape(shape);
    std::string problem;
    try {
      const TensorIterator iter = config.build();
      if (!inside) problem = "accepted";
      std::int64_t elements = 0;
      iter.serial_for_each([&](char** data, const std::int64_t* s, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          data[0][i * s[0]] = data[0][i * s[0] + 1] = 1;
        elements += n;
      });
      if (elements != test::product(shape)) problem = "elements";
    } catch (const weft::Error& error) {
      const bool named = std::string(error.what()).find("input 0") != std::string::npos;
      if (inside || error.code() != weft::ErrorCode::bounds || !named) problem = error.what();
    }
    tally.check(problem.empty(), [&](auto& out) {
      out << origin << ' ' << weft::to_string(shape) << weft::to_string(strides) << problem;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("bad input: a declared shape over memory of unknown size", "[iter]") {
  std::vector<float> values(6);
  const TensorView view = TensorView::trusted(values.data(), ScalarType::f32, {2, 3});
  const auto build = [&](const Dims& shape) {
    return TensorIteratorConfig()
        .add_input(view)
        .resize_outputs(false)
        .declare_static_shape(shape)
        .build();
  };
  CHECK(build({2, 3}).numel() == 6);
  CHECK(build({1, 3}).numel() == 3);
  // No more than the view itself reaches is known to be there.
  CHECK_ERROR(bounds, ("input 0", "[3, 3]", "0 to 36", "0 to 24"), build({3, 3}));
}

TEST_CASE("bad input: a squashed axis without elements", "[iter]") {
  // A kernel that sums along axis 1 finds nothing to sum, and writes as many results as there are.
  const Tensor sums = Tensor::zeros({3, 1}, ScalarType::f32);
  const TensorView nothing(std::span<float>(), {3, 0}, {1, 1});
  const auto build = [&](const TensorView& out, const Dims& shape) {
    return TensorIteratorConfig()
        .add_output(out)
        .add_input(nothing)
        .resize_outputs(false)
        .declare_static_shape(shape, {1})
        .build();
  };
  int rows = 0;
  build(sums, {3, 0})
      .serial_for_each([&](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          *reinterpret_cast<float*>(data[0] + i * strides[0]) = 1;
        CHECK(data[1] == nullptr);
        CHECK(strides[1] == 0);
        rows += static_cast<int>(n);
      });
  CHECK(rows == 3);
  // The output's rows are walked and have to be there, although the declared shape has no element.
  CHECK_ERROR(bounds, ("output 0", "[5, 0]"), build(sums, {5, 0}));
  CHECK(build(sums, {0, 0}).numel() == 0);
  // An axis of nothing that is not squashed is walked, as far as the declared shape says.
  const TensorView no_rows(std::span<float>(), {0, 3});
  CHECK_ERROR(bounds, ("input 0"),
              TensorIteratorConfig()
                  .add_input(no_rows)
                  .resize_outputs(false)
                  .declare_static_shape({2, 3}, {1})
                  .build());
}

TEST_CASE("bad input: huge strides under a declared shape", "[iter]") {
  const TensorView huge = far({1, 1}, {most / 10, 1});
  const auto build = [&](const Dims& shape) {
    return TensorIteratorConfig()
        .add_input(huge)
        .resize_outputs(false)
        .declare_static_shape(shape)
        .build();
  };
  CHECK_ERROR(overflow, ("input 0", "[4, 1]", "2^63-1"), build({4, 1}));
  CHECK_ERROR(bounds, ("input 0", "[2, 1]"), build({2, 1}));
  CHECK(build({1, 1}).numel() == 1);  // never stepped over
  CHECK(build({0, 9}).numel() == 0);
}

TEST_CASE("bad input: operands that share memory", "[iter]") {
  Untouched out;
  const TensorView lower = out.tensor.slice(0, 0, 2);
  const TensorView upper = out.tensor.slice(0, 1, 3);
  const TensorView transposed = out.tensor.slice(1, 0, 3).transpose(0, 1);
  const TensorView square = out.tensor.slice(1, 0, 3);
  const TensorView expanded = out.tensor.select(0, 0).expand({3, 4});
  const auto build = [](const TensorView& to, const TensorView& from) {
    return TensorIteratorConfig().add_output(to).add_input(from).build();
  };
  CHECK_ERROR(overlap, ("output 0", "input 0", "unsupported operation", "[4, 1]", "[2, 4]"),
              build(lower, upper));
  CHECK_ERROR(overlap, ("output 0", "input 0", "[4, 1]", "[1, 4]"), build(square, transposed));
  CHECK_ERROR(overlap, ("output 0", "unsupported operation", "[0, 1]"), build(expanded, expanded));
  CHECK_ERROR(overlap, ("output 0", "output 1"),
              TensorIteratorConfig().add_output(lower).add_output(upper).build());
  CHECK_ERROR(overlap, ("output 0", "output 1"),
              TensorIteratorConfig().add_output(lower).add_output(lower).build());
  CHECK(out.holds());
}

TEST_CASE("bad input: operands that share memory only under the declared shape", "[iter]") {
  const Tensor d = Tensor::full({10}, ScalarType::f32, 7.25);
  const TensorView still = d.as_strided({1}, {0});
  const TensorView low = d.as_strided({1}, {1});
  const TensorView high = d.as_strided({1}, {1}, 1);
  const auto build = [](const TensorView& to, const TensorView& from, const Dims& squash) {
    return TensorIteratorConfig()
        .add_output(to)
        .add_input(from)
        .resize_outputs(false)
        .declare_static_shape({5}, squash)
        .build();
  };
  CHECK_ERROR(overlap, ("output 0", "[5]", "[0]"), build(still, high, {}));
  CHECK_ERROR(overlap, ("output 0", "input 0", "[5]"), build(low, high, {}));
  CHECK(build(low, d.as_strided({1}, {1}, 5), {}).numel() == 5);
  CHECK(build(low, low, {}).numel() == 5);
  // A squashed axis is the kernel's, with the operand's own extent.
  CHECK(build(low, high, {0}).numel() == 1);
}

TEST_CASE("bad input: a reduction of its own output", "[iter]") {
  const Tensor sums = Tensor::of<float>({3, 1}, {1, 2, 3});
  const TensorView repeated = sums.expand({3, 4});
  const auto build = [&](weft::OverlapPolicy policy) {
    return TensorIteratorConfig()
        .add_output(sums)
        .add_input(repeated)
        .is_reduction(true)
        .resize_outputs(false)
        .set_overlap_policy(policy)
        .build();
  };
  CHECK_ERROR(overlap, ("output 0", "input 0", "[3, 1]", "[3, 4]"),
              build(weft::OverlapPolicy::error));
  build(weft::OverlapPolicy::copy)
      .serial_for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
          *reinterpret_cast<float*>(data[0] + i * strides[0]) +=
              *reinterpret_cast<float*>(data[1] + i * strides[1]);
        }
      });
  CHECK(sums.at<float>({0, 0}) == 5);
  CHECK(sums.at<float>({2, 0}) == 15);
  // Where nothing is reduced it works in place.
  const TensorView all = sums;
  CHECK(TensorIterator::reduce_op(sums, all).numel() == 3);
}

TEST_CASE("bad input: an output of a reduction that does not fit its input", "[iter]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::f32);
  const std::vector<Dims> shapes = {{2}, {5}, {3}, {3, 2}, {2, 4}, {2, 3, 4}, {4, 3}, {1, 1, 5}};
  for (const bool resize : {false, true}) {
    for (const Dims& shape : shapes) {
      CAPTURE(resize, weft::to_string(shape));
      Tensor out = Tensor::full(shape, ScalarType::f32, 7.25);
      TensorIteratorConfig config;
      config.add_output(out).add_input(a).is_reduction(true).resize_outputs(resize);
      std::string what;
      try {
        const TensorIterator iter = config.build();
        // Accepted only if the input is repeated along an axis of the output's.
        CHECK_FALSE(resize);
        CHECK(test::naive_broadcast({shape, {3, 4}}) == dims(iter.common_shape()));
      } catch (const weft::Error& error) {
        const bool shape_or_rank =
            error.code() == weft::ErrorCode::shape || error.code() == weft::ErrorCode::rank;
        CHECK(shape_or_rank);
        what = error.what();
        CHECK(what.find(weft::to_string(shape)) != std::string::npos);
      }
    }
  }
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
