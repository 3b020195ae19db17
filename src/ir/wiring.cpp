// SPDX-License-Identifier: Apache-2.0
#include "ir/wiring.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

/// Layers whose inputs are all there come first: Kahn's order, ties by the file's.
std::vector<std::size_t> in_order(const Network& network) {
  const std::size_t count = network.layers.size();
  std::vector<std::size_t> waiting(count);    // edges that lead into each layer
  std::vector<std::size_t> first(count + 1);  // where each layer's readers begin
  for (const Edge& edge : network.edges) {
    ++waiting[edge.to.layer];
    ++first[edge.from.layer + 1];
  }
  for (std::size_t i = 0; i < count; ++i)
    first[i + 1] += first[i];
  std::vector<std::size_t> readers(network.edges.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (const Edge& edge : network.edges)
    readers[next[edge.from.layer]++] = edge.to.layer;

  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < count; ++i)
    if (waiting[i] == 0) ready.push(i);
  std::vector<std::size_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const std::size_t layer = ready.top();
    ready.pop();
    order.push_back(layer);
    for (std::size_t i = first[layer]; i < first[layer + 1]; ++i)
      if (--waiting[readers[i]] == 0) ready.push(readers[i]);
  }
  if (order.size() < count) {
    const auto stuck = std::ranges::find_if(waiting, [](std::size_t n) { return n != 0; });
    fail(ErrorCode::parse,
         text(network.layers[static_cast<std::size_t>(stuck - waiting.begin())].describe(),
              ": waits for itself: its edges go round in a circle"));
  }
  return order;
}

}  // namespace

Wiring wire(const Network& network) {
  Wiring wiring;
  wiring.sources.reserve(network.layers.size());
  for (const Layer& layer : network.layers)
    wiring.sources.emplace_back(layer.inputs.size());
  for (const Edge& edge : network.edges) {
    std::optional<PortPlace>& source = wiring.sources[edge.to.layer][edge.to.port];
    if (source) {
      const Layer& layer = network.layers[edge.to.layer];
      fail(ErrorCode::parse, text(layer.describe(), ": input port ", layer.inputs[edge.to.port].id,
                                  ": two edges lead to it"));
    }
    source = edge.from;
  }
  wiring.order = in_order(network);
  return wiring;
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
