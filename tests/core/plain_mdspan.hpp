// SPDX-License-Identifier: Apache-2.0
/// @file
/// The least that has the members of std::mdspan, for compilers that do not have it. Where the
/// standard states a precondition this throws, so that a test sees one that is not met.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace plain {

inline void require(bool met, const char* precondition) {
  if (!met) throw std::logic_error(precondition);
}

constexpr long long number(std::integral auto value) { return static_cast<long long>(value); }

template <class Index, std::size_t... fixed>
class extents {
 public:
  using index_type = Index;
  using size_type = std::make_unsigned_t<Index>;
  using rank_type = std::size_t;

  constexpr extents() = default;
  template <class Other>
  explicit extents(const std::array<Other, sizeof...(fixed)>& given) {
    for (std::size_t axis = 0; axis < rank(); ++axis) {
      require(std::in_range<Index>(given[axis]), "extent is representable");
      require(static_extent(axis) == std::dynamic_extent ||
                  std::cmp_equal(static_extent(axis), given[axis]),
              "extent is the static one");
      values_[axis] = static_cast<Index>(given[axis]);
    }
  }
  static constexpr std::size_t rank() { return sizeof...(fixed); }
  static constexpr std::size_t static_extent(std::size_t axis) {
    return std::array<std::size_t, rank()>{fixed...}[axis];
  }
  constexpr Index extent(std::size_t axis) const { return values_[axis]; }
  friend bool operator==(const extents&, const extents&) = default;

 private:
  std::array<Index, sizeof...(fixed)> values_ = {
      (fixed == std::dynamic_extent ? Index{0} : static_cast<Index>(fixed))...};
};

template <class Index, class Axes>
struct dynamic;
template <class Index, std::size_t... axes>
struct dynamic<Index, std::index_sequence<axes...>> {
  using type = extents<Index, (static_cast<void>(axes), std::dynamic_extent)...>;
};
template <class Index, std::size_t rank>
using dextents = typename dynamic<Index, std::make_index_sequence<rank>>::type;

/// What the mappings share: extents and strides, and an offset of element (0, 0, ...).
template <class Extents>
class mapping_base {
 public:
  using extents_type = Extents;
  using index_type = typename Extents::index_type;
  using size_type = typename Extents::size_type;
  using rank_type = std::size_t;

  const Extents& extents() const { return extents_; }
  index_type stride(rank_type axis) const
    requires(Extents::rank() > 0)
  {
    return strides_[axis];
  }
  template <class... Indexes>
    requires(sizeof...(Indexes) == Extents::rank())
  index_type operator()(Indexes... indexes) const {
    long long offset = first_;
    [[maybe_unused]] std::size_t axis = 0;
    ((require(indexes >= 0 && indexes < extents_.extent(axis), "index is inside"),
      offset += number(indexes) * number(strides_[axis++])),
     ...);
    return static_cast<index_type>(offset);
  }
  index_type required_span_size() const { return static_cast<index_type>(size_); }
  static constexpr bool is_always_unique() { return true; }
  static constexpr bool is_always_exhaustive() { return false; }
  static constexpr bool is_always_strided() { return true; }
  static constexpr bool is_unique() { return true; }
  static constexpr bool is_exhaustive() { return false; }
  static constexpr bool is_strided() { return true; }

 protected:
  explicit mapping_base(const Extents& extents) : extents_(extents) {
    for (std::size_t axis = 0; axis < Extents::rank(); ++axis)
      elements_ *= number(extents.extent(axis));
  }
  /// Call when the strides are set.
  void finish() {
    size_ = elements_ == 0 ? 0 : 1;
    for (std::size_t axis = 0; axis < Extents::rank() && elements_ > 0; ++axis) {
      const long long span = (number(extents_.extent(axis)) - 1) * number(strides_[axis]);
      size_ += span < 0 ? -span : span;
      first_ -= span < 0 ? span : 0;
    }
    require(std::in_range<index_type>(size_), "size is representable");
  }

