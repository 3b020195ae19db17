// SPDX-License-Identifier: Apache-2.0
// Two ways to write the same loop give the same bits, with any number of threads.
#include <weft/parallel/parallel.hpp>

#include "recurrent/naive_loop.hpp"
#include "recurrent/random_loop.hpp"
#include "support/arena.hpp"

namespace {

using namespace test;
using Kind = LoopOutputKind;

std::vector<Tensor> run(const RandomLoop& loop) {
  return run_loop(loop.spec, loop.body, loop.inputs);
}

/// Calls equal(random) many times with 1, 2 and 4 threads; it says what differs, or "".
template <class F>
void check_equivalence(int count, F&& equal) {
  WEFT_RANDOM(random);
  in_arena(4, [&] {
    for (const int threads : {1, 2, 4}) {
      weft::set_num_threads(threads);
      INFO("threads " << threads);
      for (int round = 0; round < rounds(count); ++round) {
        INFO("round " << round);
        std::string error;
        try {
          error = equal(random);
        } catch (const std::exception& thrown) {
          error = thrown.what();
        }
        REQUIRE(error == "");
      }
    }
    weft::set_num_threads(0);
  });
}

std::string differs(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                    const RandomLoop& loop) {
  if (a.size() != b.size()) return "number of outputs";
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_bits(a[i], b[i]))
      return "output " + std::to_string(i) + ": " + difference(a[i], b[i]) + '\n' + describe(loop);
  }
  return "";
}

Tensor view(const Tensor& owner, const TensorView& part) {
  return Tensor::share(owner.owner(), part);
}

Tensor joined(const TensorView& a, const TensorView& b, std::int64_t axis) {
  const int at = weft::normalize_axis(axis, a.rank());
  std::vector<std::int64_t> shape(a.shape().begin(), a.shape().end());
  shape[static_cast<std::size_t>(at)] += b.extent(at);
  Tensor out = Tensor::empty(shape, a.dtype());
  weft::copy_out(out.slice(at, 0, a.extent(at)), a);
  weft::copy_out(out.slice(at, a.extent(at), out.extent(at)), b);
  return out;
}

}  // namespace

TEST_CASE("equivalence: a condition is a head over one more state", "[recurrent]") {
  check_equivalence(40, [](Random& random) {
    RandomLoop loop =
        RandomLoopMaker(random, {.conditions = false, .lengths = false, .last_values = false})
            .make();
    // What trip i says decides about trip i + 1: i < limit gives limit + 1 trips.
    const int index = loop.spec.indexes[0];
    const Value i{loop.body.parameters()[static_cast<std::size_t>(index)], 0};
    const ValueType type = loop.body.node(i.node).type;
    const Value most = loop.body.add_constant(
        tensor_of(type.dtype, {}, {static_cast<double>(random.integer(0, 9))}));
    const int go = loop.body.add_result(loop.body.add("Less", {i, most}));
    const int first = static_cast<int>(loop.inputs.size());
    loop.inputs.push_back(truth(random.chance(80)));
    RandomLoop carried = loop, headed = loop;
    carried.spec.first_condition = first;
    carried.spec.next_condition = go;
    const int parameter = static_cast<int>(headed.body.parameters().size());
    const Value flag = headed.body.add_parameter({ScalarType::boolean, {}}, "go");
    headed.spec.states.push_back({.input = first, .parameter = parameter, .result = go});
    headed.spec.head = headed.body.add_result(flag);
    for (LoopOutput& output : carried.spec.outputs) {
      if (output.kind == Kind::condition) output.kind = Kind::trips;
    }
    headed.spec.outputs = carried.spec.outputs;
    return differs(run(carried), run(headed), loop);
  });
}

