// SPDX-License-Identifier: Apache-2.0
/// @file
/// Objects that threads take and give back.
#pragma once

#include <atomic>
#include <memory>

namespace weft {
inline namespace v0 {

/// Places for objects that are in nobody's hands. Whoever exchanges the pointer owns the object, so
/// there is no lock, and a child after a fork needs no care. Of more objects than places, some are
/// destroyed.
template <class T>
class IdleObjects {
 public:
  IdleObjects() = default;
  ~IdleObjects() {
    for (std::atomic<T*>& place : places_)
      delete place.load();
  }
  IdleObjects(const IdleObjects&) = delete;
  IdleObjects& operator=(const IdleObjects&) = delete;

  /// One of them, or null.
  std::unique_ptr<T> take() noexcept {
    for (std::atomic<T*>& place : places_)
      if (T* const object = place.exchange(nullptr)) return std::unique_ptr<T>(object);
    return nullptr;
  }
  void put(std::unique_ptr<T> object) noexcept {
    for (std::atomic<T*>& place : places_) {
      T* none = nullptr;
      if (!place.compare_exchange_strong(none, object.get())) continue;
      (void)object.release();
      return;
    }
  }

 private:
  std::atomic<T*> places_[32] = {};
};

}  // namespace v0
}  // namespace weft
