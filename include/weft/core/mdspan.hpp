// SPDX-License-Identifier: Apache-2.0
/// @file
/// From std::mdspan and its like to a view, and back, without a copy.
///
///     std::mdspan<float, std::dextents<int, 2>> matrix(data, 3, 4);
///     const weft::TensorView view = weft::view_of(matrix);
///     auto again = weft::to_mdspan<decltype(matrix)>(view);
///
/// Any class will do that has the members of C++23's std::mdspan, such as Kokkos'. None of them is
/// included. Strides count elements on both sides.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor_view.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {

/// What has the members of std::mdspan, and elements of a type of weft's that lie in memory as they
/// are. An accessor that gives anything but a reference to them (a scaled, conjugated or atomic
/// one) is none: what is in memory is not what it means.
template <class M>
concept MdspanLike =
    Element<std::remove_const_t<typename M::element_type>> &&
    std::same_as<typename M::reference, typename M::element_type&> &&
    std::integral<typename M::index_type> &&
    requires(const M& span, const typename M::mapping_type& mapping, std::size_t axis) {
      typename M::extents_type;
      typename std::integral_constant<std::size_t, M::rank()>;
      { M::static_extent(axis) } -> std::convertible_to<std::size_t>;
      { span.extent(axis) } -> std::convertible_to<typename M::index_type>;
      { span.stride(axis) } -> std::convertible_to<typename M::index_type>;
      { span.data_handle() } -> std::convertible_to<typename M::element_type*>;
      { span.is_strided() } -> std::convertible_to<bool>;
      { span.mapping() } -> std::convertible_to<const typename M::mapping_type&>;
      { mapping.required_span_size() } -> std::convertible_to<typename M::index_type>;
    };

/// What view_of and to_mdspan are made of; no interface.
namespace mdspan_parts {

/// Where the elements of an mdspan lie, in elements.
struct Geometry {
  IntSpan shape;
  IntSpan strides;
  std::int64_t first;  ///< of element (0, 0, ...), counted from the data handle
  std::int64_t size;   ///< of the memory, counted from there as well
};
WEFT_API TensorView view(void* data, ScalarType type, const Geometry& geometry);
WEFT_API TensorView view(const void* data, ScalarType type, const Geometry& geometry);

/// What a type of mdspan asks of a view.
struct Asked {
  ScalarType type;
  bool read_only;          ///< the elements are const
  std::int64_t alignment;  ///< of the data, in bytes
  std::int64_t largest;    ///< the largest number of the index type
  IntSpan shape;           ///< -1 for an extent that may be any
};
/// Throws what to_mdspan throws, strides aside.
WEFT_API void check(const TensorView& view, const Asked& asked);
/// Throws if a stride that counts is none of these.
WEFT_API void check_strides(const TensorView& view, IntSpan strides);
/// Sets strides that are all positive and at most `largest`, and gives back how much memory they
/// span. Throws if there are none, or if elements might meet.
WEFT_API std::int64_t unique_strides(const TensorView& view, std::int64_t largest,
                                     std::span<std::int64_t> strides);

[[noreturn]] WEFT_API void fail_index(const char* what, std::size_t axis, std::uint64_t value);
[[noreturn]] WEFT_API void fail_not_strided();

template <std::integral Index>
std::int64_t checked_index(Index value, const char* what, std::size_t axis) {
  if constexpr (std::unsigned_integral<Index> && sizeof(Index) >= sizeof(std::int64_t)) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      fail_index(what, axis, value);
  }
  return static_cast<std::int64_t>(value);
}

template <std::integral Index>
constexpr std::int64_t largest_index = static_cast<std::int64_t>(
    std::min<std::uint64_t>(static_cast<std::uint64_t>(std::numeric_limits<Index>::max()),
                            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())));

/// Where element (0, 0, ...) stands. Not of a mapping without elements.
template <class Mapping>
std::int64_t first_element(const Mapping& mapping) {
  return [&]<std::size_t... axes>(std::index_sequence<axes...>) {
    return static_cast<std::int64_t>(
        mapping((static_cast<void>(axes), typename Mapping::index_type{0})...));
  }(std::make_index_sequence<Mapping::extents_type::rank()>());
}

/// A layout whose mappings any mapping with strides of its own can be made from. Their constructors
/// from a list of strides are of no use: these ask that an axis steps over all that is allocated
/// for those inside it, which a slice with a step need not do.
struct UniqueStrides {
  template <class Extents>
  class mapping {
   public:
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = typename Extents::rank_type;
    using layout_type = UniqueStrides;

    mapping(const Extents& extents, const std::array<index_type, Extents::rank()>& strides,
            index_type size) noexcept
        : extents_(extents), strides_(strides), size_(size) {}

    const Extents& extents() const noexcept { return extents_; }
    template <std::convertible_to<index_type>... Indexes>
      requires(sizeof...(Indexes) == Extents::rank())
    index_type operator()(Indexes... indexes) const noexcept {
      index_type offset = 0;
      [[maybe_unused]] std::size_t axis = 0;
      ((offset =
            static_cast<index_type>(offset + static_cast<index_type>(indexes) * strides_[axis++])),
       ...);
      return offset;
    }
    index_type required_span_size() const noexcept { return size_; }
    index_type stride(rank_type axis) const noexcept
      requires(Extents::rank() > 0)
    {
      return strides_[axis];
    }
    static constexpr bool is_always_unique() noexcept { return true; }
    static constexpr bool is_always_exhaustive() noexcept { return false; }
    static constexpr bool is_always_strided() noexcept { return true; }
    static constexpr bool is_unique() noexcept { return true; }
    static constexpr bool is_exhaustive() noexcept { return false; }
    static constexpr bool is_strided() noexcept { return true; }
    friend bool operator==(const mapping& a, const mapping& b) noexcept {
      return a.extents_ == b.extents_ && a.strides_ == b.strides_;
    }

