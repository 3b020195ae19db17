// SPDX-License-Identifier: Apache-2.0
// Models of OpenVINO IR where memory runs out while they are read, built or loaded.
#include <weft/base/error.hpp>
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>

#include "failing/out_of_memory.hpp"
#include "ir/xml.hpp"
#include "support/catch.hpp"
#include "support/loop_text.hpp"
#include "support/net_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace {

using test::Attempt;
using test::check_out_of_memory;
using test::LoopText;
using test::NetText;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
namespace ir = weft::ir;

/// A running sum scaled by a constant, in a TensorIterator, and a constant that is folded.
NetText small_model() {
  NetText net;
  const auto x = net.parameter("x", "f32", "1,?");
  const auto s = net.parameter("s", "f32", "1,1");
  const auto k = net.constant<float>("1,1", {2});
  NetText body = net.body();
  const auto xi = body.parameter("xi", "f32", "1,1");
  const auto si = body.parameter("si", "f32", "1,1");
  const auto scaled = body.op("Multiply", {xi, body.constant<float>("1,1", {3})});
  const int next = body.result("next", body.op("Add", {scaled, si}));
  LoopText loop;
  loop.input(0, xi, "axis=\"1\"").input(1, si).output(2, next, "axis=\"1\"").output(3, next);
  loop.back_edge(next, si);
  const auto outs = net.layer("sums", "TensorIterator", "opset1", {x, s}, 2, "", loop.text(body));
  net.result("all", net.op("Multiply", {outs[0], net.op("Add", {k, k})}));
  net.result("last", outs[1]);
  return net;
}
const std::vector<TensorView>& inputs() {
  static const Tensor x = Tensor::of<float>({1, 3}, {1, 2, 3}),
                      s = Tensor::full({1, 1}, ScalarType::f32, 10);
  static const std::vector<TensorView> both = {x, s};
  return both;
}
bool is_right(const ir::Model& model) {
  const std::vector<Tensor> got = model.program.run(inputs());
  const float wanted[] = {52, 76, 112};
  return got.size() == 2 && got[0].numel() == 3 &&
         std::equal(wanted, wanted + 3, got[0].data_as<float>()) && got[1].at<float>({0, 0}) == 28;
}

}  // namespace

TEST_CASE("out of memory: the text of a model is read", "[failing]") {
  std::vector<std::string> texts = {small_model().text()};
  for (const char* file : {"seed_example_2.xml", "lstm_v7.xml", "legacy_v5.xml"})
    texts.push_back(test::data_file(file));
  for (const std::string& each : texts) {
    const std::size_t layers = test::read(each).network.layers.size();
    check_out_of_memory("read_document", [&] {
      const auto document = std::make_shared<ir::Document>();
      return Attempt{[&, document] { *document = test::read(each); },
                     [=] { return document->network.layers.size() == layers; },
                     [=] { return document->network.layers.empty(); }};
    });
  }
}

TEST_CASE("out of memory: a model is built", "[failing]") {
  const ir::Document document = test::read(small_model().text());
  const Tensor weights = test::weights_of(small_model().weights());
  check_out_of_memory("build_model", [&] {
    const auto model = std::make_shared<std::unique_ptr<ir::Model>>();
    return Attempt{
        [&, model] { *model = std::make_unique<ir::Model>(ir::build_model(document, weights)); },
        [model] { return is_right(**model); }, [model] { return *model == nullptr; }};
  });
}

TEST_CASE("out of memory: a model's error is still an error", "[failing]") {
  const std::string text = test::replaced(small_model().text(), "\"Multiply\"", "\"Multiplied\"");
  const Tensor weights = test::weights_of(small_model().weights());
  check_out_of_memory("refused", [&] {
    const auto refused = std::make_shared<bool>(false);
    return Attempt{[&, refused] {
                     try {
                       ir::build_model(test::read(text), weights);
                     } catch (const weft::Error& error) {
                       *refused = error.code() == weft::ErrorCode::invalid_argument;
                     }
                   },
                   [refused] { return *refused; }, [refused] { return !*refused; }};
  });
}

TEST_CASE("out of memory: a model is loaded from files", "[failing]") {
  std::string folder = (std::filesystem::temp_directory_path() / "weft_model_XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::string path = folder + "/model.xml";
  const NetText net = small_model();
  std::ofstream(path) << net.text();
  const auto& weights = net.weights();
  std::ofstream(folder + "/model.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(weights.data()),
             static_cast<std::streamsize>(weights.size()));
  check_out_of_memory("load_model", [&] {
    const auto model = std::make_shared<std::unique_ptr<ir::Model>>();
    return Attempt{[&, model] { *model = std::make_unique<ir::Model>(ir::load_model(path)); },
                   [model] { return is_right(**model); }, [model] { return *model == nullptr; }};
  });
  std::filesystem::remove_all(folder);
}
