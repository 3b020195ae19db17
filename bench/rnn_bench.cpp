// SPDX-License-Identifier: Apache-2.0
// LSTMs as a loop runs them: "cell" has an LSTMCell in its body, "loop" the same in ordinary
// operations (two products, sums, Split, Sigmoid, Tanh); "sequence" is an LSTMSequence, and
// "bidirectional" one of both directions, which is twice the work. share_of_peak is the share of
// the machine's multiply-adds in registers that the products alone make, counting all threads that
// take part.
#include <weft/graph/executable.hpp>
#include <weft/ops/copy.hpp>
#include <weft/recurrent/loop.hpp>

#include "peak.hpp"
#include "study.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace bench {
namespace {

using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::Node;
using weft::graph::ResultPlace;
using weft::graph::Value;
using weft::graph::ValueType;
using weft::recurrent::PortMap;

/// Trips, rows, inputs, units.
struct Size {
  std::int64_t t, b, i, h;
};

struct Lstm {
  /// `directions`: 0 stands for a loop, whose y is [t, b, h]; that of a sequence is
  /// [b, directions, t, h].
  Lstm(Size size, std::int64_t directions)
      : s(size),
        d(directions),
        x(random({s.t, s.b, s.i})),
        state(Tensor::zeros({s.b, s.h}, ScalarType::f32)),
        w(random({4 * s.h, s.i})),
        r(random({4 * s.h, s.h})),
        bias(random({4 * s.h})) {
    if (d == 0) {
      y = Tensor::zeros({s.t, s.b, s.h}, ScalarType::f32);
    } else {
      y = Tensor::zeros({s.b, d, s.t, s.h}, ScalarType::f32);
    }
  }

  Tensor random(weft::IntSpan shape) {
    Tensor tensor = Tensor::empty(shape, ScalarType::f32);
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      tensor.data_as<float>()[i] =
          static_cast<float>(static_cast<double>(engine() % 2001) - 1000) / 5000;
    return tensor;
  }

  /// Gates in the order f, i, c, o; rows [B, H]; results H', C', H'.
  Graph body(bool cell) const {
    Graph g;
    const Value xt = g.add_parameter({ScalarType::f32, {1, s.b, s.i}}, "x");
    const Value h = g.add_parameter({ScalarType::f32, {s.b, s.h}}, "h");
    const Value c = g.add_parameter({ScalarType::f32, {s.b, s.h}}, "c");
    const Value rows = g.add("Squeeze", {xt, g.add_constant(Tensor::of<std::int64_t>({1}, {0}))});
    Value hidden, next;
    if (cell) {
      Node node;
      node.op = "LSTMCell";
      node.attributes.set("hidden_size", s.h);
      node.inputs = {rows, h, c, g.add_constant(w), g.add_constant(r), g.add_constant(bias)};
      node.noutputs = 2;
      const int index = g.add_node(std::move(node));
      hidden = {index, 0};
      next = {index, 1};
    } else {
      const auto product = [&](Value a, const Tensor& b) {
        return g.add("MatMul", {a, g.add_constant(b)}, {{"transpose_b", true}});
      };
      const Value sums =
          g.add("Add", {g.add("Add", {product(rows, w), product(h, r)}), g.add_constant(bias)});
      Node split;
      split.op = "Split";
      split.attributes.set("num_splits", std::int64_t{4});
      split.inputs = {sums, g.add_constant(Tensor::of<std::int64_t>({}, {1}))};
      split.noutputs = 4;
      const int gates = g.add_node(std::move(split));
      const auto gate = [&](const char* op, int i) { return g.add(op, {{gates, i}}); };
      next = g.add("Add", {g.add("Multiply", {gate("Sigmoid", 0), c}),
                           g.add("Multiply", {gate("Sigmoid", 1), gate("Tanh", 2)})});
      hidden = g.add("Multiply", {gate("Sigmoid", 3), g.add("Tanh", {next})});
    }
    g.add_result(hidden);
    g.add_result(next);
    g.add_result(g.add("Unsqueeze", {hidden, g.add_constant(Tensor::of<std::int64_t>({1}, {0}))}));
    return g;
  }

  Executable program(bool cell) const {
    Graph outer;
    const Value in = outer.add_parameter({ScalarType::f32, {s.t, s.b, s.i}}, "x");
    const Value start = outer.add_constant(state);
    PortMap map;
    map.inputs = {{.input = 0, .parameter = 0, .axis = 0},
                  {.input = 1, .parameter = 1},
                  {.input = 2, .parameter = 2}};
    map.back_edges = {{.result = 0, .parameter = 1}, {.result = 1, .parameter = 2}};
    map.outputs = {{.output = 0, .result = 2, .axis = 0}};
    const std::vector<Value> out =
        weft::recurrent::add_loop(outer, map, body(cell), {in, start, start});
    outer.add_result(out[0], "y");
    return Executable(outer, {.operators = &weft::recurrent::operators()});
  }

