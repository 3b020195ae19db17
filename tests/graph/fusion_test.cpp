// SPDX-License-Identifier: Apache-2.0
// Chains of elementwise operations give the same bits as the functions called one by one, whatever
// the layout of operands, the places of results, the size of blocks and the number of threads.
#include <weft/graph/executable.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <vector>

using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::ResultPlace;
using weft::graph::Value;

namespace {

/// A graph, and the same computed by calling functions.
struct Case {
  Graph graph;
  std::list<test::Memory> memory;
  std::vector<TensorView> inputs;
  std::vector<Tensor> expected;
};

struct Computed {
  Value value;
  Tensor tensor;
  bool is_reduced = false;  ///< a reduction reads it
};

Computed step(test::Random& random, Graph& graph, const std::vector<Computed>& there) {
  const Computed &a = random.pick(there), &b = random.pick(there), &c = random.pick(there);
  const auto call = [&](const char* op, std::vector<Value> inputs, Tensor tensor) {
    return Computed{graph.add(op, std::move(inputs)), std::move(tensor)};
  };
  switch (random.integer(0, 7)) {
    case 0: return call("Add", {a.value, b.value}, weft::add(a.tensor, b.tensor));
    case 1: return call("Subtract", {a.value, b.value}, weft::sub(a.tensor, b.tensor));
    case 2: return call("Multiply", {a.value, b.value}, weft::mul(a.tensor, b.tensor));
    case 3: return call("Maximum", {a.value, b.value}, weft::maximum(a.tensor, b.tensor));
    case 4: return call("Negative", {a.value}, weft::neg(a.tensor));
    case 5: {
      const Value less = graph.add("Less", {a.value, b.value});
      return call("Select", {less, b.value, c.value},
                  weft::where(weft::lt(a.tensor, b.tensor), b.tensor, c.tensor));
    }
    case 6: {
      const Value half = graph.add("Convert", {a.value}, {{"destination_type", "f16"}});
      const Tensor rounded =
          weft::contiguous(weft::contiguous(a.tensor, ScalarType::f16), a.tensor.dtype());
      const char* back = a.tensor.dtype() == ScalarType::f32 ? "f32" : "i32";
      return {graph.add("Convert", {half}, {{"destination_type", back}}), rounded};
    }
    default: {
      const Value clamped = graph.add("Clamp", {a.value}, {{"min", -3.0}, {"max", 5.0}});
      return {clamped, weft::clamp(a.tensor, -3, 5)};
    }
  }
}

/// A reduction of a value over random axes, which stay with extent 1.
Computed reduced(test::Random& random, Graph& graph, Computed& a) {
  a.is_reduced = true;
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < a.tensor.rank(); ++axis)
    if (random.chance(50)) axes.push_back(random.chance(50) ? axis : axis - a.tensor.rank());
  if (axes.empty()) axes.push_back(-1);
  const Tensor list = Tensor::empty({static_cast<std::int64_t>(axes.size())}, ScalarType::i64);
  std::ranges::copy(axes, static_cast<std::int64_t*>(list.data()));
  const auto call = [&](const char* op, auto function) {
    // Operators give the type of what they reduce, which is row-major in a frame.
    const weft::ReduceOptions options{.keepdim = true, .dtype = a.tensor.dtype()};
    return Computed{graph.add(op, {a.value, graph.add_constant(list)}, {{"keep_dims", true}}),
                    function(Tensor::copy_of(a.tensor), axes, options)};
  };
  const auto sum = [](const auto&... in) { return weft::sum(in...); };
  const auto amax = [](const auto&... in) { return weft::amax(in...); };
  const auto mean = [](const auto&... in) { return weft::mean(in...); };
  switch (random.integer(0, a.tensor.dtype() == ScalarType::f32 ? 2 : 1)) {
    case 0: return call("ReduceSum", sum);
    case 1: return call("ReduceMax", amax);
    default: return call("ReduceMean", mean);
  }
}

