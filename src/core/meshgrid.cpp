// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/base/limits.hpp>
#include <weft/core/views.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {

std::vector<TensorView> meshgrid(std::span<const TensorView> vectors, GridIndexing indexing) {
  if (vectors.size() > max_rank) {
    fail(ErrorCode::rank,
         text("meshgrid: expected at most ", max_rank, " vectors, got ", vectors.size()));
  }
  const auto axis_of = [&](std::size_t k) {
    return k < 2 && vectors.size() > 1 && indexing == GridIndexing::xy ? 1 - k : k;
  };
  DimVector shape(vectors.size(), 0);
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    if (!vectors[k].defined())
      fail(ErrorCode::undefined, text("meshgrid: input ", k, ": undefined tensor"));
    if (vectors[k].rank() != 1) {
      fail(ErrorCode::rank,
           text("meshgrid: input ", k, ": expected one axis, got shape ", vectors[k].shape()));
    }
    shape[axis_of(k)] = vectors[k].shape()[0];
  }
  std::vector<TensorView> grids;
  grids.reserve(vectors.size());
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    DimVector strides(vectors.size(), 0);
    strides[axis_of(k)] = vectors[k].strides()[0];
    grids.push_back(vectors[k].as_strided(shape, strides));
  }
  return grids;
}

}  // namespace v0
}  // namespace weft
