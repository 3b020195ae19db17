// SPDX-License-Identifier: Apache-2.0
// How much stack calls take: threads may have as little as 128 KiB (docs/memory.md).
#include <weft/expr/expr.hpp>
#include <weft/iter/config.hpp>
#include <weft/iter/explain.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/indexing.hpp>
#include <weft/ops/masking.hpp>
#include <weft/ops/matmul.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/softmax.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>
#include <weft/parallel/parallel.hpp>
#include <weft/recurrent/loop.hpp>
#include <weft/recurrent/port_map.hpp>

#include "failing/everything.hpp"
#include "support/catch.hpp"
#include "support/small_stack.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#if WEFT_TEST_HAS_SMALL_STACKS
namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorIteratorConfig;
using weft::TensorView;

constexpr std::size_t kib = 1024;
constexpr std::size_t stack_bytes = 128 * kib;

/// Operands in each order, of several types.
struct Operands {
  Tensor a = Tensor::full({150, 170, 3}, ScalarType::f32, 2);
  Tensor halves = Tensor::full({170, 150, 3}, ScalarType::f16, 2);
  Tensor doubles = Tensor::full({3, 170, 150}, ScalarType::f64, 3);
  Tensor square = Tensor::full({300, 300}, ScalarType::f32, 0.5);
  Tensor small = Tensor::full({7, 5}, ScalarType::f32, 1);
  Tensor indexes = Tensor::zeros({7, 4}, ScalarType::i64);
  Tensor mask = Tensor::full({150, 170, 3}, ScalarType::boolean, 1);

  TensorView turned() const { return doubles.transpose(0, 2); }
  TensorView turned_halves() const { return halves.transpose(0, 1); }
};

/// A call, and what it is called.
struct Call {
  std::string name;
  std::function<void(const Operands&)> run;
};

/// Checks that none takes more than so many bytes of stack, on one thread and on two.
void check_stack(const std::vector<Call>& calls, std::size_t most) {
  const Operands operands;
  for (const Call& call : calls) {
    call.run(operands);  // what is looked up once is there
    for (const int threads : {1, 2}) {
      const std::size_t used = test::stack_used(stack_bytes, [&] {
        const weft::ThreadLimit limit(threads);
        call.run(operands);
      });
      INFO(call.name << " on " << threads << " threads takes " << used << " bytes");
      CHECK(used <= most);
    }
  }
}

/// A running sum, and a sum.
struct Sum {
  double identity() const { return 0; }
  double accumulate(double acc, float x) const { return acc + static_cast<double>(x); }
  double combine(double a, double b) const { return a + b; }
  float project(double acc) const { return static_cast<float>(acc); }
};

/// A function of the user's over an output and operands that are staged.
template <class F>
void call_on_iterator(const Operands& o, F&& f) {
  Tensor out;
  const TensorView a = o.turned(), b = o.turned_halves();
  f(TensorIteratorConfig()
        .add_output(out)
        .add_input(a)
        .add_input(b)
        .promote_inputs_to_common_dtype(true)
        .build());
}

/// Loops in loops, each of which adds 1 to the rows of [2, 4]; the innermost adds.
weft::graph::Value add_nested(weft::graph::Graph& graph, weft::graph::Value rows, int depth) {
  weft::graph::Graph body("trip");
  const auto row = body.add_parameter({ScalarType::f32, {depth == 1 ? 1 : 2, 4}});
  body.add_result(depth == 1 ? body.add("Add", {row, row}) : add_nested(body, row, depth - 1));
  weft::recurrent::PortMap map;
  map.name = "loop " + std::to_string(depth);
  if (depth == 1) {
    map.inputs = {{.input = 0, .parameter = 0, .axis = 0}};
    map.outputs = {{.output = 0, .result = 0, .axis = 0}};
  } else {
    map.kind = weft::recurrent::PortMap::Kind::loop;
    map.inputs = {{.input = 2, .parameter = 0}};
    map.back_edges = {{.result = 0, .parameter = 0}};
    map.outputs = {{.output = 0, .result = 0}};
    map.condition = 1;
    body.add_result(body.add_constant(Tensor::full({}, ScalarType::boolean, 1)));
  }
  std::vector<weft::graph::Value> inputs{rows};
  if (depth > 1) {
    inputs = {graph.add_constant(Tensor::full({}, ScalarType::i64, 2)),
              graph.add_constant(Tensor::full({}, ScalarType::boolean, 1)), rows};
  }
  return weft::recurrent::add_loop(graph, map, body, inputs)[0];
}
void run_nested(int depth) {
  weft::graph::Graph graph;
  const auto rows = graph.add_parameter({ScalarType::f32, {2, 4}});
  graph.add_result(add_nested(graph, rows, depth));
  const weft::graph::Executable program(graph, {.operators = &weft::recurrent::operators()});
  program.run(std::vector<TensorView>{Tensor::full({2, 4}, ScalarType::f32, 1)});
}

}  // namespace

