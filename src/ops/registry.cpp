// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/copy.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/registry.hpp>
#include <weft/ops/softmax.hpp>

#include "base/operation.hpp"
#include "base/text.hpp"
#include "ops/copy_call.hpp"
#include "ops/moving_entries.hpp"
#include "ops/prepare.hpp"
#include "ops/prepare_cumulative.hpp"
#include "ops/prepare_reduce.hpp"
#include "ops/prepare_softmax.hpp"

#include <algorithm>
#include <array>

namespace weft {
inline namespace v0 {
namespace {

// One way to prepare a call for each kind of operation. Running and explaining follow from it.

template <auto op>
auto unary(const OpArguments& args) {
  return prepare(function_of<op>, args.outputs[0], args.inputs[0]);
}
template <auto op>
auto binary(const OpArguments& args) {
  return prepare(function_of<op>, args.outputs[0], args.inputs[0], args.inputs[1]);
}
template <auto op>
auto ternary(const OpArguments& args) {
  return prepare(function_of<op>, args.outputs[0], args.inputs[0], args.inputs[1], args.inputs[2]);
}
template <auto op>
auto scaled(const OpArguments& args) {
  return prepare(function_of<op>, args.outputs[0], args.inputs[0], args.inputs[1], args.inputs[2],
                 args.value);
}
CopyCall copy(const OpArguments& args) { return CopyCall(args.outputs[0], args.inputs[0]); }
ReduceCall norm2(const OpArguments& args) {
  return prepare_norm(args.outputs[0], args.inputs[0], 2, args.axes, {.keepdim = args.keepdim});
}
ReduceCall dot(const OpArguments& args) {
  return prepare_dot(args.outputs[0], args.inputs[0], args.inputs[1]);
}
constexpr ReductionInfo norm2_info{"norm2", kinds::all, ReduceResult::magnitude,
                                   ReduceNeeds::any_number, "norm with p = 2"};

template <Reduction op>
ReduceCall arg_reduction(const OpArguments& args) {
  return prepare_arg(op, args.outputs[0], args.inputs[0], by_name::one_axis(info(op).name, args),
                     args.keepdim);
}

template <CumulativeOp op, void (*function)(const Output&, const Input&, std::int64_t)>
struct Cumulative {
  const OpArguments& args;
  std::int64_t axis() const { return by_name::one_axis(name(op), args).value_or(0); }
  void run() const { function(args.outputs[0], args.inputs[0], axis()); }
  Explanation explain() const {
    const std::int64_t along = axis();
    return with_operation(name(op), [&] {
      const CumulativeKernel& kernel = cumulative_kernel_for(op, args.inputs[0], args.outputs[0]);
      return explain_cumulative(args.outputs[0], args.inputs[0], along, kernel);
    });
  }
};
template <CumulativeOp op, void (*function)(const Output&, const Input&, std::int64_t)>
Cumulative<op, function> cumulative(const OpArguments& args) {
  return {args};
}

template <SoftmaxOp op, void (*function)(const Output&, const Input&, std::int64_t)>
struct Softmax {
  const OpArguments& args;
  static constexpr const char* name = op == SoftmaxOp::softmax ? "softmax" : "log_softmax";
  std::int64_t axis() const { return by_name::one_axis(name, args).value_or(-1); }
  void run() const { function(args.outputs[0], args.inputs[0], axis()); }
  Explanation explain() const {
    const std::int64_t along = axis();
    return with_operation(name, [&] {
      const SoftmaxKernel& kernel = softmax_kernel_for(op, args.inputs[0], args.outputs[0]);
      return explain_softmax(args.outputs[0], args.inputs[0], along, kernel);
    });
  }
};
template <SoftmaxOp op, void (*function)(const Output&, const Input&, std::int64_t)>
Softmax<op, function> softmax_call(const OpArguments& args) {
  return {args};
}

template <auto prepare>
void run(const OpArguments& args) {
  prepare(args).run();
}
template <auto prepare>
Explanation explain(const OpArguments& args) {
  return prepare(args).explain();
}
template <auto prepare>
constexpr OpEntry entry(std::string_view name, int inputs) {
  return {name, inputs, &run<prepare>, &explain<prepare>};
}
template <auto prepare>
constexpr OpEntry line_entry(std::string_view name) {
  OpEntry made = entry<prepare>(name, 1);
  made.takes_axes = true;
  return made;
}
template <auto prepare>
constexpr OpEntry prepared_reduction_entry(const ReductionInfo& function) {
  return {function.name, 1,         &run<prepare>,       &explain<prepare>,
          nullptr,       &function, /*takes_axes=*/true, /*takes_keepdim=*/true};
}
template <auto prepare, auto call = &run<prepare>>
constexpr OpEntry entry(const FunctionInfo& function) {
  return {function.name, function.inputs, call, &explain<prepare>, &function};
}

// Small calls of these families may do without a plan.
template <auto op>
void call_unary(const OpArguments& args) {
  call(function_of<op>, args.outputs[0], args.inputs[0]);
}
template <auto op>
void call_binary(const OpArguments& args) {
  call(function_of<op>, args.outputs[0], args.inputs[0], args.inputs[1]);
}
template <auto op>
void call_ternary(const OpArguments& args) {
  call(function_of<op>, args.outputs[0], args.inputs[0], args.inputs[1], args.inputs[2]);
}
template <Reduction op>
void call_reduction(const OpArguments& args) {
  call(op, args.outputs[0], args.inputs[0], args.axes, {.keepdim = args.keepdim});
}
template <Reduction op>
Explanation explain_call_of(const OpArguments& args) {
  return explain_call(op, args.outputs[0], args.inputs[0], args.axes, {.keepdim = args.keepdim});
}
template <Reduction op>
constexpr OpEntry reduction_entry() {
  return {info(op).name,         1, &call_reduction<op>, &explain_call_of<op>, nullptr, &info(op),
          /*takes_axes=*/true,
          /*takes_keepdim=*/true};
}
void call_copy(const OpArguments& args) { copy_out(args.outputs[0], args.inputs[0]); }
template <auto op>
constexpr OpEntry unary_entry() {
  return entry<unary<op>, &call_unary<op>>(info(op));
}
template <auto op>
constexpr OpEntry binary_entry() {
  return entry<binary<op>, &call_binary<op>>(info(op));
}

constexpr std::array other_entries = {
#define WEFT_UNARY(NAME, ...) unary_entry<UnaryOp::NAME>(),
    WEFT_FOR_EACH_UNARY(WEFT_UNARY)
#define WEFT_BINARY(NAME, ...) binary_entry<BinaryOp::NAME>(),
        WEFT_FOR_EACH_BINARY(WEFT_BINARY)
#define WEFT_COMPARISON(NAME, ...) binary_entry<CompareOp::NAME>(),
            WEFT_FOR_EACH_COMPARISON(WEFT_COMPARISON)
#define WEFT_DIVISION(NAME, ...) entry<binary<DivisionOp::NAME>>(info(DivisionOp::NAME)),
                WEFT_FOR_EACH_DIVISION(WEFT_DIVISION)
#define WEFT_TERNARY(NAME, ...) \
  entry<ternary<TernaryOp::NAME>, &call_ternary<TernaryOp::NAME>>(info(TernaryOp::NAME)),
                    WEFT_FOR_EACH_TERNARY(WEFT_TERNARY)
#define WEFT_SCALED(NAME, ...) entry<scaled<ScaledOp::NAME>>(info(ScaledOp::NAME)),
                        WEFT_FOR_EACH_SCALED(WEFT_SCALED)
#undef WEFT_UNARY
#undef WEFT_BINARY
#undef WEFT_COMPARISON
#undef WEFT_DIVISION
#undef WEFT_TERNARY
#undef WEFT_SCALED
#define WEFT_REDUCTION(NAME, ...) reduction_entry<Reduction::NAME>(),
                            WEFT_FOR_EACH_REDUCTION(WEFT_REDUCTION)
#undef WEFT_REDUCTION
#define WEFT_REDUCTION(NAME, ...) \
  prepared_reduction_entry<arg_reduction<Reduction::NAME>>(info(Reduction::NAME)),
                                WEFT_FOR_EACH_ARG_REDUCTION(WEFT_REDUCTION)
#undef WEFT_REDUCTION
                                    prepared_reduction_entry<norm2>(norm2_info),
    OpEntry{"copy", 1, &call_copy, &explain<copy>},
    entry<dot>("dot", 2),
    line_entry<cumulative<CumulativeOp::cummax, cummax_out>>("cummax"),
    line_entry<cumulative<CumulativeOp::cummin, cummin_out>>("cummin"),
    line_entry<cumulative<CumulativeOp::cumprod, cumprod_out>>("cumprod"),
    line_entry<cumulative<CumulativeOp::cumsum, cumsum_out>>("cumsum"),
    line_entry<cumulative<CumulativeOp::logcumsumexp, logcumsumexp_out>>("logcumsumexp"),
    line_entry<softmax_call<SoftmaxOp::log_softmax, log_softmax_out>>("log_softmax"),
    line_entry<softmax_call<SoftmaxOp::softmax, softmax_out>>("softmax"),
};

constexpr auto entries = [] {
  std::array<OpEntry, other_entries.size() + moving_entries.size()> list;
  std::ranges::copy(moving_entries, std::ranges::copy(other_entries, list.begin()).out);
  std::ranges::sort(list, {}, &OpEntry::name);
  return list;
}();

}  // namespace

std::span<const OpEntry> all_ops() noexcept { return entries; }

const OpEntry& find_op(std::string_view name, const OpArguments& arguments) {
  const auto found = std::ranges::lower_bound(entries, name, {}, &OpEntry::name);
  if (found == entries.end() || found->name != name) {
    fail(ErrorCode::invalid_argument, text("unknown operation '", name, "'"));
  }
  const auto count = [](int number, const char* what) {
    return text(number, ' ', what, number == 1 ? "" : "s");
  };
  const bool any = found->inputs == OpEntry::any_number;
  const auto outputs = static_cast<int>(arguments.outputs.size());
  const auto inputs = static_cast<int>(arguments.inputs.size());
  if (outputs != found->outputs || (any ? inputs == 0 : inputs != found->inputs)) {
    fail(ErrorCode::invalid_argument,
         text(name, ": expected ", count(found->outputs, "output"), " and ",
              any ? "inputs" : count(found->inputs, "input"), ", got ", outputs, " and ", inputs));
  }
  return *found;
}

}  // namespace v0
}  // namespace weft
