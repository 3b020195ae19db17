// SPDX-License-Identifier: Apache-2.0
// Transposed copies whose rows lie a power of two from each other and begin within lines, with
// extents around those of the buffer that they go through.
#include <weft/machine/cpu_info.hpp>
#include <weft/ops/copy.hpp>

#include "support/dense.hpp"
#include "support/shifted.hpp"
#include "support/threads.hpp"

namespace {

using test::Dims;
using test::Layout;
using test::Shifted;
using weft::ScalarType;

/// Rows x columns that are a power of two of bytes from each other in memory, or a few elements
/// beside.
Layout conflicting(test::Random& random, std::int64_t rows, std::int64_t columns, bool transposed,
                   std::int64_t size) {
  const std::int64_t length = transposed ? rows : columns;
  std::int64_t pitch = 1024 / size;
  while (pitch < length)
    pitch *= 2;
  if (random.chance(30)) pitch = length + random.integer(0, 3);
  const Dims strides = transposed ? Dims{1, pitch} : Dims{pitch, 1};
  return test::fit({{rows, columns}, strides});
}

void check(test::Random& random, ScalarType type, std::int64_t rows, std::int64_t columns) {
  const std::int64_t size = weft::element_size(type);
  const Layout to_layout = conflicting(random, rows, columns, false, size);
  const Layout from_layout = conflicting(random, rows, columns, true, size);
  Shifted to(random, type, to_layout, random.integer(0, 63));
  const Shifted from(random, type, from_layout, random.integer(0, 63));
  const std::vector<std::byte> start = to.bytes();
  // Byte by byte what is to come out, gaps and all.
  std::vector<std::byte> want = start;
  const auto first = static_cast<const std::byte*>(to.view().data()) - to.view().range().begin;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      std::memcpy(want.data() + first + (i * to_layout.strides[0] + j) * size,
                  static_cast<const std::byte*>(from.view().data()) +
                      (i + j * from_layout.strides[1]) * size,
                  static_cast<std::size_t>(size));
    }
  }
  test::Tally tally;
  test::for_thread_counts([&](int threads) {
    to.reset(start);
    weft::copy_out(to.view(), from.view());
    tally.check(to.bytes() == want, [&](auto& out) {
      test::describe(out, from.view());
      test::describe(out << " to ", to.view()) << ", " << threads << " threads";
    });
  });
  CHECK_TALLY(tally);
}

}  // namespace

TEST_CASE("copy: transposed, with set conflicts", "[layouts]") {
  WEFT_RANDOM(random);
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::c128}) {
    const std::int64_t size = weft::element_size(type);
    for (int round = 0; round < test::rounds(8); ++round) {
      // At least the 128 KiB from which on a buffer is worth it, around multiples of its rows.
      const std::int64_t columns = 512 / size * random.integer(1, 3) + random.integer(-3, 3);
      const std::int64_t rows = (128 << 10) / size / columns + random.integer(-2, 70);
      check(random, type, rows, columns);
      check(random, type, columns, rows);
    }
  }
}

TEST_CASE("copy: transposed, more than a second-level cache holds", "[layouts]") {
  WEFT_RANDOM(random);
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::c128}) {
    const std::int64_t size = weft::element_size(type);
    for (int round = 0; round < test::rounds(2); ++round) {
      const std::int64_t least = weft::cpu_info().l2_bytes / size;
      const std::int64_t columns = 1024 / size * random.integer(1, 3) + random.integer(-3, 3);
      const std::int64_t rows = least / columns + random.integer(1, 80);
      check(random, type, rows, columns);
      check(random, type, columns, rows);
    }
  }
}

TEST_CASE("copy: transposed, plane by plane, from and to within lines", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::c128}) {
    for (int round = 0; round < test::rounds(6); ++round) {
      // Planes of about 16 KiB, from which on a buffer may be worth it for each.
      const std::int64_t rows = random.integer(30, 90);
      const std::int64_t columns =
          (16 << 10) / weft::element_size(type) / rows + random.integer(-3, 9);
      const std::int64_t planes = random.integer(7, 12);
      const Dims shape = {planes, rows, columns};
      const Dims strides =
          random.chance(50) ? Dims{rows * columns, 1, rows} : Dims{rows, 1, rows * planes};
      const test::Memory from = test::random_memory(random, type, test::fit({shape, strides}));
      const test::Memory to =
          test::random_memory(random, type, test::fit({shape, test::row_major(shape)}));
      const auto want =
          test::naive_map(type, shape, {from.view()}, [&](const auto* in, void* element) {
            std::memcpy(element, in[0], static_cast<std::size_t>(weft::element_size(type)));
          });
      test::for_thread_counts([&](int threads) {
        std::fill_n(to.data(), to.size_bytes(), std::byte{0});
        weft::copy_out(to.view(), from.view());
        const std::string wrong = test::difference(to.view(), want);
        tally.check(wrong.empty(), [&](auto& out) {
          test::describe(out, from.view()) << ", " << threads << " threads: " << wrong;
        });
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("copy: transposed, of more than the second-level cache holds some times", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto check_type = [&](ScalarType type, bool pages) {
    // All of a row of each side, or nearly: rows with strides of pages, of lines, or of any number
    // of elements.
    const std::int64_t size = weft::element_size(type);
    const std::int64_t beside = pages               ? 0
                                : random.chance(50) ? random.integer(1, 3)
                                                    : std::max<std::int64_t>(1, 64 / size);
    const std::int64_t pitch = 4096 / size * random.integer(1, 2) + beside;
    const std::int64_t columns = pitch - random.integer(0, 70);
    const std::int64_t bytes = weft::cpu_info().l2_bytes * random.integer(2, 7);
    const std::int64_t rows = bytes / size / columns + random.integer(-30, 30);
    const std::int64_t from_pitch = (rows * size + 4095) / 4096 * 4096 / size + beside;
    const weft::Tensor from = weft::Tensor::empty({columns, from_pitch}, type);
    const weft::Tensor to = weft::Tensor::empty({rows, pitch}, type);
    test::fill(type, from.data(), from.numel(), random);
    test::fill(type, to.data(), to.numel(), random);
    const auto* first = static_cast<const std::byte*>(from.data());
    auto* written = static_cast<std::byte*>(to.data());
    std::vector<std::byte> want(written, written + to.nbytes());
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        std::memcpy(want.data() + (i * pitch + j) * size, first + (i + j * from_pitch) * size,
                    static_cast<std::size_t>(size));
      }
    }
    const weft::TensorView in = from.slice(1, 0, rows).transpose(0, 1);
    test::for_thread_counts([&](int threads) {
      const weft::TensorView out = to.slice(1, 0, columns);
      weft::copy_out(out, 0.0);
      weft::copy_out(out, in);
      tally.check(std::memcmp(written, want.data(), want.size()) == 0,
                  [&](auto& text) { test::describe(text, in) << ", " << threads << " threads"; });
    });
  };
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::f16, ScalarType::f32, ScalarType::f64, ScalarType::c128}) {
    check_type(type, true);
    check_type(type, false);
  }
  CHECK_TALLY(tally);
}
