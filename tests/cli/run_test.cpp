// SPDX-License-Identifier: Apache-2.0
// weft run as a user sees it.
#include <weft/core/npy.hpp>
#include <weft/ops/copy.hpp>

#include "cli/machine_memory.hpp"
#include "cli/model_io.hpp"
#include "error_of.hpp"
#include "json_check.hpp"
#include "run_program.hpp"
#include "support/catch.hpp"
#include "support/net_text.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

using namespace weft;
using namespace weft::cli;
using test::NetText;

namespace {

/// y = a * k + b with a, b f32[?,3] and a constant k; a is called "in/a", y "out put".
class ModelFolder {
 public:
  ModelFolder() {
    NetText net;
    const auto a = net.parameter("in/a", "f32", "?,3");
    const auto b = net.parameter("b", "f32", "?,3");
    const auto k = net.constant<float>("3", {1, 10, 100});
    net.result("out put", net.op("Add", {net.op("Multiply", {a, k}), b}));
    model = folder.write("model.xml", net.text());
    folder.write("model.bin", bytes(net.weights()));
    save_npy(folder.file("a.npy"), Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
    save_npy(folder.file("b.npy"), Tensor::full({2, 3}, ScalarType::f32, 0.5));
  }

  static std::string bytes(const test::WeightsText& weights) {
    return {reinterpret_cast<const char*>(weights.data()), weights.size()};
  }
  std::string input(const std::string& name, const std::string& file) const {
    return " --input '" + name + "=" + folder.file(file) + "'";
  }
  std::string both() const { return input("in/a", "a.npy") + input("b", "b.npy"); }
  Finished run(const std::string& arguments) const {
    return run_program("run '" + model + "' --output-dir '" + folder.file("out") + "' " +
                       arguments);
  }

  TemporaryFolder folder;
  std::string model;
};

bool has_line(const std::string& text, const std::string& line) {
  return contains("\n" + text, "\n" + line + "\n");
}

}  // namespace

TEST_CASE("run: outputs of a model", "[run]") {
  const ModelFolder m;
  const Finished run = m.run(m.both());
  INFO(run.out << run.error);
  REQUIRE(run.code == 0);
  CHECK(run.error.empty());
  CHECK(contains(run.out, "out_put.npy  f32 [2, 3]"));
  CHECK(contains(run.out, "1 run, "));
  const Tensor y = load_npy(m.folder.file("out/out_put.npy"));
  const std::vector<float> expected = {1.5, 20.5, 300.5, 4.5, 50.5, 600.5};
  REQUIRE(y.numel() == 6);
  CHECK(std::equal(expected.begin(), expected.end(), y.data_as<float>()));
}

TEST_CASE("run: inputs by id, weights by name, threads, repeat", "[run]") {
  const ModelFolder m;
  const std::string weights =
      m.folder.write("other.weights", TemporaryFolder::read(m.folder.file("model.bin")));
  const Finished run = m.run(m.input("0", "a.npy") + m.input("1", "b.npy") + " --weights '" +
                             weights + "' --threads 2 --repeat 7");
  INFO(run.out << run.error);
  REQUIRE(run.code == 0);
  CHECK(contains(run.out, "7 runs: least "));
  CHECK(load_npy(m.folder.file("out/out_put.npy")).at<float>({1, 2}) == 600.5F);
}

TEST_CASE("run: without inputs, what the model wants", "[run]") {
  const ModelFolder m;
  const Finished run = m.run("");
  CHECK(run.code == 0);
  CHECK(run.error.empty());
  CHECK(has_line(run.out, "the model takes"));
  CHECK(has_line(run.out, "  in/a  f32[?, 3]  (layer 0)"));
  CHECK(has_line(run.out, "  b     f32[?, 3]  (layer 1)"));
  CHECK(has_line(run.out, "and gives"));
  CHECK(contains(run.out, "  out put  f32[?, 3]"));
  CHECK(!std::filesystem::exists(m.folder.file("out")));
}

TEST_CASE("run: json", "[run]") {
  const ModelFolder m;
  Finished run = m.run("--json");
  CHECK(run.code == 0);
  CHECK(JsonCheck::is_json(run.out));
  CHECK(contains(run.out,
                 "\"inputs\": [{\"name\": \"in/a\", \"id\": \"0\", \"type\": \"f32\", "
                 "\"shape\": [null, 3]}"));
  run = m.run(m.both() + " --json --explain");
  INFO(run.out << run.error);
  CHECK(run.code == 0);
  CHECK(JsonCheck::is_json(run.out));
  CHECK(contains(run.out, "\"type\": \"f32\", \"shape\": [2, 3]}"));
  CHECK(contains(run.out, "\"runs\": 1"));
  CHECK(contains(run.out, "\"loops\": []"));
  CHECK(contains(run.out, "\"bytes\": 24, \"runs\": [{\"instruction_set\": "));
  CHECK(contains(run.out, "\"strategy\": \"rows\""));
  run = m.run(m.both() + " --explain");
  CHECK(contains(run.out, "; 24 bytes written; rows, 1 thread, 84 bytes moved\n"));
}

TEST_CASE("run: inputs that are not what the model wants", "[run]") {
  const ModelFolder m;
  save_npy(m.folder.file("wide.npy"), Tensor::zeros({2, 4}, ScalarType::f32));
  save_npy(m.folder.file("flat.npy"), Tensor::zeros({3}, ScalarType::f32));
  save_npy(m.folder.file("double.npy"), Tensor::zeros({2, 3}, ScalarType::f64));
  m.folder.write("broken.npy", "no array");
  const std::string a = m.input("in/a", "a.npy");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {a, "input 'b' is missing"},
      {m.both() + m.input("c", "b.npy"), "the model has no input 'c'"},
      {m.both() + m.input("1", "b.npy"), "input '1' comes twice"},
      {a + m.input("b", "wide.npy"), "input 'b': expected f32[?, 3], got f32[2, 4]"},
      {a + m.input("b", "flat.npy"), "input 'b': expected f32[?, 3], got f32[3]"},
      {a + m.input("b", "double.npy"), "input 'b': expected f32[?, 3], got f64[2, 3]"},
      {a + " --input b", "expected NAME=FILE.npy"},
      {a + " --input b=", "expected NAME=FILE.npy"}};
  for (const auto& [arguments, message] : wrong) {
    INFO(arguments);
    const Finished run = m.run(arguments);
    CHECK(run.code == 2);
    CHECK(run.out.empty());
    CHECK(contains(run.error, message));
    CHECK(contains(run.error, "the model takes\n"));
    CHECK(contains(run.error, "  in/a  f32[?, 3]"));
    CHECK(!std::filesystem::exists(m.folder.file("out")));
  }
  for (const char* file : {"none.npy", "broken.npy"}) {
    const Finished run = m.run(a + m.input("b", file));
    CHECK(run.code == 1);
    CHECK(contains(run.error, "input 'b': "));
    CHECK(contains(run.error, file));
  }
  // Each fits what is declared, but not together.
  save_npy(m.folder.file("long.npy"), Tensor::zeros({5, 3}, ScalarType::f32));
  const Finished run = m.run(a + m.input("b", "long.npy"));
  CHECK(run.code == 1);
  CHECK(contains(run.error, "Add"));
}

