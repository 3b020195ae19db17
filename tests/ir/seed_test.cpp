// SPDX-License-Identifier: Apache-2.0
// The second example of the documentation of TensorIterator-1, as it is written: an LSTM over 25
// steps. It has to give what its form with separate W and R gives, what the form of version 7
// gives, and what a computation in f64 without weft gives.
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>

#include "support/catch.hpp"
#include "support/loop_text.hpp"
#include "support/net_text.hpp"
#include "xml.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using namespace weft;
using test::LoopText;
using test::NetText;

namespace {

constexpr std::size_t T = 25, I = 512, H = 256;

/// Number i of a fixed sequence, from -1 to 1.
float value(std::uint64_t i) {
  std::uint64_t u = i * 0x9E3779B97F4A7C15U + 0x6A09E667F3BCC909U;
  u = (u ^ (u >> 30)) * 0xBF58476D1CE4E5B9U;
  u = (u ^ (u >> 27)) * 0x94D049BB133111EBU;
  u ^= u >> 31;
  return static_cast<float>(static_cast<double>(u >> 40) / double{1 << 23} - 1.0);
}

std::vector<float> values(std::size_t count, std::uint64_t from, float scale) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = scale * value(from + i);
  return out;
}

struct Lstm {
  std::vector<float> x = values(T * I, 0, 1);
  std::vector<float> h = values(H, 1U << 20, 1);
  std::vector<float> c = values(H, 2U << 20, 1);
  std::vector<float> wr = values(4 * H * (I + H), 3U << 20, 0.0625F);
  std::vector<float> b = values(4 * H, 8U << 20, 0.5F);

  std::vector<float> w() const { return columns(0, I); }
  std::vector<float> r() const { return columns(I, H); }

 private:
  std::vector<float> columns(std::size_t begin, std::size_t count) const {
    std::vector<float> out;
    for (std::size_t row = 0; row < 4 * H; ++row) {
      const float* from = wr.data() + row * (I + H) + begin;
      out.insert(out.end(), from, from + count);
    }
    return out;
  }
};

/// h after each step, in f64; gates in the order f, i, c, o.
std::vector<double> plain(const Lstm& lstm) {
  std::vector<double> h(lstm.h.begin(), lstm.h.end());
  std::vector<double> c(lstm.c.begin(), lstm.c.end());
  std::vector<double> out;
  const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
  for (std::size_t t = 0; t < T; ++t) {
    std::vector<double> z(4 * H);
    for (std::size_t row = 0; row < 4 * H; ++row) {
      const float* weights = lstm.wr.data() + row * (I + H);
      double sum = lstm.b[row];
      for (std::size_t i = 0; i < I; ++i)
        sum += double{weights[i]} * lstm.x[t * I + i];
      for (std::size_t i = 0; i < H; ++i)
        sum += double{weights[I + i]} * h[i];
      z[row] = sum;
    }
    for (std::size_t i = 0; i < H; ++i) {
      c[i] = sigmoid(z[i]) * c[i] + sigmoid(z[H + i]) * std::tanh(z[2 * H + i]);
      h[i] = sigmoid(z[3 * H + i]) * std::tanh(c[i]);
    }
    out.insert(out.end(), h.begin(), h.end());
  }
  return out;
}

template <class V>
void append(test::WeightsText& bytes, const std::vector<V>& elements) {
  const auto* from = reinterpret_cast<const std::byte*>(elements.data());
  bytes.insert(bytes.end(), from, from + elements.size() * sizeof(V));
}

template <std::size_t N>
Tensor tensor(const std::vector<float>& elements, const std::int64_t (&shape)[N]) {
  const Tensor t = Tensor::empty(IntSpan(shape, N), ScalarType::f32);
  std::memcpy(t.data(), elements.data(), elements.size() * sizeof(float));
  return t;
}

std::vector<Tensor> run(const ir::Model& model, const Lstm& lstm) {
  const Tensor x = tensor(lstm.x, {1, T, I});
  const Tensor h = tensor(lstm.h, {1, H});
  const Tensor c = tensor(lstm.c, {1, H});
  return model.program.run(std::vector<TensorView>{x, h, c});
}

