// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>

#include "support/errors.hpp"

#include <map>
#include <set>
#include <string>

TEST_CASE("error: names are stable", "[base]") {
  using weft::ErrorCode;
  // Programs print and compare these; a change here is a change of the interface.
  const std::map<ErrorCode, std::string> names = {{ErrorCode::invalid_argument, "invalid_argument"},
                                                  {ErrorCode::shape, "shape"},
                                                  {ErrorCode::rank, "rank"},
                                                  {ErrorCode::axis, "axis"},
                                                  {ErrorCode::dtype, "dtype"},
                                                  {ErrorCode::cast, "cast"},
                                                  {ErrorCode::overlap, "overlap"},
                                                  {ErrorCode::bounds, "bounds"},
                                                  {ErrorCode::overflow, "overflow"},
                                                  {ErrorCode::undefined, "undefined"},
                                                  {ErrorCode::division, "division"},
                                                  {ErrorCode::parse, "parse"},
                                                  {ErrorCode::io, "io"},
                                                  {ErrorCode::limit, "limit"}};
  std::set<std::string> distinct;
  for (const auto& [code, wanted] : names) {
    CHECK(weft::name(code) == wanted);
    distinct.insert(wanted);
  }
  CHECK(distinct.size() == names.size());
  CHECK(weft::name(static_cast<ErrorCode>(200)) == std::string("unknown"));
}

TEST_CASE("error: carries code and message", "[base]") {
  const weft::Error error(weft::ErrorCode::axis, "axis 7");
  CHECK(error.code() == weft::ErrorCode::axis);
  CHECK(error.what() == std::string("axis 7"));
  const std::exception& base = error;
  CHECK(base.what() == std::string("axis 7"));
  STATIC_REQUIRE(std::is_base_of_v<std::runtime_error, weft::Error>);
}

TEST_CASE("error: fail throws", "[base]") {
  CHECK_ERROR(io, ("no such file"), weft::fail(weft::ErrorCode::io, "no such file"));
  CHECK_ERROR(limit, ("too large"), weft::fail(weft::ErrorCode::limit, std::string("too large")));
}
