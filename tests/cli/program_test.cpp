// SPDX-License-Identifier: Apache-2.0
// The program as a user sees it: exit codes, info and explain.
#include <weft/base/version.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/machine/level.hpp>
#include <weft/machine/strategy.hpp>
#include <weft/ops/registry.hpp>

#include "error_of.hpp"
#include "json_check.hpp"
#include "run_program.hpp"
#include "support/catch.hpp"

#include <string>

using namespace weft::cli;

namespace {

void check_usage_error(const std::string& arguments, const std::string& part) {
  INFO("weft " << arguments);
  const Finished run = run_program(arguments);
  CHECK(run.code == 2);
  CHECK(run.out.empty());
  INFO(run.error);
  CHECK(run.error.starts_with("weft: "));
  CHECK(contains(run.error, part));
}

void check_failure(const std::string& arguments, const std::string& part) {
  INFO("weft " << arguments);
  const Finished run = run_program(arguments);
  CHECK(run.code == 1);
  INFO(run.error);
  CHECK(run.error.starts_with("weft: "));
  CHECK(contains(run.error, part));
  CHECK(run.error.find('\n') == run.error.size() - 1);
}

}  // namespace

TEST_CASE("program: version and help", "[program]") {
  const Finished version = run_program("--version");
  CHECK(version.code == 0);
  CHECK(version.out == std::string("weft ") + weft::version() + "\n");
  const Finished help = run_program("--help");
  CHECK(help.code == 0);
  for (const char* command : {"info", "tune", "explain", "bench", "demo"}) {
    CHECK(contains(help.out, command));
    CHECK(run_program(std::string(command) + " --help").code == 0);
  }
}

TEST_CASE("program: usage errors end with 2", "[program]") {
  check_usage_error("", "expected a command");
  check_usage_error("frobnicate", "no command 'frobnicate'");
  check_usage_error("info --jason", "--jason");
  check_usage_error("info extra", "extra");
  check_usage_error("explain", "CALL");
  check_usage_error("bench", "FILE");
  check_usage_error("bench a b", "b");
  check_usage_error("bench x --threads", "--threads");
  check_usage_error("bench x --threads many", "--threads");
  check_usage_error("bench x --threads -1", "--threads");
  check_usage_error("bench x --min-time -1", "--min-time");
  check_usage_error("bench x --min-time soon", "--min-time");
  check_usage_error("bench x --min-time nan", "--min-time");
  check_usage_error("bench no/such/file", "no/such/file");
  check_usage_error("bench .", "cannot read '.'");
}

TEST_CASE("program: other errors end with 1", "[program]") {
  check_failure("explain 'frobnicate out:f32[4] f32[4]'", "frobnicate");
  check_failure("explain 'neg out:f32[4] f32[4]{x}'", "word 'f32[4]{x}'");
  check_failure("explain 'add out:f32[4] f32[4]'", "add");
  check_failure("explain 'add out:f32[4] f32[4] f32[5]'", "5");
  check_failure("explain ''", "expected an operation");
  check_failure("demo no/such/picture.ppm", "no/such/picture.ppm");
}

TEST_CASE("program: info", "[program]") {
  const Finished text = run_program("info");
  CHECK(text.code == 0);
  CHECK(text.error.empty());
  const Finished json = run_program("info --json");
  CHECK(json.code == 0);
  CHECK(JsonCheck::is_json(json.out));
  for (const Finished* run : {&text, &json}) {
    INFO(run->out);
    CHECK(contains(run->out, weft::version()));
    CHECK(contains(run->out, std::string(weft::name(weft::best_level()))));
    for (int i = 0; i < weft::scalar_type_count; ++i) {
      CHECK(contains(run->out, std::string(weft::name(static_cast<weft::ScalarType>(i)))));
    }
    for (const weft::OpEntry& op : weft::all_ops())
      CHECK(contains(run->out, std::string(op.name)));
  }
  const std::string lowest(weft::name(weft::lowest_level));
  const std::string start = "\"level\": \"" + lowest + "\", \"best_level\": \"" +
                            std::string(weft::name(weft::best_level()));
  CHECK(contains(run_program("info --json", "WEFT_ISA=" + lowest).out, start));
  CHECK(contains(run_program("info --json", "WEFT_NUM_THREADS=1").out, "\"threads\": 1,"));
}

