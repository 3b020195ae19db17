// SPDX-License-Identifier: Apache-2.0
// Matrix products against one sum at a time: to the bit.
#include <weft/linalg/packed_matrix.hpp>
#include <weft/ops/matmul.hpp>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/naive_product.hpp"
#include "support/threads.hpp"

#include <cmath>

namespace {

using test::Dims;
using test::Layout;
using test::LayoutKinds;
using test::Memory;
using test::Random;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

const std::vector<ScalarType>& all_types() {
  static const std::vector<ScalarType> types = [] {
    std::vector<ScalarType> list;
    for (int i = 0; i < weft::scalar_type_count; ++i)
      list.push_back(static_cast<ScalarType>(i));
    return list;
  }();
  return types;
}

/// Empty if `c` holds the product.
std::string wrong_product(const TensorView& c, const TensorView& a, const TensorView& b) {
  return weft::dispatch_all_types(c.dtype(), [&]<class T>() {
    return test::difference(c, test::naive_product<T>(test::dims(c.shape()), a, b));
  });
}

Memory operand(Random& random, ScalarType type, const Dims& shape, LayoutKinds kinds) {
  Memory memory(type, test::random_layout(random, shape, kinds));
  test::fill_small(random, memory.view());
  return memory;
}

TEST_CASE("matmul at the edges of tiles, panels and runs") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<std::int64_t> rows{0, 1, 2, 3, 5, 6, 7, 8, 9, 12, 13, 17, 33, 40};
  const std::vector<std::int64_t> depths{0, 1, 2, 7, 64, 255, 256, 257, 511, 520, 1030};
  const std::vector<std::int64_t> columns{0,  1,  2,  7,  8,  9,  15,  16,
                                          17, 31, 32, 33, 63, 65, 129, 270};
  const std::vector<ScalarType> types{ScalarType::f32, ScalarType::f32, ScalarType::f64,
                                      ScalarType::f16, ScalarType::bf16};
  for (int round = 0; round < test::rounds(120); ++round) {
    const std::int64_t m = random.pick(rows), k = random.pick(depths), n = random.pick(columns);
    if (m * k * n > 1'500'000) continue;
    const ScalarType type = random.pick(types);
    const LayoutKinds kinds{.permuted = true,
                            .padded = random.chance(40),
                            .negative = random.chance(20),
                            .zero = false};
    const Memory a = operand(random, type, {m, k}, kinds);
    const Memory b = operand(random, type, {k, n}, kinds);
    const Memory c = operand(random, type, {m, n}, kinds);
    weft::matmul_out(c.view(), a.view(), b.view());
    const std::string wrong = wrong_product(c.view(), a.view(), b.view());
    tally.check(wrong.empty(), [&](auto& text) {
      for (const Memory* memory : {&c, &a, &b}) {
        test::describe(text, memory->view());
        text << ", ";
      }
      text << wrong;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("matmul of all types, layouts and leading axes") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(600); ++round) {
    const ScalarType type = random.pick(all_types());
    const Dims batch = test::random_shape(random, 2, 4);
    const std::int64_t m = random.integer(1, 20), k = random.integer(0, 12),
                       n = random.integer(1, 40);
    Dims a_shape = test::random_operand_shape(random, batch);
    Dims b_shape = test::random_operand_shape(random, batch);
    a_shape.insert(a_shape.end(), {m, k});
    b_shape.insert(b_shape.end(), {k, n});
    const Memory a = operand(random, type, a_shape, {});
    const Memory b = operand(random, type, b_shape, {});
    Dims shape =
        test::dims(weft::broadcast_shapes(weft::IntSpan(a_shape.data(), a_shape.size() - 2),
                                          weft::IntSpan(b_shape.data(), b_shape.size() - 2)));
    const Dims leading = shape;
    shape.insert(shape.end(), {m, n});
    const Memory c = operand(random, type, shape, {.zero = false});
    weft::matmul_out(c.view(), a.view(), b.view());
    const auto seen = [&](const TensorView& view) {
      Dims whole = leading;
      whole.insert(whole.end(), {view.extent(-2), view.extent(-1)});
      return view.expand(whole);
    };
    const std::string wrong = wrong_product(c.view(), seen(a.view()), seen(b.view()));
    tally.check(wrong.empty(), [&](auto& text) {
      for (const Memory* memory : {&c, &a, &b}) {
        test::describe(text, memory->view());
        text << ", ";
      }
      text << wrong;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("matmul gives the same bits on any number of threads") {
  WEFT_RANDOM(random);
  struct Case {
    Dims a, b;
  };
  for (const Case& shapes : {Case{{70, 300}, {300, 500}}, Case{{900, 300}, {300, 40}},
                             Case{{6, 40, 200}, {200, 90}}, Case{{8, 30, 100}, {8, 100, 60}}}) {
    const Memory a = operand(random, ScalarType::f32, shapes.a, {.zero = false});
    const Memory b = operand(random, ScalarType::f32, shapes.b, {.zero = false});
    std::vector<std::byte> first;
    test::for_thread_counts([&](int threads) {
      const Tensor c = weft::matmul(a.view(), b.view());
      const test::Dense got = test::dense_copy(c);
      if (threads == 1) first = got.bytes;
      CHECK(got.bytes == first);
    });
  }
}

TEST_CASE("matmul of few columns has the bits of as many among more") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(60); ++round) {
    const ScalarType type = random.chance(50) ? ScalarType::f32 : ScalarType::f64;
    const std::int64_t m = random.integer(1, 40), n = random.integer(1, 17),
                       k = random.chance(70) ? random.integer(1, 40) : random.integer(200, 300);
    const Memory a = operand(random, type, {m, k}, {.padded = random.chance(30)});
    const Memory b = operand(random, type, {k, 70}, {.zero = false});
    const TensorView few = b.view().slice(1, 0, n);
    const Tensor wide = weft::matmul(a.view(), b.view()), narrow = weft::matmul(a.view(), few);
    const Tensor packed = Tensor::full({m, n}, type, 0);
    weft::multiply_out(packed, a.view(), weft::PackedMatrix(few), packed);
    const test::Dense want = test::dense_copy(TensorView(wide).slice(1, 0, n));
    for (const Tensor* got : {&narrow, &packed}) {
      tally.check(test::dense_copy(*got).bytes == want.bytes, [&](auto& text) {
        text << weft::name(type) << " [" << m << ", " << k << "] and [" << k << ", " << n << ']'
             << (got == &packed ? ", packed" : "");
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("matmul of few columns: zeros have the sign that they have among more") {
  // Where there is FMA, sums that are too small to be told from zero keep it.
  const Tensor a = Tensor::full({40, 3}, ScalarType::f32, -1e-30);
  const auto last = [&](std::int64_t n, std::int64_t row) {
    const Tensor c = weft::matmul(a, Tensor::full({3, n}, ScalarType::f32, 1e-30));
    return std::signbit(c.at<float>(row, n - 1));
  };
  for (const std::int64_t n : {1, 2, 4, 8, 16, 17}) {
    for (const std::int64_t row : {0, 1, 39})
      CHECK(last(n, row) == last(70, row));
  }
}

TEST_CASE("matmul of vectors") {
  const Tensor v = Tensor::of<float>({2}, {1, 2});
  const Tensor m = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(weft::matmul(v, v).rank() == 0);
  CHECK(weft::matmul(v, v).at<float>({}) == 5);
  const Tensor row = weft::matmul(v, m);
  CHECK(std::ranges::equal(row.shape(), Dims{3}));
  CHECK(row.at<float>({2}) == 15);
  const Tensor column = weft::matmul(m.transpose(0, 1), v);
  CHECK(std::ranges::equal(column.shape(), Dims{3}));
  CHECK(column.at<float>({0}) == 9);
  const Tensor batch = weft::matmul(Tensor::full({4, 3, 2}, ScalarType::f32, 1), v);
  CHECK(std::ranges::equal(batch.shape(), Dims{4, 3}));
}

TEST_CASE("matmul replaces a Tensor that does not fit") {
  Tensor out = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const TensorView input = out;
  weft::matmul_out(out, input, Tensor::of<float>({2, 1}, {1, 1}));
  CHECK(std::ranges::equal(out.shape(), Dims{2, 1}));
  CHECK(out.at<float>({1, 0}) == 7);
}

TEST_CASE("matmul refuses what it can't do, and writes nothing") {
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor b = Tensor::full({3, 4}, ScalarType::f32, 1);
  const Tensor c = Tensor::full({2, 4}, ScalarType::f32, 9);
  const Tensor square = Tensor::full({3, 3}, ScalarType::f32, 2);
  Tensor none;
  CHECK_ERROR(shape, ("matmul", "3 columns", "2 rows"), weft::matmul(a, a));
  CHECK_ERROR(shape, ("leading axes"),
              weft::matmul(Tensor::zeros({2, 1, 3}, ScalarType::f32),
                           Tensor::zeros({3, 3, 1}, ScalarType::f32)));
  CHECK_ERROR(shape, ("output 0", "[2, 4]"), weft::matmul_out(TensorView(square), a, b));
  CHECK_ERROR(rank, ("input 0"), weft::matmul(Tensor::zeros({}, ScalarType::f32), b));
  CHECK_ERROR(dtype, ("input 1", "f64"), weft::matmul(a, Tensor::zeros({3, 4}, ScalarType::f64)));
  CHECK_ERROR(dtype, ("output 0"),
              weft::matmul_out(TensorView(Tensor::zeros({2, 4}, ScalarType::f64)), a, b));
  CHECK_ERROR(undefined, ("input 1"), weft::matmul(a, none));
  CHECK_ERROR(undefined, ("output 0"), weft::matmul_out(TensorView(), a, b));
  CHECK_ERROR(overlap, ("input 0"), weft::matmul_out(TensorView(square), square, square));
  CHECK_ERROR(overlap, ("input 1"), weft::matmul_out(b.slice(0, 0, 2), a, b));
  CHECK_ERROR(overlap, ("output 0"), weft::matmul_out(c.select(0, 0).expand({2, 4}), a, b));
  CHECK(c.at<float>({0, 0}) == 9);
  CHECK(square.at<float>({0, 0}) == 2);
}

}  // namespace
