// SPDX-License-Identifier: Apache-2.0
#include "support/dense.hpp"

namespace test {

NaiveOperand naive(const weft::TensorView& view) {
  return {dims(view.shape()), dims(view.strides()), weft::element_size(view.dtype())};
}

std::byte* element_at(const weft::TensorView& view, const Dims& index) {
  return static_cast<std::byte*>(view.data()) +
         naive_offset(view.shape(), view.strides(), index) * weft::element_size(view.dtype());
}

Dense dense_copy(const weft::TensorView& view) {
  Dense copy(view.dtype(), dims(view.shape()));
  const NaiveOperand operand = naive(view);
  const auto* from = static_cast<const std::byte*>(view.data());
  std::int64_t flat = 0;
  for_each_index(copy.shape, [&](const Dims& index) {
    std::memcpy(copy.at(flat++), from + naive_offset(operand, index),
                static_cast<std::size_t>(operand.element_bytes));
  });
  return copy;
}

namespace {

void canonicalize(weft::ScalarType type, std::byte* element) {
  weft::dispatch_all_types(type, [&]<class T>() {
    if constexpr (weft::is_complex_type<T>) {
      constexpr auto part = weft::scalar_type_of<typename T::value_type>;
      canonicalize(part, element);
      canonicalize(part, element + sizeof(T) / 2);
    } else if (is_nan(load<T>(element))) {
      std::memset(element, 0xff, sizeof(T));
    }
  });
}

}  // namespace

void canonicalize(Dense& dense) {
  for (std::int64_t i = 0; i < product(dense.shape); ++i)
    canonicalize(dense.type, dense.at(i));
}

long double ulps_between(weft::ScalarType type, const void* a, const void* b,
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
  const auto& [digits, least, largest] = own[0] < other[0] ? own : other;
  const int most = largest;  // lambdas capture no structured bindings before Clang 16
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

std::string difference(const weft::TensorView& got, const Dense& expected, Tolerance tolerance) {
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

bool Watch::gaps_untouched() const {
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

Memory random_memory(Random& random, weft::ScalarType type, const Layout& layout, Values values) {
  Memory memory(type, layout);
  fill(type, memory.data(), layout.size, random, values);
  return memory;
}

Memory random_output(Random& random, weft::ScalarType type, const Dims& shape) {
  return random_memory(random, type, random_layout(random, shape, {.zero = false}));
}

Memory random_input(Random& random, weft::ScalarType type, const Dims& shape, Values values) {
  return random_memory(random, type, random_layout(random, random_operand_shape(random, shape)),
                       values);
}

std::ostream& describe(std::ostream& out, const weft::TensorView& view) {
  return out << weft::name(view.dtype()) << weft::to_string(view.shape()) << " strides "
             << weft::to_string(view.strides());
}

}  // namespace test
