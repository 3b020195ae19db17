// SPDX-License-Identifier: Apache-2.0
#include <weft/core/promotion.hpp>
#include <weft/iter/overlap.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/masked_lines.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "engine/axis/along_axis.hpp"
#include "ops/elementwise.hpp"
#include "ops/prepare_cumulative.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

bool is_total(CumulativeOp op) { return op <= CumulativeOp::logcumsumexp; }

/// One output of a call that is about to run.
struct Planned {
  Planned(CumulativeOp op, const Output& given, const TensorView& in, std::int64_t axis)
      : out(given),
        kernel(cumulative_kernel_for(op, in, given.view())),
        type(given.view().defined() ? given.view().dtype()
                                    : cumulative_result_type(op, in.dtype())),
        replaces(
            given.tensor() != nullptr &&
            !(given.view().defined() && std::ranges::equal(given.view().shape(), in.shape()))) {
    normalize_axis(axis, in.rank());
    if (replaces && !can_cast(kernel.types[0], type)) {
      fail(ErrorCode::cast, text("output 0: result type ", weft::name(kernel.types[0]),
                                 " can't be cast to the output's ", weft::name(type)));
    }
  }

  /// What run() checks, for calls that write something before they run it. There once.
  [[gnu::noinline]] void check(const TensorView& in, std::int64_t axis) const {
    if (!replaces) plan_along_axis(out.view(), in, axis, kernel.types[0], kernel.types[1]);
  }
  /// `replaced` may hold the input, so it has to live until that has been read.
  void allocate(IntSpan shape, Tensor& replaced) const {
    if (replaces) replaced = std::exchange(*out.tensor(), Tensor::empty(shape, type));
  }

  const Output& out;
  const CumulativeKernel& kernel;
  ScalarType type;
  bool replaces;
};

void run(const Planned& planned, const TensorView& in, std::int64_t axis) {
  Tensor replaced;
  planned.allocate(in.shape(), replaced);
  run_cumulative(planned.out.view(), in, axis, planned.kernel);
}

void run(CumulativeOp op, const Output& out, const Input& a, std::int64_t axis) {
  with_operation(name(op), [&] {
    const TensorView in = a.view();
    run(Planned(op, out, in, axis), in, axis);
  });
}

void run_both(CumulativeOp op, CumulativeOp index_op, const Output& values, const Output& indices,
              const Input& a, std::int64_t axis) {
  with_operation(name(op), [&] {
    const TensorView in = a.view();
    const Planned value_call(op, values, in, axis), index_call(index_op, indices, in, axis);
    value_call.check(in, axis);
    index_call.check(in, axis);
    const TensorView &v = values.view(), &i = indices.view();
    if (!index_call.replaces && overlap(i, in) != Overlap::none)
      fail(ErrorCode::overlap, "output 1: it shares memory with input 0");
    if (!value_call.replaces && !index_call.replaces && overlap(v, i) != Overlap::none)
      fail(ErrorCode::overlap, "output 1: it shares memory with output 0");
    Tensor replaced_values, replaced_indices;
    value_call.allocate(in.shape(), replaced_values);
    index_call.allocate(in.shape(), replaced_indices);
    // The values last: they may be written over the input.
    run_cumulative(i, in, axis, index_call.kernel);
    run_cumulative(v, in, axis, value_call.kernel);
  });
}

Tensor allocating(CumulativeOp op, const Input& a, std::int64_t axis,
                  std::optional<ScalarType> dtype) {
  Tensor out;
  if (dtype && a.view().defined()) out = Tensor::empty(a.view().shape(), *dtype);
  run(op, out, a, axis);
  return out;
}

}  // namespace

ScalarType cumulative_result_type(CumulativeOp op, ScalarType type) noexcept {
  const bool whole = is_integer(type) || type == ScalarType::boolean;
  switch (op) {
    case CumulativeOp::cumsum:
    case CumulativeOp::cumprod:
    case CumulativeOp::nancumsum: return whole ? ScalarType::i64 : type;
    case CumulativeOp::logcumsumexp: return whole ? ScalarType::f32 : type;
    case CumulativeOp::cummax:
    case CumulativeOp::cummin: return type;
    case CumulativeOp::cummax_index:
    case CumulativeOp::cummin_index: return ScalarType::i64;
  }
  return type;
}

const char* name(CumulativeOp op) {
  switch (op) {
    case CumulativeOp::cumsum: return "cumsum";
    case CumulativeOp::cumprod: return "cumprod";
    case CumulativeOp::nancumsum: return "nancumsum";
    case CumulativeOp::logcumsumexp: return "logcumsumexp";
    case CumulativeOp::cummax:
    case CumulativeOp::cummax_index: return "cummax";
    case CumulativeOp::cummin:
    case CumulativeOp::cummin_index: return "cummin";
  }
  return "";
}

const CumulativeKernel& cumulative_kernel_for(CumulativeOp op, const TensorView& a,
                                              const TensorView& out) {
  if (!a.defined()) fail(ErrorCode::undefined, "input 0: undefined tensor");
  const CumulativeKernel* kernel = nullptr;
  ScalarType type = a.dtype();
  if (is_total(op)) {
    type = cumulative_result_type(op, a.dtype());
    check_compiled(type);
    // In the output's type, if that is wider and the function is defined for it.
    if (type != ScalarType::i64 && out.defined()) {
      ScalarType wide = promote_types(type, out.dtype());
      if (!is_complex(type)) wide = real_part(wide);  // as reductions
      check_compiled(wide);
      kernel = running_total_kernel(op, compute_type(wide));
    }
    if (kernel == nullptr) kernel = running_total_kernel(op, compute_type(type));
  } else {
    check_compiled(type);
    kernel = running_extreme_kernel(op, type);
  }
  if (kernel == nullptr) fail_no_kernel(a.dtype());
  return *kernel;
}

#define WEFT_DEFINE(NAME)                                                           \
  Tensor NAME(const Input& a, std::int64_t axis, std::optional<ScalarType> dtype) { \
    return allocating(CumulativeOp::NAME, a, axis, dtype);                          \
  }                                                                                 \
  void NAME##_out(const Output& out, const Input& a, std::int64_t axis) {           \
    run(CumulativeOp::NAME, out, a, axis);                                          \
  }
WEFT_DEFINE(cumsum)
WEFT_DEFINE(cumprod)
WEFT_DEFINE(nancumsum)
WEFT_DEFINE(logcumsumexp)
#undef WEFT_DEFINE

#define WEFT_DEFINE(NAME)                                                               \
  ValuesAndIndices NAME(const Input& a, std::int64_t axis) {                            \
    ValuesAndIndices out;                                                               \
    NAME##_out(out.values, out.indices, a, axis);                                       \
    return out;                                                                         \
  }                                                                                     \
  void NAME##_out(const Output& values, const Input& a, std::int64_t axis) {            \
    run(CumulativeOp::NAME, values, a, axis);                                           \
  }                                                                                     \
  void NAME##_out(const Output& values, const Output& indices, const Input& a,          \
                  std::int64_t axis) {                                                  \
    run_both(CumulativeOp::NAME, CumulativeOp::NAME##_index, values, indices, a, axis); \
  }
WEFT_DEFINE(cummax)
WEFT_DEFINE(cummin)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
