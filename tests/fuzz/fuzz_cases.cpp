// SPDX-License-Identifier: Apache-2.0
// Any text as a case file: an Error comes back for a line, or a case, which is run if it is small.
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/parallel/parallel.hpp>

#include "cli/case_operands.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace {

using weft::cli::TensorSpec;

bool is_small(const TensorSpec& spec) {
  constexpr std::int64_t most = 1 << 12;
  std::int64_t elements = 1, reach = 1;
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    std::int64_t span = 0;
    const std::int64_t stride = axis < spec.strides.size() ? spec.strides[axis] : 0;
    if (!weft::checked_mul(elements, spec.shape[axis], elements) || elements > most ||
        stride < -most || stride > most || !weft::checked_mul(spec.shape[axis], stride, span)) {
      return false;
    }
    reach += span < 0 ? -span : span;
  }
  return reach <= most;
}

/// Of an expression, what operands broadcast to may be larger than all of them.
bool broadcasts_far(const weft::cli::Case& one) {
  if (one.expression.empty()) return false;
  for (const auto& in : one.inputs) {
    const auto* spec = std::get_if<TensorSpec>(&in);
    if (spec == nullptr) continue;
    for (const std::int64_t extent : spec->shape)
      if (extent > 4 || spec->shape.size() > 4) return true;
  }
  return false;
}

bool is_small(const weft::cli::Case& one) {
  if (broadcasts_far(one)) return false;
  for (const TensorSpec& out : one.outputs) {
    if (!is_small(out)) return false;
  }
  for (const auto& in : one.inputs) {
    if (const auto* spec = std::get_if<TensorSpec>(&in); spec != nullptr && !is_small(*spec))
      return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::set_num_threads(1);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const weft::cli::CaseLine& line : weft::cli::split_case_lines(text)) {
      try {
        const weft::cli::Case one = weft::cli::parse_case(line);
        if (!is_small(one)) continue;
        weft::cli::BoundCase(one, weft::cli::BoundCase::Contents::values).run();
      } catch (const weft::Error&) {
        // What bad input is meant to end in.
      }
    }
  } catch (const weft::Error&) {
    // The same, of the file.
  }
  return 0;
}
