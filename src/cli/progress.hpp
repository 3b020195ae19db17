// SPDX-License-Identifier: Apache-2.0
/// @file
/// A line that tells where a long run is.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace weft::cli {

/// Shows `[12/164] name` on standard error, if that is a terminal and the run has taken more than a
/// second.
class Progress {
 public:
  explicit Progress(std::size_t count);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Item `index` (from 0) is about to begin.
  void show(std::size_t index, std::string_view name);
  /// Takes the line away, before something else is printed.
  void clear();

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t count_;
  bool terminal_;
  bool shown_ = false;
};

/// Shows on standard error, if that is a terminal, how long something has been going on, from the
/// first second on and until it is destroyed.
class Elapsed {
 public:
  explicit Elapsed(std::string what);
  ~Elapsed();
  Elapsed(const Elapsed&) = delete;
  Elapsed& operator=(const Elapsed&) = delete;

  /// Says that `count` of `total` pieces are done. From the thread that made this.
  void done(long count, long total) noexcept {
    count_.store(count, std::memory_order_relaxed);
    total_.store(total, std::memory_order_relaxed);
  }

 private:
  void watch();

  std::string what_;
  std::atomic<long> count_{0};
  std::atomic<long> total_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace weft::cli
