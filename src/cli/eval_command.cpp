// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/npy.hpp>
#include <weft/core/print.hpp>
#include <weft/expr/explain_expr.hpp>
#include <weft/expr/parse_expr.hpp>
#include <weft/parallel/parallel.hpp>

#include "cli/commands.hpp"
#include "cli/machine_memory.hpp"
#include "cli/model_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {
namespace {

struct NamedFile {
  std::string name, file;
};

std::vector<NamedFile> split_inputs(const std::vector<std::string>& inputs) {
  std::vector<NamedFile> files;
  for (const std::string& input : inputs) {
    const std::size_t equals = input.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == input.size())
      throw UsageError(fmt::format("--input {}: expected NAME=FILE.npy", input));
    NamedFile named{input.substr(0, equals), input.substr(equals + 1)};
    if (std::ranges::find(files, named.name, &NamedFile::name) != files.end())
      throw UsageError(fmt::format("--input {}: '{}' comes twice", input, named.name));
    files.push_back(std::move(named));
  }
  return files;
}

std::vector<NamedExpr> load(const std::vector<NamedFile>& files) {
  std::vector<std::string> paths;
  for (const NamedFile& named : files)
    paths.push_back(named.file);
  check_files_fit(paths);
  std::vector<NamedExpr> operands;
  for (const NamedFile& named : files)
    operands.push_back({named.name, Expr(load_input(named.name, named.file))});
  return operands;
}

/// An expression names an input if it cannot be read without it. Throws UsageError for an input
/// that it does not name.
void check_inputs_are_named(const std::string& expression, const std::vector<NamedExpr>& operands) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    // Without an input of this name they are numbers.
    if (operands[i].name == "inf" || operands[i].name == "nan") continue;
    std::vector<NamedExpr> others = operands;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    try {
      parse_expr(expression, others);
    } catch (const Error&) {
      continue;
    }
    throw UsageError(fmt::format("input '{}': the expression does not name it", operands[i].name));
  }
}

/// Broadcasting makes large results of small files.
void check_result_fits(const Expr& e) {
  std::int64_t bytes = element_size(e.dtype());
  bool fits = true;
  for (const std::int64_t extent : e.shape())
    fits = fits && checked_mul(bytes, extent, bytes);
  check_memory("the result", fits ? std::optional(bytes) : std::nullopt);
}

}  // namespace

void run_eval(const EvalOptions& options) {
  if (options.json && !options.explain) throw UsageError("--json goes with --explain");
  const std::vector<NamedExpr> operands = load(split_inputs(options.inputs));
  if (options.threads) set_num_threads(*options.threads);
  const Expr e = parse_expr(options.expression, operands);
  check_inputs_are_named(options.expression, operands);
  check_result_fits(e);
  if (options.explain) {
    const ExprExplanation passes = explain(e);
    fmt::print("{}{}", options.json ? passes.to_json() : passes.to_text(),
               options.json ? "\n" : "");
    return;
  }
  const Tensor result = evaluate(e);
  if (options.output) return save_npy(*options.output, as_npy(result));
  fmt::print("{}\n", to_text(result));
}

}  // namespace weft::cli
