// SPDX-License-Identifier: Apache-2.0
// ONNX's node tests with recurrence in them: Loop, Scan, RNN, GRU, LSTM, and what is made of these.
#include <weft/core/npy.hpp>
#include <weft/ops/copy.hpp>

#include "recurrent/onnx_graph.hpp"
#include "support/errors.hpp"

#include <filesystem>

namespace {

using namespace test;
using onnx::Item;

class OnnxCase {
 public:
  explicit OnnxCase(const std::string& name)
      : folder_("onnx-loops/" + name + "/"), json_(read_json(folder_ + "case.json")) {}

  bool has_sequence() const {
    return std::ranges::any_of(json_["graph"]["nodes"], [](const Json& node) {
      const std::string& op = node["op"].string;
      return op == "RNN" || op == "GRU" || op == "LSTM";
    });
  }
  void run(bool as_sequences) {
    for (const Json& input : json_["inputs"]) {
      if (input["kind"].string == "tensor")
        tensors_[input["name"].string] = load(input["npy"].string);
    }
    onnx::Scope scope(nullptr, tensors_, as_sequences);
    for (const Json& input : json_["inputs"])
      add_input(scope, input);
    scope.read(json_["graph"]);
    std::vector<Item> outputs;
    for (const Json& output : json_["outputs"]) {
      outputs.push_back(scope.find(output["name"].string));
      for (const Value value : outputs.back().values())
        scope.graph.add_result(value);
    }
    const Executable program(scope.graph, {.operators = &weft::recurrent::operators()});
    const std::vector<Tensor> got =
        program.run(std::vector<TensorView>(inputs_.begin(), inputs_.end()));
    std::size_t at = 0;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const Json& expected = json_["outputs"].at(o);
      INFO("output " << expected["name"].string);
      if (!outputs[o].is_sequence) {
        check(got[at++], load(expected["npy"].string));
        continue;
      }
      const Tensor &data = got[at], &ends = got[at + 1], &shapes = got[at + 2];
      at += 3;
      REQUIRE(shapes.extent(0) == static_cast<std::int64_t>(expected["items"].size()));
      for (std::int64_t i = 0; i < shapes.extent(0); ++i) {
        std::vector<std::int64_t> shape;
        for (std::int64_t a = 0; a < shapes.extent(1) && shapes.at<std::int64_t>({i, a}) >= 0; ++a)
          shape.push_back(shapes.at<std::int64_t>({i, a}));
        const TensorView flat =
            data.slice(0, ends.at<std::int64_t>({i}), ends.at<std::int64_t>({i + 1}));
        check(flat.as_strided(shape, weft::contiguous_strides(shape)),
              load(expected["items"].at(static_cast<std::size_t>(i))["npy"].string));
      }
    }
  }

 private:
  Tensor load(const std::string& file) const {
    return weft::load_npy(WEFT_TESTS_DIR "/data/" + folder_ + file);
  }
  /// The runner's tolerance: 1e-7, and 1e-3 of the value.
  static void check(const TensorView& got, const TensorView& expected) {
    REQUIRE(got.dtype() == expected.dtype());
    REQUIRE(to_string(got.shape()) == to_string(expected.shape()));
    const std::vector<double> a = doubles(got), b = doubles(expected);
    for (std::size_t i = 0; i < a.size(); ++i)
      REQUIRE(std::fabs(a[i] - b[i]) <= 1e-7 + 1e-3 * std::fabs(b[i]));
  }

  void add_input(onnx::Scope& scope, const Json& input) {
    const std::string& name = input["name"].string;
    const auto parameter = [&](const Tensor& tensor, PartialShape shape) {
      inputs_.push_back(tensor);
      return scope.graph.add_parameter({tensor.dtype(), std::move(shape)}, name);
    };
    if (input["kind"].string == "tensor") {
      const Tensor& tensor = tensors_.at(name);
      scope.items[name] = {.value = parameter(tensor, tensor.shape())};
      return;
    }
    // The elements of all tensors, where they end, and their shapes.
    std::vector<Tensor> items;
    std::int64_t rank = 1;
    for (const Json& item : input["items"]) {
      items.push_back(load(item["npy"].string));
      rank = std::max<std::int64_t>(rank, items.back().rank());
    }
    std::vector<double> ends = {0}, shapes;
    for (const Tensor& item : items) {
      ends.push_back(ends.back() + static_cast<double>(item.numel()));
      for (std::int64_t a = 0; a < rank; ++a)
        shapes.push_back(a < item.rank() ? static_cast<double>(item.extent(a)) : -1);
    }
    const ScalarType type = items.empty() ? ScalarType::f32 : items[0].dtype();
    Tensor data = Tensor::empty({static_cast<std::int64_t>(ends.back())}, type);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Tensor dense = Tensor::copy_of(items[i]);
      weft::copy_out(
          data.slice(0, static_cast<std::int64_t>(ends[i]), static_cast<std::int64_t>(ends[i + 1])),
          dense.as_strided({dense.numel()}, {1}));
    }
    const auto count = static_cast<std::int64_t>(items.size());
    const std::int64_t any = PartialShape::unknown;
    scope.items[name] = {.value = parameter(data, {any}),
                         .ends = parameter(integers({count + 1}, ends), {any}),
                         .shapes = parameter(integers({count, rank}, shapes), {any, rank}),
                         .is_sequence = true,
                         .rank = rank};
  }

  std::string folder_;
  Json json_;
  std::map<std::string, Tensor> tensors_;
  std::vector<Tensor> inputs_;
};

}  // namespace

TEST_CASE("onnx: every node test with recurrence", "[recurrent]") {
  int count = 0, sequences = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_TESTS_DIR "/data/onnx-loops")) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    std::string error;
    try {
      OnnxCase(name).run(false);
      if (OnnxCase(name).has_sequence()) {
        OnnxCase(name).run(true);
        ++sequences;
      }
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
    CHECK(error == "");
    ++count;
  }
  CHECK(count == 25);
  CHECK(sequences == 12);
}
