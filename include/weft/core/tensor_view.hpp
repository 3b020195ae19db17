// SPDX-License-Identifier: Apache-2.0
/// @file
/// A tensor in memory that somebody else owns.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/core/shape.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <type_traits>

namespace weft {
inline namespace v0 {

/// A range of addresses, [begin, end). Both null: not known.
struct ByteRange {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
};

template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t n>
inline constexpr bool is_span<std::span<T, n>> = true;

/// Elements next to each other that are somebody's: a range that is named, or one that does not own
/// them.
template <class R>
concept ElementRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                       Element<std::ranges::range_value_t<R>> &&
                       (std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>);

/// Its elements as a span of any length.
template <class R>
auto span_of(R& range) {
  using T = std::remove_reference_t<std::ranges::range_reference_t<R>>;
  return std::span<T>(std::ranges::data(range), std::ranges::size(range));
}

/// All of a view but its extents and strides: what can be copied without failing. Of whole words:
/// compilers copy the end of other sizes by stores that overlap, and a load right behind these
/// waits for both.
struct ViewFields {
  void* data_ = nullptr;
  ByteRange range_;
  std::int64_t numel_ = 0;
  std::int64_t first_byte_ = 0;
  std::int64_t end_byte_ = 0;
  std::int16_t rank_ = 0;
  ScalarType type_ = ScalarType::f32;
  bool defined_ = false;
  bool contiguous_ = true;
  bool read_only_ = false;
  bool weak_ = false;
  std::uint8_t unused_ = 0;  // the rest of the last word
};

/// Pointer, element type, shape and strides of a tensor that the view does not own.
///
/// The element at index (i0, i1, ...) stands `i0 * stride(0) + i1 * stride(1) + ...` *elements*
/// after data(). Strides may be zero or negative and the pointer need not be aligned. All
/// arithmetic on extents and strides is checked where a view is made, so that whoever holds one can
/// rely on numel(), first_byte() and last_byte() being right. A view that knows the byte range of
/// its memory is checked to stay inside it.
///
/// Copying a view of rank up to 8 allocates nothing. A default-constructed view is *undefined*: as
/// an output it means "allocate one for me".
class WEFT_API TensorView : private ViewFields {
 public:
  // Not defaulted: `TensorView()` would then zero the room for extents and strides first.
  TensorView() noexcept {}  // NOLINT(modernize-use-equals-default)
  TensorView(const TensorView&) = default;
  TensorView(TensorView&&) noexcept = default;
  /// Leaves this as it was if memory for more axes than fit inside runs out.
  TensorView& operator=(const TensorView& other) {
    dims_ = other.dims_;  // may fail; the rest does not
    static_cast<ViewFields&>(*this) = other;
    return *this;
  }
  TensorView& operator=(TensorView&&) noexcept = default;
  ~TensorView() = default;

  /// A view of elements that lie inside `memory`, starting `offset` elements into it. Without
  /// strides: row-major. Over const elements the view is read-only. Throws Error: rank (above 64,
  /// or lists of different lengths), shape (negative extent), overflow, bounds.
  template <class T>
    requires Element<std::remove_const_t<T>>
  TensorView(std::span<T> memory, IntSpan shape)
      : TensorView(memory, shape, contiguous_strides(shape)) {}
  /// The offset's type is deduced so that a list in this place, even of one number, is a list of
  /// strides.
  template <class T, std::integral Offset>
    requires Element<std::remove_const_t<T>>
  TensorView(std::span<T> memory, IntSpan shape, Offset offset)
      : TensorView(memory, shape, contiguous_strides(shape), static_cast<std::int64_t>(offset)) {}
  template <class T>
    requires Element<std::remove_const_t<T>>
  TensorView(std::span<T> memory, IntSpan shape, IntSpan strides, std::int64_t offset = 0)
      : TensorView(make({reinterpret_cast<const std::byte*>(memory.data()),
                         reinterpret_cast<const std::byte*>(memory.data() + memory.size())},
                        at(memory.data(), offset, memory.size()),
                        scalar_type_of<std::remove_const_t<T>>, shape, strides,
                        std::is_const_v<T>)) {}

  /// A view of all elements of a std::vector, std::array or any other contiguous range as one axis,
  /// or in a shape of as many elements or less. The range lives elsewhere, or is itself a view.
  template <ElementRange R>
  explicit TensorView(R&& range)
      : TensorView(span_of(range), static_cast<std::int64_t>(std::ranges::size(range))) {}
  template <ElementRange R>
    requires(!is_span<std::remove_cvref_t<R>>)
  TensorView(R&& range, IntSpan shape) : TensorView(span_of(range), shape) {}

  /// A view of elements at `data` whose memory is `range`; one of const elements is read-only, and
  /// refused as an output. Throws as above, Error(undefined) for a null pointer with elements, and
  /// Error(dtype) for a type that there is not.
  static TensorView within(ByteRange range, void* data, ScalarType type, IntSpan shape,
                           IntSpan strides);
  static TensorView within(ByteRange range, const void* data, ScalarType type, IntSpan shape,
                           IntSpan strides);
  /// As within(), for memory of unknown extent: the caller answers for every address that the
  /// strides reach.
  static TensorView trusted(void* data, ScalarType type, IntSpan shape, IntSpan strides);
  static TensorView trusted(void* data, ScalarType type, IntSpan shape);
  static TensorView trusted(const void* data, ScalarType type, IntSpan shape, IntSpan strides);
  static TensorView trusted(const void* data, ScalarType type, IntSpan shape);
  /// Elements at `data` that lie as those of `like` do. Nothing is left to be checked.
  static TensorView trusted(void* data, const TensorView& like);

  bool defined() const noexcept { return defined_; }
  ScalarType dtype() const noexcept { return type_; }
  int rank() const noexcept { return rank_; }
  IntSpan shape() const noexcept { return {dims_.data(), static_cast<std::size_t>(rank_)}; }
  /// Strides in elements.
  IntSpan strides() const noexcept {
    return {dims_.data() + rank_, static_cast<std::size_t>(rank_)};
  }
  /// Extent and stride (in elements) of an axis in [-rank, rank). Throw Error(axis); a 0-d tensor
  /// has no axis.
  std::int64_t extent(std::int64_t axis) const { return shape()[existing_axis(axis, rank_)]; }
  std::int64_t stride(std::int64_t axis) const { return strides()[existing_axis(axis, rank_)]; }
  std::int64_t numel() const noexcept { return numel_; }
  /// numel() times the element size.
  std::int64_t nbytes() const noexcept { return numel_ * element_size(type_); }

  /// Address of the element at index (0, 0, ...). Null only if undefined or without elements. Who
  /// writes there has asked read_only() before.
  void* data() const noexcept { return data_; }
  /// The same as T*, where T may be const. Throws Error(dtype) if T is not the element type, and
  /// Error(invalid_argument) for a T that is not const if the view is read-only.
  template <class T>
    requires Element<std::remove_const_t<T>>
  T* data_as() const {
    constexpr ScalarType wanted = scalar_type_of<std::remove_const_t<T>>;
    if (type_ != wanted) fail_type(wanted);
    if (!std::is_const_v<T> && read_only_) fail_read_only();
    return static_cast<T*>(data_);
  }
  /// Copies one element out. Throws Error(undefined) if there is no tensor, Error(rank) and
  /// Error(axis) for an index that does not fit, Error(dtype) if T is not the element type.
  template <Element T>
  T at(IntSpan index) const {
    // By bytes: the address may be unaligned, and a bool may hold any byte.
    const void* base = data_as<const T>();
    const auto* from = static_cast<const std::byte*>(base) +
                       element_offset(index) * static_cast<std::int64_t>(sizeof(T));
    if constexpr (std::is_same_v<T, bool>) {
      return *from != std::byte{0};
    } else {
      T value;
      std::memcpy(&value, from, sizeof(T));
      return value;
    }
  }
  /// The same, the index being numbers: at<float>(i, j).
  template <Element T, std::integral... I>
    requires(sizeof...(I) > 0)
  T at(I... index) const {
    const std::int64_t list[] = {static_cast<std::int64_t>(index)...};
    return at<T>(IntSpan(list, sizeof...(I)));
  }
  /// Offset in elements of the element at `index`. Throws Error(undefined), Error(rank),
  /// Error(axis).
  std::int64_t element_offset(IntSpan index) const;

  /// Row-major without gaps: the strides of axes of extent 1 do not count; true without elements.
  bool is_contiguous() const noexcept { return contiguous_; }
  bool read_only() const noexcept { return read_only_; }
  /// A language scalar (PyTorch's wrapped number): weak in type promotion.
  bool is_weak_scalar() const noexcept { return weak_; }
  void set_weak_scalar(bool weak) noexcept { weak_ = weak; }
  /// The memory's byte range; nulls where trusted.
  ByteRange range() const noexcept { return range_; }
  /// Offsets in bytes from data() of the first byte that an element occupies and of one past the
  /// last; 0, 0 if empty.
  std::int64_t first_byte() const noexcept { return first_byte_; }
  std::int64_t end_byte() const noexcept { return end_byte_; }

  // Views of the same memory with another geometry. None copies elements; each throws Error for
  // arguments that do not fit.

  /// Any shape, strides and offset (in elements from data()), checked against range() where known.
  TensorView as_strided(IntSpan shape, IntSpan strides, std::int64_t offset = 0) const;
  /// Axis i of the result is axis order[i]: a permutation of 0 ... rank-1.
  TensorView permute(IntSpan order) const;
  TensorView transpose(std::int64_t axis0, std::int64_t axis1) const;
  /// Broadcast to `shape`: new leading axes and axes of extent 1 get stride 0.
  TensorView expand(IntSpan shape) const;
  /// Elements start, start+step, ... before stop along an axis, as in Python; start and stop are
  /// clamped to the extent, negative ones count from the end. step may be negative (then start
  /// defaults are the caller's to give), not 0.
  TensorView slice(std::int64_t axis, std::int64_t start, std::int64_t stop,
                   std::int64_t step = 1) const;
  /// Index `i` along an axis; that axis is gone.
  TensorView select(std::int64_t axis, std::int64_t i) const;
  /// Reversed along an axis.
  TensorView flip(std::int64_t axis) const;
  TensorView unsqueeze(std::int64_t axis) const;
  /// Drops axes of extent 1.
  TensorView squeeze() const;

 protected:
  /// Becomes undefined.
  void forget() noexcept {
    static_cast<ViewFields&>(*this) = ViewFields();
    dims_.clear();
  }

 private:
  friend class Scalar;
  /// A weak, read-only 0-d view of a number.
  static TensorView number(const void* data, ScalarType type) noexcept {
    TensorView view;
    view.data_ = const_cast<void*>(data);  // read_only_ remembers
    view.numel_ = 1;
    view.end_byte_ = element_size(type);
    view.type_ = type;
    view.defined_ = view.read_only_ = view.weak_ = true;
    return view;
  }
  static TensorView make(ByteRange range, const void* data, ScalarType type, IntSpan shape,
                         IntSpan strides, bool read_only);
  static const void* at(const void* data, std::int64_t offset, std::size_t size,
                        std::int64_t element_bytes);
  template <class T>
  static const void* at(const T* data, std::int64_t offset, std::size_t size) {
    return at(data, offset, size, sizeof(T));
  }
  [[noreturn]] void fail_type(ScalarType wanted) const;
  [[noreturn]] static void fail_read_only();
  void set_geometry(IntSpan shape, IntSpan strides);
  void check_range() const;

  SmallVector<std::int64_t, 2 * inline_rank> dims_;  // rank extents, then rank strides in elements
};

}  // namespace v0
}  // namespace weft
