// SPDX-License-Identifier: Apache-2.0
// Operands of different types of which at least one is transposed, around the edges of tiles: what
// the plainest of loops gives, whatever the threads and the grain.
#include <weft/machine/cpu_info.hpp>
#include <weft/ops/registry.hpp>

#include "layouts/mix_checker.hpp"

namespace {

using test::Dims;
using test::Layout;
using test::MixChecker;
using test::MixTypes;
using test::Random;
using weft::ScalarType;

/// An extent up to three beside a multiple of tiles or lines.
std::int64_t edge(Random& random, std::int64_t most) {
  std::int64_t whole = random.pick<std::int64_t>({32, 64, 128, 256});
  while (whole > most)
    whole /= 2;
  whole *= random.integer(1, std::max<std::int64_t>(1, most / whole));
  return std::max<std::int64_t>(1, whole + random.integer(-3, 3));
}

/// Rows x columns in one of the ways that an operand may lie; `broadcast`: may have less elements.
Layout lie(Random& random, std::int64_t rows, std::int64_t columns, bool transposed,
           bool broadcast) {
  const std::int64_t pad = random.chance(40) ? random.integer(1, 9) : 0;
  Dims strides = transposed ? Dims{1, rows + pad} : Dims{columns + pad, 1};
  for (std::int64_t& stride : strides) {
    if (random.chance(15)) stride = -stride;
  }
  if (broadcast && random.chance(15)) strides[static_cast<std::size_t>(random.integer(0, 1))] = 0;
  if (random.chance(10)) {
    for (std::int64_t& stride : strides)
      stride *= 2;
  }
  return test::fit({{rows, columns}, strides});
}

template <class C>
void check_planes(Random& random, const std::vector<MixTypes>& all, int count) {
  MixChecker<C> checker(random);
  for (const MixTypes& types : all) {
    for (int round = 0; round < test::rounds(count); ++round) {
      std::int64_t rows = edge(random, 600);
      std::int64_t columns = edge(random, std::max<std::int64_t>(32, 60'000 / rows));
      if (random.chance(50)) std::swap(rows, columns);
      // At least one is transposed: the output, an input, or both inputs.
      const auto which = random.integer(1, 6);
      const Layout out = lie(random, rows, columns, (which & 1) != 0, false);
      const Layout a = lie(random, rows, columns, (which & 2) != 0, true);
      checker.check(types, out, a, lie(random, rows, columns, (which & 4) != 0, true));
    }
  }
  CHECK_TALLY(checker.tally());
}

}  // namespace

TEST_CASE("transposed tiles: f32, and types that become it", "[layouts]") {
  WEFT_RANDOM(random);
  check_planes<float>(random,
                      {{ScalarType::f32, ScalarType::f32, ScalarType::f32},
                       {ScalarType::f64, ScalarType::i16, ScalarType::f32},
                       {ScalarType::f16, ScalarType::f32, ScalarType::u8},
                       {ScalarType::f32, ScalarType::bf16, ScalarType::f16}},
                      7);
}

TEST_CASE("transposed tiles: by way of a common type", "[layouts]") {
  WEFT_RANDOM(random);
  check_planes<float>(random,
                      {{ScalarType::f32, ScalarType::i32, ScalarType::f16, true},
                       {ScalarType::f64, ScalarType::bf16, ScalarType::u8, true},
                       {ScalarType::c64, ScalarType::f16, ScalarType::f16, true}},
                      7);
}

TEST_CASE("transposed tiles: elements of one byte", "[layouts]") {
  WEFT_RANDOM(random);
  check_planes<std::uint8_t>(random,
                             {{ScalarType::u8, ScalarType::u8, ScalarType::u8},
                              {ScalarType::i64, ScalarType::boolean, ScalarType::u8}},
                             7);
}

TEST_CASE("transposed tiles: elements of 8 and 16 bytes", "[layouts]") {
  WEFT_RANDOM(random);
  check_planes<double>(random,
                       {{ScalarType::f64, ScalarType::f32, ScalarType::i32},
                        {ScalarType::f32, ScalarType::f64, ScalarType::f64}},
                       5);
  check_planes<std::complex<double>>(random,
                                     {{ScalarType::c128, ScalarType::c64, ScalarType::f64},
                                      {ScalarType::c64, ScalarType::c128, ScalarType::c128}},
                                     5);
}

TEST_CASE("transposed tiles: four axes in any order", "[layouts]") {
  WEFT_RANDOM(random);
  MixChecker<float> checker(random);
  const std::vector<MixTypes> all = {{ScalarType::f32, ScalarType::f32, ScalarType::f32},
                                     {ScalarType::f32, ScalarType::f64, ScalarType::f32},
                                     {ScalarType::f64, ScalarType::f32, ScalarType::i16},
                                     {ScalarType::f16, ScalarType::u8, ScalarType::f32}};
  for (int round = 0; round < test::rounds(40); ++round) {
    // Two extents at the edges of lines or tiles, two small ones, anywhere.
    Dims shape = {random.integer(1, 4), edge(random, 64), random.integer(2, 5), edge(random, 130)};
    Dims turned;
    for (const std::int64_t axis : random.permutation(4))
      turned.push_back(shape[static_cast<std::size_t>(axis)]);
    const Layout out = test::random_layout(random, turned, {.zero = false});
    const Layout a = test::random_layout(random, turned);
    const Layout b = test::random_layout(random, test::random_operand_shape(random, turned));
    checker.check(random.pick(all), out, a, b);
  }
  CHECK_TALLY(checker.tally());
}

// Dense along a dim beyond those that a gathered tile reaches, and larger than the second level.
TEST_CASE("transposed tiles: short rows of what comes from far", "[layouts]") {
  WEFT_RANDOM(random);
  const std::int64_t elements = weft::cpu_info().l2_bytes / 4;
  MixChecker<float> checker(random);
  const std::vector<MixTypes> all = {{ScalarType::f32, ScalarType::f32, ScalarType::f32},
                                     {ScalarType::f32, ScalarType::f64, ScalarType::i16}};
  for (int round = 0; round < test::rounds(6); ++round) {
    const std::int64_t row = random.integer(2, 15), rows = edge(random, 40);
    const Dims shape = {elements / (row * rows) + random.integer(1, 9), rows, row};
    const auto turned = [&] { return test::fit({shape, {1, shape[0], rows * shape[0]}}); };
    const Layout out = random.chance(70) ? test::fit({shape, test::row_major(shape)}) : turned();
    checker.check(random.pick(all), out, turned(), test::random_layout(random, shape));
  }
  CHECK_TALLY(checker.tally());

  const auto told = [](std::int64_t columns, std::int64_t rows = 40) {
    const weft::Tensor out = weft::Tensor::zeros({columns, rows, 9}, ScalarType::f32),
                       in = weft::Tensor::zeros({9, rows, columns}, ScalarType::f32);
    const weft::TensorView outputs[] = {out}, inputs[] = {in.permute({2, 1, 0})};
    const weft::OpArguments args{.outputs = outputs, .inputs = inputs, .axes = {}};
    return weft::find_op("neg", args).explain(args).run.strategy;
  };
  CHECK(told(50) == weft::Strategy::gathered_tiles);
  CHECK(told(elements / 360 + 1) == weft::Strategy::transposed_tiles);
  // The lines of a tile are more than the first level holds.
  CHECK(told(7, 300) == weft::Strategy::transposed_tiles);
}
