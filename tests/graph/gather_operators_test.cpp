// SPDX-License-Identifier: Apache-2.0
// Gather, ScatterUpdate, ReverseSequence, Range, Softmax, each against plain loops.
#include "graph/operator_run.hpp"
#include "support/errors.hpp"

#include <cmath>

namespace {

using test::Dims;
using test::integer;
using test::integers;
using test::OperatorRun;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

using Numbers = std::vector<double>;

Dims shape_of(const TensorView& view) { return {view.shape().begin(), view.shape().end()}; }

Tensor indexes(const Dims& shape, const std::vector<std::int32_t>& values) {
  Tensor tensor = Tensor::empty(shape, ScalarType::i32);
  std::copy(values.begin(), values.end(), tensor.data_as<std::int32_t>());
  return tensor;
}

}  // namespace

TEST_CASE("Gather", "[graph]") {
  const Tensor x = test::counting({2, 4, 3});
  const OperatorRun gather{.op = "Gather", .first_constant = 2};
  const Tensor picked = gather({x, indexes({2, 2}, {3, 0, -1, 1}), integer(1)})[0];
  CHECK(shape_of(picked) == Dims{2, 2, 2, 3});
  CHECK(picked.at<float>({1, 0, 0, 2}) == x.at<float>({1, 3, 2}));
  CHECK(picked.at<float>({0, 1, 0, 1}) == x.at<float>({0, 3, 1}));
  CHECK(picked.at<float>({1, 1, 1, 0}) == x.at<float>({1, 1, 0}));
  const OperatorRun batched{
      .op = "Gather", .attributes = {{"batch_dims", std::int64_t{1}}}, .first_constant = 2};
  const Tensor rows = batched({x, indexes({2, 1}, {2, -4}), integer(1)})[0];
  CHECK(shape_of(rows) == Dims{2, 1, 3});
  CHECK(test::numbers_of(rows) == Numbers{6, 7, 8, 12, 13, 14});
  // A constant index is a view; an index computed is not.
  for (const std::size_t constants : {1, 2}) {
    const OperatorRun one{.op = "Gather", .first_constant = constants};
    CHECK(test::numbers_of(one({x, integer(-1), integer(2)})[0]) ==
          Numbers{2, 5, 8, 11, 14, 17, 20, 23});
  }
  // So is the axis a constant, or computed.
  const OperatorRun turned{.op = "Gather"};
  for (const std::int64_t axis : {0, 1, -1}) {
    const Tensor indices = indexes({1, 2}, {1, -1});
    const Tensor out = turned({x, indices, integer(axis)})[0];
    const OperatorRun fixed{.op = "Gather", .first_constant = 2};
    const Tensor wanted = fixed({x, indices, integer(axis)})[0];
    CHECK(shape_of(out) == shape_of(wanted));
    CHECK(test::numbers_of(out) == test::numbers_of(wanted));
  }
  CHECK_ERROR(axis, ("Gather 'it'", "axis", "got 3"), turned({x, integer(0), integer(3)}));
  const OperatorRun older{.op = "Gather", .attributes = {{"axis", std::int64_t{0}}}};
  CHECK(shape_of(older({x, indexes({3}, {1, 1, 0})})[0]) == Dims{3, 4, 3});
  CHECK_ERROR(dtype, ("indices"), gather({x, test::counting({2}), integer(1)}));
  CHECK_ERROR(axis, ("axis", "got 3"), gather({x, integer(0), integer(3)}));
  CHECK_ERROR(shape, ("batch_dims"), batched({x, indexes({3, 1}, {0, 0, 0}), integer(1)}));
}

TEST_CASE("Gather: zeros for indexes out of range", "[graph]") {
  const Tensor x = Tensor::of<float>({5}, {1, 2, 3, 4, 5});
  const Tensor rows = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  for (const std::size_t constants : {1, 2, 9}) {
    const OperatorRun gather{.op = "Gather", .opset = 8, .first_constant = constants};
    CHECK(test::numbers_of(gather({x, integers({3, 10, -20, 5, -5, -6}), integer(0)})[0]) ==
          Numbers{4, 0, 0, 0, 1, 0});
    CHECK(test::numbers_of(gather({x, integer(5), integer(0)})[0]) == Numbers{0});
    CHECK(test::numbers_of(gather({rows, integers({2, 1}), integer(0)})[0]) == Numbers{0, 0, 3, 4});
    CHECK(test::numbers_of(gather({rows, integers({-3, 1}), integer(1)})[0]) ==
          Numbers{0, 2, 0, 4});
  }
}

