// SPDX-License-Identifier: Apache-2.0
// Sort, ArgSort, TopK, SearchSorted, Bucketize: against the functions of tensors, which have
// oracles of their own.
#include <weft/core/promotion.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/searching.hpp>
#include <weft/ops/sorting.hpp>

#include "graph/operator_run.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace {

using test::Dims;
using test::integer;
using test::integers;
using test::Memory;
using test::OperatorRun;
using weft::ScalarType;
using weft::SearchSide;
using weft::SortOrder;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Attributes;

using Numbers = std::vector<double>;

/// As wrong_output of a node with several outputs, inputs from `first` on being constants or not.
std::string wrong_outputs(OperatorRun run, const std::vector<TensorView>& inputs,
                          const std::vector<Tensor>& wanted) {
  std::string text;
  run.noutputs = static_cast<int>(wanted.size());
  for (const bool dynamic : {false, true}) {
    for (const std::size_t constants : {1, 9}) {
      run.dynamic = dynamic;
      run.first_constant = constants;
      const std::vector<Tensor> got = run(inputs);
      for (std::size_t i = 0; i < wanted.size(); ++i)
        text += test::difference(got[i], test::dense_copy(wanted[i]));
    }
  }
  return text;
}

std::vector<ScalarType> ordered_types() {
  std::vector<ScalarType> types;
  for (const ScalarType type : test::all_types()) {
    if (!weft::is_complex(type)) types.push_back(type);
  }
  return types;
}

Memory drawn(test::Random& random, ScalarType type, const Dims& shape) {
  const auto values =
      type == ScalarType::boolean || random.chance(70) ? test::Values::small : test::Values::any;
  return test::random_memory(random, type, test::random_layout(random, shape), values);
}

Tensor as(const TensorView& a, ScalarType type) { return weft::contiguous(a, type); }

}  // namespace

