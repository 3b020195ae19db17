// SPDX-License-Identifier: Apache-2.0
// Operators with a mask in the body of a loop.
#include <weft/graph/executable.hpp>
#include <weft/recurrent/loop.hpp>

#include "support/catch.hpp"
#include "support/seed.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Graph;

TEST_CASE("masks: a loop over rows gives what the whole gives", "[recurrent]") {
  using namespace weft::recurrent;
  WEFT_RANDOM(random);
  for (const char* const op : {"ReduceMean", "ReduceMax", "Softmax"}) {
    const bool is_softmax = std::string_view(op) == "Softmax";
    weft::graph::Attributes attributes{{"keep_dims", true}, {"axis", std::int64_t{1}}};
    if (std::string_view(op) == "ReduceMax") attributes.set("initial", std::int64_t{-9});
    // The operator of x and a mask, along axis 1.
    const auto masked = [&](Graph& graph, weft::graph::Value x, weft::graph::Value mask) {
      const auto axes = graph.add_constant(Tensor::of<std::int64_t>({1}, {1}));
      return is_softmax ? graph.add(op, {x, mask}, attributes)
                        : graph.add(op, {x, axes, mask}, attributes);
    };
    const std::int64_t rows = 7, columns = 40;
    const Tensor x = Tensor::empty({rows, columns}, ScalarType::f32),
                 mask = Tensor::empty({rows, columns}, ScalarType::boolean);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      x.data_as<float>()[i] = static_cast<float>(random.integer(-8, 8));
      mask.data_as<bool>()[i] = random.chance(60);
    }

    Graph body("row");
    const auto row = body.add_parameter({ScalarType::f32, {1, columns}}, "x");
    const auto selected = body.add_parameter({ScalarType::boolean, {1, columns}}, "mask");
    body.add_result(masked(body, row, selected));
    PortMap map;
    map.name = "rows";
    map.inputs = {{.input = 0, .parameter = 0, .axis = 0}, {.input = 1, .parameter = 1, .axis = 0}};
    map.outputs = {{.output = 0, .result = 0, .axis = 0}};
    Graph graph;
    const auto all = graph.add_parameter({ScalarType::f32, {rows, columns}});
    const auto all_selected = graph.add_parameter({ScalarType::boolean, {rows, columns}});
    graph.add_result(add_loop(graph, map, body, {all, all_selected})[0]);
    graph.add_result(masked(graph, all, all_selected));

    const weft::graph::Executable program(graph, {.operators = &operators()});
    const std::vector<Tensor> results = program.run(std::vector<TensorView>{x, mask});
    INFO(op);
    REQUIRE(results[0].nbytes() == results[1].nbytes());
    CHECK(std::memcmp(results[0].data(), results[1].data(),
                      static_cast<std::size_t>(results[1].nbytes())) == 0);
  }
}
