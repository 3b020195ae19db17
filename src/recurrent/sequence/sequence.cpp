// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/recurrent/sequence.hpp>

#include "base/text.hpp"
#include "recurrent/sequence/sequence_data.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string_view>
#include <utility>

namespace weft {
inline namespace v0 {
namespace recurrent {

bool is_sequence(const graph::Node& node) {
  static constexpr std::array<std::string_view, 3> names = {"lstmsequence", "grusequence",
                                                            "rnnsequence"};
  const auto same = [](char a, char b) {
    return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
  };
  return node.kind == graph::NodeKind::operation &&
         std::ranges::any_of(
             names, [&](std::string_view name) { return std::ranges::equal(name, node.op, same); });
}

graph::Node sequence_node(graph::Node node) {
  if (!is_sequence(node)) {
    fail(ErrorCode::invalid_argument,
         text(describe(node), ": expected LSTMSequence, GRUSequence or RNNSequence"));
  }
  node.data = std::make_shared<const SequenceData>();
  return node;
}

std::vector<LoopReport> sequence_reports(const graph::Node& node) {
  const auto* data = dynamic_cast<const SequenceData*>(node.data.get());
  if (data == nullptr) {
    fail(ErrorCode::invalid_argument,
         text(describe(node), ": expected a node that sequence_node() made"));
  }
  std::vector<LoopReport> reports;
  const SequenceData::Loops loops = data->loops();
  if (loops == nullptr) return reports;
  for (const graph::Node& loop : *loops)
    reports.push_back(loop_report(loop));
  return reports;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
