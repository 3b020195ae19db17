// SPDX-License-Identifier: Apache-2.0
// weft eval, and expressions in case files, as a user sees them.
#include <weft/core/npy.hpp>

#include "cli/case_file.hpp"
#include "error_of.hpp"
#include "json_check.hpp"
#include "run_program.hpp"
#include "support/catch.hpp"

#include <cstring>
#include <string>

using namespace weft;
using namespace weft::cli;

namespace {

class Files {
 public:
  Files() {
    save_npy(folder.file("a.npy"), Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
    save_npy(folder.file("b.npy"), Tensor::of<float>({3}, {1, 1, 2}));
  }
  Finished eval(const std::string& text, const std::string& more = "") const {
    return run_program("eval '" + text + "' --input 'a=" + folder.file("a.npy") +
                       "' --input 'b=" + folder.file("b.npy") + "' " + more);
  }
  std::string to(const std::string& file) const { return "--output '" + folder.file(file) + "'"; }

  TemporaryFolder folder;
};

/// Refused with a code, and all of these in the message.
void check_refused(const Finished& run, int code, const std::string& a, const std::string& b = "") {
  INFO(run.error);
  CHECK(run.code == code);
  CHECK(run.out.empty());
  CHECK(contains(run.error, a));
  CHECK(contains(run.error, b));
}

}  // namespace

TEST_CASE("eval: an expression of files", "[eval]") {
  const Files files;
  const Finished run = files.eval("mean((a - b) * (a - b), 1)", files.to("out.npy"));
  INFO(run.error);
  CHECK(run.code == 0);
  const Tensor out = load_npy(files.folder.file("out.npy"));
  CHECK(out.rank() == 1);
  CHECK(out.at<float>(0) == 2.0F / 3);
  CHECK(out.at<float>(1) == 41.0F / 3);
  const Finished printed = files.eval("x = a * 2; sum(x) + 0.5 * sum(b) - 1.5");
  CHECK(printed.code == 0);
  CHECK(contains(printed.out, "42.5"));
}

TEST_CASE("eval: explained, and not done", "[eval]") {
  const Files files;
  const Finished text = files.eval("a / sum(a * b, 1, 1)", "--explain " + files.to("none.npy"));
  CHECK(text.code == 0);
  CHECK(contains(text.out, "pass 1 of 2: sum(mul(f32[2, 3], f32[3]), [1], keepdim) -> [2, 1]"));
  CHECK(contains(text.out, "36 bytes read, 8 written"));
  CHECK_FALSE(std::filesystem::exists(files.folder.file("none.npy")));
  const Finished json = files.eval("a / sum(a * b, 1, 1)", "--explain --json");
  CHECK(JsonCheck::is_json(json.out));
  CHECK(contains(json.out, "\"passes\": [{\"what\": "));
}

TEST_CASE("eval: what is refused", "[eval]") {
  const Files files;
  check_refused(files.eval("a + c"), 1, "column 5: unknown name 'c'");
  check_refused(files.eval("a +"), 1, "column 4: expected");
  check_refused(files.eval("a + sum(a, 0, 1) + sum(a, 1)"), 1, "add(add(f32[2, 3], ",
                "do not broadcast");
  check_refused(files.eval("a", "--input c"), 2, "--input c: expected NAME=FILE.npy");
  check_refused(files.eval("a", "--input a=x.npy"), 2, "'a' comes twice");
  check_refused(files.eval("a", "--input c=/no/such.npy"), 1, "input 'c'", "/no/such.npy");
  check_refused(files.eval("a * a"), 2, "input 'b': the expression does not name it");
  check_refused(files.eval("a", "--json"), 2, "--json goes with --explain");
  check_refused(files.eval("a + b", "--output /no/such/folder/x.npy"), 1, "/no/such/folder/x.npy");
  // A terabyte of two small files.
  save_npy(files.folder.file("c.npy"), Tensor::zeros({1 << 20, 1}, ScalarType::u8));
  save_npy(files.folder.file("d.npy"), Tensor::zeros({1 << 20}, ScalarType::u8));
  const Finished large = run_program("eval 'f64(c + d)' --input 'c=" + files.folder.file("c.npy") +
                                     "' --input 'd=" + files.folder.file("d.npy") + "'");
  check_refused(large, 1, "the result of 8192.0 GiB");
}

TEST_CASE("case: expressions", "[case]") {
  const Case c = parse_call(" out:f32[2] f32[2,3]{1,2} 2.5 fill=pos := sum(a * b, 1) ");
  CHECK(c.op.empty());
  CHECK(c.expression == " sum(a * b, 1) ");
  CHECK(c.outputs.size() == 1);
  CHECK(c.inputs.size() == 2);
  CHECK(c.fill == Fill::pos);
  const auto refused = [](const std::string& call, const std::string& why) {
    const auto [code, message] = error_of([&] { parse_call(call); });
    INFO(call << ": " << message);
    CHECK(code == ErrorCode::parse);
    CHECK(contains(message, why));
  };
  refused("f32[2] := a", "expected one output, got 0");
  refused("out:f32[2] out:f32[2] f32[2] := a", "expected one output, got 2");
  refused("out:f32[2] f32[2] dim=1 := a", "expected no key but fill=");
  refused("add out:f32[2] f32[2] := a", "word 'add'");
  std::string many = "out:f32[2]";
  for (int i = 0; i < 27; ++i)
    many += " 1";
  refused(many + " := a", "at most 26 inputs");
}

TEST_CASE("bench: expressions", "[bench]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("cases.txt",
                                        "whole out:i64[2] i32[2,3] i32[3] := sum(i64(a > b), 1)\n"
                                        "wrong out:f32[2] f32[2] := a + nobody\n"
                                        "shape out:f32[3] f32[2] := a + 1\n");
  const std::string dump = folder.file("out");
  const Finished run =
      run_program("bench --json --min-time 0 --dump '" + dump + "' '" + file + "'");
  CHECK(run.code == 0);
  CHECK(contains(run.out, "\"ns_first\": "));
  CHECK(contains(run.out, "column 6: unknown name 'nobody'"));
  CHECK(contains(run.out, "expected shape [2]"));
  const std::string sums = TemporaryFolder::read(dump + "/whole.bin");
  REQUIRE(sums.size() == 16);
  std::int64_t first = 0;
  std::memcpy(&first, sums.data(), sizeof(first));
  CHECK((first >= 0 && first <= 3));
  const Finished explained =
      run_program("explain 'count out:i64[2] i32[2,3] i32[3] := sum(i64(a > b), 1)'");
  CHECK(contains(explained.out, "pass 1 of 1: sum(i64(gt(i32[2, 3], i32[3])), [1]) -> [2]"));
}