TEST_CASE("run: models that cannot be read", "[run]") {
  const ModelFolder m;
  Finished run = run_program("run '" + m.folder.file("none.xml") + "'");
  CHECK(run.code == 1);
  CHECK(contains(run.error, "none.xml"));
  const std::string broken = m.folder.write("broken.xml", "<net version='10'><layers></net>");
  run = run_program("run '" + broken + "'");
  CHECK(run.code == 1);
  CHECK(contains(run.error, "broken.xml: line 1"));
  run = run_program("run '" + m.model + "' --weights '" + m.folder.file("none.bin") + "'");
  CHECK(run.code == 1);
  CHECK(contains(run.error, "none.bin"));
  run = run_program("run");
  CHECK(run.code == 2);
  run = run_program("run '" + m.model + "' --repeat 0");
  CHECK(run.code == 2);
}

TEST_CASE("run: names of files for outputs", "[run]") {
  const auto names = [](const std::vector<std::string>& outputs) {
    std::vector<ir::ModelPort> ports;
    for (const std::string& name : outputs)
      ports.push_back({name, "0", {}});
    return output_file_names(ports);
  };
  using Names = std::vector<std::string>;
  CHECK(names({"y", "3"}) == Names{"y.npy", "3.npy"});
  CHECK(names({"../../etc/passwd"}) == Names{"_._.._etc_passwd.npy"});
  CHECK(names({"/abs", "a\\b", "c:d", "\xc3\xa9\n"}) ==
        Names{"_abs.npy", "a_b.npy", "c_d.npy", "___.npy"});
  CHECK(names({"", ".hidden", ".."}) == Names{"output.npy", "_hidden.npy", "_..npy"});
  CHECK(names({"a/b", "a_b", "A_B", "a b"}) ==
        Names{"a_b.npy", "a_b_2.npy", "A_B_3.npy", "a_b_4.npy"});
  CHECK(names({std::string(500, 'x')})[0].size() == 104);
}