TEST_CASE("equivalence: backwards in and out is to flip, run forwards, and flip", "[recurrent]") {
  check_equivalence(40, [](Random& random) {
    RandomLoop loop = RandomLoopMaker(random, {.conditions = false,
                                               .lengths = false,
                                               .plain_iterators = true,
                                               .joins = false,
                                               .counts = false})
                          .make();
    RandomLoop backwards = loop, flipped = loop;
    for (LoopIterator& it : backwards.spec.iterators) {
      it.range = {-1, 0, -1};
      Tensor& whole = flipped.inputs[static_cast<std::size_t>(it.input)];
      whole = view(whole, whole.flip(it.axis));
    }
    for (std::size_t o = 0; o < loop.spec.outputs.size(); ++o) {
      if (loop.spec.outputs[o].kind != Kind::stack) continue;
      backwards.spec.outputs[o].backwards = true;
      flipped.spec.outputs[o].backwards = false;
    }
    std::vector<Tensor> expected = run(flipped);
    for (std::size_t o = 0; o < expected.size(); ++o) {
      const LoopOutput& output = loop.spec.outputs[o];
      if (output.kind == Kind::stack)
        expected[o] = view(expected[o], expected[o].flip(output.axis));
    }
    return differs(run(backwards), expected, loop);
  });
}

TEST_CASE("equivalence: a scan is a loop with a count and iterators", "[recurrent]") {
  check_equivalence(40, [](Random& random) {
    RandomLoop scan = RandomLoopMaker(random, {.conditions = false, .counts = false}).make();
    RandomLoop counted = scan;
    counted.spec.count = static_cast<int>(counted.inputs.size());
    counted.inputs.push_back(integers({}, {static_cast<double>(scan.trips)}));
    for (LoopIterator& it : counted.spec.iterators)
      it.limits_trips = false;
    return differs(run(scan), run(counted), scan);
  });
}

TEST_CASE("equivalence: to stack is to join values with one axis more", "[recurrent]") {
  check_equivalence(40, [](Random& random) {
    RandomLoop stacked = RandomLoopMaker(random, {.lengths = false, .joins = false}).make();
    RandomLoop joins = stacked;
    const std::vector<Tensor> expected = run(stacked);
    for (std::size_t o = 0; o < expected.size(); ++o) {
      LoopOutput& output = joins.spec.outputs[o];
      if (output.kind != Kind::stack) continue;
      std::vector<std::int64_t> shape(expected[o].shape().begin(), expected[o].shape().end());
      shape[static_cast<std::size_t>(weft::normalize_axis(output.axis, expected[o].rank()))] = 1;
      const Value value = joins.body.results()[static_cast<std::size_t>(output.result)].value;
      output.kind = Kind::join;
      output.result = joins.body.add_result(reshape(joins.body, value, shape));
    }
    return differs(run(joins), expected, stacked);
  });
}

TEST_CASE("equivalence: a count is a scan over the first elements", "[recurrent]") {
  check_equivalence(40, [](Random& random) {
    RandomLoop loop = RandomLoopMaker(random, {.conditions = false,
                                               .lengths = false,
                                               .plain_iterators = true,
                                               .counts = false,
                                               .least_trips = 1})
                          .make();
    const std::int64_t count = random.integer(1, loop.trips);
    RandomLoop counted = loop, scan = loop;
    counted.spec.count = static_cast<int>(loop.inputs.size());
    counted.inputs.push_back(tensor_of(ScalarType::i32, {}, {static_cast<double>(count)}));
    for (std::size_t i = 0; i < loop.spec.iterators.size(); ++i) {
      const LoopIterator& it = loop.spec.iterators[i];
      counted.spec.iterators[i].limits_trips = false;
      Tensor& whole = scan.inputs[static_cast<std::size_t>(it.input)];
      whole = view(whole, whole.slice(it.axis, 0, count));
    }
    return differs(run(counted), run(scan), loop);
  });
}

