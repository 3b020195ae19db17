// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/npy.hpp>
#include <weft/graph/executable.hpp>
#include <weft/ir/model.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/loop_reports.hpp"
#include "cli/machine_memory.hpp"
#include "cli/model_io.hpp"
#include "cli/progress.hpp"
#include "cli/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {
namespace {

/// An output that has been written.
struct Output {
  std::string name;
  std::string file;
  ScalarType dtype;
  DimVector shape;
};

std::string json_shape(IntSpan shape) {
  std::string out;
  for (const std::int64_t extent : shape)
    out += (out.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + out + "]";
}

/// An extent that is not known yet is null; so is a shape of unknown rank.
std::string json_port(const ir::ModelPort& port) {
  std::string shape = "null";
  if (port.type.shape.has_rank()) {
    shape.clear();
    for (const std::int64_t extent : port.type.shape.extents()) {
      shape += shape.empty() ? "" : ", ";
      shape += extent == graph::PartialShape::unknown ? "null" : std::to_string(extent);
    }
    shape = "[" + shape + "]";
  }
  return fmt::format(R"({{"name": {}, "id": {}, "type": {}, "shape": {}}})", json_string(port.name),
                     json_string(port.id), json_string(name(port.type.dtype)), shape);
}

std::string json_ports(const std::vector<ir::ModelPort>& ports) {
  std::string out;
  for (const ir::ModelPort& port : ports)
    out += (out.empty() ? "" : ", ") + json_port(port);
  return "[" + out + "]";
}

void print_ports(const ir::Model& model, bool json) {
  if (json) {
    fmt::print("{{\"model\": {}, \"inputs\": {}, \"outputs\": {}}}\n", json_string(model.name),
               json_ports(model.inputs), json_ports(model.outputs));
  } else {
    fmt::print("{}", describe_ports(model));
  }
}

/// A model of which no part may take more memory than the machine has.
ir::Model load_model(const RunOptions& options) {
  ir::Limits limits;
  const auto lower = [](std::int64_t& limit) { limit = std::min(limit, machine_memory()); };
  lower(limits.max_run_bytes);
  lower(limits.max_weights_bytes);
  const Elapsed elapsed("reading " + options.model);
  return ir::load_model(options.model, options.weights, limits);
}

/// Plans, and throws Error(limit), which says how much memory the machine has, for a model that
/// needs more.
void plan_frame(graph::Frame& frame, const std::vector<Tensor>& inputs) {
  try {
    frame.plan(std::vector<TensorView>(inputs.begin(), inputs.end()));
  } catch (const Error& e) {
    if (e.code() != ErrorCode::limit) throw;
    fail(ErrorCode::limit, fmt::format("{}; the machine has {:.1f} GiB of memory", e.what(),
                                       static_cast<double>(machine_memory()) * 0x1p-30));
  }
}

/// Refuses inputs, values and outputs that need more memory than the machine has, as far as they
/// are known: outputs are copied one at a time to be written, and may be views of less.
void check_frame_fits(const graph::Frame& frame, const std::vector<Tensor>& inputs) {
  std::int64_t largest_output = 0;
  for (int i = 0; i < frame.executable().nresults(); ++i) {
    const TensorView result = frame.result(i);
    if (result.defined()) largest_output = std::max(largest_output, result.nbytes());
  }
  std::int64_t bytes = frame.counters().arena_bytes;
  bool fits = checked_add(bytes, largest_output, bytes);
  for (const Tensor& input : inputs)
    fits = fits && checked_add(bytes, input.nbytes(), bytes);
  check_memory("inputs, values and the largest output", fits ? std::optional(bytes) : std::nullopt);
}

/// Runs `repeat` times on the same inputs; nanoseconds of each run.
std::vector<double> run_frame(graph::Frame& frame, long repeat, const std::string& what) {
  // Times of at most so many runs are kept: enough for their median.
  constexpr long most_times = 100'000;
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(std::min(repeat, most_times)));
  Elapsed elapsed(what);
  for (long i = 0; i < repeat; ++i) {
    elapsed.done(i, repeat);
    const double ns = time_calls([&] { frame.run(); }, 1);
    if (i < most_times) times.push_back(ns);
  }
  std::ranges::sort(times);
  return times;
}

std::vector<Output> save_outputs(const ir::Model& model, const graph::Frame& frame,
                                 const std::string& folder) {
  make_folder(folder);
  const std::vector<std::string> files = output_file_names(model.outputs);
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string path = (std::filesystem::path(folder) / files[i]).string();
    const Tensor tensor = as_npy(frame.result(static_cast<int>(i)));
    save_npy(path, tensor);
    outputs.push_back({model.outputs[i].name, path, tensor.dtype(),
                       DimVector(tensor.shape().begin(), tensor.shape().end())});
  }
  return outputs;
}

void print_text(const std::vector<Output>& outputs, const std::vector<double>& times, long repeat) {
  for (const Output& output : outputs)
    fmt::print("{}  {} {}\n", output.file, name(output.dtype), to_string(output.shape));
  if (repeat == 1) {
    fmt::print("1 run, {}\n", duration(times.front()));
  } else {
    fmt::print("{} runs: least {}, median {}\n", repeat, duration(times.front()),
               duration(times[times.size() / 2]));
  }
}

/// @param explanation  further members, each after a comma
void print_json(const ir::Model& model, const std::vector<Output>& outputs,
                const std::vector<double>& times, long repeat, const std::string& explanation) {
  std::string list;
  for (const Output& output : outputs) {
    list +=
        fmt::format(R"({}{{"name": {}, "file": {}, "type": {}, "shape": {}}})",
                    list.empty() ? "" : ", ", json_string(output.name), json_string(output.file),
                    json_string(name(output.dtype)), json_shape(output.shape));
  }
  fmt::print(
      "{{\"model\": {}, \"outputs\": [{}], \"runs\": {}, \"ns_min\": {:.1f}, \"ns_median\": "
      "{:.1f}{}}}\n",
      json_string(model.name), list, repeat, times.front(), times[times.size() / 2], explanation);
}

}  // namespace

void run_model(const RunOptions& options) {
  const ir::Model model = load_model(options);
  if (options.inputs.empty() && !model.inputs.empty()) {
    print_ports(model, options.json);
    return;
  }
  const std::vector<Tensor> inputs = load_inputs(model, options.inputs);
  if (options.threads) set_num_threads(*options.threads);

  graph::Frame frame(model.program);
  plan_frame(frame, inputs);
  check_frame_fits(frame, inputs);
  const std::vector<double> times = run_frame(frame, options.repeat, "running " + options.model);
  check_frame_fits(frame, inputs);  // shapes may have turned up in the run
  const std::vector<Output> outputs = save_outputs(model, frame, options.output_dir);
  if (options.json) {
    print_json(model, outputs, times, options.repeat,
               options.explain ? ", \"plan\": " + json_notes(frame.explain().notes) +
                                     ", \"loops\": " + loop_reports_json(model.graph)
                               : "");
    return;
  }
  print_text(outputs, times, options.repeat);
  if (options.explain)
    fmt::print("\n{}{}", to_string(frame.explain()), loop_reports_text(model.graph));
}

}  // namespace weft::cli
