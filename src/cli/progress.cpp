// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace weft::cli {
namespace {

bool error_is_terminal() {
#if defined(__unix__) || defined(__APPLE__)
  return isatty(STDERR_FILENO) != 0;
#else
  return false;
#endif
}

}  // namespace

Progress::Progress(std::size_t count) : count_(count), terminal_(error_is_terminal()) {}

void Progress::show(std::size_t index, std::string_view name) {
  if (!terminal_ || std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
  // Not longer than a usual terminal is wide: a wrapped line could not be taken away.
  fmt::print(stderr, "\r\x1b[K[{}/{}] {}", index + 1, count_, name.substr(0, 60));
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

Elapsed::Elapsed(std::string what) : what_(std::move(what)) {
  if (error_is_terminal()) thread_ = std::thread([this] { watch(); });
}

Elapsed::~Elapsed() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Elapsed::watch() {
  std::unique_lock lock(mutex_);
  long seconds = 0;
  while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; })) {
    ++seconds;
    const long total = total_.load(std::memory_order_relaxed);
    const std::string part =
        total > 1 ? fmt::format(" [{}/{}]", count_.load(std::memory_order_relaxed), total) : "";
    fmt::print(stderr, "\r\x1b[K{}{} {} s", what_.substr(0, 60), part, seconds);
    std::fflush(stderr);
  }
  if (seconds == 0) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace weft::cli
