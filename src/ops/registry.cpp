// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/cumulative.hpp>
#include <weft/ops/registry.hpp>

#include "base/text.hpp"
#include "ops/copy.hpp"
#include "ops/prepare.hpp"
#include "ops/prepare_cumulative.hpp"
#include "ops/prepare_reduce.hpp"

#include <algorithm>

namespace weft::inline v0 {
namespace {

// One way to prepare a call for each kind of operation. Running and explaining follow from it.

template <BinaryOp op>
Elementwise binary(const OpArguments& args) {
  return prepare_binary(op, args.outputs[0], args.inputs[0], args.inputs[1]);
}
template <CompareOp op>
Elementwise compare(const OpArguments& args) {
  return prepare_compare(op, args.outputs[0], args.inputs[0], args.inputs[1]);
}
template <UnaryOp op>
Elementwise unary(const OpArguments& args) {
  return prepare_unary(op, args.outputs[0], args.inputs[0]);
}
Elementwise where(const OpArguments& args) {
  return prepare_where(args.outputs[0], args.inputs[0], args.inputs[1], args.inputs[2]);
}
CopyCall copy(const OpArguments& args) { return CopyCall(args.outputs[0], args.inputs[0]); }
ReduceCall sum(const OpArguments& args) {
  return prepare_sum(args.outputs[0], args.inputs[0], args.axes, {.keepdim = args.keepdim});
}
ReduceCall amax(const OpArguments& args) {
  return prepare_amax(args.outputs[0], args.inputs[0], args.axes, {.keepdim = args.keepdim});
}

std::optional<std::int64_t> one_axis(std::string_view operation, const OpArguments& args) {
  if (args.axes.size() > 1) {
    fail(ErrorCode::axis, text(operation, ": expected one axis, got ", to_string(args.axes)));
  }
  return args.axes.empty() ? std::nullopt : std::optional(args.axes[0]);
}
ReduceCall argmax(const OpArguments& args) {
  return prepare_argmax(args.outputs[0], args.inputs[0], one_axis("argmax", args), args.keepdim);
}

struct CumSum {
  const OpArguments& args;
  std::int64_t axis() const { return one_axis("cumsum", args).value_or(0); }
  void run() const { cumsum_out(args.outputs[0], args.inputs[0], axis()); }
  Explanation explain() const {
    return explain_cumulative(args.outputs[0], args.inputs[0], axis(),
                              cumsum_kernel_for(args.inputs[0], args.outputs[0]));
  }
};
CumSum cumsum(const OpArguments& args) { return {args}; }

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

constexpr OpEntry entries[] = {
    entry<unary<UnaryOp::abs>>("abs", 1),
    entry<binary<BinaryOp::add>>("add", 2),
    entry<amax>("amax", 1),
    entry<argmax>("argmax", 1),
    entry<copy>("copy", 1),
    entry<cumsum>("cumsum", 1),
    entry<binary<BinaryOp::div>>("div", 2),
    entry<compare<CompareOp::eq>>("eq", 2),
    entry<unary<UnaryOp::exp>>("exp", 1),
    entry<compare<CompareOp::ge>>("ge", 2),
    entry<compare<CompareOp::gt>>("gt", 2),
    entry<compare<CompareOp::le>>("le", 2),
    entry<compare<CompareOp::lt>>("lt", 2),
    entry<binary<BinaryOp::mul>>("mul", 2),
    entry<compare<CompareOp::ne>>("ne", 2),
    entry<unary<UnaryOp::neg>>("neg", 1),
    entry<unary<UnaryOp::sqrt>>("sqrt", 1),
    entry<binary<BinaryOp::sub>>("sub", 2),
    entry<sum>("sum", 1),
    entry<where>("where", 3),
};
static_assert(std::ranges::is_sorted(entries, {}, &OpEntry::name));

}  // namespace

std::span<const OpEntry> all_ops() noexcept { return entries; }

const OpEntry& find_op(std::string_view name, const OpArguments& arguments) {
  const auto* found = std::ranges::lower_bound(entries, name, {}, &OpEntry::name);
  if (found == std::end(entries) || found->name != name) {
    fail(ErrorCode::invalid_argument, text("unknown operation '", name, "'"));
  }
  if (arguments.outputs.size() != 1 ||
      arguments.inputs.size() != static_cast<std::size_t>(found->inputs)) {
    fail(ErrorCode::invalid_argument,
         text(name, ": expected 1 output and ", found->inputs, " inputs, got ",
              arguments.outputs.size(), " and ", arguments.inputs.size()));
  }
  return *found;
}

}  // namespace weft::inline v0
