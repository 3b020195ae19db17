// SPDX-License-Identifier: Apache-2.0
// The different slices of a tensor along an axis: rows of bytes are sorted, which stand in the
// order of the slices.
#include <weft/base/error.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/indexing.hpp>
#include <weft/ops/sorting.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "ops/index_operand.hpp"
#include "ops/line_sorter.hpp"
#include "ops/moved_result.hpp"
#include "ops/part_copies.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

/// Each key as bytes that memcmp() orders as it does numbers: the largest digit first, negative
/// ones in front.
template <class Bits>
void to_ordered_bytes(char* keys, std::int64_t n) {
  constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  for (std::int64_t i = 0; i < n; ++i, keys += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, keys, sizeof(Bits));
    bits ^= sign;
    if constexpr (std::endian::native == std::endian::little) {
      if constexpr (sizeof(Bits) == 4) bits = __builtin_bswap32(bits);
      if constexpr (sizeof(Bits) == 8) bits = __builtin_bswap64(bits);
    }
    std::memcpy(keys, &bits, sizeof(Bits));
  }
}

/// All slices in order, and where equal ones begin.
class SortedSlices {
 public:
  SortedSlices(const TensorView& a, std::size_t axis) {
    if (is_complex(a.dtype())) fail_no_kernel(a.dtype());
    const std::int64_t n = a.shape()[axis];
    if (a.numel() > 0) {
      const LineSorter sorter(a.dtype(), a.numel(), SortOrder::ascending, SortedPart::all);
      DimVector order{static_cast<std::int64_t>(axis)};
      for (std::size_t i = 0; i < a.shape().size(); ++i)
        if (i != axis) order.push_back(static_cast<std::int64_t>(i));
      rows_ = contiguous(a.permute(order), sorter.type());
      auto* const keys = static_cast<char*>(rows_.data());
      sorter.to_keys(keys, keys);
      switch (element_size(sorter.type())) {
        case 1: to_ordered_bytes<std::uint8_t>(keys, a.numel()); break;
        case 4: to_ordered_bytes<std::uint32_t>(keys, a.numel()); break;
        default: to_ordered_bytes<std::uint64_t>(keys, a.numel()); break;
      }
      width_ = static_cast<std::size_t>(rows_.nbytes() / n);
    }
    if (number(n) > slices_.max_size()) {
      fail(ErrorCode::limit, text("input 0: axis ", axis, " has extent ", n, ", expected at most ",
                                  slices_.max_size()));
    }
    slices_.reserve(number(n));
    for (std::int64_t i = 0; i < n; ++i)
      slices_.push_back({begin_of(i), i});
    std::ranges::sort(slices_, [&](const Slice& x, const Slice& y) {
      if (x.begin != y.begin) return x.begin < y.begin;
      const int order = compare(x, y);
      return order != 0 ? order < 0 : x.place < y.place;
    });
    const auto begins = [&](std::int64_t i) { return i == 0 || !equal(slice(i - 1), slice(i)); };
    // Counted first: all could be different, but mostly few are.
    std::size_t different = 0;
    for (std::int64_t i = 0; i < n; ++i)
      if (begins(i)) ++different;
    firsts_.reserve(different);
    for (std::int64_t i = 0; i < n; ++i)
      if (begins(i)) firsts_.push_back(i);
  }

  /// How many different ones there are.
  std::int64_t count() const { return static_cast<std::int64_t>(firsts_.size()); }
  /// Where slice i in order stands in the tensor.
  std::int64_t place(std::int64_t i) const { return slice(i).place; }
  /// Where the equals of different slice i begin in order; their number for the one after the last.
  std::int64_t first(std::int64_t i) const {
    return static_cast<std::int64_t>(i == count() ? slices_.size()
                                                  : static_cast<std::size_t>(firsts_[number(i)]));
  }

  /// Where each different one stands first.
  Tensor places() const {
    Tensor places = Tensor::empty({count()}, ScalarType::i64);
    for (std::int64_t i = 0; i < count(); ++i)
      places.data_as<std::int64_t>()[i] = place(first(i));
    return places;
  }

 private:
  struct Slice {
    std::uint64_t begin;  ///< its first bytes, which mostly tell all
    std::int64_t place;
  };
  static std::size_t number(std::int64_t i) { return static_cast<std::size_t>(i); }
  const Slice& slice(std::int64_t i) const { return slices_[number(i)]; }
  const char* row(std::int64_t i) const {
    return static_cast<const char*>(rows_.data()) + number(i) * width_;
  }
  std::uint64_t begin_of(std::int64_t i) const {
    std::uint64_t begin = 0;
    if (width_ > 0) std::memcpy(&begin, row(i), std::min(width_, sizeof(begin)));
    if constexpr (std::endian::native == std::endian::little) begin = __builtin_bswap64(begin);
    return begin;
  }
  /// What follows the first bytes.
  int compare(const Slice& x, const Slice& y) const {
    constexpr std::size_t known = sizeof(x.begin);
    if (width_ <= known) return 0;
    return std::memcmp(row(x.place) + known, row(y.place) + known, width_ - known);
  }
  bool equal(const Slice& x, const Slice& y) const {
    return x.begin == y.begin && compare(x, y) == 0;
  }

  Tensor rows_;
  std::size_t width_ = 0;  // bytes of a row
  std::vector<Slice> slices_;
  std::vector<std::int64_t> firsts_;
};

std::size_t checked_axis(const TensorView& a, std::int64_t axis) {
  check_defined(a, 0);
  return static_cast<std::size_t>(normalize_axis(axis, a.rank()));
}

}  // namespace

void unique_out(const Output& out, const TensorView& given, std::int64_t axis) {
  with_operation("unique", [&] {
    const TensorView a = given;  // may be the very tensor that is replaced
    const std::size_t along = checked_axis(a, axis);
    const TensorView from = with_axis(a);
    const SortedSlices sorted(from, along);
    DimVector shape(from.shape().begin(), from.shape().end());
    shape[along] = sorted.count();
    const MovedResult result(out, shape, a.dtype(), a);
    const auto number = static_cast<std::int64_t>(along);
    if (result.view().dtype() == a.dtype()) {
      index_select_out(result.view(), from, number, sorted.places());
    } else {
      PartCopies().copy(result.view(), index_select(from, number, sorted.places()));
    }
  });
}
Tensor unique(const TensorView& a, std::int64_t axis) {
  Tensor out;
  unique_out(out, a, axis);
  return out;
}

UniqueElements unique_all(const TensorView& a, std::int64_t axis) {
  return with_operation("unique_all", [&] {
    const std::size_t along = checked_axis(a, axis);
    const TensorView from = with_axis(a);
    const SortedSlices sorted(from, along);
    UniqueElements result;
    result.indices = sorted.places();
    result.values = index_select(from, static_cast<std::int64_t>(along), result.indices);
    result.counts = Tensor::empty({sorted.count()}, ScalarType::i64);
    result.inverse = Tensor::empty({from.shape()[along]}, ScalarType::i64);
    auto* const counts = result.counts.data_as<std::int64_t>();
    auto* const inverse = result.inverse.data_as<std::int64_t>();
    for (std::int64_t value = 0; value < sorted.count(); ++value) {
      const std::int64_t first = sorted.first(value), end = sorted.first(value + 1);
      counts[value] = end - first;
      for (std::int64_t i = first; i < end; ++i)
        inverse[sorted.place(i)] = value;
    }
    return result;
  });
}

}  // namespace v0
}  // namespace weft
