// SPDX-License-Identifier: Apache-2.0
// weft bench as a user sees it.
#include <weft/core/tensor.hpp>

#include "cli/fill.hpp"
#include "error_of.hpp"
#include "json_check.hpp"
#include "run_program.hpp"
#include "support/catch.hpp"

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

using namespace weft::cli;

namespace {

const char* const cases =
    "# three that run, and some that do not\n"
    "add.turned add out:f32[4,3] f32[4,3]{1,4} f32[3]{-1}\n"
    "add.strided add out:i32[5]{3} i32[5] 7\n"
    "sum.u8 sum out:i64[2] u8[2,100] dim=1\n"
    "bad.op frobnicate out:f32[4] f32[4]\n"
    "bad.word neg out:f32[4] f32[4]{\"q\\}\n"
    "bad.shapes add out:f32[4] f32[4] f32[5]\n"
    "bad.count add out:f32[4]\n"
    "bad.empty\n"
    "bad/name neg out:f32[4] f32[4]\n"
    "add.strided neg out:f32[4] f32[4]\n"
    "last neg out:f32[4] f32[4]\n";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

template <class T>
std::vector<T> values_of(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// The first `count` elements of the k-th input.
template <class T>
std::vector<T> input(std::int64_t count, int k) {
  weft::Tensor t = weft::Tensor::empty({count}, weft::scalar_type_of<T>);
  fill_buffer(t, Fill::sym, k);
  return {t.data_as<T>(), t.data_as<T>() + count};
}

}  // namespace

TEST_CASE("bench: one JSON line a case", "[bench]") {
  const TemporaryFolder folder;
  const Finished run =
      run_program("bench --json --min-time 0.001 '" + folder.write("cases.txt", cases) + "'");
  CHECK(run.code == 0);
  CHECK(run.error.empty());
  const std::vector<std::string> lines = lines_of(run.out);
  REQUIRE(lines.size() == 11);
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(JsonCheck::is_json(line));
  }
  for (const std::size_t i : {0u, 1u, 2u, 10u}) {
    CHECK(contains(lines[i], "\"ns_min\": "));
    CHECK(contains(lines[i], "\"ns_median\": "));
    CHECK(contains(lines[i], "\"runs\": "));
  }
  CHECK(lines[0].starts_with("{\"name\": \"add.turned\", \"ns_min\": "));
  CHECK(lines[3].starts_with("{\"name\": \"bad.op\", \"error\": "));
  CHECK(contains(lines[3], "frobnicate"));
  CHECK(contains(lines[4], "line 6: word 'f32[4]{\\\"q\\\\}'"));
  CHECK(lines[5].starts_with("{\"name\": \"bad.shapes\", \"error\": "));
  CHECK(lines[6].starts_with("{\"name\": \"bad.count\", \"error\": "));
  CHECK(contains(lines[7], "line 9: expected an operation"));
  CHECK(contains(lines[8], "line 10: word 'bad/name'"));
  CHECK(contains(lines[9], "the name of line 3 again"));
  CHECK(lines[10].starts_with("{\"name\": \"last\", \"ns_min\": "));
}

TEST_CASE("bench: a table", "[bench]") {
  const TemporaryFolder folder;
  const Finished run = run_program("bench --min-time 0 '" + folder.write("cases.txt", cases) + "'");
  CHECK(run.code == 0);
  const std::vector<std::string> lines = lines_of(run.out);
  REQUIRE(lines.size() == 12);
  CHECK(lines[0].starts_with("case "));
  CHECK(lines[1].starts_with("add.turned "));
  CHECK(contains(lines[4], "error: "));
}

TEST_CASE("bench: results are written row-major", "[bench]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("cases.txt", cases);
  const std::string dump = folder.file("deep/er");
  const Finished run =
      run_program("bench --json --min-time 0 --dump '" + dump + "' '" + file + "'");
  CHECK(run.code == 0);
  CHECK(contains(run.out, "\"runs\": 1}"));

  const auto a = input<float>(12, 0);
  const auto b = input<float>(3, 1);
  std::vector<float> turned;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      turned.push_back(a[i + 4 * j] + b[2 - j]);
  }
  CHECK(values_of<float>(TemporaryFolder::read(dump + "/add.turned.bin")) == turned);

  auto strided = input<std::int32_t>(5, 0);
  for (std::int32_t& value : strided)
    value += 7;
  CHECK(values_of<std::int32_t>(TemporaryFolder::read(dump + "/add.strided.bin")) == strided);

  const auto bytes = input<std::uint8_t>(200, 0);
  std::vector<std::int64_t> sums(2);
  for (std::size_t i = 0; i < 200; ++i)
    sums[i / 100] += bytes[i];
  CHECK(values_of<std::int64_t>(TemporaryFolder::read(dump + "/sum.u8.bin")) == sums);
  CHECK(!std::filesystem::exists(dump + "/bad.op.bin"));
  CHECK(!std::filesystem::exists(dump + "/bad.shapes.bin"));
}