/// Three operands, `steps` steps, of which some are reductions of the step before, and the last
/// three values as results; but none that is reduced: its place would decide on the last bits.
Case random_case(test::Random& random, const Dims& common, ScalarType type, int steps,
                 int reductions_in_100 = 0) {
  Case made;
  std::vector<Computed> there;
  for (int i = 0; i < 3; ++i) {
    const Dims shape = i == 0 ? common : test::random_operand_shape(random, common);
    made.memory.emplace_back(type, test::random_layout(random, shape));
    const TensorView view = made.memory.back().view();
    // Small integers, so that nothing overflows and every type can hold them. The memory is
    // filled as it lies: a layout may have an element in several places.
    const std::int64_t size = made.memory.back().layout().size;
    for (std::int64_t e = 0; e < size; ++e) {
      const auto number = static_cast<double>(random.integer(-3, 3));
      weft::cast_elements(made.memory.back().data() + e * weft::element_size(type), type, 0,
                          &number, ScalarType::f64, 0, 1);
    }
    made.inputs.push_back(view);
    there.push_back(
        {made.graph.add_parameter({type, weft::IntSpan(shape)}), Tensor::copy_of(view)});
  }
  for (int i = 0; i < steps; ++i) {
    Computed& last = there.back();
    there.push_back(random.chance(reductions_in_100) && last.tensor.rank() > 0
                        ? reduced(random, made.graph, last)
                        : step(random, made.graph, there));
  }
  std::erase_if(there, [](const Computed& value) { return value.is_reduced; });
  for (std::size_t i = there.size() - 3; i < there.size(); ++i) {
    made.graph.add_result(there[i].value);
    made.expected.push_back(Tensor::copy_of(there[i].tensor));
  }
  return made;
}

bool same_bits(const TensorView& got, const Tensor& expected) {
  const Tensor dense = Tensor::copy_of(got);
  return dense.dtype() == expected.dtype() && std::ranges::equal(dense.shape(), expected.shape()) &&
         (dense.numel() == 0 || std::memcmp(dense.data(), expected.data(),
                                            static_cast<std::size_t>(dense.nbytes())) == 0);
}

/// Runs with results where the frame puts them, and at places with strides of their own.
std::string wrong_result(test::Random& random, const Case& c, bool fuse) {
  Frame frame{Executable(c.graph, {.fuse = fuse})};
  frame.plan(c.inputs);
  frame.run();
  for (std::size_t i = 0; i < c.expected.size(); ++i) {
    if (!same_bits(frame.result(static_cast<int>(i)), c.expected[i])) return "own memory";
  }
  std::list<test::Memory> memory;
  std::vector<ResultPlace> places;
  for (const Tensor& expected : c.expected) {
    const Dims shape(expected.shape().begin(), expected.shape().end());
    const test::Layout layout = test::random_layout(random, shape, {.zero = false});
    memory.emplace_back(expected.dtype(), layout);
    places.push_back({.external = true,
                      .strides = weft::DimVector(layout.strides.begin(), layout.strides.end())});
  }
  frame.plan(c.inputs, places);
  int i = 0;
  for (const test::Memory& place : memory)
    frame.bind_result(i++, place.origin());
  frame.run();
  i = 0;
  for (const test::Memory& place : memory) {
    if (!same_bits(place.view(), c.expected[static_cast<std::size_t>(i)])) return "a place";
    if (place.size_bytes() > 0 && frame.result(i).data() != place.origin()) return "its address";
    ++i;
  }
  return "";
}

}  // namespace

TEST_CASE("chains of random operations, layouts and places", "[graph]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(150); ++round) {
    const Dims shape = test::random_shape(random, 4, 6);
    const ScalarType type = random.chance(70) ? ScalarType::f32 : ScalarType::i32;
    const Case c = random_case(random, shape, type, 12);
    INFO("round " << round << ", shape " << weft::to_string(weft::IntSpan(shape)));
    CHECK(wrong_result(random, c, true) == "");
    CHECK(wrong_result(random, c, false) == "");
  }
}

TEST_CASE("reductions of chains have the bits of reductions of their results", "[graph]") {
  WEFT_RANDOM(random);
  int fused = 0;
  for (int round = 0; round < test::rounds(60); ++round) {
    // More than the first level of a cache holds: what is less is stored.
    const auto columns = static_cast<std::int64_t>(random.integer(200, 700));
    const Dims shape = random.chance(50) ? Dims{150, columns} : Dims{13, columns, 11};
    const ScalarType type = random.chance(70) ? ScalarType::f32 : ScalarType::i32;
    const Case c = random_case(random, shape, type, 14, 30);
    INFO("round " << round << ", shape " << weft::to_string(weft::IntSpan(shape)));
    CHECK(wrong_result(random, c, true) == "");
    CHECK(wrong_result(random, c, false) == "");
    Frame frame{Executable(c.graph)};
    frame.plan(c.inputs);
    for (const weft::graph::PlanNote& note : frame.explain().notes) {
      const bool is_chain = note.kind == weft::graph::PlanNote::Kind::fused;
      fused += is_chain && note.nodes.back().starts_with("Reduce") ? 1 : 0;
    }
  }
  CHECK(fused > 0);
}

