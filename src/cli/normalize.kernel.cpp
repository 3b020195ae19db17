// SPDX-License-Identifier: Apache-2.0
// A kernel file: compiled once per instruction set, see weft/machine/dispatch.hpp.
#include "cli/normalize.hpp"

#include <weft/kernel/cpu_kernel.hpp>

namespace weft::cli {
namespace {

constexpr auto centre_and_scale = [](float x, float mean, float inverse_std) -> float {
  return (x - mean) * inverse_std;
};

}  // namespace

void WEFT_KERNEL(normalize)(const TensorIterator& iter) { cpu_kernel(iter, centre_and_scale); }

SpanKernel WEFT_KERNEL(normalize_spans)() { return typed_span_kernel(centre_and_scale); }

}  // namespace weft::cli
