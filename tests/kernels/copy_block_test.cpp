// SPDX-License-Identifier: Apache-2.0
// copy_block and stream_block against the plainest of loops, with blocks that end where memory
// ends: every element arrives, no other byte changes, and nothing outside the block is touched.
#include <weft/machine/level.hpp>

#include "kernels/stage/stage.hpp"
#include "support/guarded.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <cstring>

namespace {

using test::Guarded;
using test::Random;

/// Extents and steps of one call; steps in bytes, `to` first.
struct Block {
  std::int64_t size;
  std::int64_t n[2];
  std::int64_t t[2];
  std::int64_t f[2];
};

/// Bytes that one side reaches, and the distance of its element (0, 0) from the first of them.
struct Reach {
  std::int64_t bytes;
  std::int64_t origin;
};
Reach reach(const Block& b, const std::int64_t* steps) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (int d = 0; d < 2; ++d)
    (steps[d] < 0 ? low : high) += (b.n[d] - 1) * steps[d];
  return {high - low + b.size, -low};
}

/// A step that clears rows of `bytes` bytes: often just so, often by a few elements, often on the
/// next line.
std::int64_t pitch(Random& random, std::int64_t bytes, std::int64_t size) {
  switch (random.integer(0, 3)) {
    case 0: return bytes;
    case 1: return bytes + random.integer(1, 5) * size;
    case 2: return (bytes + 63) / 64 * 64;
    default: return (bytes + 63) / 64 * 64 + random.integer(0, 2) * 64 + size;
  }
}
std::int64_t either_sign(Random& random, std::int64_t step) {
  return random.chance(20) ? -step : step;
}

/// What a block looks like.
enum class Kind {
  dense_rows,
  packed_rows,     // from strided rows to rows next to each other
  scattered_rows,  // and back
  pitched_rows,
  repeated_row,
  repeated_strided_row,
  overlapping_rows,  // of the source
  transposed,        // `to` dense along dim 0, `from` along dim 1
  transposed_back,
  joined,  // few rows, alternating in `to`
  split,   // and back
  constant_step,
  scattered_step,
  reversed,
  reversed_pixels,  // short rows, next to each other in `to`
  repeated_elements,
  spread_elements,  // the same, all next to each other
  one_value,
  any_steps,
};
constexpr int kinds = static_cast<int>(Kind::any_steps) + 1;

Block draw(Random& random, Kind kind, std::int64_t size, std::int64_t n0, std::int64_t n1) {
  const auto stride = [&](std::int64_t bytes) {
    return either_sign(random, pitch(random, bytes, size));
  };
  const auto element_stride = [&] { return random.integer(1, 9) * size; };
  const std::int64_t row = n0 * size;
  const std::int64_t column = n1 * size;
  Block b{size, {n0, n1}, {size, row}, {size, row}};
  std::int64_t* t = b.t;
  std::int64_t* f = b.f;
  switch (kind) {
    case Kind::dense_rows: break;
    case Kind::packed_rows: f[1] = stride(row); break;
    case Kind::scattered_rows: t[1] = stride(row); break;
    case Kind::pitched_rows:
      t[1] = stride(row);
      f[1] = stride(row);
      break;
    case Kind::repeated_row:
      t[1] = random.chance(50) ? row : stride(row);
      f[1] = 0;
      break;
    case Kind::repeated_strided_row:
      f[0] = either_sign(random, element_stride());
      t[1] = random.chance(50) ? row : stride(row);
      f[1] = 0;
      break;
    case Kind::overlapping_rows:
      t[1] = random.chance(50) ? row : stride(row);
      f[1] = either_sign(random, random.integer(1, n0) * size);
      break;
    case Kind::transposed:
      t[1] = stride(row);
      f[0] = stride(column);
      f[1] = either_sign(random, size);
      t[0] = either_sign(random, size);
      break;
    case Kind::transposed_back:
      t[0] = stride(column);
      t[1] = either_sign(random, size);
      f[0] = either_sign(random, size);
      f[1] = stride(row);
      break;
    case Kind::joined:
    case Kind::split: {
      // Either dim may be that of the rows.
      const int rows = random.chance(50) ? 0 : 1;
      b.n[rows] = random.integer(2, 16);
      b.n[1 - rows] = random.integer(1, 300);
      std::int64_t* const alternating = kind == Kind::joined ? t : f;
      std::int64_t* const separate = kind == Kind::joined ? f : t;
      alternating[rows] = size;
      alternating[1 - rows] = b.n[rows] * size;
      separate[1 - rows] = size;
      separate[rows] = stride(b.n[1 - rows] * size);
      break;
    }
    case Kind::constant_step:
      f[0] = element_stride();
      t[1] = stride(row);
      f[1] = stride(n0 * f[0]);
      f[0] = either_sign(random, f[0]);
      break;
    case Kind::scattered_step:
      t[0] = element_stride();
      t[1] = stride(n0 * t[0]);
      f[1] = stride(row);
      t[0] = either_sign(random, t[0]);
      break;
    case Kind::reversed:
      (random.chance(50) ? f : t)[0] = -size;
      t[1] = stride(row);
      f[1] = stride(row);
      break;
    case Kind::reversed_pixels: {
      b.n[0] = random.integer(2, 10);
      b.n[1] = random.integer(14, 70);
      const std::int64_t pixel = b.n[0] * size;
      t[1] = pixel;
      f[0] = -size;
      f[1] = random.chance(70) ? pixel : pixel + random.integer(1, 3) * size;
      break;
    }
    case Kind::repeated_elements:
      t[0] = random.chance(50) ? size : element_stride();
      t[1] = stride(n0 * t[0]);
      f[0] = 0;
      f[1] = stride(size);
      break;
    case Kind::spread_elements:
      f[0] = 0;
      f[1] = size;
      break;
    case Kind::one_value:
      t[1] = stride(row);
      f[0] = f[1] = 0;
      break;
    case Kind::any_steps: {
      // Either dim may be the inner one, on each side; `from` may overlap itself in any way.
      const int inner = random.chance(50) ? 0 : 1;
      const std::int64_t step = element_stride();
      t[inner] = either_sign(random, step);
      t[1 - inner] = stride(b.n[inner] * step);
      for (int d = 0; d < 2; ++d)
        f[d] = random.integer(-300, 300) * (random.chance(50) ? size : 1);
      break;
    }
  }
  return b;
}

