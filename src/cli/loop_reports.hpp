// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the loops of a graph did.
#pragma once

#include <weft/graph/explanation.hpp>
#include <weft/graph/graph.hpp>

#include <span>
#include <string>

namespace weft::cli {

/// Notes of a plan as a JSON list of objects.
std::string json_notes(std::span<const graph::PlanNote> notes);

/// The reports of all loops, those inside others after them: some lines each, or what says that
/// there are none.
std::string loop_reports_text(const graph::Graph& graph);
/// The same as a JSON list of objects.
std::string loop_reports_json(const graph::Graph& graph);

}  // namespace weft::cli
