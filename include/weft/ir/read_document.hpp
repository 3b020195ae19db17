// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reading the .xml of an OpenVINO IR.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ir/document.hpp>
#include <weft/ir/limits.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace weft {
inline namespace v0 {
namespace ir {

/// Reads the text of a model: a <net> of version 10 or 11, of version 4 to 7, or a bare <layer>,
/// in UTF-8. Children of an element may come in any order; rt_info, meta_data and their like are
/// passed over, and any other element that is not known is an error, so that a misspelt one does
/// not go unnoticed. Bare layers and bodies of loops may leave out ids of nothing.
///
/// What is read is not trusted. Every number is wholly decimal and in range; ids of layers and
/// ports, attributes and sections come once; every edge and every entry of a port map leads from
/// something to something; nothing goes round in circles. No file is opened, and nothing that the
/// text names is fetched: no document type, no entities.
///
/// @param xml   the text; not needed afterwards
/// @param file  what messages call it
/// Throws Error: parse (not such a text; the message names file, layer, port and attribute), limit.
/// Takes memory in proportion to the text, at most 17 times as much for its tree, and time
/// likewise.
WEFT_API Document read_document(std::span<const std::byte> xml, const std::string& file = "model",
                                const Limits& limits = {});

/// As above, from a file. Throws Error(io) as well.
WEFT_API Document load_document(const std::string& path, const Limits& limits = {});

}  // namespace ir
}  // namespace v0
}  // namespace weft
