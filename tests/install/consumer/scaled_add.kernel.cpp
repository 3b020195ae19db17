// SPDX-License-Identifier: Apache-2.0
#include "scaled_add.hpp"

#include <weft/kernel/cpu_kernel.hpp>

namespace consumer {

void WEFT_KERNEL(scaled_add)(const weft::TensorIterator& iter, float scale) {
  weft::cpu_kernel(iter, [scale](float a, float b) { return a * scale + b; });
}

}  // namespace consumer
