// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the values of a frame are.
#pragma once

#include "graph/compile/program.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// A place in a table of pointers that has to follow a root.
struct Patch {
  char** where;
  std::int64_t offset;  ///< in bytes from the root's origin
  int segment;
};

/// Later than every step: the memory stays.
inline constexpr int last_of_all = 1 << 30;

/// Memory that values are in, or are views of.
struct Root {
  enum class Kind : std::uint8_t {
    parameter,  ///< the caller's, bound anew at will
    external,   ///< the caller's, for a result
    arena,      ///< of the segment that computes it
    dynamic,    ///< a buffer of its own: its size turned up while running
  };
  Kind kind;
  int index = -1;  ///< parameter, result or value
  int segment = -1;
  char* origin = nullptr;  ///< element (0, 0, ...), if it is bound
  std::int64_t bytes = 0;  ///< of arena memory
  std::int64_t offset = 0;
  int first_step = 0, last_step = 0;  ///< in its segment; last_step: the last that reads it
  int moved_to = -1;                  ///< the external root that took its place
  std::vector<Patch> patches = {};

  void bind(void* to) noexcept {
    origin = static_cast<char*>(to);
    for (const Patch& patch : patches)
      *patch.where = origin + patch.offset;
  }
};

/// Where a value is, as far as planned.
struct ValueState {
  enum class Kind : std::uint8_t {
    unknown,
    pending,  ///< of a group that is open: its type is known, and it may need no memory
    constant,
    rooted,
  };
  Kind kind = Kind::unknown;
  int segment = -1;  ///< that computes it; -1: parameters and constants
  TensorView view;   ///< at a placeholder; of constants, at its address
  Tensor constant;
  int root = -1;
  std::int64_t offset = 0;  ///< bytes from the root's origin

  bool is_constant() const noexcept { return kind == Kind::constant; }
  bool is_rooted() const noexcept { return kind == Kind::rooted; }
  bool is_pending() const noexcept { return kind == Kind::pending; }
};

/// Addresses to plan with: at a distance from each other, so that nothing overlaps, and never read.
class Placeholders {
 public:
  TensorView next(ScalarType dtype, IntSpan shape, IntSpan strides);
  TensorView next(ScalarType dtype, IntSpan shape) {
    return next(dtype, shape, contiguous_strides(shape));
  }

 private:
  std::uintptr_t next_ = std::uintptr_t{1} << 44;
};

/// All values of a program, and the memory that they are in.
class ValueTable {
 public:
  explicit ValueTable(const Program& program) : program_(program) {}

  /// Parameters and constants are where they are, and nothing else is known.
  void start(std::span<const TensorView> parameters);
  /// Forgets what this segment, and those behind it, compute.
  void drop_segments(int first) noexcept;

  ValueState& operator[](int value) { return states_[static_cast<std::size_t>(value)]; }
  const ValueState& operator[](int value) const { return states_[static_cast<std::size_t>(value)]; }
  int size() const noexcept { return static_cast<int>(states_.size()); }
  /// As far as it is known.
  ValueType type_of(int value) const;
  /// Null if it is none.
  const TensorView* constant(int value) const {
    const ValueState& at = (*this)[value];
    return at.is_constant() ? &at.view : nullptr;
  }
  void set_constant(int value, Tensor tensor);

  // Roots: parameters, then results, then the rest.
  int parameter_root(int i) const noexcept { return i; }
  int result_root(int i) const noexcept { return static_cast<int>(program_.parameters.size()) + i; }
  int add_root(Root root);
  std::span<Root> roots() noexcept { return roots_; }
  std::span<const Root> roots() const noexcept { return roots_; }
  Root& root(int i) { return roots_[static_cast<std::size_t>(i)]; }
  const Root& root(int i) const { return roots_[static_cast<std::size_t>(i)]; }
  /// The root, or the one that took its place.
  Root& current_root(int i) { return root(root(i).moved_to < 0 ? i : root(i).moved_to); }
  const Root& current_root(int i) const {
    return root(root(i).moved_to < 0 ? i : root(i).moved_to);
  }

  /// Where a rooted value's element (0, 0, ...) is in this run.
  char* address(const ValueState& at) const { return current_root(at.root).origin + at.offset; }
  /// A value where it is in this run.
  TensorView current_view(const ValueState& at) const;

  Placeholders placeholders;

 private:
  const Program& program_;
  std::vector<ValueState> states_;  // by value
  std::vector<Root> roots_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
