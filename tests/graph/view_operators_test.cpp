// SPDX-License-Identifier: Apache-2.0
// Operators that show their input in another way, each against index arithmetic.
#include "graph/operator_run.hpp"
#include "support/element.hpp"
#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace {

using test::Dims;
using test::integer;
using test::integers;
using test::OperatorRun;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Attributes;
using weft::graph::Executable;
using weft::graph::Frame;

using Numbers = std::vector<double>;
using Bits = std::vector<std::int64_t>;

Dims shape_of(const TensorView& view) { return {view.shape().begin(), view.shape().end()}; }

/// What an output should be: `from(index of the output)` is the index of the input.
using From = std::function<Dims(const Dims&)>;

bool shows(const TensorView& out, const Dims& shape, const TensorView& in, const From& from) {
  if (shape_of(out) != shape) return false;
  const Tensor dense = Tensor::copy_of(in);
  const Numbers source = test::numbers_of(in), got = test::numbers_of(out);
  std::size_t flat = 0;
  bool right = true;
  test::for_each_index(shape, [&](const Dims& index) {
    right =
        right && got[flat++] == source[static_cast<std::size_t>(dense.element_offset(from(index)))];
  });
  return right;
}

/// Runs with integers as constants, as parameters, and with unknown extents: all have to agree.
std::vector<Tensor> run_all(OperatorRun run, const std::vector<TensorView>& inputs) {
  run.first_constant = 1;
  const std::vector<Tensor> out = run(inputs);
  for (const bool dynamic : {false, true}) {
    for (const std::size_t constants : {1, 9}) {
      run.dynamic = dynamic;
      run.first_constant = constants;
      const std::vector<Tensor> again = run(inputs);
      for (std::size_t i = 0; i < out.size(); ++i) {
        CHECK(shape_of(again[i]) == shape_of(out[i]));
        CHECK(test::numbers_of(again[i]) == test::numbers_of(out[i]));
      }
    }
  }
  return out;
}

/// The indexes that Python's range(*slice(begin, end, step).indices(extent)) gives.
Bits python_slice(std::int64_t extent, bool has_begin, std::int64_t begin, bool has_end,
                  std::int64_t end, std::int64_t step) {
  const auto place = [&](std::int64_t at) {
    if (at < 0) at += extent;
    if (step > 0) return std::min(std::max<std::int64_t>(at, 0), extent);
    return std::min(std::max<std::int64_t>(at, -1), extent - 1);
  };
  const std::int64_t first = has_begin ? place(begin) : step > 0 ? 0 : extent - 1;
  const std::int64_t last = has_end ? place(end) : step > 0 ? extent : -1;
  Bits list;
  for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step)
    list.push_back(i);
  return list;
}

}  // namespace

TEST_CASE("Squeeze, Unsqueeze and Transpose", "[graph]") {
  const Tensor x = test::counting({2, 1, 3, 1});
  CHECK(shape_of(run_all({.op = "Squeeze"}, {x, integers({1})})[0]) == Dims{2, 3, 1});
  CHECK(shape_of(run_all({.op = "Squeeze"}, {x, integers({-1, 1})})[0]) == Dims{2, 3});
  CHECK(shape_of(run_all({.op = "Squeeze"}, {x})[0]) == Dims{2, 3});
  CHECK(shape_of(run_all({.op = "Unsqueeze"}, {x, integers({0, -1})})[0]) ==
        Dims{1, 2, 1, 3, 1, 1});
  CHECK(test::numbers_of(run_all({.op = "Unsqueeze"}, {x, integers({2})})[0]) ==
        test::numbers_of(x));
  const Tensor y = test::counting({2, 3, 4});
  CHECK(shows(run_all({.op = "Transpose"}, {y, integers({2, 0, 1})})[0], {4, 2, 3}, y,
              [](const Dims& i) {
                return Dims{i[1], i[2], i[0]};
              }));
  CHECK(shows(run_all({.op = "Transpose"}, {y})[0], {4, 3, 2}, y, [](const Dims& i) {
    return Dims{i[2], i[1], i[0]};
  }));
  CHECK_ERROR(axis, ("twice"),
              OperatorRun{.op = "Unsqueeze", .first_constant = 1}({x, integers({0, 0})}));
  CHECK_ERROR(axis, ("input 1 (order)"),
              OperatorRun{.op = "Transpose", .first_constant = 1}({y, integers({0, 1})}));
  CHECK_ERROR(axis, ("input 1 (axes)", "got 4"),
              OperatorRun{.op = "Squeeze", .first_constant = 1}({x, integers({4})}));
}

