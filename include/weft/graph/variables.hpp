// SPDX-License-Identifier: Apache-2.0
/// @file
/// Values that last from run to run.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace weft {
inline namespace v0 {
namespace graph {

/// The variables of a frame, by name: what ReadValue reads and Assign sets. A run reads what the
/// run before it left; what it sets is there when it has ended.
class WEFT_API Variables {
 public:
  /// The value, or null before the first run that sets it.
  const Tensor* find(std::string_view id) const noexcept;
  /// Memory for the value after this run: the same in every run, as long as type and shape stay.
  TensorView prepare_next(std::string_view id, ScalarType type, IntSpan shape);
  /// What was set becomes what is read. Costs a pointer or two for each variable.
  void end_run() noexcept;
  /// No variable has a value any more.
  void clear() noexcept;
  bool empty() const noexcept { return variables_.empty(); }

 private:
  struct Variable {
    Tensor now, next;
    bool is_set = false;  ///< in this run
  };
  std::map<std::string, Variable, std::less<>> variables_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
