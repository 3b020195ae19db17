// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions compiled once per instruction-set level, and choosing among them.
///
/// A *kernel file* is a source that the build compiles once per level (CMake: weft_add_kernels). It
/// defines functions that a header has declared; everybody else calls them by their plain name:
///
///     // scaled_add.hpp
///     WEFT_DECLARE_KERNEL(scaled_add, void(const weft::TensorIterator&, float));
///     // scaled_add.cpp, the kernel file
///     void WEFT_KERNEL(scaled_add)(const weft::TensorIterator& iter, float s) {
///       weft::cpu_kernel(iter, [s](float a, float b) { return a * s + b; });
///     }
///     // anywhere
///     scaled_add(iter, 2.0f);
///
/// A kernel file keeps everything but these functions in an unnamed namespace, has no static
/// objects, and uses nothing of the standard library that would be compiled into it (functions of
/// the C library are called, not compiled, and do no harm): its code may only run where the CPU has
/// the level.
#pragma once

#include <weft/machine/level.hpp>

#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {

/// Turns a type in parentheses-free notation into a declaration: FunctionType<int(char)> f;
/// declares int f(char).
template <class Signature>
using FunctionType = Signature;

template <class Signature>
class LevelTable;

/// One function per level. Calling it calls the one of current_level(): one load and one indirect
/// call.
template <class R, class... Args>
class LevelTable<R(Args...)> {
 public:
  using Function = R(Args...);

  /// The functions of the architecture's levels, from the lowest on.
  template <class... F>
    requires(sizeof...(F) == level_count && (std::is_convertible_v<F, Function*> && ...))
  constexpr explicit LevelTable(F... functions) : functions_{functions...} {}

  R operator()(Args... args) const { return at(current_level())(std::forward<Args>(args)...); }
  /// The function of one level, which the machine must have.
  constexpr Function* at(Level level) const { return functions_[place_of(level)]; }

 private:
  Function* functions_[level_count];
};

}  // namespace v0
}  // namespace weft

/// The name under which a kernel file defines a function for the level it is being compiled for.
#define WEFT_KERNEL(NAME) WEFT_LEVEL_NAMESPACE::NAME

/// Declares one function per level, and NAME as the object that calls the right one. In the
/// namespace of the caller's choice, outside functions; the second argument is the signature, as in
/// std::function.
#define WEFT_DECLARE_KERNEL(NAME, ...) WEFT_DECLARE_EXPORTED_KERNEL(, NAME, __VA_ARGS__)

/// The same for a kernel that other shared libraries call: API is the attribute by which its
/// library exports functions.
#if defined(__x86_64__)
#define WEFT_DECLARE_EXPORTED_KERNEL(API, NAME, ...)                \
  WEFT_DECLARE_LEVEL(API, level_baseline, NAME, __VA_ARGS__)        \
  WEFT_DECLARE_LEVEL(API, WEFT_AVX2_NAMESPACE, NAME, __VA_ARGS__)   \
  WEFT_DECLARE_LEVEL(API, WEFT_AVX512_NAMESPACE, NAME, __VA_ARGS__) \
  inline constexpr ::weft::LevelTable<__VA_ARGS__> NAME(            \
      level_baseline::NAME, WEFT_AVX2_NAMESPACE::NAME, WEFT_AVX512_NAMESPACE::NAME)
#else
// One level, which every file is compiled for.
#define WEFT_DECLARE_EXPORTED_KERNEL(API, NAME, ...)               \
  WEFT_DECLARE_LEVEL(API, WEFT_LEVEL_NAMESPACE, NAME, __VA_ARGS__) \
  inline constexpr ::weft::LevelTable<__VA_ARGS__> NAME(WEFT_LEVEL_NAMESPACE::NAME)
#endif

#define WEFT_DECLARE_LEVEL(API, LEVEL_NAMESPACE, NAME, ...) \
  namespace LEVEL_NAMESPACE {                               \
  API ::weft::FunctionType<__VA_ARGS__> NAME;               \
  }

// Where a level is left out, the one below stands in for it.
#if WEFT_HIGHEST_LEVEL >= 1
#define WEFT_AVX2_NAMESPACE level_avx2
#else
#define WEFT_AVX2_NAMESPACE level_baseline
#endif
#if WEFT_HIGHEST_LEVEL >= 2
#define WEFT_AVX512_NAMESPACE level_avx512
#else
#define WEFT_AVX512_NAMESPACE WEFT_AVX2_NAMESPACE
#endif
