// SPDX-License-Identifier: Apache-2.0
/// @file
/// Expecting a weft::Error of a kind, with a message that names what it should.
#pragma once

#include <weft/base/error.hpp>
#include <weft/base/function_ref.hpp>

#include "support/catch.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace test {

/// Empty if calling f throws Error with this code and all these words in its message, else what
/// happened instead.
std::string wrong_error(weft::ErrorCode code, const std::vector<std::string>& wanted,
                        weft::FunctionRef<void()> f);

/// Those that are given. (A function of one type: there are many hundreds of calls.)
std::vector<std::string> words(std::string_view a = {}, std::string_view b = {},
                               std::string_view c = {}, std::string_view d = {},
                               std::string_view e = {}, std::string_view f = {},
                               std::string_view g = {}, std::string_view h = {},
                               std::string_view i = {});

}  // namespace test

/// CHECK_ERROR(shape, ("input 1", "axis 0"), expression): the last argument may contain commas.
#define CHECK_ERROR(CODE, WORDS, ...)                               \
  CHECK(test::wrong_error(weft::ErrorCode::CODE, test::words WORDS, \
                          [&] { static_cast<void>(__VA_ARGS__); }) == "")
