// SPDX-License-Identifier: Apache-2.0
// weft tune as a user sees it.
#include "cli/whole_file.hpp"
#include "error_of.hpp"
#include "machine/tuning.hpp"
#include "run_program.hpp"
#include "support/catch.hpp"

#include <filesystem>
#include <string>

using namespace weft::cli;

namespace {

/// Caches that are quickly measured.
const std::string caches = "WEFT_CACHES=32K,256K,8M ";

/// False if the machine is too noisy for any price, which the program has to say.
bool has_measured(const Finished& run) {
  INFO(run.error);
  if (run.code == 0) return true;
  CHECK(run.code == 1);
  CHECK(run.error == "weft: nothing could be measured: the machine is too noisy\n");
  CHECK(run.out.empty());
  return false;
}

}  // namespace

TEST_CASE("tune: its file is taken by the library", "[tune]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("mine");
  const Finished run = run_program("tune --seconds 0.5 --output '" + file + "'", caches);
  if (!has_measured(run)) {
    CHECK(!std::filesystem::exists(file));
    return;
  }
  CHECK(!std::filesystem::exists(file + ".new"));
  for (const char* part : {"measured by weft tune, at level ", "L1 of 32 KiB",
                           "memory: a read takes", "row ", "table ", "spread"})
    CHECK(contains(run.out, part));
  CHECK(contains(run_program("info", caches + "WEFT_TUNING='" + file + "'").out,
                 "tuning          tight, from " + file));
  const std::string other =
      run_program("info", "WEFT_CACHES=32K,256K,4M WEFT_TUNING='" + file + "'").out;
  CHECK(contains(other, "is ignored: line 4: the caches of the file"));

  // By the machine that the file is for, as the program saw it.
  weft::CpuInfo machine = weft::cpu_info();
  machine.l1_bytes = 32 << 10;
  machine.l2_bytes = 256 << 10;
  machine.l3_bytes = 8 << 20;
  machine.caches_are_told = true;
  machine.l3_is_told_far = false;
  const std::string text = TemporaryFolder::read(file);
  const weft::Tuning tuning = weft::parse_tuning(text, machine);
  int rows = 0;
  for (const weft::TuningRow& row : weft::tuning_rows()) {
    if (!contains(text, "\n" + std::string(row.name) + " ")) continue;
    ++rows;
    INFO(row.name);
    CHECK((tuning.*row.value >= row.minimum && tuning.*row.value <= row.maximum));
    CHECK(contains(run.out, std::string(row.name)));
  }
  CHECK((rows > 0 && rows <= 14));
}

TEST_CASE("tune: without a file it prints one", "[tune]") {
  const Finished run = run_program("tune --seconds 0", caches + "WEFT_NUM_THREADS=1");
  if (!has_measured(run)) return;
  CHECK(run.out.starts_with("weft-tuning 1\nversion "));
  CHECK(contains(run.out, "\n# measured by weft tune, at level "));
  CHECK(contains(run.out, "\n# not measured: thread_ns: there is one thread only\n"));
  CHECK(!contains(run.out, "\nthread_ns "));
  const TemporaryFolder folder;
  const std::string file = folder.write("mine", run.out);
  CHECK(contains(run_program("info", caches + "WEFT_TUNING='" + file + "'").out, "from " + file));
}

TEST_CASE("tune: wrong options, and files that cannot be written", "[tune]") {
  for (const char* wrong : {"", "soon", "-1", "3601", "nan", "1s"}) {
    const Finished run = run_program("tune --seconds '" + std::string(wrong) + "'");
    INFO(wrong);
    CHECK(run.code == 2);
    CHECK(contains(run.error, "--seconds"));
  }
  // Before anything is measured, which would take longer than a test may.
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  for (const std::string& path : {file + "/in/it", folder.file("no/such/folder/mine")}) {
    const Finished run = run_program("tune --seconds 3600 --output '" + path + "'");
    CHECK(run.code == 1);
    INFO(run.error);
    CHECK(contains(run.error, "weft: cannot open '" + path));
  }
}

TEST_CASE("tune: a file is replaced as a whole or not at all", "[tune]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "before");
  {
    const WholeFile given_up(file);
    CHECK(std::filesystem::exists(file + ".new"));
  }
  CHECK(!std::filesystem::exists(file + ".new"));
  CHECK(TemporaryFolder::read(file) == "before");

  const std::string link = folder.file("link");
  std::filesystem::create_symlink(file, link);
  WholeFile(link).write("after");
  CHECK(TemporaryFolder::read(file) == "after");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(!std::filesystem::exists(file + ".new"));

  WholeFile("/dev/null").write("nothing");
  CHECK(!std::filesystem::is_regular_file("/dev/null"));
  std::filesystem::create_directory(folder.file("folder"));
  const auto [code, message] = error_of([&] { WholeFile(folder.file("folder")).write("nothing"); });
  CHECK(code == weft::ErrorCode::io);
  CHECK(contains(message, "folder"));
}
