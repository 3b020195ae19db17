// SPDX-License-Identifier: Apache-2.0
// weft demo as a user sees it, and its steps.
#include <weft/core/npy.hpp>

#include "cli/channels.hpp"
#include "cli/normalize.hpp"
#include "error_of.hpp"
#include "run_program.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

using namespace weft;
using namespace weft::cli;

namespace {

/// A picture that has no symmetry; channel 2 is the same everywhere.
Tensor uneven_picture(std::int64_t height, std::int64_t width) {
  Tensor t = Tensor::empty({height, width, 3}, ScalarType::u8);
  auto* to = t.data_as<std::uint8_t>();
  for (std::int64_t i = 0; i < height * width; ++i) {
    to[3 * i] = static_cast<std::uint8_t>(i * i * 7 % 256);
    to[3 * i + 1] = static_cast<std::uint8_t>(255 - i % 100);
    to[3 * i + 2] = 40;
  }
  return t;
}

}  // namespace

TEST_CASE("demo: the kernel gives what the loops give", "[demo]") {
  for (const auto& [height, width] :
       std::vector<std::pair<int, int>>{{1, 1}, {1, 7}, {5, 1}, {33, 65}, {240, 320}}) {
    INFO(height << " x " << width);
    const Tensor picture = uneven_picture(height, width);
    const ChannelStatistics s = channel_statistics(picture);
    const Tensor by_kernel = Tensor::zeros({3, height, width}, ScalarType::f32);
    const Tensor by_loops = Tensor::zeros({3, height, width}, ScalarType::f32);
    normalize(normalization(by_kernel, picture, s));
    normalize_by_loops(by_loops, picture, s);
    CHECK(std::memcmp(by_kernel.data(), by_loops.data(),
                      static_cast<std::size_t>(by_loops.nbytes())) == 0);
    CHECK(s.mean.at<float>({2}) == 40);
    CHECK(s.std.at<float>({2}) == 0);
    CHECK(by_kernel.at<float>({2, height - 1, width - 1}) == 0);
  }
}

TEST_CASE("demo: statistics", "[demo]") {
  const Tensor picture = uneven_picture(33, 65);
  const ChannelStatistics s = channel_statistics(picture);
  for (const std::int64_t c : {0, 1}) {
    double mean = 0;
    for (std::int64_t i = 0; i < 33 * 65; ++i)
      mean += picture.data_as<std::uint8_t>()[3 * i + c] / (33.0 * 65.0);
    double variance = 0;
    for (std::int64_t i = 0; i < 33 * 65; ++i) {
      variance += std::pow(picture.data_as<std::uint8_t>()[3 * i + c] - mean, 2) / (33.0 * 65.0);
    }
    CHECK(std::abs(s.mean.at<float>({c}) - mean) < 1e-4);
    CHECK(std::abs(s.std.at<float>({c}) - std::sqrt(variance)) < 1e-4);
    CHECK(s.inverse_std.at<float>({c}) == 1.0F / s.std.at<float>({c}));
  }
}

TEST_CASE("demo: with its own picture", "[demo]") {
  const TemporaryFolder folder;
  const Finished run = run_program("demo --output-dir '" + folder.file("out") + "'");
  INFO(run.out << run.error);
  REQUIRE(run.code == 0);
  CHECK(run.error.empty());
  CHECK(contains(run.out, "demo.ppm: 320 x 240 pixels"));
  CHECK(contains(run.out, "shape [3, 240, 320], 230400 elements"));
  CHECK(contains(run.out, "GB/s"));
  CHECK(contains(run.out, "lstm.xml"));
  CHECK(contains(run.out, "loop 'lstm': 25 trips: there were no more slices"));
  CHECK(contains(run.out, "Gflop/s"));

  const Tensor normalized = load_npy(folder.file("out/normalized.npy"));
  CHECK(normalized.dtype() == ScalarType::f32);
  REQUIRE(std::ranges::equal(normalized.shape(), IntSpan{3, 240, 320}));
  for (const char* name : {"out/channel_mean.npy", "out/channel_std.npy"}) {
    const Tensor t = load_npy(folder.file(name));
    CHECK(t.dtype() == ScalarType::f32);
    REQUIRE(std::ranges::equal(t.shape(), IntSpan{3}));
    CHECK(t.at<float>({0}) > 1);
    CHECK(t.at<float>({0}) < 255);
  }
  for (std::int64_t c = 0; c < 3; ++c) {
    double mean = 0;
    double square = 0;
    for (std::int64_t i = 0; i < 240 * 320; ++i) {
      const double value = normalized.data_as<float>()[c * 240 * 320 + i];
      mean += value / (240 * 320);
      square += value * value / (240 * 320);
    }
    CHECK(std::abs(mean) < 1e-5);
    CHECK(std::abs(square - 1) < 1e-4);
  }
}

TEST_CASE("demo: with another picture, and threads", "[demo]") {
  const TemporaryFolder folder;
  const std::string picture = folder.write("small.ppm", "P6 2 1 255 abcdef");
  const Finished run =
      run_program("demo '" + picture + "' --threads 2 --output-dir '" + folder.file("") + "'");
  INFO(run.error);
  REQUIRE(run.code == 0);
  const Tensor normalized = load_npy(folder.file("normalized.npy"));
  REQUIRE(std::ranges::equal(normalized.shape(), IntSpan{3, 1, 2}));
  // Two values are one standard deviation off their mean.
  CHECK(normalized.at<float>({1, 0, 0}) == -1);
  CHECK(normalized.at<float>({1, 0, 1}) == 1);

  const Finished bad = run_program("demo '" + folder.write("bad.ppm", "P6 2 1 255 abc") + "'");
  CHECK(bad.code == 1);
  CHECK(contains(bad.error, "bad.ppm"));
  CHECK(contains(bad.error, "expected 6 bytes"));
  const Finished nowhere = run_program("demo '" + picture + "' --output-dir '" + picture + "'");
  CHECK(nowhere.code == 1);
  CHECK(nowhere.error.starts_with("weft: "));
}

TEST_CASE("demo: the model that it writes runs again, to the bit", "[demo]") {
  const TemporaryFolder folder;
  REQUIRE(run_program("demo --output-dir '" + folder.file("") + "'").code == 0);
  std::string arguments = "run '" + folder.file("lstm.xml") + "' --explain --threads 2";
  for (const auto& [id, file] : std::vector<std::pair<std::string, std::string>>{
           {"0", "lstm_x.npy"}, {"1", "lstm_h.npy"}, {"2", "lstm_c.npy"}})
    arguments += " --input '" + id + "=" + folder.file(file) + "'";
  const Finished run = run_program(arguments + " --output-dir '" + folder.file("again") + "'");
  INFO(run.out << run.error);
  REQUIRE(run.code == 0);
  CHECK(contains(run.out, "loop 'lstm': 25 trips"));
  const std::string once = TemporaryFolder::read(folder.file("lstm_y.npy"));
  CHECK(once.size() > 25 * 256 * 4);
  CHECK(once == TemporaryFolder::read(folder.file("again/3.npy")));
}
