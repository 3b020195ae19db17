// SPDX-License-Identifier: Apache-2.0
#include "exp_of_sum.hpp"

#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/vectorized_math.hpp>

#include <cmath>

namespace bench {

void WEFT_KERNEL(exp_of_sum)(const weft::TensorIterator& iter) {
  weft::cpu_kernel<float>(iter, [](auto a, auto b) {
    using std::exp;
    return exp(a + b);
  });
}

}  // namespace bench
