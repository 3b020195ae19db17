// SPDX-License-Identifier: Apache-2.0
// Products with a packed matrix, and with somebody else's library.
#include <weft/linalg/packed_matrix.hpp>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/naive_product.hpp"
#include "support/threads.hpp"

namespace {

using test::Dims;
using test::Memory;
using test::Random;
using weft::PackedMatrix;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

Memory operand(Random& random, ScalarType type, const Dims& shape, test::LayoutKinds kinds = {}) {
  Memory memory(type, test::random_layout(random, shape, kinds));
  test::fill_small(random, memory.view());
  return memory;
}

std::string wrong_product(const TensorView& c, const TensorView& a, const TensorView& b,
                          const TensorView& start) {
  return weft::dispatch_types<float, double, weft::float16, weft::bfloat16>(
      c.dtype(), [&]<class T>() {
        return test::difference(c, test::naive_product<T>(test::dims(c.shape()), a, b, start));
      });
}

TEST_CASE("products with a packed matrix, started in every way") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<ScalarType> types{ScalarType::f32, ScalarType::f64, ScalarType::f16,
                                      ScalarType::bf16};
  for (int round = 0; round < test::rounds(300); ++round) {
    const ScalarType type = random.pick(types);
    const std::int64_t k = random.chance(20) ? random.integer(250, 600) : random.integer(0, 20);
    const std::int64_t n = random.integer(0, 70);
    Dims shape = test::random_shape(random, 2, 6);
    shape.push_back(random.chance(30) ? 1 : random.integer(1, 40));
    Dims a_shape = shape;
    Dims c_shape = shape;
    a_shape.push_back(k);
    c_shape.push_back(n);
    const Memory a = operand(random, type, a_shape);
    const Memory b = operand(random, type, {k, n});
    const Memory c = operand(random, type, c_shape, {.zero = false});
    const Memory start = operand(
        random, type, random.chance(40) ? Dims{n} : test::random_operand_shape(random, c_shape));
    const int form = static_cast<int>(random.integer(0, 2));
    const TensorView given = form == 0 ? TensorView() : form == 1 ? start.view() : c.view();
    Tensor kept;
    if (form != 0) kept = Tensor::copy_of(given.expand(c_shape));
    const PackedMatrix packed(b.view());
    weft::multiply_out(c.view(), a.view(), packed, given);
    Dims b_shape = c_shape;
    b_shape[b_shape.size() - 2] = k;
    const std::string wrong = wrong_product(c.view(), a.view(), b.view().expand(b_shape), kept);
    tally.check(wrong.empty(), [&](auto& text) {
      for (const Memory* memory : {&c, &a, &b, &start}) {
        test::describe(text, memory->view());
        text << ", ";
      }
      text << "form " << form << ": " << wrong;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("products with a packed matrix of many rows, added up in many runs") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(12); ++round) {
    const ScalarType type = random.chance(50) ? ScalarType::f32 : ScalarType::f64;
    const std::int64_t m = random.integer(1, 600), k = random.integer(200, 1100);
    const std::int64_t n = random.integer(1, 70);
    const Memory a = operand(random, type, {m, k}, {.zero = false});
    const Memory b = operand(random, type, {k, n});
    const Memory c = operand(random, type, {m, n}, {.zero = false});
    const Memory bias = operand(random, type, {n});
    const bool adds = random.chance(50);
    const TensorView start = adds ? c.view() : bias.view();
    const Tensor kept = Tensor::copy_of(start.expand({m, n}));
    weft::multiply_out(c.view(), a.view(), PackedMatrix(b.view()), start);
    INFO(m << " x " << k << " x " << n << (adds ? ", added to" : ", with a bias"));
    CHECK(wrong_product(c.view(), a.view(), b.view(), kept) == "");
  }
}

TEST_CASE("a packed matrix remembers what it is") {
  const Tensor b = Tensor::full({300, 70}, ScalarType::f32, 1);
  const PackedMatrix packed(b.transpose(0, 1));
  CHECK(packed.rows() == 70);
  CHECK(packed.columns() == 300);
  CHECK(packed.dtype() == ScalarType::f32);
  CHECK(packed.bytes() >= 300 * 70 * 4);
}

TEST_CASE("products with a packed matrix on any number of threads") {
  WEFT_RANDOM(random);
  const Memory b = operand(random, ScalarType::f32, {300, 700}, {.zero = false});
  const PackedMatrix packed(b.view());
  for (const std::int64_t rows : {1, 40, 2000}) {
    const Memory a = operand(random, ScalarType::f32, {rows, 300}, {.zero = false});
    const Tensor bias = Tensor::full({700}, ScalarType::f32, 0.3);
    std::vector<std::byte> first;
    test::for_thread_counts([&](int threads) {
      const Tensor c = Tensor::zeros({rows, 700}, ScalarType::f32);
      weft::multiply_out(c, a.view(), packed, bias);
      const test::Dense got = test::dense_copy(c);
      if (threads == 1) first = got.bytes;
      CHECK(got.bytes == first);
    });
  }
}

TEST_CASE("what can't be packed or multiplied is refused") {
  const Tensor b = Tensor::full({3, 4}, ScalarType::f32, 1);
  const PackedMatrix packed(b);
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor c = Tensor::full({2, 4}, ScalarType::f32, 9);
  CHECK_ERROR(rank, ("PackedMatrix", "[3]"), PackedMatrix(b.select(1, 0)));
  CHECK_ERROR(dtype, ("i32"), PackedMatrix(Tensor::zeros({3, 4}, ScalarType::i32)));
  CHECK_ERROR(undefined, ("matrix"), PackedMatrix(TensorView()));
  CHECK_ERROR(shape, ("input 0", "3 rows"), weft::multiply_out(c, c, packed));
  CHECK_ERROR(shape, ("output 0", "[2, 4]"), weft::multiply_out(a, a, packed));
  CHECK_ERROR(shape, ("start"),
              weft::multiply_out(c, a, packed, Tensor::zeros({3}, ScalarType::f32)));
  CHECK_ERROR(dtype, ("input 0"),
              weft::multiply_out(c, Tensor::zeros({2, 3}, ScalarType::f64), packed));
  CHECK_ERROR(undefined, ("output 0"), weft::multiply_out(TensorView(), a, packed));
  CHECK_ERROR(overlap, ("start"), weft::multiply_out(c, a, packed, c.flip(0)));
  CHECK_ERROR(overlap, ("input 0"), weft::multiply_out(c, c.slice(1, 0, 3), packed));
  CHECK(c.at<float>({0, 0}) == 9);
}

int calls = 0;
bool counting(const weft::MatrixProduct& product) noexcept {
  ++calls;
  if (product.rows != 2 || product.columns != 4 || product.depth != 3 || product.start == nullptr)
    return false;
  if (product.c_column_stride != 1 || product.b_depth_stride != 4) return false;
  auto* c = static_cast<float*>(product.c);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j)
      c[i * product.c_row_stride + j] = 100;
  }
  return true;
}

