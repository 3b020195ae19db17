// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/machine/dispatch.hpp>

namespace consumer {

/// out = a * scale + b
WEFT_DECLARE_KERNEL(scaled_add, void(const weft::TensorIterator&, float));

}  // namespace consumer
