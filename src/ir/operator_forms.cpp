// SPDX-License-Identifier: Apache-2.0
#include "ir/operator_forms.hpp"

#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>

#include "base/text.hpp"
#include "ir/text_values.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

/// Adds what a node of today needs besides those of the older layer.
class Rewriter {
 public:
  Rewriter(const Layer& layer, graph::Node& node, graph::Graph& graph)
      : layer_(layer), node_(node), graph_(graph) {}

  void cell();
  void eltwise();
  void power();
  void reshape();
  void permute();
  void split();
  void activation();

 private:
  /// The operations of today have operation sets; any will do.
  void become(std::string op, std::vector<graph::Value> inputs, graph::Attributes attributes = {}) {
    node_.op = std::move(op);
    node_.opset = 0;
    node_.inputs = std::move(inputs);
    node_.attributes = std::move(attributes);
  }
  graph::Value add(std::string op, std::vector<graph::Value> inputs, int noutputs = 1) {
    graph::Node node;
    node.op = std::move(op);
    node.name = layer_.name;
    node.layer_id = node_.layer_id;
    node.inputs = std::move(inputs);
    node.noutputs = noutputs;
    return {graph_.add_node(std::move(node)), 0};
  }
  graph::Value integers(const std::vector<std::int64_t>& values) {
    Tensor tensor = Tensor::empty({static_cast<std::int64_t>(values.size())}, ScalarType::i64);
    std::ranges::copy(values, tensor.data_as<std::int64_t>());
    return graph_.add_constant(std::move(tensor), layer_.name);
  }
  /// A number of the type that the layer's values have.
  graph::Value number(double value) {
    const auto type = find_element_type(layer_.outputs.front().precision);
    return graph_.add_constant(Tensor::full({}, type.value_or(ScalarType::f32), value),
                               layer_.name);
  }
  void expect_inputs(std::size_t least, std::size_t most) const {
    if (node_.inputs.size() < least || node_.inputs.size() > most) {
      fail(ErrorCode::parse, text("expected ", least, least == most ? "" : " or more",
                                  " inputs, got ", node_.inputs.size()));
    }
  }

  const Layer& layer_;
  graph::Node& node_;
  graph::Graph& graph_;
};

/// X, H, WR and B: every row of WR is a row of W and then one of R.
void Rewriter::cell() {
  constexpr std::size_t at = 2;
  if (node_.inputs.size() != at + 2) return;
  const DimVector& data = layer_.inputs[0].dims;
  const DimVector& weights = layer_.inputs[at].dims;
  const std::int64_t hidden = layer_.integer("hidden_size");
  std::int64_t columns = 0;
  if (data.size() != 2 || weights.size() != 2 || data[1] < 0 || hidden <= 0 ||
      __builtin_add_overflow(data[1], hidden, &columns) || columns != weights[1]) {
    return;
  }
  const graph::Value parts =
      add("VariadicSplit",
          {node_.inputs[at], graph_.add_constant(Tensor::full({}, ScalarType::i64, 1)),
           integers({data[1], hidden})},
          2);
  node_.inputs[at] = parts;
  node_.inputs.insert(node_.inputs.begin() + static_cast<std::ptrdiff_t>(at) + 1, {parts.node, 1});
}

void Rewriter::eltwise() {
  struct Form {
    std::string_view older;
    const char* today;
  };
  constexpr Form forms[] = {{"sum", "Add"},       {"sub", "Subtract"}, {"mul", "Multiply"},
                            {"prod", "Multiply"}, {"div", "Divide"},   {"max", "Maximum"},
                            {"min", "Minimum"}};
  const std::string operation = layer_.string_or("operation", "sum");
  const Form* form = std::ranges::find(forms, operation, &Form::older);
  if (form == std::end(forms)) {
    fail(ErrorCode::parse, text("attribute 'operation': expected sum, sub, mul, prod, div, max or "
                                "min, got ",
                                in_quotes(operation)));
  }
  if (!layer_.string_or("coeff", "").empty())
    fail(ErrorCode::parse, "attribute 'coeff' is not supported");
  expect_inputs(2, 64);
  graph::Value value = node_.inputs[0];
  for (std::size_t i = 1; i + 1 < node_.inputs.size(); ++i)
    value = add(form->today, {value, node_.inputs[i]});
  become(form->today, {value, node_.inputs.back()});
}

void Rewriter::power() {
  if (node_.inputs.size() != 1) return;
  const graph::Attributes older = node_.attributes;
  graph::Value value = node_.inputs[0];
  value = add("Multiply", {value, number(older.number("scale", 1))});
  value = add("Add", {value, number(older.number("shift", 0))});
  const double power = older.number("power", 1);
  if (power == 1) {
    become("Identity", {value});
  } else {
    become("Power", {value, number(power)});
  }
}

void Rewriter::reshape() {
  if (node_.inputs.size() != 1 || !layer_.has("dim")) return;
  const graph::Value target = integers(node_.attributes.integers("dim"));
  become("Reshape", {node_.inputs[0], target}, {{"special_zero", true}});
}

void Rewriter::permute() {
  expect_inputs(1, 1);
  become("Transpose", {node_.inputs[0], integers(node_.attributes.integers("order"))});
}

void Rewriter::split() {
  if (node_.inputs.size() != 1) return;
  std::vector<std::int64_t> lengths;
  const std::int64_t axis = layer_.integer_or("axis", 1);
  for (const Port& port : layer_.outputs) {
    const auto rank = static_cast<std::int64_t>(port.dims.size());
    if (axis < -rank || axis >= rank) {
      fail(ErrorCode::axis, text("attribute 'axis': ", axis, ", and output port ", port.id,
                                 " has shape ", to_string(port.dims)));
    }
    lengths.push_back(port.dims[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)]);
  }
  become("VariadicSplit",
         {node_.inputs[0],
          graph_.add_constant(Tensor::full({}, ScalarType::i64, static_cast<double>(axis))),
          integers(lengths)});
}

void Rewriter::activation() {
  graph::Attributes rest = node_.attributes;
  become(layer_.string("type"), node_.inputs, std::move(rest));
}

}  // namespace

void rewrite_older_form(const Layer& layer, graph::Node& node, graph::Graph& graph) {
  const auto is = [&](std::string_view type) { return equal_ignoring_case(layer.type, type); };
  Rewriter rewriter(layer, node, graph);
  if (is("GRUCell") || is("RNNCell")) {
    rewriter.cell();
  } else if (is("Eltwise")) {
    rewriter.eltwise();
  } else if (is("Power")) {
    rewriter.power();
  } else if (is("Reshape")) {
    rewriter.reshape();
  } else if (is("Permute")) {
    rewriter.permute();
  } else if (is("Split")) {
    rewriter.split();
  } else if (is("Activation")) {
    rewriter.activation();
  }
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