TEST_CASE("Squeeze: axes of another extent than 1 are kept", "[graph]") {
  const Tensor x = test::counting({1, 4, 1, 1, 2});
  for (const std::size_t constants : {1, 9}) {
    for (const bool may_skip : {false, true}) {
      const OperatorRun squeeze{.op = "Squeeze",
                                .attributes = {{"allow_axis_skip", may_skip}},
                                .first_constant = constants};
      const Tensor out = squeeze({x, integers({0, 1, 3, -1})})[0];
      CHECK(shape_of(out) == Dims{4, 1, 2});
      CHECK(test::numbers_of(out) == test::numbers_of(x));
    }
  }
  // An extent that is not known yet is taken for 1, unless the axis may be kept.
  const auto rank_known = [&](bool may_skip) {
    weft::graph::Graph graph;
    const auto in =
        graph.add_parameter({weft::ScalarType::f32, {weft::graph::PartialShape::unknown, 3}});
    graph.add_result(graph.add("Squeeze", {in, graph.add_constant(integers({0}))},
                               {{"allow_axis_skip", may_skip}}));
    return weft::graph::Executable(graph).result_type(0).shape.has_rank();
  };
  CHECK(rank_known(false));
  CHECK(!rank_known(true));
}

TEST_CASE("Reshape of elements in any order", "[graph]") {
  test::Random random(test::seed());
  for (int round = 0; round < test::rounds(400); ++round) {
    CAPTURE(test::seed(), round);
    const Dims shape = test::random_shape(random, 4);
    const test::Memory memory(weft::ScalarType::i32, test::random_layout(random, shape));
    test::fill(weft::ScalarType::i32, memory.data(), memory.layout().size, random);
    const TensorView x = memory.view();
    // The same elements along other axes: factors of each extent, some put together again.
    Dims target(1, 1);
    for (std::int64_t extent : shape) {
      for (std::int64_t factor = 2; factor < extent; ++factor) {
        if (extent % factor != 0 || random.chance(50)) continue;
        target.push_back(factor);
        extent /= factor;
      }
      if (random.chance(40)) target.push_back(1);
      if (random.chance(50)) {
        target.back() *= extent;
      } else {
        target.push_back(extent);
      }
    }
    const Tensor got = OperatorRun{.op = "Reshape", .first_constant = 1}({x, integers(target)})[0];
    CHECK(shape_of(got) == target);
    CHECK(test::numbers_of(got) == test::numbers_of(x));
  }
}

TEST_CASE("Reshape copies only what does not follow one walk through memory", "[graph]") {
  using weft::graph::PlanNote;
  const Tensor whole = test::counting({6, 5, 4});
  const auto is_copied = [](const TensorView& x, const Bits& target) {
    Frame frame{
        Executable(OperatorRun{.op = "Reshape", .first_constant = 1}.graph({x, integers(target)}))};
    frame.plan(std::vector<TensorView>{x});
    frame.run();
    CHECK(test::numbers_of(frame.result(0)) == test::numbers_of(x));
    return frame.explain().notes.at(0).kind != PlanNote::Kind::viewed;
  };
  CHECK_FALSE(is_copied(whole, {-1}));
  CHECK_FALSE(is_copied(whole.slice(1, 2, 3), {6, 4}));  // a step of a batch along axis 1
  CHECK_FALSE(is_copied(whole.slice(1, 2, 3), {2, 3, 2, 2}));
  CHECK_FALSE(is_copied(whole.slice(1, 1, 3), {2, 3, 8}));
  CHECK(is_copied(whole.slice(1, 2, 3), {24}));
  CHECK(is_copied(whole.permute({2, 0, 1}), {-1}));
  CHECK_FALSE(is_copied(whole.permute({2, 0, 1}), {4, 30}));
  CHECK_FALSE(is_copied(whole.slice(2, 0, 1), {30}));
  CHECK_FALSE(is_copied(whole.flip(2).slice(0, 1, 2), {5, 4}));
}