  /// Both directions have the same weights, each a copy of its own.
  Executable sequence() const {
    Graph graph;
    const auto stacked = [&](const Tensor& one, std::int64_t axis) {
      std::vector<std::int64_t> shape(one.shape().begin(), one.shape().end());
      shape.insert(shape.begin() + axis, d);
      Tensor all = Tensor::empty(shape, one.dtype());
      weft::copy_out(all, one.unsqueeze(axis));
      return graph.add_constant(all);
    };
    Node node;
    node.op = "LSTMSequence";
    node.attributes.set("hidden_size", s.h);
    node.attributes.set("direction", std::string(d == 2 ? "bidirectional" : "forward"));
    node.inputs = {
        graph.add_parameter({ScalarType::f32, {s.b, s.t, s.i}}, "x"),
        stacked(state, 1),
        stacked(state, 1),
        graph.add_constant(Tensor::full({s.b}, ScalarType::i64, static_cast<double>(s.t))),
        stacked(w, 0),
        stacked(r, 0),
        stacked(bias, 0)};
    graph.add_result({graph.add_node(std::move(node)), 0}, "y");
    return Executable(graph, {.operators = &weft::recurrent::operators()});
  }
  /// x as the program takes it.
  TensorView given() const { return d == 0 ? TensorView(x) : x.permute({1, 0, 2}); }

  /// Against double precision, for the first and the last row of the batch.
  void check() const {
    for (const std::int64_t n : {std::int64_t{0}, s.b - 1}) {
      if (d == 0) {
        check_row(n, false, y.select(1, n));
      } else {
        for (std::int64_t i = 0; i < d; ++i)
          check_row(n, i == 1, y.select(0, n).select(0, i));
      }
    }
  }

  /// `got` [t, h]: the outputs of a row.
  void check_row(std::int64_t n, bool backwards, const TensorView& got) const {
    std::vector<double> h(static_cast<std::size_t>(s.h)), c(h), sums(4 * h.size());
    for (std::int64_t step = 0; step < s.t; ++step) {
      const std::int64_t t = backwards ? s.t - 1 - step : step;
      for (std::size_t j = 0; j < sums.size(); ++j) {
        const auto row = static_cast<std::int64_t>(j);
        double sum = bias.at<float>({row});
        for (std::int64_t k = 0; k < s.i; ++k)
          sum += static_cast<double>(x.data_as<float>()[(t * s.b + n) * s.i + k]) *
                 w.data_as<float>()[row * s.i + k];
        for (std::size_t k = 0; k < h.size(); ++k)
          sum += h[k] * r.data_as<float>()[j * h.size() + k];
        sums[j] = sum;
      }
      const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
      for (std::size_t j = 0; j < h.size(); ++j) {
        c[j] = sigmoid(sums[j]) * c[j] +
               sigmoid(sums[h.size() + j]) * std::tanh(sums[2 * h.size() + j]);
        h[j] = sigmoid(sums[3 * h.size() + j]) * std::tanh(c[j]);
        const auto unit = static_cast<std::int64_t>(j);
        if (!(std::fabs(h[j] - got.at<float>({t, unit})) < 1e-5)) die("wrong LSTM");
      }
    }
  }

  Size s;
  std::int64_t d;
  std::mt19937 engine;
  Tensor x, state, w, r, bias, y;
};

void add(const char* form, Size s, int threads) {
  const std::string name = std::string(form) + "/t:" + std::to_string(s.t) +
                           "/b:" + std::to_string(s.b) + "/i:" + std::to_string(s.i) +
                           "/h:" + std::to_string(s.h) + "/threads:" + std::to_string(threads);
  const std::string of = form;
  const std::int64_t directions = of == "bidirectional" ? 2 : of == "sequence" ? 1 : 0;
  auto* added = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    current_case() = name;
    const weft::ThreadLimit limit(threads);
    static const double peak = peak_multiply_adds(ScalarType::f32);
    const Lstm lstm(s, directions);
    Frame frame(directions == 0 ? lstm.program(of == "cell") : lstm.sequence());
    frame.plan(std::vector<TensorView>{lstm.given()}, std::vector<ResultPlace>{{.external = true}});
    frame.bind_result(0, lstm.y.data());
    frame.run();
    frame.run();
    lstm.check();
    for (auto _ : state) {
      frame.run();
      benchmark::ClobberMemory();
    }
    const auto work = static_cast<double>(s.t * s.b * 4 * s.h * (s.i + s.h) *
                                          std::max<std::int64_t>(directions, 1));
    state.counters["share_of_peak"] =
        benchmark::Counter(work / peak / threads, benchmark::Counter::kIsIterationInvariantRate);
  });
  added->Unit(benchmark::kMicrosecond);
  if (threads > 1) added->UseRealTime();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  for (const int threads : {1, 2}) {
    for (const bench::Size s : {bench::Size{25, 1, 512, 256},
                                {100, 1, 64, 64},
                                {25, 32, 512, 256},
                                {200, 1, 16, 4},
                                {128, 8, 256, 256}}) {
      bench::add("cell", s, threads);
      bench::add("loop", s, threads);
    }
    bench::add("sequence", {25, 1, 512, 256}, threads);
    bench::add("bidirectional", {25, 1, 512, 256}, threads);
  }
  return bench::run_cases(argc, argv, "0.2");
}
