// SPDX-License-Identifier: Apache-2.0
/// @file
/// A vector whose first N elements live inside it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {

/// Sequence of T. Up to N elements need no heap; the unused ones are not initialised (unless all
/// fit a register), so that an object with room for eight dims costs what its two dims cost.
/// Iterators and references are invalidated by growth, moves and swaps. Throws std::bad_alloc.
template <class T, std::size_t N>
class SmallVector {
 public:
  SmallVector() noexcept : data_(inline_data()) {
    // One register, where leaving it out would only make compilers warn of copies of the whole.
    if constexpr (copied_whole && sizeof(inline_) <= 16)
      __builtin_memset(inline_, 0, sizeof(inline_));
  }
  explicit SmallVector(std::size_t size, const T& value = T()) : SmallVector() {
    resize(size, value);
  }
  SmallVector(std::initializer_list<T> values) : SmallVector() {
    append(values.begin(), values.end());
  }
  template <class It>
    requires(!std::is_integral_v<It>)
  SmallVector(It first, It last) : SmallVector() {
    append(first, last);
  }
  SmallVector(const SmallVector& other) : SmallVector() { copy(other); }
  SmallVector(SmallVector&& other) noexcept : SmallVector() { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    if (other.size_ > capacity_)
      return *this = SmallVector(other);  // what fails leaves this as it was
    clear();
    copy(other);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~SmallVector() { release(); }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  /// Any integer that is not below 0, so that indexes need no cast.
  T& operator[](std::integral auto i) noexcept { return data_[i]; }
  const T& operator[](std::integral auto i) const noexcept { return data_[i]; }
  T& back() noexcept { return data_[size_ - 1]; }
  const T& back() const noexcept { return data_[size_ - 1]; }

  void clear() noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) std::destroy(begin(), end());
    size_ = 0;
  }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }
  void push_back(T value) { emplace_back(std::move(value)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) grow(2 * capacity_);
    T* made = ::new (static_cast<void*>(data_ + size_)) T(std::forward<Args>(args)...);
    ++size_;
    return *made;
  }
  void pop_back() noexcept { std::destroy_at(data_ + --size_); }
  /// `value` is taken by value: it may be an element of this vector, which growth moves away.
  void resize(std::size_t size, T value = T()) {
    if (size <= size_) {
      std::destroy(data_ + size, end());
    } else {
      reserve(size);
      std::uninitialized_fill(data_ + size_, data_ + size, value);
    }
    size_ = size;
  }
  /// As resize, but new elements of a trivial type keep whatever the memory held: for callers that
  /// fill them at once.
  void resize_for_overwrite(std::size_t size) {
    static_assert(std::is_trivial_v<T>);
    reserve(size);
    size_ = size;
  }
  void erase(std::size_t i) {
    std::move(data_ + i + 1, end(), data_ + i);
    pop_back();
  }
  /// Replaces the contents by those of a list.
  void assign(std::span<const T> values) {
    clear();
    reserve(values.size());
    // A loop: most lists have a few elements, and a call to memcpy costs more than they do.
    for (const T& value : values)
      ::new (static_cast<void*>(data_ + size_++)) T(value);
  }
  template <class It>
  void append(It first, It last) {
    const auto count = static_cast<std::size_t>(std::distance(first, last));
    reserve(size_ + count);
    std::uninitialized_copy(first, last, data_ + size_);
    size_ += count;
  }

  operator std::span<const T>() const noexcept { return {data_, size_}; }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  /// Small arrays of plain values are copied whole, unused elements and all: a few vector moves
  /// instead of a call.
  static constexpr bool copied_whole = std::is_trivially_copyable_v<T> && N * sizeof(T) <= 128;

  /// Copies what lies inside another vector: all of it, or of large ones the first line if that is
  /// where the elements are.
  void copy_inside(const SmallVector& other) noexcept {
    constexpr std::size_t line = 64;
    if (sizeof(inline_) > line && other.size_ * sizeof(T) <= line) {
      __builtin_memcpy(inline_, other.inline_, std::min(line, sizeof(inline_)));
    } else {
      __builtin_memcpy(inline_, other.inline_, sizeof(inline_));
    }
  }

  /// Precondition: *this is empty.
  void copy(const SmallVector& other) {
    if constexpr (copied_whole) {
      if (other.size_ <= N && !on_heap()) {
        if (other.on_heap()) {
          std::copy(other.begin(), other.end(), data_);
        } else {
          copy_inside(other);
        }
        size_ = other.size_;
        return;
      }
    }
    append(other.begin(), other.end());
  }

  T* inline_data() noexcept { return reinterpret_cast<T*>(inline_); }
  bool on_heap() const noexcept {
    return static_cast<const void*>(data_) != static_cast<const void*>(inline_);
  }

  void grow(std::size_t wanted) {
    const std::size_t capacity = std::max(wanted, 2 * capacity_);
    T* fresh = std::allocator<T>().allocate(capacity);
    std::uninitialized_move(begin(), end(), fresh);
    const std::size_t size = size_;
    release();
    data_ = fresh;
    size_ = size;
    capacity_ = capacity;
  }
  void release() noexcept {
    clear();
    if (on_heap()) std::allocator<T>().deallocate(data_, capacity_);
    data_ = inline_data();
    capacity_ = N;
  }
  /// Precondition: *this is empty and inline.
  void take(SmallVector& other) noexcept {
    if (other.on_heap()) {
      data_ = std::exchange(other.data_, other.inline_data());
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, N);
    } else {
      if constexpr (copied_whole) {
        copy_inside(other);
      } else {
        std::uninitialized_move(other.begin(), other.end(), data_);
      }
      size_ = other.size_;
      other.clear();
    }
  }

  T* data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  alignas(T) std::byte inline_[N * sizeof(T)];
};

}  // namespace v0
}  // namespace weft
