// SPDX-License-Identifier: Apache-2.0
// Operands that start 1 to 7 bytes beside where their type would like to: the same results.
#include <weft/ops/registry.hpp>

#include "support/naive_functions.hpp"
#include "support/plain_ops.hpp"
#include "support/reduction_list.hpp"
#include "support/shifted.hpp"

#include <algorithm>

namespace {

using test::Dims;
using test::Shifted;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// A type that the operation takes, as near to `type` as may be.
ScalarType input_type(const weft::OpEntry& op, ScalarType type) {
  if (op.function == nullptr || op.function->accepts(weft::kinds::floating)) return type;
  if (op.function->accepts(weft::kinds::integers))
    return weft::element_size(type) == 2 ? ScalarType::i16 : ScalarType::i64;
  return ScalarType::c64;
}
bool is_condition(const weft::OpEntry& op, int input) {
  return input == 0 && op.function != nullptr && op.function->result == weft::ResultRule::chosen;
}

ScalarType result_type(const weft::OpEntry& op, ScalarType type) {
  if (op.function != nullptr) return test::result_type(*op.function, type);
  if (op.name == "argsort") return ScalarType::i64;
  return op.reduction != nullptr ? test::result_type(*op.reduction, type) : type;
}

}  // namespace

TEST_CASE("unaligned: every operation", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const weft::OpEntry& op : test::plain_ops()) {
    for (const ScalarType wanted : {ScalarType::f16, ScalarType::f32, ScalarType::f64}) {
      const ScalarType type = input_type(op, wanted);
      for (int round = 0; round < test::rounds(30); ++round) {
        Dims shape = {random.integer(1, 40), random.integer(1, 40)};
        if (op.name == "dot") shape.pop_back();
        std::vector<Shifted> shifted;
        std::vector<Tensor> aligned;
        for (int k = 0; k < op.inputs; ++k) {
          shifted.emplace_back(random, is_condition(op, k) ? ScalarType::boolean : type,
                               test::random_layout(random, shape), random.integer(1, 7));
          aligned.push_back(Tensor::copy_of(shifted.back().view()));
        }
        weft::OpArguments args;
        Dims result_shape = op.name == "dot" ? Dims{} : shape;
        if (op.reduction != nullptr || op.name == "cumsum") {
          const std::int64_t axis = random.integer(0, 1);
          args.axes = {axis};
          if (op.name != "cumsum") result_shape.erase(result_shape.begin() + axis);
        }
        const ScalarType result = result_type(op, type);
        const Shifted out(random, result,
                          test::random_layout(random, result_shape, {.zero = false}),
                          random.integer(1, 7));
        const Tensor plain = Tensor::empty(result_shape, result);
        const auto run = [&](const TensorView& to, const auto& from) {
          std::vector<TensorView> inputs;
          for (const auto& input : from)
            inputs.push_back(input);
          args.outputs = {&to, 1};
          args.inputs = inputs;
          op.run(args);
        };
        std::vector<TensorView> views;
        for (const Shifted& s : shifted)
          views.push_back(s.view());
        const test::Watch watch = out.watch();
        run(out.view(), views);
        run(plain, aligned);
        // A sum's order, and so its last bits, may follow the layout.
        using weft::ReduceResult;
        const bool ordered =
            op.name.ends_with("softmax") || op.name == "dot" ||
            (op.reduction != nullptr && (op.reduction->result == ReduceResult::counted ||
                                         op.reduction->result == ReduceResult::floating ||
                                         op.reduction->result == ReduceResult::magnitude));
        const std::string wrong =
            ordered ? "" : test::difference(out.view(), test::dense_copy(plain));
        tally.check(wrong.empty() && watch.gaps_untouched(), [&](auto& text) {
          test::describe(text << op.name << " into ", out.view()) << ": " << wrong;
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("unaligned: sums", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(200); ++round) {
    const Dims shape = {random.integer(1, 60), random.integer(1, 60)};
    const test::Layout layout = test::random_layout(random, shape);
    const Shifted a(random, ScalarType::f32, layout, random.integer(1, 7));
    // The same elements in the same layout, aligned.
    const test::Memory b(ScalarType::f32, layout);
    std::copy_n(static_cast<const std::byte*>(a.view().data()) - layout.origin * 4, b.size_bytes(),
                b.data());
    const std::int64_t axis = random.integer(0, 1);
    const Dims result_shape = {shape[static_cast<std::size_t>(1 - axis)]};
    const Tensor x = Tensor::empty(result_shape, ScalarType::f32);
    const Tensor y = Tensor::empty(result_shape, ScalarType::f32);
    weft::OpArguments args;
    args.axes = {axis};
    const TensorView outputs[] = {x, y};
    const TensorView inputs[] = {a.view(), b.view()};
    for (std::size_t i = 0; i < 2; ++i) {
      args.outputs = {outputs + i, 1};
      args.inputs = {inputs + i, 1};
      weft::find_op("sum", args).run(args);
    }
    const std::string wrong = test::difference(x, test::dense_copy(y));
    tally.check(wrong.empty(), [&](auto& text) { test::describe(text, a.view()) << wrong; });
  }
  CHECK_TALLY(tally);
}
