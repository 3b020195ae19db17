// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/executable.hpp>
#include <weft/ops/matmul.hpp>

#include "graph/operator_run.hpp"
#include "support/errors.hpp"
#include "support/naive_product.hpp"

using test::Dims;
using test::OperatorRun;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

namespace {

bool same(const TensorView& a, const TensorView& b) {
  return std::ranges::equal(a.shape(), b.shape()) &&
         test::dense_copy(a).bytes == test::dense_copy(b).bytes;
}

TensorView turned(const TensorView& view, bool transpose) {
  return transpose && view.rank() > 1 ? view.transpose(-1, -2) : view;
}

}  // namespace

TEST_CASE("MatMul is matmul, with either factor transposed or constant", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(150); ++round) {
    const std::int64_t m = random.integer(1, 9), k = random.integer(0, 7),
                       n = random.integer(1, 40);
    const bool left = random.chance(50), right = random.chance(50);
    Dims a_shape = left ? Dims{k, m} : Dims{m, k};
    Dims b_shape = right ? Dims{n, k} : Dims{k, n};
    if (random.chance(15)) a_shape = {k};
    if (random.chance(15)) b_shape = {k};
    if (random.chance(30) && a_shape.size() == 2) a_shape.insert(a_shape.begin(), 3);
    if (random.chance(30) && b_shape.size() == 2) b_shape.insert(b_shape.begin(), {2, 3});
    const ScalarType type = random.chance(70) ? ScalarType::f32 : ScalarType::i32;
    const test::Memory a(type, test::random_layout(random, a_shape, {.zero = false}));
    const test::Memory b(type, test::random_layout(random, b_shape, {.zero = false}));
    test::fill_small(random, a.view());
    test::fill_small(random, b.view());
    const Tensor wanted = weft::matmul(turned(a.view(), left), turned(b.view(), right));
    const OperatorRun run{.op = "MatMul",
                          .attributes = {{"transpose_a", left}, {"transpose_b", right}},
                          .first_constant = random.chance(50) ? std::size_t{1} : std::size_t{9},
                          .dynamic = random.chance(50)};
    const Tensor got = run({a.view(), b.view()})[0];
    tally.check(same(got, wanted), [&](auto& text) {
      test::describe(text, a.view());
      test::describe(text, b.view());
      text << " transposed " << left << right;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("FullyConnected multiplies by the transpose and adds a bias", "[graph]") {
  const Tensor x = test::counting({2, 3, 4}), w = test::counting({5, 4}), b = test::counting({5});
  for (const std::size_t constants : {1, 9}) {
    const OperatorRun run{.op = "FullyConnected", .first_constant = constants};
    const Tensor plain = weft::matmul(x, w.transpose(0, 1));
    CHECK(same(run({x, w})[0], plain));
    const std::vector<double> biased = test::numbers_of(run({x, w, b})[0]);
    const std::vector<double> bare = test::numbers_of(plain);
    for (std::size_t i = 0; i < biased.size(); ++i)
      CHECK(biased[i] == bare[i] + static_cast<double>(i % 5));
    // Axes that together have as many elements as the weights have columns.
    const Tensor wide = test::counting({5, 12});
    const Tensor flat = Tensor::share(x.owner(), x.as_strided({2, 12}, {12, 1}));
    CHECK(same(run({x, wide})[0], weft::matmul(flat, wide.transpose(0, 1))));
  }
}

TEST_CASE("products of other rows keep what is planned", "[graph]") {
  WEFT_RANDOM(random);
  constexpr std::int64_t any = weft::graph::PartialShape::unknown, depth = 5, columns = 7;
  const auto numbers = [&](const Dims& shape) {
    Tensor tensor = Tensor::empty(shape, ScalarType::f32);
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      tensor.data_as<float>()[i] = static_cast<float>(random.integer(-100, 100)) / 64.0F;
    return tensor;
  };
  const Tensor x = numbers({2, 12, 2 * depth}), out = numbers({12, 2 * columns});
  for (int form = 0; form < 24; ++form) {
    const bool constant = form % 2 == 0, planes = form / 2 % 2 == 1;
    const bool placed = form / 4 % 2 == 1 && !planes;
    const std::string op = form < 8 ? "MatMul" : form < 16 ? "MatMulAdd" : "FullyConnected";
    weft::graph::Graph graph;
    const Tensor weights =
                     op == "FullyConnected" ? numbers({columns, depth}) : numbers({depth, columns}),
                 start = numbers({columns});
    using weft::graph::PartialShape;
    std::vector<weft::graph::Value> inputs = {graph.add_parameter(
        {ScalarType::f32, planes ? PartialShape{any, any, depth} : PartialShape{any, depth}})};
    inputs.push_back(constant
                         ? graph.add_constant(weights)
                         : graph.add_parameter({ScalarType::f32, PartialShape(weights.shape())}));
    if (op != "MatMul") inputs.push_back(graph.add_constant(start));
    graph.add_result(graph.add(op, inputs));
    const weft::graph::Executable program(graph);
    weft::graph::Frame frame(program);
    std::vector<weft::graph::ResultPlace> places(1);
    if (placed) places[0] = {.external = true, .strides = {2 * columns, 2}};
    std::int64_t plans = 0;
    for (int run = 0; run < 8; ++run) {
      const std::int64_t rows = random.integer(0, 12);
      // Dense, rows with gaps between them, or gaps between all elements.
      const Tensor dense = Tensor::copy_of(x.slice(1, 0, rows).slice(2, 0, depth));
      const bool strided = random.chance(50), spread = random.chance(50);
      TensorView given = !strided ? TensorView(dense)
                         : spread ? x.slice(1, 0, rows).slice(2, 0, 2 * depth, 2)
                                  : x.slice(1, 0, rows).slice(2, 0, depth);
      if (!planes) given = given.select(0, 1);
      std::vector<TensorView> views = {given};
      if (!constant) views.emplace_back(weights);
      frame.plan(views, places);
      if (placed) frame.bind_result(0, out.data());
      frame.run();
      CAPTURE(op, constant, planes, placed, run, rows, strided, spread);
      CHECK(same(frame.result(0), program.run(views)[0]));
      if (run == 0) plans = frame.counters().plans;
      if (!planes && !placed) CHECK(frame.counters().plans == plans);
    }
  }
}

TEST_CASE("products that do not fit are refused", "[graph]") {
  const Tensor a = test::counting({2, 3});
  const OperatorRun product{.op = "MatMul"};
  CHECK_ERROR(shape, ("MatMul 'it'", "3 columns", "2 rows"), product({a, a}));
  CHECK_ERROR(dtype, ("input 1"), product({a, test::counting({3, 2}, ScalarType::f64)}));
  CHECK_ERROR(rank, ("input 1"), product({a, test::counting({})}));
  CHECK_ERROR(invalid_argument, ("2 inputs"), product({a}));
  const OperatorRun connected{.op = "FullyConnected"};
  CHECK_ERROR(shape, ("input 0", "[..., 5]"), connected({a, test::counting({4, 5})}));
  CHECK_ERROR(shape, ("input 2 (bias)", "[4]"),
              connected({a, test::counting({4, 3}), test::counting({3})}));
  CHECK_ERROR(shape, ("input 1 (weights)"), connected({a, test::counting({3})}));
}