TEST_CASE("a norm in basic operators stores nothing but its sums", "[graph]") {
  const std::int64_t rows = 100, columns = 300;
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {rows, columns}});
  const Tensor last = Tensor::full({1}, ScalarType::i64, 1);
  const auto mean = [&](Value of, bool keeps) {
    return graph.add("ReduceMean", {of, graph.add_constant(last)}, {{"keep_dims", keeps}});
  };
  const Value moved = graph.add("Subtract", {x, mean(x, true)});
  const Value square = graph.add("Multiply", {moved, moved});
  const Value deviation = graph.add("Sqrt", {mean(square, true)});
  graph.add_result(graph.add("Divide", {moved, deviation}));
  graph.add_result(mean(graph.add("Exp", {graph.add("Negative", {moved})}), false));
  const Tensor in = Tensor::empty({rows, columns}, ScalarType::f32);
  WEFT_RANDOM(random);
  for (std::int64_t i = 0; i < in.numel(); ++i)
    static_cast<float*>(in.data())[i] = static_cast<float>(random.integer(-1000, 1000)) / 64;
  Frame frame{Executable(graph)};
  frame.plan(std::vector<TensorView>{in});
  frame.run();
  const std::int64_t axes[] = {1};
  const Tensor from = weft::sub(in, weft::mean(in, axes, {.keepdim = true}));
  const Tensor variance = weft::mean(weft::mul(from, from), axes, {.keepdim = true});
  CHECK(same_bits(frame.result(0), weft::div(from, weft::sqrt(variance))));
  CHECK(same_bits(frame.result(1), weft::mean(weft::exp(weft::neg(from)), axes)));
  std::vector<std::string> passes;
  for (const weft::graph::PlanNote& note : frame.explain().notes) {
    if (note.kind == weft::graph::PlanNote::Kind::folded) continue;
    passes.push_back(weft::graph::name(note.kind));
    for (const std::string& node : note.nodes)
      passes.back() += " " + node;
  }
  CHECK(passes == std::vector<std::string>{
                      "kernel ReduceMean", "fused Subtract Multiply ReduceMean", "fused Sqrt",
                      "fused Subtract Negative Exp ReduceMean", "fused Subtract Divide"});
  INFO(to_string(frame.explain()));
  CHECK(frame.explain().arena_bytes < in.nbytes() + 4 * rows * 8);
}

TEST_CASE("chains longer than a group, and rows around a block", "[graph]") {
  WEFT_RANDOM(random);
  for (const std::int64_t n : {1, 63, 64, 65, 255, 257, 1000, 4095, 4097, 9001}) {
    const Case c = random_case(random, {2, n}, ScalarType::f32, 80);
    INFO("n = " << n);
    CHECK(wrong_result(random, c, true) == "");
  }
}

TEST_CASE("chains on several threads", "[graph]") {
  WEFT_RANDOM(random);
  const Case c = random_case(random, {3, 70'001}, ScalarType::f32, 10);
  test::for_thread_counts([&](int threads) {
    INFO(threads << " threads");
    CHECK(wrong_result(random, c, true) == "");
  });
}

TEST_CASE("axes lined up from the front", "[graph]") {
  // The axis as the specification's examples have it, and as OpenVINO writes it.
  for (const char* axis : {"axis", "auto_broadcast.auto_broadcast_axis"}) {
    Graph graph;
    const Value a = graph.add_parameter({ScalarType::f32, {2, 3, 2}});
    const Value b = graph.add_parameter({ScalarType::f32, {3}});
    graph.add_result(graph.add("Add", {a, b}, {{"auto_broadcast", "pdpd"}, {axis, 1}}));
    const Tensor x = Tensor::zeros({2, 3, 2}, ScalarType::f32);
    const Tensor y = Tensor::of<float>({3}, {1, 2, 3});
    const Tensor sum = Executable(graph).run(std::vector<TensorView>{x, y})[0];
    for (std::int64_t i = 0; i < 12; ++i) {
      const std::int64_t row = i / 2 % 3;
      CHECK(sum.at<float>({i / 6, row, i % 2}) == static_cast<float>(row + 1));
    }
  }
  Graph none;
  const Value p = none.add_parameter({ScalarType::f32, {2, 3}});
  const Value q = none.add_parameter({ScalarType::f32, {3}});
  none.add_result(none.add("Add", {p, q}, {{"auto_broadcast", "none"}}));
  CHECK_ERROR(shape, ("Add", "[2, 3]", "[3]"), Executable(none));
  Graph unknown;
  const Value r = unknown.add_parameter({ScalarType::f32, {2}});
  unknown.add_result(unknown.add("Add", {r, r}, {{"auto_broadcast", "left"}}));
  CHECK_ERROR(invalid_argument, ("auto_broadcast", "left"), Executable(unknown));
}