TEST_CASE("program: info tells of a level that is not to be had", "[program]") {
  const std::string best(weft::name(weft::best_level()));
  CHECK(contains(
      run_program("info", "WEFT_ISA=sse9").out,
      best + " (WEFT_ISA=sse9 is no level of this machine and this build, and ignored)\n"));
  CHECK(contains(run_program("info", "WEFT_ISA=" + best).out, "    " + best + "\n"));
}

TEST_CASE("program: info tells what became of WEFT_CACHES", "[program]") {
  const auto caches = [](const std::string& told) {
    const std::string out = run_program("info", "WEFT_CACHES=" + told).out;
    const std::size_t at = out.find("caches");
    return out.substr(at, out.find('\n', at) - at);
  };
  CHECK(caches("40K,256k,2M")
            .ends_with("(WEFT_CACHES=40K,256k,2M is no list of three rising sizes such as "
                       "48K,1M,32M, and ignored)"));
  CHECK(caches("40K,256K,2M") ==
        "caches          L1 40 KiB, L2 256 KiB, L3 2 MiB, as WEFT_CACHES says");
  CHECK(caches("40960,1M,1G,far") ==
        "caches          L1 40 KiB, L2 1 MiB, L3 1024 MiB and far, as WEFT_CACHES says");
  CHECK(contains(run_program("info --json", "WEFT_CACHES=40K,256K,2M").out,
                 "\"l1_bytes\": 40960, \"l2_bytes\": 262144, \"l3_bytes\": 2097152,"));
  for (const char* wrong :
       {"", "40K", "40K,256K", "40K,256K,2M,", "40K,256K,2M,near", "40K,256K,2M,fa", "40K,256K,-2M",
        "40K,256K,0", "1K,256K,2M", "40K,256K,65G", "40K,256K,99999999999999999999",
        "40K,256K,9223372036854775807G", "40K 256K 2M", "K,M,G", "+40K,256K,2M"})
    CHECK(caches("'" + std::string(wrong) + "'").ends_with("and ignored)"));
}

TEST_CASE("program: info tells what became of WEFT_TUNING and WEFT_NUM_THREADS", "[program]") {
  const TemporaryFolder folder;
  const auto line = [](const std::string& word, const std::string& environment) {
    const std::string out = run_program("info", environment).out;
    const std::size_t at = out.find(word);
    return out.substr(at, out.find('\n', at) - at);
  };
  const std::string caches = "WEFT_CACHES=32K,1M,32M ";
  CHECK(line("tuning", caches) == "tuning          tight");
  const std::string text = run_program("info --tuning", caches).out;
  const std::string file = folder.write("mine", text);
  CHECK(line("tuning", caches + "WEFT_TUNING=" + file) == "tuning          tight, from " + file);
  CHECK(run_program("info --tuning", caches + "WEFT_TUNING=" + file).out == text);
  CHECK(contains(line("tuning", "WEFT_CACHES=48K,1M,32M WEFT_TUNING=" + file),
                 "tuning          near (WEFT_TUNING=" + file + " is ignored: line 4: the caches"));
  CHECK(contains(line("tuning", caches + "WEFT_TUNING=/nowhere/mine"), "cannot open"));
  // Another class of machine: what the file leaves out would be another thing.
  CHECK(contains(line("tuning", "WEFT_CACHES=32K,1M,32M,far WEFT_TUNING=" + file),
                 "tuning          far (WEFT_TUNING=" + file + " is ignored: line 4: the caches"));
  const std::string far = "WEFT_CACHES=32K,1M,32M,far ";
  const std::string far_file = folder.write("far", run_program("info --tuning", far).out);
  CHECK(line("tuning", far + "WEFT_TUNING=" + far_file) == "tuning          far, from " + far_file);
  CHECK(contains(line("tuning", caches + "WEFT_TUNING=" + far_file), "is ignored: line 4"));
  // Commands whose output does not tell say so beside it.
  const std::string none = folder.write("none", "");
  for (const std::string& command :
       {std::string("info --tuning"), std::string("explain 'add out:f32[4] f32[4] 1'"),
        "bench '" + none + "'", std::string("run nowhere.xml")}) {
    CHECK(run_program(command, caches + "WEFT_TUNING=/nowhere/mine")
              .error.starts_with("weft: WEFT_TUNING=/nowhere/mine is ignored: "));
    CHECK(!contains(run_program(command, caches).error, "WEFT_TUNING"));
  }
  CHECK(run_program("info", caches + "WEFT_TUNING=/nowhere/mine").error.empty());
  const std::string large = folder.write("large", std::string(1 << 17, '#'));
  CHECK(contains(line("tuning", caches + "WEFT_TUNING=" + large), "more than 65536 bytes"));
  const std::string json = run_program("info --json", caches + "WEFT_TUNING=/nowhere/mine").out;
  CHECK(JsonCheck::is_json(json));
  CHECK(contains(json, "\"machine_class\": \"tight\", \"tuning_file\": \"\", "));

  for (const char* wrong : {"abc", "0", "-1", "2x", "99999999999"})
    CHECK(line("threads", "WEFT_NUM_THREADS=" + std::string(wrong)).ends_with("and ignored)"));
  CHECK(line("threads", "WEFT_NUM_THREADS=1").starts_with("threads         1 of "));
}

