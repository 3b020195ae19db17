// SPDX-License-Identifier: Apache-2.0
/// @file
/// Kernels and reduction structs of which a mask selects the elements that count.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// What masked() makes: a function, a function object or a reduction struct, to be called for what
/// a mask selects.
template <class Op>
struct Masked {
  Op op;
};

template <class T>
inline constexpr bool is_masked = false;
template <class Op>
inline constexpr bool is_masked<Masked<Op>> = true;

/// A kernel for cpu_kernel and cpu_kernel_multiple_outputs, or a struct for cpu_reduce and its kin,
/// of iterators whose last input is a mask: a bool operand of any layout that broadcasts.
///
///     auto iter = config.add_output(out).add_input(a).add_input(mask).build();
///     weft::cpu_kernel(iter, weft::masked([](float x) -> float { return std::sqrt(x); }));
///
/// Nothing is stored to elements of outputs that the mask leaves out, not even their old value:
/// threads whose masks have no element in common may write to one output. A kernel may be called
/// for elements that are left out, and its results dropped: it has to be a function of its
/// arguments that nothing stops, such as a division of integers by zero. with_cost() and generic
/// lambdas go inside.
///
/// A reduction takes elements that are left out for not being there: their accumulator stays as it
/// is. accumulate may be called for them, and its result dropped; one that is a template is called
/// with single numbers. identity, combine, project and done are the struct's. Its iterator converts
/// no input to a common type, of which the mask would be one: such a reduction is an Error(cast).
template <class Op>
constexpr Masked<std::decay_t<Op>> masked(Op&& op) {
  return {std::forward<Op>(op)};
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
