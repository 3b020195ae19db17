// SPDX-License-Identifier: Apache-2.0
/// @file
/// What functions of f32 should give, fast: in f64 by the vector functions of the C library (glibc
/// 2.35 and later, processors with AVX2), which are within 4 ulp of f64, that is 2^-27 ulp of f32.
/// For programs that look at all of f32.
#pragma once

#include <weft/ops/function_table.hpp>

#include <cstdint>

namespace study {

/// Writes wanted[i] = op(a[i]) for i < n, n a multiple of 4. False where there is no such function,
/// or no such library: nothing is written then. May be off at the edges of domains: what looks
/// wrong has to be asked of another.
bool vector_reference(weft::UnaryOp op, const double* a, double* wanted, std::int64_t n);

/// The largest error of got[i] beside wanted[i] in ulp of f32, infinity for a number that should be
/// none and for none that should be a number. Beyond the largest number, infinity counts as 2^128.
double largest_error(const float* got, const double* wanted, std::int64_t n);

}  // namespace study