TEST_CASE("program: folders and files that cannot be written", "[program]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  const std::string cases = folder.write("cases.txt", "long copy out:u8[200000] u8[200000]\n");
  for (const std::string& command : {"demo --output-dir '" + file + "/in/it'",
                                     "bench --dump '" + file + "/in/it' '" + cases + "'"}) {
    INFO(command);
    const Finished run = run_program(command);
    CHECK(run.code == 1);
    CHECK(contains(run.error, "weft: cannot make folder '" + file + "/in/it': "));
  }
  // No file may grow beyond a hundred blocks: what does not fit is not left half written.
  const Finished demo = run_program("demo --output-dir '" + folder.file("demo") + "'",
                                    "trap '' XFSZ; ulimit -f 100;");
  CHECK(demo.code == 1);
  CHECK(contains(demo.error, "cannot write '" + folder.file("demo") + "/normalized.npy': "));
  CHECK(!std::filesystem::exists(folder.file("demo/normalized.npy")));
  const Finished bench =
      run_program("bench --min-time 0 --dump '" + folder.file("dump") + "' '" + cases + "'",
                  "trap '' XFSZ; ulimit -f 100;");
  CHECK(bench.code == 1);
  CHECK(contains(bench.out, "error: cannot write"));
  CHECK(!std::filesystem::exists(folder.file("dump/long.bin")));
}

TEST_CASE("program: output that nobody takes", "[program]") {
  if (!std::filesystem::exists("/dev/full")) return;
  const TemporaryFolder folder;
  const std::string cases = folder.write("cases.txt", "a neg out:f32[4] f32[4]\n");
  for (const std::string& command : {std::string("info"), "bench --min-time 0 '" + cases + "'"}) {
    INFO(command);
    const std::string shell =
        test::shell_command(WEFT_PROGRAM) + " " + command + " >/dev/full 2>/dev/null";
    CHECK(WEXITSTATUS(std::system(shell.c_str())) == 1);
  }
}

