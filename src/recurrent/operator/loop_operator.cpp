// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/graph/operator.hpp>
#include <weft/recurrent/loop.hpp>

#include "base/never_destroyed.hpp"
#include "parallel/thread_worth.hpp"
#include "recurrent/body/body_variables.hpp"
#include "recurrent/choice/if_operator.hpp"
#include "recurrent/operator/loop_call.hpp"
#include "recurrent/operator/loop_data.hpp"
#include "recurrent/sequence/sequence_operators.hpp"
#include "recurrent/spec/loop_types.hpp"
#include "recurrent/static/static_loop.hpp"

#include <utility>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

const LoopData& data_of(const graph::Node& node) {
  const auto* data = dynamic_cast<const LoopData*>(node.data.get());
  if (data == nullptr || node.bodies.size() != 1 || node.bodies[0] == nullptr) {
    fail(ErrorCode::invalid_argument,
         text(describe(node), ": is no loop: expected a node that loop_node() made"));
  }
  return *data;
}

bool single_is_true(const TensorView& view) {
  return view.numel() == 1 && *static_cast<const char*>(view.data()) != 0;
}

std::optional<std::int64_t> single_integer(const TensorView* view) {
  if (view == nullptr || view->numel() != 1) return {};
  const Tensor wide = Tensor::empty({}, ScalarType::i64);
  const TensorView flat = view->as_strided({}, {});
  cast_tensor(wide, flat);
  return wide.at<std::int64_t>({});
}

class LoopKernel final : public graph::Kernel {
 public:
  [[gnu::cold]] LoopKernel(const graph::PrepareContext& context)
      : node_(context.node()),
        data_(data_of(node_)),
        geometry_(data_.spec, *node_.bodies[0], context) {
    const AwakeThreads awake;  // as for run(), of which explanations tell
    std::vector<graph::ValueType> inputs;
    for (const TensorView& view : geometry_.inputs)
      inputs.push_back({view.dtype(), view.shape()});
    const auto first = first_parameter_types(data_.spec, geometry_.body, inputs);
    const std::optional<int>& given = data_.spec.first_condition;
    const TensorView* first_condition = given ? context.constant(*given) : nullptr;
    const bool first_is_true =
        !given || (first_condition != nullptr && single_is_true(*first_condition));
    const auto body_with = [&](bool block) {
      return data_.body(geometry_.body, first, context.operators(), first_is_true, block);
    };
    if (const auto body = body_with(true); !data_.spec.rows && body->has_fixed_shapes(data_.spec)) {
      runtime_ = data_.take(body);
      const bool in_rows = FixedLoop::may_run_in_rows(*body);
      fixed_.emplace(geometry_, *runtime_, in_rows);
      if (in_rows && !fixed_->can_step_rows()) fixed_.emplace(geometry_, *runtime_, false);
      if (!fixed_->is_possible()) fixed_.reset();
    }
    if (!fixed_) {
      data_.give_back(std::move(runtime_));
      runtime_ = data_.take(body_with(false));
    }
    report_.name = data_.spec.name;
    report_.hoisted = runtime_->body->hoisted;
    report_.blocked = runtime_->body->blocked;
    report_.fixed_shapes = fixed_.has_value();
    if (fixed_ && runtime_->trip && runtime_->trip_notes == nullptr) {
      runtime_->trip_notes =
          std::make_shared<const std::vector<graph::PlanNote>>(runtime_->trip->explain().notes);
    }
  }
  ~LoopKernel() override {
    fixed_.reset();
    data_.give_back(std::move(runtime_));
  }

  /// A sequence of another length is another number of trips, and no more.
  bool adapt(const graph::PrepareContext& context) override {
    LoopGeometry geometry(data_.spec, *node_.bodies[0], context);
    if (!geometry_.is_like(geometry)) return false;
    geometry_.take(std::move(geometry));
    return !fixed_ || fixed_->follow();
  }

  bool resize(std::span<const TensorView* const> inputs, std::span<DimVector> outputs) override {
    return geometry_.resize(inputs, outputs) && (!fixed_ || fixed_->follow());
  }

  void run(const graph::KernelArguments& arguments) override {
    const AwakeThreads awake;
    const LoopCall call(geometry_, arguments);
    report_.viewed_slices = report_.staged_slices = report_.states = 0;
    report_.written_in_place = report_.written_in_blocks = 0;
    report_.bytes_copied = report_.bytes_copied_late = 0;
    if (fixed_) {
      fixed_->run(call, report_);
    } else {
      run_free(call, *runtime_, report_);
    }
    report_.bytes_held = runtime_->bytes_held();
    data_.set_report(report_, fixed_ ? runtime_->trip_notes : nullptr);
  }

 private:
  graph::Node node_;  // keeps spec and body alive
  const LoopData& data_;
  LoopGeometry geometry_;
  std::unique_ptr<LoopRuntime> runtime_;
  std::optional<FixedLoop> fixed_;
  LoopReport report_;  // of the current run
};

class LoopOperator final : public graph::Operator {
 public:
  LoopOperator() : Operator({.name = "Loop", .aliases = {"TensorIterator"}}) {}

  void infer(graph::InferContext& context) const override {
    const LoopData& data = data_of(context.node());
    const LoopSpec& spec = data.spec;
    const graph::Graph& body = *context.node().bodies[0];
    std::vector<graph::ValueType> inputs;
    inputs.reserve(static_cast<std::size_t>(context.ninputs()));
    for (int i = 0; i < context.ninputs(); ++i)
      inputs.push_back(context.input(i));
    const auto first = first_parameter_types(spec, body, inputs);
    const auto typed = data.typed_body(body, first, context.operators());
    const std::optional<std::int64_t> trips = known_trips(context, spec, typed->graph(), inputs);
    for (std::size_t o = 0; o < spec.outputs.size(); ++o) {
      const std::optional<int>& length = spec.outputs[o].length;
      const auto known = length ? single_integer(context.value_if_known(*length)) : std::nullopt;
      context.set_output(static_cast<int>(o), output_type(spec, o, *typed, inputs, trips, known));
    }
  }

