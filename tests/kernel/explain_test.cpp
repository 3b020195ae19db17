// SPDX-License-Identifier: Apache-2.0
// What explain_run() says of roads that other tests cannot tell apart.
#include <weft/iter/config.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "support/dense.hpp"

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
  const Operands spaced = {memory(5, 1), memory(9, 1), memory(1, 0)};
  const weft::Explanation e = spaced.explain();
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
