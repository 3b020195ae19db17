// SPDX-License-Identifier: Apache-2.0
#include <weft/recurrent/loop.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

std::string_view reason(LoopEnd end) {
  switch (end) {
    case LoopEnd::not_run: return "it has not run yet";
    case LoopEnd::count: return "the count was reached";
    case LoopEnd::slices: return "there were no more slices";
    case LoopEnd::condition: return "the condition was false";
    case LoopEnd::head: return "the head was false";
    case LoopEnd::rows: return "every row had ended";
  }
  return "";
}

void append_list(std::string& out, const std::vector<std::string>& entries) {
  for (const std::string& entry : entries)
    out += text("    ", entry, '\n');
}

}  // namespace

std::string LoopReport::to_text() const {
  std::string out =
      text("loop '", name, "': ", trips, trips == 1 ? " trip: " : " trips: ", reason(end), '\n');
  if (!hoisted.empty()) {
    out += "  once, before the first trip:\n";
    append_list(out, hoisted);
  }
  if (!blocked.empty()) {
    out += text("  for blocks of ", block_trips, " trips:\n");
    append_list(out, blocked);
  }
  if (!in_trips.empty()) out += "  in every trip:\n";
  for (const graph::PlanNote& note : in_trips)
    out += text("    ", graph::to_string(note), '\n');
  out += text("  slices: ", viewed_slices, " read where they are, ", staged_slices,
              " packed block by block\n");
  out += text("  states: ", states,
              fixed_shapes ? ", carried by exchanging pointers\n"
                           : ", copied: shapes may change, or rows end after different trips\n");
  out += text("  collected results: ", written_in_place, " written in place, ", written_in_blocks,
              " copied there\n");
  out += text("  copied: ", bytes_copied, " bytes, ", bytes_copied_late,
              " of them in the third trip or later; buffers: ", bytes_held, " bytes\n");
  return out;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