TEST_CASE("program: explain", "[program]") {
  const std::string call = "add out:f32[64,32] f32[64,32]{1,64} f32[32]";
  const Finished text = run_program("explain '" + call + "'");
  CHECK(text.code == 0);
  CHECK(contains(text.out, "shape [64, 32], 2048 elements"));
  CHECK(contains(text.out, "input 0: f32 [64, 32], strides [1, 64]"));
  CHECK(contains(text.out, "run: "));

  // The words may come one by one, and the options anywhere.
  CHECK(run_program("explain " + call).out == text.out);

  const Finished json = run_program("explain --json --threads 1 '" + call + "'");
  CHECK(json.code == 0);
  CHECK(JsonCheck::is_json(json.out));
  CHECK(contains(json.out, "\"shape\": [64, 32]"));
  CHECK(contains(json.out, "\"threads\": 1,"));
  CHECK(JsonCheck::is_json(run_program("explain --json 'sum out:f32[3] f32[4,3] dim=0'").out));
  CHECK(JsonCheck::is_json(run_program("explain --json 'mul out:f32[4,0] f32[4,0] -2.5'").out));
}

TEST_CASE("program: explain tells of strategies", "[program]") {
  const std::string call = "'add out:f32[64,32] f32[64,32]{1,64} f32[32]'";
  const std::string text = run_program("explain --strategy row-tiles " + call).out;
  CHECK(contains(text, "strategy: row-tiles, asked for\nestimated: "));
  CHECK(contains(text, "transposed-tiles"));
  CHECK(contains(run_program("explain --strategy transposed-tiles " + call).out,
                 "strategy: transposed-tiles, asked for\n"));
  const Finished json = run_program("explain --json --strategy at-once 'copy out:i8[7] i8[7]{2}'");
  CHECK(JsonCheck::is_json(json.out));
  CHECK(contains(json.out,
                 "\"strategy\": \"at-once\", \"why\": \"asked for\", \"candidates\": "
                 "[{\"strategy\": \"at-once\", \"estimated_ns\": "));
  check_failure("explain --strategy line " + call, "strategy 'line' cannot carry out this call");
  check_usage_error("explain --strategy none " + call, "there is no 'none', expected one of");
}

TEST_CASE("program: explain names operands and rows as they are", "[program]") {
  const auto text_of = [](const std::string& call) {
    return run_program("explain --threads 1 '" + call + "'", "WEFT_CACHES=48K,1M,32M").out;
  };
  CHECK(contains(text_of("add out:f32[300,300] f32[300,300] f32[300,300]{1,300}"),
                 "strategy: transposed-tiles, input 1 is dense along dim 1"));
  CHECK(contains(text_of("add out:f64[3,1000000] f32[3,1000000] f64[3,1]"),
                 "rows of 1000000 elements are long enough"));
  const std::string turned = text_of("copy out:f32[40,40] f32[40,40]{1,40}");
  CHECK(contains(turned, "; direct, by rows\ninput 0"));
  CHECK(contains(turned, "; direct, transposed\nrun"));
  const std::string filled = text_of("copy out:f32[3000,300] f32[3000,1]");
  CHECK(contains(filled, "; direct, by rows\ninput 0"));
  CHECK(contains(filled, "; direct, rows of one value\nrun"));
  CHECK(contains(filled, "rows are one value each"));
  CHECK(contains(text_of("add out:f32[1] f32[1] 1"), "shape [1], 1 element\n"));
  // One unit a line.
  const std::string small = text_of("add out:f32[64,32] f32[64,32]{1,64} f32[32]");
  CHECK(contains(small, " ns"));
  CHECK(!contains(small, " us"));
  CHECK(!contains(text_of("add out:f32[1000,1000] f32[1000,1000]{1,1000} 1"), " ns"));
}

