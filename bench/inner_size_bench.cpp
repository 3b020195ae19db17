// SPDX-License-Identifier: Apache-2.0
// What does a short row cost? The same sum over rows of 1 to 130 elements, all in L2: rows with a
// gap of one element between them, which have to be walked one by one, and rows without, which
// coalesce into one.
#include <weft/iter/config.hpp>
#include <weft/ops/binary.hpp>

#include "plain_loops.hpp"
#include "study.hpp"

namespace bench {
namespace {

constexpr std::int64_t elements = 32768;  // three operands of f32 with gaps: 0.8 MB at most

/// out = a + b over rows at a stride of `pitch` elements.
struct Rows {
  Rows(std::int64_t inner, std::int64_t pitch)
      : n(inner),
        step(pitch),
        rows(elements / inner),
        out(output(ScalarType::f32, {rows, n}, {pitch, 1})),
        a(input(1, ScalarType::f32, {rows, n}, {pitch, 1})),
        b(input(2, ScalarType::f32, {rows, n}, {pitch, 1})) {}

  Work work(std::function<void()> run) const {
    return {.run = std::move(run),
            .check = [*this] { expect<float>(std::plus(), out, a, b); },
            .out = out,
            .bytes = bytes_of(out, a, b)};
  }

  std::int64_t n, step, rows;
  TensorView out, a, b;
};

void add_cases(std::int64_t n) {
  const std::string at = "/inner:" + std::to_string(n);
  add_case("add, no gaps" + at, [n] {
    const Rows t(n, n);
    return t.work([t] { weft::add_out(t.out, t.a, t.b); });
  });
  add_case("add, rows with gaps" + at, [n] {
    const Rows t(n, n + 1);
    return t.work([t] { weft::add_out(t.out, t.a, t.b); });
  });
  add_case("for_each, rows with gaps" + at, [n] {
    const Rows t(n, n + 1);
    const auto iter =
        weft::TensorIteratorConfig().add_output(t.out).add_input(t.a).add_input(t.b).build();
    return t.work([iter, loop = add_loop.at(weft::current_level())] { iter.for_each(*loop); });
  });
  add_case("nested loops, rows with gaps" + at, [n] {
    const Rows t(n, n + 1);
    return t.work([t] {
      add_rows(t.out.data_as<float>(), t.a.data_as<float>(), t.b.data_as<float>(), t.rows, t.n,
               t.step);
    });
  });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  for (std::int64_t n = 1; n <= 130; ++n)
    bench::add_cases(n);
  return bench::run_cases(argc, argv, "0.02");
}
