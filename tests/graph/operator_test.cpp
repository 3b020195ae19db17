// SPDX-License-Identifier: Apache-2.0
// Operators of one's own: views, kernels, shapes that turn up in the run, kernels that adapt.
#include <weft/graph/executable.hpp>

#include "support/errors.hpp"

#include <algorithm>
#include <memory>
#include <vector>

using weft::DimVector;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::CompileOptions;
using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::InferContext;
using weft::graph::Kernel;
using weft::graph::KernelArguments;
using weft::graph::Operator;
using weft::graph::OperatorRegistry;
using weft::graph::PartialShape;
using weft::graph::PlanNote;
using weft::graph::PrepareContext;
using weft::graph::Value;
using weft::graph::ValueType;

namespace {

/// The elements above zero, in order: how many there are is known only afterwards.
class Positive final : public Operator {
 public:
  Positive() : Operator({.name = "Positive"}) {}
  void infer(InferContext& context) const override {
    context.set_output(0, context.input(0).dtype, {PartialShape::unknown});
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    struct Filter final : Kernel {
      explicit Filter(std::int64_t elements) : count(elements) {}
      void run(const KernelArguments& arguments) override {
        const auto* from = static_cast<const float*>(arguments.inputs[0]);
        kept.clear();
        std::copy_if(from, from + count, std::back_inserter(kept), [](float x) { return x > 0; });
        auto* to = arguments.allocate(0, {static_cast<std::int64_t>(kept.size())});
        std::copy(kept.begin(), kept.end(), static_cast<float*>(to));
      }
      std::int64_t count;
      std::vector<float> kept;
    };
    return std::make_unique<Filter>(context.input(0).numel());
  }
};

/// Every other element of a vector, by two outputs that are views.
class Halves final : public Operator {
 public:
  Halves() : Operator({.name = "Halves"}) {}
  void infer(InferContext& context) const override {
    const std::int64_t n = context.input(0).shape.extent(0);
    context.set_output(0, context.input(0).dtype, {n < 0 ? n : (n + 1) / 2});
    context.set_output(1, context.input(0).dtype, {n < 0 ? n : n / 2});
  }
  bool view(const PrepareContext& context, std::span<TensorView> outputs) const override {
    const TensorView& all = context.input(0);
    outputs[0] = all.slice(0, 0, all.extent(0), 2);
    outputs[1] = all.slice(0, 1, all.extent(0), 2);
    return true;
  }
};

/// Doubles a row-major vector; counts what happens to it.
class Twice final : public Operator {
 public:
  struct Counts {
    int prepared = 0, adapted = 0;
  };
  explicit Twice(std::shared_ptr<Counts> counts)
      : Operator({.name = "Twice", .first_opset = 3, .last_opset = 5}),
        counts_(std::move(counts)) {}
  void infer(InferContext& context) const override { context.set_output(0, context.input(0)); }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    struct Doubling final : Kernel {
      Doubling(std::int64_t n, std::shared_ptr<Counts> in) : count(n), counts(std::move(in)) {}
      void run(const KernelArguments& arguments) override {
        const auto* from = static_cast<const float*>(arguments.inputs[0]);
        std::transform(from, from + count, static_cast<float*>(arguments.outputs[0]),
                       [](float x) { return 2 * x; });
      }
      bool adapt(const PrepareContext& to) override {
        count = to.input(0).numel();
        ++counts->adapted;
        return true;
      }
      std::int64_t count;
      std::shared_ptr<Counts> counts;
    };
    ++counts_->prepared;
    return std::make_unique<Doubling>(context.input(0).numel(), counts_);
  }

 private:
  std::shared_ptr<Counts> counts_;
};

struct Registered {
  std::shared_ptr<Twice::Counts> counts = std::make_shared<Twice::Counts>();
  OperatorRegistry operators = weft::graph::standard_operators();
  Registered() {
    operators.add(std::make_shared<Positive>());
    operators.add(std::make_shared<Halves>());
    operators.add(std::make_shared<Twice>(counts));
  }
};

Tensor vector(std::vector<float> values) {
  Tensor out = Tensor::empty({static_cast<std::int64_t>(values.size())}, ScalarType::f32);
  std::ranges::copy(values, out.data_as<float>());
  return out;
}

std::vector<float> values(const TensorView& view) {
  const Tensor dense = Tensor::copy_of(view);
  return {dense.data_as<float>(), dense.data_as<float>() + dense.numel()};
}

const ValueType f32_vector{ScalarType::f32, {-1}};
using Floats = std::vector<float>;

}  // namespace

TEST_CASE("an output whose size turns up in the run", "[graph]") {
  const Registered registered;
  Graph graph;
  const Value x = graph.add_parameter(f32_vector, "x");
  const Value positive = graph.add("Positive", {x});
  graph.add_result(graph.add("Add", {positive, positive}), "sum");
  graph.add_result(graph.add("Positive", {graph.add("Negative", {x})}), "negative");
  graph.add_result(graph.add("ShapeOf", {positive}), "count");
  Frame frame{Executable(graph, {.operators = &registered.operators})};
  const Tensor data = vector({1, -2, 3, -4, -5});
  frame.plan(std::vector<TensorView>{data});
  CHECK_FALSE(frame.is_static());
  CHECK_FALSE(frame.result(0).defined());
  for (int round = 0; round < 2; ++round) {
    frame.run();
    CHECK(values(frame.result(0)) == Floats{2, 6});
    CHECK(values(frame.result(1)) == Floats{2, 4, 5});
    CHECK(frame.result(2).at<std::int64_t>({0}) == 2);
  }
  const std::int64_t plans = frame.counters().plans;
  data.data_as<float>()[4] = 5;
  frame.run();
  CHECK(values(frame.result(0)) == Floats{2, 6, 10});
  CHECK(values(frame.result(1)) == Floats{2, 4});
  CHECK(frame.counters().plans > plans);
  data.data_as<float>()[0] = data.data_as<float>()[2] = data.data_as<float>()[4] = 0;
  frame.run();
  CHECK(values(frame.result(0)).empty());
}

