// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "graph/cells/cell_steps.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

std::string lower(std::string name) {
  std::erase_if(name, [](char c) { return c == ' ' || c == '_'; });
  for (char& c : name)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

Activation activation(const std::string& name) {
  const std::string plain = lower(name);
  if (plain == "sigmoid") return {GateFunction::sigmoid};
  if (plain == "tanh") return {GateFunction::tanh};
  if (plain == "relu") return {GateFunction::relu};
  if (plain == "hardsigmoid") return {GateFunction::hard_sigmoid, 0.2, 0.5};
  fail(ErrorCode::invalid_argument,
       text("attribute 'activations': expected sigmoid, tanh, relu or hardsigmoid, got '", name,
            "'"));
}

/// The blocks of gates f, i, c, o for a code such as "fico".
std::array<int, 4> blocks_of(const std::string& given) {
  const std::string code = lower(given);
  std::array<int, 4> blocks{};
  constexpr std::string_view gates = "fico";
  bool right =
      code == "fico" || code == "icof" || code == "ifco" || code == "ifoc" || code == "iofc";
  if (!right) {
    fail(ErrorCode::invalid_argument,
         text("attribute 'weights_format': expected fico, icof, ifco, ifoc or iofc, got '", given,
              "'"));
  }
  for (std::size_t gate = 0; gate < gates.size(); ++gate)
    blocks[gate] = static_cast<int>(code.find(gates[gate]));
  return blocks;
}

}  // namespace

int gates_of(CellKind kind) noexcept {
  return kind == CellKind::lstm ? 4 : kind == CellKind::gru ? 3 : 1;
}

CellSettings::CellSettings(CellKind cell, const Attributes& attributes) : kind(cell) {
  std::vector<std::string> names = {"sigmoid", "tanh", "tanh"};
  if (kind == CellKind::gru) names = {"sigmoid", "tanh"};
  if (kind == CellKind::rnn) names = {"tanh"};
  const std::vector<std::string> given = attributes.texts("activations", names);
  if (!given.empty()) {
    if (given.size() != names.size()) {
      fail(ErrorCode::invalid_argument,
           text("attribute 'activations': expected ", names.size(), " names, got ", given.size()));
    }
    names = given;
  }
  const std::vector<double> alpha = attributes.numbers("activations_alpha", {});
  const std::vector<double> beta = attributes.numbers("activations_beta", {});
  for (std::size_t i = 0; i < names.size(); ++i) {
    activations[i] = activation(names[i]);
    if (i < alpha.size()) activations[i].alpha = alpha[i];
    if (i < beta.size()) activations[i].beta = beta[i];
  }
  clip = attributes.number("clip", 0);
  if (!(clip >= 0)) {  // NaN, too
    fail(ErrorCode::invalid_argument, text("attribute 'clip': expected 0 or more, got ", clip));
  }
  if (std::isinf(clip)) clip = 0;
  input_forget = kind == CellKind::lstm && attributes.flag("input_forget", false);
  linear_before_reset = kind == CellKind::gru && attributes.flag("linear_before_reset", false);
  if (kind == CellKind::lstm) blocks = blocks_of(attributes.text("weights_format", "fico"));
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