TEST_CASE("Split and VariadicSplit", "[graph]") {
  const Tensor x = test::counting({2, 6, 3});
  const auto from = [](std::int64_t first) {
    return [first](const Dims& i) { return Dims{i[0], i[1] + first, i[2]}; };
  };
  const std::vector<Tensor> halves =
      run_all({.op = "Split", .attributes = {{"num_splits", std::int64_t{2}}}, .noutputs = 2},
              {x, integer(1)});
  CHECK(shows(halves[0], {2, 3, 3}, x, from(0)));
  CHECK(shows(halves[1], {2, 3, 3}, x, from(3)));
  const std::vector<Tensor> parts =
      run_all({.op = "VariadicSplit", .noutputs = 3}, {x, integer(-2), integers({1, -1, 2})});
  CHECK(shows(parts[0], {2, 1, 3}, x, from(0)));
  CHECK(shows(parts[1], {2, 3, 3}, x, from(1)));
  CHECK(shows(parts[2], {2, 2, 3}, x, from(4)));
  const auto split = [&](std::int64_t parts_wanted, int noutputs) {
    OperatorRun{.op = "Split",
                .attributes = {{"num_splits", parts_wanted}},
                .noutputs = noutputs,
                .first_constant = 1}({x, integer(1)});
  };
  CHECK_ERROR(shape, ("does not divide into 4"), split(4, 4));
  CHECK_ERROR(invalid_argument, ("num_splits"), split(3, 2));
  const auto variadic = [&](const Bits& lengths) {
    OperatorRun{.op = "VariadicSplit", .noutputs = 2, .first_constant = 1}(
        {x, integer(1), integers(lengths)});
  };
  CHECK_ERROR(shape, ("split_lengths", "extent 6"), variadic({2, 3}));
  CHECK_ERROR(shape, ("two lengths"), variadic({-1, -1}));
  CHECK_ERROR(shape, ("one per output"), variadic({6}));
  CHECK_ERROR(shape, ("extent 6"), variadic({7, -1}));
}

TEST_CASE("views of constant geometry copy nothing", "[graph]") {
  const OperatorRun run{.op = "Split",
                        .attributes = {{"num_splits", std::int64_t{2}}},
                        .noutputs = 2,
                        .first_constant = 1};
  const Tensor x = test::counting({4, 3});
  Frame frame{Executable(run.graph({x, integer(0)}))};
  frame.plan(std::vector<TensorView>{x});
  frame.run();
  CHECK(frame.result(1).data() == x.slice(0, 2, 4).data());
  CHECK(frame.counters().bytes_copied == 0);
}

TEST_CASE("Concat", "[graph]") {
  const Tensor a = test::counting({2, 3, 2}), b = test::counting({2, 1, 2}),
               none = test::counting({2, 0, 2});
  OperatorRun run{.op = "Concat", .attributes = {{"axis", std::int64_t{-2}}}};
  for (const bool dynamic : {false, true}) {
    run.dynamic = dynamic;
    const Tensor out = run({a, none, b.transpose(0, 2), a})[0];
    CHECK(shape_of(out) == Dims{2, 7, 2});
    CHECK(out.at<float>({1, 2, 1}) == 11);
    CHECK(out.at<float>({0, 3, 1}) == 2);
    CHECK(out.at<float>({1, 4, 0}) == 6);
  }
  CHECK(test::numbers_of(run({a})[0]) == test::numbers_of(a));
  CHECK_ERROR(shape, ("input 1", "[2, 3, 3]"), run({a, test::counting({2, 3, 3})}));
  CHECK_ERROR(axis, ("attribute 'axis'"), run({test::counting({2}), test::counting({2})}));
  CHECK_ERROR(dtype, ("input 1"), run({a, test::counting({2, 3, 2}, weft::ScalarType::f64)}));
}

