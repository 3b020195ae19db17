// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the functions of this layer take: tensors or numbers in, tensors out.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar.hpp>
#include <weft/core/tensor.hpp>

#include <concepts>
#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {

template <class T>
concept Number = std::integral<T> || std::floating_point<T> || is_complex_type<T>;

/// An input: a tensor, borrowed for the call, or a number, which is weak in type promotion (see
/// Scalar).
class Input {
 public:
  // NOLINTBEGIN(google-explicit-constructor): add(a, 2.5) reads as it should
  Input(const TensorView& tensor) : view_(&tensor) {}
  Input(const Scalar& number)
      : number_(number), number_view_(std::in_place, InPlace{*number_}), view_(&*number_view_) {}
  template <Number T>
  Input(T number) : Input(Scalar(number)) {}
  // NOLINTEND(google-explicit-constructor)
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const TensorView& view() const noexcept { return *view_; }
  /// Null for a tensor.
  const Scalar* number() const noexcept { return number_ ? &*number_ : nullptr; }

 private:
  /// Becomes the view where that is to be: moved there, it would be read in larger words than it
  /// has just been written in, for which processors wait.
  struct InPlace {
    const Scalar& number;
    operator TensorView() const noexcept { return number.view(); }
  };

  std::optional<Scalar> number_;
  std::optional<TensorView> number_view_;
  const TensorView* view_;
};

/// An output: a view, written as it is, or a Tensor, which is allocated if undefined and replaced
/// if of the wrong shape.
class Output {
 public:
  // NOLINTBEGIN(google-explicit-constructor): see Input
  Output(const TensorView& view) : view_(&view) {}
  Output(Tensor& tensor) : view_(&tensor), tensor_(&tensor) {}
  // NOLINTEND(google-explicit-constructor)

  const TensorView& view() const noexcept { return *view_; }
  /// Null for a view.
  Tensor* tensor() const noexcept { return tensor_; }

 private:
  const TensorView* view_;
  Tensor* tensor_ = nullptr;
};

}  // namespace v0
}  // namespace weft