template <class F>
void for_each_element(const Block& b, F&& f) {
  for (std::int64_t j = 0; j < b.n[1]; ++j) {
    for (std::int64_t i = 0; i < b.n[0]; ++i)
      f(j * b.t[1] + i * b.t[0], j * b.f[1] + i * b.f[0]);
  }
}

/// As memcpy of a constant size is a move, and of a variable one a call.
template <int size>
void naive_copy(const Block& b, char* to, const char* from) {
  for_each_element(b, [&](std::int64_t t, std::int64_t f) { std::memcpy(to + t, from + f, size); });
}
void naive_copy(const Block& b, char* to, const char* from) {
  switch (b.size) {
    case 1: return naive_copy<1>(b, to, from);
    case 2: return naive_copy<2>(b, to, from);
    case 4: return naive_copy<4>(b, to, from);
    case 8: return naive_copy<8>(b, to, from);
    default: return naive_copy<16>(b, to, from);
  }
}

/// Two pieces of guarded memory, and what one of them should hold.
class Checker {
 public:
  Checker() : to_(room), from_(room), want_(room) {}

  void check(test::Tally& tally, Random& random, weft::CopyBlockFn copy, const Block& b,
             const char* what) {
    const Reach to_reach = reach(b, b.t);
    const Reach from_reach = reach(b, b.f);
    if (std::max(to_reach.bytes, from_reach.bytes) > room) return;
    char* to_first = to_.place(to_reach.bytes, random);
    char* to = to_first + to_reach.origin;
    const char* from = from_.place(from_reach.bytes, random) + from_reach.origin;
    // The bytes that must not change, as far as a register reaches.
    char* low = std::max(to_.data(), to_first - 256);
    char* high = std::min(to_.data() + to_.size_bytes(), to_first + to_reach.bytes + 256);
    std::memset(low, static_cast<int>(random.integer(0, 255)),
                static_cast<std::size_t>(high - low));
    std::memcpy(want_.data(), low, static_cast<std::size_t>(high - low));
    naive_copy(b, want_.data() + (to - low), from);
    copy(to, b.t[0], b.t[1], from, b.f[0], b.f[1], b.n[0], b.n[1]);
    weft::end_streaming();
    const bool right = std::memcmp(low, want_.data(), static_cast<std::size_t>(high - low)) == 0;
    tally.check(right, [&](auto& out) {
      std::int64_t at = 0;
      while (low[at] == want_.data()[at])
        ++at;
      out << what << ", elements of " << b.size << ", " << b.n[0] << " x " << b.n[1]
          << ", to steps " << b.t[0] << ' ' << b.t[1] << " from steps " << b.f[0] << ' ' << b.f[1]
          << ", to is " << reinterpret_cast<std::uintptr_t>(to) % 64 << " and from "
          << reinterpret_cast<std::uintptr_t>(from) % 64 << " past a line: differs at byte "
          << low + at - to;
    });
  }

