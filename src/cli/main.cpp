// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/base/version.hpp>
#include <weft/machine/cpu_info.hpp>

#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>

namespace {

using namespace weft::cli;

/// Says so on standard error if WEFT_TUNING names a file that is not in use.
void tell_refused_tuning() {
  const std::string& why = weft::cpu_info().tuning_refused;
  if (!why.empty())
    fmt::print(stderr, "weft: WEFT_TUNING={} is ignored: {}\n", std::getenv("WEFT_TUNING"), why);
}

/// Below the options of commands that take calls.
constexpr const char* call_keys =
    "Keys of a call: dim=, keepdim=, n=, min=, max=, fill=; docs/program.md says which operation "
    "takes which, and how operands are written.";

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

/// Everything that the command line may hold, and which command it chose.
class CommandLine {
 public:
  CommandLine() {
    app_.name("weft");
    app_.set_version_flag("--version", fmt::format("weft {}", weft::version()));
    app_.require_subcommand(0, 1);  // parse() has a better message for none
    app_.failure_message([this](const CLI::App*, const CLI::Error& e) { return message(e); });
    add_info();
    add_tune();
    add_explain();
    add_eval();
    add_bench();
    add_run();
    add_demo();
  }

  /// The exit code of the program if it ends here, as after --help; -1 if run() is to follow.
  int parse(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      return app_.exit(e) == 0 ? 0 : exit_usage;
    }
    if (!chosen_) {
      fmt::print(stderr, "weft: expected a command\n{}", hint);
      return exit_usage;
    }
    return -1;
  }

  void run() const { chosen_(); }

 private:
  static constexpr const char* hint =
      "weft --help lists the commands, weft COMMAND --help its options.\n";

  std::string message(const CLI::Error& e) const {
    const bool unknown = app_.get_subcommands().empty() && !app_.remaining().empty();
    return fmt::format(
        "weft: {}\n{}",
        unknown ? fmt::format("there is no command '{}'", app_.remaining().front()) : e.what(),
        hint);
  }

  CLI::App* add(const std::string& name, const std::string& what, std::function<void()> command) {
    CLI::App* sub = app_.add_subcommand(name, what);
    sub->callback([this, run_it = std::move(command)] { chosen_ = run_it; });
    return sub;
  }

  void add_info() {
    CLI::App* sub = add(
        "info", "Version, processor, instruction set, threads, element types, operations", [this] {
          if (info_.tuning) tell_refused_tuning();  // it is part of the text else
          run_info(info_);
        });
    sub->add_flag("--json", info_.json, "Print one JSON object");
    sub->add_flag("--tuning", info_.tuning, "Print the tuning in use, as a file for WEFT_TUNING");
  }

  void add_tune() {
    CLI::App* sub = add("tune", "Measure prices of the engine on this machine, for WEFT_TUNING",
                        [this] { run_tune(tune_); });
    sub->add_option("--output", tune_.output, "The file to write; without: standard output")
        ->type_name("FILE");
    sub->add_option("--seconds", tune_.seconds, "How long to measure, about")
        ->check(CLI::Range(0.0, 3600.0))
        ->capture_default_str();
  }

  void add_explain() {
    CLI::App* sub = add("explain", "How an operation would be carried out, and why", [this] {
      tell_refused_tuning();
      run_explain(explain_);
    });
    sub->add_option(
           "CALL", explain_.words,
           "OP OPERAND... [KEY=VALUE...], such as 'add out:f32[4,3] f32[4,3]{1,4} f32[3]'; "
           "or OPERAND... := EXPRESSION, such as 'out:f32[4] f32[4,3] := sum(a * 2, 1)'")
        ->required();
    sub->footer(call_keys);
    sub->add_flag("--json", explain_.json, "Print one JSON object");
    sub->add_option("--threads", explain_.threads, "Most threads to use; 0: as many as there are")
        ->check(CLI::Range(0, 1 << 16));
    sub->add_option("--strategy", explain_.strategy, "Carry it out by this, such as 'row-tiles'")
        ->type_name("NAME");
  }

  void add_eval() {
    CLI::App* sub = add("eval", "Evaluate an expression of .npy files, in one pass", [this] {
      tell_refused_tuning();
      run_eval(eval_);
    });
    sub->add_option(
           "EXPRESSION", eval_.expression,
           "Such as 'mean((a - b) * (a - b), 1)' or 'x = a * 2; relu(x) + b'; put one that "
           "begins with - in parentheses")
        ->required();
    sub->add_option("--input", eval_.inputs, "An operand's name and its value")
        ->type_name("NAME=FILE.npy")
        ->allow_extra_args(false);
    sub->add_option("--output", eval_.output, "The file to write; without: print the result")
        ->type_name("FILE.npy");
    sub->add_option("--threads", eval_.threads, "Most threads to use; 0: as many as there are")
        ->check(CLI::Range(0, 1 << 16));
    sub->add_flag("--explain", eval_.explain, "Tell how it is carried out, and do not");
    sub->add_flag("--json", eval_.json, "With --explain: print one JSON object");
  }

