// SPDX-License-Identifier: Apache-2.0
// masked_fill, masked_select and nonzero against their definitions, for all types and layouts.
#include <weft/ops/masking.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_ops.hpp"
#include "support/threads.hpp"

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

bool is_set(const TensorView& view, const Dims& index) {
  return test::as_type(ScalarType::boolean, view.dtype(), test::element_at(view, index)).bytes[0] !=
         0;
}

/// A dense tensor of elements that are listed one by one.
test::Dense column(ScalarType type, const std::vector<std::byte>& bytes) {
  test::Dense dense(type, {static_cast<std::int64_t>(bytes.size()) / weft::element_size(type)});
  dense.bytes = bytes;
  return dense;
}

/// What a function gives in a new tensor, and in an output with gaps.
template <class Call>
std::string wrong(test::Random& random, const test::Dense& expected, Call&& call) {
  Tensor fresh;
  call(weft::Output(fresh));
  std::string text = test::difference(fresh, expected);
  const Memory out = test::random_output(random, expected.type, expected.shape);
  const test::Watch watch(out);
  call(weft::Output(out.view()));
  text += test::difference(out.view(), expected);
  return text + (watch.gaps_untouched() ? "" : "wrote between elements");
}

Dims random_extents(test::Random& random) {
  Dims shape = test::random_shape(random, 4);
  if (!shape.empty() && random.chance(15)) shape.back() = random.integer(100, 3000);
  if (test::product(shape) > 20'000) shape = {2500};
  return shape;
}

}  // namespace

