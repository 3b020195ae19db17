// SPDX-License-Identifier: Apache-2.0
/// @file
/// Masks for plain calls: the functions and the reductions of the tables with one argument more;
/// and the reductions of what is not NaN, of tensors.
///
///     add_out(out, a, b, Where(mask));           // what the mask leaves out of `out` stays
///     Tensor least = amin(a, Where(mask, 0), 1);  // of what it selects, and of 0
///     Tensor mean = nanmean(a, 1);
///
/// Each of the first is evaluate_out() of masked() (expr/masked.hpp), with the operands and errors
/// of the call without a mask. A result is of the type that the function gives of its operands, and
/// converted to the output's at the end. Nothing is stored to elements that are left out, not even
/// their old value, integers there are not divided by zero, and reductions take them for not being
/// there.
#pragma once

#include <weft/expr/masked.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/function_table.hpp>
#include <weft/ops/reduction_table.hpp>

#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {

/// Which elements count: those where a tensor of bools, which broadcasts to the others, is true. A
/// Tensor is shared, the memory of a view is borrowed. `initial`, a number for reductions, takes
/// part in them as masked() says: `amax` and `amin` need it.
class Where {
 public:
  explicit Where(const TensorView& mask, std::optional<Scalar> initial = std::nullopt)
      : mask_(mask), initial_(std::move(initial)) {}
  explicit Where(const Tensor& mask, std::optional<Scalar> initial = std::nullopt)
      : mask_(mask), initial_(std::move(initial)) {}

  const std::optional<Scalar>& initial() const noexcept { return initial_; }

  /// An argument of a call, as far as it counts; for the time of that call.
  Expr of(const Expr& x) const { return masked(x, mask_, initial_); }
  static Expr borrowed(const Input& x) { return x.number() ? Expr(*x.number()) : Expr(x.view()); }

 private:
  Expr mask_;
  std::optional<Scalar> initial_;
};

// For each line F(NAME, ...) of function_table.hpp but the scaled ones:
//     void NAME_out(const Output& out, const Input& a, ..., const Where& selected);
// `out` is there, and may be an operand, or the mask, in the same layout. Throw Error: dtype (also
// of a mask that is not bool), shape (also of one that does not broadcast to the operands' shape),
// cast, overlap, division, undefined, invalid_argument (an output that would have to be allocated,
// an initial number). Allocate an expression, and its plan the first time.
#define WEFT_DEFINE(NAME, ...)                                                       \
  inline void NAME##_out(const Output& out, const Input& a, const Where& selected) { \
    evaluate_out(out, selected.of(NAME(Where::borrowed(a))));                        \
  }
WEFT_FOR_EACH_UNARY(WEFT_DEFINE)
#undef WEFT_DEFINE

#define WEFT_DEFINE(NAME, ...)                                                    \
  inline void NAME##_out(const Output& out, const Input& a, const Input& b,       \
                         const Where& selected) {                                 \
    evaluate_out(out, selected.of(NAME(Where::borrowed(a), Where::borrowed(b)))); \
  }
WEFT_FOR_EACH_BINARY(WEFT_DEFINE)
WEFT_FOR_EACH_COMPARISON(WEFT_DEFINE)
WEFT_FOR_EACH_DIVISION(WEFT_DEFINE)
#undef WEFT_DEFINE

#define WEFT_DEFINE(NAME, ...)                                                                   \
  inline void NAME##_out(const Output& out, const Input& a, const Input& b, const Input& c,      \
                         const Where& selected) {                                                \
    evaluate_out(out,                                                                            \
                 selected.of(NAME(Where::borrowed(a), Where::borrowed(b), Where::borrowed(c)))); \
  }
WEFT_FOR_EACH_TERNARY(WEFT_DEFINE)
#undef WEFT_DEFINE

/// As copy_out() of ops/copy.hpp, which broadcasts `from` and converts any type to any other.
inline void copy_out(const Output& to, const Input& from, const Where& selected) {
  const TensorView& out = to.view();
  if (!out.defined()) return evaluate_out(to, selected.of(Where::borrowed(from)));
  const TensorView elements = from.view().expand(out.shape());
  evaluate_out(to, selected.of(convert(Expr(elements), out.dtype())));
}

// For each line F(NAME, ...) of reduction_table.hpp of one result, but argmax and argmin:
//     Tensor NAME(const Input& a, const Where& selected, IntSpan axes = {},
//                 const ReduceOptions& options = {});
//     void NAME_out(const Output& out, (the same));
#define WEFT_DEFINE(NAME, ...)                                                         \
  inline Tensor NAME(const Input& a, const Where& selected, IntSpan axes = {},         \
                     const ReduceOptions& options = {}) {                              \
    return evaluate(NAME(selected.of(Where::borrowed(a)), axes, options));             \
  }                                                                                    \
  inline void NAME##_out(const Output& out, const Input& a, const Where& selected,     \
                         IntSpan axes = {}, const ReduceOptions& options = {}) {       \
    reduce_into(out, Reduction::NAME, selected.of(Where::borrowed(a)), axes, options); \
  }
WEFT_FOR_EACH_REDUCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

// For each of nanmean, nanvar, nanstd, nanprod, nanmin, nanmax (masked.hpp):
//     Tensor NAME(const Input& a, IntSpan axes = {}, const ReduceOptions& options = {});
//     void NAME_out(const Output& out, (the same));
#define WEFT_DEFINE(NAME)                                                                    \
  inline Tensor NAME(const Input& a, IntSpan axes = {}, const ReduceOptions& options = {}) { \
    return evaluate(NAME(Where::borrowed(a), axes, options));                                \
  }                                                                                          \
  inline void NAME##_out(const Output& out, const Input& a, IntSpan axes = {},               \
                         const ReduceOptions& options = {}) {                                \
    NAME##_out(out, Where::borrowed(a), axes, options);                                      \
  }
WEFT_FOR_EACH_NAN_REDUCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
