// SPDX-License-Identifier: Apache-2.0
#include "cli/machine_memory.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <system_error>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace weft::cli {

std::int64_t machine_memory() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) return static_cast<std::int64_t>(pages) * page;
#endif
  return std::numeric_limits<std::int64_t>::max();
}

void check_memory(std::string_view what, std::optional<std::int64_t> bytes) {
  const std::int64_t memory = machine_memory();
  if (bytes && *bytes <= memory) return;
  fail(ErrorCode::limit, fmt::format("{} of {:.1f} GiB in a machine with {:.1f} GiB of memory",
                                     what, bytes ? static_cast<double>(*bytes) * 0x1p-30 : 0x1p33,
                                     static_cast<double>(memory) * 0x1p-30));
}

void check_files_fit(const std::vector<std::string>& files) {
  std::int64_t bytes = 0;
  bool fits = true;
  for (const std::string& file : files) {
    std::error_code missing;
    const std::uintmax_t size = std::filesystem::file_size(file, missing);
    if (!missing) fits = fits && checked_add(bytes, static_cast<std::int64_t>(size), bytes);
  }
  check_memory("inputs", fits ? std::optional(bytes) : std::nullopt);
}

}  // namespace weft::cli
