// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/graph/executable.hpp>

#include "base/index.hpp"
#include "graph/compile/program.hpp"
#include "graph/compile/rewrite.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

Inferred infer_node(const ProgramNode& node, std::span<const ValueType* const> types,
                    std::span<const TensorView* const> values, const OperatorRegistry& operators) {
  return naming(node.node, [&] {
    InferContext context(node.node, types, values, operators);
    node.op->infer(context);
    context.expect_all_outputs();
    Inferred out{context.take_outputs(), context.take_output_values(), {}};
    for (int i = 0; i < context.ninputs(); ++i) {
      if (context.asked_for_value(i)) out.asked.push_back(i);
    }
    return out;
  });
}

std::shared_ptr<const ElementwiseFormula> find_formula(const ProgramNode& node,
                                                       std::span<const ProgramValue> values) {
  SmallVector<ScalarType, 8> types;
  for (const int input : node.inputs) {
    types.push_back(input < 0 ? ScalarType::f32
                              : values[static_cast<std::size_t>(input)].type.dtype);
  }
  ElementwiseBuilder builder(node.node, types);
  if (!node.op->elementwise(builder)) return nullptr;
  return std::make_shared<ElementwiseFormula>(builder.formula());
}

namespace {

/// Types of all values, as far as they follow from those of the parameters, and formulas.
void infer_types(Program& program) {
  const auto at = [&](int value) -> ProgramValue& {
    return program.values[static_cast<std::size_t>(value)];
  };
  std::vector<Tensor> known(program.values.size());
  for (std::size_t v = 0; v < known.size(); ++v)
    known[v] = program.values[v].constant;
  for (ProgramNode& node : program.nodes) {
    std::vector<const ValueType*> types;
    std::vector<const TensorView*> values;
    for (const int input : node.inputs) {
      types.push_back(input < 0 ? nullptr : &at(input).type);
      const Tensor* value = input < 0 ? nullptr : &known[static_cast<std::size_t>(input)];
      values.push_back(value != nullptr && value->defined() ? value : nullptr);
    }
    const Inferred inferred = infer_node(node, types, values, program.operators);
    for (std::size_t i = 0; i < inferred.outputs.size(); ++i) {
      const auto v = static_cast<std::size_t>(node.first_output) + i;
      program.values[v].type = inferred.outputs[i];
      known[v] = inferred.values[i];
    }
    node.formula = naming(node.node, [&] { return find_formula(node, program.values); });
  }
}

/// Turns a graph into a program, stage by stage.
class Compiler {
 public:
  Compiler(const Graph& graph, const CompileOptions& options)
      : graph_(graph), options_(options), program_(std::make_shared<Program>()) {
    program_->name = graph.name();
    program_->origin = options.origin;
    program_->operators = options.operators != nullptr ? *options.operators : standard_operators();
    program_->fuse = options.fuse;
    program_->fold = options.fold;
  }

  std::shared_ptr<const Program> compile() {
    number_values();
    if (options_.fold) fold_constants();
    drop_dead_nodes();
    infer_types(*program_);
    if (options_.fuse && rewrite(*program_)) infer_types(*program_);
    return program_;
  }

 private:
  int value_of(Value value) const {
    return first_value_[static_cast<std::size_t>(value.node)] + value.output;
  }
  ProgramValue& at(int value) { return program_->values[static_cast<std::size_t>(value)]; }

  void add_value(const Node& node, int parameter) {
    program_->values.push_back({node.type, node.constant, parameter});
  }

  /// Parameters and constants become values, operations nodes in order.
  void number_values() {
    first_value_.assign(graph_.nodes().size(), -1);
    for (const int id : graph_.parameters()) {
      const Node& node = graph_.node(id);
      first_value_[static_cast<std::size_t>(id)] = static_cast<int>(program_->values.size());
      program_->parameters.push_back(static_cast<int>(program_->values.size()));
      program_->parameter_names.push_back(node.name);
      add_value(node, static_cast<int>(program_->parameters.size()) - 1);
    }
    for (const int id : graph_.topological_order()) {
      const Node& node = graph_.node(id);
      if (node.kind == NodeKind::parameter) continue;
      int& first = first_value_[static_cast<std::size_t>(id)];
      first = static_cast<int>(program_->values.size());
      if (node.kind == NodeKind::constant) {
        add_value(node, -1);
        continue;
      }
      ProgramNode made{node, program_->operators.at(node), {}, first};
      for (const Value input : node.inputs)
        made.inputs.push_back(input ? value_of(input) : -1);
      program_->nodes.push_back(std::move(made));
      program_->values.resize(program_->values.size() + static_cast<std::size_t>(node.noutputs));
    }
    for (const Result& result : graph_.results()) {
      program_->results.push_back(value_of(result.value));
      program_->result_names.push_back(result.name);
    }
  }

  bool depends_on_constants_only(const ProgramNode& node, const std::vector<bool>& folded) {
    return node.op->is_pure() && std::ranges::all_of(node.inputs, [&](int input) {
             return input < 0 || at(input).constant.defined() ||
                    folded[static_cast<std::size_t>(input)];
           });
  }