TEST_CASE("GatherElements, ScatterElementsUpdate: elements along lines", "[graph]") {
  const Tensor x = test::counting({3, 4});  // 0, 1, ...
  const Tensor indices = indexes({2, 4}, {2, 0, -1, 1, 0, 2, 1, 1});
  const OperatorRun gather{.op = "GatherElements", .attributes = {{"axis", std::int64_t{0}}}};
  CHECK(test::numbers_of(gather({x, indices})[0]) == Numbers{8, 1, 10, 7, 0, 9, 6, 7});
  CHECK(test::numbers_of(gather({x.transpose(0, 1), indexes({1, 3}, {3, -4, 0})})[0]) ==
        Numbers{3, 4, 8});
  const Tensor updates = Tensor::of<float>({2, 4}, {20, 21, 22, 23, 24, 25, 26, 27});
  for (const std::size_t constants : {3, 4}) {
    const OperatorRun scatter{.op = "ScatterElementsUpdate", .first_constant = constants};
    CHECK(test::numbers_of(scatter({x, indices, updates, integer(-2)})[0]) ==
          Numbers{24, 21, 2, 3, 4, 5, 26, 27, 20, 25, 22, 11});
    const OperatorRun add{.op = "ScatterElementsUpdate",
                          .attributes = {{"reduction", "sum"}},
                          .first_constant = constants};
    CHECK(test::numbers_of(add({x, indices, updates, integer(0)})[0]) ==
          Numbers{24, 22, 2, 3, 4, 5, 32, 57, 28, 34, 32, 11});
  }
  CHECK_ERROR(axis, ("GatherElements 'it'", "index", "7"),
              gather({x, indexes({1, 4}, {0, 7, 0, 0})}));
  CHECK_ERROR(shape, ("GatherElements 'it'", "input 1 (indices)", "got [2]"),
              gather({x, indexes({2}, {0, 0})}));
  const OperatorRun scatter{.op = "ScatterElementsUpdate"};
  CHECK_ERROR(axis, ("input 3 (axis)", "got 2"), scatter({x, indices, updates, integer(2)}));
  CHECK_ERROR(shape, ("input 3 (axis)", "expected one integer, got 2"),
              scatter({x, indices, updates, integers({0, 0})}));
  CHECK_ERROR(shape, ("input 2 (updates)", "expected [2, 4]", "got [4]"),
              scatter({x, indices, Tensor::zeros({4}, ScalarType::f32), integer(0)}));
  CHECK_ERROR(dtype, ("input 2", "expected f32", "got i64"),
              scatter({x, indices, Tensor::zeros({2, 4}, ScalarType::i64), integer(0)}));
  const OperatorRun product{.op = "ScatterElementsUpdate", .attributes = {{"reduction", "prod"}}};
  CHECK_ERROR(invalid_argument, ("reduction", "none or sum", "prod"),
              product({x, indices, updates, integer(0)}));
  const OperatorRun from_nothing{.op = "ScatterElementsUpdate",
                                 .attributes = {{"reduction", "sum"}, {"use_init_val", "false"}}};
  CHECK_ERROR(invalid_argument, ("use_init_val"), from_nothing({x, indices, updates, integer(0)}));
}

TEST_CASE("ScatterUpdate", "[graph]") {
  const Tensor x = test::counting({2, 4});
  const OperatorRun scatter{.op = "ScatterUpdate", .first_constant = 3};
  const Tensor updates = Tensor::of<float>({2, 2}, {100, 101, 102, 103});
  const Tensor out = scatter({x, integers({3, -3}), updates, integer(1)})[0];
  CHECK(test::numbers_of(out) == Numbers{0, 101, 2, 100, 4, 103, 6, 102});
  CHECK(test::numbers_of(scatter({x, integer(1), test::counting({4}), integer(0)})[0]) ==
        Numbers{0, 1, 2, 3, 0, 1, 2, 3});
  const OperatorRun turned{.op = "ScatterUpdate"};  // the axis computed
  CHECK(test::numbers_of(turned({x, integers({3, -3}), updates, integer(-1)})[0]) ==
        Numbers{0, 101, 2, 100, 4, 103, 6, 102});
  CHECK_ERROR(axis, ("axis", "got 2"), turned({x, integers({3, 1}), updates, integer(2)}));
  CHECK_ERROR(shape, ("updates", "expected [2, 2]", "got [2, 4]"),
              turned({x, integers({3, 1}), test::counting({2, 4}), integer(1)}));
  CHECK_ERROR(shape, ("axis", "one integer", "got 0"),
              turned({x, integers({3, 1}), updates, integers({})}));
  CHECK_ERROR(shape, ("axis", "one integer", "got 2"),
              turned({x, integers({3, 1}), updates, integers({1, 0})}));
  CHECK_ERROR(shape, ("updates", "[2, 2]"),
              scatter({x, integers({3, 1}), test::counting({2, 3}), integer(1)}));
  CHECK_ERROR(axis, ("index 4"), scatter({x, integers({4, 1}), updates, integer(1)}));
}

