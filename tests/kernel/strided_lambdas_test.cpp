// SPDX-License-Identifier: Apache-2.0
// Loops over strided elements that kernels of users have.
#include <weft/iter/config.hpp>

#include "kernel/make_strided_lambdas.hpp"
#include "support/dense.hpp"
#include "support/strided_spans.hpp"

#include <stdexcept>
#include <string>

namespace {

using weft::ScalarType;
using weft::Strategy;
using weft::Tensor;

void check(std::span<const test::NamedSpanKernel> kernels, const std::string& where) {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const test::NamedSpanKernel& named : kernels) {
    REQUIRE(named.kernel.run_strided != nullptr);
    for (int round = 0; round < test::rounds(100); ++round)
      test::check_strided(tally, random, named.kernel, named.name + where);
  }
  CHECK_TALLY(tally);
}

}  // namespace

// Which of two loops ordinary files take, and which kernel file is taken, the level says.
TEST_CASE("strided lambdas: as loops over dense spans", "[kernel]") {
  check(test::lambdas, ", ordinary file");
  check(test::strided_lambdas(), ", kernel file");
}

TEST_CASE("strided lambdas: whose they are", "[kernel]") {
  const auto has_one = [](const auto& op) {
    return weft::typed_span_kernel(op).run_strided != nullptr;
  };
  CHECK(has_one([](float x) { return x; }));
  // Of narrow elements, single instructions bring many together.
  CHECK(!has_one([](std::int16_t x) { return x; }));
  CHECK(!has_one([](float x, bool b) { return b ? x : 0; }));
  CHECK(!has_one([] { return 1.0F; }));
}

TEST_CASE("strided lambdas: what they throw gets out", "[kernel]") {
  const Tensor points = Tensor::full({300, 4}, ScalarType::f64, 1);
  points.data_as<double>()[4 * 250 + 1] = -1;
  const auto column = [&](std::int64_t i) { return points.select(1, i); };
  const auto out = column(3), a = column(0), b = column(1), c = column(2);
  const auto add = [](double x, double y, double z) {
    if (y < 0) throw std::domain_error("below 0");
    return x + y + z;
  };
  const auto iter =
      weft::TensorIteratorConfig().add_output(out).add_input(a).add_input(b).add_input(c).build();
  const weft::SpanKernel kernel = weft::typed_span_kernel(add);
  for (const Strategy strategy :
       {Strategy::automatic, Strategy::strided_rows, Strategy::strided_tiles})
    CHECK_THROWS_AS(weft::run_spans(iter, kernel, {.strategy = strategy}), std::domain_error);
  points.data_as<double>()[4 * 250 + 1] = 1;
  weft::run_spans(iter, kernel, {.strategy = Strategy::strided_tiles});
  CHECK(out.data_as<double>()[4 * 299] == 3);
}
