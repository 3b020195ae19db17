// SPDX-License-Identifier: Apache-2.0
#include <weft/core/promotion.hpp>
#include <weft/ops/masked_positions.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "ops/mask_operand.hpp"
#include "ops/place_kernel.hpp"
#include "ops/prepare_reduce.hpp"
#include "ops/reduce_axes.hpp"

namespace weft {
inline namespace v0 {
namespace {

using Axis = std::optional<std::int64_t>;

/// `mask` may be null: then NaN is what is left out.
void run(const char* operation, Reduction op, const Output& out, const Input& given,
         const TensorView* given_mask, Axis axis, bool keepdim) {
  with_operation(operation, [&] {
    // An output that is the very input cannot be replaced before that is read.
    const bool fixed = out.tensor() == &given.view() || out.tensor() == given_mask;
    const TensorView a = given.view();
    if (!a.defined()) fail(ErrorCode::undefined, "input 0: undefined tensor");
    std::optional<PlaceKernel> selected;
    if (given_mask != nullptr) selected.emplace(op, a.dtype());
    const ReductionKernel& kernel =
        selected ? selected->kernel() : kernel_of_number_place(op, a.dtype());
    TensorView mask;
    if (given_mask != nullptr) mask = mask_under(a.shape(), *given_mask);
    const ReduceAxes reduced(a.shape(), axis ? IntSpan{*axis} : IntSpan{});
    if (reduced.empty_axis() >= 0) {
      fail(ErrorCode::shape, text("axis ", reduced.empty_axis(),
                                  " has extent 0, and there is no result for no elements"));
    }
    const TensorView& there = out.view();
    if (there.defined() && !can_cast(ScalarType::i64, there.dtype())) {
      fail(ErrorCode::cast,
           text("output 0: result type i64 can't be cast to the output's ", name(there.dtype())));
    }
    if (there.defined() && is_unsigned_integer(there.dtype())) {
      fail(ErrorCode::cast, text("output 0: result type i64, where -1 is that there is none, can't "
                                 "be cast to the output's ",
                                 name(there.dtype())));
    }
    Tensor memory;
    const TensorView seen = reduced.prepare(fixed && there.defined() ? Output(there) : out, 0,
                                            ScalarType::i64, keepdim, memory);
    TensorIteratorConfig config;
    config.add_output(seen).add_input(a);
    if (mask.defined()) config.add_input(mask);
    config.check_all_same_dtype(false).resize_outputs(false);
    config.is_reduction(true).enforce_linear_iteration(!axis);
    const TensorIterator iter = config.build();
    const std::shared_ptr<void> replaced = replace(out, memory);  // the input may lie in it
    run_reduction(iter, kernel);
  });
}

}  // namespace

#define WEFT_DEFINE(NAME)                                                                        \
  Tensor masked_##NAME(const Input& a, const TensorView& mask, Axis axis, bool keepdim) {        \
    Tensor out;                                                                                  \
    masked_##NAME##_out(out, a, mask, axis, keepdim);                                            \
    return out;                                                                                  \
  }                                                                                              \
  void masked_##NAME##_out(const Output& out, const Input& a, const TensorView& mask, Axis axis, \
                           bool keepdim) {                                                       \
    run("masked_" #NAME, Reduction::NAME, out, a, &mask, axis, keepdim);                         \
  }                                                                                              \
  Tensor nan##NAME(const Input& a, Axis axis, bool keepdim) {                                    \
    Tensor out;                                                                                  \
    nan##NAME##_out(out, a, axis, keepdim);                                                      \
    return out;                                                                                  \
  }                                                                                              \
  void nan##NAME##_out(const Output& out, const Input& a, Axis axis, bool keepdim) {             \
    run("nan" #NAME, Reduction::NAME, out, a, nullptr, axis, keepdim);                           \
  }
WEFT_DEFINE(argmax)
WEFT_DEFINE(argmin)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
