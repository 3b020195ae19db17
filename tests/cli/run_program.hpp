// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running the program as a user does.
#pragma once

#include "support/catch.hpp"
#include "support/own_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace weft::cli {

/// A new folder among the system's temporary ones, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weft_cli_XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }
  static std::string read(const std::string& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
  }

 private:
  std::filesystem::path path_;
};

/// How a run ended.
struct Finished {
  int code = -1;
  std::string out;
  std::string error;
};

/// Runs `weft ARGUMENTS` through the shell; `environment` goes in front, such as
/// "WEFT_ISA=baseline".
inline Finished run_program(const std::string& arguments, const std::string& environment = "") {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const std::string error = folder.file("error");
  const std::string command = environment + " " + test::shell_command(WEFT_PROGRAM) + " " +
                              arguments + " </dev/null >'" + out + "' 2>'" + error + "'";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, TemporaryFolder::read(out),
          TemporaryFolder::read(error)};
}

}  // namespace weft::cli