TEST_CASE("run: bf16, which .npy does not have", "[run]") {
  const TemporaryFolder folder;
  NetText net;
  net.result("y", net.op("Abs", {net.parameter("x", "bf16", "2")}));
  const std::string model = folder.write("m.xml", net.text());
  save_npy(folder.file("x.npy"), Tensor::of<float>({2}, {-1.5, 2}));
  const Finished run = run_program("run '" + model + "' --input x=" + folder.file("x.npy") +
                                   " --output-dir " + folder.file("out"));
  INFO(run.error);
  REQUIRE(run.code == 0);
  const Tensor y = load_npy(folder.file("out/y.npy"));
  CHECK(y.dtype() == ScalarType::f32);
  CHECK(y.at<float>({0}) == 1.5F);
}

TEST_CASE("run: a model that needs more memory than the machine has", "[run]") {
  // A number, repeated until it fills more than that: as a view, which the output would be a copy
  // of, and as a value of the model's own.
  const std::string extent = std::to_string(machine_memory() / 4 + 1);
  for (const bool computed : {false, true}) {
    NetText net;
    const auto x = net.parameter("x", "f32", "1");
    const auto target = net.constant<std::int64_t>("1", {machine_memory() / 4 + 1});
    const auto many = net.op("Broadcast", {x, target}, "mode=\"numpy\"");
    net.result("y", computed ? net.op("Relu", {many}) : many);
    const TemporaryFolder folder;
    const std::string model = folder.write("model.xml", net.text());
    folder.write("model.bin", ModelFolder::bytes(net.weights()));
    save_npy(folder.file("x.npy"), Tensor::full({1}, ScalarType::f32, 1));
    const Finished run = run_program("run '" + model + "' --input 'x=" + folder.file("x.npy") +
                                     "' --output-dir '" + folder.file("out") + "'");
    INFO("f32[" << extent << "], computed: " << computed << "\n" << run.out << run.error);
    CHECK(run.code == 1);
    CHECK(run.out.empty());
    CHECK(contains(run.error, "GiB of memory"));
    CHECK(contains(run.error, computed ? "bytes for values, allowed are" : "largest output of"));
    CHECK(!std::filesystem::exists(folder.file("out")));
  }
}

TEST_CASE("run: what fits into the machine is not refused", "[run]") {
  check_memory("it", 0);
  check_memory("it", machine_memory());
  const auto too_much = error_of([] { check_memory("it", std::nullopt); });
  CHECK(too_much.first == ErrorCode::limit);
  CHECK(contains(too_much.second, "it of "));
  CHECK(contains(too_much.second, " in a machine with "));
  if (machine_memory() < std::numeric_limits<std::int64_t>::max())
    CHECK(error_of([] { check_memory("it", machine_memory() + 1); }).first == ErrorCode::limit);
}
