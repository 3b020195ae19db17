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

inline NaiveOperand naive(const weft::TensorView& view) {
  return {dims(view.shape()), dims(view.strides()), weft::element_size(view.dtype())};
}

/// Address of the element that belongs to an index of a shape to which the view broadcasts.
inline std::byte* element_at(const weft::TensorView& view, const Dims& index) {
  return static_cast<std::byte*>(view.data()) + naive_offset(naive(view), index);
}

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
inline Dense dense_copy(const weft::TensorView& view) {
  Dense copy(view.dtype(), dims(view.shape()));
  std::int64_t flat = 0;
  for_each_index(copy.shape, [&](const Dims& index) {
    std::memcpy(copy.at(flat++), element_at(view, index),
                static_cast<std::size_t>(weft::element_size(view.dtype())));
  });
  return copy;
}

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
inline long double ulps_between(weft::ScalarType type, const void* a, const void* b,
                                weft::ScalarType computed) {
  if (same_element(type, a, b)) return 0;
  if (weft::is_complex(type)) {
    const auto part = type == weft::ScalarType::c64 ? weft::ScalarType::f32 : weft::ScalarType::f64;
    const auto size = weft::element_size(part);
    const auto* x = static_cast<const std::byte*>(a);
    const auto* y = static_cast<const std::byte*>(b);
    return std::max(ulps_between(part, x, y, computed),
                    ulps_between(part, x + size, y + size, computed));
  }
  const auto format = [](weft::ScalarType t) {
    switch (t) {
      case weft::ScalarType::f16: return std::array{11, -13, 16};
      case weft::ScalarType::bf16: return std::array{8, -125, 128};
      case weft::ScalarType::f32: return std::array{24, -125, 128};
      default: return std::array{53, -1021, 1024};
    }
  };
  const auto own = format(type), other = format(computed);
  const auto [digits, least, most] = own[0] < other[0] ? own : other;
  const auto value = [&](const void* element) {
    double x = 0;
    convert_element(weft::ScalarType::f64, &x, type, element);
    const long double beyond = std::ldexp(1.0L, most);
    return std::isinf(x) ? std::copysign(beyond, static_cast<long double>(x)) : x;
  };
  const long double x = value(a), y = value(b);
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<long double>::infinity();
  if (x == 0 && y == 0) return std::numeric_limits<long double>::infinity();  // signs of zero
  const int exponent = y == 0 ? least : std::max(std::ilogb(y) + 1, least);
  return std::fabs(x - y) / std::ldexp(1.0L, exponent - digits);
}

/// What may differ: nothing, or as many units in the last place of the type it was computed in.
struct Tolerance {
  double ulps = 0;
  weft::ScalarType computed = weft::ScalarType::f64;
};

/// Empty if `got` has the shape, type and elements of `expected`, else where it differs first.
inline std::string difference(const weft::TensorView& got, const Dense& expected,
                              Tolerance tolerance = {}) {
  std::ostringstream out;
  if (dims(got.shape()) != expected.shape || got.dtype() != expected.type) {
    out << "got " << weft::name(got.dtype()) << weft::to_string(got.shape()) << ", expected "
        << weft::name(expected.type) << weft::to_string(expected.shape);
    return out.str();
  }
  const NaiveOperand operand = naive(got);
  std::int64_t flat = 0;
  bool found = false;
  for_each_index(expected.shape, [&](const Dims& index) {
    const std::byte* wanted = expected.at(flat++);
    const auto* is = static_cast<const std::byte*>(got.data()) + naive_offset(operand, index);
    if (found || same_element(got.dtype(), is, wanted)) return;
    if (tolerance.ulps > 0 && (weft::is_floating(got.dtype()) || weft::is_complex(got.dtype())) &&
        ulps_between(got.dtype(), is, wanted, tolerance.computed) <= tolerance.ulps) {
      return;
    }
    found = true;
    out << weft::name(got.dtype()) << " at " << weft::to_string(index) << " is ";
    print_element(out, got.dtype(), is);
    out << ", expected ";
    print_element(out, got.dtype(), wanted);
  });
  return out.str();
}

/// The bytes of a piece of memory as they were, to see that only a view's own elements change.
class Watch {
 public:
  Watch(const std::byte* memory, std::int64_t size, const weft::TensorView& view)
      : memory_(memory), view_(view), before_(memory, memory + size) {}
  explicit Watch(const Memory& memory) : Watch(memory.data(), memory.size_bytes(), memory.view()) {}

  /// True if no byte has changed outside the view's elements.
  bool gaps_untouched() const {
    std::vector<char> own(before_.size(), 0);
    const NaiveOperand operand = naive(view_);
    for_each_index(operand.shape, [&](const Dims& index) {
      const auto at = static_cast<const std::byte*>(view_.data()) - memory_;
      std::memset(own.data() + at + naive_offset(operand, index), 1,
                  static_cast<std::size_t>(operand.element_bytes));
    });
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i] == 0 && memory_[i] != before_[i]) return false;
    }
    return true;
  }
  bool untouched() const { return std::equal(before_.begin(), before_.end(), memory_); }

 private:
  const std::byte* memory_;
  weft::TensorView view_;
  std::vector<std::byte> before_;
};

/// Memory with random elements, also where the layout leaves gaps.
inline Memory random_memory(Random& random, weft::ScalarType type, const Layout& layout,
                            Values values = Values::any) {
  Memory memory(type, layout);
  fill(type, memory.data(), layout.size, random, values);
  return memory;
}

/// An output: no two elements share a place.
inline Memory random_output(Random& random, weft::ScalarType type, const Dims& shape) {
  return random_memory(random, type, random_layout(random, shape, {.zero = false}));
}

/// An input that broadcasts to `shape`, laid out in any way.
inline Memory random_input(Random& random, weft::ScalarType type, const Dims& shape,
                           Values values = Values::any) {
  return random_memory(random, type, random_layout(random, random_operand_shape(random, shape)),
                       values);
}

/// For messages: the type, shape and strides of a view.
inline std::ostream& describe(std::ostream& out, const weft::TensorView& view) {
  return out << weft::name(view.dtype()) << weft::to_string(view.shape()) << " strides "
             << weft::to_string(view.strides());
}

}  // namespace test
