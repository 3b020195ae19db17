// SPDX-License-Identifier: Apache-2.0
// Elements that are set, for masks and nonzero: how many, which, and their positions.
#include "kernels/indexing/indexing.hpp"
#include "kernels/scalar/arithmetic.hpp"
#include "kernels/stage/moves.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// True if the element at an address is not 0.
template <class T>
WEFT_ALWAYS_INLINE bool is_set(const char* from) {
  if constexpr (is_half_type<T>) {
    return (load<std::uint16_t>(from) & 0x7fff) != 0;
  } else if constexpr (is_complex_type<T>) {
    using Part = typename T::value_type;
    const bool real = load<Part>(from) != 0, imaginary = load<Part>(from + sizeof(Part)) != 0;
    return real || imaginary;
  } else {
    return load<T>(from) != 0;
  }
}

template <class T>
std::int64_t count_set(const char* from, std::int64_t step, std::int64_t n) {
  constexpr std::int64_t size = sizeof(T);
  std::int32_t count = 0;
  if (step == size) {
    for (std::int64_t i = 0; i < n; ++i)
      count += is_set<T>(from + i * size) ? 1 : 0;
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      count += is_set<T>(from + i * step) ? 1 : 0;
  }
  return count;
}

/// Without a branch for each: every place is written, and stays only if the next one goes behind
/// it.
template <class T>
std::int64_t note_set(std::int32_t* places, const char* from, std::int64_t step, std::int64_t n) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    places[count] = static_cast<std::int32_t>(i);
    count += is_set<T>(from + i * step) ? 1 : 0;
  }
  return count;
}

template <class T>
constexpr SetElements set_elements{&count_set<T>, &note_set<T>};

template <class Number>
void write_positions(const PositionRows& rows, std::int64_t first, const std::int32_t* places,
                     std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    auto number = static_cast<Number>(first + places[i]);
    char* const row = rows.to + i * rows.row_step;
    for (int axis = rows.rank - 1; axis > 0; --axis) {
      const auto extent = static_cast<Number>(rows.shape[axis]);
      store(row + axis * rows.column_step, static_cast<std::int64_t>(number % extent));
      number /= extent;
    }
    if (rows.rank > 0) store(row, static_cast<std::int64_t>(number));
  }
}

}  // namespace

const SetElements* WEFT_KERNEL(set_elements_kernel)(ScalarType type) {
  switch (type) {
    case ScalarType::boolean:
    case ScalarType::u8:
    case ScalarType::i8: return &set_elements<std::uint8_t>;
    case ScalarType::u16:
    case ScalarType::i16: return &set_elements<std::uint16_t>;
    case ScalarType::u32:
    case ScalarType::i32: return &set_elements<std::uint32_t>;
    case ScalarType::u64:
    case ScalarType::i64: return &set_elements<std::uint64_t>;
    case ScalarType::f16:
    case ScalarType::bf16: return &set_elements<float16>;
    case ScalarType::f32: return &set_elements<float>;
    case ScalarType::f64: return &set_elements<double>;
    case ScalarType::c64: return &set_elements<std::complex<float>>;
    case ScalarType::c128: return &set_elements<std::complex<double>>;
  }
  return nullptr;
}

PositionsFn WEFT_KERNEL(positions_kernel)(std::int64_t numel) {
  return numel <= std::int64_t{0xFFFF'FFFF} ? &write_positions<std::uint32_t>
                                            : &write_positions<std::uint64_t>;
}

}  // namespace v0
}  // namespace weft
