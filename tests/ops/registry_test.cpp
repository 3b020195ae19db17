// SPDX-License-Identifier: Apache-2.0
// The operations by name: what there is, that each runs as the function of its name, and explains
// itself.
#include <weft/ops/copy.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/registry.hpp>
#include <weft/ops/softmax.hpp>
#include <weft/ops/sorting.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/function_list.hpp"
#include "support/plain_ops.hpp"
#include "support/reduction_list.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

namespace {

using test::Dims;
using test::Memory;
using weft::OpArguments;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

using Inputs = std::vector<TensorView>;
using Function = std::function<Tensor(const Inputs&)>;

/// What runs by name has one output.
bool has_one_result(weft::Reduction op) {
  switch (op) {
#define WEFT_CASE(NAME, ...) case weft::Reduction::NAME:
    WEFT_FOR_EACH_PAIR_REDUCTION(WEFT_CASE)
#undef WEFT_CASE
    return false;
    default: return true;
  }
}

/// The function of each name, reductions and prefix sums along axis 1.
const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> map = [] {
    std::map<std::string, Function> all = {
        {"copy", [](const Inputs& in) { return weft::contiguous(in[0]); }},
        {"cummax", [](const Inputs& in) { return weft::cummax(in[0], 1).values; }},
        {"cummin", [](const Inputs& in) { return weft::cummin(in[0], 1).values; }},
        {"cumprod", [](const Inputs& in) { return weft::cumprod(in[0], 1); }},
        {"dot", [](const Inputs& in) { return weft::dot(in[0], in[1]); }},
        {"cumsum", [](const Inputs& in) { return weft::cumsum(in[0], 1); }},
        {"logcumsumexp", [](const Inputs& in) { return weft::logcumsumexp(in[0], 1); }},
        {"log_softmax", [](const Inputs& in) { return weft::log_softmax(in[0], 1); }},
        {"softmax", [](const Inputs& in) { return weft::softmax(in[0], 1); }},
        {"sort", [](const Inputs& in) { return weft::sort(in[0], 1); }},
        {"argsort", [](const Inputs& in) { return weft::argsort(in[0], 1); }},
        {"norm2", [](const Inputs& in) { return weft::norm(in[0], 2, {1}); }},
    };
    for (const test::Function& f : test::all_functions())
      all[f.name()] = f.make;
    for (const test::ReductionCall& r : test::all_reductions()) {
      if (!has_one_result(r.op)) continue;
      all[r.info().name] = [&r](const Inputs& in) { return r.make(in[0], 1); };
    }
    return all;
  }();
  return map;
}

/// Of how many axes the inputs are.
int input_rank(const weft::OpEntry& entry) { return entry.name == "dot" ? 1 : 2; }

/// A type that the operation takes as its k-th input: f32 where that is one.
ScalarType input_type(const weft::OpEntry& entry, int k) {
  if (entry.function == nullptr || entry.function->accepts(weft::kinds::floating)) {
    const bool chooses =
        entry.function != nullptr && entry.function->result == weft::ResultRule::chosen;
    return chooses && k == 0 ? ScalarType::boolean : ScalarType::f32;
  }
  return entry.function->accepts(weft::kinds::integers) ? ScalarType::i32 : ScalarType::c64;
}

OpArguments arguments(const std::vector<TensorView>& outputs, const Inputs& inputs) {
  OpArguments args;
  args.outputs = outputs;
  args.inputs = inputs;
  return args;
}

}  // namespace

TEST_CASE("registry: every operation, once, in alphabetical order", "[ops]") {
  std::vector<std::string> names;
  for (const weft::OpEntry& entry : weft::all_ops()) {
    names.emplace_back(entry.name);
    CHECK(entry.run != nullptr);
    CHECK(entry.explain != nullptr);
  }
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  names.clear();
  for (const weft::OpEntry& entry : test::plain_ops()) {
    names.emplace_back(entry.name);
    CHECK(entry.inputs >= 1);
    CHECK(entry.outputs == 1);
  }
  std::vector<std::string> wanted;
  for (const auto& [name, function] : functions())
    wanted.push_back(name);
  // One that is new here, and not from the function table, wants a line in the map above.
  CHECK(names == wanted);
}