TEST_CASE("masked_fill: all types, broadcast masks and values", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(20); ++round) {
      const Dims shape = random_extents(random);
      // A bool that is any byte becomes 1 on the way, or stays what it is.
      const auto values = type == ScalarType::boolean ? test::Values::small : test::Values::any;
      const Memory a =
          test::random_memory(random, type, test::random_layout(random, shape), values);
      const Memory mask = test::random_input(random, ScalarType::boolean, shape);
      const std::int64_t seven = 7;
      const test::AnyElement value = test::as_type(type, ScalarType::i64, &seven);
      const auto expected = test::naive_map(
          type, shape, {a.view(), mask.view()}, [&](const void* const* in, void* to) {
            const bool filled = test::load<bool>(in[1]);
            std::memcpy(to, filled ? static_cast<const void*>(value.bytes) : in[0],
                        static_cast<std::size_t>(weft::element_size(type)));
          });
      const Tensor point = Tensor::copy_of(
          TensorView::trusted(static_cast<const void*>(value.bytes), type, weft::IntSpan()));
      std::string text = wrong(random, expected, [&](const weft::Output& out) {
        weft::masked_fill_out(out, a.view(), mask.view(), point);
      });
      if (type != ScalarType::boolean)
        text += test::difference(weft::masked_fill(a.view(), mask.view(), 7), expected);
      const Tensor in_place = Tensor::copy_of(a.view());
      weft::masked_fill_out(TensorView(in_place), in_place, mask.view(), point);
      text += test::difference(in_place, expected);
      tally.check(text.empty(), [&](auto& out) { test::describe(out, a.view()) << ": " << text; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked_select: in C order of the common shape", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(30); ++round) {
      const Dims shape = random_extents(random);
      const bool whole = random.chance(60);  // else the operand itself broadcasts
      const Memory a = whole ? test::random_memory(random, type, test::random_layout(random, shape))
                             : test::random_input(random, type, shape);
      const Memory mask = whole ? test::random_input(random, ScalarType::boolean, shape)
                                : test::random_memory(random, ScalarType::boolean,
                                                      test::random_layout(random, shape));
      std::vector<std::byte> bytes;
      test::for_each_index(shape, [&](const Dims& index) {
        if (!is_set(mask.view(), index)) return;
        const std::byte* element = test::element_at(a.view(), index);
        bytes.insert(bytes.end(), element, element + weft::element_size(type));
      });
      const std::string text = wrong(random, column(type, bytes), [&](const weft::Output& out) {
        weft::masked_select_out(out, a.view(), mask.view());
      });
      tally.check(text.empty(), [&](auto& out) {
        test::describe(test::describe(out, a.view()) << " mask ", mask.view()) << ": " << text;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("nonzero: positions in C order", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(30); ++round) {
      const Memory a =
          test::random_memory(random, type, test::random_layout(random, random_extents(random)),
                              random.chance(50) ? test::Values::any : test::Values::small);
      const auto rank = static_cast<std::int64_t>(a.layout().shape.size());
      std::vector<std::int64_t> list;
      std::int64_t count = 0;
      test::for_each_index(a.layout().shape, [&](const Dims& index) {
        if (!is_set(a.view(), index)) return;
        ++count;
        list.insert(list.end(), index.begin(), index.end());
      });
      test::Dense expected(ScalarType::i64, {count, rank});
      if (!list.empty()) std::memcpy(expected.bytes.data(), list.data(), expected.bytes.size());
      const std::string text = wrong(
          random, expected, [&](const weft::Output& out) { weft::nonzero_out(out, a.view()); });
      tally.check(text.empty(), [&](auto& out) { test::describe(out, a.view()) << ": " << text; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masking: over many pieces, the same for any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  const Memory a = test::random_memory(random, ScalarType::i16, test::fit({{700, 301}, {1, 700}}),
                                       test::Values::small);
  const Memory mask =
      test::random_memory(random, ScalarType::boolean, test::fit({{700, 301}, {301, 1}}));
  std::vector<Tensor> first;
  test::for_thread_counts([&](int threads) {
    const std::vector<Tensor> now = {weft::masked_select(a.view(), mask.view()),
                                     weft::nonzero(a.view())};
    if (threads == 1) first = now;
    for (std::size_t i = 0; i < now.size(); ++i)
      CHECK(test::difference(now[i], test::dense_copy(first[i])) == "");
  });
  std::vector<std::byte> bytes;
  test::for_each_index({700, 301}, [&](const Dims& index) {
    const std::byte* element = test::element_at(a.view(), index);
    if (is_set(mask.view(), index)) bytes.insert(bytes.end(), element, element + 2);
  });
  CHECK(test::difference(first[0], column(ScalarType::i16, bytes)) == "");
}

TEST_CASE("masking: what is refused", "[ops]") {
  const Tensor a = Tensor::of<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor mask = Tensor::zeros({2, 3}, ScalarType::boolean);
  const TensorView view = a;
  CHECK_ERROR(dtype, ("masked_fill", "input 1", "expected bool", "i32"),
              weft::masked_fill(a, a, 1));
  CHECK_ERROR(cast, ("masked_fill", "input 2", "f64", "i32"), weft::masked_fill(a, mask, 1.5));
  CHECK_ERROR(rank, ("masked_fill", "input 2", "[2, 3]"), weft::masked_fill(a, mask, a));
  CHECK_ERROR(dtype, ("masked_fill", "output 0", "i32", "f32"),
              weft::masked_fill_out(Tensor::zeros({2, 3}, ScalarType::f32), a, mask, 1));
  CHECK_ERROR(shape, ("masked_select", "3", "2"),
              weft::masked_select(a, Tensor::zeros({2}, ScalarType::boolean)));
  CHECK_ERROR(dtype, ("masked_select", "input 1", "bool"), weft::masked_select(a, a));
  CHECK_ERROR(dtype, ("nonzero", "output 0", "expected i64", "i32"), weft::nonzero_out(view, a));
  CHECK_ERROR(shape, ("nonzero", "output 0", "[6, 2]", "[2, 3]"),
              weft::nonzero_out(Tensor::zeros({2, 3}, ScalarType::i64), a));
  CHECK_ERROR(
      overlap, ("masked_select", "output 0", "input 0"),
      weft::masked_select_out(view.select(1, 0), a, Tensor::of<bool>({3}, {true, false, false})));
  CHECK_ERROR(undefined, ("nonzero", "input 0"), weft::nonzero(TensorView()));
  CHECK_ERROR(undefined, ("masked_fill", "input 1"), weft::masked_fill(a, TensorView(), 1));
}
