// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/machine/dispatch.hpp>

namespace between {

/// out = 2 * a
WEFT_DECLARE_KERNEL(doubled, void(const weft::TensorIterator&));

}  // namespace between