TEST_CASE("Sort and ArgSort: all types and layouts", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : ordered_types()) {
    for (int round = 0; round < test::rounds(8); ++round) {
      const Memory x = drawn(random, type, {random.integer(1, 3), random.integer(0, 40), 2});
      const std::int64_t axis = random.integer(-3, 2);
      const bool down = random.chance(50);
      const SortOrder order = down ? SortOrder::descending : SortOrder::ascending;
      Attributes attributes = {{"axis", axis}};
      if (down) attributes.set("order", std::string("descending"));
      std::string wrong = wrong_outputs({.op = "Sort", .attributes = attributes}, {x.view()},
                                        {weft::sort(x.view(), axis, order)});
      const Tensor places = weft::argsort(x.view(), axis, order);
      wrong += wrong_outputs({.op = "ArgSort", .attributes = attributes}, {x.view()}, {places});
      attributes.set("index_element_type", std::string("i32"));
      wrong += wrong_outputs({.op = "ArgSort", .attributes = attributes}, {x.view()},
                             {as(places, ScalarType::i32)});
      tally.check(wrong.empty(), [&](auto& text) { test::describe(text, x.view()) << wrong; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("TopK: all types and layouts, in the order of values and of indices", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : ordered_types()) {
    for (int round = 0; round < test::rounds(8); ++round) {
      const Dims shape = {random.integer(1, 3), random.integer(0, 40), random.integer(1, 4)};
      const Memory x = drawn(random, type, shape);
      const std::int64_t axis = random.integer(0, 2);
      const std::int64_t k = random.integer(0, shape[static_cast<std::size_t>(axis)]);
      const bool most = random.chance(50);
      const weft::ValuesAndIndices top =
          weft::topk(x.view(), k, axis, most ? SortOrder::descending : SortOrder::ascending);
      Attributes attributes = {{"axis", axis - (random.chance(50) ? 3 : 0)},
                               {"mode", std::string(most ? "max" : "min")},
                               {"sort", std::string("value")}};
      std::string wrong =
          wrong_outputs({.op = "TopK", .attributes = attributes}, {x.view(), integer(k)},
                        {top.values, as(top.indices, ScalarType::i32)});
      wrong += wrong_outputs({.op = "TopK", .attributes = attributes}, {x.view(), integer(k)},
                             {top.values});
      attributes.set("sort", std::string("index"));
      attributes.set("index_element_type", std::string("i64"));
      const Tensor indices = weft::sort(top.indices, axis);
      Tensor values = Tensor::empty(indices.shape(), type);
      test::for_each_index(test::dims(indices.shape()), [&](const Dims& place) {
        Dims from = place;
        from[static_cast<std::size_t>(axis)] = indices.at<std::int64_t>(place);
        std::memcpy(const_cast<std::byte*>(test::element_at(values, place)),
                    test::element_at(x.view(), from),
                    static_cast<std::size_t>(weft::element_size(type)));
      });
      wrong += wrong_outputs({.op = "TopK", .attributes = attributes}, {x.view(), integer(k)},
                             {values, indices});
      tally.check(wrong.empty(), [&](auto& text) { test::describe(text, x.view()) << wrong; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("TopK: shapes, and what it and its kin refuse", "[graph]") {
  const Tensor x = test::counting({2, 3});
  const Attributes last = {{"axis", std::int64_t{1}}};
  const auto inferred = [&](std::size_t constants) {
    const OperatorRun run{
        .op = "TopK", .attributes = last, .noutputs = 2, .first_constant = constants};
    const weft::graph::Executable executable(run.graph({x, integer(2)}));
    return to_string(executable.result_type(0)) + to_string(executable.result_type(1));
  };
  CHECK(inferred(1) == "f32[2, 2]i32[2, 2]");
  CHECK(inferred(9) == "f32[2, ?]i32[2, ?]");
  for (const std::size_t constants : {1, 9}) {
    const auto top = [&](const Attributes& attributes, const TensorView& a, const TensorView& k) {
      return OperatorRun{
          .op = "TopK", .attributes = attributes, .noutputs = 2, .first_constant = constants}(
          {a, k});
    };
    CHECK_ERROR(invalid_argument, ("TopK 'it'", "input 1 (k)", "at most 3", "got 4"),
                top(last, x, integer(4)));
    CHECK_ERROR(invalid_argument, ("input 1 (k)", "got -1"), top(last, x, integer(-1)));
    CHECK_ERROR(shape, ("input 1 (k)", "got 2"), top(last, x, integers({1, 2})));
    CHECK_ERROR(dtype, ("input 1 (k)", "f32"), top(last, x, test::counting({})));
    CHECK_ERROR(dtype, ("input 0", "c64"),
                top(last, Tensor::zeros({2, 3}, ScalarType::c64), integer(1)));
    CHECK_ERROR(axis, ("attribute 'axis'", "got 2"),
                top({{"axis", std::int64_t{2}}}, x, integer(1)));
    CHECK_ERROR(invalid_argument, ("attribute 'mode'", "max or min", "'most'"),
                top({{"axis", std::int64_t{1}}, {"mode", "most"}}, x, integer(1)));
    CHECK_ERROR(invalid_argument, ("attribute 'sort'", "value, index or none", "'no'"),
                top({{"axis", std::int64_t{1}}, {"sort", "no"}}, x, integer(1)));
    CHECK_ERROR(dtype, ("index_element_type", "f32"),
                top({{"axis", std::int64_t{1}}, {"index_element_type", "f32"}}, x, integer(1)));
  }
  const OperatorRun three{.op = "TopK", .attributes = last, .noutputs = 3};
  CHECK_ERROR(invalid_argument, ("TopK 'it'", "2 outputs", "3 outputs"), three({x, integer(1)}));
  const OperatorRun two{.op = "Sort", .noutputs = 2};
  CHECK_ERROR(invalid_argument, ("Sort 'it'", "1 output", "2 outputs"), two({x}));
  const OperatorRun other{.op = "Sort", .attributes = {{"order", "up"}}};
  CHECK_ERROR(invalid_argument, ("attribute 'order'", "'up'"), other({x}));
  CHECK_ERROR(dtype, ("input 0", "c128"),
              OperatorRun{.op = "ArgSort"}({Tensor::zeros({2}, ScalarType::c128)}));
}

TEST_CASE("TopK: k of u64 that i64 does not hold", "[graph]") {
  const Tensor k = Tensor::of<std::uint64_t>({}, {~std::uint64_t{0}});
  for (const std::size_t constants : {1, 9}) {
    const OperatorRun top{
        .op = "TopK", .attributes = {{"axis", std::int64_t{1}}}, .first_constant = constants};
    CHECK_ERROR(overflow, ("TopK 'it'", "input 1", "18446744073709551615"),
                top({test::counting({2, 3}), k}));
  }
}

TEST_CASE("TopK and Concat: extents that add up to too many", "[graph]") {
  weft::graph::Graph graph;
  weft::graph::Node top;
  top.op = "TopK";
  top.attributes.set("axis", std::int64_t{0});
  top.inputs = {
      graph.add_parameter(
          {ScalarType::f32, weft::graph::PartialShape({weft::graph::PartialShape::unknown, 3})}),
      graph.add_constant(integer(INT64_MAX))};
  const int values = graph.add_node(std::move(top));
  weft::graph::Node join;
  join.op = "Concat";
  join.name = "join";
  join.attributes.set("axis", std::int64_t{0});
  join.inputs = {{values, 0}, {values, 0}};
  graph.add_result({graph.add_node(std::move(join)), 0});
  CHECK_ERROR(overflow, ("Concat 'join'", "input 1", "axis 0", "9223372036854775807"),
              weft::graph::Executable{graph});
}

TEST_CASE("SearchSorted: all types, one line and many", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : ordered_types()) {
    for (int round = 0; round < test::rounds(8); ++round) {
      const Dims shape = {random.integer(0, 3), random.integer(0, 20)};
      const Memory values = drawn(random, type, shape);
      const bool lines = random.chance(50);
      const Dims own = lines ? Dims{shape[0], random.integer(0, 9)} : Dims{random.integer(0, 9)};
      const Tensor sorted = weft::sort(drawn(random, type, own).view());
      const bool right = random.chance(50);
      const Tensor wanted =
          weft::searchsorted(sorted, values.view(), right ? SearchSide::right : SearchSide::left);
      Attributes attributes = {{"right_mode", right}};
      std::string wrong = wrong_outputs({.op = "SearchSorted", .attributes = attributes},
                                        {sorted, values.view()}, {wanted});
      attributes.set("output_type", std::string("i32"));
      wrong += wrong_outputs({.op = "SearchSorted", .attributes = attributes},
                             {sorted, values.view()}, {as(wanted, ScalarType::i32)});
      tally.check(wrong.empty(), [&](auto& text) { test::describe(text, values.view()) << wrong; });
    }
  }
  CHECK_TALLY(tally);
  const OperatorRun run{.op = "SearchSorted"};
  CHECK_ERROR(shape, ("input 0 (sorted)", "[2, 4]", "[3, 4]"),
              run({test::counting({3, 4}), test::counting({2, 1})}));
  CHECK_ERROR(dtype, ("input 1", "f32", "i64"), run({test::counting({3}), integer(1)}));
  const OperatorRun bytes{.op = "SearchSorted", .attributes = {{"output_type", "u8"}}};
  CHECK_ERROR(dtype, ("attribute 'output_type'", "u8"),
              bytes({test::counting({3}), test::counting({3})}));
}

TEST_CASE("Bucketize: borders of any type, on either side", "[graph]") {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 2.5, 9, 4, -1});
  const Tensor borders = Tensor::of<std::int32_t>({3}, {2, 4, 8});
  for (const std::size_t constants : {1, 9}) {
    const OperatorRun run{.op = "Bucketize", .first_constant = constants};
    const Tensor out = run({x, borders})[0];
    CHECK(out.dtype() == ScalarType::i64);
    CHECK(test::numbers_of(out) == Numbers{0, 0, 1, 3, 1, 0});
    const OperatorRun left{.op = "Bucketize",
                           .attributes = {{"with_right_bound", "false"}, {"output_type", "i32"}},
                           .first_constant = constants};
    const Tensor other = left({x, borders})[0];
    CHECK(other.dtype() == ScalarType::i32);
    CHECK(test::numbers_of(other) == Numbers{0, 1, 1, 3, 2, 0});
    CHECK(test::numbers_of(run({x, Tensor::empty({0}, ScalarType::f64)})[0]) == Numbers(6, 0));
    CHECK_ERROR(shape, ("input 1 (buckets)", "[2, 3]"), run({x, x}));
    CHECK_ERROR(dtype, ("input 0", "c64"), run({Tensor::zeros({2}, ScalarType::c64), borders}));
  }
}

TEST_CASE("Bucketize: integers beside floating borders are exact", "[graph]") {
  const auto places = [](const Tensor& x, const Tensor& borders) {
    Numbers list;
    for (const std::size_t constants : {1, 9}) {
      const OperatorRun run{.op = "Bucketize", .first_constant = constants};
      const Numbers now = test::numbers_of(run({x, borders})[0]);
      if (constants == 9) CHECK(now == list);
      list = now;
    }
    return list;
  };
  const auto i32 = Tensor::of<std::int32_t>({2}, {2049, 70000});
  CHECK(places(i32, as(Tensor::of<float>({2}, {2048, 65504}), ScalarType::f16)) == Numbers{1, 2});
  CHECK(places(i32, as(Tensor::of<float>({2}, {2048, 69632}), ScalarType::bf16)) == Numbers{1, 2});
  const auto i64 = Tensor::of<std::int64_t>({1}, {16777217});
  CHECK(places(i64, Tensor::of<float>({1}, {16777216})) == Numbers{1});
  CHECK(places(Tensor::of<float>({1}, {16777216}), i64) == Numbers{0});
  CHECK(places(Tensor::of<std::uint64_t>({1}, {16777217}), Tensor::of<float>({1}, {16777216})) ==
        Numbers{1});
}

TEST_CASE("Bucketize: any two types against comparing one by one", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : ordered_types()) {
    for (const ScalarType other : ordered_types()) {
      const Memory x =
          test::random_memory(random, type, test::random_layout(random, {9}), test::Values::small);
      const Tensor borders = weft::sort(
          test::random_memory(random, other, test::random_layout(random, {5}), test::Values::small)
              .view());
      const bool is_whole = weft::is_integer(type) && weft::is_integer(other);
      if (is_whole && weft::is_floating(weft::promote_types(type, other))) {
        CHECK_ERROR(dtype, ("Bucketize 'it'", weft::name(type), weft::name(other)),
                    OperatorRun{.op = "Bucketize"}({x.view(), borders}));
        continue;
      }
      const Numbers values = test::numbers_of(x.view()), limits = test::numbers_of(borders);
      Numbers wanted;
      for (const double value : values) {
        // NaN comes after all numbers.
        wanted.push_back(static_cast<double>(std::ranges::count_if(limits, [&](double limit) {
          return std::isnan(value) ? !std::isnan(limit) : limit < value;
        })));
      }
      const Numbers got = test::numbers_of(OperatorRun{.op = "Bucketize"}({x.view(), borders})[0]);
      tally.check(got == wanted, [&](auto& text) {
        test::describe(text, x.view()) << " among " << weft::name(other);
      });
    }
  }
  CHECK_TALLY(tally);
}
