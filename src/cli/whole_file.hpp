// SPDX-License-Identifier: Apache-2.0
/// @file
/// A file that is replaced as a whole or not at all.
#pragma once

#include "base/file.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace weft::cli {

/// Opens FILE.new beside the file, so that what cannot be written is known before there is anything
/// to write, and gives it the file's name at the end. What is no regular file, such as /dev/null,
/// is written in place. Every failure is Error(io); FILE.new is gone then.
class WholeFile {
 public:
  /// @param path  a link is followed
  explicit WholeFile(const std::string& path)
      : path_(target_of(path)), beside_(beside(path_)), file_(beside_, "wb") {}

  /// Writes all of it.
  void write(std::string_view text) {
    file_.write_all(std::as_bytes(std::span(text.data(), text.size())));
    file_.close();
    if (beside_ == path_) return;
    std::error_code error;
    std::filesystem::rename(beside_, path_, error);
    if (!error) return;
    std::error_code ignored;
    std::filesystem::remove(beside_, ignored);
    fail(ErrorCode::io, "cannot write '" + path_ + "': " + error.message());
  }

 private:
  static std::string target_of(const std::string& path) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(path, error);
    return error ? path : target.string();  // there is none yet
  }
  static std::string beside(const std::string& path) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(path, ignored);
    const bool in_place =
        std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    return in_place ? path : path + ".new";
  }

  std::string path_, beside_;
  File file_;
};

}  // namespace weft::cli
