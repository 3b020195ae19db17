// SPDX-License-Identifier: Apache-2.0
/// @file
/// Values that pass between trips or stages.
#pragma once

#include "recurrent/body/loop_body.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Number of a value that passes between trips or stages.
using Variable = std::size_t;

/// Each variable has a source, and an address in the current trip.
class LoopVariables {
 public:
  /// The variable of a source, which may be new.
  Variable of(Source source);
  /// A new one, for a place of the loop itself.
  Variable own() { return of({Source::Kind::own, static_cast<int>(sources_.size())}); }

  std::size_t size() const noexcept { return now_.size(); }
  Source source(Variable variable) const { return sources_[variable]; }
  char*& operator[](Variable variable) { return now_[variable]; }
  char* operator[](Variable variable) const { return now_[variable]; }
  /// All addresses, until a variable is added.
  std::span<char*> addresses() noexcept { return now_; }

 private:
  std::vector<Source> sources_;  // by variable
  std::vector<char*> now_;       // by variable
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