TEST_CASE("several views of one value", "[graph]") {
  const Registered registered;
  Graph graph;
  weft::graph::Node node;
  node.op = "Halves";
  node.noutputs = 2;
  node.inputs = {graph.add_parameter(f32_vector, "x")};
  const int halves = graph.add_node(node);
  graph.add_result(graph.add("Subtract", {{halves, 0}, {halves, 1}}));
  graph.add_result({halves, 1});
  Frame frame{Executable(graph, {.operators = &registered.operators})};
  const Tensor data = vector({1, 2, 4, 8});
  frame.plan(std::vector<TensorView>{data});
  frame.run();
  CHECK(values(frame.result(0)) == Floats{-1, -4});
  CHECK(frame.result(1).data() == data.data_as<float>() + 1);
  CHECK(frame.result(1).stride(0) == 2);
  CHECK(frame.counters().bytes_copied == 0);

  // Of a constant, they are constants.
  Graph constant;
  node.inputs = {constant.add_constant(data)};
  constant.add_result({constant.add_node(node), 1});
  const auto results = Executable(constant, {.operators = &registered.operators, .fold = false})
                           .run(std::vector<TensorView>{});
  CHECK(values(results[0]) == Floats{2, 8});
}

TEST_CASE("kernels get what they accept, and are adapted to other shapes", "[graph]") {
  const Registered registered;
  Graph graph;
  graph.add_result(graph.add("Twice", {graph.add_parameter(f32_vector, "x")}));
  Frame frame{Executable(graph, {.operators = &registered.operators})};
  const Tensor data = vector({1, 2, 3, 4, 5, 6});
  frame.plan(std::vector<TensorView>{data});
  frame.run();
  CHECK(values(frame.result(0)) == Floats{2, 4, 6, 8, 10, 12});
  CHECK(frame.counters().bytes_copied == 0);
  const TensorView every_other = data.slice(0, 0, 6, 2);
  frame.plan(std::vector<TensorView>{every_other});
  frame.run();
  CHECK(values(frame.result(0)) == Floats{2, 6, 10});
  CHECK(frame.counters().bytes_copied == 12);
  CHECK(registered.counts->prepared == 1);
  CHECK(registered.counts->adapted == 1);
  // And outputs likewise.
  Tensor out = Tensor::zeros({3, 2}, ScalarType::f32);
  frame.plan(std::vector<TensorView>{every_other},
             std::vector<weft::graph::ResultPlace>{{.external = true, .strides = {2}}});
  frame.bind_result(0, out.data());
  frame.run();
  CHECK(values(out) == Floats{2, 0, 6, 0, 10, 0});
}

TEST_CASE("operators are found by name, alias and operation set", "[graph]") {
  const Registered registered;
  const OperatorRegistry& operators = registered.operators;
  CHECK(operators.find("twice", 3) != nullptr);
  CHECK(operators.find("TWICE", 0) != nullptr);
  CHECK(operators.find("Twice", 2) == nullptr);
  CHECK(operators.find("Twice", 6) == nullptr);
  CHECK(operators.find("ceil", 1) == operators.find("Ceiling", 1));
  weft::graph::Node node;
  node.op = "Twice";
  node.opset = 9;
  node.name = "n";
  CHECK_ERROR(invalid_argument, ("'n'", "Twice", "opset9", "opset3 to opset5"), operators.at(node));
  const auto all = operators.all();
  CHECK(std::ranges::count(all, operators.find("Ceiling", 0)) == 1);
  CHECK(std::ranges::is_sorted(all, {}, [](const Operator* op) { return op->name().name; }));
}

TEST_CASE("what was decided is explained", "[graph]") {
  const Registered registered;
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {6}}, "x");
  const Value flat = graph.add_constant(Tensor::of<std::int64_t>({2}, {2, 3}));
  const Value c = graph.add("Exp", {graph.add_constant(Tensor::full({3}, ScalarType::f32, 0))});
  const Value sum = graph.add("Add", {graph.add("Reshape", {x, flat}), c});
  const Value relu = graph.add("Relu", {sum});
  graph.add_result(graph.add("Twice", {relu}));
  Frame frame{Executable(graph, {.operators = &registered.operators})};
  frame.plan(std::vector<TensorView>{vector({1, 2, 3, 4, 5, 6})});
  const weft::graph::FrameExplanation explanation = frame.explain();
  std::vector<std::pair<PlanNote::Kind, std::vector<std::string>>> notes;
  for (const PlanNote& note : explanation.notes)
    notes.emplace_back(note.kind, note.nodes);
  using enum PlanNote::Kind;
  const decltype(notes) expected = {
      {folded, {"Exp"}}, {viewed, {"Reshape"}}, {fused, {"Add", "Relu"}}, {kernel, {"Twice"}}};
  CHECK(notes == expected);
  CHECK(explanation.segments == 1);
  CHECK(explanation.notes[2].bytes == 24);
  const std::string text = to_string(explanation);
  CHECK(text.find("fused: Add, Relu; 24 bytes written") != std::string::npos);
  CHECK(text.find("folded: Exp") != std::string::npos);
}
