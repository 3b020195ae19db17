// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operators by name and operation set.
#pragma once

#include <weft/base/export.hpp>
#include <weft/graph/operator.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// A set of operators. Copies share the operators, which are immutable.
///
///     OperatorRegistry mine = standard_operators();
///     mine.add(std::make_shared<Frobnicate>());
class WEFT_API OperatorRegistry {
 public:
  /// Adds an operator under its name and aliases; among those that fit, the one added last is
  /// found.
  void add(std::shared_ptr<const Operator> op);

  /// The operator of a name, upper or lower case, that is meant in `opset`; 0: the one of the
  /// highest operation sets. Null if there is none.
  const Operator* find(std::string_view name, int opset) const;
  /// The operator of a node. Throws Error(invalid_argument) that describes the node and says which
  /// operation sets would be known, if any.
  std::shared_ptr<const Operator> at(const Node& node) const;

  /// All, in the order of their names.
  std::vector<const Operator*> all() const;

  /// The most memory, in bytes, that a program of these operators may take for its values at a
  /// time, and so may each body in it; 1 TiB if nobody says otherwise. A plan that needs more is
  /// Error(limit), before any of it is allocated: for programs that strangers have written.
  std::int64_t max_bytes() const noexcept { return max_bytes_; }
  void set_max_bytes(std::int64_t bytes) noexcept {
    max_bytes_ = std::min(bytes, std::int64_t{1} << 61);  // sums of two are within 64 bits
  }
  /// Throws that Error.
  void check_bytes(std::int64_t bytes) const;

  /// The most trips that one run of a loop may make; as many as there are 64-bit integers if nobody
  /// says otherwise. A loop that would make another is Error(limit).
  std::int64_t max_trips() const noexcept { return max_trips_; }
  void set_max_trips(std::int64_t trips) noexcept { max_trips_ = trips; }

 private:
  std::shared_ptr<const Operator> lookup(std::string_view name, int opset) const;

  std::unordered_map<std::string, std::vector<std::shared_ptr<const Operator>>> by_name_;
  std::int64_t max_bytes_ = std::int64_t{1} << 40;
  std::int64_t max_trips_ = std::numeric_limits<std::int64_t>::max();
};

/// The operators of this layer. Control flow comes from the layer above.
WEFT_API const OperatorRegistry& standard_operators();

}  // namespace graph
}  // namespace v0
}  // namespace weft