TEST_CASE("stack: functions of operands in any order and of any type", "[memory]") {
  check_stack(
      {{"add", [](const Operands& o) { weft::add(o.a, o.turned()); }},
       {"add of halves", [](const Operands& o) { weft::add(o.turned_halves(), o.turned()); }},
       {"add of few", [](const Operands& o) { weft::add(o.small.transpose(0, 1), 2); }},
       {"lt", [](const Operands& o) { weft::lt(o.turned(), o.turned_halves()); }},
       {"where", [](const Operands& o) { weft::where(o.mask, o.turned(), o.turned_halves()); }},
       {"exp", [](const Operands& o) { weft::exp(o.turned_halves()); }},
       {"contiguous", [](const Operands& o) { weft::contiguous(o.turned(), ScalarType::f16); }},
       {"contiguous of its type", [](const Operands& o) { weft::contiguous(o.turned()); }},
       {"gather", [](const Operands& o) { weft::gather(o.small, 1, o.indexes); }},
       {"masked_fill", [](const Operands& o) { weft::masked_fill(o.turned(), o.mask, 1); }},
       {"masked_select", [](const Operands& o) { weft::masked_select(o.turned(), o.mask); }}},
      20 * kib);
}

TEST_CASE("stack: reductions, prefix operations and softmax", "[memory]") {
  check_stack({{"sum", [](const Operands& o) { weft::sum(o.turned(), {0}); }},
               {"sum of all", [](const Operands& o) { weft::sum(o.turned_halves()); }},
               {"sum of few", [](const Operands& o) { weft::sum(o.small, {0}); }},
               {"amax", [](const Operands& o) { weft::amax(o.turned(), {1}); }},
               {"argmax", [](const Operands& o) { weft::argmax(o.turned(), 1); }},
               {"std", [](const Operands& o) { weft::std(o.turned_halves(), {1}); }},
               {"var of all", [](const Operands& o) { weft::var(o.turned()); }},
               {"norm", [](const Operands& o) { weft::norm(o.turned()); }},
               {"logsumexp", [](const Operands& o) { weft::logsumexp(o.turned(), {1}); }},
               {"any", [](const Operands& o) { weft::any(o.turned(), {1}); }},
               {"cumsum", [](const Operands& o) { weft::cumsum(o.turned(), 0); }},
               {"cummax", [](const Operands& o) { weft::cummax(o.turned_halves(), 1); }},
               {"softmax", [](const Operands& o) { weft::softmax(o.turned(), 0); }},
               {"log_softmax", [](const Operands& o) { weft::log_softmax(o.turned_halves(), 2); }}},
              40 * kib);
}

TEST_CASE("stack: expressions", "[memory]") {
  const Tensor a = Tensor::full({300, 600}, ScalarType::f32, 0.5),
               b = Tensor::full({300, 600}, ScalarType::f64, 0.5);
  const auto formula = [](const auto& x) { return weft::exp(weft::expr(x) * 2 - 1) * x; };
  check_stack(
      {{"formula", [&](const Operands&) { weft::evaluate(formula(a)); }},
       {"formula, transposed",
        [&](const Operands&) { weft::evaluate(formula(a.transpose(0, 1))); }},
       {"sums of rows", [&](const Operands&) { weft::evaluate(weft::sum(formula(a), {1})); }},
       {"sums of columns", [&](const Operands&) { weft::evaluate(weft::sum(formula(a), {0})); }},
       {"sums of doubles", [&](const Operands&) { weft::evaluate(weft::sum(formula(b), {0})); }},
       {"largest of rows", [&](const Operands&) { weft::evaluate(weft::amax(formula(b), {1})); }}},
      64 * kib);
}

TEST_CASE("stack: matrix products", "[memory]") {
  check_stack({{"matmul", [](const Operands& o) { weft::matmul(o.square, o.square); }},
               {"matmul of transposed",
                [](const Operands& o) {
                  const TensorView turned = o.square.transpose(0, 1);
                  weft::matmul(turned, turned);
                }},
               {"matmul of halves",
                [](const Operands& o) {
                  const Tensor halves = weft::contiguous(o.square, ScalarType::f16);
                  weft::matmul(halves, halves.transpose(0, 1));
                }},
               {"matmul of integers",
                [](const Operands& o) {
                  const Tensor integers = weft::contiguous(o.square, ScalarType::i32);
                  weft::matmul(integers, integers.transpose(0, 1));
                }}},
              20 * kib);
}

TEST_CASE("stack: kernels of the user", "[memory]") {
  check_stack({{"cpu_kernel",
                [](const Operands& o) {
                  call_on_iterator(o, [](const weft::TensorIterator& iter) {
                    weft::cpu_kernel(iter, [](double a, double b) { return a + b; });
                  });
                }},
               {"explain",
                [](const Operands& o) {
                  call_on_iterator(
                      o, [](const weft::TensorIterator& iter) { iter.explain().to_text(); });
                }},
               {"cpu_reduce",
                [](const Operands& o) {
                  const Tensor out = Tensor::zeros({150, 170, 1}, ScalarType::f32);
                  weft::cpu_reduce(weft::TensorIterator::reduce_op(out, o.a), Sum());
                }}},
              20 * kib);
}

TEST_CASE("stack: a graph, a model, and loops in loops", "[memory]") {
  check_stack({{"graph", [](const Operands&) { test::graph_is_right(); }},
               {"model", [](const Operands&) { test::model_is_right(); }},
               {"loop", [](const Operands&) { run_nested(1); }},
               {"loop in three", [](const Operands&) { run_nested(4); }}},
              32 * kib);
}
#endif
