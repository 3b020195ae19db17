// SPDX-License-Identifier: Apache-2.0
/// @file
/// Complex numbers in registers, real and imaginary parts side by side as in memory, for formulas
/// that multiply and add; and spans of such formulas.
#pragma once

#include <weft/kernel/detail/span_loop.hpp>

#include "kernels/complex/part_registers.hpp"

#include <complex>
#include <cstdint>
#include <limits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

#if defined(WEFT_HAS_PART_REGISTERS)
/// As many complex numbers as a register of parts holds. By the same formulas as plus(), minus()
/// and times() of kernels/scalar/arithmetic.hpp and quotient() of
/// kernels/complex/complex_quotient.hpp: a product's real part is a difference and its imaginary
/// part a sum of two products, none of them fused.
template <class Part>
struct ComplexRegister {
  using Ops = PartRegister<Part>;
  using Type = typename Ops::Type;
  using Memory = NumbersInMemory<Part>;
  Type parts;

  static WEFT_ALWAYS_INLINE ComplexRegister load(const char* from) noexcept {
    ComplexRegister a;
    __builtin_memcpy(&a.parts, from, sizeof(Type));
    return a;
  }
  WEFT_ALWAYS_INLINE void store(char* to) const noexcept {
    __builtin_memcpy(to, &parts, sizeof(Type));
  }
  /// The first `bytes` bytes of a register, of complete numbers and less than all; the others are
  /// 0.
  static WEFT_ALWAYS_INLINE ComplexRegister load_first(const char* from,
                                                       std::int64_t bytes) noexcept {
    return {Memory::load_first(from, bytes)};
  }
  /// Writes as many, and nothing else.
  WEFT_ALWAYS_INLINE void store_first(char* to, std::int64_t bytes) const noexcept {
    Memory::store_first(to, parts, bytes);
  }
  /// As many numbers as it holds, at a stride of `step` bytes.
  static WEFT_ALWAYS_INLINE ComplexRegister load_strided(const char* from,
                                                         std::int64_t step) noexcept {
    return {Memory::load_strided(from, step)};
  }
  /// One number in all places.
  static WEFT_ALWAYS_INLINE ComplexRegister all(std::complex<Part> a) noexcept {
    return {Ops::pairs(a.real(), a.imag())};
  }
  /// The same from memory.
  static WEFT_ALWAYS_INLINE ComplexRegister load_all(const char* from) noexcept {
    return {Memory::load_all(from)};
  }

  friend WEFT_ALWAYS_INLINE ComplexRegister operator+(const ComplexRegister& a,
                                                      const ComplexRegister& b) noexcept {
    return {a.parts + b.parts};
  }
  friend WEFT_ALWAYS_INLINE ComplexRegister operator-(const ComplexRegister& a,
                                                      const ComplexRegister& b) noexcept {
    return {a.parts - b.parts};
  }
  friend WEFT_ALWAYS_INLINE ComplexRegister operator*(const ComplexRegister& a,
                                                      const ComplexRegister& b) noexcept {
    const Type re = a.parts * Ops::reals(b.parts);
    const Type im = Ops::swapped(a.parts) * Ops::imags(b.parts);
    return {Ops::less_and_more(re, im)};
  }

  WEFT_ALWAYS_INLINE ComplexRegister reciprocal() const noexcept {
    const Type size = Ops::without(parts, Ops::pairs(Part(-0.0), Part(-0.0)));
    const Type scale = Ops::larger(size, Ops::swapped(size));
    // Where that is infinite or 0, as complex_divisor() of kernels/complex/complex_quotient.hpp has
    // it.
    constexpr Part infinite = std::numeric_limits<Part>::infinity();
    const Type zero = Ops::equal(scale, Ops::pairs(0, 0));
    const Type odd = Ops::either(zero, Ops::equal(scale, Ops::pairs(infinite, infinite)));
    const Type one = Ops::chosen(zero, Ops::pairs(1, 0), Ops::pairs(1, 1));
    const Type signs = Ops::both(parts, Ops::pairs(Part(-0.0), Part(-0.0)));
    const Type direction = Ops::either(Ops::both(Ops::equal(size, scale), one), signs);
    const Type small = Ops::chosen(odd, direction, parts / scale);
    const Type divisor = sums(small * small) * scale;
    const Type conjugate = Ops::changed(small, Ops::pairs(Part(0.0), Part(-0.0)));
    // (1 + 0 i) times the conjugate.
    return {(conjugate + Ops::swapped(small) * Ops::pairs(0, 0)) / divisor};
  }
  /// |by|^2 < limit ? a : b.
  static WEFT_ALWAYS_INLINE ComplexRegister choice(const ComplexRegister& by, Part limit,
                                                   const ComplexRegister& a,
                                                   const ComplexRegister& b) noexcept {
    return {Ops::if_less(sums(by.parts * by.parts), Ops::pairs(limit, limit), a.parts, b.parts)};
  }

