// SPDX-License-Identifier: Apache-2.0
// Models with LSTMSequence, GRUSequence and RNNSequence, from text to results.
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>
#include <weft/recurrent/sequence.hpp>

#include "support/errors.hpp"
#include "support/net_text.hpp"
#include "support/seed.hpp"
#include "xml.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using namespace weft;
using test::NetText;
using test::replaced;

namespace {

constexpr std::int64_t inputs = 3, units = 2;

using Floats = std::vector<float>;

ir::Model build(const std::string& text, const NetText& net) {
  return ir::build_model(test::read(text), test::weights_of(net.weights()));
}
ir::Model build(const NetText& net) { return build(net.text(), net); }

Floats small_floats(test::Random& random, std::int64_t count) {
  Floats values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(random.integer(-100, 100)) / 128.0F);
  return values;
}
Tensor tensor_of(const Floats& values, const std::vector<std::int64_t>& shape) {
  Tensor t = Tensor::empty(shape, ScalarType::f32);
  std::memcpy(t.data(), values.data(), values.size() * sizeof(float));
  return t;
}

/// A sequence over x f32[?,?,3] that begins with zeros, and lengths that are all of the steps, as
/// converters write them: computed of the shape of x. Results y, h, and c of an LSTM.
struct FullLengths {
  NetText net;
  Floats w, r, b;

  FullLengths(const std::string& type, int gates, const std::string& attributes,
              const std::string& version, test::Random& random) {
    w = small_floats(random, gates * units * inputs);
    r = small_floats(random, gates * units * units);
    b = small_floats(random, gates * units);
    const std::string rows = std::to_string(gates * units);
    const auto x = net.parameter("x", "f32", "?,?,3");
    const auto zero = net.constant<std::int64_t>("", {0});
    const auto shape = net.op("ShapeOf", {x}, "output_type=\"i64\"", "opset3");
    const auto batch = net.op("Gather", {shape, net.constant<std::int64_t>("1", {0}), zero});
    const auto steps = net.op("Gather", {shape, net.constant<std::int64_t>("1", {1}), zero});
    const auto lengths = net.op("Broadcast", {steps, batch}, "mode=\"numpy\"", "opset3");
    const auto sizes =
        net.op("Concat", {batch, net.constant<std::int64_t>("2", {1, units})}, "axis=\"0\"");
    const auto state =
        net.op("Broadcast", {net.constant<float>("", {0}), sizes}, "mode=\"numpy\"", "opset3");
    const bool lstm = type == "LSTMSequence";
    std::vector<NetText::Out> in = {x, state};
    if (lstm) in.push_back(state);
    in.push_back(lengths);
    in.push_back(net.constant<float>("1," + rows + ",3", {w.begin(), w.end()}));
    in.push_back(net.constant<float>("1," + rows + ",2", {r.begin(), r.end()}));
    in.push_back(net.constant<float>("1," + rows, {b.begin(), b.end()}));
    const auto out = net.layer("seq", type, version, in, lstm ? 3 : 2, attributes);
    net.result("y", out[0]);
    net.result("h", out[1]);
    if (lstm) net.result("c", out[2]);
  }

  /// An LSTM's row and its states h and c after each step: f, i, c, o, each [units].
  void step(const float* x, std::vector<double>& h, std::vector<double>& c) const {
    const auto sum = [&](std::int64_t row) {
      double total = static_cast<double>(b[static_cast<std::size_t>(row)]);
      for (std::int64_t k = 0; k < inputs; ++k)
        total += static_cast<double>(w[static_cast<std::size_t>(row * inputs + k)]) *
                 static_cast<double>(x[k]);
      for (std::int64_t k = 0; k < units; ++k)
        total += static_cast<double>(r[static_cast<std::size_t>(row * units + k)]) *
                 h[static_cast<std::size_t>(k)];
      return total;
    };
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    std::vector<double> next(h.size());
    for (std::int64_t j = 0; j < units; ++j) {
      double& cell = c[static_cast<std::size_t>(j)];
      cell = sigmoid(sum(j)) * cell + sigmoid(sum(units + j)) * std::tanh(sum(2 * units + j));
      next[static_cast<std::size_t>(j)] = sigmoid(sum(3 * units + j)) * std::tanh(cell);
    }
    h = next;
  }
};

}  // namespace

