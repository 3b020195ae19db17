// SPDX-License-Identifier: Apache-2.0
#include "recurrent/choice/if_operator.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/executable.hpp>
#include <weft/ops/copy.hpp>
#include <weft/recurrent/choice.hpp>
#include <weft/recurrent/loop.hpp>

#include "base/operation.hpp"
#include "base/text.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

const IfData& data_of(const graph::Node& node) {
  const auto* data = dynamic_cast<const IfData*>(node.data.get());
  if (data == nullptr || node.bodies.size() != 2) {
    fail(ErrorCode::invalid_argument,
         text(describe(node), ": is no If: expected a node that if_node() made"));
  }
  return *data;
}

const char* side_name(std::size_t side) { return side == 0 ? "then" : "else"; }

/// A side with the types that its parameters have here.
graph::Executable compile(const graph::Node& node, std::size_t side,
                          std::span<const graph::ValueType> inputs,
                          const graph::OperatorRegistry& operators) {
  graph::Graph body = *node.bodies[side];
  const std::vector<int>& from = data_of(node).inputs[side];
  for (std::size_t p = 0; p < from.size(); ++p)
    body.node(body.parameters()[p]).type = inputs[static_cast<std::size_t>(from[p])];
  return with_operation(side_name(side),
                        [&] { return graph::Executable(body, {.operators = &operators}); });
}

class IfKernel final : public graph::Kernel {
 public:
  explicit IfKernel(const graph::PrepareContext& context) : node_(context.node()) {
    std::vector<graph::ValueType> types;
    for (int i = 0; i < context.ninputs(); ++i) {
      inputs_.push_back(context.input(i));
      types.push_back({inputs_.back().dtype(), inputs_.back().shape()});
    }
    for (int i = 0; i < context.noutputs(); ++i)
      known_.push_back(context.output(i).defined());
    for (std::size_t side = 0; side < 2; ++side)
      frames_[side].emplace(compile(node_, side, types, context.operators()));
  }

  void run(const graph::KernelArguments& arguments) override {
    const std::size_t side = *static_cast<const char*>(arguments.inputs[0]) != 0 ? 0 : 1;
    graph::Frame& frame = *frames_[side];
    const IfData& data = data_of(node_);
    views_.clear();
    for (const int input : data.inputs[side]) {
      const TensorView& view = inputs_[static_cast<std::size_t>(input)];
      views_.push_back(
          TensorView::trusted(arguments.inputs[input], view.dtype(), view.shape(), view.strides()));
    }
    frame.plan(views_);
    frame.run();
    for (std::size_t o = 0; o < known_.size(); ++o) {
      const TensorView value = frame.result(data.results[side][o]);
      void* memory =
          known_[o] ? arguments.outputs[o] : arguments.allocate(static_cast<int>(o), value.shape());
      copy_out(TensorView::trusted(memory, value.dtype(), value.shape()), value);
    }
  }

 private:
  graph::Node node_;
  std::vector<TensorView> inputs_;
  std::vector<bool> known_;  // by output: its shape
  std::array<std::optional<graph::Frame>, 2> frames_;
  std::vector<TensorView> views_;
};

class IfOperator final : public graph::Operator {
 public:
  IfOperator() : Operator({.name = "If"}) {}

  void infer(graph::InferContext& context) const override {
    const graph::Node& node = context.node();
    const IfData& data = data_of(node);
    const graph::ValueType& condition = context.input(0);
    if (condition.dtype != ScalarType::boolean)
      fail(ErrorCode::dtype, text("condition: expected bool, got ", weft::name(condition.dtype)));
    if (condition.shape.is_static() && numel(condition.shape.shape()) != 1)
      fail(ErrorCode::shape,
           text("condition: expected one element, got ", to_string(condition.shape)));
    std::vector<graph::ValueType> inputs;
    for (int i = 0; i < context.ninputs(); ++i)
      inputs.push_back(context.input(i));
    const auto then_side = compile(node, 0, inputs, context.operators());
    const auto else_side = compile(node, 1, inputs, context.operators());
    for (std::size_t o = 0; o < data.results[0].size(); ++o) {
      const graph::ValueType& a = then_side.result_type(data.results[0][o]);
      const graph::ValueType& b = else_side.result_type(data.results[1][o]);
      if (a.dtype != b.dtype) {
        fail(ErrorCode::dtype, text("output ", o, ": then gives ", weft::name(a.dtype),
                                    ", else gives ", weft::name(b.dtype)));
      }
      context.set_output(static_cast<int>(o), a.dtype, a.shape.united_with(b.shape));
    }
  }

