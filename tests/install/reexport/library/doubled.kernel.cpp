// SPDX-License-Identifier: Apache-2.0
#include "doubled.hpp"

#include <weft/kernel/cpu_kernel.hpp>

namespace between {

void WEFT_KERNEL(doubled)(const weft::TensorIterator& iter) {
  weft::cpu_kernel(iter, [](float a) { return 2 * a; });
}

}  // namespace between
