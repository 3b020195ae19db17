// SPDX-License-Identifier: Apache-2.0
#include "kernel/make_strided_lambdas.hpp"

namespace test {

std::span<const NamedSpanKernel> WEFT_KERNEL(strided_lambdas)() { return lambdas; }

}  // namespace test
