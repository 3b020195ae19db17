// SPDX-License-Identifier: Apache-2.0
/// @file
/// How much memory the machine has, and refusing what needs more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// Bytes of memory of the machine; the largest number where the system does not say.
std::int64_t machine_memory();

/// Refuses what would make the machine swap or worse, before memory is asked for. Throws
/// Error(limit) that names `what`, how much it needs and how much there is.
/// @param bytes  without: more than 2^63-1
void check_memory(std::string_view what, std::optional<std::int64_t> bytes);

/// Refuses input files that need more memory together than the machine has. A file that is not
/// there is left for whoever reads it.
void check_files_fit(const std::vector<std::string>& files);

}  // namespace weft::cli
