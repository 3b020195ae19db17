// SPDX-License-Identifier: Apache-2.0
/// @file
/// Memory whose neighbours may not be touched: reading or writing past either end is a crash, also
/// where no sanitizer looks.
#pragma once

#include "support/seed.hpp"

#include <cstddef>
#include <cstdint>
#include <new>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace test {

/// Where a block stands in guarded memory.
enum class Place {
  begin,   ///< its first byte is the first there is
  end,     ///< its last byte is the last there is
  inside,  ///< at some distance from both, or anywhere within 64 bytes of one
};

/// Whole pages between two that must not be touched. Where there is no mmap, plain memory.
class Guarded {
 public:
  explicit Guarded(std::int64_t min_bytes) {
#if __has_include(<sys/mman.h>)
    page_ = sysconf(_SC_PAGESIZE);
    size_ = (min_bytes + page_ - 1) / page_ * page_;
    void* all = mmap(nullptr, static_cast<std::size_t>(size_ + 2 * page_), PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<char*>(all) + page_;
    if (mprotect(data_, static_cast<std::size_t>(size_), PROT_READ | PROT_WRITE) != 0)
      throw std::bad_alloc();
#else
    size_ = min_bytes;
    data_ = new char[static_cast<std::size_t>(size_)];
#endif
    Random random(1);
    for (std::int64_t i = 0; i < size_; ++i)
      data_[i] = static_cast<char>(random.bits());
  }
  ~Guarded() {
#if __has_include(<sys/mman.h>)
    munmap(data_ - page_, static_cast<std::size_t>(size_ + 2 * page_));
#else
    delete[] data_;
#endif
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  char* data() const { return data_; }
  std::int64_t size_bytes() const { return size_; }

  /// Room for `bytes` bytes. The begin is aligned as well as can be; other places are not.
  char* place(Place where, std::int64_t bytes, Random& random) const {
    const std::int64_t slack = size_ - bytes;
    const std::int64_t off = slack < 63 ? slack : 63;
    switch (where) {
      case Place::begin: return data_;
      case Place::end: return data_ + slack;
      case Place::inside: break;
    }
    const std::int64_t shift = random.integer(0, off);
    return random.chance(50) ? data_ + shift : data_ + slack - shift;
  }
  char* place(std::int64_t bytes, Random& random) const {
    return place(static_cast<Place>(random.integer(0, 2)), bytes, random);
  }

 private:
  char* data_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t page_ = 0;
};

}  // namespace test
