// SPDX-License-Identifier: Apache-2.0
// Arithmetic progressions. Each element is computed from its position, so that neither blocks nor
// threads show in the result.
#include "kernels/sequence/sequence.hpp"

#include <weft/core/cast.hpp>

#include <type_traits>

namespace weft {
inline namespace v0 {
namespace {

/// n terms origin + (first + i) * step. Positions are below 2^53, so they are exact, and 32 bits of
/// them are converted at a time, for which every level has an instruction.
template <class T>
void terms_from(T* to, double origin, double step, std::int64_t first, std::int64_t n) {
  constexpr std::int64_t block = std::int64_t{1} << 30;
  for (; n > 0; n -= block, first += block, to += block) {
    const auto base = static_cast<double>(first);
    const auto count = static_cast<std::int32_t>(n < block ? n : block);
    for (std::int32_t i = 0; i < count; ++i)
      to[i] = cast<T>(origin + (base + static_cast<double>(i)) * step);
  }
}

template <class T>
void fill(const Progression& terms, void* to, std::int64_t first, std::int64_t n) {
  T* out = static_cast<T*>(to);
  if constexpr (std::is_integral_v<T>) {
    // In 32 bits where that is all that remains of the 64.
    using Wide = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const auto start = static_cast<Wide>(terms.whole_start) +
                       static_cast<Wide>(first) * static_cast<Wide>(terms.whole_step);
    const auto step = static_cast<Wide>(terms.whole_step);
    for (std::int64_t i = 0; i < n; ++i)
      out[i] = static_cast<T>(start + static_cast<Wide>(i) * step);
  } else {
    const std::int64_t left = terms.turn - first;
    const std::int64_t ascending = left < 0 ? 0 : left < n ? left : n;
    terms_from(out, terms.start, terms.step, first, ascending);
    // (i - last) * step is -((last - i) * step) to the bit.
    terms_from(out + ascending, terms.stop, terms.step, first + ascending - terms.last,
               n - ascending);
  }
}

}  // namespace

SequenceFn WEFT_KERNEL(sequence_kernel)(ScalarType type) {
  switch (type) {
    case ScalarType::u8: return &fill<std::uint8_t>;
    case ScalarType::i8: return &fill<std::int8_t>;
    case ScalarType::u16: return &fill<std::uint16_t>;
    case ScalarType::i16: return &fill<std::int16_t>;
    case ScalarType::u32: return &fill<std::uint32_t>;
    case ScalarType::i32: return &fill<std::int32_t>;
    case ScalarType::u64: return &fill<std::uint64_t>;
    case ScalarType::i64: return &fill<std::int64_t>;
    case ScalarType::f16: return &fill<float16>;
    case ScalarType::bf16: return &fill<bfloat16>;
    case ScalarType::f32: return &fill<float>;
    case ScalarType::f64: return &fill<double>;
    default: return nullptr;
  }
}

}  // namespace v0
}  // namespace weft