 private:
  static constexpr std::int64_t room = 1 << 19;
  Guarded to_;
  Guarded from_;
  Guarded want_;
};

std::vector<std::int64_t> extents() {
  std::vector<std::int64_t> list;
  for (std::int64_t n = 1; n <= 40; ++n)
    list.push_back(n);
  for (const std::int64_t n : {63, 64, 65, 66, 127, 128, 129, 130})
    list.push_back(n);
  return list;
}

void check_all(weft::CopyBlockFn (*kernel)(std::int64_t), const char* what) {
  WEFT_RANDOM(random);
  test::Tally tally;
  Checker checker;
  const std::vector<std::int64_t> all = extents();
  for (const std::int64_t size : {1, 2, 4, 8, 16}) {
    const weft::CopyBlockFn copy = kernel(size);
    for (const std::int64_t n0 : all) {
      for (const std::int64_t n1 : all) {
        for (int kind = 0; kind < kinds; ++kind) {
          // Large blocks take their time, and differ less.
          if (n0 * n1 > 2000 && !random.chance(25)) continue;
          for (int round = 0; round < test::rounds(1); ++round) {
            checker.check(tally, random, copy, draw(random, static_cast<Kind>(kind), size, n0, n1),
                          what);
          }
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

/// Elements along one side of a block, and along the other.
struct Sides {
  std::int64_t least, most, min_other, max_other;
};

/// Blocks that the extents above leave out.
void check_sides(weft::CopyBlockFn (*kernel)(std::int64_t), const char* what,
                 Sides (*sides)(std::int64_t), int rounds) {
  WEFT_RANDOM(random);
  test::Tally tally;
  Checker checker;
  for (const std::int64_t size : {1, 2, 4, 8, 16}) {
    const weft::CopyBlockFn copy = kernel(size);
    const Sides s = sides(size);
    for (int round = 0; round < test::rounds(rounds); ++round) {
      for (int kind = 0; kind < kinds; ++kind) {
        std::int64_t n[2] = {random.integer(s.least, s.most),
                             random.integer(s.min_other, s.max_other)};
        if (random.chance(50)) std::swap(n[0], n[1]);
        checker.check(tally, random, copy, draw(random, static_cast<Kind>(kind), size, n[0], n[1]),
                      what);
      }
    }
  }
  CHECK_TALLY(tally);
}

/// Long and thin.
void check_thin(weft::CopyBlockFn (*kernel)(std::int64_t), const char* what) {
  check_sides(
      kernel, what,
      [](std::int64_t) {
        return Sides{100, 3000, 1, 6};
      },
      400);
}
/// A line of memory and more each way.
void check_large(weft::CopyBlockFn (*kernel)(std::int64_t), const char* what) {
  const auto sides = [](std::int64_t size) {
    return Sides{200 / size, 1100 / size, 60 / size, 270 / size};
  };
  check_sides(kernel, what, sides, 60);
}

weft::CopyBlockFn copy_kernel(std::int64_t size) { return weft::copy_block_kernel(size); }
weft::CopyBlockFn stream_kernel(std::int64_t size) { return weft::stream_block_kernel(size); }

}  // namespace

TEST_CASE("copy_block: all small extents", "[kernels]") { check_all(&copy_kernel, "copy"); }
TEST_CASE("stream_block: all small extents", "[kernels]") { check_all(&stream_kernel, "stream"); }
TEST_CASE("copy_block: long and thin", "[kernels]") { check_thin(&copy_kernel, "copy"); }
TEST_CASE("stream_block: long and thin", "[kernels]") { check_thin(&stream_kernel, "stream"); }
TEST_CASE("copy_block: many lines", "[kernels]") { check_large(&copy_kernel, "copy"); }
TEST_CASE("stream_block: many lines", "[kernels]") { check_large(&stream_kernel, "stream"); }
