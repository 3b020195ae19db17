// SPDX-License-Identifier: Apache-2.0
/// @file
/// A reference to a callable: two words, no allocation, no ownership.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {

template <class Signature>
class FunctionRef;

/// Refers to any callable with the signature R(Args...). The callable must outlive the reference,
/// which is why it is used for parameters only: a lambda in the argument list lives until the call
/// returns.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
             std::is_invocable_r_v<R, F&, Args...>)
  FunctionRef(F&& f) noexcept  // NOLINT(bugprone-forwarding-reference-overload): constrained above
      : object_(address_of(f)), call_([](void* object, Args... args) -> R {
          using Target = std::remove_reference_t<F>;
          if constexpr (std::is_void_v<R>) {
            static_cast<void>(target<Target>(object)(std::forward<Args>(args)...));
          } else {
            return target<Target>(object)(std::forward<Args>(args)...);
          }
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  template <class T>
  static void* address_of(T& f) noexcept {
    if constexpr (std::is_function_v<T>) {
      return reinterpret_cast<void*>(
          &f);  // as dlsym has it: the two kinds of pointer are of one size
    } else {
      return const_cast<void*>(static_cast<const void*>(std::addressof(f)));
    }
  }
  template <class T>
  static T& target(void* object) noexcept {
    if constexpr (std::is_function_v<T>) {
      return *reinterpret_cast<T*>(object);
    } else {
      return *static_cast<T*>(object);
    }
  }

  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace v0
}  // namespace weft