  std::unique_ptr<graph::Kernel> prepare(const graph::PrepareContext& context) const override {
    return std::make_unique<IfKernel>(context);
  }

  bool accepts_input(const graph::Node&, int, const TensorView&) const override { return true; }
};

void check_branch(const std::string& name, std::size_t side, const Branch& branch,
                  std::size_t ninputs) {
  const auto refuse = [&](const auto&... args) {
    fail(ErrorCode::invalid_argument, text("If '", name, "': ", side_name(side), ": ", args...));
  };
  if (branch.body == nullptr) refuse("has no body");
  branch.body->check(max_nested - 1);
  if (branch.inputs.size() != branch.body->parameters().size()) {
    refuse("feeds ", branch.inputs.size(), " parameters, and the body has ",
           branch.body->parameters().size());
  }
  for (std::size_t p = 0; p < branch.inputs.size(); ++p) {
    if (branch.inputs[p] < 0 || static_cast<std::size_t>(branch.inputs[p]) >= ninputs)
      refuse("parameter ", p, ": input ", branch.inputs[p], " of ", ninputs);
  }
  const std::size_t nresults = branch.body->results().size();
  for (std::size_t o = 0; o < branch.results.size(); ++o) {
    if (branch.results[o] < 0 || static_cast<std::size_t>(branch.results[o]) >= nresults)
      refuse("output ", o, ": result ", branch.results[o], " of ", nresults);
  }
}

}  // namespace

std::shared_ptr<const graph::Operator> make_if_operator() { return std::make_shared<IfOperator>(); }

graph::Node if_node(std::string name, Branch then_branch, Branch else_branch,
                    std::vector<graph::Value> inputs) {
  if (inputs.empty())
    fail(ErrorCode::invalid_argument, text("If '", name, "': expected a condition as input 0"));
  check_branch(name, 0, then_branch, inputs.size());
  check_branch(name, 1, else_branch, inputs.size());
  if (then_branch.results.size() != else_branch.results.size() || then_branch.results.empty()) {
    fail(ErrorCode::invalid_argument,
         text("If '", name, "': then gives ", then_branch.results.size(), " outputs, else ",
              else_branch.results.size(), ": expected as many, and one at least"));
  }
  auto data = std::make_shared<IfData>();
  data->inputs = {std::move(then_branch.inputs), std::move(else_branch.inputs)};
  data->results = {std::move(then_branch.results), std::move(else_branch.results)};
  graph::Node node;
  node.op = "If";
  node.name = std::move(name);
  node.inputs = std::move(inputs);
  node.noutputs = static_cast<int>(data->results[0].size());
  node.bodies = {std::move(then_branch.body), std::move(else_branch.body)};
  node.data = std::move(data);
  return node;
}

std::vector<graph::Value> add_if(graph::Graph& graph, std::string name, Branch then_branch,
                                 Branch else_branch, std::vector<graph::Value> inputs) {
  graph::Node node =
      if_node(std::move(name), std::move(then_branch), std::move(else_branch), std::move(inputs));
  const int noutputs = node.noutputs;
  const int index = add_node(graph, std::move(node));
  std::vector<graph::Value> outputs;
  for (int i = 0; i < noutputs; ++i)
    outputs.push_back({index, i});
  return outputs;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
