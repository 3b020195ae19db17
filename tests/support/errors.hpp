// SPDX-License-Identifier: Apache-2.0
/// @file
/// Expecting a weft::Error of a kind, with a message that names what it should.
#pragma once

#include <weft/base/error.hpp>

#include "support/catch.hpp"

#include <exception>
#include <string>
#include <vector>

namespace test {

/// Empty if calling f throws Error with this code and all these words in its message, else what
/// happened instead.
template <class F>
std::string wrong_error(weft::ErrorCode code, const std::vector<std::string>& wanted, F&& f) {
  try {
    f();
  } catch (const weft::Error& error) {
    const std::string got = error.what();
    if (error.code() != code) {
      return std::string("expected ") + weft::name(code) + ", got " + weft::name(error.code()) +
             ": " + got;
    }
    for (const std::string& word : wanted) {
      if (got.find(word) == std::string::npos) {
        return "expected \"" + word + "\" in: " + got;
      }
    }
    return "";
  } catch (const std::exception& error) {
    return std::string("expected weft::Error, got another exception: ") + error.what();
  }
  return std::string("expected ") + weft::name(code) + ", nothing was thrown";
}

template <class... Words>
std::vector<std::string> words(const Words&... list) {
  return {list...};
}

}  // namespace test

/// CHECK_ERROR(shape, ("input 1", "axis 0"), expression): the last argument may contain commas.
#define CHECK_ERROR(CODE, WORDS, ...)                               \
  CHECK(test::wrong_error(weft::ErrorCode::CODE, test::words WORDS, \
                          [&] { static_cast<void>(__VA_ARGS__); }) == "")
