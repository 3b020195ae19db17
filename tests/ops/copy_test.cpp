// SPDX-License-Identifier: Apache-2.0
// copy_out and contiguous: shapes, allocation, overlap. All pairs of types are in
// kernel/stage_test.cpp.
#include <weft/ops/copy.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

}  // namespace

TEST_CASE("copy: random layouts and broadcasts", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(1500); ++round) {
    Dims shape = test::random_shape(random, 5, 5);
    // Now and then larger than a tile along one axis or two.
    for (int i = 0; i < 2 && !shape.empty() && random.chance(20); ++i) {
      const auto last = static_cast<std::int64_t>(shape.size()) - 1;
      shape[static_cast<std::size_t>(random.integer(0, last))] = random.integer(60, 150);
    }
    if (test::product(shape) > 60'000) continue;
    const ScalarType type = random.pick(test::all_types());
    const Memory to = test::random_output(random, type, shape);
    const Memory from = test::random_input(random, type, shape, test::Values::small);
    const test::Watch watch(to);
    const test::Watch source(from);
    weft::copy_out(to.view(), from.view());
    const test::Dense want =
        test::naive_map(type, shape, {from.view()}, [&](const auto* in, void* out) {
          std::memcpy(out, in[0], static_cast<std::size_t>(weft::element_size(type)));
        });
    const std::string wrong = test::difference(to.view(), want);
    const bool clean = watch.gaps_untouched() && source.untouched();
    tally.check(wrong.empty() && clean, [&](auto& text) {
      test::describe(text, from.view());
      test::describe(text << " to ", to.view())
          << ": " << (clean ? wrong : "wrote between elements");
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("copy: large, any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Dims shape = {20, 90, 110};
  const Dims layouts[] = {
      {9900, 110, 1}, {1, 20, 1800}, {110, 2200, 1}, {9900, 1, 90}, {-9900, -110, -1}};
  for (const ScalarType type : {ScalarType::u8, ScalarType::f32, ScalarType::c128}) {
    for (const Dims& from_strides : layouts) {
      for (const Dims& to_strides : layouts) {
        const Memory from = test::random_memory(random, type, test::fit({shape, from_strides}));
        const Memory to(type, test::fit({shape, to_strides}));
        test::in_arena(static_cast<int>(random.integer(1, 8)),
                       [&] { weft::copy_out(to.view(), from.view()); });
        // Row by row, which is quicker than by index.
        bool same = true;
        const auto size = weft::element_size(type);
        for (std::int64_t i = 0; i < shape[0]; ++i) {
          for (std::int64_t j = 0; j < shape[1]; ++j) {
            const std::byte* f = from.origin() + (i * from_strides[0] + j * from_strides[1]) * size;
            const std::byte* t = to.origin() + (i * to_strides[0] + j * to_strides[1]) * size;
            for (std::int64_t k = 0; k < shape[2]; ++k) {
              same =
                  same && std::memcmp(f + k * from_strides[2] * size, t + k * to_strides[2] * size,
                                      static_cast<std::size_t>(size)) == 0;
            }
          }
        }
        tally.check(same, [&](auto& text) {
          test::describe(text, from.view());
          test::describe(text << " to ", to.view());
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("copy: contiguous", "[ops]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < 100; ++round) {
    const Dims shape = test::random_shape(random, 4);
    const Memory from =
        test::random_memory(random, ScalarType::i16, test::random_layout(random, shape));
    const Tensor same = weft::contiguous(from.view());
    CHECK(same.is_contiguous());
    CHECK(test::difference(same, test::dense_copy(from.view())) == "");
    const Tensor wide = weft::contiguous(from.view(), ScalarType::f64);
    CHECK(wide.is_contiguous());
    CHECK(wide.dtype() == ScalarType::f64);
    CHECK(test::difference(weft::contiguous(wide, ScalarType::i16),
                           test::dense_copy(from.view())) == "");
  }
  // Always new memory.
  const Tensor a = Tensor::zeros({3}, ScalarType::f32);
  CHECK(weft::contiguous(a).data() != a.data());
  CHECK(weft::contiguous(2.5).at<double>({}) == 2.5);
}

TEST_CASE("copy: what outputs may be", "[ops]") {
  const auto from = Tensor::of<float>({3}, {1, 2, 3});
  Tensor made;
  weft::copy_out(made, from);
  CHECK(test::difference(made, test::dense_copy(from)) == "");
  // A number or a smaller tensor fills what is there.
  const Tensor to = Tensor::zeros({2, 3}, ScalarType::i32);
  weft::copy_out(to, from);
  CHECK(to.at<std::int32_t>({1, 2}) == 3);
  weft::copy_out(to, 7.9);
  CHECK(to.at<std::int32_t>({1, 2}) == 7);
  // Kinds may be lost here, unlike in arithmetic.
  weft::copy_out(to, Tensor::of<std::complex<double>>({1}, {{-4.5, 3}}));
  CHECK(to.at<std::int32_t>({0, 0}) == -4);
}

TEST_CASE("copy: onto itself, and between parts of one tensor", "[ops]") {
  const auto a = Tensor::of<std::int32_t>({6}, {1, 2, 3, 4, 5, 6});
  weft::copy_out(a, a);
  CHECK(test::difference(a, test::dense_copy(Tensor::of<std::int32_t>({6}, {1, 2, 3, 4, 5, 6}))) ==
        "");
  weft::copy_out(a.slice(0, 0, 6, 2), a.slice(0, 1, 6, 2));
  CHECK(test::difference(a, test::dense_copy(Tensor::of<std::int32_t>({6}, {2, 2, 4, 4, 6, 6}))) ==
        "");
}

TEST_CASE("copy: errors", "[ops]") {
  const Tensor to = Tensor::full({2, 3}, ScalarType::f32, 7);
  const Tensor wrong = Tensor::zeros({2}, ScalarType::f32);
  CHECK_ERROR(shape, ("copy", "[2, 3]", "[2]"), weft::copy_out(to, wrong));
  CHECK_ERROR(shape, ("copy", "output 0"),
              weft::copy_out(to, Tensor::zeros({4, 2, 3}, ScalarType::f32)));
  Tensor small = Tensor::full({3}, ScalarType::f32, 7);
  const void* before = small.data();
  CHECK_ERROR(shape, ("copy", "output 0"), weft::copy_out(small, to));
  CHECK(small.data() == before);
  CHECK_ERROR(overlap, ("copy", "output 0", "input 0"), weft::copy_out(to, to.flip(1)));
  CHECK_ERROR(overlap, ("copy", "output 0", "input 0"),
              weft::copy_out(to.slice(1, 0, 2), to.slice(1, 1, 3)));
  CHECK_ERROR(overlap, ("copy", "output 0"), weft::copy_out(wrong.slice(0, 0, 1).expand({2}), 1));
  CHECK_ERROR(undefined, ("copy", "input 0"), weft::copy_out(to, TensorView()));
  CHECK(test::difference(to, test::dense_copy(Tensor::full({2, 3}, ScalarType::f32, 7))) == "");
}
