// SPDX-License-Identifier: Apache-2.0
#include <weft/core/promotion.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "engine/elementwise/run_small.hpp"
#include "engine/reduce/small_reduction.hpp"
#include "ops/copy_call.hpp"
#include "ops/elementwise.hpp"
#include "ops/prepare_reduce.hpp"
#include "ops/reduce_axes.hpp"

#include <cstring>
#include <limits>

namespace weft {
inline namespace v0 {
namespace {

void check_kind(const ReductionInfo& function, ScalarType type) {
  if ((function.kinds & kinds::of(type)) == 0) fail_no_kernel(type);
}
void check_input(const ReductionInfo& function, const TensorView& a) {
  if (!a.defined()) fail(ErrorCode::undefined, "input 0: undefined tensor");
  check_kind(function, a.dtype());
}

void check_result(ScalarType result, ScalarType output, int k) {
  if (!can_cast(result, output)) {
    fail(ErrorCode::cast, text("output ", k, ": result type ", name(result),
                               " can't be cast to the output's ", name(output)));
  }
}

void check_not_empty(const ReductionInfo& function, const ReduceAxes& reduced) {
  if (function.needs == ReduceNeeds::any_number || reduced.empty_axis() < 0) return;
  fail(ErrorCode::shape, text("axis ", reduced.empty_axis(),
                              " has extent 0, and there is no result for no elements"));
}

bool is_whole(ScalarType type) noexcept { return is_integer(type) || type == ScalarType::boolean; }

/// The type of the result of elements of type `from`, if nobody asks for another one.
ScalarType result_type(ReduceResult rule, ScalarType from) noexcept {
  const bool whole = is_whole(from);
  switch (rule) {
    case ReduceResult::common: return from;
    case ReduceResult::counted: return whole ? ScalarType::i64 : from;
    case ReduceResult::floating: return whole ? ScalarType::f32 : from;
    case ReduceResult::truth: return ScalarType::boolean;
    case ReduceResult::count: return ScalarType::i64;
    case ReduceResult::magnitude: return whole ? ScalarType::f32 : real_part(from);
  }
  return from;
}

/// The type that elements are reduced in: nothing is lost before the result is rounded to `result`.
/// Real ones are reduced as such, also into a complex result: infinity * (1 + 0i) is not infinity.
ScalarType reduced_type(ReduceResult rule, ScalarType from, ScalarType result) noexcept {
  const bool sums = rule == ReduceResult::counted || rule == ReduceResult::floating ||
                    rule == ReduceResult::magnitude;
  if (!sums || is_whole(from)) return from;
  const ScalarType wide = promote_types(from, result);
  return is_complex(from) ? wide : real_part(wide);
}

ReduceOp kernel_of(Reduction op) noexcept {
  switch (op) {
#define WEFT_CASE(NAME, ...) \
  case Reduction::NAME: return ReduceOp::NAME;
    WEFT_FOR_EACH_REDUCTION(WEFT_CASE)
    WEFT_FOR_EACH_ARG_REDUCTION(WEFT_CASE)
    WEFT_FOR_EACH_PAIR_REDUCTION(WEFT_CASE)
#undef WEFT_CASE
  }
  return ReduceOp::sum;
}
/// The same of what is not NaN.
ReduceOp of_numbers(Reduction op) noexcept {
  switch (op) {
    case Reduction::prod: return ReduceOp::nanprod;
    case Reduction::mean: return ReduceOp::nanmean;
    case Reduction::var: return ReduceOp::nanvar;
    case Reduction::amax: return ReduceOp::nanmax;
    case Reduction::amin: return ReduceOp::nanmin;
    case Reduction::argmax: return ReduceOp::nanargmax;
    default: return ReduceOp::nanargmin;
  }
}

/// The kernel for elements of a type, or of one that they are converted to.
const ReductionKernel* kernel_for(ReduceOp op, ScalarType type) {
  check_compiled(type);
  if (const ReductionKernel* kernel = reduce_kernel(op, type)) return kernel;
  const ScalarType wider = is_whole(type) ? ScalarType::f64 : compute_type(type);
  const ReductionKernel* const kernel = reduce_kernel(op, wider);
  if (kernel == nullptr) fail_no_kernel(is_compiled(wider) ? type : wider);
  return kernel;
}

/// Whether the result of a single element of a type is that element, in the result's type. Not that
/// of bools, which may be other bytes than 0 and 1, nor sums of floating numbers: that of -0 is 0;
/// nor a complex product: infinity * (1 + 0i) is none. Whether it is true is the element as a bool.
bool is_itself(ReduceOp op, ScalarType type, ScalarType result) noexcept {
  const bool counted = is_integer(type) && type != ScalarType::u64;  // results are i64 at first
  switch (op) {
    case ReduceOp::amax:
    case ReduceOp::amin: return type != ScalarType::boolean;
    case ReduceOp::prod: return counted || is_floating(type);
    case ReduceOp::sum:
    case ReduceOp::nansum: return counted;
    case ReduceOp::any:
    case ReduceOp::all: return type != ScalarType::boolean && result == ScalarType::boolean;
    default: return false;
  }
}

/// The number that a kernel is given with so many elements for each result, if it wants one.
std::optional<double> number_of(ReduceOp op, std::int64_t count, const ReduceOptions& options) {
  switch (op) {
    case ReduceOp::mean: return static_cast<double>(count);
    case ReduceOp::var:
    case ReduceOp::std:
    case ReduceOp::var_mean:
    case ReduceOp::std_mean: return options.correction;
    default: return std::nullopt;
  }
}

/// Of the input of a reduction.
struct InputTraits {
  bool linear = false;    ///< reduced elements are counted in row-major order
  bool computed = false;  ///< as prepare_computed() says
};

/// A reduction of one input into one output or two.
ReduceCall prepare_call(const ReductionInfo& function, ReduceOp op, std::span<const Output> outs,
                        const TensorView& a, IntSpan axes, const ReduceOptions& options,
                        InputTraits traits) {
  check_input(function, a);
  const ReduceAxes reduced(a.shape(), axes);
  check_not_empty(function, reduced);
  const ScalarType natural = result_type(function.result, a.dtype());
  ScalarType widest = options.dtype.value_or(natural);
  // Before any output is allocated or replaced.
  for (std::size_t k = 0; k < outs.size(); ++k) {
    const TensorView& out = outs[k].view();
    const ScalarType result = out.defined() ? out.dtype() : options.dtype.value_or(natural);
    check_result(natural, result, static_cast<int>(k));
    if (k == 0) widest = result;
  }
  const ScalarType type = reduced_type(function.result, a.dtype(), widest);
  // The mean of a single number is what its sum is.
  if (op == ReduceOp::mean && reduced.count() == 1 && !is_whole(type)) op = ReduceOp::sum;
  const ReductionKernel* kernel = kernel_for(op, type);
  TensorIteratorConfig config;
  TensorView seen[2];
  Tensor memory[2];
  for (std::size_t k = 0; k < outs.size(); ++k) {
    // An output that is the very input cannot be replaced by a smaller one before it is read.
    const bool fixed = outs[k].tensor() == &a;
    seen[k] = reduced.prepare(fixed ? Output(outs[k].view()) : outs[k], static_cast<int>(k),
                              options.dtype.value_or(natural), options.keepdim, memory[k]);
    config.add_output(seen[k]);
  }
  if (memory[1].defined() && outs[0].tensor() == outs[1].tensor())
    fail(ErrorCode::overlap, "output 1: it shares memory with output 0");
  config.add_input(a).check_all_same_dtype(false).resize_outputs(false);
  config.is_reduction(true).enforce_linear_iteration(traits.linear);
  if (traits.computed) config.set_check_mem_overlap(false);
  ReduceCall call(config, kernel);
  for (std::size_t k = 0; k < outs.size(); ++k)
    call.replaced[k] = replace(outs[k], memory[k]);
  const bool place = op == ReduceOp::argmax || op == ReduceOp::argmin;
  if (!traits.computed && reduced.count() == 1 &&
      (place || is_itself(op, a.dtype(), seen[0].dtype()))) {
    call.single = seen[0];
    if (!place) call.source = a;
  }
  if (const auto number = number_of(op, reduced.count(), options)) call.take(*number);
  return call;
}

/// The kernel that reduces all elements of a few that lie next to each other into an output that is
/// ready for the result, of the types that the kernel itself has, and how many it takes at a time.
struct RowReduction {
  const ReductionKernel* kernel;
  std::int64_t part;  ///< 0 if it is not that simple
};
RowReduction choose_in_row(Reduction op, const TensorView& out, const TensorView& a, IntSpan axes,
                           const ReduceOptions& options) {
  if (!a.defined() || !out.defined() || options.dtype) return {};
  const bool only = a.rank() == 1 && axes.size() == 1 && (axes[0] == 0 || axes[0] == -1);
  if (!axes.empty() && !only) return {};
  if (out.numel() != 1 || out.rank() != (options.keepdim ? a.rank() : 0) || out.read_only() ||
      !a.is_contiguous() || (info(op).kinds & kinds::of(a.dtype())) == 0) {
    return {};
  }
  const ReductionKernel* kernel = reduce_kernel(kernel_of(op), a.dtype());
  if (kernel == nullptr || kernel->types[0] != out.dtype() || kernel->types[1] != a.dtype())
    return {};
  const auto* to = static_cast<const char*>(out.data());
  const auto* from = static_cast<const char*>(a.data());
  if (from < to + out.nbytes() && to < from + a.nbytes()) return {};
  // A single element may be the result itself, and a mean of one number is a sum, as
  // prepare_call() says.
  const bool is_single = a.numel() == 1;
  if (is_single && (op == Reduction::mean || is_itself(kernel_of(op), a.dtype(), out.dtype())))
    return {};
  return {kernel, part_of_few_in_row(*kernel, a.numel())};
}

/// Whether bytes are set to 0 by this thread.
bool is_one_block(const TensorView& out) {
  constexpr std::int64_t small = 256 << 10;  // bytes that no other thread is asked for
  return out.nbytes() <= small && out.is_contiguous();
}

/// Copies as a part of the reduction.
void copy_part(const TensorView& to, const TensorView& from) {
  if (!copy_small(to, from)) CopyCall(to, from).run_as_part();
}

/// One element that is 0, of any type: there all bits are.
TensorView zero_of(ScalarType type) {
  alignas(16) static constexpr char zero[16] = {};
  return TensorView::trusted(zero, type, IntSpan());
}

void write_zeros(const TensorView& out) {
  if (!is_one_block(out)) return copy_part(out, zero_of(out.dtype()));
  if (out.nbytes() > 0) std::memset(out.data(), 0, static_cast<std::size_t>(out.nbytes()));
}

void explain_zeros(const TensorView& out, Explanation::Run& run) {
  if (!is_one_block(out)) {
    run = CopyCall(out, zero_of(out.dtype())).explain_as_part().run;
    return;
  }
  run.form = "filled";
  run.threads = 1;
  run.span = run.tile[0] = out.numel();
  run.tile[1] = run.blocks = 1;
  run.bytes_moved = out.nbytes();
}

void check_vectors(const TensorView& a, const TensorView& b) {
  const TensorView* inputs[] = {&a, &b};
  for (int k = 0; k < 2; ++k) {
    if (!inputs[k]->defined()) fail(ErrorCode::undefined, text("input ", k, ": undefined tensor"));
    if (inputs[k]->dtype() == ScalarType::boolean)
      fail(ErrorCode::dtype, text("input ", k, ": not defined for element type bool"));
    if (inputs[k]->rank() != 1) {
      fail(ErrorCode::shape,
           text("input ", k, ": expected one axis, got shape ", to_string(inputs[k]->shape())));
    }
  }
  if (a.numel() != b.numel()) {
    fail(ErrorCode::shape, text("input 1: expected extent ", a.numel(),
                                " along axis 0, which input 0 has, got ", b.numel()));
  }
}

/// The type that products of elements of a type are added in.
ScalarType dot_type(ScalarType common, ScalarType result) noexcept {
  if (!is_integer(common)) {
    const ScalarType wide = promote_types(common, result);
    return is_complex(common) ? wide : real_part(wide);
  }
  if (!is_integer(result)) return common == ScalarType::u64 ? common : ScalarType::i64;
  return element_size(result) > element_size(common) ? result : common;
}

}  // namespace

void ReduceCall::take(double value) {
  number = value;
  has_number = true;
}

void ReduceCall::run(bool serial) const {
  if (source.defined()) return copy_part(single, source);
  if (single.defined()) return write_zeros(single);
  if (!has_number) return run_reduction(iter, *kernel, {.serial = serial});
  ReductionKernel with_number = *kernel;
  with_number.context = &number;
  run_reduction(iter, with_number, {.serial = serial});
}

Explanation ReduceCall::explain() const {
  Explanation e = explain_reduction(iter, *kernel);
  if (single.defined()) {
    e.operands[0].access = source.defined() ? "copied into" : "filled with 0";
    e.operands[1].access =
        source.defined() ? "copied: one element each" : "not read: one element each";
    if (source.defined()) {
      e.run = CopyCall(single, source).explain_as_part().run;
    } else {
      explain_zeros(single, e.run);
    }
  }
  return e;
}

Explanation ReduceCall::explain_computed(const ComputedRows& computed,
                                         const ReductionKernel* rows) const {
  return explain_computed_reduction(iter, *kernel, computed, {}, rows);
}

ReducedResult result_of(Reduction op, ScalarType type, IntSpan shape, IntSpan axes,
                        const ReduceOptions& options, bool has_initial) {
  return with_operation(info(op).name, [&] {
    check_kind(info(op), type);
    const ReduceAxes reduced(shape, axes);
    if (!has_initial) check_not_empty(info(op), reduced);
    const ScalarType natural = result_type(info(op).result, type);
    const ScalarType result = options.dtype.value_or(natural);
    check_result(natural, result, 0);
    kernel_for(kernel_of(op), reduced_type(info(op).result, type, result));
    return ReducedResult{result, reduced.result_shape(options.keepdim)};
  });
}

ReduceCall prepare(Reduction op, const Output& out, const TensorView& a, IntSpan axes,
                   const ReduceOptions& options) {
  return with_operation(info(op).name, [&] {
    return prepare_call(info(op), kernel_of(op), {&out, 1}, a, axes, options, {});
  });
}

ReduceCall prepare_computed(Reduction op, std::span<const Output> outs,
                            const TensorView& stands_for, IntSpan axes,
                            const ReduceOptions& options) {
  return with_operation(info(op).name, [&] {
    const bool place = op == Reduction::argmax || op == Reduction::argmin;
    return prepare_call(info(op), kernel_of(op), outs, stands_for, axes, options,
                        {.linear = place && axes.empty(), .computed = true});
  });
}

ReduceCall prepare(Reduction op, const Output& first, const Output& second, const TensorView& a,
                   IntSpan axes, const ReduceOptions& options) {
  return with_operation(info(op).name, [&] {
    const Output outs[] = {first, second};
    return prepare_call(info(op), kernel_of(op), outs, a, axes, options, {});
  });
}

void call(Reduction op, const Output& out, const TensorView& a, IntSpan axes,
          const ReduceOptions& options) {
  if (const RowReduction row = choose_in_row(op, out.view(), a, axes, options); row.part != 0) {
    char* const to = static_cast<char*>(out.view().data());
    char* const from = static_cast<char*>(a.data());
    const auto number = number_of(kernel_of(op), a.numel(), options);
    if (!number) return reduce_few_in_row(*row.kernel, to, from, a.numel(), row.part);
    ReductionKernel kernel = *row.kernel;
    kernel.context = &*number;
    reduce_few_in_row(kernel, to, from, a.numel(), row.part);
  } else {
    prepare(op, out, a, axes, options).run();
  }
}

Explanation explain_call(Reduction op, const Output& out, const TensorView& a, IntSpan axes,
                         const ReduceOptions& options) {
  const std::int64_t part = choose_in_row(op, out.view(), a, axes, options).part;
  Explanation e = prepare(op, out, a, axes, options).explain();
  if (part == 0) return e;
  e.operands[0].access = "reduced into, all at once";
  e.operands[1].access = "direct";
  e.run.form = "one-row";
  e.run.threads = 1;
  e.run.span = part;
  e.run.tile[1] = a.numel();
  e.run.tile[0] = e.run.blocks = 1;
  return e;
}

namespace {

constexpr ReductionInfo norm_info{"norm", kinds::all, ReduceResult::magnitude,
                                  ReduceNeeds::any_number, ""};

ReduceOp norm_op(double p) noexcept {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return p == 0           ? ReduceOp::count_nonzero
         : p == 1         ? ReduceOp::norm1
         : p == 2         ? ReduceOp::norm2
         : p == infinity  ? ReduceOp::norm_inf
         : p == -infinity ? ReduceOp::norm_minus_inf
                          : ReduceOp::norm_p;
}

}  // namespace

ReduceCall prepare_norm(const Output& out, const TensorView& a, double p, IntSpan axes,
                        const ReduceOptions& options) {
  const ReduceOp op = norm_op(p);
  return with_operation(norm_info.name, [&] {
    ReduceCall call = prepare_call(norm_info, op, {&out, 1}, a, axes, options, {});
    if (op == ReduceOp::norm_p) call.take(p);
    return call;
  });
}

KernelChoice kernel_of_norm(double p, ScalarType from, std::optional<ScalarType> result,
                            bool& takes_p) {
  const ReduceOp op = norm_op(p);
  takes_p = op == ReduceOp::norm_p;
  const ScalarType natural = result_type(norm_info.result, from);
  const ScalarType to = result.value_or(natural);
  check_result(natural, to, 0);
  return {kernel_for(op, reduced_type(norm_info.result, from, to)), to};
}

KernelChoice kernel_of_numbers(Reduction op, ScalarType from, std::optional<ScalarType> result) {
  const ScalarType to = result.value_or(from);
  check_result(from, to, 0);
  return {kernel_for(of_numbers(op), reduced_type(info(op).result, from, to)), to};
}

KernelChoice kernel_of_dot(ScalarType a, ScalarType b) {
  const ScalarType common = promote_types(a, b);
  check_compiled(dot_type(common, common));
  return {reduce_kernel(ReduceOp::dot, dot_type(common, common)), common};
}

const ReductionKernel& kernel_of_place(Reduction op, ScalarType type) {
  check_kind(info(op), type);
  return *kernel_for(kernel_of(op), type);
}
const ReductionKernel& kernel_of_number_place(Reduction op, ScalarType type) {
  return is_floating(type) ? *kernel_for(of_numbers(op), type) : kernel_of_place(op, type);
}

ReduceCall prepare_dot(const Output& out, const TensorView& a, const TensorView& b) {
  return with_operation("dot", [&] {
    check_vectors(a, b);
    const ScalarType common = promote_types(a.dtype(), b.dtype());
    const ScalarType result = out.view().defined() ? out.view().dtype() : common;
    check_result(common, result, 0);
    check_compiled(dot_type(common, result));
    const bool fixed = out.tensor() == &a || out.tensor() == &b;
    Tensor memory;
    const TensorView seen =
        ReduceAxes(a.shape(), {})
            .prepare(fixed ? Output(out.view()) : out, 0, common, false, memory);
    TensorIteratorConfig config;
    config.add_output(seen).add_input(a).add_input(b);
    config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true);
    ReduceCall call(config, reduce_kernel(ReduceOp::dot, dot_type(common, result)));
    call.replaced[0] = replace(out, memory);
    return call;
  });
}

ReduceCall prepare_arg(Reduction op, const Output& out, const TensorView& a,
                       std::optional<std::int64_t> axis, bool keepdim) {
  return with_operation(info(op).name, [&] {
    return prepare_call(info(op), kernel_of(op), {&out, 1}, a, axis ? IntSpan{*axis} : IntSpan{},
                        {.keepdim = keepdim}, {.linear = !axis});
  });
}

namespace {

// Not in every function: a prepared call holds an iterator, and destroying one is long.
Tensor result(Reduction op, const Input& a, IntSpan axes, const ReduceOptions& options) {
  Tensor out;
  prepare(op, out, a.view(), axes, options).run();
  return out;
}
void call_arg(Reduction op, const Output& out, const Input& a, std::optional<std::int64_t> axis,
              bool keepdim) {
  prepare_arg(op, out, a.view(), axis, keepdim).run();
}
void call_pair(Reduction op, const Output& first, const Output& second, const Input& a,
               IntSpan axes, const ReduceOptions& options) {
  prepare(op, first, second, a.view(), axes, options).run();
}

}  // namespace

#define WEFT_DEFINE(NAME, ...)                                                                     \
  Tensor NAME(const Input& a, IntSpan axes, const ReduceOptions& options) {                        \
    return result(Reduction::NAME, a, axes, options);                                              \
  }                                                                                                \
  void NAME##_out(const Output& out, const Input& a, IntSpan axes, const ReduceOptions& options) { \
    call(Reduction::NAME, out, a.view(), axes, options);                                           \
  }
