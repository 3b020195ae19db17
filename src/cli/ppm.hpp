// SPDX-License-Identifier: Apache-2.0
/// @file
/// Pictures in Netpbm's binary PPM format.
#pragma once

#include <weft/base/limits.hpp>
#include <weft/core/tensor.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace weft::cli {

/// The picture in a file with these bytes, as u8 [height, width, 3], red first. The file is not
/// trusted: it has to be one picture "P6 WIDTH HEIGHT MAXIMUM" with MAXIMUM up to 255 (one byte a
/// sample) and exactly as many samples as that asks for, none above MAXIMUM. Comments (# to the end
/// of the line) may stand anywhere between the words of the header. Throws Error: parse, limit.
Tensor parse_ppm(std::span<const std::byte> bytes, const Limits& limits = {});

/// As parse_ppm, from a file. Throws Error(io) too; messages name the path.
Tensor load_ppm(const std::string& path, const Limits& limits = {});

}  // namespace weft::cli
