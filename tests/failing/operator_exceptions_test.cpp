// SPDX-License-Identifier: Apache-2.0
// Operators of the user that throw, at each of their stages, in a graph and in each trip of a loop.
#include <weft/base/error.hpp>
#include <weft/parallel/parallel.hpp>
#include <weft/recurrent/loop.hpp>

#include "failing/out_of_memory.hpp"
#include "recurrent/loops.hpp"
#include "support/arena.hpp"
#include "support/catch.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace test;
using weft::graph::Frame;
using weft::graph::InferContext;
using weft::graph::Kernel;
using weft::graph::KernelArguments;
using weft::graph::Operator;
using weft::graph::OperatorRegistry;
using weft::graph::PrepareContext;

/// No std::exception.
struct Unusual {
  long call;
};

/// Calls of the functions of an operator, one of which throws.
struct Calls {
  enum class Stage { infer, prepare, adapt, resize, run };
  Stage stage = Stage::run;
  std::atomic<long> left{0};  ///< calls of that stage until the one that throws; below 1: none
  std::atomic<bool> throws_error{false};

  void pass(Stage now) {
    if (now != stage || --left != 0) return;
    if (throws_error) weft::fail(weft::ErrorCode::io, "on purpose");
    throw Unusual{7};
  }
};
using Stage = Calls::Stage;

/// Negates; a kernel of its own that follows any extents.
class Trapped final : public Operator {
 public:
  explicit Trapped(Calls& calls) : Operator({.name = "Trapped"}), calls_(calls) {}
  void infer(InferContext& context) const override {
    calls_.pass(Stage::infer);
    context.set_output(0, context.input(0));
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    struct Negation final : Kernel {
      Negation(std::int64_t n, Calls& counted) : count(n), calls(counted) {}
      void run(const KernelArguments& arguments) override {
        calls.pass(Stage::run);
        const auto* from = static_cast<const float*>(arguments.inputs[0]);
        auto* to = static_cast<float*>(arguments.outputs[0]);
        weft::parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i)
            to[i] = -from[i];
        });
      }
      bool adapt(const PrepareContext& to) override {
        calls.pass(Stage::adapt);
        count = to.input(0).numel();
        return true;
      }
      bool resize(std::span<const TensorView* const> inputs,
                  std::span<weft::DimVector> outputs) override {
        calls.pass(Stage::resize);
        count = inputs[0]->numel();
        outputs[0].assign(inputs[0]->shape());
        return true;
      }
      std::int64_t count;
      Calls& calls;
    };
    calls_.pass(Stage::prepare);
    return std::make_unique<Negation>(context.input(0).numel(), calls_);
  }

 private:
  Calls& calls_;
};

OperatorRegistry with_trap(Calls& calls) {
  OperatorRegistry made = weft::recurrent::operators();
  made.add(std::make_shared<Trapped>(calls));
  return made;
}

/// Calls f with a call of a stage throwing, the first, the second, ... until none is left to throw.
/// Returns how many did.
template <class F, class AfterThrow>
long throw_each(Calls& calls, Stage stage, F&& f, AfterThrow&& after_throw) {
  calls.stage = stage;
  for (long n = 1;; ++n) {
    calls.throws_error = n % 2 == 0;
    calls.left = n;
    bool caught = false;
    try {
      f();
    } catch (const Unusual& unusual) {
      CHECK(unusual.call == 7);
      CHECK(n % 2 != 0);
      caught = true;
    } catch (const weft::Error& error) {
      // Which node it was stands in front.
      CHECK(error.code() == weft::ErrorCode::io);
      CHECK(std::string(error.what()).find("Trapped") != std::string::npos);
      CHECK(std::string(error.what()).find("on purpose") != std::string::npos);
      CHECK(n % 2 == 0);
      caught = true;
    }
    const bool reached = calls.left < 1;
    calls.left = 0;
    CHECK(caught == reached);
    if (!reached) return n - 1;
    after_throw();
  }
}

Graph small_graph() {
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {PartialShape::unknown, 3}});
  const Value negative = graph.add("Trapped", {graph.add("Add", {x, x})});
  graph.add_result(graph.add("Relu", {graph.add("Trapped", {negative})}));
  graph.add_result(graph.add("Multiply", {negative, x}));
  return graph;
}

