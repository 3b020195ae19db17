// SPDX-License-Identifier: Apache-2.0
/// @file
/// Objects that last until the process ends.
#pragma once

#include <cstddef>
#include <new>

namespace weft {
inline namespace v0 {

/// Room for an object that is made when the room is, and never destroyed. As a static of a function
/// it is there for destructors of other static objects, whichever come first.
template <class T>
class NeverDestroyed {
 public:
  template <class Make>
  explicit NeverDestroyed(Make&& make) : object_(new(memory_) T(make())) {}
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  const T& operator*() const noexcept { return *object_; }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
  const T* object_;
};

}  // namespace v0
}  // namespace weft