TEST_CASE("StridedSlice and Slice are Python's slices", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Tensor x = test::counting({5, 6});
  for (int round = 0; round < test::rounds(300); ++round) {
    Bits begin, end, step, from_first, to_last;
    std::vector<Bits> picked;
    for (const std::int64_t extent : {5, 6}) {
      begin.push_back(random.integer(-8, 8));
      end.push_back(random.integer(-8, 8));
      step.push_back(random.chance(50) ? random.integer(1, 4) : -random.integer(1, 4));
      from_first.push_back(random.integer(0, 1));
      to_last.push_back(random.integer(0, 1));
      picked.push_back(python_slice(extent, from_first.back() == 0, begin.back(),
                                    to_last.back() == 0, end.back(), step.back()));
    }
    OperatorRun run{.op = "StridedSlice",
                    .attributes = {{"begin_mask", from_first}, {"end_mask", to_last}},
                    .first_constant = random.chance(50) ? std::size_t{1} : std::size_t{9},
                    .dynamic = random.chance(30)};
    const Dims shape{static_cast<std::int64_t>(picked[0].size()),
                     static_cast<std::int64_t>(picked[1].size())};
    const From from = [&](const Dims& i) {
      return Dims{picked[0][static_cast<std::size_t>(i[0])],
                  picked[1][static_cast<std::size_t>(i[1])]};
    };
    const bool sliced =
        shows(run({x, integers(begin), integers(end), integers(step)})[0], shape, x, from);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const std::int64_t far = std::int64_t{1} << 62;
      if (from_first[axis] != 0) begin[axis] = step[axis] > 0 ? 0 : far;
      if (to_last[axis] != 0) end[axis] = step[axis] > 0 ? far : -far;
    }
    run.op = "Slice";
    run.opset = 8;
    run.attributes = {};
    std::swap(begin[0], begin[1]);
    std::swap(end[0], end[1]);
    std::swap(step[0], step[1]);
    const bool by_axes =
        shows(run({x, integers(begin), integers(end), integers(step), integers({1, -2})})[0], shape,
              x, from);
    tally.check(sliced && by_axes, [&](auto& text) {
      text << "StridedSlice " << sliced << ", Slice " << by_axes << ", round " << round;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("StridedSlice with new, shrunk and open axes", "[graph]") {
  const Tensor x = test::counting({2, 3, 4, 5});
  const auto run = [&](const Attributes& attributes, const Bits& begin, const Bits& end) {
    return run_all({.op = "StridedSlice", .attributes = attributes},
                   {x, integers(begin), integers(end)})[0];
  };
  // x[1, ..., 2:4]
  CHECK(shows(run({{"shrink_axis_mask", Bits{1, 0, 0}}, {"ellipsis_mask", Bits{0, 1, 0}}},
                  {1, 0, 2}, {0, 0, 4}),
              {3, 4, 2}, x, [](const Dims& i) {
                return Dims{1, i[0], i[1], i[2] + 2};
              }));
  // x[:, None, -1]
  CHECK(shows(run({{"begin_mask", Bits{1, 0, 0}},
                   {"end_mask", Bits{1, 0, 0}},
                   {"new_axis_mask", Bits{0, 1, 0}},
                   {"shrink_axis_mask", Bits{0, 0, 1}}},
                  {0, 0, -1}, {0, 0, 0}),
              {2, 1, 4, 5}, x, [](const Dims& i) {
                return Dims{i[0], 2, i[2], i[3]};
              }));
  // x[1]: begin_mask means ranges.
  CHECK(shows(run({{"begin_mask", Bits{1}}, {"shrink_axis_mask", Bits{1}}}, {1}, {2}), {3, 4, 5}, x,
              [](const Dims& i) {
                return Dims{1, i[0], i[1], i[2]};
              }));
  CHECK_ERROR(axis, ("index 2", "extent 2"), run({{"shrink_axis_mask", Bits{1}}}, {2}, {3}));
  CHECK_ERROR(invalid_argument, ("ellipsis"), run({{"ellipsis_mask", Bits{1, 1}}}, {0, 0}, {0, 0}));
  CHECK_ERROR(shape, ("equal lengths"), run({}, {0, 0}, {1}));
  CHECK_ERROR(shape, ("5 axes"), run({}, {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}));
  CHECK_ERROR(invalid_argument, ("step is 0"),
              OperatorRun{.op = "StridedSlice",
                          .first_constant = 1}({x, integers({0}), integers({1}), integers({0})}));
}

TEST_CASE("Broadcast in every mode", "[graph]") {
  const Tensor x = test::counting({3, 1});
  const auto run = [&](const char* mode, const Tensor& in, const Bits& target) {
    return run_all({.op = "Broadcast", .attributes = {{"mode", std::string(mode)}}},
                   {in, integers(target)})[0];
  };
  CHECK(shows(run("numpy", x, {2, 3, 4}), {2, 3, 4}, x, [](const Dims& i) {
    return Dims{i[1], 0};
  }));
  CHECK(shows(run("bidirectional", x, {1, 2}), {3, 2}, x, [](const Dims& i) {
    return Dims{i[0], 0};
  }));
  const Tensor row = test::counting({3});
  CHECK(shows(run_all({.op = "Broadcast", .attributes = {{"mode", std::string("explicit")}}},
                      {row, integers({2, 3, 4}), integers({1})})[0],
              {2, 3, 4}, row, [](const Dims& i) { return Dims{i[1]}; }));
  CHECK(shows(run_all({.op = "Broadcast",
                       .attributes = {{"mode", std::string("pdpd")}, {"axis", std::int64_t{1}}}},
                      {row, integers({2, 3, 4})})[0],
              {2, 3, 4}, row, [](const Dims& i) { return Dims{i[1]}; }));
  CHECK_ERROR(shape, ("[2, 3, 1]", "[3, 1]"), run("pdpd", test::counting({2, 3, 1}), {3, 1}));
  CHECK_ERROR(shape, ("[3, 1]", "[4, 2]"), run("numpy", x, {4, 2}));
  CHECK_ERROR(shape, ("[3, 1]", "[2]"), run("numpy", x, {2}));
  CHECK_ERROR(invalid_argument, ("mode", "'sideways'"), run("sideways", x, {3, 2}));
}

TEST_CASE("Broadcast: a number along an axis of the target", "[graph]") {
  const Tensor x = Tensor::of<float>({}, {7});
  const Tensor out = run_all({.op = "Broadcast", .attributes = {{"mode", std::string("explicit")}}},
                             {x, integers({3, 2}), integers({0})})[0];
  CHECK(shape_of(out) == Dims{3, 2});
  CHECK(test::numbers_of(out) == std::vector<double>(6, 7.0));
  CHECK_ERROR(axis, ("axes_mapping"),
              OperatorRun{.op = "Broadcast",
                          .attributes = {{"mode", std::string("explicit")}},
                          .first_constant = 1}({x, integers({3, 2}), integers({2})}));
}

TEST_CASE("Tile", "[graph]") {
  const Tensor x = test::counting({2, 3});
  const auto tiled = [&](const Bits& repeats) {
    return run_all({.op = "Tile"}, {x, integers(repeats)})[0];
  };
  const From from = [](const Dims& i) { return Dims{i[i.size() - 2] % 2, i[i.size() - 1] % 3}; };
  CHECK(shows(tiled({2, 3}), {4, 9}, x, from));
  CHECK(shows(tiled({2}), {2, 6}, x, from));
  CHECK(shows(tiled({2, 1, 2}), {2, 2, 6}, x, from));
  CHECK(shows(tiled({1, 1}), {2, 3}, x, from));
  CHECK(tiled({0, 1}).numel() == 0);
  CHECK(shape_of(tiled({-1})) == Dims{2, 0});
  CHECK(shape_of(tiled({-2, 1})) == Dims{0, 3});
}