TEST_CASE("registry: running by name is calling the function", "[ops]") {
  WEFT_RANDOM(random);
  for (const weft::OpEntry& entry : test::plain_ops()) {
    const std::string name(entry.name);
    INFO(name);
    if (functions().count(name) == 0) continue;
    for (int round = 0; round < test::rounds(20); ++round) {
      Dims shape = {random.integer(1, 9), random.integer(1, 30)};
      shape.resize(static_cast<std::size_t>(input_rank(entry)));
      std::vector<Memory> memories;
      Inputs inputs;
      for (int k = 0; k < entry.inputs; ++k) {
        memories.push_back(
            test::random_memory(random, input_type(entry, k), test::random_layout(random, shape)));
        inputs.push_back(memories.back().view());
      }
      const Tensor want = functions().at(name)(inputs);
      const Memory out = test::random_output(random, want.dtype(), test::dims(want.shape()));
      // In which order softmax adds up follows from the layouts, the output's among them.
      const bool by_layout = name.ends_with("softmax");
      const Tensor alike = functions().at(name)(inputs);
      const TensorView to = by_layout ? TensorView(alike) : out.view();
      if (by_layout) weft::fill_out(to, 7);
      const std::vector<TensorView> outputs = {to};
      OpArguments args = arguments(outputs, inputs);
      if (entry.takes_axes) args.axes = {1};
      args.value = test::scaled_by;
      const weft::OpEntry& found = weft::find_op(name, args);
      CHECK(found.name == entry.name);
      found.run(args);
      CHECK(test::difference(to, test::dense_copy(want)) == "");

      const weft::Explanation e = found.explain(args);
      CHECK(e.operands.size() == static_cast<std::size_t>(entry.inputs) + 1);
      CHECK(e.has_run);
      CHECK(e.run.threads >= 1);
      CHECK(e.run.blocks >= 1);
      CHECK(e.run.bytes_moved > 0);
      CHECK((e.run.strategy == weft::Strategy::automatic) == !e.run.form.empty());
      CHECK(!e.run.instruction_set.empty());
      for (const auto& operand : e.operands)
        CHECK(!operand.access.empty());
      CHECK(e.to_text().find("input 0") != std::string::npos);
      CHECK(e.to_json().front() == '{');
    }
  }
}

TEST_CASE("registry: the forms of reductions", "[ops]") {
  const auto run_of = [](const char* name, const Dims& out, const Dims& in, bool keepdim = false) {
    const Tensor to = Tensor::zeros(out, ScalarType::f32),
                 from = Tensor::zeros(in, ScalarType::f32);
    const std::vector<TensorView> outputs = {to};
    const Inputs inputs = {from};
    OpArguments args = arguments(outputs, inputs);
    args.axes = {0};
    args.keepdim = keepdim;
    return weft::find_op(name, args).explain(args).run;
  };
  CHECK(run_of("sum", {}, {100}).form == "one-row");
  CHECK(run_of("sum", {}, {100}).to_text() == "one-row, 1 thread, 404 bytes moved");
  CHECK(run_of("sum", {20}, {30, 20}).form == "few-columns");
  CHECK(run_of("sum", {2000}, {300, 2000}).form == "columns");
  CHECK(run_of("sum", {}, {1'000'000}).form == "spans");
  // Of one element each: a copy, or zeros.
  CHECK(run_of("amax", {20}, {1, 20}).how() == "at-once");
  Tensor places = Tensor::zeros({20}, ScalarType::i64);
  const Tensor one = Tensor::zeros({1, 20}, ScalarType::f32);
  const std::vector<TensorView> outputs = {places};
  const Inputs inputs = {one};
  OpArguments args = arguments(outputs, inputs);
  args.axes = {0};
  CHECK(weft::find_op("argmax", args).explain(args).run.form == "filled");
}

TEST_CASE("registry: explaining changes nothing", "[ops]") {
  const Tensor a = Tensor::full({4, 5}, ScalarType::f32, 2);
  const Tensor out = Tensor::full({4, 5}, ScalarType::f32, 7);
  const std::vector<TensorView> outputs = {out};
  const Inputs inputs = {a, a};
  const OpArguments args = arguments(outputs, inputs);
  weft::find_op("add", args).explain(args);
  CHECK(test::difference(out, test::dense_copy(Tensor::full({4, 5}, ScalarType::f32, 7))) == "");
}

TEST_CASE("registry: numbers, axes, kept axes", "[ops]") {
  const auto a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor out = Tensor::zeros({2, 3}, ScalarType::f32);
  const weft::Scalar two(2);
  {
    const std::vector<TensorView> outputs = {out};
    const Inputs inputs = {a, two.view()};
    const OpArguments args = arguments(outputs, inputs);
    weft::find_op("mul", args).run(args);
    CHECK(out.at<float>({1, 2}) == 12);
  }
  const Tensor total = Tensor::zeros({1, 1}, ScalarType::f32);
  {
    const std::vector<TensorView> outputs = {total};
    const Inputs inputs = {a};
    OpArguments args = arguments(outputs, inputs);
    args.keepdim = true;
    weft::find_op("sum", args).run(args);
    CHECK(total.at<float>({0, 0}) == 21);
    args.axes = {0, 1};
    weft::find_op("amax", args).run(args);
    CHECK(total.at<float>({0, 0}) == 6);
    CHECK_ERROR(axis, ("argmax", "one axis"), weft::find_op("argmax", args).run(args));
  }
}

