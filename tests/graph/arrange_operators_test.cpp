// SPDX-License-Identifier: Apache-2.0
// Roll, Reverse, Pad, Tril, Triu, Diff: against the functions of tensors, which have oracles of
// their own.
#include <weft/ops/arrange.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/difference.hpp>
#include <weft/ops/triangle.hpp>

#include "graph/operator_run.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"

#include <string>

namespace {

using test::Dims;
using test::integer;
using test::integers;
using test::Memory;
using test::OperatorRun;
using weft::AxisPadding;
using weft::PadMode;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::PartialShape;

/// Whether a node gives what is wanted, the inputs after the first being constants, parameters, and
/// parameters of unknown extents.
std::string wrong_output(OperatorRun run, const std::vector<TensorView>& inputs,
                         const Tensor& wanted) {
  std::string text;
  const test::Dense expected = test::dense_copy(wanted);
  for (const bool dynamic : {false, true}) {
    for (const std::size_t constants : {1, 9}) {
      run.dynamic = dynamic;
      run.first_constant = constants;
      text += test::difference(run(inputs)[0], expected);
    }
  }
  return text;
}

/// Elements of any strides.
Memory drawn(test::Random& random, ScalarType type, const Dims& shape) {
  return test::random_memory(random, type, test::random_layout(random, shape), test::Values::small);
}

Tensor bools(const std::vector<bool>& values) {
  Tensor tensor = Tensor::empty({static_cast<std::int64_t>(values.size())}, ScalarType::boolean);
  std::copy(values.begin(), values.end(), tensor.data_as<bool>());
  return tensor;
}

/// What is certain of a node's output when all extents, and the inputs from `constants` on, are
/// known.
std::string inferred(OperatorRun run, const std::vector<TensorView>& inputs,
                     std::size_t constants) {
  run.first_constant = constants;
  const weft::graph::Graph graph = run.graph(inputs);
  return to_string(weft::graph::Executable(graph).result_type(0).shape);
}

}  // namespace

