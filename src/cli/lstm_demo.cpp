// SPDX-License-Identifier: Apache-2.0
#include "cli/lstm_demo.hpp"

#include <weft/base/error.hpp>
#include <weft/core/npy.hpp>
#include <weft/graph/executable.hpp>
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>

#include "base/file.hpp"
#include "cli/fill.hpp"
#include "cli/loop_reports.hpp"
#include "cli/model_io.hpp"
#include "cli/print_indented.hpp"
#include "cli/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace weft::cli {
namespace {

constexpr std::int64_t steps = 25;
constexpr std::int64_t inputs = 512;
constexpr std::int64_t hidden = 256;
constexpr double seconds_per_timing = 0.2;

/// Two operations for each of the weights of the four gates, in each step.
constexpr double operations = 2.0 * steps * 4 * hidden * (inputs + hidden);

/// Fills part of the weights file; returns where it ends.
std::int64_t put_integers(const Tensor& file, std::int64_t at,
                          std::initializer_list<std::int64_t> values) {
  std::ranges::copy(values, reinterpret_cast<std::int64_t*>(file.data_as<std::uint8_t>() + at));
  return at + static_cast<std::int64_t>(values.size() * sizeof(std::int64_t));
}

std::int64_t put_weights(const Tensor& file, std::int64_t at, IntSpan shape, int number) {
  const Tensor values = Tensor::empty(shape, ScalarType::f32);
  fill_buffer(values, Fill::sym, number);
  // Small enough that most gates stay between open and shut.
  const auto place = TensorView::trusted(static_cast<void*>(file.data_as<std::uint8_t>() + at),
                                         ScalarType::f32, shape);
  copy_out(place, mul(values, 0.0625));
  return at + place.nbytes();
}

void write_bytes(const std::string& path, const Tensor& bytes) {
  File file(path, "wb");
  file.write_all(
      {static_cast<const std::byte*>(bytes.data()), static_cast<std::size_t>(bytes.nbytes())});
  file.close();
}

}  // namespace

Tensor lstm_weights() {
  // As the offsets of the model say: I64 [2], F32 [1024, 768], F32 [1024], I64 [3].
  Tensor file = Tensor::empty({3149864}, ScalarType::u8);
  std::int64_t at = put_integers(file, 0, {1, inputs});
  at = put_weights(file, at, {4 * hidden, inputs + hidden}, 0);
  at = put_weights(file, at, {4 * hidden}, 1);
  put_integers(file, at, {1, 1, hidden});
  return file;
}

Tensor lstm_input(IntSpan shape, int number) {
  Tensor input = Tensor::empty(shape, ScalarType::f32);
  fill_buffer(input, Fill::sym, number);
  return input;
}

void run_lstm_demo(const std::string& model_path, const std::string& folder) {
  const Tensor weights = lstm_weights();
  const ir::Model model = ir::build_model(ir::load_document(model_path), weights);
  fmt::print("{}\n\n", model_path);
  print_indented(describe_ports(model));

  const std::vector<Tensor> values = {lstm_input({1, steps, inputs}, 2), lstm_input({1, hidden}, 3),
                                      lstm_input({1, hidden}, 4)};
  graph::Frame frame(model.program);
  frame.plan(std::vector<TensorView>(values.begin(), values.end()));
  frame.run();
  const Tensor output = Tensor::copy_of(frame.result(0));
  const double ns = measure([&] { frame.run(); }, seconds_per_timing).median_ns;
  fmt::print("\nWhat the loop did:\n\n");
  print_indented(loop_reports_text(model.graph));
  fmt::print("\n  {} for {} steps, {} a step, {:.1f} Gflop/s\n", duration(ns), steps,
             duration(ns / steps), operations / ns);

  const std::filesystem::path to = folder;
  std::filesystem::copy_file(model_path, to / "lstm.xml",
                             std::filesystem::copy_options::overwrite_existing);
  write_bytes((to / "lstm.bin").string(), weights);
  fmt::print("\nWritten, to run the model again:\n  {}, .bin\n", (to / "lstm.xml").string());
  const auto save = [&](const char* file, const Tensor& tensor) {
    save_npy((to / file).string(), tensor);
    fmt::print("  {}  {} {}\n", (to / file).string(), name(tensor.dtype()),
               to_string(tensor.shape()));
  };
  save("lstm_x.npy", values[0]);
  save("lstm_h.npy", values[1]);
  save("lstm_c.npy", values[2]);
  save("lstm_y.npy", output);
  fmt::print(
      "\n  weft run lstm.xml --input 0=lstm_x.npy --input 1=lstm_h.npy --input 2=lstm_c.npy "
      "--explain\n");
}

}  // namespace weft::cli
