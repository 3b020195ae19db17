// SPDX-License-Identifier: Apache-2.0
/// @file
/// Values for the operands of a case: the same on every machine and in every program that reads
/// case files.
#pragma once

#include <weft/core/tensor_view.hpp>

#include "cli/case_file.hpp"

namespace weft::cli {

/// Fills a contiguous buffer. Element i of the k-th tensor input is a function of i, k, the type
/// and `fill` alone:
///
///     u = splitmix64(i + (k + 1) * 0xD1B54A32D192ED03), modulo 2^64
///
/// - floating: x = the top 24 bits of u as a fraction in [0, 1); 2x - 1 (sym) or x + 0.5 (pos, nz),
/// computed in f64 and
///   rounded once. Complex: the parts of element i are elements 2i and 2i + 1.
/// - integers: with r = the top 31 bits of u, r % 17 - 8; r % 17 for unsigned types and pos; 1 + r
/// % 7 for nz.
/// - bool: the top bit of u.
void fill_buffer(const TensorView& buffer, Fill fill, int input);

}  // namespace weft::cli
