// SPDX-License-Identifier: Apache-2.0
/// @file
/// Tests that run a program in a process of its own.
#pragma once

#include <unistd.h>

#include <string>

namespace test {

/// The program, as a shell takes it. What runs programs of another architecture is in front, where
/// the tests were built for one (CMake: CMAKE_CROSSCOMPILING_EMULATOR).
inline std::string shell_command(const std::string& program) {
  return WEFT_TEST_EMULATOR "'" + program + "'";
}

/// The same of the program that asks; empty where the system does not tell its name.
inline std::string own_program() {
  char name[4096] = {};
  return readlink("/proc/self/exe", name, sizeof(name) - 1) > 0 ? shell_command(name) : "";
}

}  // namespace test
