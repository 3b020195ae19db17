// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, whole (LSTMCell, GRUCell, RNNCell) and without the product of their input
// (LSTMCellStep, GRUCellStep, RNNCellStep).
#include "core/compiled_types.hpp"
#include "graph/cells/cell_inputs.hpp"
#include "graph/cells/cell_steps.hpp"
#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"
#include "graph/operators/packed_constants.hpp"
#include "linalg/prepared_product.hpp"

#include <optional>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// The columns of W and of R in what input w or r holds, for H units.
TensorView w_of(const CellInputs& at, const TensorView& w, std::int64_t units) {
  return at.is_legacy ? w.slice(1, 0, w.extent(1) - units) : w;
}
TensorView r_of(const CellInputs& at, const TensorView& r, std::int64_t units) {
  return at.is_legacy ? r.slice(1, r.extent(1) - units, r.extent(1)) : r;
}

/// sums = X W^T + B; W is packed once if it is constant, else in every run.
class InputProduct {
 public:
  InputProduct(TensorView sums, TensorView x, TensorView bias)
      : sums_(std::move(sums)), x_(std::move(x)), bias_(std::move(bias)) {}

  void set_weights(const TensorView& w, bool constant) {
    const TensorView turned = w.transpose(0, 1);
    matrix_ = constant ? packed_constant(turned) : std::make_shared<const PackedMatrix>(turned);
    product_.emplace(sums_, x_, *matrix_, bias_);
  }
  void run(const void* x, const void* bias) const {
    product_->run(sums_.data(), x, nullptr, bias_.defined() ? bias : nullptr);
  }

 private:
  TensorView sums_, x_, bias_;
  std::shared_ptr<const PackedMatrix> matrix_;
  std::optional<PreparedProduct> product_;
};

class CellRun final : public Kernel {
 public:
  CellRun(const CellSettings& settings, const CellInputs& at, const PrepareContext& context)
      : at_(at),
        units_(context.output(0).extent(1)),
        step_(settings, context.output(0).dtype(), context.output(0).extent(0), units_) {
    for (int i = 0; i < context.ninputs(); ++i)
      inputs_.push_back(context.input(i));
    for (int i = 0; i < context.noutputs(); ++i)
      outputs_.push_back(context.output(i));
    const std::int64_t rows = context.output(0).extent(0);
    const std::int64_t columns = gates_of(settings.kind) * units_;
    if (const TensorView* r = context.constant(at_.r)) {
      step_.set_weights(r_of(at_, *r, units_), true);
    } else {
      packs_r_ = true;
    }
    if (at_.sums >= 0) return;
    sums_ = Tensor::empty({rows, columns}, context.output(0).dtype());
    const TensorView bias = has(at_.b) ? view(at_.b).slice(0, 0, columns) : TensorView();
    product_.emplace(sums_, view(at_.x), bias);
    if (const TensorView* w = context.constant(at_.w)) {
      product_->set_weights(w_of(at_, *w, units_), true);
    } else {
      packs_w_ = true;
    }
  }

  void hold(int input) override {
    // In the old form W and R are one input.
    if (input == at_.r && (packs_r_ || holds_r_)) packs_r_ = holds_r_ = true;
    if (input == at_.w && (packs_w_ || holds_w_)) packs_w_ = holds_w_ = true;
  }

  void run(const KernelArguments& arguments) override {
    const auto input = [&](int i) { return has(i) ? arguments.inputs[i] : nullptr; };
    if (packs_r_) {
      step_.set_weights(r_of(at_, bound(at_.r, arguments), units_), false);
      packs_r_ = !holds_r_;
    }
    if (product_) {
      if (packs_w_) {
        product_->set_weights(w_of(at_, bound(at_.w, arguments), units_), false);
        packs_w_ = !holds_w_;
      }
      product_->run(arguments.inputs[at_.x], input(at_.b));
    }
    step_.set_bias(input(at_.b));
    step_.set_peepholes(input(at_.p));
    const auto rows = [&](int i) {
      return has(i) ? StateRows{const_cast<void*>(arguments.inputs[i]), view(i).stride(0)}
                    : StateRows();
    };
    const auto output = [&](std::size_t i) {
      return i < outputs_.size() ? StateRows{arguments.outputs[i], outputs_[i].stride(0)}
                                 : StateRows();
    };
    const StateRows sums = product_ ? StateRows{sums_.data(), sums_.stride(0)} : rows(at_.sums);
    step_.run(sums, rows(at_.h), rows(at_.c), output(0), output(1));
  }

 private:
  const TensorView& view(int i) const { return inputs_[static_cast<std::size_t>(i)]; }
  bool has(int i) const {
    return i >= 0 && static_cast<std::size_t>(i) < inputs_.size() && view(i).defined();
  }
  TensorView bound(int i, const KernelArguments& arguments) const {
    return rebound(view(i), arguments.inputs[i]);
  }

  CellInputs at_;
  std::int64_t units_;
  CellStep step_;
  std::vector<TensorView> inputs_, outputs_;
  Tensor sums_;
  std::optional<InputProduct> product_;
  bool packs_r_ = false, packs_w_ = false;  ///< in the next run
  bool holds_r_ = false, holds_w_ = false;  ///< and then not again
};

class Cell final : public Operator {
 public:
  Cell(OperatorName name, CellKind kind, bool is_step)
      : Operator(std::move(name)), kind_(kind), is_step_(is_step) {}