TEST_CASE("sequence model: an LSTM over any number of rows and steps", "[model]") {
  WEFT_RANDOM(random);
  for (const std::string& direction : std::vector<std::string>{"forward", "reverse"}) {
    const FullLengths lstm("LSTMSequence", 4,
                           "hidden_size=\"2\" direction=\"" + direction +
                               "\" activations=\"sigmoid, tanh, tanh\" activations_alpha=\"\" "
                               "activations_beta=\"\" clip=\"0\"",
                           "opset5", random);
    const ir::Model model = build(lstm.net);
    CHECK(to_string(model.outputs[0].type) == "f32[?, 1, ?, 2]");
    CHECK(to_string(model.outputs[1].type) == "f32[?, 1, 2]");
    graph::Frame frame(model.program);
    for (int run = 0; run < 12; ++run) {
      const std::int64_t batch = random.integer(1, 3), steps = random.integer(1, 9);
      INFO(direction << ", " << batch << " rows of " << steps);
      const Floats numbers = small_floats(random, batch * steps * inputs);
      const Tensor x = tensor_of(numbers, {batch, steps, inputs});
      const std::vector<TensorView> given{x};
      frame.plan(given);
      CHECK(frame.is_static());
      frame.run();
      double worst = 0;
      for (std::int64_t row = 0; row < batch; ++row) {
        std::vector<double> h(units, 0), c(units, 0);
        for (std::int64_t i = 0; i < steps; ++i) {
          const std::int64_t at = direction == "forward" ? i : steps - 1 - i;
          lstm.step(numbers.data() + (row * steps + at) * inputs, h, c);
          for (std::int64_t j = 0; j < units; ++j)
            worst = std::max(
                worst, std::fabs(h[static_cast<std::size_t>(j)] -
                                 static_cast<double>(frame.result(0).at<float>({row, 0, at, j}))));
        }
        for (std::int64_t j = 0; j < units; ++j) {
          const auto unit = static_cast<std::size_t>(j);
          worst = std::max(
              {worst,
               std::fabs(h[unit] - static_cast<double>(frame.result(1).at<float>({row, 0, j}))),
               std::fabs(c[unit] - static_cast<double>(frame.result(2).at<float>({row, 0, j})))});
        }
      }
      CHECK(worst < 1e-5);
    }
    // The lengths follow from the shape: no loop ever looks at them.
    int sequences = 0;
    for (const graph::Node& node : model.graph.nodes()) {
      if (!recurrent::is_sequence(node)) continue;
      ++sequences;
      const auto reports = recurrent::sequence_reports(node);
      REQUIRE(reports.size() == 1);
      CHECK(reports[0].name == "seq");
      CHECK(reports[0].viewed_slices + reports[0].staged_slices == 1);
      CHECK(reports[0].in_trips.size() == 1);
    }
    CHECK(sequences == 1);
  }
}

TEST_CASE("sequence model: lengths that come with the inputs", "[model]") {
  WEFT_RANDOM(random);
  NetText net;
  const auto x = net.parameter("x", "f32", "2,?,3");
  const auto lengths = net.parameter("lengths", "i32", "2");
  const auto constant = [&](const std::string& shape, std::int64_t count) {
    const Floats values = small_floats(random, count);
    return net.constant<float>(shape, {values.begin(), values.end()});
  };
  const auto out = net.layer("seq", "GRUSequence", "opset5",
                             {x, constant("2,2,2", 8), lengths, constant("2,6,3", 36),
                              constant("2,6,2", 24), constant("2,8", 16)},
                             2,
                             "hidden_size=\"2\" direction=\"bidirectional\" "
                             "linear_before_reset=\"true\" activations=\"sigmoid,tanh\" "
                             "clip=\"1.5\"");
  net.result("y", out[0]);
  net.result("h", out[1]);
  const ir::Model model = build(net);
  CHECK(to_string(model.outputs[0].type) == "f32[2, 2, ?, 2]");
  const Tensor data = tensor_of(small_floats(random, 2 * 5 * inputs), {2, 5, inputs});
  const auto run = [&](std::int64_t steps, std::int32_t first, std::int32_t second) {
    const Tensor given = Tensor::of<std::int32_t>({2}, {first, second});
    const std::vector<TensorView> views{data.slice(1, 0, steps), given};
    return model.program.run(views);
  };
  // A row of 3 steps of 5 gives what it gives where there are 3, and then zeros.
  const auto ragged = run(5, 3, 5), shorter = run(3, 3, 3), full = run(5, 5, 5);
  for (const std::int64_t d : {0, 1}) {
    for (std::int64_t j = 0; j < units; ++j) {
      for (std::int64_t step = 0; step < 5; ++step) {
        const float wanted = step < 3 ? shorter[0].at<float>({0, d, step, j}) : 0.0F;
        CHECK(ragged[0].at<float>({0, d, step, j}) == wanted);
        CHECK(ragged[0].at<float>({1, d, step, j}) == full[0].at<float>({1, d, step, j}));
      }
      CHECK(ragged[1].at<float>({0, d, j}) == shorter[1].at<float>({0, d, j}));
      CHECK(ragged[1].at<float>({1, d, j}) == full[1].at<float>({1, d, j}));
    }
  }
  CHECK_ERROR(invalid_argument,
              ("m.xml", "layer", "GRUSequence", "'seq'", "input 2 (sequence_lengths)", "row 1",
               "expected from 0 to 5, got 6"),
              run(5, 3, 6));
}