  void add_bench() {
    CLI::App* sub = add("bench", "Time the operations of a case file", [this] {
      tell_refused_tuning();
      run_bench(bench_);
    });
    sub->add_option("FILE", bench_.file,
                    "Lines of: NAME OP OPERAND... [KEY=VALUE...], or NAME OPERAND... := EXPRESSION")
        ->required();
    sub->footer(call_keys);
    sub->add_flag("--json", bench_.json, "Print one JSON object a line");
    sub->add_option("--threads", bench_.threads, "Most threads to use; 0: as many as there are")
        ->check(CLI::Range(0, 1 << 16))
        ->capture_default_str();
    sub->add_option("--min-time", bench_.min_time,
                    "Seconds a case; 0: one call, for the results only")
        ->check(CLI::Range(0.0, 3600.0))
        ->capture_default_str();
    sub->add_option("--dump", bench_.dump, "Write each output, row-major, to DIR/NAME.bin")
        ->type_name("DIR");
    sub->add_option("--filter", bench_.filter, "Only cases whose names contain this");
    sub->add_option("--strategy", bench_.strategy,
                    "Carry out elementwise calls and copies by this, such as 'row-tiles'")
        ->type_name("NAME");
  }

  void add_run() {
    CLI::App* sub =
        add("run", "Run a model of OpenVINO IR, or list what it takes and gives", [this] {
          tell_refused_tuning();
          run_model(run_);
        });
    sub->add_option("MODEL", run_.model, "A model's .xml: a <net>, or a bare <layer>")->required();
    sub->add_option("--weights", run_.weights,
                    "The model's .bin; without: the one beside MODEL, if it has constants")
        ->type_name("FILE");
    sub->add_option("--input", run_.inputs, "An input and its value; none: list what there are")
        ->type_name("NAME=FILE.npy")
        ->allow_extra_args(false);
    sub->add_option("--output-dir", run_.output_dir, "Where to write the outputs, as .npy")
        ->capture_default_str()
        ->type_name("DIR");
    sub->add_option("--threads", run_.threads, "Most threads to use; 0: as many as there are")
        ->check(CLI::Range(0, 1 << 16));
    sub->add_option("--repeat", run_.repeat, "How many times to run, for the time it takes")
        ->check(CLI::Range(1L, 1000000000L))
        ->capture_default_str();
    sub->add_flag("--explain", run_.explain, "Tell how its operations run, and what its loops did");
    sub->add_flag("--json", run_.json, "Print one JSON object");
  }

  void add_demo() {
    CLI::App* sub =
        add("demo", "Normalise a picture in one kernel, and run an LSTM over a sequence", [this] {
          tell_refused_tuning();
          run_demo(demo_);
        });
    sub->add_option("IMAGE", demo_.image,
                    "A binary PPM (P6, 8 bit); without: a picture that comes with weft");
    sub->add_option("--output-dir", demo_.output_dir, "Where to write")
        ->capture_default_str()
        ->type_name("DIR");
    sub->add_option("--threads", demo_.threads, "Most threads to use; 0: as many as there are")
        ->check(CLI::Range(0, 1 << 16))
        ->capture_default_str();
  }

  CLI::App app_{"Strided tensor iteration on CPUs"};
  std::function<void()> chosen_;
  InfoOptions info_;
  TuneOptions tune_;
  ExplainOptions explain_;
  EvalOptions eval_;
  BenchOptions bench_;
  RunOptions run_;
  DemoOptions demo_;
};

int fail_with(int code, const char* message) {
  fmt::print(stderr, "weft: {}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    CommandLine line;
    if (const int code = line.parse(argc, argv); code >= 0) return code;
    line.run();
    // Earlier flushes may have failed, too: commands that run long print as they go.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return fail_with(exit_failure, "cannot write to standard output");
    return 0;
  } catch (const UsageError& e) {
    return fail_with(exit_usage, e.what());
  } catch (const std::bad_alloc&) {
    return fail_with(exit_failure, "not enough memory");
  } catch (const std::exception& e) {
    return fail_with(exit_failure, e.what());
  }
}
