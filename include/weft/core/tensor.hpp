// SPDX-License-Identifier: Apache-2.0
/// @file
/// A tensor that owns its memory.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor_view.hpp>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <utility>

namespace weft {
inline namespace v0 {

/// A TensorView together with a share in the memory it shows. Copies share the memory (clone() does
/// not); the memory goes with the last of them. Memory is aligned to 64 bytes. Each factory makes
/// one allocation for the memory and one for its count of owners; all throw Error as TensorView
/// does, and std::bad_alloc.
class WEFT_API Tensor : public TensorView {
 public:
  /// Undefined: as an output of an iterator it means "allocate this".
  Tensor() = default;
  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;
  /// Leaves `other` undefined: a view without its owner would show memory that may be gone.
  Tensor(Tensor&& other) noexcept
      : TensorView(std::move(static_cast<TensorView&>(other))), owner_(std::move(other.owner_)) {
    other.forget();
  }
  Tensor& operator=(Tensor&& other) noexcept {
    if (this != &other) {
      static_cast<TensorView&>(*this) = std::move(static_cast<TensorView&>(other));
      owner_ = std::move(other.owner_);
      other.forget();
    }
    return *this;
  }
  ~Tensor() = default;

  /// Row-major, elements not initialised.
  static Tensor empty(IntSpan shape, ScalarType type);
  /// Any non-negative strides in elements; the memory spans what they reach.
  static Tensor empty_strided(IntSpan shape, IntSpan strides, ScalarType type);
  static Tensor zeros(IntSpan shape, ScalarType type);
  /// Every element `value`, converted by cast rules (core/cast.hpp).
  static Tensor full(IntSpan shape, ScalarType type, double value);
  /// Row-major, with a copy of `values`, one per element. Throws Error(shape) if their number
  /// differs from numel.
  template <Element T>
  static Tensor of(IntSpan shape, std::initializer_list<T> values) {
    Tensor t = empty(shape, scalar_type_of<T>);
    t.check_count(static_cast<std::int64_t>(values.size()));
    std::copy(values.begin(), values.end(), static_cast<T*>(t.data()));
    return t;
  }
  /// `view` inside memory that `owner` keeps alive.
  static Tensor share(std::shared_ptr<void> owner, const TensorView& view);

  /// A row-major copy of any view.
  static Tensor copy_of(const TensorView& view);
  Tensor clone() const { return copy_of(*this); }

  /// What keeps the memory alive; null if undefined.
  const std::shared_ptr<void>& owner() const noexcept { return owner_; }

  // Views, with the arguments and errors of TensorView's. Of a temporary tensor they are tensors,
  // which take its share in the memory: add(a, b).transpose(0, 1) may be kept. A tensor that is
  // moved from is undefined afterwards; if the arguments do not fit, it stays as it was.

  TensorView as_strided(IntSpan shape, IntSpan strides, std::int64_t offset = 0) const& {
    return TensorView::as_strided(shape, strides, offset);
  }
  Tensor as_strided(IntSpan shape, IntSpan strides, std::int64_t offset = 0) && {
    return with_share(TensorView::as_strided(shape, strides, offset));
  }
  TensorView permute(IntSpan order) const& { return TensorView::permute(order); }
  Tensor permute(IntSpan order) && { return with_share(TensorView::permute(order)); }
  TensorView transpose(std::int64_t axis0, std::int64_t axis1) const& {
    return TensorView::transpose(axis0, axis1);
  }
  Tensor transpose(std::int64_t axis0, std::int64_t axis1) && {
    return with_share(TensorView::transpose(axis0, axis1));
  }
  TensorView expand(IntSpan shape) const& { return TensorView::expand(shape); }
  Tensor expand(IntSpan shape) && { return with_share(TensorView::expand(shape)); }
  TensorView slice(std::int64_t axis, std::int64_t start, std::int64_t stop,
                   std::int64_t step = 1) const& {
    return TensorView::slice(axis, start, stop, step);
  }
  Tensor slice(std::int64_t axis, std::int64_t start, std::int64_t stop, std::int64_t step = 1) && {
    return with_share(TensorView::slice(axis, start, stop, step));
  }
  TensorView select(std::int64_t axis, std::int64_t i) const& {
    return TensorView::select(axis, i);
  }
  Tensor select(std::int64_t axis, std::int64_t i) && {
    return with_share(TensorView::select(axis, i));
  }
  TensorView flip(std::int64_t axis) const& { return TensorView::flip(axis); }
  Tensor flip(std::int64_t axis) && { return with_share(TensorView::flip(axis)); }
  TensorView unsqueeze(std::int64_t axis) const& { return TensorView::unsqueeze(axis); }
  Tensor unsqueeze(std::int64_t axis) && { return with_share(TensorView::unsqueeze(axis)); }
  TensorView squeeze() const& { return TensorView::squeeze(); }
  Tensor squeeze() && { return with_share(TensorView::squeeze()); }

 private:
  Tensor(std::shared_ptr<void> owner, TensorView view)
      : TensorView(std::move(view)), owner_(std::move(owner)) {}
  void check_count(std::int64_t count) const;
  /// A view together with this tensor's share, which is undefined then.
  Tensor with_share(TensorView view) {
    Tensor tensor(std::move(owner_), std::move(view));
    forget();
    return tensor;
  }

  std::shared_ptr<void> owner_;
};

}  // namespace v0
}  // namespace weft