TEST_CASE("a provider takes the products that it wants") {
  const weft::ProductProvider provider{"counting", &counting};
  CHECK(weft::set_product_provider(&provider) == nullptr);
  CHECK(weft::product_provider() == &provider);
  const Tensor b = Tensor::full({3, 4}, ScalarType::f32, 1);
  const PackedMatrix packed(b);
  CHECK(weft::set_product_provider(nullptr) == &provider);
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor c = Tensor::full({2, 4}, ScalarType::f32, 1);
  calls = 0;
  weft::multiply_out(c, a, packed, c);
  CHECK(calls == 1);
  CHECK(c.at<float>({1, 3}) == 100);
  weft::multiply_out(c, a, packed);  // declined
  CHECK(calls == 2);
  CHECK(c.at<float>({1, 3}) == 3);
  const PackedMatrix own(b);
  weft::multiply_out(c, a, own, c);
  CHECK(calls == 2);
  CHECK(c.at<float>({1, 3}) == 6);
}

}  // namespace

TEST_CASE("packed_matrix: one that was moved from is refused", "[kernel]") {
  weft::PackedMatrix from(weft::Tensor::full({3, 2}, weft::ScalarType::f32, 1));
  const weft::PackedMatrix to = std::move(from);
  const weft::Tensor a = weft::Tensor::full({4, 3}, weft::ScalarType::f32, 1);
  const weft::Tensor out = weft::Tensor::zeros({4, 2}, weft::ScalarType::f32);
  CHECK_ERROR(undefined, ("moved"),
              weft::multiply_out(out, a, from));  // NOLINT(bugprone-use-after-move)
  weft::multiply_out(out, a, to);
  CHECK(out.at<float>({3, 1}) == 3);
}