TEST_CASE("Roll: all types and layouts, one shift and many", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(6); ++round) {
      const Dims shape = {random.integer(0, 4), random.integer(1, 9), random.integer(1, 5)};
      const Memory x = drawn(random, type, shape);
      std::vector<std::int64_t> axes, shifts;
      for (std::int64_t i = random.integer(0, 4); i > 0; --i) {
        axes.push_back(random.integer(-3, 2));
        shifts.push_back(random.integer(-20, 20));
      }
      const std::string wrong =
          wrong_output({.op = "Roll"}, {x.view(), integers(shifts), integers(axes)},
                       weft::roll(x.view(), shifts, axes));
      tally.check(wrong.empty(), [&](auto& text) { test::describe(text, x.view()) << wrong; });
      const std::vector<std::int64_t> same(axes.size(), 3);
      const std::string other = wrong_output({.op = "Roll"}, {x.view(), integer(3), integers(axes)},
                                             weft::roll(x.view(), same, axes));
      tally.check(other.empty(), [&](auto& text) { test::describe(text, x.view()) << other; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("Roll: what it refuses", "[graph]") {
  const Tensor x = test::counting({2, 3});
  for (const std::size_t constants : {1, 9}) {
    const OperatorRun roll{.op = "Roll", .first_constant = constants};
    CHECK_ERROR(axis, ("Roll 'it'", "ax", "2"), roll({x, integer(1), integer(2)}));
    CHECK_ERROR(shape, ("input 1 (shift)", "got 2"),
                roll({x, integers({1, 2}), integers({0, 1, 1})}));
    CHECK_ERROR(shape, ("input 2 (axes)", "[1, 2]"),
                roll({x, integers({1, 2}), integers({0, 1}).unsqueeze(0)}));
    CHECK_ERROR(dtype, ("input 1 (shift)", "f32"), roll({x, test::counting({1}), integer(0)}));
    CHECK_ERROR(invalid_argument, ("expected 3 inputs"), roll({x, integer(1)}));
  }
}

TEST_CASE("Roll: axes of a run are checked as constant ones are", "[graph]") {
  const Tensor x = test::counting({2, 3});
  for (const std::size_t constants : {1, 9}) {
    for (const bool dynamic : {false, true}) {
      const OperatorRun roll{.op = "Roll", .first_constant = constants, .dynamic = dynamic};
      CHECK_ERROR(axis, ("Roll 'it'", "input 2 (axes)", "from -2 to 1", "got 2"),
                  roll({x, integer(1), integer(2)}));
      CHECK_ERROR(axis, ("input 2 (axes)", "a scalar has no axes", "got 0"),
                  roll({test::counting({}), integer(1), integer(0)}));
      CHECK(test::numbers_of(roll({test::counting({}), integer(1), integers({})})[0]) ==
            std::vector<double>{0});
    }
  }
}

TEST_CASE("Roll, Reverse, Pad: integers of u64 that i64 does not hold", "[graph]") {
  const Tensor x = test::counting({4});
  const auto u64 = [](std::uint64_t value) { return Tensor::of<std::uint64_t>({1}, {value}); };
  const std::uint64_t half = std::uint64_t{1} << 63, most = ~std::uint64_t{0};
  for (const std::size_t constants : {1, 9}) {
    const auto run = [&](const char* op, const std::vector<TensorView>& inputs) {
      return OperatorRun{.op = op, .first_constant = constants}(inputs)[0];
    };
    CHECK_ERROR(overflow, ("Pad 'it'", "input 1", "18446744073709551615"),
                run("Pad", {x, u64(most), u64(0)}));
    CHECK_ERROR(overflow, ("Pad 'it'", "input 2", "9223372036854775808"),
                run("Pad", {x, u64(0), u64(half)}));
    CHECK_ERROR(overflow, ("Roll 'it'", "input 1", "18446744073709551615"),
                run("Roll", {x, u64(most), u64(0)}));
    CHECK_ERROR(overflow, ("Roll 'it'", "input 2", "18446744073709551615"),
                run("Roll", {x, u64(1), u64(most)}));
    CHECK_ERROR(overflow, ("Reverse 'it'", "input 1", "18446744073709551615"),
                run("Reverse", {x, u64(most)}));
    CHECK(test::numbers_of(run("Roll", {x, u64(half - 1), u64(0)})) ==
          std::vector<double>{1, 2, 3, 0});
  }
}

TEST_CASE("Reverse: by numbers and by a mask", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(6); ++round) {
      const Dims shape = {random.integer(0, 4), random.integer(1, 9), random.integer(1, 5)};
      const Memory x = drawn(random, type, shape);
      std::vector<std::int64_t> axes, given;
      std::vector<bool> mask;
      for (std::int64_t axis = 0; axis < 3; ++axis) {
        mask.push_back(random.chance(50));
        if (!mask.back()) continue;
        axes.push_back(axis);
        given.push_back(random.chance(50) ? axis : axis - 3);
      }
      const Tensor wanted = weft::flip(x.view(), axes);
      std::string wrong = wrong_output({.op = "Reverse", .attributes = {{"mode", "index"}}},
                                       {x.view(), integers(given)}, wanted);
      wrong += wrong_output({.op = "Reverse", .attributes = {{"mode", "mask"}}},
                            {x.view(), bools(mask)}, wanted);
      tally.check(wrong.empty(), [&](auto& text) { test::describe(text, x.view()) << wrong; });
    }
  }
  CHECK_TALLY(tally);
  // Constant axes show the memory of the input.
  const Tensor x = test::counting({4});
  weft::graph::Frame frame{weft::graph::Executable(
      OperatorRun{.op = "Reverse", .first_constant = 1}.graph({x, integer(0)}))};
  frame.plan(std::vector<TensorView>{x});
  CHECK(to_string(frame.explain()).starts_with("viewed: Reverse"));
}

TEST_CASE("Reverse: what it refuses", "[graph]") {
  const Tensor x = test::counting({2, 3});
  for (const std::size_t constants : {1, 9}) {
    const OperatorRun reverse{.op = "Reverse", .first_constant = constants};
    CHECK_ERROR(axis, ("input 1 (axis)", "got 2"), reverse({x, integer(2)}));
    CHECK_ERROR(dtype, ("input 1 (axis)", "bool"), reverse({x, bools({true, false})}));
    const OperatorRun masked{
        .op = "Reverse", .attributes = {{"mode", "mask"}}, .first_constant = constants};
    CHECK_ERROR(dtype, ("input 1 (axis)", "i64"), masked({x, integer(0)}));
    CHECK_ERROR(shape, ("input 1 (axis)", "[2]", "[3]"), masked({x, bools({true, true, true})}));
    const OperatorRun other{.op = "Reverse", .attributes = {{"mode", "all"}}};
    CHECK_ERROR(invalid_argument, ("attribute 'mode'", "index or mask", "'all'"),
                other({x, integer(0)}));
  }
}

TEST_CASE("Pad: all types, modes and widths", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  constexpr const char* names[] = {"constant", "edge", "REFLECT", "wrap", "symmetric"};
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(12); ++round) {
      const auto mode = static_cast<PadMode>(random.integer(0, 4));
      const Dims shape = {random.integer(3, 5), random.integer(3, 9)};
      const Memory x = drawn(random, type, shape);
      std::vector<std::int64_t> before, after;
      std::vector<AxisPadding> borders;
      TensorView left = x.view();  // what widths below 0 leave
      for (std::int64_t axis = 0; axis < 2; ++axis) {
        before.push_back(random.integer(-1, 7));
        after.push_back(random.integer(-1, 7));
        left = left.slice(axis, before.back() < 0 ? 1 : 0,
                          left.extent(axis) - (after.back() < 0 ? 1 : 0));
        borders.push_back(
            {std::max<std::int64_t>(before.back(), 0), std::max<std::int64_t>(after.back(), 0)});
      }
      const Tensor value = Tensor::full({}, type, 1);
      const bool given = random.chance(70);
      const weft::Scalar number =
          type == ScalarType::boolean ? weft::Scalar(given) : weft::Scalar(given ? 1 : 0);
      const Tensor wanted = weft::pad(left, borders, mode, number);
      const Tensor begins = integers(before), ends = integers(after);
      std::vector<TensorView> inputs = {x.view(), begins, ends};
      if (given) inputs.push_back(value);
      const std::string wrong = wrong_output(
          {.op = "Pad",
           .attributes = {{"pad_mode", std::string(names[static_cast<std::size_t>(mode)])}}},
          inputs, wanted);
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text << names[static_cast<std::size_t>(mode)] << " ", x.view()) << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("Pad: values of any type as they are", "[graph]") {
  const auto padded = [](const Tensor& x, const Tensor& value) {
    return OperatorRun{.op = "Pad"}({x, integers({1}), integers({0}), value})[0];
  };
  const std::uint64_t most = ~std::uint64_t{0};
  CHECK(padded(Tensor::of<std::uint64_t>({1}, {3}), Tensor::of<std::uint64_t>({}, {most}))
            .at<std::uint64_t>({0}) == most);
  const std::complex<double> z(1, -2);
  CHECK(
      padded(Tensor::of<std::complex<double>>({1}, {3}), Tensor::of<std::complex<double>>({}, {z}))
          .at<std::complex<double>>({0}) == z);
}

TEST_CASE("Pad: shapes, and what it refuses", "[graph]") {
  const Tensor x = test::counting({2, 3});
  CHECK(inferred({.op = "Pad"}, {x, integers({1, 0}), integers({0, -1})}, 1) == "[3, 2]");
  CHECK(inferred({.op = "Pad"}, {x, integers({1, 0}), integers({0, -1})}, 9) == "[?, ?]");
  for (const std::size_t constants : {1, 9}) {
    const OperatorRun pad{.op = "Pad", .first_constant = constants};
    CHECK_ERROR(shape, ("input 1 (pads_begin)", "[2]", "[1]"),
                pad({x, integers({1}), integers({1, 1})}));
    CHECK_ERROR(shape, ("axis 1", "extent 3", "-2", "cut off"),
                pad({x, integers({0, -2}), integers({0, -2})}));
    CHECK_ERROR(overflow, ("axis 0 of extent 2", "pads of 9223372036854775807 and 0"),
                pad({x, integers({INT64_MAX, 0}), integers({0, 0})}));
    CHECK_ERROR(dtype, ("input 3", "f32", "i64"),
                pad({x, integers({0, 0}), integers({0, 0}), integer(1)}));
    CHECK_ERROR(shape, ("input 3 (pad_value)"),
                pad({x, integers({0, 0}), integers({0, 0}), test::counting({2})}));
    CHECK_ERROR(dtype, ("input 2 (pads_end)"), pad({x, integers({0, 0}), test::counting({2})}));
    const OperatorRun edge{
        .op = "Pad", .attributes = {{"pad_mode", "edge"}}, .first_constant = constants};
    CHECK_ERROR(shape, ("axis 0", "no elements"), edge({x, integers({-2, 0}), integers({1, 0})}));
    const OperatorRun other{.op = "Pad", .attributes = {{"pad_mode", "mirror"}}};
    CHECK_ERROR(invalid_argument, ("pad_mode", "symmetric", "'mirror'"),
                other({x, integers({0, 0}), integers({0, 0})}));
  }
}

TEST_CASE("Tril, Triu and Diff: all types and layouts", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(8); ++round) {
      const Dims shape = {random.integer(0, 3), random.integer(0, 6), random.integer(0, 7)};
      const Memory x = drawn(random, type, shape);
      const std::int64_t k = random.integer(-4, 4), axis = random.integer(-3, 2);
      const std::int64_t order = random.integer(0, 3);
      const weft::graph::Attributes diagonal = {{"k", k}};
      std::string wrong =
          wrong_output({.op = "Tril", .attributes = diagonal}, {x.view()}, weft::tril(x.view(), k));
      wrong +=
          wrong_output({.op = "Triu", .attributes = diagonal}, {x.view()}, weft::triu(x.view(), k));
      wrong += wrong_output({.op = "Diff", .attributes = {{"axis", axis}, {"order", order}}},
                            {x.view()}, weft::diff(x.view(), axis, order));
      tally.check(wrong.empty(), [&](auto& text) { test::describe(text, x.view()) << wrong; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("Tril, Triu and Diff: without attributes, and what they refuse", "[graph]") {
  const Tensor x = test::counting({2, 3});
  using Numbers = std::vector<double>;
  CHECK(test::numbers_of(OperatorRun{.op = "Tril"}({x})[0]) == Numbers{0, 0, 0, 3, 4, 0});
  CHECK(test::numbers_of(OperatorRun{.op = "Triu"}({x})[0]) == Numbers{0, 1, 2, 0, 4, 5});
  CHECK(test::numbers_of(OperatorRun{.op = "Diff"}({x})[0]) == Numbers{1, 1, 1, 1});
  for (const char* op : {"Tril", "Triu"})
    CHECK_ERROR(rank, (op, "input 0", "[3]"), OperatorRun{.op = op}({test::counting({3})}));
  const OperatorRun far{.op = "Diff", .attributes = {{"axis", std::int64_t{2}}}};
  CHECK_ERROR(axis, ("attribute 'axis'", "got 2"), far({x}));
  const OperatorRun less{.op = "Diff", .attributes = {{"order", std::int64_t{-1}}}};
  CHECK_ERROR(invalid_argument, ("attribute 'order'", "got -1"), less({x}));
  CHECK_ERROR(axis, ("attribute 'axis'"), OperatorRun{.op = "Diff"}({integer(1)}));
}
