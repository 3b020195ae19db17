// SPDX-License-Identifier: Apache-2.0
/// @file
/// NumPy's .npy format: one array with its element type, order and shape.
///
/// All element types that NumPy has too: bool, u8 to u64, i8 to i64, f16, f32, f64, c64 and c128.
/// Not bf16, for which NumPy has no name. Bytes stand in the machine's own order.
///
/// What is read is not trusted. The header is a Python dict, but it is parsed, never evaluated; it
/// has to hold the keys descr, fortran_order and shape, each once, and nothing else. Nothing is
/// allocated for the elements before everything has been checked and the length has been found to
/// be exactly what the header asks for.
#pragma once

#include <weft/base/export.hpp>
#include <weft/base/limits.hpp>
#include <weft/core/tensor.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {

/// The array in a .npy file of format 1.0, 2.0 or 3.0 whose bytes are these. Arrays in Fortran
/// order become tensors with the strides of that order; bools are 0 or 1 afterwards, whatever byte
/// stood for true. Throws Error: parse (not a .npy file, an unknown version, a malformed header,
/// bytes missing or left over), dtype (an element type that is not among the above, or of the other
/// byte order), shape (a negative extent), rank (above 64), overflow, limit.
WEFT_API Tensor parse_npy(std::span<const std::byte> bytes, const Limits& limits = {});

/// As parse_npy, from a regular file. Throws Error(io) as well, if it cannot be read; all messages
/// name the path.
WEFT_API Tensor load_npy(const std::string& path, const Limits& limits = {});

/// The bytes of a .npy file of format 1.0 with the elements of `view` in C order.
/// Throws Error: undefined, dtype (bf16).
WEFT_API std::vector<std::byte> format_npy(const TensorView& view);

/// Writes format_npy(view) to a file, which is created or replaced. Throws as format_npy, before
/// the file is touched, and Error(io) that names the path; no part of a file is left then.
WEFT_API void save_npy(const std::string& path, const TensorView& view);

}  // namespace v0
}  // namespace weft