TEST_CASE("bench: filter and threads", "[bench]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("cases.txt", cases);
  const Finished run =
      run_program("bench --json --min-time 0 --threads 2 --filter .u '" + file + "'");
  CHECK(run.code == 0);
  CHECK(lines_of(run.out).size() == 1);
  CHECK(contains(run.out, "sum.u8"));
  const Finished none = run_program("bench --json --filter nothing '" + file + "'");
  CHECK(none.out.empty());
  CHECK(contains(none.error, "no case of '" + file + "' has 'nothing' in its name"));
  CHECK(run.error.empty());
  CHECK(run_program("bench --json '" + folder.write("empty.txt", "") + "'").code == 0);
}

TEST_CASE("bench: a strategy that is asked for", "[bench]") {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "cases.txt",
      "turned add out:f32[40,300] f32[40,300]{1,40} f32[300]\nsum sum out:f32[4] f32[4,3] dim=1\n");
  const std::string bench = "bench --json --min-time 0 '" + file + "' --dump '";
  const Finished chosen = run_program(bench + folder.file("chosen") + "'");
  const Finished forced =
      run_program(bench + folder.file("forced") + "' --strategy gathered-tiles");
  const Finished refused = run_program(bench + folder.file("refused") + "' --strategy line");
  CHECK(chosen.code == 0);
  CHECK(forced.code == 0);
  CHECK(!contains(forced.out, "error"));
  CHECK(TemporaryFolder::read(folder.file("chosen") + "/turned.bin") ==
        TemporaryFolder::read(folder.file("forced") + "/turned.bin"));
  CHECK(refused.code == 0);  // the sum has no strategies, and runs
  CHECK(contains(refused.out, "strategy 'line' cannot carry out this call; these can: "));
  CHECK(contains(run_program("bench '" + file + "' --strategy rowtiles").error,
                 "--strategy: there is no 'rowtiles', expected one of automatic, line, "));
  // Of an expression, too, however few its elements are.
  const std::string few = "'out:f32[4,8] f32[4,8] f32[8] := a + b'";
  CHECK(contains(run_program("explain --strategy gathered-tiles " + few).out, "gathered-tiles"));
  const Finished none = run_program("explain --strategy transposed-tiles " + few);
  CHECK(none.code == 1);
  CHECK(
      contains(none.error, "strategy 'transposed-tiles' cannot carry out this call; these can: "));
}

TEST_CASE("bench: control characters are not printed raw", "[bench]") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("cases.txt", "a\x1b[2Jb add\nc \x07 add\nd add out:f32[4] f32[4] f32\x1b\n");
  const std::string out = run_program("bench --min-time 0 '" + file + "'").out;
  CHECK(lines_of(out).size() == 4);
  CHECK(!contains(out, "\x1b"));
  CHECK(!contains(out, "\x07"));
  CHECK(contains(out, "a\\x1b[2Jb"));
}

TEST_CASE("bench: reductions do not look at a strategy", "[bench]") {
  const TemporaryFolder folder;
  // Copies, casts and fills inside of reductions; and results that are put together first.
  const std::string file =
      folder.write("cases.txt",
                   "copied amax out:f32[9,7] f32[9,7,1]{1,9,1} dim=2\n"
                   "many amax out:f32[300,200] f32[300,200,1]{1,300,1} dim=2\n"
                   "cast sum out:f32[300] i64[300,1] dim=1\n"
                   "filled argmax out:i64[90000]{2} f32[90000,1] dim=1\n"
                   "collected sum out:f32[64,64] f32[40,64,64]{4096,1,64} dim=0\n");
  const std::string bench = "bench --json --min-time 0 '" + file + "' --dump '";
  const Finished chosen = run_program(bench + folder.file("chosen") + "'");
  CHECK(!contains(chosen.out, "error"));
  for (const std::string strategy : {"line", "transposed-tiles", "joined-rows"}) {
    INFO(strategy);
    const std::string to = folder.file(strategy);
    const Finished forced = run_program(bench + to + "' --strategy " + strategy);
    CHECK(forced.code == 0);
    CHECK(!contains(forced.out, "error"));
    for (const std::string name : {"copied", "many", "cast", "filled", "collected"}) {
      const std::string bytes = TemporaryFolder::read(to + "/" + name + ".bin");
      CHECK(!bytes.empty());
      CHECK(bytes == TemporaryFolder::read(folder.file("chosen") + "/" + name + ".bin"));
    }
  }
}

TEST_CASE("bench: a file with no text in it", "[bench]") {
  const TemporaryFolder folder;
  std::string noise;
  for (int i = 0; i < 2000; ++i)
    noise += static_cast<char>(i * 131 % 256);
  const Finished run =
      run_program("bench --json --min-time 0 '" + folder.write("noise", noise) + "'");
  CHECK(run.code == 1);  // nothing in it could be run
  CHECK(contains(run.error, "noise' could be run"));
  for (const std::string& line : lines_of(run.out)) {
    INFO(line);
    CHECK(JsonCheck::is_json(line));
    CHECK(contains(line, "\"error\": "));
  }
}
