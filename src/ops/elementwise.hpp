// SPDX-License-Identifier: Apache-2.0
/// @file
/// What all elementwise functions share: an iterator and the kernel to run over it.
#pragma once

#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/function_table.hpp>

#include "base/internal_api.hpp"
#include "base/text.hpp"
#include "core/compiled_types.hpp"
#include "engine/elementwise/run_small.hpp"
#include "ops/function.hpp"

#include <span>
#include <string_view>

namespace weft {
inline namespace v0 {

/// An elementwise function about to run.
struct Elementwise {
  // A constructor, because compilers clear an aggregate of this size before they fill it.
  explicit Elementwise(const TensorIteratorConfig& config) : iter(config.build()) {}

  TensorIterator iter;
  const SpanKernel* kernel = nullptr;

  void run() const { run_spans(iter, *kernel); }
  Explanation explain() const { return explain_run(iter, *kernel); }
};

/// Throws Error(undefined) that names the operation for a view that is undefined: what it was
/// allocated for would be lost.
inline TensorIteratorConfig& add_output(TensorIteratorConfig& config, const Output& out,
                                        std::string_view operation) {
  if (out.tensor() == nullptr && !out.view().defined())
    fail(ErrorCode::undefined, text(operation, ": output 0: undefined tensor"));
  return out.tensor() != nullptr ? config.add_output(*out.tensor()) : config.add_output(out.view());
}

/// The type in which an operation on `type` computes: f32 for the 16-bit floating types.
inline ScalarType compute_type(ScalarType type) noexcept {
  return is_floating(type) && element_size(type) == 2 ? ScalarType::f32 : type;
}

/// The type of the parts of complex numbers; real types as they are.
inline ScalarType real_part(ScalarType type) noexcept {
  if (type == ScalarType::c64) return ScalarType::f32;
  return type == ScalarType::c128 ? ScalarType::f64 : type;
}

/// Throws Error(dtype) if the function is not defined, or not compiled, for the common type of
/// these inputs.
void check_common_type(const FunctionInfo& function, std::span<const TensorView* const> inputs);

/// Throws Error(cast) if a result of `type` cannot become an output that is there.
void check_result_type(const FunctionInfo& function, ScalarType type, const Output& out);

/// Sets a function's name and rules of type.
inline void set_type_rules(TensorIteratorConfig& config, const FunctionInfo& function,
                           const Output& out) {
  config.set_operation(function.name).promote_inputs_to_common_dtype(true);
  if (function.result == ResultRule::truth) {
    if (!out.view().defined()) config.declare_static_dtype(ScalarType::boolean);
    return;
  }
  config.promote_integer_inputs_to_float(function.result == ResultRule::floating);
  config.cast_common_dtype_to_outputs(true).enforce_safe_casting_to_output(true);
}

/// Runs a kernel without a plan if there is nothing to plan: no more elements than one thread has
/// to itself, all operands defined, row-major and of one shape, or numbers, the output of the
/// kernel's own type, inputs of types that become the kernel's by promotion, the output writable
/// and either an input or without overlap with any. False, with nothing done, if it is not that
/// simple, or a strategy is forced.
bool run_dense(const SpanKernel& kernel, const TensorView& out,
               std::span<const TensorView* const> inputs);

/// Calls a function of the table into `out`.
template <class Op, class... Views>
void run_function(const Function<Op>& called, const Output& out, const TensorView& first,
                  const Views&... others) {
  // Inputs of one type compute in it, except integers whose result is floating. Numbers have no
  // say.
  const FunctionInfo& function = called.info();
  const TensorView* typed = function.result == ResultRule::chosen ? nullptr : &first;
  ((typed = typed == nullptr || typed->is_weak_scalar() ? &others : typed), ...);
  ScalarType type = typed->dtype();
  [[maybe_unused]] const auto meet = [&](const TensorView& other) {
    if (other.dtype() != type && !other.is_weak_scalar()) type = promote_types(type, other.dtype());
  };
  (meet(others), ...);
  const Kinds kind = kinds::of(type);
  if (function.accepts(kind) &&
      (function.result != ResultRule::floating || (kind & kinds::integral) == 0)) {
    const SpanKernel* kernel = called.kernel(type);
    const TensorView* const inputs[] = {&first, &others...};
    if (kernel != nullptr &&
        (run_dense(*kernel, out.view(), inputs) || run_small(*kernel, out.view(), inputs))) {
      return;
    }
  }
  prepare(called, out, first, others...).run();
}

/// Plans a call of a function of the table: config, iterator, kernel.
template <class Call = Elementwise, class Op, class... Views>
Call prepare_function(const Function<Op>& called, const Output& out, const Views&... inputs) {
  const FunctionInfo& function = called.info();
  Kinds kind = 0;
  ((kind = kinds::of(inputs.dtype()) > kind ? kinds::of(inputs.dtype()) : kind), ...);
  // Known before an output is allocated or replaced. (Integers alone can have a floating common
  // type: u64 with i64.)
  if (!all_types_are_compiled || !function.accepts(kind) || !function.accepts(kinds::floating)) {
    const TensorView* list[] = {&inputs...};
    check_common_type(function, list);
  }
  TensorIteratorConfig config;
  add_output(config, out, function.name);
  (config.add_input(inputs), ...);
  set_type_rules(config, function, out);
  Call call(config);
  const ScalarType type = call.iter.input_dtype();
  call.kernel = called.kernel(type);
  if (call.kernel == nullptr) call.kernel = called.kernel(compute_type(type));
  if (call.kernel == nullptr) fail_no_kernel(type, function.name);
  return call;
}

}  // namespace v0
}  // namespace weft
