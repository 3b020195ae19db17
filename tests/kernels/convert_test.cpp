// SPDX-License-Identifier: Apache-2.0
// convert_kernel between all pairs of types against cast(), element by element: values where rules
// change, any length and alignment, up to the last byte of memory; and the same on every level.
#include "kernels/stage/stage.hpp"
#include "support/element.hpp"
#include "support/guarded.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

using test::Guarded;
using test::Random;
using weft::ScalarType;

/// Real numbers at which a conversion changes what it does: the ends of the integer types' ranges
/// and their neighbours, powers of two from the smallest to the largest, values halfway between
/// numbers of the 16-bit types.
template <class T>
std::vector<T> turning_points() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> list = {T(0), Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(),
                         Limits::max()};
  const auto add_with_neighbours = [&](T x) {
    const T below = std::nextafter(x, -Limits::infinity());
    const T above = std::nextafter(x, Limits::infinity());
    for (const T y :
         {x, below, above, std::nextafter(below, -Limits::infinity()),
          std::nextafter(above, Limits::infinity()), x - T(1), x + T(1), x - T(0.5), x + T(0.5)}) {
      list.push_back(y);
    }
  };
  for (const int bits : {1, 7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64})
    add_with_neighbours(std::ldexp(T(1), bits));
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; e += 3)
    list.push_back(std::ldexp(T(1), e));
  for (std::uint32_t bits = 0; bits < 0x7c00; bits += 37) {
    const T low = static_cast<float>(weft::float16::from_bits(static_cast<std::uint16_t>(bits)));
    const T next =
        static_cast<float>(weft::float16::from_bits(static_cast<std::uint16_t>(bits + 1)));
    add_with_neighbours(std::isinf(next) ? T(65520) : low + (next - low) / 2);
  }
  for (std::uint32_t bits = 0; bits < 0x7f80; bits += 53) {
    const T low = static_cast<float>(weft::bfloat16::from_bits(static_cast<std::uint16_t>(bits)));
    const T next =
        static_cast<float>(weft::bfloat16::from_bits(static_cast<std::uint16_t>(bits + 1)));
    if (!std::isinf(next)) add_with_neighbours(low + (next - low) / 2);
  }
  const std::size_t positive = list.size();
  for (std::size_t i = 0; i < positive; ++i)
    list.push_back(-list[i]);
  return list;
}

/// An element of any type, often one at which something changes.
template <class T>
T draw(Random& random) {
  if constexpr (weft::is_complex_type<T>) {
    using Part = typename T::value_type;
    const Part real = draw<Part>(random);
    return T(real, draw<Part>(random));
  } else if constexpr (std::is_floating_point_v<T>) {
    static const std::vector<T> points = turning_points<T>();
    return random.chance(70) ? random.pick(points)
                             : test::random_element<T>(random, test::Values::any);
  } else {
    return test::random_element<T>(random, test::Values::any);
  }
}

void draw_elements(ScalarType type, void* to, std::int64_t n, Random& random) {
  if (type == ScalarType::boolean) return test::fill(type, to, n, random);
  weft::dispatch_all_types(type, [&]<class T>() {
    for (std::int64_t i = 0; i < n; ++i)
      test::store(static_cast<char*>(to) + i * static_cast<std::int64_t>(sizeof(T)),
                  draw<T>(random));
  });
}

constexpr std::int64_t most = 200;
constexpr std::int64_t around = 64;  // bytes on either side that are looked at

}  // namespace

TEST_CASE("convert: all pairs of types, every length, on every level", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Guarded from_memory(most * 16);
  const Guarded to_memory(most * 16);
  const std::vector<weft::Level> levels = test::levels();
  std::vector<char> pool(1000 * 16);
  std::vector<char> want(most * 16);
  for (const ScalarType from_type : test::all_types()) {
    const std::int64_t from_size = weft::element_size(from_type);
    draw_elements(from_type, pool.data(), 1000, random);
    for (const ScalarType to_type : test::all_types()) {
      const std::int64_t to_size = weft::element_size(to_type);
      for (std::int64_t n = 0; n <= most; ++n) {
        char* from = from_memory.place(n * from_size, random);
        char* to = to_memory.place(n * to_size, random);
        const auto bytes = static_cast<std::size_t>(n * from_size);
        std::memcpy(from, pool.data() + random.integer(0, 1000 - n) * from_size, bytes);
        weft::cast_elements(want.data(), to_type, to_size, from, from_type, from_size, n);
        char* low = std::max(to_memory.data(), to - around);
        char* high = std::min(to_memory.data() + to_memory.size_bytes(), to + n * to_size + around);
        for (const weft::Level level : levels) {
          std::memset(low, 0x5a, static_cast<std::size_t>(high - low));
          weft::convert_kernel.at(level)(to_type, from_type)(to, from, n);
          std::int64_t wrong = -1;
          for (std::int64_t i = n; i-- > 0;) {
            // To the bit, NaN too: a tile's last elements go another way than the first.
            if (std::memcmp(to + i * to_size, want.data() + i * to_size,
                            static_cast<std::size_t>(to_size)) != 0) {
              wrong = i;
            }
          }
          const bool around_kept =
              std::all_of(low, to, [](char c) { return c == 0x5a; }) &&
              std::all_of(to + n * to_size, high, [](char c) { return c == 0x5a; });
          tally.check(wrong < 0 && around_kept, [&](auto& out) {
            out << weft::name(from_type) << " to " << weft::name(to_type) << ", "
                << weft::name(level) << ", " << n << " elements: ";
            if (wrong < 0) {
              out << "wrote outside";
              return;
            }
            test::print_element(out, from_type, from + wrong * from_size);
            test::print_element(out << " at " << wrong << " became ", to_type,
                                to + wrong * to_size);
            test::print_element(out << ", expected ", to_type, want.data() + wrong * to_size);
          });
        }
      }
    }
  }
  CHECK_TALLY(tally);
}