/// As written: two shapes, WR and B in one file.
std::vector<Tensor> run_seed(const Lstm& lstm) {
  test::WeightsText bytes;
  append<std::int64_t>(bytes, {1, I});
  append(bytes, lstm.wr);
  append(bytes, lstm.b);
  append<std::int64_t>(bytes, {1, 1, H});
  REQUIRE(bytes.size() == 3149864);
  return run(
      ir::build_model(test::read(test::data_file("seed_example_2.xml")), test::weights_of(bytes)),
      lstm);
}

/// As files of today have it: a <net>, and LSTMCell-4 with W, R and B.
std::vector<Tensor> run_today(const Lstm& lstm) {
  NetText net;
  const auto x = net.parameter("x", "f32", "1,25,512");
  const auto h = net.parameter("h", "f32", "1,256");
  const auto c = net.parameter("c", "f32", "1,256");
  NetText body = net.body();
  const auto xi = body.parameter("xi", "f32", "1,1,512");
  const auto hi = body.parameter("hi", "f32", "1,256");
  const auto ci = body.parameter("ci", "f32", "1,256");
  const auto flat = body.op("Squeeze", {xi, body.constant<std::int64_t>("1", {1})});
  const auto cell =
      body.layer("cell", "LSTMCell", "opset4",
                 {flat, hi, ci, body.constant<float>("1024,512", lstm.w()),
                  body.constant<float>("1024,256", lstm.r()), body.constant<float>("1024", lstm.b)},
                 2, "hidden_size=\"256\"");
  const int ho = body.result("ho", cell[0]);
  const int co = body.result("co", cell[1]);
  const int y =
      body.result("y", body.op("Unsqueeze", {cell[0], body.constant<std::int64_t>("1", {1})}));
  LoopText loop;
  loop.input(0, xi, "axis=\"1\" start=\"0\" end=\"-1\" stride=\"1\" part_size=\"1\"");
  loop.input(1, hi).input(2, ci).output(3, y, "axis=\"1\"").output(4, ho).output(5, co);
  loop.back_edge(ho, hi).back_edge(co, ci);
  const auto outs = net.layer("rnn", "TensorIterator", "opset1", {x, h, c}, 3, "", loop.text(body));
  net.result("y", outs[0]);
  net.result("h", outs[1]);
  net.result("c", outs[2]);
  return run(ir::build_model(test::read(net.text(10)), test::weights_of(net.weights())), lstm);
}

/// As version 7 has it: blobs, and a body without Parameters and Results.
std::vector<Tensor> run_version_7(const Lstm& lstm) {
  test::WeightsText bytes;
  append(bytes, lstm.wr);
  append(bytes, lstm.b);
  return run(ir::build_model(test::read(test::data_file("lstm_v7.xml")), test::weights_of(bytes)),
             lstm);
}

double largest_difference(const Tensor& got, const std::vector<double>& expected) {
  REQUIRE(got.numel() == static_cast<std::int64_t>(expected.size()));
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, std::abs(got.data_as<float>()[i] - expected[i]));
  return largest;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.nbytes() == b.nbytes() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.nbytes())) == 0;
}

}  // namespace

TEST_CASE("seed: as written, with W and R, as version 7, and in f64", "[seed]") {
  const Lstm lstm;
  const std::vector<double> expected = plain(lstm);
  const Tensor seed = run_seed(lstm)[0];
  CHECK(to_string(seed.shape()) == "[1, 25, 256]");
  CHECK(largest_difference(seed, expected) < 3e-6);
  const std::vector<Tensor> today = run_today(lstm);
  CHECK(same_bits(seed, today[0]));
  // The last h is the last step's.
  CHECK(std::memcmp(today[1].data(), seed.data_as<float>() + (T - 1) * H, H * sizeof(float)) == 0);
  CHECK(same_bits(seed, run_version_7(lstm)[0]));
}
