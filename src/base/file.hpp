// SPDX-License-Identifier: Apache-2.0
/// @file
/// Files in bytes, with errors that name the path. Private to the compiled part and the program, so
/// all of it is inline: a shared library shows the program its public functions only.
#pragma once

#include <weft/base/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {

/// An open file. Every failure is Error(io) with the path and the system's reason. A regular file
/// that was written to and not closed, because something failed, is removed: half of it would
/// mislead.
class File {
 public:
  /// @param mode  as for std::fopen
  File(const std::string& path, const char* mode)
      : path_(path), file_(path), stream_(std::fopen(path.c_str(), mode)) {
    if (stream_ == nullptr) fail_here("open");
    unfinished_ = *mode == 'w';
  }
  ~File() {
    if (!unfinished_) return;
    stream_.reset();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(file_, ignored)))
      std::filesystem::remove(file_, ignored);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Reads until `into` is full or the file ends; returns the number of bytes.
  std::size_t read(std::span<std::byte> into) const {
    const std::size_t got =
        into.empty() ? 0 : std::fread(into.data(), 1, into.size(), stream_.get());
    if (got < into.size() && std::ferror(stream_.get()) != 0) fail_here("read");
    return got;
  }
  /// Reads exactly as much as fits.
  void read_all(std::span<std::byte> into) const {
    if (read(into) < into.size())
      fail(ErrorCode::io, "cannot read '" + path_ + "': it became shorter");
  }
  /// Reads to the end. Memory grows with what has really come. Throws Error(limit) beyond
  /// `max_bytes`.
  std::vector<std::byte> read_rest(std::int64_t max_bytes) const {
    constexpr std::size_t step = 1 << 16;
    std::vector<std::byte> bytes;
    for (std::size_t got = step; got == step;) {
      const std::size_t begin = bytes.size();
      if (bytes.capacity() < begin + step) bytes.reserve(2 * (begin + step));
      bytes.resize(begin + step);
      got = read(std::span(bytes).subspan(begin));
      bytes.resize(begin + got);
      if (static_cast<std::int64_t>(bytes.size()) > max_bytes) {
        fail(ErrorCode::limit,
             "'" + path_ + "' has more than " + std::to_string(max_bytes) + " bytes");
      }
    }
    return bytes;
  }
  void seek(std::size_t position) const {
    if (std::fseek(stream_.get(), static_cast<long>(position), SEEK_SET) != 0) fail_here("read");
  }

  void write_all(std::span<const std::byte> bytes) const {
    if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size())
      fail_here("write");
  }
  /// For files written to: what was buffered may fail to reach the disk.
  void close() {
    if (std::fclose(stream_.release()) != 0) fail_here("write");
    unfinished_ = false;
  }

 private:
  struct Close {
    void operator()(std::FILE* stream) const noexcept { std::fclose(stream); }
  };

  [[noreturn]] void fail_here(const char* what) const {
    const std::string reason = std::generic_category().message(errno);
    fail(ErrorCode::io, std::string("cannot ") + what + " '" + path_ + "': " + reason);
  }

  std::string path_;
  std::filesystem::path file_;  // made at once: a destructor has no way to tell that memory ran out
  std::unique_ptr<std::FILE, Close> stream_;
  bool unfinished_ = false;
};

/// Makes a folder and those above it, as far as they are not there.
inline void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail(ErrorCode::io, "cannot make folder '" + path + "': " + error.message());
}

}  // namespace v0
}  // namespace weft
