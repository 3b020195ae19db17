// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weft/core/tensor.hpp>

/// The sum of all elements, twice. Throws weft::Error where weft::sum does.
weft::Tensor doubled_sum(const weft::TensorView& a);
