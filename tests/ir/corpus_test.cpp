// SPDX-License-Identifier: Apache-2.0
// The first inputs of the fuzz targets, and whatever once broke something, read again.
#include <weft/base/error.hpp>
#include <weft/ir/read_document.hpp>

#include "support/catch.hpp"

#include <filesystem>
#include <string>

using namespace weft;

TEST_CASE("corpus: every file gives a document or an Error", "[corpus]") {
  int files = 0;
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_TESTS_DIR "/fuzz/corpus")) {
    INFO(entry.path().string());
    ++files;
    try {
      ir::load_document(entry.path().string());
      ++read;
    } catch (const Error& error) {
      CHECK(error.code() != ErrorCode::io);
    }
  }
  CHECK(files >= 5);
  CHECK(read >= 5);
}
