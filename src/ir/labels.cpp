// SPDX-License-Identifier: Apache-2.0
#include "ir/labels.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

/// Labels of one side's ports, which have to differ.
Labels port_labels(const Layer& layer, const std::vector<Port>& ports, const char* side) {
  Labels labels(ports);
  if (const auto twice = labels.twice())
    fail(ErrorCode::parse, text(layer.describe(), ": ", side, " port ", *twice, " comes twice"));
  return labels;
}

std::size_t find_port(const Layer& layer, const Labels& labels, std::int64_t id, const char* side) {
  const std::optional<std::size_t> found = labels.find(id);
  if (!found) fail(ErrorCode::parse, text(layer.describe(), ": there is no ", side, " port ", id));
  return *found;
}

}  // namespace

template <class T>
void Labels::take(const std::vector<T>& labelled) {
  entries_.reserve(labelled.size());
  for (const T& one : labelled)
    entries_.emplace_back(one.id, entries_.size());
  std::ranges::sort(entries_);
}

Labels::Labels(const std::vector<Layer>& layers) { take(layers); }
Labels::Labels(const std::vector<Port>& ports) { take(ports); }

std::optional<std::size_t> Labels::find(std::int64_t label) const noexcept {
  const auto at =
      std::ranges::lower_bound(entries_, label, {}, &std::pair<std::int64_t, std::size_t>::first);
  if (at == entries_.end() || at->first != label) return std::nullopt;
  return at->second;
}

std::optional<std::int64_t> Labels::twice() const noexcept {
  const auto at =
      std::ranges::adjacent_find(entries_, {}, &std::pair<std::int64_t, std::size_t>::first);
  if (at == entries_.end()) return std::nullopt;
  return at->first;
}

NetworkLabels::NetworkLabels(const Network& network) : network_(network), layers_(network.layers) {
  if (const auto twice = layers_.twice())
    fail(ErrorCode::parse, text("layer ", *twice, " comes twice"));
  for (const Layer& layer : network.layers) {
    inputs_.push_back(port_labels(layer, layer.inputs, "input"));
    outputs_.push_back(port_labels(layer, layer.outputs, "output"));
  }
}

std::size_t NetworkLabels::layer(std::int64_t id) const {
  const std::optional<std::size_t> found = layers_.find(id);
  if (!found) fail(ErrorCode::parse, text("there is no layer ", id));
  return *found;
}

std::size_t NetworkLabels::input(std::size_t layer, std::int64_t id) const {
  return find_port(network_.layers[layer], inputs_[layer], id, "input");
}

std::size_t NetworkLabels::output(std::size_t layer, std::int64_t id) const {
  return find_port(network_.layers[layer], outputs_[layer], id, "output");
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
