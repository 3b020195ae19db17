// SPDX-License-Identifier: Apache-2.0
// floor_divide, fmod, remainder. Spans are looked through in blocks before they are computed, for
// what the plain loop cannot do: integers divided by zero are noted, and floating numbers with a
// huge quotient send their block to the C library.
#include "kernels/division/division.hpp"

#include "kernels/division/fmod.hpp"
#include "kernels/division/quotient.hpp"
#include "kernels/loops/op_table.hpp"

namespace weft {
inline namespace v0 {
namespace {

template <template <class> class Formula, class T>
constexpr SpanKernel division_kernel_of();

// ---- Formulas ----------------------------------------------------------------------------------

// Of integers, `of(a, b)` with b not 0; of floating numbers `of(a, b, fmod(a, b))`.

template <class T>
struct FMod {
  static WEFT_ALWAYS_INLINE T of(T a, T b) noexcept {
    return minus(a, times(whole_quotient<false>(a, b), b));
  }
  static WEFT_ALWAYS_INLINE T of(T, T, T rest) noexcept { return rest; }
  static constexpr SpanKernel kernel(const FMod&) { return division_kernel_of<FMod, T>(); }
};

template <class T>
struct Remainder {
  static WEFT_ALWAYS_INLINE T of(T a, T b) noexcept {
    return minus(a, times(whole_quotient<true>(a, b), b));
  }
  static WEFT_ALWAYS_INLINE T of(T, T b, T rest) noexcept {
    const bool other_side = static_cast<int>(rest != 0) & static_cast<int>((b < 0) != (rest < 0));
    return other_side ? rest + b : rest;
  }
  static constexpr SpanKernel kernel(const Remainder&) {
    return division_kernel_of<Remainder, T>();
  }
};

template <class T>
struct FloorDivide {
  static WEFT_ALWAYS_INLINE T of(T a, T b) noexcept { return whole_quotient<true>(a, b); }
  /// (a - rest) / b is whole but for its rounding, so the nearest integer is the one meant.
  static WEFT_ALWAYS_INLINE T of(T a, T b, T rest) noexcept {
    const bool other_side = static_cast<int>(rest != 0) & static_cast<int>((b < 0) != (rest < 0));
    T quotient = (a - rest) / b;
    quotient = other_side ? quotient - 1 : quotient;
    const T below = floor_of(quotient);
    const T whole = quotient - below > T(0.5) ? below + 1 : below;
    const T signed_whole = quotient == 0 ? with_sign(T(0), a / b) : whole;
    return b == 0 ? a / b : signed_whole;
  }
  static constexpr SpanKernel kernel(const FloorDivide&) {
    return division_kernel_of<FloorDivide, T>();
  }
};

// ---- Spans -------------------------------------------------------------------------------------

template <template <class> class Formula, class T>
struct Divide {
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    if constexpr (std::is_integral_v<T>) {
      return Formula<T>::of(a, b == 0 ? T(1) : b);
    } else {
      return Formula<T>::of(a, b, quick_fmod(a, b));
    }
  }
};
/// The same for any quotient.
template <template <class> class Formula, class T>
struct DivideExactly {
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    return Formula<T>::of(a, b, exact_fmod(a, b));
  }
};

/// What Divide cannot do.
template <class T>
WEFT_ALWAYS_INLINE bool is_unusual(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return b == 0;
  } else {
    return needs_exact_fmod(a, b);
  }
}

template <std::uint32_t Mask, class T>
bool any_unusual(const char* a_data, const char* b_data, std::int64_t n) {
  const SpanReader<T, (Mask & 1) != 0> a{a_data};
  const SpanReader<T, (Mask & 2) != 0> b{b_data};
  // As wide as T, so that the loop vectorises.
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint8_t>>;
  Bits found = 0;
  for (std::int64_t i = 0; i < n; ++i)
    found |= static_cast<Bits>(is_unusual(a[i], b[i]));
  return found != 0;
}

template <class T>
bool any_unusual(char* const* data, std::int64_t n, std::uint32_t broadcast) {
  switch (broadcast >> 1) {
    case 0: return any_unusual<0, T>(data[1], data[2], n);
    case 1: return any_unusual<1, T>(data[1], data[2], n);
    case 2: return any_unusual<2, T>(data[1], data[2], n);
    default: return any_unusual<3, T>(data[1], data[2], n);
  }
}

template <template <class> class Formula, class T>
void run_span(bool* by_zero, char* const* data, std::int64_t n, std::uint32_t broadcast) {
  static constexpr Divide<Formula, T> divide{};
  // Small enough for a block to be in L1 when it is computed.
  constexpr std::int64_t block = 512;
  constexpr std::int64_t size = sizeof(T);
  for (std::int64_t start = 0; start < n; start += block) {
    const std::int64_t count = n - start < block ? n - start : block;
    char* part[3];
    for (int k = 0; k < 3; ++k)
      part[k] = data[k] + ((broadcast >> k & 1) != 0 ? 0 : start * size);
    const bool unusual = any_unusual<T>(part, count, broadcast);
    if constexpr (std::is_integral_v<T>) {
      if (unusual && by_zero != nullptr) __atomic_store_n(by_zero, true, __ATOMIC_RELAXED);
    } else if (unusual) {
      static constexpr DivideExactly<Formula, T> divide_exactly{};
      typed_span_kernel(divide_exactly).run(&divide_exactly, part, nullptr, count, 1, broadcast);
      continue;
    }
    typed_span_kernel(divide).run(&divide, part, nullptr, count, 1, broadcast);
  }
}

template <template <class> class Formula, class T>
void run(const void* context, char* const* data, const std::int64_t* row_bytes, std::int64_t n,
         std::int64_t rows, std::uint32_t broadcast) {
  auto* by_zero = static_cast<bool*>(const_cast<void*>(context));
  for_each_row<3>(data, row_bytes, rows,
                  [&](char* const* row) { run_span<Formula, T>(by_zero, row, n, broadcast); });
}

template <template <class> class Formula, class T>
constexpr SpanKernel division_kernel_of() {
  constexpr float cost = std::is_integral_v<T> && sizeof(T) == 8 ? 30 : 4;  // in adds
  SpanKernel kernel;
  kernel.run = &run<Formula, T>;
  kernel.noutputs = 1;
  kernel.ninputs = 2;
  kernel.broadcastable = 6;
  kernel.cost = cost;
  for (int k = 0; k < 3; ++k)
    kernel.types[k] = scalar_type_of<T>;
  return kernel;
}

}  // namespace

WEFT_FOR_EACH_DIVISION(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