  std::unique_ptr<graph::Kernel> prepare(const graph::PrepareContext& context) const override {
    return std::make_unique<LoopKernel>(context);
  }

  bool accepts_input(const graph::Node&, int, const TensorView&) const override { return true; }

 private:
  static std::optional<std::int64_t> known_trips(const graph::InferContext& context,
                                                 const LoopSpec& spec, const graph::Graph& body,
                                                 std::span<const graph::ValueType> inputs) {
    const auto count =
        spec.count ? single_integer(context.value_if_known(*spec.count)) : std::nullopt;
    const TripBound bound = trip_bound(spec, body, inputs, count);
    const TensorView* first =
        spec.first_condition ? context.value_if_known(*spec.first_condition) : nullptr;
    if (first != nullptr && !single_is_true(*first)) return 0;
    const bool first_is_true = !spec.first_condition || first != nullptr;
    if (spec.head || spec.rows || !first_is_true || !bound.certain ||
        !condition_always_true(spec, body, true)) {
      return {};
    }
    return bound.trips;
  }
};

/// The same loop with constants in its body where inputs that are the same in every trip are
/// constants of `graph`, whose values its inputs are. Loops inside likewise. Other nodes stay as
/// they are.
graph::Node with_constants_inside(graph::Node loop, const graph::Graph& graph) {
  const auto* data = dynamic_cast<const LoopData*>(loop.data.get());
  if (data == nullptr) return loop;
  LoopSpec spec = data->spec;
  graph::Graph body = *loop.bodies.at(0);
  const std::size_t before = spec.invariants.size();
  std::erase_if(spec.invariants, [&](const LoopInvariant& invariant) {
    const graph::Value outer = loop.inputs[static_cast<std::size_t>(invariant.input)];
    if (!outer || graph.node(outer.node).kind != graph::NodeKind::constant) return false;
    const graph::Value parameter{body.parameters()[static_cast<std::size_t>(invariant.parameter)],
                                 0};
    for (const graph::Result& result : body.results()) {
      if (result.value == parameter) return false;
    }
    const graph::Value inner =
        body.add_constant(graph.node(outer.node).constant, body.node(parameter.node).name);
    for (std::size_t id = 0; id < body.nodes().size(); ++id) {
      for (graph::Value& input : body.node(static_cast<int>(id)).inputs) {
        if (input == parameter) input = inner;
      }
    }
    return true;
  });
  if (spec.invariants.size() == before) return loop;
  for (std::size_t id = 0; id < body.nodes().size(); ++id) {
    graph::Node& node = body.node(static_cast<int>(id));
    if (!node.bodies.empty()) node = with_constants_inside(node, body);
  }
  loop.bodies[0] = std::make_shared<const graph::Graph>(std::move(body));
  loop.data = std::make_shared<const LoopData>(std::move(spec));
  return loop;
}

}  // namespace

const graph::OperatorRegistry& operators() {
  static const NeverDestroyed<graph::OperatorRegistry> registry([] {
    graph::OperatorRegistry made = graph::standard_operators();
    made.add(std::make_shared<LoopOperator>());
    made.add(make_if_operator());
    add_sequence_operators(made);
    return made;
  });
  return *registry;
}

graph::Node loop_node(LoopSpec spec, std::shared_ptr<const graph::Graph> body,
                      std::vector<graph::Value> inputs) {
  if (body == nullptr) refuse(spec, ErrorCode::invalid_argument, "has no body");
  check(spec, *body, static_cast<int>(inputs.size()));
  body->check(max_nested - 1);
  if (spec.outputs.empty()) refuse(spec, ErrorCode::invalid_argument, "has no outputs");
  graph::Node node;
  node.op = "Loop";
  node.name = spec.name;
  node.inputs = std::move(inputs);
  node.noutputs = static_cast<int>(spec.outputs.size());
  node.bodies.push_back(std::move(body));
  node.data = std::make_shared<const LoopData>(std::move(spec));
  return node;
}

int add_node(graph::Graph& graph, graph::Node node) {
  std::vector<AssignedOutput> assigned;
  node = with_variables_outside(std::move(node), graph, assigned);
  const int index = graph.add_node(with_constants_inside(std::move(node), graph));
  for (AssignedOutput& each : assigned) {
    each.assign.inputs = {{index, each.output}};
    graph.add_sink(graph.add_node(std::move(each.assign)));
  }
  return index;
}

std::vector<graph::Value> add_loop(graph::Graph& graph, LoopSpec spec, const graph::Graph& body,
                                   std::vector<graph::Value> inputs) {
  const auto noutputs = static_cast<int>(spec.outputs.size());
  const int node = add_node(
      graph,
      loop_node(std::move(spec), std::make_shared<const graph::Graph>(body), std::move(inputs)));
  std::vector<graph::Value> outputs;
  for (int i = 0; i < noutputs; ++i)
    outputs.push_back({node, i});
  return outputs;
}

std::vector<graph::Value> add_loop(graph::Graph& graph, const PortMap& map,
                                   const graph::Graph& body, std::vector<graph::Value> inputs) {
  LoopSpec spec = to_loop(map, body, static_cast<int>(inputs.size()));
  return add_loop(graph, std::move(spec), body, std::move(inputs));
}

LoopReport loop_report(const graph::Node& node) { return data_of(node).report(); }

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