 private:
  static WEFT_ALWAYS_INLINE Type sums(Type a) noexcept { return a + Ops::swapped(a); }
};

/// Loops of `R F::in_registers(R...) const`, R = ComplexRegister of F's parts.
template <class F>
class ComplexRegisterSpans {
  using T = typename Signature<F>::Result;
  using Register = ComplexRegister<typename T::value_type>;
  static constexpr std::size_t nin = std::tuple_size_v<typename Signature<F>::Params>;
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t register_size = sizeof(Register);

  // Formulas come by value: to compilers, results may change what they hold, if it is in memory.

  /// Inputs of which bit k of `broadcast` is set are one number, which stays in a register.
  template <std::uint32_t broadcast, std::size_t... I>
  static WEFT_ALWAYS_INLINE void span(F op, char* const* data, std::int64_t n,
                                      std::index_sequence<I...>) {
    const auto once = [&](std::size_t k) WEFT_INLINE_LAMBDA {
      return (broadcast >> k & 1) != 0 ? Register::load_all(data[1 + k]) : Register{};
    };
    const Register values[] = {once(I)...};
    const std::int64_t bytes = n * size;
    std::int64_t i = 0;
    const auto whole = [&](std::size_t k) WEFT_INLINE_LAMBDA {
      return (broadcast >> k & 1) != 0 ? values[k] : Register::load(data[1 + k] + i);
    };
    for (; i + register_size <= bytes; i += register_size)
      op.in_registers(whole(I)...).store(data[0] + i);
    if (i == bytes) return;
    const auto part = [&](std::size_t k) WEFT_INLINE_LAMBDA {
      return (broadcast >> k & 1) != 0 ? values[k]
                                       : Register::load_first(data[1 + k] + i, bytes - i);
    };
    op.in_registers(part(I)...).store_first(data[0] + i, bytes - i);
  }

  template <std::size_t... I>
  static WEFT_ALWAYS_INLINE void strided(F op, char* const* data, const std::int64_t* steps,
                                         std::int64_t n, std::index_sequence<I...>) {
    char* out = data[0];
    const std::int64_t step = steps[0];
    const char* in[] = {data[1 + I]...};
    const auto advance = [&](std::int64_t count) WEFT_INLINE_LAMBDA {
      out += count * step;
      ((in[I] += count * steps[1 + I]), ...);
    };
    constexpr std::int64_t lanes = register_size / size;
    for (; n >= lanes; n -= lanes, advance(lanes)) {
      const Register results = op.in_registers(Register::load_strided(in[I], steps[1 + I])...);
      if (step == size) {
        results.store(out);
      } else {
        char numbers[register_size];
        results.store(numbers);
        for (std::int64_t i = 0; i < lanes; ++i)
          __builtin_memcpy(out + i * step, numbers + i * size, sizeof(T));
      }
    }
    for (; n > 0; --n, advance(1))
      op.in_registers(Register::load_first(in[I], size)...).store_first(out, size);
  }

  template <std::uint32_t broadcast>
  static void loop(const F& op, char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                   std::int64_t rows) {
    for_each_row<1 + nin>(data, row_bytes, rows, [&](char* const* row) {
      span<broadcast>(op, row, n, std::make_index_sequence<nin>());
    });
  }

 public:
  static void run(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    const F& op = *static_cast<const F*>(context);
    [&]<std::uint32_t... M>(std::integer_sequence<std::uint32_t, M...>) {
      (void)((broadcast >> 1 == M && (loop<M>(op, data, row_bytes, n, rows), true)) || ...);
    }(std::make_integer_sequence<std::uint32_t, 1u << nin>());
  }
  static void run_strided(const void* context, char* const* data, const std::int64_t* strides_bytes,
                          std::int64_t n) {
    strided(*static_cast<const F*>(context), data, strides_bytes, n,
            std::make_index_sequence<nin>());
  }
};
#endif

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
