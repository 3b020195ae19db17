// SPDX-License-Identifier: Apache-2.0
// Random loops, to the bit what a body run trip by trip on copies gives.
#include "recurrent/random_loop.hpp"

#include "recurrent/naive_loop.hpp"
#include "support/threads.hpp"

namespace {

using namespace test;

/// Runs a loop, and again on the same frame; empty if all is as it should be.
std::string wrong(const RandomLoop& loop) {
  NaiveLoop naive(loop.spec, loop.body, loop.inputs);
  const std::vector<Tensor> expected = naive.run();
  std::vector<ValueType> types;
  for (const Tensor& input : loop.inputs)
    types.push_back(type_of(input));
  const LoopProgram program(loop.spec, loop.body, types);
  weft::graph::Frame frame{program.executable()};
  const std::vector<TensorView> views(loop.inputs.begin(), loop.inputs.end());
  for (int run = 0; run < 2; ++run) {
    frame.plan(views);
    frame.run();
    for (std::size_t o = 0; o < expected.size(); ++o) {
      const TensorView got = frame.result(static_cast<int>(o));
      if (!same_bits(got, expected[o]))
        return "run " + std::to_string(run) + ", output " + std::to_string(o) + ": " +
               difference(got, expected[o]);
    }
    if (program.report().trips != naive.trips())
      return "trips " + std::to_string(program.report().trips) + ", expected " +
             std::to_string(naive.trips());
  }
  return "";
}

void check(int round, const RandomLoop& loop) {
  INFO("round " << round << '\n' << describe(loop));
  std::string error;
  try {
    error = wrong(loop);
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  REQUIRE(error == "");
}

}  // namespace

TEST_CASE("random loops are what their bodies give trip by trip", "[recurrent]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < rounds(400); ++round)
    check(round, RandomLoopMaker(random).make());
}

TEST_CASE("random loops whose results lie in their outputs as long rows", "[recurrent]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < rounds(200); ++round) {
    // Rows of some bytes to some registers, before and after the axis along which results are put
    // together.
    test::Dims shape;
    for (std::int64_t rank = random.integer(1, 3); rank > 0; --rank)
      shape.push_back(random.integer(1, 5));
    shape.back() = random.integer(7, 70);
    if (random.chance(10)) shape[0] = 1000;  // more than one thread copies
    check(round, RandomLoopMaker(random, {.shape = shape}).make());
  }
}
