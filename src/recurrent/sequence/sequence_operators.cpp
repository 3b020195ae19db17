// SPDX-License-Identifier: Apache-2.0
#include "recurrent/sequence/sequence_operators.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "graph/operators/checks.hpp"
#include "recurrent/sequence/direction_run.hpp"
#include "recurrent/sequence/row_lengths.hpp"
#include "recurrent/sequence/sequence_data.hpp"
#include "recurrent/sequence/sequence_types.hpp"

#include <array>
#include <memory>
#include <utility>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::CellKind;
using graph::PartialShape;

namespace {

/// The directions of a sequence, each in two forms: for rows of all steps, which is what rows are
/// mostly of, and for any others. Which is run follows from the lengths, in each run if they are no
/// constants.
class SequenceKernel final : public graph::Kernel {
 public:
  SequenceKernel(CellKind kind, const graph::PrepareContext& context)
      : node_(context.node()),
        data_(dynamic_cast<const SequenceData*>(node_.data.get())),
        operators_(context.operators()),
        operands_(kind, context) {
    take_geometry();
  }

  bool adapt(const graph::PrepareContext& context) override {
    SequenceOperands other(operands_.kind, context);
    if (!operands_.has_weights_of(other)) return false;
    operands_ = std::move(other);
    take_geometry();
    return true;
  }

  bool resize(std::span<const TensorView* const> inputs, std::span<DimVector> outputs) override {
    if (!operands_.set_steps(inputs)) return false;
    outputs[0].assign(operands_.outputs[0].shape());
    take_geometry();
    return true;
  }

  void run(const graph::KernelArguments& arguments) override {
    if (!has_constant_lengths()) {
      const TensorView& lengths = operands_.view(operands_.at.lengths);
      lengths_.read(operands_.at.lengths,
                    graph::rebound(lengths, arguments.inputs[operands_.at.lengths]),
                    operands_.steps());
    }
    const bool ragged = lengths_.are_ragged();
    plan(ragged);
    Form& form = forms_[ragged ? 1 : 0];
    for (DirectionRun& direction : form.directions)
      direction.run(arguments, ragged ? lengths_.mask().data() : nullptr);
    if (data_ != nullptr) data_->set_loops(form.loops);
  }

 private:
  struct Form {
    std::vector<DirectionRun> directions;
    SequenceData::Loops loops;
    bool planned = false;
  };

  bool has_constant_lengths() const { return operands_.is_constant(operands_.at.lengths); }
  void read_constant_lengths() {
    const int lengths = operands_.at.lengths;
    if (has_constant_lengths()) lengths_.read(lengths, operands_.view(lengths), operands_.steps());
  }
  void take_geometry() {
    for (Form& form : forms_)
      form.planned = false;
    read_constant_lengths();
    plan(has_constant_lengths() && lengths_.are_ragged());
  }

  void plan(bool ragged) {
    Form& form = forms_[ragged ? 1 : 0];
    if (form.planned) return;
    if (form.directions.empty()) make(form, ragged);
    for (DirectionRun& direction : form.directions)
      direction.plan(operands_, ragged ? lengths_.mask() : TensorView());
    form.planned = true;
  }
  void make(Form& form, bool ragged) {
    const Direction direction = direction_of(node_.attributes);
    std::vector<DirectionRun> made;
    const auto add = [&](bool backwards) {
      const DirectionForm one{
          .number = static_cast<int>(made.size()), .backwards = backwards, .masked = ragged};
      made.emplace_back(node_, operands_, one, operators_);
    };
    if (direction != Direction::reverse) add(false);
    if (direction != Direction::forward) add(true);
    std::vector<graph::Node> loops;
    for (const DirectionRun& each : made)
      loops.push_back(each.loop());
    form.loops = std::make_shared<const std::vector<graph::Node>>(std::move(loops));
    form.directions = std::move(made);
  }

  const graph::Node node_;
  const SequenceData* const data_;            // null: nobody asks for reports
  const graph::OperatorRegistry& operators_;  // of the program, which outlives its kernels
  SequenceOperands operands_;
  RowLengths lengths_;
  std::array<Form, 2> forms_;  // by whether rows are ragged
};

class Sequence final : public graph::Operator {
 public:
  Sequence(graph::OperatorName name, CellKind kind) : Operator(std::move(name)), kind_(kind) {}

  void infer(graph::InferContext& context) const override {
    const SequenceExtents of = check_sequence(context, kind_);
    const int most = kind_ == CellKind::lstm ? 3 : 2, count = context.node().noutputs;
    if (count > most) {
      fail(ErrorCode::invalid_argument, text("expected at most ", most, " outputs, got ", count));
    }
    const ScalarType dtype = context.input(0).dtype;
    for (int i = 0; i < count; ++i) {
      const PartialShape state{of.batch, of.directions, of.units};
      const PartialShape all{of.batch, of.directions, of.steps, of.units};
      context.set_output(i, dtype, i == 0 ? all : state);
    }
  }

  std::unique_ptr<graph::Kernel> prepare(const graph::PrepareContext& context) const override {
    return std::make_unique<SequenceKernel>(kind_, context);
  }

  bool accepts_input(const graph::Node&, int, const TensorView&) const override { return true; }

 private:
  CellKind kind_;
};

}  // namespace

void add_sequence_operators(graph::OperatorRegistry& registry) {
  const auto add = [&](const char* name, int first_opset, CellKind kind) {
    registry.add(std::make_shared<Sequence>(
        graph::OperatorName{.name = name, .first_opset = first_opset}, kind));
  };
  add("LSTMSequence", 1, CellKind::lstm);
  add("GRUSequence", 5, CellKind::gru);
  add("RNNSequence", 5, CellKind::rnn);
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