TEST_CASE("registry: errors", "[ops]") {
  const Tensor a = Tensor::full({3}, ScalarType::f32, 1);
  const std::vector<TensorView> one = {a};
  const std::vector<TensorView> two = {a, a};
  const OpArguments args = arguments(one, two);
  CHECK_ERROR(invalid_argument, ("'subtract'"), weft::find_op("subtract", args));
  CHECK_ERROR(invalid_argument, ("''"), weft::find_op("", args));
  CHECK_ERROR(invalid_argument, ("'Add'"), weft::find_op("Add", args));
  CHECK_ERROR(invalid_argument, ("neg", "1 input", "2"), weft::find_op("neg", args));
  CHECK_ERROR(invalid_argument, ("where", "3 inputs"), weft::find_op("where", args));
  CHECK_ERROR(invalid_argument, ("add", "1 output", "2 and 2"),
              weft::find_op("add", arguments(two, two)));
  CHECK_ERROR(invalid_argument, ("add", "0 and 2"), weft::find_op("add", arguments({}, two)));
  OpArguments far = arguments(one, one);
  for (const char* name : {"cumsum", "cummax", "softmax", "log_softmax"}) {
    far.axes = {0, 0};
    CHECK_ERROR(axis, (std::string(name) + ": ", "one axis"), weft::find_op(name, far).run(far));
    CHECK_ERROR(axis, (std::string(name) + ": ", "one axis"),
                weft::find_op(name, far).explain(far));
    far.axes = {7};
    CHECK_ERROR(axis, (std::string(name) + ": axis 7"), weft::find_op(name, far).run(far));
    CHECK_ERROR(axis, (std::string(name) + ": axis 7"), weft::find_op(name, far).explain(far));
  }
  const std::vector<TensorView> undefined = {TensorView()};
  const OpArguments nowhere = arguments(undefined, two);
  CHECK_ERROR(undefined, ("sum", "output 0"),
              weft::find_op("sum", arguments(undefined, one)).run(arguments(undefined, one)));
}

TEST_CASE("registry: sort and argsort tell how lines are had", "[ops]") {
  const Tensor a = Tensor::zeros({60, 100}, ScalarType::f32);
  const auto told = [](const char* name, const TensorView& out, const TensorView& in,
                       std::int64_t axis) {
    const std::vector<TensorView> outputs = {out};
    const Inputs inputs = {in};
    OpArguments args = arguments(outputs, inputs);
    args.axes = {axis};
    return weft::find_op(name, args).explain(args);
  };
  const Tensor same = Tensor::empty({60, 100}, ScalarType::f32);
  const weft::Explanation rows = told("sort", same, a, 1);
  CHECK(rows.run.form == "lines");
  CHECK(rows.run.span == 100);
  CHECK(rows.run.bytes_moved == 2 * 60 * 100 * 4);
  CHECK(rows.common_shape == weft::DimVector{60, 100});
  CHECK(rows.operands[1].shape == weft::DimVector{60, 100});
  const weft::Explanation columns = told("sort", same, a, 0);
  CHECK(columns.run.form == "gathered-lines");
  CHECK(columns.run.span == 60);
  CHECK(columns.run.tile[0] * columns.run.blocks >= 100);
  const Tensor wide = Tensor::empty({60, 100}, ScalarType::f64);
  CHECK(told("sort", wide, a, -1).run.form == "gathered-lines");
  const Tensor places = Tensor::empty({60, 100}, ScalarType::i64);
  CHECK(told("argsort", places, a, 1).run.form == "lines");
  CHECK(told("argsort", places, a, 1).run.bytes_moved == 60 * 100 * 12);
  // Threads share a line where they outnumber them.
  const Tensor line = Tensor::zeros({1 << 20}, ScalarType::i32);
  const Tensor sorted = Tensor::empty({1 << 20}, ScalarType::i32);
  test::for_thread_counts([&](int threads) {
    CHECK(told("sort", sorted, line, 0).run.threads <= threads);
    CHECK((threads < 2 || told("sort", sorted, line, 0).run.threads > 1));
  });
  const Tensor none = Tensor::zeros({3, 0}, ScalarType::f32);
  CHECK(told("sort", none.clone(), none, 0).run.how() == "nothing");
  CHECK_ERROR(axis, ("sort", "2"), told("sort", same, a, 2));
  CHECK_ERROR(shape, ("argsort", "[60, 100]"), told("argsort", none, a, 1));
  const Tensor truth = Tensor::empty({60, 100}, ScalarType::boolean);
  CHECK_ERROR(cast, ("argsort", "i64", "bool"), told("argsort", truth, a, 1));
}
