// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions from a struct of four functions.
#pragma once

#include <weft/base/export.hpp>
#include <weft/kernel/detail/reduction_loops.hpp>
#include <weft/kernel/masked_op.hpp>
#include <weft/kernel/reduction_kernel.hpp>
#include <weft/kernel/scalar_math.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The ReductionKernel of a reduction struct; refers to op.
template <bool Indexed = false, class Op>
constexpr ReductionKernel reduction_kernel(const Op& op) {
  return ReductionLoops<Op, Indexed>::kernel(op);
}
/// The same of masked(op): the last input is the mask.
template <bool Indexed = false, class Op>
constexpr ReductionKernel reduction_kernel(const Masked<Op>& op) {
  return ReductionLoops<Op, Indexed, true>::kernel(op.op);
}

/// Throws Error for a reduction that wants a mask of an iterator that has none.
template <class Op>
void check_reduction(const TensorIterator& iter, const Op&) {
  if constexpr (is_masked<Op>) check_mask(iter);
}
/// As is_reduction_struct, of a struct or a masked one.
template <class Op, bool Indexed = false>
constexpr bool is_reduction() {
  if constexpr (is_masked<Op>) {
    return is_reduction_struct<decltype(Op::op), Indexed, true>();
  } else {
    return is_reduction_struct<Op, Indexed, false>();
  }
}

/// The accumulator of a struct, or of a masked one.
template <class Op>
struct AccumulatorOf {
  using Type = typename AccumulateOf<Op>::Accumulator;
};
template <class Op>
struct AccumulatorOf<Masked<Op>> : AccumulatorOf<Op> {};

/// Whether a struct can leave accumulators of type Acc; if not, one line says why.
template <class Op, class Acc>
constexpr bool leaves_accumulators() {
  if constexpr (!is_reduction<Op>()) {
    return false;
  } else {
    constexpr bool is_own = std::is_same_v<Acc, typename AccumulatorOf<Op>::Type>;
    static_assert(is_own, "accumulators are of the type of accumulate's first parameter");
    return is_own;
  }
}

/// Reduces with a struct of const member functions. Acc is any trivially copyable type that has a
/// default constructor and can be assigned to; a struct of two to four numbers alone has them as
/// members of its own, not of a base or a union.
///
///     struct SumOfSquares {
///       double identity() const { return 0; }
///       double accumulate(double acc, float x) const { return acc + double(x) * x; }
///       double combine(double a, double b) const { return a + b; }
///       float project(double acc) const { return float(acc); }
///     };
///     auto iter = weft::TensorIterator::reduce_op(out, a);  // out: extent 1 where it reduces
///     weft::cpu_reduce(iter, SumOfSquares{});
///
/// accumulate takes one element of each input; combine must be associative and commutative; with
/// several outputs project returns a std::tuple. Optional: `bool done(Acc) const`, true if nothing
/// can change the accumulator any more, which stops early.
///
/// An accumulate of one template, `V accumulate(V acc, V x) const`, is of the type of the identity,
/// float or double, throughout. If <weft/kernel/vectorized_math.hpp> is included before, it is
/// called with Vectorized values, and with single ones for what is left at the end of a row.
///
/// Of masked(op), the iterator's last input is a mask: elements that it leaves out are not there.
///
/// How elements are grouped, what is staged and thrown, and why results do not depend on threads:
/// run_reduction.
/// @param grain  least elements a thread gets; 0 leaves it to the engine
template <class Op>
void cpu_reduce(const TensorIterator& iter, const Op& op, std::int64_t grain = 0) {
  if constexpr (is_reduction<Op>()) {
    check_reduction(iter, op);
    run_reduction(iter, reduction_kernel(op), {.grain = grain});
  }
}

/// The parts of cpu_reduce, for elements that are not all in one place: cpu_partial leaves an
/// accumulator for each output element, op.combine joins those of several parts, and cpu_finalize
/// projects them. `accumulators` are of the struct's own type, iter.num_output_elements() of them;
/// their order and what may be combined: run_partial_reduction.
template <class Op, class Acc>
void cpu_partial(const TensorIterator& iter, const Op& op, Acc* accumulators,
                 std::int64_t grain = 0) {
  if constexpr (leaves_accumulators<Op, Acc>()) {
    check_reduction(iter, op);
    run_partial_reduction(iter, reduction_kernel(op), accumulators, {.grain = grain});
  }
}
template <class Op, class Acc>
void cpu_finalize(const TensorIterator& iter, const Op& op, const Acc* accumulators) {
  if constexpr (leaves_accumulators<Op, Acc>()) {
    check_reduction(iter, op);
    finalize_reduction(iter, reduction_kernel(op), accumulators);
  }
}

/// As cpu_reduce, with accumulate(acc, x..., std::int64_t index) told where an element stands among
/// those reduced into its output (see ReductionKernel for the order).
template <class Op>
void cpu_reduce_indexed(const TensorIterator& iter, const Op& op, std::int64_t grain = 0) {
  if constexpr (is_reduction<Op, true>()) {
    check_reduction(iter, op);
    run_reduction(iter, reduction_kernel<true>(op), {.grain = grain});
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
