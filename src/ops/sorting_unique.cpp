// SPDX-License-Identifier: Apache-2.0
// The different elements of a tensor: it is sorted as one line, in which equal ones are neighbours.
#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/sorting.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "ops/index_operand.hpp"
#include "ops/line_sorter.hpp"
#include "ops/line_walk.hpp"
#include "ops/moved_result.hpp"

#include <optional>

namespace weft {
inline namespace v0 {
namespace {

/// All elements in order, and where equal ones begin.
class SortedElements {
 public:
  SortedElements(const TensorView& a, bool with_positions) : n_(a.numel()) {
    if (is_complex(a.dtype())) fail_no_kernel(a.dtype());
    if (n_ == 0) return;
    const LineSorter sorter(a.dtype(), n_, SortOrder::ascending, SortedPart::all);
    const Tensor flat = contiguous(a, sorter.type());
    sorted_ = Tensor::empty({n_}, sorter.type());
    const auto* const in = static_cast<const char*>(flat.data());
    auto* const out = static_cast<char*>(sorted_.data());
    if (with_positions) {
      positions_ = Tensor::empty({n_}, ScalarType::i64);
      auto* const positions = positions_.data_as<std::int64_t>();
      const LineMemory room(sorter.positions_room());
      sorter.sort_positions(positions, in, room.data());
      sorter.take(out, in, positions, n_);
    } else {
      const LineMemory room(sorter.sort_room());
      sorter.sort(out, in, room.data());
    }
    // The input is not needed any more: its memory is for keys.
    auto* const keys = static_cast<char*>(flat.data());
    sorter.to_keys(keys, out);
    firsts_ = Tensor::empty({n_}, ScalarType::i64);
    auto* const firsts = firsts_.data_as<std::int64_t>();
    count_ = sorter.find_firsts(firsts, keys);
    sorter.take(out, out, firsts, count_);  // forward: no value is overwritten before it is taken
  }

  /// How many values there are, and how many elements.
  std::int64_t count() const { return count_; }
  std::int64_t size() const { return n_; }

  void copy_values(const TensorView& to) const {
    if (count_ == 0) return;
    const std::int64_t step = to.strides()[0] * element_size(to.dtype());
    cast_elements(to.data(), to.dtype(), step, sorted_.data(), sorted_.dtype(),
                  element_size(sorted_.dtype()), count_);
  }
  std::int64_t position(std::int64_t i) const {
    return static_cast<const std::int64_t*>(positions_.data())[i];
  }
  /// Where value i begins among the elements in order; their number for the one after the last.
  std::int64_t first(std::int64_t i) const {
    return i == count_ ? n_ : static_cast<const std::int64_t*>(firsts_.data())[i];
  }

 private:
  std::int64_t n_, count_ = 0;
  Tensor sorted_, positions_, firsts_;
};

}  // namespace

void unique_out(const Output& out, const TensorView& given) {
  with_operation("unique", [&] {
    const TensorView a = given;  // may be the very tensor that is replaced
    check_defined(a, 0);
    const SortedElements sorted(a, false);
    const MovedResult result(out, {sorted.count()}, a.dtype(), a);
    sorted.copy_values(result.view());
  });
}
Tensor unique(const TensorView& a) {
  Tensor out;
  unique_out(out, a);
  return out;
}

UniqueElements unique_all(const TensorView& a) {
  return with_operation("unique_all", [&] {
    check_defined(a, 0);
    const SortedElements sorted(a, true);
    UniqueElements result;
    result.values = Tensor::empty({sorted.count()}, a.dtype());
    sorted.copy_values(result.values);
    result.indices = Tensor::empty({sorted.count()}, ScalarType::i64);
    result.counts = Tensor::empty({sorted.count()}, ScalarType::i64);
    result.inverse = Tensor::empty(a.shape(), ScalarType::i64);
    auto* const indices = result.indices.data_as<std::int64_t>();
    auto* const counts = result.counts.data_as<std::int64_t>();
    auto* const inverse = result.inverse.data_as<std::int64_t>();
    for (std::int64_t value = 0; value < sorted.count(); ++value) {
      const std::int64_t first = sorted.first(value), end = sorted.first(value + 1);
      indices[value] = sorted.position(first);
      counts[value] = end - first;
      for (std::int64_t i = first; i < end; ++i)
        inverse[sorted.position(i)] = value;
    }
    return result;
  });
}

}  // namespace v0
}  // namespace weft