  Extents extents_;
  std::array<index_type, Extents::rank()> strides_{};
  long long elements_ = 1;
  long long first_ = 0;
  long long size_ = 0;
};

/// The strides of a dense tensor, the last axis (`right`) or the first innermost, backwards or not.
template <bool right, int direction = 1>
struct layout_dense {
  template <class Extents>
  class mapping : public mapping_base<Extents> {
   public:
    using layout_type = layout_dense;
    explicit mapping(const Extents& extents) : mapping_base<Extents>(extents) {
      long long step = direction;
      for (std::size_t i = 0; i < Extents::rank(); ++i) {
        const std::size_t axis = right ? Extents::rank() - 1 - i : i;
        this->strides_[axis] = static_cast<typename Extents::index_type>(step);
        step *= number(extents.extent(axis));
      }
      this->finish();
    }
  };
};
using layout_right = layout_dense<true>;
using layout_left = layout_dense<false>;
using layout_reversed = layout_dense<true, -1>;

/// Its mappings are not all strided, and none of these is.
struct layout_without_strides {
  template <class Extents>
  class mapping : public layout_right::mapping<Extents> {
   public:
    using layout_type = layout_without_strides;
    using layout_right::mapping<Extents>::mapping;
    static constexpr bool is_always_strided() { return false; }
    static constexpr bool is_strided() { return false; }
  };
};

struct layout_stride {
  template <class Extents>
  class mapping : public mapping_base<Extents> {
   public:
    using layout_type = layout_stride;

    template <class Other>
      requires(Other::is_always_unique() && Other::is_always_strided() &&
               std::constructible_from<Extents, typename Other::extents_type>)
    explicit mapping(const Other& other) : mapping_base<Extents>(Extents(other.extents())) {
      if constexpr (Extents::rank() > 0) {
        for (std::size_t axis = 0; axis < Extents::rank(); ++axis) {
          require(other.stride(axis) > 0, "stride is positive");
          this->strides_[axis] = other.stride(axis);
        }
      }
      this->finish();
      require(std::cmp_equal(this->size_, other.required_span_size()), "size is as it says");
      require(
          this->elements_ == 0 || first(other, std::make_index_sequence<Extents::rank()>()) == 0,
          "offset is 0");
    }

   private:
    template <class Other, std::size_t... axes>
    static auto first(const Other& other, std::index_sequence<axes...>) {
      return other((static_cast<void>(axes), typename Extents::index_type{0})...);
    }
  };
};

template <class T>
struct default_accessor {
  using element_type = T;
  using reference = T&;
  using data_handle_type = T*;
};

template <class T, std::size_t alignment>
struct aligned_accessor : default_accessor<T> {
  static constexpr std::size_t byte_alignment = alignment;
};
/// What is read is another number than is in memory.
template <class T>
struct scaled_accessor {
  using element_type = const T;
  using reference = T;
  using data_handle_type = const T*;
};

template <class T, class Extents, class Layout = layout_right, class Accessor = default_accessor<T>>
class mdspan {
 public:
  using extents_type = Extents;
  using layout_type = Layout;
  using accessor_type = Accessor;
  using mapping_type = typename Layout::template mapping<Extents>;
  using element_type = T;
  using index_type = typename Extents::index_type;
  using reference = typename Accessor::reference;
  using data_handle_type = typename Accessor::data_handle_type;

  mdspan(data_handle_type data, const mapping_type& mapping) : data_(data), mapping_(mapping) {}

  static constexpr std::size_t rank() { return Extents::rank(); }
  static constexpr std::size_t static_extent(std::size_t axis) {
    return Extents::static_extent(axis);
  }
  index_type extent(std::size_t axis) const { return mapping_.extents().extent(axis); }
  index_type stride(std::size_t axis) const { return mapping_.stride(axis); }
  bool is_strided() const { return mapping_.is_strided(); }
  const data_handle_type& data_handle() const { return data_; }
  const mapping_type& mapping() const { return mapping_; }

 private:
  data_handle_type data_;
  mapping_type mapping_;
};

}  // namespace plain