TEST_CASE("program: explain tells of forms", "[program]") {
  const std::string page =
      TemporaryFolder::read(std::string(WEFT_TESTS_DIR) + "/../docs/program.md");
  const auto form_of = [&](const std::string& call) {
    const Finished text = run_program("explain --threads 1 '" + call + "'");
    INFO(text.out << text.error);
    CHECK(text.code == 0);
    CHECK(contains(text.out, ", 1 thread, "));
    const std::string form = text.out.substr(text.out.rfind('\n', text.out.size() - 2) + 1);
    const std::string name = form.substr(6, form.size() - 7);
    const Finished json = run_program("explain --json '" + call + "'");
    CHECK(JsonCheck::is_json(json.out));
    CHECK(contains(json.out, "\"form\": \"" + name + "\""));
    CHECK(contains(page, "`" + name + "`"));
    return form;
  };
  CHECK(form_of("softmax out:f32[10,200] f32[10,200]") == "form: few-lines\n");
  CHECK(form_of("softmax out:f32[100,1000] f32[100,1000]") == "form: lines\n");
  CHECK(form_of("log_softmax out:f32[100,1000] f32[100,1000] dim=0") == "form: columns\n");
  CHECK(form_of("cumsum out:f32[50,300] f32[50,300]") == "form: columns\n");
  CHECK(form_of("cummax out:f32[50,300] f32[50,300] dim=1") == "form: lines\n");
  CHECK(form_of("cummax out:f32[50,300] f32[50,300]{1200,4} dim=1") == "form: gathered-lines\n");
  CHECK(form_of("sum out:f32[3] f32[4,3] dim=0") == "form: few-columns\n");
  CHECK(form_of("sum out:f32[] f32[100]") == "form: one-row\n");
}

TEST_CASE("program: the page lists every strategy", "[program]") {
  const std::string page =
      TemporaryFolder::read(std::string(WEFT_TESTS_DIR) + "/../docs/program.md");
  for (int i = 0; i < weft::strategy_count; ++i) {
    const auto strategy = static_cast<weft::Strategy>(i);
    const std::string row =
        "| `" + std::string(name(strategy)) + "` | " + std::string(meaning(strategy)) + " |";
    INFO(row);
    CHECK(contains(page, row));
  }
}

TEST_CASE("program: explain tells of strided loops", "[program]") {
  const auto count = [](const std::string& call) {
    const std::string out = run_program("explain '" + call + "'").out;
    int found = 0;
    for (std::size_t at = 0; (at = out.find("direct: strided", at)) != std::string::npos; ++at)
      ++found;
    return found;
  };
  CHECK(count("add out:f64[9000] f64[9000]{3} f64[9000]{3}") == 3);
  CHECK(count("add out:f64[9000] f64[9000]{-3} f64[9000]{3}") == 3);
  CHECK(count("mul out:f32[90,100] f32[90,100]{1000,9} f32[90,100]{1,90}") == 0);  // transposed
  CHECK(count("mul out:f32[90,100] f32[90,100]{1000,9} f32[90,100]{500,5}") == 3);
  CHECK(count("add out:f64[3000] f64[3000]{3} f64[3000]{3}") == 3);
  CHECK(count("add out:f32[5,7] f32[5,7]{1,5} f32[5,7]{1,5}") == 3);  // few elements
  CHECK(count("add out:f64[9000] f64[9000]{3} f64[9000]") == 0);
  CHECK(count("add out:f64[9000] f32[9000]{7} f64[9000]{3}") == 0);  // of another type
  CHECK(count("maximum out:f64[9000] f64[9000]{3} f64[9000]{3}") == 3);
  // Strided results, of a choice; and a function with loops of its own.
  CHECK(count("maximum out:f64[9000]{2} f64[9000]{3} f64[9000]{3}") == 0);
  CHECK(count("add out:f64[9000]{2} f64[9000]{3} f64[9000]{3}") == 3);
  CHECK(count("atan2 out:f64[9000] f64[9000]{3} f64[9000]{3}") == 0);
}

TEST_CASE("program: the check for JSON", "[program]") {
  for (const char* good :
       {"{}", " [1, -2.5e+3, 0.5, \"a\\\"\\u00e9\", true, null, {\"k\": []}] \n", "0"}) {
    CHECK(JsonCheck::is_json(good));
  }
  for (const char* bad : {"", "{", "{]", "[1,]", "{\"a\" 1}", "{1: 2}", "\"a\nb\"", "01x", "nan",
                          "[1 2]", "\"\\x\"", "{} {}", "\"\x7f\""}) {
    CHECK(!JsonCheck::is_json(bad));
  }
}
