// SPDX-License-Identifier: Apache-2.0
// Images of a few channels, which stand innermost in one operand and outermost in another, turned
// or not: planes with rows of less than a line, which go on along another dim.
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/registry.hpp>

#include "support/dense.hpp"
#include "support/naive_ops.hpp"
#include "support/threads.hpp"

namespace {

using test::Dims;
using weft::ScalarType;

/// Images whose axes are height, width and two of channels, of at least half a MiB.
class Images {
 public:
  Images(test::Random& random, std::int64_t size) {
    const std::int64_t inner = random.chance(70) ? random.integer(2, 4) : random.integer(5, 17);
    const std::int64_t outer = random.chance(30) ? random.integer(2, 3) : 1;
    // Rows at a stride of a power of two, or any number of elements.
    const std::int64_t width =
        random.chance(50) ? 1024 / size * random.integer(1, 2) : random.integer(40, 400);
    const std::int64_t height = (512 << 10) / size / inner / outer / width + random.integer(1, 9);
    shape = {height, width, outer, inner};
  }

  /// Channels innermost, with or without gaps between the rows.
  Dims narrow(test::Random& random) const {
    Dims strides = test::row_major(shape);
    if (random.chance(30)) strides[0] += random.integer(1, 5);
    return turned_round(random, strides);
  }
  /// Channels outermost, images turned or not.
  Dims wide(test::Random& random) const {
    const std::int64_t plane = shape[0] * shape[1];
    const bool turned = random.chance(70);
    return turned_round(random,
                        {turned ? 1 : shape[1], turned ? shape[0] : 1, plane, plane * shape[2]});
  }
  Dims any(test::Random& random) const { return random.chance(50) ? narrow(random) : wide(random); }

  Dims shape;

 private:
  static Dims turned_round(test::Random& random, Dims strides) {
    if (random.chance(20)) strides[static_cast<std::size_t>(random.integer(0, 3))] *= -1;
    return strides;
  }
};

void check(test::Tally& tally, const test::Memory& to, const test::Memory& from,
           const test::Dense& want, const std::function<void()>& call) {
  test::for_thread_counts([&](int threads) {
    std::fill_n(to.data(), to.size_bytes(), std::byte{0});
    call();
    const std::string wrong = test::difference(to.view(), want);
    tally.check(wrong.empty(), [&](auto& out) {
      test::describe(out, from.view()) << " to ";
      test::describe(out, to.view()) << ", " << threads << " threads: " << wrong;
    });
  });
}

}  // namespace

TEST_CASE("channels: copies between types and orders", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<ScalarType> types = {ScalarType::u8, ScalarType::f16, ScalarType::f32,
                                         ScalarType::f64, ScalarType::c128};
  for (const ScalarType type : types) {
    for (int round = 0; round < test::rounds(8); ++round) {
      const ScalarType to_type = random.chance(70) ? type : random.pick(types);
      const Images images(random, weft::element_size(type));
      const bool reads_narrow = random.chance(60);
      const test::Memory from = test::random_memory(
          random, type,
          test::fit({images.shape, reads_narrow ? images.narrow(random) : images.wide(random)}));
      const test::Memory to = test::random_memory(
          random, to_type,
          test::fit({images.shape, reads_narrow ? images.wide(random) : images.narrow(random)}));
      const auto want =
          test::naive_map(to_type, images.shape, {from.view()}, [&](const auto* in, void* element) {
            test::convert_element(to_type, element, type, in[0]);
          });
      check(tally, to, from, want, [&] { weft::copy_out(to.view(), from.view()); });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("channels: sums of operands of any order", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::bf16, ScalarType::f32, ScalarType::f64, ScalarType::c64}) {
    for (int round = 0; round < test::rounds(8); ++round) {
      const Images images(random, weft::element_size(type));
      const test::Memory a =
          test::random_memory(random, type, test::fit({images.shape, images.narrow(random)}));
      // All of an image, or a number for each channel.
      const bool per_channel = random.chance(30);
      Dims shape = images.shape;
      if (per_channel) shape[0] = shape[1] = 1;
      const test::Memory b = test::random_memory(
          random, type,
          test::fit({shape, per_channel ? test::row_major(shape) : images.any(random)}));
      const test::Memory to =
          test::random_memory(random, type, test::fit({images.shape, images.any(random)}));
      const weft::TensorView all = b.view().expand(images.shape);
      const auto want =
          test::naive_map(type, images.shape, {a.view(), all}, [&](const auto* in, void* element) {
            test::naive_binary(test::Binary::add, type, in[0], in[1], element);
          });
      check(tally, to, a, want, [&] { weft::add_out(to.view(), a.view(), b.view()); });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("channels: two and three narrow ones are a side of tiles", "[layouts]") {
  const auto told = [](ScalarType type, std::int64_t channels) {
    const weft::Tensor planes = weft::Tensor::zeros({channels, 20000}, type),
                       pixels = weft::Tensor::zeros({20000, channels}, type);
    const weft::TensorView outputs[] = {planes}, inputs[] = {pixels.transpose(0, 1)};
    const weft::OpArguments args{.outputs = outputs, .inputs = inputs, .axes = {}};
    return weft::find_op("neg", args).explain(args).run.strategy;
  };
  for (const std::int64_t channels : {2, 3, 4}) {
    CHECK(told(ScalarType::i16, channels) == weft::Strategy::transposed_tiles);
    CHECK(told(ScalarType::f32, channels) == weft::Strategy::transposed_tiles);
  }
  CHECK(told(ScalarType::f64, 3) == weft::Strategy::row_tiles);
  CHECK(told(ScalarType::f64, 4) == weft::Strategy::transposed_tiles);

  const auto accesses = [](const weft::TensorView& pixels) {
    const weft::Tensor in = weft::Tensor::zeros({2, 100, 300}, ScalarType::f32);
    const weft::TensorView outputs[] = {pixels.permute({2, 1, 0})}, inputs[] = {in};
    const weft::OpArguments args{.outputs = outputs, .inputs = inputs, .axes = {}};
    const auto operands = weft::find_op("neg", args).explain(args).operands;
    return operands[0].access + ", " + operands[1].access;
  };
  // Pixels are walked in their order, and nothing else is moved.
  CHECK(accesses(weft::Tensor::zeros({300, 100, 2}, ScalarType::f32)) ==
        "direct, staged: transposed");
  // With gaps between them that gains nothing, and a longer side of another operand comes first.
  CHECK(accesses(weft::Tensor::zeros({300, 100, 3}, ScalarType::f32).slice(2, 0, 2)) ==
        "staged: packed, staged: transposed");
}
