// SPDX-License-Identifier: Apache-2.0
// Two operands, one bool. The compiler vectorises the narrowing of compare masks to bytes.
#include "kernels/compare/compare.hpp"

#include "kernels/loops/op_table.hpp"

namespace weft {
inline namespace v0 {
namespace {

template <class T>
struct Equal {
  static constexpr bool commutes = true;
  using Loops = Equal<typename Wrapping<T>::Type>;
  WEFT_ALWAYS_INLINE bool operator()(T a, T b) const noexcept {
    // Parts of complex numbers without a branch; as int, or Clang takes it for a slip of the pen.
    if constexpr (is_complex_type<T>) {
      return (static_cast<int>(a.real() == b.real()) & static_cast<int>(a.imag() == b.imag())) != 0;
    } else {
      return a == b;
    }
  }
};
template <class T>
struct LogicalXor;
template <class T>
struct NotEqual {
  static constexpr bool commutes = true;
  using Loops = std::conditional_t<std::is_same_v<T, bool>, LogicalXor<T>,
                                   NotEqual<typename Wrapping<T>::Type>>;
  WEFT_ALWAYS_INLINE bool operator()(T a, T b) const noexcept { return !Equal<T>()(a, b); }
};
template <class T>
struct Less {
  WEFT_ALWAYS_INLINE bool operator()(T a, T b) const noexcept { return a < b; }
};
template <class T>
struct LessEqual {
  WEFT_ALWAYS_INLINE bool operator()(T a, T b) const noexcept { return a <= b; }
};
template <class T>
struct Greater {
  using SwappedLoops = Less<T>;
  WEFT_ALWAYS_INLINE bool operator()(T a, T b) const noexcept { return a > b; }
};
template <class T>
struct GreaterEqual {
  using SwappedLoops = LessEqual<T>;
  WEFT_ALWAYS_INLINE bool operator()(T a, T b) const noexcept { return a >= b; }
};

// Without && and ||, whose branches would keep loops from being vectorised.

template <class T>
struct LogicalAnd {
  static constexpr bool commutes = true;
  using Loops = LogicalAnd<typename Truthful<T>::Type>;
  WEFT_ALWAYS_INLINE bool operator()(T a, T b) const noexcept {
    return (static_cast<int>(cast<bool>(a)) & static_cast<int>(cast<bool>(b))) != 0;
  }
};
template <class T>
struct LogicalOr {
  static constexpr bool commutes = true;
  using Loops = LogicalOr<typename Truthful<T>::Type>;
  WEFT_ALWAYS_INLINE bool operator()(T a, T b) const noexcept {
    return (static_cast<int>(cast<bool>(a)) | static_cast<int>(cast<bool>(b))) != 0;
  }
};
template <class T>
struct LogicalXor {
  static constexpr bool commutes = true;
  using Loops = LogicalXor<typename Truthful<T>::Type>;
  WEFT_ALWAYS_INLINE bool operator()(T a, T b) const noexcept {
    return cast<bool>(a) != cast<bool>(b);
  }
};

}  // namespace

WEFT_FOR_EACH_COMPARISON(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