TEST_CASE("equivalence: rows that end at different trips are loops of their own", "[recurrent]") {
  check_equivalence(30, [](Random& random) -> std::string {
    const std::int64_t nrows = random.integer(1, 5);
    RandomLoop loop = RandomLoopMaker(random, {.conditions = false,
                                               .lengths = false,
                                               .last_values = false,
                                               .plain_iterators = true,
                                               .joins = false,
                                               .counts = false,
                                               .shape = Dims{nrows, random.integer(1, 3)},
                                               .by_rows = true})
                          .make();
    // Collected values have an axis of rows.
    std::erase_if(loop.spec.outputs,
                  [](const LoopOutput& output) { return output.kind != Kind::last_state; });
    for (const LoopState& state : loop.spec.states)
      loop.spec.outputs.push_back({.kind = Kind::stack, .result = state.result});
    std::vector<double> lengths;
    for (std::int64_t row = 0; row < nrows; ++row)
      lengths.push_back(static_cast<double>(random.integer(0, loop.trips)));
    RandomLoop ragged = loop;
    ragged.spec.rows =
        weft::recurrent::LoopRows{.lengths = static_cast<int>(loop.inputs.size()), .axis = 0};
    ragged.inputs.push_back(tensor_of(ScalarType::i32, {nrows}, lengths));
    const std::vector<Tensor> got = run(ragged);
    for (std::int64_t row = 0; row < nrows; ++row) {
      RandomLoop alone = loop;
      const double length = lengths[static_cast<std::size_t>(row)];
      alone.spec.most_trips = static_cast<std::int64_t>(length);
      for (const LoopIterator& it : loop.spec.iterators) {
        Tensor& whole = alone.inputs[static_cast<std::size_t>(it.input)];
        const int axis = weft::normalize_axis(it.axis, whole.rank());
        whole = view(whole, whole.slice(axis == 0 ? 1 : 0, row, row + 1));
      }
      for (const LoopState& state : loop.spec.states) {
        Tensor& first = alone.inputs[static_cast<std::size_t>(state.input)];
        first = view(first, first.slice(0, row, row + 1));
      }
      const std::vector<Tensor> expected = run(alone);
      for (std::size_t o = 0; o < got.size(); ++o) {
        const bool stacked = loop.spec.outputs[o].kind == Kind::stack;
        TensorView part = got[o].slice(stacked ? 1 : 0, row, row + 1);
        if (stacked) {
          const auto n = static_cast<std::int64_t>(length);
          for (const double rest : doubles(part.slice(0, n, part.extent(0)))) {
            if (rest != 0) return "something after the end of row " + std::to_string(row);
          }
          part = part.slice(0, 0, n);
        }
        if (!same_bits(part, expected[o]))
          return "row " + std::to_string(row) + " output " + std::to_string(o) + ": " +
                 difference(part, expected[o]) + '\n' + describe(loop);
      }
    }
    return "";
  });
}

TEST_CASE("equivalence: to stop at any trip and go on is one run", "[recurrent]") {
  check_equivalence(40, [](Random& random) {
    RandomLoop loop = RandomLoopMaker(random, {.conditions = false,
                                               .lengths = false,
                                               .last_values = false,
                                               .plain_iterators = true,
                                               .index = false,
                                               .counts = false})
                          .make();
    std::erase_if(loop.spec.outputs,
                  [](const LoopOutput& output) { return output.kind == Kind::trips; });
    const std::size_t nouts = loop.spec.outputs.size();
    for (std::size_t j = 0; j < loop.spec.states.size(); ++j)
      loop.spec.outputs.push_back({.kind = Kind::last_state, .state = static_cast<int>(j)});
    const std::int64_t stop = random.integer(0, loop.trips);
    RandomLoop head = loop, tail = loop;
    for (const LoopIterator& it : loop.spec.iterators) {
      Tensor &a = head.inputs[static_cast<std::size_t>(it.input)],
             &b = tail.inputs[static_cast<std::size_t>(it.input)];
      a = view(a, a.slice(it.axis, 0, stop));
      b = view(b, b.slice(it.axis, stop, loop.trips));
    }
    const std::vector<Tensor> first = run(head);
    for (std::size_t j = 0; j < loop.spec.states.size(); ++j)
      tail.inputs[static_cast<std::size_t>(loop.spec.states[j].input)] = first[nouts + j];
    std::vector<Tensor> both = run(tail);
    for (std::size_t o = 0; o < nouts; ++o) {
      const LoopOutput& output = loop.spec.outputs[o];
      if (output.kind == Kind::last_state) continue;
      const std::int64_t axis = output.kind == Kind::join && both[o].rank() == 0 ? 0 : output.axis;
      both[o] =
          output.backwards ? joined(both[o], first[o], axis) : joined(first[o], both[o], axis);
    }
    return differs(both, run(loop), loop);
  });
}