/// s' = -(s + x) over the rows of x, in whichever way weft runs a loop: with shapes that are known,
/// or that change from trip to trip.
Graph loop_graph(bool grows) {
  Graph body("body");
  const std::int64_t rows = grows ? PartialShape::unknown : 1;
  const Value x = body.add_parameter({ScalarType::f32, {1, 3}}),
              s = body.add_parameter({ScalarType::f32, {rows, 3}});
  const Value negative = body.add("Trapped", {body.add("Add", {s, x})});
  body.add_result(grows ? body.add("Concat", {negative, x}, {{"axis", std::int64_t{0}}})
                        : negative);
  body.add_result(body.add("Trapped", {x}));
  LoopSpec spec;
  spec.name = "trapped";
  spec.iterators = {{.input = 0, .parameter = 0, .keep_axis = true}};
  spec.states = {{.input = 1, .parameter = 1, .result = 0}};
  spec.outputs = {{.kind = LoopOutputKind::last_state, .state = 0},
                  {.kind = LoopOutputKind::join, .result = 1, .axis = 0}};
  Graph graph;
  const Value all = graph.add_parameter({ScalarType::f32, {PartialShape::unknown, 3}}),
              first = graph.add_parameter({ScalarType::f32, {rows, 3}});
  for (const Value output : weft::recurrent::add_loop(graph, spec, body, {all, first}))
    graph.add_result(output);
  return graph;
}

std::vector<Tensor> run_frame(Frame& frame, const std::vector<Tensor>& inputs) {
  frame.plan(std::vector<TensorView>(inputs.begin(), inputs.end()));
  frame.run();
  std::vector<Tensor> all;
  for (int i = 0; i < frame.executable().nresults(); ++i)
    all.push_back(Tensor::copy_of(frame.result(i)));
  return all;
}
bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b,
                            [](const Tensor& x, const Tensor& y) { return same_elements(x, y); });
}

/// Every stage, with frames that have run on other inputs and with new ones.
/// @param make  a graph of its own: what is known of a body stays with its node
void check_graph(const std::function<Graph()>& make, const std::vector<Tensor>& first,
                 const std::vector<Tensor>& second, long least_runs) {
  for (const int threads : {1, 4}) {
    in_arena(4, [&] {
      const weft::ThreadLimit limit(threads);
      CAPTURE(threads);
      Calls calls;
      const OperatorRegistry operators = with_trap(calls);
      const auto compile = [&] { return Executable(make(), {.operators = &operators}); };
      const Executable program = compile();
      const auto fresh = [&](const std::vector<Tensor>& inputs) {
        return program.run(std::vector<TensorView>(inputs.begin(), inputs.end()));
      };
      const std::vector<Tensor> wanted = fresh(first), wanted_second = fresh(second);

      CHECK(throw_each(
                calls, Stage::infer, [&] { compile(); },
                [&] {
                  CHECK(same(compile().run(std::vector<TensorView>(first.begin(), first.end())),
                             wanted));
                }) > 0);
      long thrown = 0;
      for (const Stage stage :
           {Stage::infer, Stage::prepare, Stage::adapt, Stage::resize, Stage::run}) {
        CAPTURE(static_cast<int>(stage));
        // A new frame, and one that has run.
        for (const bool has_run : {false, true}) {
          auto frame = std::make_unique<Frame>(program);
          const auto renew = [&] {
            frame = std::make_unique<Frame>(program);
            if (has_run) run_frame(*frame, first);
          };
          renew();
          const long n = throw_each(
              calls, stage,
              [&] {
                const long left = calls.left;
                calls.left = 0;
                renew();
                calls.left = left;
                run_frame(*frame, second);
              },
              [&] {
                CHECK(same(run_frame(*frame, second), wanted_second));
                CHECK(same(run_frame(*frame, first), wanted));
                CHECK(same(fresh(second), wanted_second));
              });
          if (stage == Stage::run) CHECK(n >= least_runs);
          thrown += n;
        }
      }
      CHECK(thrown > 2 * least_runs);
    });
  }
}

Tensor numbered(std::int64_t n) {
  const Tensor made = Tensor::empty({n, 3}, ScalarType::f32);
  for (std::int64_t i = 0; i < made.numel(); ++i)
    made.data_as<float>()[i] = static_cast<float>(i) - 2;
  return made;
}

}  // namespace

TEST_CASE("exceptions: operators of the user in a graph", "[failing]") {
  check_graph(small_graph, {numbered(4)}, {numbered(6)}, 2);
}

TEST_CASE("exceptions: operators of the user in every trip of a loop", "[failing]") {
  check_graph([] { return loop_graph(false); }, {numbered(4), numbered(1)},
              {numbered(7), numbered(1)}, 7);
  check_graph([] { return loop_graph(true); }, {numbered(2), numbered(2)},
              {numbered(5), numbered(1)}, 5);
}
