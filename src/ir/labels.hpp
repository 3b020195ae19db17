// SPDX-License-Identifier: Apache-2.0
/// @file
/// Looking up layers and ports by the ids that files name them by.
#pragma once

#include <weft/ir/document.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace ir {

/// Positions by label.
class Labels {
 public:
  explicit Labels(const std::vector<Layer>& layers);
  explicit Labels(const std::vector<Port>& ports);

  std::optional<std::size_t> find(std::int64_t label) const noexcept;
  /// A label that came twice, if there is one.
  std::optional<std::int64_t> twice() const noexcept;

 private:
  template <class T>
  void take(const std::vector<T>& labelled);

  std::vector<std::pair<std::int64_t, std::size_t>> entries_;  // sorted
};

/// The ids of a network's layers and of their ports.
class NetworkLabels {
 public:
  /// Throws Error(parse) for an id that comes twice. `network` must stay.
  explicit NetworkLabels(const Network& network);

  /// Positions. Throw Error(parse) that names the id if there is no such layer, or no such port.
  std::size_t layer(std::int64_t id) const;
  std::size_t input(std::size_t layer, std::int64_t id) const;
  std::size_t output(std::size_t layer, std::int64_t id) const;

 private:
  const Network& network_;
  Labels layers_;
  std::vector<Labels> inputs_;
  std::vector<Labels> outputs_;
};

}  // namespace ir
}  // namespace v0
}  // namespace weft
