// SPDX-License-Identifier: Apache-2.0
#include "support/errors.hpp"

#include <exception>

namespace test {

std::string wrong_error(weft::ErrorCode code, const std::vector<std::string>& wanted,
                        weft::FunctionRef<void()> f) {
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

std::vector<std::string> words(std::string_view a, std::string_view b, std::string_view c,
                               std::string_view d, std::string_view e, std::string_view f,
                               std::string_view g, std::string_view h, std::string_view i) {
  std::vector<std::string> given;
  for (const std::string_view word : {a, b, c, d, e, f, g, h, i}) {
    if (!word.empty()) given.emplace_back(word);
  }
  return given;
}

}  // namespace test
