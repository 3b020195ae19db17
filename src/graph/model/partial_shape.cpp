// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/base/limits.hpp>
#include <weft/graph/partial_shape.hpp>

#include "base/text.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

PartialShape::PartialShape(IntSpan extents) {
  if (extents.size() > static_cast<std::size_t>(max_rank)) {
    fail(ErrorCode::rank, text("shape: rank at most ", max_rank, ", got ", extents.size()));
  }
  for (const std::int64_t extent : extents) {
    if (extent < unknown) {
      fail(ErrorCode::shape,
           text("shape: extents are at least -1, got ", weft::to_string(extents)));
    }
  }
  extents_.assign(extents);
}

PartialShape PartialShape::unranked() {
  PartialShape shape;
  shape.has_rank_ = false;
  return shape;
}

PartialShape PartialShape::of_rank(int rank) {
  if (rank < 0 || rank > max_rank) {
    fail(ErrorCode::rank, text("shape: expected a rank from 0 to ", max_rank, ", got ", rank));
  }
  return {DimVector(static_cast<std::size_t>(rank), unknown)};
}

int PartialShape::rank() const { return extents().rank(); }

IntSpan PartialShape::extents() const {
  if (!has_rank_) fail(ErrorCode::rank, "shape: the rank is not known");
  return extents_;
}

std::int64_t PartialShape::extent(std::int64_t axis) const {
  return extents()[existing_axis(axis, rank())];
}

bool PartialShape::is_static() const noexcept {
  return has_rank_ && std::ranges::find(extents_, unknown) == extents_.end();
}

IntSpan PartialShape::shape() const {
  if (!is_static()) fail(ErrorCode::shape, text("shape: not all known: ", to_string(*this)));
  return extents_;
}

bool PartialShape::admits(IntSpan shape) const noexcept {
  if (!has_rank_) return true;
  return std::ranges::equal(extents_, shape, [](std::int64_t expected, std::int64_t got) {
    return expected == unknown || expected == got;
  });
}

PartialShape PartialShape::merged_with(const PartialShape& other) const {
  if (!has_rank_) return other;
  if (!other.has_rank_) return *this;
  const auto contradict = [&] {
    fail(ErrorCode::shape, text("shapes ", to_string(*this), " and ", to_string(other), " differ"));
  };
  if (extents_.size() != other.extents_.size()) contradict();
  PartialShape merged = *this;
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    const std::int64_t theirs = other.extents_[i];
    if (merged.extents_[i] == unknown) {
      merged.extents_[i] = theirs;
    } else if (theirs != unknown && theirs != merged.extents_[i]) {
      contradict();
    }
  }
  return merged;
}

PartialShape PartialShape::united_with(const PartialShape& other) const {
  if (!has_rank_ || !other.has_rank_ || extents_.size() != other.extents_.size()) {
    return unranked();
  }
  PartialShape united = *this;
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    if (united.extents_[i] != other.extents_[i]) united.extents_[i] = unknown;
  }
  return united;
}

std::string to_string(const PartialShape& shape) {
  if (!shape.has_rank()) return "[...]";
  std::string out = "[";
  for (const std::int64_t extent : shape.extents()) {
    if (out.size() > 1) out += ", ";
    out += extent == PartialShape::unknown ? "?" : std::to_string(extent);
  }
  return out + "]";
}

std::string to_string(const ValueType& type) {
  return text(name(type.dtype), to_string(type.shape));
}

PartialShape broadcast_shapes(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape::unranked();
  constexpr std::int64_t unknown = PartialShape::unknown;
  const IntSpan x = a.extents(), y = b.extents();
  const std::size_t rank = std::max(x.size(), y.size());
  DimVector out(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) {  // from the last axis
    const std::int64_t p = i < x.size() ? x[x.size() - 1 - i] : 1;
    const std::int64_t q = i < y.size() ? y[y.size() - 1 - i] : 1;
    std::int64_t& extent = out[rank - 1 - i];
    if (p == q || q == 1) {
      extent = p;
    } else if (p == 1) {
      extent = q;
    } else if (p == unknown || q == unknown) {
      extent = p == unknown ? q : p;  // the unknown one is that, or 1
    } else {
      fail(ErrorCode::shape,
           text("shapes ", to_string(a), " and ", to_string(b), " do not broadcast: extents ", p,
                " and ", q, " at axis ", static_cast<std::int64_t>(rank - 1 - i)));
    }
  }
  return out;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
