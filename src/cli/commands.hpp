// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the program can do: one function a command, with its options. They print to standard output
/// and throw Error.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::cli {

/// A command line that cannot be followed; the program ends with exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct InfoOptions {
  bool json = false;
  bool tuning = false;  ///< print the tuning in use as a file, and nothing else
};
/// Prints what the library knows of itself and of the machine.
void run_info(const InfoOptions& options);

struct TuneOptions {
  std::optional<std::string> output;  ///< the file to write; without: standard output
  double seconds = 20;                ///< that it is to take, about
};
/// Measures prices of the tuning table on this machine and writes a file for WEFT_TUNING. A price
/// that the machine is too noisy for is left out, and named on standard error. Throws Error(io) if
/// the file cannot be written, before anything is measured if that shows, and std::runtime_error if
/// nothing could be measured.
void run_tune(const TuneOptions& options);

struct ExplainOptions {
  std::vector<std::string> words;  ///< a case line without its name, in any number of pieces
  bool json = false;
  std::optional<int> threads;           ///< without: as the library would; 0: as many as there are
  std::optional<std::string> strategy;  ///< to be carried out by
};
/// Prints how one operation would be carried out.
void run_explain(const ExplainOptions& options);

struct EvalOptions {
  std::string expression;
  std::vector<std::string> inputs;    ///< NAME=FILE.npy
  std::optional<std::string> output;  ///< .npy; without: the result is printed
  std::optional<int> threads;         ///< without: as the library would; 0: as many as there are
  bool explain = false;
  bool json = false;  ///< of `explain`
};
/// Evaluates an expression (parse_expr.hpp) of .npy files. Throws UsageError for inputs of another
/// form, a name that comes twice, and files that cannot be read; Error for the expression, before
/// anything is written.
void run_eval(const EvalOptions& options);

struct BenchOptions {
  std::string file;
  std::string filter;               ///< only cases whose names contain it
  std::optional<std::string> dump;  ///< folder for the results
  bool json = false;
  int threads = 1;
  double min_time = 0.1;                ///< seconds a case; 0: one call
  std::optional<std::string> strategy;  ///< by which elementwise calls and copies are carried out
};
/// Runs a case file and prints a line a case. A case that cannot be run is reported in its line,
/// and the others go on. Throws UsageError if the file cannot be read, and std::runtime_error if
/// there are cases and none could be run.
void run_bench(const BenchOptions& options);

struct RunOptions {
  std::string model;                   ///< .xml
  std::optional<std::string> weights;  ///< .bin; without: the one beside the model
  std::vector<std::string> inputs;     ///< NAME=FILE.npy
  std::string output_dir = ".";
  std::optional<int> threads;  ///< without: as the library would; 0: as many as there are
  long repeat = 1;
  bool explain = false;
  bool json = false;
};
/// Runs a model of OpenVINO IR on .npy files and writes its outputs as such; without inputs, lists
/// what the model takes and gives. Throws UsageError, with that list, for inputs that are missing,
/// that the model does not have, or that have another shape or element type; and Error(limit) for
/// what needs more memory than the machine has, before that is asked for.
void run_model(const RunOptions& options);

struct DemoOptions {
  std::optional<std::string> image;  ///< a binary PPM; without: the one that comes with the program
  std::string output_dir = ".";
  int threads = 1;
};
/// Normalises a picture in one kernel and runs an LSTM over a sequence; writes the results as .npy,
/// and shows what happened.
void run_demo(const DemoOptions& options);

}  // namespace weft::cli