   private:
    Extents extents_;
    std::array<index_type, Extents::rank()> strides_;
    index_type size_;
  };
};

/// Strides follow from the extents, as those of layout_right and layout_left do.
template <class Mapping>
concept OfExtents = std::constructible_from<Mapping, const typename Mapping::extents_type&>;
/// Strides are given.
template <class Mapping>
concept OfStrides =
    std::constructible_from<Mapping, const UniqueStrides::mapping<typename Mapping::extents_type>&>;

/// The bytes that addresses of the accessor are multiples of.
template <class M>
constexpr std::int64_t alignment_of() {
  if constexpr (requires { M::accessor_type::byte_alignment; }) {
    return static_cast<std::int64_t>(M::accessor_type::byte_alignment);
  } else {
    return static_cast<std::int64_t>(alignof(typename M::element_type));
  }
}

template <class Mapping>
Mapping mapping_of(const TensorView& view, const typename Mapping::extents_type& extents) {
  constexpr std::size_t rank = Mapping::extents_type::rank();
  using Index = typename Mapping::index_type;
  std::array<std::int64_t, rank> strides{};
  if constexpr (OfExtents<Mapping>) {
    Mapping mapping(extents);
    if constexpr (rank > 0) {
      for (std::size_t axis = 0; axis < rank && view.numel() > 0; ++axis)
        strides[axis] = static_cast<std::int64_t>(mapping.stride(axis));
    }
    check_strides(view, strides);
    return mapping;
  } else {
    const std::int64_t size = unique_strides(view, largest_index<Index>, strides);
    std::array<Index, rank> given{};
    for (std::size_t axis = 0; axis < rank; ++axis)
      given[axis] = static_cast<Index>(strides[axis]);
    return Mapping(UniqueStrides::mapping<typename Mapping::extents_type>(
        extents, given, static_cast<Index>(size)));
  }
}

}  // namespace mdspan_parts

/// The elements of an mdspan, of any layout with strides; read-only if they are const. The view's
/// range is the memory that the layout says it reaches, which is trusted. The memory must outlive
/// the view; the mdspan need not. Throws Error: rank (above 64), overflow (numbers beyond 2^63-1),
/// undefined (elements at a null pointer), bounds (a layout that reaches less than its strides do),
/// invalid_argument (a layout that may have strides, and here has none). Allocates nothing up to
/// rank 8.
template <MdspanLike M>
TensorView view_of(const M& span) {
  using T = typename M::element_type;
  constexpr std::size_t rank = M::rank();
  if (!span.is_strided()) mdspan_parts::fail_not_strided();
  std::array<std::int64_t, rank> shape{}, strides{};
  if constexpr (rank > 0) {
    for (std::size_t axis = 0; axis < rank; ++axis) {
      shape[axis] = mdspan_parts::checked_index(span.extent(axis), "extent", axis);
      strides[axis] = mdspan_parts::checked_index(span.stride(axis), "stride", axis);
    }
  }
  const auto size = static_cast<std::int64_t>(span.mapping().required_span_size());
  const std::int64_t first = size > 0 ? mdspan_parts::first_element(span.mapping()) : 0;
  T* data = span.data_handle();
  return mdspan_parts::view(data, scalar_type_of<std::remove_const_t<T>>,
                            {shape, strides, first, size});
}

/// An mdspan of type M over the elements of a view: to_mdspan<std::mdspan<const float, ...>>(view).
/// Its layout is layout_right, layout_left, or another whose strides follow from the extents, which
/// are then those that the view must have; or layout_stride, which takes all strides that are
/// positive and lead to no element twice. (It takes them if each is larger than what the smaller
/// ones reach together; other ways to share no element are refused.) Strides of axes of extent 1
/// do not count, and none does without elements: where layout_stride cannot hold one of those, it
/// becomes 1. The memory must outlive the mdspan; the view need not.
///
/// Throws Error: undefined (an undefined view), dtype (of another element type), rank, shape (an
/// extent that is static in M, and another here), overflow (more than M's index type holds),
/// invalid_argument (elements that are not const, of a read-only view; data that is not aligned as
/// M's accessor asks; strides that the layout cannot express). Allocates nothing.
template <MdspanLike M>
  requires(M::mapping_type::is_always_strided() &&
           (mdspan_parts::OfExtents<typename M::mapping_type> ||
            mdspan_parts::OfStrides<typename M::mapping_type>) &&
           std::constructible_from<M, typename M::element_type*, const typename M::mapping_type&>)
M to_mdspan(const TensorView& view) {
  using T = typename M::element_type;
  using Index = typename M::index_type;
  constexpr std::size_t rank = M::rank();
  std::array<std::int64_t, rank> asked{};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::size_t extent = M::static_extent(axis);
    asked[axis] = extent == std::dynamic_extent ? -1 : static_cast<std::int64_t>(extent);
  }
  mdspan_parts::check(view,
                      {scalar_type_of<std::remove_const_t<T>>, std::is_const_v<T>,
                       mdspan_parts::alignment_of<M>(), mdspan_parts::largest_index<Index>, asked});
  std::array<Index, rank> shape{};
  for (std::size_t axis = 0; axis < rank; ++axis)
    shape[axis] = static_cast<Index>(view.shape()[axis]);
  const auto mapping =
      mdspan_parts::mapping_of<typename M::mapping_type>(view, typename M::extents_type(shape));
  const std::int64_t first = view.numel() > 0 ? mdspan_parts::first_element(mapping) : 0;
  return M(view.data_as<T>() - first, mapping);
}

}  // namespace v0
}  // namespace weft
