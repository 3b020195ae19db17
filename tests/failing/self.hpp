// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running a hidden test of this program in a process of its own, which has not used weft yet.
#pragma once

#include "support/own_program.hpp"

#include <cstdlib>
#include <string>

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace test {

/// Runs the test of that tag. Its exit code; -1 if it was ended by a signal.
/// @param environment  in front, such as "WEFT_TEST_THREADS=1"
inline int run_hidden(const std::string& tag, const std::string& environment = "") {
#if defined(__linux__)
  const std::string command = environment + " " + own_program() + " '[" + tag + "]' > /dev/null";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#else
  static_cast<void>(tag);
  static_cast<void>(environment);
  return 0;
#endif
}

#if defined(__linux__)
/// Calls f in a child of this process, whose exit code is what f gives. -1 if a signal ended it,
/// such as the alarm after a minute.
template <class F>
int in_child(F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(f());
  }
  int status = -1;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child;
  return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
#endif

}  // namespace test
