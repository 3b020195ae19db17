// SPDX-License-Identifier: Apache-2.0
/// @file
/// The floating-point control state of a thread: how it rounds, and whether subnormals are zeros.
#pragma once

#include <cfenv>
#include <cstdint>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace test {

/// A state that tests ask for.
struct FloatingControl {
  int rounding = FE_TONEAREST;
  bool flushes = false;  ///< subnormal operands and results are zeros, where the machine has that
  std::string name = "nearest";
};

/// Rounding in all directions, each with and without flushing.
inline std::vector<FloatingControl> floating_controls() {
  std::vector<FloatingControl> all;
  for (const bool flushes : {false, true}) {
    const std::string suffix = flushes ? ", flushing" : "";
    all.push_back({FE_TONEAREST, flushes, "nearest" + suffix});
    all.push_back({FE_UPWARD, flushes, "upward" + suffix});
    all.push_back({FE_DOWNWARD, flushes, "downward" + suffix});
    all.push_back({FE_TOWARDZERO, flushes, "towards zero" + suffix});
  }
  return all;
}

/// Everything that the calling thread's state says of rounding and flushing.
inline std::uint64_t floating_bits() {
#if defined(__SSE2__)
  return _mm_getcsr() & 0xffc0U;  // all but the flags of what has happened
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
#else
  return static_cast<std::uint64_t>(std::fegetround());
#endif
}

/// Puts the calling thread into a state while it lives.
class ScopedFloatingControl {
 public:
  explicit ScopedFloatingControl(const FloatingControl& wanted) {
    std::fegetenv(&before_);
    std::fesetround(wanted.rounding);
    if (wanted.flushes) flush();
  }
  ~ScopedFloatingControl() { std::fesetenv(&before_); }
  ScopedFloatingControl(const ScopedFloatingControl&) = delete;
  ScopedFloatingControl& operator=(const ScopedFloatingControl&) = delete;

 private:
  static void flush() {
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040U);  // flush to zero, denormals are zeros
#elif defined(__aarch64__)
    const std::uint64_t control = floating_bits() | std::uint64_t{1} << 24;
    __asm__ volatile("msr fpcr, %0" ::"r"(control));
#endif
  }
  std::fenv_t before_{};
};

}  // namespace test
