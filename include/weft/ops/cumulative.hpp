// SPDX-License-Identifier: Apache-2.0
/// @file
/// Prefix operations along one axis.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <optional>

namespace weft::inline v0 {

/// out[i] = a[0] + ... + a[i] along `axis`, one after the other in f64 for floating types (c128 for
/// complex), i64 for integers and bools. The result has the input's type, i64 for integers and
/// bools, or `dtype`. Throws Error(axis), and as binary.hpp.
WEFT_API Tensor cumsum(const Input& a, std::int64_t axis,
                       std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void cumsum_out(const Output& out, const Input& a, std::int64_t axis);

}  // namespace weft::inline v0
