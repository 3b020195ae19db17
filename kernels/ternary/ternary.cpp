// SPDX-License-Identifier: Apache-2.0
// Functions of three operands. All eight patterns of broadcast operands are loops of their own.
#include "kernels/ternary/ternary.hpp"

#include "kernels/complex/complex_parts.hpp"
#include "kernels/loops/op_table.hpp"
#include "kernels/scalar/arithmetic.hpp"

#include <bit>

namespace weft {
inline namespace v0 {
namespace {

template <class T>
struct Where {
  using Loops = Where<typename Moved<T>::Type>;
  WEFT_ALWAYS_INLINE T operator()(bool condition, T a, T b) const noexcept {
    if constexpr (is_complex_type<T>) {
      // By the bits of both parts at once: a choice among pairs of numbers would be a branch.
      using Part = typename T::value_type;
      using Bits = Unsigned<sizeof(Part)>;
      using Parts [[gnu::vector_size(sizeof(T))]] = Part;
      using Masks [[gnu::vector_size(sizeof(T))]] = Bits;
      const Bits all = 0 - static_cast<Bits>(condition);
      const Masks mask = {all, all};
      const Parts x = {a.real(), a.imag()}, y = {b.real(), b.imag()};
      const auto chosen = std::bit_cast<Parts>((std::bit_cast<Masks>(x) & mask) |
                                               (std::bit_cast<Masks>(y) & ~mask));
      return T(chosen[0], chosen[1]);
    } else if constexpr (std::is_same_v<T, bool>) {
      return (condition & a) | (!condition & b);
    } else {
      // By bits: GCC 12 does not vectorise a choice among bools or, with 32-byte vectors, among
      // 8-byte numbers.
      const auto mask = static_cast<Unsigned<sizeof(T)>>(0 - static_cast<int>(condition));
      return from_bits<T>((bits_of(a) & mask) | (bits_of(b) & static_cast<decltype(mask)>(~mask)));
    }
  }
};

template <class T>
struct Clamp {
  struct OfHalves {
    static constexpr float cost = 3;
    WEFT_ALWAYS_INLINE Register<float> operator()(const Register<float>& a,
                                                  const Register<float>& least,
                                                  const Register<float>& most) const noexcept {
      const Register<float> larger = select((a < least) | isnan(least), least, a);
      return select((most < larger) | isnan(most), most, larger);
    }
  };
  WEFT_ALWAYS_INLINE T operator()(T a, T least, T most) const noexcept {
    return at_most(at_least(a, least), most);
  }
};

template <class T>
struct Lerp {
  WEFT_ALWAYS_INLINE T operator()(T a, T b, T weight) const noexcept {
    const T way = minus(b, a);
    if constexpr (is_complex_type<T>) {
      const T from_a = plus(a, times(weight, way));
      const T from_b = minus(b, times(way, minus(T(1), weight)));
      return is_small(weight) ? from_a : from_b;
    } else {
      // The same two by one product: choosing among summands and factors costs less. By bits, or
      // single elements at the end of a row take a branch.
      using Bits = decltype(bits_of(a));
      const Bits small = Bits(0) - static_cast<Bits>(is_small(weight));
      const auto start = from_bits<T>((bits_of(a) & small) | (bits_of(b) & ~small));
      const auto full = from_bits<T>((bits_of(T(-0.0)) & small) | (bits_of(T(1)) & ~small));
      const T back = full - weight;
      return start - back * way;
    }
  }
  template <class R>
  WEFT_ALWAYS_INLINE R in_registers(const R& a, const R& b, const R& weight) const noexcept {
    const R way = b - a, others = R::all(T(1)) - weight;
    return R::choice(weight, 0.25F, a + weight * way, b - way * others);
  }
  static constexpr SpanKernel kernel(const Lerp& op) { return kernel_of_products(op); }

 private:
  static WEFT_ALWAYS_INLINE bool is_small(T weight) noexcept {
    if constexpr (is_complex_type<T>) {
      return weight.real() * weight.real() + weight.imag() * weight.imag() < 0.25F;
    } else {
      return magnitude(weight) < T(0.5);
    }
  }
};

template <class T>
struct MulAdd {
  using Loops = MulAdd<typename Wrapping<T>::Type>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b, T c) const noexcept { return plus(times(a, b), c); }
  template <class R>
  WEFT_ALWAYS_INLINE R in_registers(const R& a, const R& b, const R& c) const noexcept {
    return a * b + c;
  }
  static constexpr SpanKernel kernel(const MulAdd& op) { return kernel_of_products(op); }
};

}  // namespace

WEFT_FOR_EACH_TERNARY(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
