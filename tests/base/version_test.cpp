// SPDX-License-Identifier: Apache-2.0
#include <weft/base/version.hpp>

#include "support/catch.hpp"

#include <string>

TEST_CASE("version: headers and library are of one version", "[base]") {
  const std::string headers = std::to_string(WEFT_VERSION_MAJOR) + "." +
                              std::to_string(WEFT_VERSION_MINOR) + "." +
                              std::to_string(WEFT_VERSION_PATCH);
  CHECK(weft::version() == headers);
}
