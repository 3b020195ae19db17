// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/iter/coalesce.hpp>

#include <algorithm>

namespace weft {
inline namespace v0 {

int coalesce_blocker(const Geometry& geometry, int inner) {
  if (geometry.extent(inner) == 1 || geometry.extent(inner + 1) == 1) return -1;
  // Only where another extent is 0: the number of elements was checked.
  std::int64_t both = 0;
  if (!checked_mul(geometry.extent(inner), geometry.extent(inner + 1), both)) return 0;
  const auto extent = static_cast<std::uint64_t>(geometry.extent(inner));
  for (int k = 0; k < geometry.noperands; ++k) {
    const auto end = extent * static_cast<std::uint64_t>(geometry.stride(inner, k));
    if (end != static_cast<std::uint64_t>(geometry.stride(inner + 1, k))) return k;
  }
  return -1;
}

void coalesce_dims(Geometry& geometry) {
  if (geometry.ndim() <= 1) return;
  int last = 0;  // dims up to here are done
  for (int dim = 1; dim < geometry.ndim(); ++dim) {
    // Dim `dim` moves next to `last`, and is merged into it where possible.
    if (last + 1 != dim) {
      geometry.extent(last + 1) = geometry.extent(dim);
      std::copy_n(geometry.strides(dim), geometry.noperands, geometry.strides(last + 1));
    }
    if (coalesce_blocker(geometry, last) < 0) {
      if (geometry.extent(last) == 1) {
        std::copy_n(geometry.strides(last + 1), geometry.noperands, geometry.strides(last));
      }
      geometry.extent(last) *= geometry.extent(last + 1);
    } else {
      ++last;
    }
  }
  geometry.resize(last + 1);
}

}  // namespace v0
}  // namespace weft
