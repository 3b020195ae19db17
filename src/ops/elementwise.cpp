// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

#include <weft/core/promotion.hpp>

#include "base/text.hpp"
#include "core/compiled_types.hpp"
#include "engine/elementwise/converted_line.hpp"
#include "engine/grain.hpp"
#include "machine/tuning.hpp"

namespace weft {
inline namespace v0 {

namespace {

/// Inputs of a call without a plan, at most: all functions have fewer.
constexpr std::size_t max_plain_inputs = 4;

/// Elements for which a second thread is not asked, if all operands are of the kernel's types.
std::int64_t max_for_one_thread(const SpanKernel& kernel) {
  std::int64_t bytes = 0;
  for (int k = 0; k < kernel.noutputs + kernel.ninputs; ++k)
    bytes += element_size(kernel.types[k]);
  return least_elements_a_thread(kernel.cost, bytes, 0);
}

/// A line of which some inputs are converted. Not inline, or all calls would get its frame.
[[gnu::noinline]] void run_converted(const SpanKernel& kernel, const ScalarType* types,
                                     char* const* data, std::uint32_t broadcast, std::int64_t n) {
  TypeChanges changes;
  for (int k = 0; k < kernel.noutputs + kernel.ninputs; ++k)
    changes.emplace_back(types[k], kernel.types[k]);
  ConvertedLine(kernel, changes, broadcast).run(data, n);
}

}  // namespace

bool run_dense(const SpanKernel& kernel, const TensorView& out,
               std::span<const TensorView* const> inputs) {
  const std::int64_t n = out.numel();
  const Tuning& t = tuning();
  if (!out.defined() || !out.is_contiguous() || out.read_only() || out.dtype() != kernel.types[0] ||
      inputs.size() != static_cast<std::size_t>(kernel.ninputs) ||
      t.strategy != Strategy::automatic ||
      (n > t.min_thread_elements && n > max_for_one_thread(kernel))) {
    return false;
  }
  char* data[max_operands];
  alignas(max_element_bytes) char numbers[max_plain_inputs][max_element_bytes];
  if (inputs.size() > max_plain_inputs) return false;
  data[0] = static_cast<char*>(out.data());
  const char* end = data[0] + out.end_byte();
  std::uint32_t broadcast = 0;
  bool converts = false;
  ScalarType types[max_plain_inputs + 1] = {kernel.types[0]};
  bool has_shape = false;  // of the output: numbers alone do not
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorView& in = *inputs[i];
    const ScalarType type = kernel.types[i + 1];
    types[i + 1] = type;
    if (in.is_weak_scalar()) {
      const std::uint32_t operand = 2U << i;
      if ((kernel.broadcastable & operand) == 0 || !take_number(in, type, numbers[i])) return false;
      data[i + 1] = numbers[i];
      broadcast |= operand;
      continue;
    }
    if (!in.defined() || !in.is_contiguous() || in.numel() != n || in.rank() != out.rank())
      return false;
    if (in.dtype() != type) {
      if (promote_types(type, in.dtype()) != type) return false;
      types[i + 1] = in.dtype();
      converts = true;
    }
    for (std::size_t axis = 0; axis < in.shape().size(); ++axis) {
      if (in.shape()[axis] != out.shape()[axis]) return false;
    }
    char* begin = static_cast<char*>(in.data());
    data[i + 1] = begin;
    has_shape = true;
    const bool in_place = begin == data[0] && begin + in.end_byte() == end;
    if (begin < end && data[0] < begin + in.end_byte() && !in_place) return false;
  }
  if (!has_shape) return false;
  if (n == 0) return true;
  if (converts)
    run_converted(kernel, types, data, broadcast, n);
  else
    kernel.run(kernel.context, data, nullptr, n, 1, broadcast);
  return true;
}

void check_result_type(const FunctionInfo& function, ScalarType type, const Output& out) {
  if (out.view().defined() && !can_cast(type, out.view().dtype())) {
    fail(ErrorCode::cast, text(function.name, ": output 0: result type ", name(type),
                               " can't be cast to the output's ", name(out.view().dtype())));
  }
}

void check_common_type(const FunctionInfo& function, std::span<const TensorView* const> inputs) {
  ResultType common;
  for (const TensorView* view : inputs) {
    if (!view->defined()) return;  // which is what the iterator's config will say
    common.add(view->dtype(), view->rank(), view->is_weak_scalar());
  }
  const ScalarType type = *common.get();
  if (!function.accepts(kinds::of(type))) fail_no_kernel(type, function.name);
  const bool is_made_floating =
      function.result == ResultRule::floating && (kinds::of(type) & kinds::integral) != 0;
  check_compiled(is_made_floating ? ScalarType::f32 : type, function.name);
}

}  // namespace v0
}  // namespace weft