WEFT_FOR_EACH_REDUCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

#define WEFT_DEFINE(NAME, ...)                                                         \
  Tensor NAME(const Input& a, std::optional<std::int64_t> axis, bool keepdim) {        \
    Tensor out;                                                                        \
    call_arg(Reduction::NAME, out, a, axis, keepdim);                                  \
    return out;                                                                        \
  }                                                                                    \
  void NAME##_out(const Output& out, const Input& a, std::optional<std::int64_t> axis, \
                  bool keepdim) {                                                      \
    call_arg(Reduction::NAME, out, a, axis, keepdim);                                  \
  }
WEFT_FOR_EACH_ARG_REDUCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

#define WEFT_DEFINE(NAME, ...)                                                                 \
  std::pair<Tensor, Tensor> NAME(const Input& a, IntSpan axes, const ReduceOptions& options) { \
    std::pair<Tensor, Tensor> out;                                                             \
    call_pair(Reduction::NAME, out.first, out.second, a, axes, options);                       \
    return out;                                                                                \
  }                                                                                            \
  void NAME##_out(const Output& first, const Output& second, const Input& a, IntSpan axes,     \
                  const ReduceOptions& options) {                                              \
    call_pair(Reduction::NAME, first, second, a, axes, options);                               \
  }
WEFT_FOR_EACH_PAIR_REDUCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

Tensor norm(const Input& a, double p, IntSpan axes, const ReduceOptions& options) {
  Tensor out;
  norm_out(out, a, p, axes, options);
  return out;
}
void norm_out(const Output& out, const Input& a, double p, IntSpan axes,
              const ReduceOptions& options) {
  prepare_norm(out, a.view(), p, axes, options).run();
}

Tensor dot(const Input& a, const Input& b) {
  Tensor out;
  dot_out(out, a, b);
  return out;
}
void dot_out(const Output& out, const Input& a, const Input& b) {
  prepare_dot(out, a.view(), b.view()).run();
}

}  // namespace v0
}  // namespace weft
