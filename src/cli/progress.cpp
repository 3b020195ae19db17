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

}  // namespace weft::cli
