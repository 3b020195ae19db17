// SPDX-License-Identifier: Apache-2.0
/// @file
/// Any number of inputs.
#pragma once

#include <weft/ops/argument.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <ranges>

namespace weft {
inline namespace v0 {

template <class T>
concept InputElement = std::same_as<T, Input> || std::derived_from<T, TensorView>;

/// Refers to a list of inputs: one in the argument, of tensors and numbers, or a std::vector, an
/// array, ... of Tensor, TensorView or Input. It does not own them, so it is for parameters.
///
///     concat({a, b}, 0)
///     std::vector<Tensor> parts = ...
///     concat(parts, 0)
class Inputs {
 public:
  // NOLINTBEGIN(google-explicit-constructor): see Input
  Inputs(std::initializer_list<Input> list) : Inputs(list.begin(), list.size()) {}
  template <std::ranges::contiguous_range R>
    requires std::ranges::sized_range<R> && InputElement<std::ranges::range_value_t<R>>
  Inputs(const R& range) : Inputs(std::ranges::data(range), std::ranges::size(range)) {}
  // NOLINTEND(google-explicit-constructor)

  std::size_t size() const noexcept { return size_; }
  /// Precondition: k < size().
  const TensorView& operator[](std::size_t k) const noexcept { return view_of_(first_, k); }

 private:
  template <class T>
  Inputs(const T* first, std::size_t size) : first_(first), size_(size), view_of_(&view_of<T>) {}

  template <class T>
  static const TensorView& view_of(const void* first, std::size_t k) noexcept {
    const T& input = static_cast<const T*>(first)[k];
    if constexpr (std::same_as<T, Input>) {
      return input.view();
    } else {
      return input;
    }
  }

  const void* first_;
  std::size_t size_;
  const TensorView& (*view_of_)(const void* first, std::size_t k) noexcept;
};

}  // namespace v0
}  // namespace weft
