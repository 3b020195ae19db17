// SPDX-License-Identifier: Apache-2.0
// Staging, seen through weft::copy_out: packing, transposing and converting between all pairs of
// element types, against cast().
#include <weft/ops/copy.hpp>

#include "support/dense.hpp"
#include "support/threads.hpp"

#include <bit>
#include <numeric>

namespace {

using test::Dims;
using test::Layout;
using test::Memory;
using weft::ScalarType;
using weft::TensorView;

/// `from` broadcast to `shape` and converted one by one; elements of the same type are moved as
/// they are, bools of any byte too.
test::Dense converted(const TensorView& from, ScalarType type, const Dims& shape) {
  const auto size = static_cast<std::size_t>(weft::element_size(type));
  return test::naive_map(type, shape, {from}, [&](const auto* in, void* to) {
    if (from.dtype() == type) {
      std::memcpy(to, in[0], size);
    } else {
      test::convert_element(type, to, from.dtype(), in[0]);
    }
  });
}

/// Copies from one layout to another, between all pairs of types.
void check_all_pairs(test::Random& random, const Layout& to_layout, const Layout& from_layout) {
  test::Tally tally;
  for (const ScalarType from_type : test::all_types()) {
    const Memory from = test::random_memory(random, from_type, from_layout);
    for (const ScalarType to_type : test::all_types()) {
      const Memory to = test::random_memory(random, to_type, to_layout);
      const test::Watch watch(to);
      weft::copy_out(to.view(), from.view());
      std::string wrong =
          test::difference(to.view(), converted(from.view(), to_type, to_layout.shape));
      if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text, from.view());
        test::describe(text << " to ", to.view()) << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

Layout strided(const Dims& shape, const Dims& strides) { return test::fit({shape, strides}); }
Layout dense(const Dims& shape) { return strided(shape, test::row_major(shape)); }

}  // namespace

TEST_CASE("staging: all pairs of types, one dim", "[kernel]") {
  WEFT_RANDOM(random);
  for (const std::int64_t n : {1, 2, 7, 8, 33, 200}) {
    const Dims shape = {n};
    check_all_pairs(random, dense(shape), dense(shape));
    check_all_pairs(random, dense(shape), strided(shape, {3}));
    check_all_pairs(random, strided(shape, {-2}), dense(shape));
    check_all_pairs(random, dense(shape), strided(shape, {0}));
  }
  check_all_pairs(random, dense({}), dense({}));
  check_all_pairs(random, dense({3, 0}), dense({3, 0}));
}

TEST_CASE("staging: all pairs of types, two dims", "[kernel]") {
  WEFT_RANDOM(random);
  for (const Dims& shape : {Dims{3, 5}, Dims{17, 70}, Dims{66, 5}}) {
    const std::int64_t rows = shape[0];
    const std::int64_t columns = shape[1];
    const Layout transposed = strided(shape, {1, rows});
    const Layout pitched = strided(shape, {columns + 3, 1});
    check_all_pairs(random, dense(shape), transposed);
    check_all_pairs(random, transposed, pitched);
    check_all_pairs(random, pitched, strided(shape, {0, 1}));
    check_all_pairs(random, dense(shape), strided(shape, {1, 0}));
    check_all_pairs(random, transposed, strided(shape, {-2 * columns, -2}));
  }
}

TEST_CASE("staging: all pairs of types, random layouts", "[kernel]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(20); ++round) {
    const Dims shape = test::random_shape(random, 5, 4);
    const Layout to = test::random_layout(random, shape, {.zero = false});
    check_all_pairs(random, to,
                    test::random_layout(random, test::random_operand_shape(random, shape)));
  }
}

TEST_CASE("staging: every 16-bit value to every type", "[kernel]") {
  std::vector<std::uint16_t> all(1 << 16);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  for (const ScalarType from_type :
       {ScalarType::u16, ScalarType::i16, ScalarType::f16, ScalarType::bf16}) {
    const auto from =
        TensorView::trusted(static_cast<const void*>(all.data()), from_type, {1 << 16});
    for (const ScalarType to_type : test::all_types()) {
      INFO(weft::name(from_type) << " to " << weft::name(to_type));
      CHECK(test::difference(weft::contiguous(from, to_type),
                             converted(from, to_type, {1 << 16})) == "");
    }
  }
}

TEST_CASE("staging: f32 to the 16-bit types rounds to nearest, ties to even", "[kernel]") {
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16}) {
    // Each value of the type, the middle between it and the next, and their neighbours.
    std::vector<float> values;
    for (std::uint32_t bits = 0; bits < 1 << 16; ++bits) {
      float value[2];
      for (std::uint32_t next = 0; next < 2; ++next) {
        const auto half = static_cast<std::uint16_t>(bits + next);
        test::convert_element(ScalarType::f32, &value[next], type, &half);
      }
      const float middle = value[0] + (value[1] - value[0]) / 2;
      for (const float x : {value[0], middle}) {
        for (std::uint32_t off = 0; off < 3; ++off) {
          values.push_back(std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) + off - 1));
        }
      }
    }
    const auto count = static_cast<std::int64_t>(values.size());
    const TensorView from(std::span<const float>(values), {count});
    CHECK(test::difference(weft::contiguous(from, type), converted(from, type, {count})) == "");
  }
}

TEST_CASE("staging: large transposes, converted on the way, with any number of threads",
          "[kernel]") {
  WEFT_RANDOM(random);
  const Dims shape = {3, 130, 200};
  const Layout transposed = strided(shape, {130 * 200, 1, 130});
  const std::pair<ScalarType, ScalarType> pairs[] = {{ScalarType::f32, ScalarType::f32},
                                                     {ScalarType::u8, ScalarType::u8},
                                                     {ScalarType::f64, ScalarType::f16},
                                                     {ScalarType::i16, ScalarType::c128},
                                                     {ScalarType::c128, ScalarType::c128}};
  for (const auto& pair : pairs) {
    const ScalarType from_type = pair.first;
    const ScalarType to_type = pair.second;
    const Memory from = test::random_memory(random, from_type, transposed);
    const Memory back(from_type, transposed);
    const auto want = converted(from.view(), to_type, shape);
    test::Tally tally;
    test::for_thread_counts([&](int threads) {
      const Memory to(to_type, dense(shape));
      weft::copy_out(to.view(), from.view());
      const std::string wrong = test::difference(to.view(), want);
      tally.check(wrong.empty(), [&](auto& out) { out << threads << " threads: " << wrong; });
      if (from_type != to_type) return;
      weft::copy_out(back.view(), to.view());
      tally.check(test::difference(back.view(), want).empty(),
                  [&](auto& out) { out << threads << " threads: the way back"; });
    });
    CHECK_TALLY(tally);
  }
}