TEST_CASE("sequence model: peepholes and the order of gates of the first operation set",
          "[model]") {
  WEFT_RANDOM(random);
  NetText net;
  const auto constant = [&](const std::string& shape, std::int64_t count) {
    const Floats values = small_floats(random, count);
    return net.constant<float>(shape, {values.begin(), values.end()});
  };
  const auto x = net.parameter("x", "f32", "1,4,3");
  const auto out = net.layer(
      "seq", "LSTMSequence", "opset1",
      {x, constant("1,1,2", 2), constant("1,1,2", 2), net.constant<std::int64_t>("1", {4}),
       constant("1,8,3", 24), constant("1,8,2", 16), constant("1,8", 8), constant("1,6", 6)},
      3, "hidden_size=\"2\" direction=\"forward\" weights_format=\"iofc\" input_forget=\"false\"");
  net.result("y", out[0]);
  const Tensor data = tensor_of(small_floats(random, 4 * inputs), {1, 4, inputs});
  const std::vector<TensorView> given{data};
  const Tensor all = build(net).program.run(given)[0];
  const auto differs = [&](const std::string& text) {
    const Tensor other = build(text, net).program.run(given)[0];
    return std::memcmp(all.data(), other.data(), static_cast<std::size_t>(all.nbytes())) != 0;
  };
  CHECK(!differs(net.text()));
  CHECK(differs(replaced(net.text(), "iofc", "fico")));
  CHECK(differs(replaced(net.text(), "input_forget=\"false\"", "input_forget=\"true\"")));
}

TEST_CASE("bad input: sequences", "[bad]") {
  WEFT_RANDOM(random);
  const FullLengths rnn("RNNSequence", 1, "hidden_size=\"2\" direction=\"forward\"", "opset5",
                        random);
  const std::string text = rnn.net.text();
  CHECK_NOTHROW(build(text, rnn.net));
  const std::string at = "m.xml: ";
  const auto with = [&](const char* from, const char* to) {
    return build(replaced(text, from, to), rnn.net);
  };
  CHECK_ERROR(invalid_argument, (at, "layer", "RNNSequence", "'seq'", "direction", "'backward'"),
              with("direction=\"forward\"", "direction=\"backward\""));
  CHECK_ERROR(parse, (at, "'seq'", "hidden_size", "two"),
              with("hidden_size=\"2\"", "hidden_size=\"two\""));
  CHECK_ERROR(shape, (at, "'seq'", "input 3 (W)", "axis 1 (units)", "expected 3, got 2"),
              with("hidden_size=\"2\"", "hidden_size=\"3\""));
  CHECK_ERROR(shape, (at, "'seq'", "input 3 (W)", "axis 0 (directions)", "expected 2, got 1"),
              with("direction=\"forward\"", "direction=\"bidirectional\""));
  CHECK_ERROR(shape, (at, "'seq'", "input 3 (W)", "axis 2 (inputs)", "expected 4, got 3"),
              with("?,?,3", "?,?,4"));
  CHECK_ERROR(
      invalid_argument, (at, "'seq'", "opset4"),
      with("type=\"RNNSequence\" version=\"opset5\"", "type=\"RNNSequence\" version=\"opset4\""));
  CHECK_ERROR(invalid_argument, (at, "'seq'", "activations", "'elu'"),
              with("direction=\"forward\"", "activations=\"elu\""));
}
