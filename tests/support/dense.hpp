// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reference results: dense, row-major, computed index by index, and compared with what a strided
/// view holds.
#pragma once

#include <weft/core/tensor.hpp>

#include "support/element.hpp"
#include "support/naive.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"
#include "support/visit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace test {

NaiveOperand naive(const weft::TensorView& view);

/// Address of the element that belongs to an index of a shape to which the view broadcasts.
std::byte* element_at(const weft::TensorView& view, const Dims& index);

/// A dense tensor by itself.
struct Dense {
  weft::ScalarType type;
  Dims shape;
  std::vector<std::byte> bytes;

  Dense(weft::ScalarType element_type, Dims extents)
      : type(element_type),
        shape(std::move(extents)),
        bytes(static_cast<std::size_t>(product(shape) * weft::element_size(type))) {}
  std::byte* at(std::int64_t flat) {
    return bytes.data() + static_cast<std::size_t>(flat * weft::element_size(type));
  }
  const std::byte* at(std::int64_t flat) const {
    return bytes.data() + static_cast<std::size_t>(flat * weft::element_size(type));
  }
};

/// The elements of a view, row-major, as they are.
Dense dense_copy(const weft::TensorView& view);

/// Gives all NaNs the same bits: what a NaN holds depends on which operand of two a compiler puts
/// first.
void canonicalize(Dense& dense);

/// f(inputs, out) for every index of `shape`: inputs[k] is the address of input k's element, out
/// that of the result's.
template <class F>
Dense naive_map(weft::ScalarType type, const Dims& shape,
                const std::vector<weft::TensorView>& inputs, F&& f) {
  Dense result(type, shape);
  std::vector<NaiveOperand> operands;
  for (const weft::TensorView& input : inputs)
    operands.push_back(naive(input));
  std::vector<const void*> elements(inputs.size());
  std::int64_t flat = 0;
  for_each_index(shape, [&](const Dims& index) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      elements[k] =
          static_cast<const std::byte*>(inputs[k].data()) + naive_offset(operands[k], index);
    }
    f(elements.data(), static_cast<void*>(result.at(flat++)));
  });
  return result;
}

/// |a - b| in units in the last place of the type with the fewest digits among those of a and b and
/// `computed`, as far as it has any beside b; infinity counts as the number after the largest.
long double ulps_between(weft::ScalarType type, const void* a, const void* b,
                         weft::ScalarType computed);

/// What may differ: nothing, or as many units in the last place of the type it was computed in.
struct Tolerance {
  double ulps = 0;
  weft::ScalarType computed = weft::ScalarType::f64;
};

/// Empty if `got` has the shape, type and elements of `expected`, else where it differs first.
std::string difference(const weft::TensorView& got, const Dense& expected,
                       Tolerance tolerance = {});

/// The bytes of a piece of memory as they were, to see that only a view's own elements change.
class Watch {
 public:
  Watch(const std::byte* memory, std::int64_t size, const weft::TensorView& view)
      : memory_(memory), view_(view), before_(memory, memory + size) {}
  explicit Watch(const Memory& memory) : Watch(memory.data(), memory.size_bytes(), memory.view()) {}

  /// True if no byte has changed outside the view's elements.
  bool gaps_untouched() const;
  bool untouched() const { return std::equal(before_.begin(), before_.end(), memory_); }

 private:
  const std::byte* memory_;
  weft::TensorView view_;
  std::vector<std::byte> before_;
};

/// Memory with random elements, also where the layout leaves gaps.
Memory random_memory(Random& random, weft::ScalarType type, const Layout& layout,
                     Values values = Values::any);

/// An output: no two elements share a place.
Memory random_output(Random& random, weft::ScalarType type, const Dims& shape);

/// An input that broadcasts to `shape`, laid out in any way.
Memory random_input(Random& random, weft::ScalarType type, const Dims& shape,
                    Values values = Values::any);

/// For messages: the type, shape and strides of a view.
std::ostream& describe(std::ostream& out, const weft::TensorView& view);

}  // namespace test
