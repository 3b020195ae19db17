// SPDX-License-Identifier: Apache-2.0
// What does a transposed square cost, and what is it about powers of two? A copy beside memcpy of
// the same bytes, and a sum with one transposed operand beside the same sum without.
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>

#include "plain_loops.hpp"
#include "study.hpp"

namespace bench {
namespace {

std::string place_of(std::int64_t element_bytes, std::int64_t n) {
  return "/bytes:" + std::to_string(element_bytes) + "/size:" + std::to_string(n);
}

template <class T>
struct Square {
  explicit Square(std::int64_t size)
      : n(size),
        out(output(weft::scalar_type_of<T>, {n, n}, {n, 1})),
        a(input(1, weft::scalar_type_of<T>, {n, n}, {n, 1})),
        b(input(2, weft::scalar_type_of<T>, {n, n}, {n, 1})),
        turned(a.transpose(0, 1)) {}

  Work copy(const TensorView& from, std::function<void()> run) const {
    return {.run = std::move(run),
            .check = [*this, from] { expect<T>([](T x) { return x; }, out, from); },
            .out = out,
            .bytes = bytes_of(out, from)};
  }
  Work add(const TensorView& first) const {
    return {.run = [*this, first] { weft::add_out(out, first, b); },
            .check = [*this, first] { expect<T>(std::plus(), out, first, b); },
            .out = out,
            .bytes = bytes_of(out, first, b)};
  }

  std::int64_t n;
  TensorView out, a, b, turned;
};

template <class T>
void add_copies(std::int64_t n) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const std::string at = place_of(size, n);
  add_case("transposed copy" + at, [n] {
    const Square<T> t(n);
    return t.copy(t.turned, [t] { weft::copy_out(t.out, t.turned); });
  });
  add_case("memcpy" + at, [n] {
    const Square<T> t(n);
    return t.copy(t.a, [t] {
      std::memcpy(t.out.data(), t.a.data(), static_cast<std::size_t>(t.a.nbytes()));
    });
  });
  add_case("plain loops" + at, [n] {
    const Square<T> t(n);
    return t.copy(t.turned, [t] { transpose_square(size, t.out.data(), t.a.data(), t.n); });
  });
}

void add_sums(std::int64_t n) {
  const std::string at = place_of(4, n);
  add_case("a + b" + at, [n] {
    const Square<float> t(n);
    return t.add(t.a);
  });
  add_case("a.T + b" + at, [n] {
    const Square<float> t(n);
    return t.add(t.turned);
  });
}

template <class F>
void for_sizes(std::int64_t first, std::int64_t last, F f) {
  for (std::int64_t n = first; n <= last; ++n)
    f(n);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const auto add_cases = [](std::int64_t n) {
    bench::add_copies<float>(n);
    bench::add_sums(n);
  };
  bench::for_sizes(250, 258, add_cases);
  bench::for_sizes(510, 514, add_cases);
  add_cases(1000);
  bench::for_sizes(1020, 1028, add_cases);
  bench::for_sizes(2044, 2052, add_cases);
  add_cases(4096);
  for (const std::int64_t n : {255, 256, 257, 1000, 1023, 1024, 1025, 2048, 4096}) {
    bench::add_copies<std::uint8_t>(n);
    bench::add_copies<std::int16_t>(n);
  }
  for (const std::int64_t n : {255, 256, 257, 1000, 1023, 1024, 1025, 2048})
    bench::add_copies<double>(n);
  return bench::run_cases(argc, argv, "0.03");
}
