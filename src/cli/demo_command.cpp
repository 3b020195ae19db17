// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/npy.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/file.hpp"
#include "cli/channels.hpp"
#include "cli/commands.hpp"
#include "cli/lstm_demo.hpp"
#include "cli/normalize.hpp"
#include "cli/ppm.hpp"
#include "cli/print_indented.hpp"
#include "cli/timing.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

namespace weft::cli {
namespace {

/// Far above any camera, and small enough to work on.
constexpr Limits picture_limits{
    .max_elements = 1 << 30, .max_bytes = 1 << 30, .max_header_bytes = 1 << 16};
constexpr double seconds_per_timing = 0.2;

/// A file that comes with the program, found from where the program itself is.
std::string data_file(const char* name) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) fail(ErrorCode::io, "cannot tell where the program is, and so not where its data are");
  return (program.parent_path() / WEFT_DEMO_DATA_DIR / name).lexically_normal().string();
}

void print_row(const char* title, const Tensor& values, const char* format) {
  fmt::print("  {:<18}", title);
  for (std::int64_t c = 0; c < values.numel(); ++c)
    fmt::print("{:>12}", fmt::format(fmt::runtime(format), values.at<float>({c})));
  fmt::print("\n");
}

void print_times(double kernel_ns, double loops_ns, std::int64_t bytes) {
  const int threads = num_threads();
  const auto row = [&](const std::string& title, double ns) {
    fmt::print("  {:<34}{:>9.1f} us {:>7.2f} GB/s\n", title, ns / 1e3,
               static_cast<double>(bytes) / ns);
  };
  row(fmt::format("one kernel ({}, {} thread{})", name(current_level()), threads,
                  threads == 1 ? "" : "s"),
      kernel_ns);
  row("three nested loops (1 thread)", loops_ns);
  fmt::print("  loops / kernel: {:.2f}; both give the same bits\n", loops_ns / kernel_ns);
}

/// A picture is normalised in one kernel.
void run_picture_demo(const DemoOptions& options) {
  const std::string path = options.image ? *options.image : data_file("demo.ppm");
  const Tensor picture = load_ppm(path, picture_limits);
  const std::int64_t height = picture.extent(0);
  const std::int64_t width = picture.extent(1);
  fmt::print("{}: {} x {} pixels, u8 {}\n\n", path, width, height, to_string(picture.shape()));

  const ChannelStatistics statistics = channel_statistics(picture);
  const Tensor normalized = Tensor::empty({3, height, width}, ScalarType::f32);
  const auto by_kernel = [&] { normalize(normalization(normalized, picture, statistics)); };
  by_kernel();
  const Tensor mean_after = div(sum(normalized, {1, 2}), height * width);
  fmt::print("  {:<18}{:>12}{:>12}{:>12}\n", "", "red", "green", "blue");
  print_row("mean", statistics.mean, "{:.3f}");
  print_row("standard deviation", statistics.std, "{:.3f}");
  print_row("mean afterwards", mean_after, "{:.1e}");

  fmt::print(
      "\n(pixel - mean) / std, channels first: one kernel over four operands.\n"
      "Output 0 is planar; input 0 is the picture as it stands, inputs 1 and 2 have one value a "
      "channel.\n\n");
  const Explanation explanation =
      explain_run(normalization(normalized, picture, statistics), normalize_spans());
  print_indented(explanation.to_text());

  const Tensor looped = Tensor::empty({3, height, width}, ScalarType::f32);
  const auto by_loops = [&] { normalize_by_loops(looped, picture, statistics); };
  by_loops();
  if (std::memcmp(looped.data(), normalized.data(), static_cast<std::size_t>(looped.nbytes())) !=
      0) {
    throw std::runtime_error("the kernel and the nested loops differ");
  }
  const double kernel_ns = measure(by_kernel, seconds_per_timing).median_ns;
  const double loops_ns = measure(by_loops, seconds_per_timing).median_ns;
  fmt::print("\n");
  print_times(kernel_ns, loops_ns, explanation.run.bytes_moved);

  const std::filesystem::path folder = options.output_dir;
  make_folder(options.output_dir);
  fmt::print("\nWritten for NumPy:\n");
  const auto save = [&](const char* file, const Tensor& tensor) {
    const std::string to = (folder / file).string();
    save_npy(to, tensor);
    fmt::print("  {}  {} {}\n", to, name(tensor.dtype()), to_string(tensor.shape()));
  };
  save("normalized.npy", normalized);
  save("channel_mean.npy", statistics.mean);
  save("channel_std.npy", statistics.std);
}

}  // namespace

void run_demo(const DemoOptions& options) {
  set_num_threads(options.threads);
  fmt::print("1. A kernel over strided operands\n\n");
  run_picture_demo(options);
  fmt::print("\n2. A recurrent model\n\n");
  run_lstm_demo(data_file("lstm.xml"), options.output_dir);
}

}  // namespace weft::cli