  void infer(InferContext& context) const override {
    const CellSettings settings(kind_, context.attributes());
    const CellInputs at = inputs_of(context.ninputs(),
                                    context.has_input(4) ? context.input(4).shape : PartialShape());
    expect_inputs(context, at.r + 1 - (at.is_legacy ? -1 : 0), at.last() + 1);
    const ValueType& hidden = context.input(at.h);
    if (!is_floating(hidden.dtype)) {
      fail(ErrorCode::dtype,
           text("input ", at.h, " (H): expected a floating type, got ", weft::name(hidden.dtype)));
    }
    check_compiled(hidden.dtype);
    for (int i = 0; i < context.ninputs(); ++i) {
      if (context.has_input(i)) expect_same_type(context, at.h, i);
    }
    const PartialShape state = state_shape(context, at);
    context.set_output(0, hidden.dtype, state);
    if (kind_ == CellKind::lstm) context.set_output(1, hidden.dtype, state);
    check_weights(context, settings, at, state.extent(1));
  }

  bool accepts_input(const Node& node, int input, const TensorView& view) const override {
    const CellInputs at = inputs_of(static_cast<int>(node.inputs.size()), PartialShape());
    if (input == at.w || input == at.r || input == at.x) return true;
    if (input == at.h || input == at.c || input == at.sums) return has_dense_rows(view);
    return view.is_contiguous();
  }
  bool accepts_output(const Node&, int, const TensorView& view) const override {
    return has_dense_rows(view);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    const PartialShape fifth =
        context.has_input(4) ? PartialShape(context.input(4).shape()) : PartialShape();
    return std::make_unique<CellRun>(CellSettings(kind_, context.attributes()),
                                     inputs_of(context.ninputs(), fifth), context);
  }

 private:
  CellInputs inputs_of(int count, const PartialShape& fifth) const {
    return is_step_ ? CellInputs::of_step(kind_) : CellInputs::of_cell(kind_, count, fifth);
  }
  /// Rows may be strided, their elements not.
  static bool has_dense_rows(const TensorView& view) {
    return view.rank() == 2 && (view.extent(1) <= 1 || view.stride(1) == 1);
  }

  /// [N, H] as far as states, X and the attribute hidden_size tell.
  PartialShape state_shape(const InferContext& context, const CellInputs& at) const {
    const std::int64_t rows_known = PartialShape::unknown;
    const std::int64_t units = context.attributes().integer("hidden_size", PartialShape::unknown);
    if (units != PartialShape::unknown && units < 1) {
      fail(ErrorCode::invalid_argument,
           text("attribute 'hidden_size': expected at least 1, got ", units));
    }
    PartialShape state = expect_shape(context, at.h, "H", {rows_known, units});
    if (at.c >= 0) state = expect_shape(context, at.c, "C", state);
    const bool sums = at.sums >= 0;
    const int source = sums ? at.sums : at.x;
    const std::int64_t gates = gates_of(kind_);
    const std::int64_t columns =
        sums && state.extent(1) >= 0 ? gates * state.extent(1) : PartialShape::unknown;
    const PartialShape from =
        expect_shape(context, source, sums ? "sums" : "X", {state.extent(0), columns});
    if (sums && from.extent(1) >= 0 && from.extent(1) % gates != 0) {
      fail(ErrorCode::shape, text("input 0 (sums): expected a multiple of ", gates,
                                  " columns, got ", to_string(from)));
    }
    return state.merged_with({from.extent(0), sums && from.extent(1) >= 0 ? from.extent(1) / gates
                                                                          : PartialShape::unknown});
  }

  void check_weights(const InferContext& context, const CellSettings& settings,
                     const CellInputs& at, std::int64_t units) const {
    const auto times = [&](std::int64_t blocks) {
      return units < 0 ? PartialShape::unknown : blocks * units;
    };
    const std::int64_t gates = gates_of(kind_);
    const std::int64_t columns = at.x >= 0 ? context.input(at.x).shape.has_rank()
                                                 ? context.input(at.x).shape.extent(1)
                                                 : PartialShape::unknown
                                           : PartialShape::unknown;
    if (at.is_legacy) {
      const bool known = columns >= 0 && units >= 0;
      expect_shape(context, at.w, "WR",
                   {times(gates), known ? columns + units : PartialShape::unknown});
    } else {
      if (at.w >= 0) expect_shape(context, at.w, "W", {times(gates), columns});
      expect_shape(context, at.r, "R", {times(gates), units});
    }
    const std::int64_t biases = settings.linear_before_reset ? 4 : gates;
    if (at.b >= 0 && context.has_input(at.b)) expect_shape(context, at.b, "B", {times(biases)});
    if (at.p >= 0 && context.has_input(at.p)) expect_shape(context, at.p, "P", {times(3)});
  }

  CellKind kind_;
  bool is_step_;
};

}  // namespace

void add_cell_operators(OperatorRegistry& registry) {
  const auto add = [&](const char* name, CellKind kind, bool is_step) {
    registry.add(std::make_shared<Cell>(OperatorName{.name = name}, kind, is_step));
  };
  add("LSTMCell", CellKind::lstm, false);
  add("LSTMCellStep", CellKind::lstm, true);
  add("GRUCell", CellKind::gru, false);
  add("GRUCellStep", CellKind::gru, true);
  add("RNNCell", CellKind::rnn, false);
  add("RNNCellStep", CellKind::rnn, true);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