  /// Computes what depends on constants only, by a program of just that.
  void fold_constants() {
    std::vector<bool> folded(program_->values.size(), false);
    auto part = std::make_shared<Program>();
    std::vector<ProgramNode> kept;
    for (ProgramNode& node : program_->nodes) {
      if (!depends_on_constants_only(node, folded)) {
        kept.push_back(std::move(node));
        continue;
      }
      std::fill_n(folded.begin() + node.first_output, node.node.noutputs, true);
      program_->folded.push_back(describe(node.node));
      part->nodes.push_back(std::move(node));
    }
    program_->nodes = std::move(kept);
    if (part->nodes.empty()) return;
    part->name = program_->name;
    part->operators = program_->operators;
    part->fold = false;
    part->values = program_->values;
    infer_types(*part);
    // What the rest and the results read.
    std::vector<bool> read(program_->values.size(), false);
    const auto reads = [&](int value) {
      if (value >= 0) read[static_cast<std::size_t>(value)] = true;
    };
    for (const ProgramNode& node : program_->nodes)
      std::ranges::for_each(node.inputs, reads);
    std::ranges::for_each(program_->results, reads);
    for (std::size_t v = 0; v < folded.size(); ++v) {
      if (folded[v] && read[v]) part->results.push_back(static_cast<int>(v));
    }
    part->result_names.resize(part->results.size());
    const std::vector<Tensor> results = run_program(part, {});
    for (std::size_t i = 0; i < results.size(); ++i) {
      ProgramValue& value = at(part->results[i]);
      value.constant = results[i];
      value.type = {results[i].dtype(), results[i].shape()};
    }
  }

  /// Folding may leave nodes that fed folded ones only; the order is kept.
  void drop_dead_nodes() {
    std::vector<bool> live(program_->values.size(), false);
    for (const int result : program_->results)
      live[static_cast<std::size_t>(result)] = true;
    std::vector<ProgramNode> kept;
    for (auto node = program_->nodes.rbegin(); node != program_->nodes.rend(); ++node) {
      bool wanted = !node->op->is_pure();
      for (int i = 0; i < node->node.noutputs; ++i)
        wanted = wanted || live[static_cast<std::size_t>(node->first_output + i)];
      if (!wanted) continue;
      for (const int input : node->inputs) {
        if (input >= 0) live[static_cast<std::size_t>(input)] = true;
      }
      kept.push_back(std::move(*node));
    }
    std::ranges::reverse(kept);
    program_->nodes = std::move(kept);
    for (const int value : program_->parameters)
      program_->parameter_used.push_back(live[static_cast<std::size_t>(value)]);
  }

  const Graph& graph_;
  const CompileOptions& options_;
  std::shared_ptr<Program> program_;
  std::vector<int> first_value_;  // of each node of the graph
};

template <class T>
decltype(auto) parameter(const std::vector<T>& of_each, int i) {
  return of_each[checked_index(i, of_each.size(), "parameter")];
}
template <class T>
decltype(auto) result(const std::vector<T>& of_each, int i) {
  return of_each[checked_index(i, of_each.size(), "result")];
}

}  // namespace

Executable::Executable(const Graph& graph, const CompileOptions& options)
    : program_(Compiler(graph, options).compile()) {}

const std::string& Executable::name() const noexcept { return program_->name; }
int Executable::nparameters() const noexcept {
  return static_cast<int>(program_->parameters.size());
}
int Executable::nresults() const noexcept { return static_cast<int>(program_->results.size()); }
const std::string& Executable::parameter_name(int i) const {
  return parameter(program_->parameter_names, i);
}
const std::string& Executable::result_name(int i) const {
  return result(program_->result_names, i);
}
const ValueType& Executable::parameter_type(int i) const {
  const int value = parameter(program_->parameters, i);
  return program_->values[static_cast<std::size_t>(value)].type;
}
const ValueType& Executable::result_type(int i) const {
  const int value = result(program_->results, i);
  return program_->values[static_cast<std::size_t>(value)].type;
}
bool Executable::parameter_is_used(int i) const { return parameter(program_->parameter_used, i); }
const OperatorRegistry& Executable::operators() const noexcept { return program_->operators; }

std::vector<Tensor> Executable::run(std::span<const TensorView> inputs) const {
  return run_program(program_, inputs);
}

std::vector<Tensor> run_program(std::shared_ptr<const Program> program,
                                std::span<const TensorView> inputs) {
  Frame frame{Executable(std::move(program))};
  frame.plan(inputs);
  frame.run();
  std::vector<Tensor> results;
  for (int i = 0; i < frame.executable().nresults(); ++i) {
    // A view may stand for more elements than there is memory for.
    frame.executable().operators().check_bytes(frame.result(i).nbytes());
    results.push_back(Tensor::copy_of(frame.result(i)));
  }
  return results;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
