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

}  // namespace

TEST_CASE("random loops are what their bodies give trip by trip", "[recurrent]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < rounds(400); ++round) {
    const RandomLoop loop = RandomLoopMaker(random).make();
    INFO("round " << round << '\n' << describe(loop));
    std::string error;
    try {
      error = wrong(loop);
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
    REQUIRE(error == "");
  }
}
