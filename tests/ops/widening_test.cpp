// SPDX-License-Identifier: Apache-2.0
// Arithmetic of mixed types on long rows, where inputs are converted in registers: to the bit what
// the same operation gives of inputs that have been converted before.
#include <weft/core/promotion.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/registry.hpp>

#include "support/element.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cstring>

namespace {

using test::Random;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using enum ScalarType;

using Binary = void (*)(const weft::Output& out, const weft::Input& a, const weft::Input& b);

/// Rows at a stride of a few elements more than they are long, or one row for all.
Tensor rows(Random& random, ScalarType type, std::int64_t count, std::int64_t length,
            bool repeated) {
  const std::int64_t pitch = length + random.integer(0, 3);
  const std::int64_t shape[] = {count, length};
  const std::int64_t strides[] = {repeated ? 0 : pitch, 1};
  Tensor t = Tensor::empty_strided(shape, strides, type);
  test::fill(type, t.data(), (repeated ? 0 : count - 1) * pitch + length, random);
  return t;
}

Tensor converted(const TensorView& from, ScalarType type) {
  Tensor to = Tensor::empty(from.shape(), type);
  weft::copy_out(to, from);
  return to;
}

/// To the bit, except that the bits of a NaN are not laid down.
bool same(const Tensor& got, const Tensor& want) {
  if (got.dtype() != want.dtype() || !got.is_contiguous() || got.numel() != want.numel())
    return false;
  if (std::memcmp(got.data(), want.data(), static_cast<std::size_t>(want.nbytes())) == 0)
    return true;
  const std::int64_t size = weft::element_size(got.dtype());
  const auto* g = static_cast<const char*>(got.data());
  const auto* w = static_cast<const char*>(want.data());
  for (std::int64_t i = 0; i < got.nbytes(); i += size) {
    if (!test::same_element(got.dtype(), g + i, w + i)) return false;
  }
  return true;
}

/// Of operands of two dims.
void check(test::Tally& tally, Binary op, const Tensor& a, const Tensor& b) {
  const ScalarType type = op == &weft::div_out ? f32 : weft::promote_types(a.dtype(), b.dtype());
  const Tensor want = Tensor::empty(a.shape(), type);
  op(want, converted(a, type), converted(b, type));
  test::for_thread_counts([&](int threads) {
    Tensor got;
    op(got, a, b);
    tally.check(same(got, want), [&](auto& out) {
      out << weft::name(type) << " of " << weft::name(a.dtype()) << " and " << weft::name(b.dtype())
          << ", " << a.shape()[0] << " x " << a.shape()[1] << " and " << b.shape()[1] << ", "
          << threads << " threads";
    });
  });
}

}  // namespace

TEST_CASE("widening: inputs are used as they are", "[ops]") {
  const auto access = [&](ScalarType a, ScalarType b, std::int64_t length) {
    const std::int64_t shape[] = {length};
    const Tensor out = Tensor::empty(shape, weft::promote_types(a, b));
    const Tensor x = Tensor::zeros(shape, a);
    const Tensor y = Tensor::zeros(shape, b);
    const TensorView outputs[] = {out};
    const TensorView inputs[] = {x, y};
    weft::OpArguments args;
    args.outputs = outputs;
    args.inputs = inputs;
    const weft::Explanation e = weft::find_op("mul", args).explain(args);
    return e.operands[1].access + ", " + e.operands[2].access;
  };
  CHECK(access(i8, i32, 200'000) == "direct, direct");
  CHECK(access(f32, bf16, 200'000) == "direct, direct");
  CHECK(access(f32, i64, 200'000) == "direct, staged: cast");
  CHECK(access(i8, i32, 2000) == "staged: cast, direct");
}

TEST_CASE("widening: long rows of mixed types", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const ScalarType cases[][3] = {
      {f32, i32, f32}, {f32, f32, i32}, {f32, boolean, f32}, {f32, bf16, f32}, {f32, f16, f32},
      {f64, f32, f64}, {f64, f64, i32}, {i32, i8, i32},      {i32, i32, u16},  {i64, i32, i64},
      {i64, u8, i64},  {f32, u8, f32},  {f32, i32, i32}};
  for (const auto& types : cases) {
    const ScalarType type = types[0];
    const ScalarType a_type = types[1];
    const ScalarType b_type = types[2];
    const bool divides = a_type == b_type;
    const std::vector<Binary> others = {&weft::add_out, &weft::sub_out, &weft::mul_out};
    const Binary op = divides ? &weft::div_out : random.pick(others);
    const std::int64_t count = random.chance(50) ? 1 : 30;
    const std::int64_t length = (count == 1 ? 131072 : 4400) + random.integer(0, 200);
    // Only one that is not converted is taken as it is.
    const bool one_row = count > 1 && random.chance(30);
    const Tensor a = rows(random, a_type, count, length, one_row && a_type == type);
    const Tensor b = rows(random, b_type, count, length, one_row && b_type == type);
    check(tally, op, a, b);
  }
  CHECK_TALLY(tally);
}

TEST_CASE("widening: a value of another type for each row", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<ScalarType> types = {u8, i16, i32, i64, f16, bf16, f32, f64, c64, c128};
  const std::vector<Binary> ops = {&weft::add_out, &weft::mul_out};
  for (int round = 0; round < test::rounds(150); ++round) {
    const ScalarType a_type = random.pick(types);
    const ScalarType b_type = random.pick(types);
    const std::int64_t count = random.integer(1, 300);
    const std::int64_t length =
        random.chance(20) ? random.integer(3000, 40000 / count + 3000) : random.integer(2, 1500);
    const Tensor a = rows(random, a_type, count, length, false);
    const Tensor b = rows(random, b_type, count, 1, false);
    const Binary op = random.pick(ops);
    check(tally, op, a, b);
  }
  CHECK_TALLY(tally);
}