TEST_CASE("ReverseSequence", "[graph]") {
  const Tensor x = test::counting({2, 3, 2});
  const OperatorRun plain{.op = "ReverseSequence"};
  CHECK(test::numbers_of(plain({x, indexes({2}, {2, 3})})[0]) ==
        Numbers{2, 3, 0, 1, 4, 5, 10, 11, 8, 9, 6, 7});
  const OperatorRun turned{
      .op = "ReverseSequence",
      .attributes = {{"batch_axis", std::int64_t{1}}, {"seq_axis", std::int64_t{0}}}};
  CHECK(test::numbers_of(turned({x, indexes({3}, {0, 1, 2})})[0]) ==
        Numbers{0, 1, 2, 3, 10, 11, 6, 7, 8, 9, 4, 5});
  CHECK_ERROR(invalid_argument, ("seq_lengths", "got 4"), plain({x, indexes({2}, {4, 0})}));
  CHECK_ERROR(shape, ("seq_lengths", "[2]"), plain({x, indexes({3}, {1, 1, 1})}));
}

TEST_CASE("Range", "[graph]") {
  const auto range = [](const Tensor& start, const Tensor& stop, const Tensor& step,
                        const char* type, std::size_t constants) {
    return OperatorRun{.op = "Range",
                       .attributes = {{"output_type", std::string(type)}},
                       .first_constant = constants}({start, stop, step})[0];
  };
  for (const std::size_t constants : {0, 9}) {
    const Tensor up = range(integer(2), integer(9), integer(3), "i32", constants);
    CHECK(up.dtype() == ScalarType::i32);
    CHECK(test::numbers_of(up) == Numbers{2, 5, 8});
    CHECK(test::numbers_of(range(integer(3), integer(0), integer(-1), "i64", constants)) ==
          Numbers{3, 2, 1});
    CHECK(range(integer(3), integer(0), integer(1), "i64", constants).numel() == 0);
    const auto number = [](double value) { return Tensor::of<double>({}, {value}); };
    CHECK(test::numbers_of(range(number(0.5), number(2), number(0.5), "f64", constants)) ==
          Numbers{0.5, 1, 1.5});
    // Inputs are converted to an integer type first.
    const auto single = [](float value) { return Tensor::of<float>({}, {value}); };
    const Tensor bytes = range(single(1.2F), single(11.3F), single(1.6F), "u8", constants);
    CHECK(bytes.dtype() == ScalarType::u8);
    CHECK(test::numbers_of(bytes) == Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    CHECK(test::numbers_of(range(number(2.9), number(-1.9), number(-1.9), "i32", constants)) ==
          Numbers{2, 1, 0});
    // Beyond what f64 counts.
    const std::int64_t large = std::int64_t{1} << 53;
    CHECK(range(integer(large), integer(large + 3), integer(1), "i64", constants).numel() == 3);
    CHECK(range(integer(large), integer(large + 1), integer(1), "i64", constants).numel() == 1);
    CHECK(range(integer(-large - 1), integer(-large - 4), integer(-2), "i64", constants).numel() ==
          2);
    CHECK_ERROR(invalid_argument, ("step"),
                range(number(0), number(3), number(0.5), "i64", constants));
    CHECK_ERROR(invalid_argument, ("step"),
                range(integer(3), integer(0), integer(0), "i64", constants));
  }
}

TEST_CASE("Softmax", "[graph]") {
  for (const ScalarType type :
       {ScalarType::f32, ScalarType::f64, ScalarType::f16, ScalarType::bf16}) {
    const double error = type == ScalarType::f64 ? 1e-14 : type == ScalarType::f32 ? 1e-6 : 8e-3;
    const Tensor x = test::counting({2, 3, 4}, type);
    for (int axis = -3; axis < 3; ++axis) {
      const OperatorRun run{.op = "SoftMax", .attributes = {{"axis", std::int64_t{axis}}}};
      const Tensor out = run({x})[0];
      const Numbers in = test::numbers_of(x), got = test::numbers_of(out);
      const auto at = static_cast<std::size_t>(axis < 0 ? axis + 3 : axis);
      std::size_t flat = 0;
      test::for_each_index({2, 3, 4}, [&](const Dims& index) {
        double sum = 0;
        Dims other = index;
        for (other[at] = 0; other[at] < x.extent(axis); ++other[at])
          sum += std::exp(in[static_cast<std::size_t>(x.element_offset(other))] - in[flat]);
        CHECK(std::fabs(got[flat] - 1 / sum) < error);
        ++flat;
      });
    }
  }
  CHECK_ERROR(dtype, ("input 0"), OperatorRun{.op = "Softmax"}({integers({1, 2})}));
  CHECK_ERROR(axis, ("attribute 'axis'"), OperatorRun{.op = "Softmax"}({test::counting({3})}));
}
