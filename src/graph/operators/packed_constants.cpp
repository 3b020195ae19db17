// SPDX-License-Identifier: Apache-2.0
#include "graph/operators/packed_constants.hpp"

#include <map>
#include <mutex>
#include <tuple>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

using Key = std::tuple<const void*, ScalarType, std::int64_t, std::int64_t, std::int64_t,
                       std::int64_t, const ProductProvider*>;

struct Packed {
  std::mutex mutex;
  std::map<Key, std::weak_ptr<const PackedMatrix>> matrices;
};

Packed& packed() {
  static Packed all;
  return all;
}

}  // namespace

std::shared_ptr<const PackedMatrix> packed_constant(const TensorView& matrix) {
  const Key key{matrix.data(),    matrix.dtype(),   matrix.extent(0),  matrix.extent(1),
                matrix.stride(0), matrix.stride(1), product_provider()};
  Packed& all = packed();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.matrices.find(key); found != all.matrices.end()) {
    if (auto held = found->second.lock()) return held;
  }
  std::erase_if(all.matrices, [](const auto& entry) { return entry.second.expired(); });
  auto made = std::make_shared<const PackedMatrix>(matrix);
  all.matrices[key] = made;
  return made;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
