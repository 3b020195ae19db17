// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sorting one dense line by the keys of its elements.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/ops/sorting.hpp>

#include "kernels/sorting/sorting.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// What of a line is wanted in order: all of it, or a few places.
enum class SortedPart : std::uint8_t { all, few };

/// Lines of n elements, of the type that `type` says; n is at least 1. Pointers are aligned, and
/// `room` has as many bytes as the function beside says.
class LineSorter {
 public:
  /// `lines` says how many there are: if threads outnumber them, they share each one. Throws
  /// Error(dtype) for complex numbers.
  LineSorter(ScalarType type, std::int64_t n, SortOrder order, SortedPart part,
             std::int64_t lines = 1);

  /// The type whose elements have keys: as wide as these, and every value of the line's fits.
  ScalarType type() const noexcept { return type_; }
  std::int64_t size() const noexcept { return n_; }

  /// The parts of a line that threads share.
  std::int64_t parts(std::int64_t n) const;
  std::int64_t parts() const { return parts(n_); }

  /// The elements in order; `out` may be `in`.
  void sort(char* out, const char* in, char* room) const;
  std::int64_t sort_room() const noexcept { return 2 * keys_bytes(); }

  /// Their positions in order.
  void sort_positions(std::int64_t* positions, const char* in, char* room) const;
  std::int64_t positions_room() const noexcept { return keys_bytes() + order_room(n_); }

  /// The first k positions; k is at least 1.
  void first_positions(std::int64_t* positions, std::int64_t k, const char* in, char* room) const;
  std::int64_t first_room(std::int64_t k) const noexcept;

  /// The elements, those before the k-th in order first, then its equals; `out` may be `in`.
  void partition(char* out, std::int64_t k, const char* in, char* room) const;
  std::int64_t partition_room() const noexcept { return 3 * keys_bytes(); }

  /// The elements at positions, as f64, for places that ascend. All are NaN if the line has one.
  /// Each wants the element at `place` and the next one, if there is any.
  struct Neighbours {
    std::int64_t place;
    double first, second;
  };
  void find(Neighbours* wanted, std::int64_t count, const char* in, char* room) const;
  std::int64_t find_room() const noexcept { return sort_room(); }

  /// Of keys in order, the places of those that differ from the one before, and how many these are.
  std::int64_t find_firsts(std::int64_t* firsts, const char* keys) const;
  void to_keys(char* keys, const char* in) const { kernel_.to_keys(keys, in, n_, order_); }

  /// out[i] = in[positions[i]].
  void take(char* out, const char* in, const std::int64_t* positions, std::int64_t n) const;

 private:
  /// Parts of a line that threads share, at most.
  static constexpr std::int64_t max_parts = 16;

  std::int64_t keys_bytes() const noexcept { return (n_ * size_ + 63) / 64 * 64; }
  template <class F>
  void by_size(F&& f) const;
  std::int64_t key(const char* keys, std::int64_t i) const noexcept;
  /// Of n keys the positions in order. `room` must not meet the keys.
  void order_keys(std::int64_t* positions, const char* keys, std::int64_t n, char* room) const;
  static std::int64_t order_room(std::int64_t n) noexcept { return 2 * 8 * n; }
  /// All of n keys of a kernel, by several threads where that is worth it.
  void sort_keys(const SortingKernel& kernel, char* keys, char* room, std::int64_t n,
                 std::int64_t size) const;
  std::int64_t lower_bound(const char* keys, std::int64_t wanted) const noexcept;
  void restore_zeros(char* out, const char* in, std::int64_t first) const;
  double element(const char* keys, std::int64_t i) const;

  ScalarType type_;
  std::int64_t n_, size_;
  bool shared_;
  KeyOrder order_;
  const SortingKernel& kernel_;
};

}  // namespace v0
}  // namespace weft
