// SPDX-License-Identifier: Apache-2.0
// What explain_run() says of strategies that other tests cannot distinguish.
#include <weft/iter/config.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/dense.hpp"

#include <algorithm>

namespace {

using test::Dims;
using test::Layout;
using weft::ScalarType;
using weft::TensorView;

struct Operands {
  test::Memory out, a, b;

  weft::Explanation explain() const {
    const TensorView to = out.view();
    const TensorView left = a.view();
    const TensorView right = b.view();
    weft::TensorIteratorConfig config;
    config.add_output(to).add_input(left).add_input(right);
    config.promote_inputs_to_common_dtype(true);
    return weft::explain_run(config.build());
  }
};

}  // namespace

TEST_CASE("explain: few elements in one span, packed and cast as they need", "[kernel]") {
  WEFT_RANDOM(random);
  const Layout rows = test::fit({{4, 6}, {6, 1}});
  const Layout columns = test::fit({{4, 6}, {1, 4}});
  const Layout value = test::fit({{4, 6}, {0, 0}});
  const auto memory = [&](ScalarType type, const Layout& layout) {
    return test::random_memory(random, type, layout);
  };
  const Operands turned = {memory(ScalarType::f32, rows), memory(ScalarType::f32, columns),
                           memory(ScalarType::i16, columns)};
  weft::Explanation e = turned.explain();
  CHECK(e.operands[0].access == "direct");
  CHECK(e.operands[1].access == "staged: packed");
  CHECK(e.operands[2].access == "staged: packed, cast");
  CHECK(e.run.span == 24);
  CHECK(e.run.blocks == 1);
  CHECK(e.run.threads == 1);

  const Operands one = {memory(ScalarType::f32, columns), memory(ScalarType::f32, rows),
                        memory(ScalarType::f32, value)};
  e = one.explain();
  CHECK(e.operands[2].access == "broadcast");
  CHECK(e.run.span == 24);
}

TEST_CASE("explain: rows of a small iteration in place", "[kernel]") {
  WEFT_RANDOM(random);
  const auto memory = [&](std::int64_t pitch, std::int64_t step) {
    return test::random_memory(random, ScalarType::f32, test::fit({{12, 5}, {pitch, step}}));
  };
  const Operands pitched = {memory(5, 1), memory(9, 1), memory(1, 0)};
  const weft::Explanation e = pitched.explain();
  CHECK(e.operands[1].access == "direct");
  CHECK(e.operands[2].access == "broadcast");
  CHECK(e.run.span == 5);
  CHECK(e.run.tile[1] == 12);
}

TEST_CASE("explain: more elements than a few go in tiles", "[kernel]") {
  WEFT_RANDOM(random);
  const Layout rows = test::fit({{80, 60}, {60, 1}});
  const Layout columns = test::fit({{80, 60}, {1, 80}});
  const Operands turned = {test::random_memory(random, ScalarType::f32, rows),
                           test::random_memory(random, ScalarType::f32, columns),
                           test::random_memory(random, ScalarType::f32, rows)};
  const weft::Explanation e = turned.explain();
  CHECK(e.operands[1].access == "staged: transposed");
  CHECK(e.operands[2].access == "direct");
}

TEST_CASE("explain: an operand of another type is cast where it lies, or packed before",
          "[kernel]") {
  WEFT_RANDOM(random);
  const auto access_of = [&](std::int64_t rows, std::int64_t n, std::int64_t pitch,
                             std::int64_t step) {
    const Layout dense = test::fit({{rows, n}, {n, 1}});
    const Operands one = {
        test::random_memory(random, ScalarType::f32, dense),
        test::random_memory(random, ScalarType::i16, test::fit({{rows, n}, {pitch, step}})),
        test::random_memory(random, ScalarType::f32, dense)};
    return one.explain().operands[1].access;
  };
  CHECK(access_of(40, 1000, 1200, 1) == "staged: cast");
  CHECK(access_of(400, 100, 120, 1) == "staged: packed, cast");  // a call for each costs more
  CHECK(access_of(40, 1000, 2000, 2) == "staged: packed, cast");
  CHECK(access_of(400, 300, 1, 400) == "staged: transposed, cast");
  CHECK(access_of(400, 300, 1, 0) == "staged: cast");  // a value for each row
}

TEST_CASE("explain: a small transposed operand is packed, not stepped over", "[kernel]") {
  WEFT_RANDOM(random);
  const test::Memory out =
      test::random_memory(random, ScalarType::f32, test::fit({{64, 64}, {64, 1}}));
  const auto access_of = [&](const Layout& layout) {
    const test::Memory in = test::random_memory(random, ScalarType::f32, layout);
    const TensorView to = out.view(), from = in.view();
    const auto iter = weft::TensorIteratorConfig().add_output(to).add_input(from).build();
    weft::SpanKernel kernel;
    kernel.noutputs = kernel.ninputs = 1;
    kernel.types[0] = kernel.types[1] = ScalarType::f32;
    kernel.run_strided = [](const void*, char* const*, const std::int64_t*, std::int64_t) {};
    return weft::explain_run(iter, kernel).operands[1].access;
  };
  CHECK(access_of(test::fit({{64, 64}, {1, 64}})) == "staged: packed");
  CHECK(access_of(test::fit({{64, 64}, {64 * 64, 64}})) == "direct: strided");
}

TEST_CASE("explain: threads share a long line, and nothing shorter", "[kernel]") {
  WEFT_RANDOM(random);
  const Layout few = test::fit({{1000}, {1}});
  const auto threads = [&](const Layout& layout, std::int64_t grain) {
    const test::Memory a = test::random_memory(random, ScalarType::f32, layout);
    const TensorView to = a.view(), from = a.view();
    const auto iter = weft::TensorIteratorConfig().add_output(to).add_input(from).build();
    weft::SpanKernel kernel;
    kernel.noutputs = kernel.ninputs = 1;
    kernel.types[0] = kernel.types[1] = ScalarType::f32;
    return weft::explain_run(iter, kernel, {.grain = grain}).run.threads;
  };
  CHECK(threads(few, 1) == 1);
  CHECK(threads(test::fit({{20000}, {1}}), 20000) == 1);
  CHECK(threads(test::fit({{20000}, {1}}), 10000) == std::min(2, weft::num_threads()));
}
