// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/ir/read_document.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "ir/context.hpp"
#include "ir/reader.hpp"
#include "ir/text_values.hpp"
#include "ir/wiring.hpp"
#include "ir/xml_tree.hpp"

#include <algorithm>
#include <vector>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

/// Documentation leaves attributes out of its examples and says so by three dots in the tag:
/// <layer type="TensorIterator" ...>. The text with blanks in their place.
std::vector<std::byte> without_ellipses(std::span<const std::byte> xml) {
  std::vector<std::byte> out(xml.begin(), xml.end());
  const auto at = [&](std::size_t i) { return i < out.size() ? static_cast<char>(out[i]) : '\0'; };
  bool in_tag = false;
  char quote = '\0';
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char c = at(i);
    if (!in_tag) {
      in_tag = c == '<';
      if (in_tag && at(i + 1) == '!') {  // a comment, which may hold anything
        while (i < out.size() && !(at(i) == '>' && at(i - 1) == '-'))
          ++i;
        in_tag = false;
      }
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      in_tag = false;
    } else if (c == '.' && at(i - 1) == ' ' && at(i + 1) == '.' && at(i + 2) == '.') {
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(i), 3, std::byte{' '});
    }
  }
  return out;
}

int version_of(pugi::xml_node net) {
  const std::int64_t version = count_attribute(net, "version");
  if ((version >= 4 && version <= 7) || version == 10 || version == 11)
    return static_cast<int>(version);
  fail(ErrorCode::parse,
       text("attribute 'version' of <net>: expected 4 to 7, 10 or 11, got ", version));
}

Document read(std::span<const std::byte> xml, const std::string& file, const Limits& limits) {
  const XmlTree tree(xml, limits);
  const pugi::xml_node root = tree.root();
  Document document;
  document.file = file;
  if (std::string_view(root.name()) == "net") {
    document.version = version_of(root);
    document.name = find_attribute(root, "name").value_or("");
    document.network = Reader(limits, document.is_legacy()).network(root);
  } else if (std::string_view(root.name()) == "layer") {
    document.network.layers.push_back(Reader(limits, false).layer(root, true));
    document.name = document.network.layers.front().name;
  } else {
    fail(ErrorCode::parse, text("expected <net> or <layer>, got <", in_quotes(root.name()), '>'));
  }
  return document;
}

}  // namespace

Network Reader::network(pugi::xml_node element) {
  const std::vector<pugi::xml_node> found =
      sections(element, {"layers", "edges"},
               {"rt_info", "meta_data", "cli_parameters", "statistics", "pre-process",
                "quantization_parameters"});
  if (!found[0]) fail(ErrorCode::parse, "element <layers> is missing");
  Network network;
  for (const pugi::xml_node item : items(found[0], "layer"))
    network.layers.push_back(layer(item));
  edges(found[1], network);
  wire(network);
  return network;
}

void Reader::edges(pugi::xml_node element, Network& network) {
  const NetworkLabels labels(network);
  for (const pugi::xml_node item : items(element, "edge")) {
    if (++edges_ > limits_.max_edges)
      fail(ErrorCode::limit, text("more than ", limits_.max_edges, " edges"));
    in_context([&] { return text("edge ", network.edges.size()); },
               [&] {
                 Edge edge;
                 edge.from.layer = labels.layer(count_attribute(item, "from-layer"));
                 edge.from.port =
                     labels.output(edge.from.layer, count_attribute(item, "from-port"));
                 edge.to.layer = labels.layer(count_attribute(item, "to-layer"));
                 edge.to.port = labels.input(edge.to.layer, count_attribute(item, "to-port"));
                 network.edges.push_back(edge);
               });
  }
}

Document read_document(std::span<const std::byte> xml, const std::string& file,
                       const Limits& limits) {
  return in_context(
      [&] { return file; },
      [&] {
        constexpr std::string_view ellipsis = " ...";
        const std::string_view text(reinterpret_cast<const char*>(xml.data()), xml.size());
        const bool whole = text.size() > static_cast<std::size_t>(limits.max_xml_bytes) ||
                           text.find(ellipsis) == std::string_view::npos;
        return whole ? read(xml, file, limits) : read(without_ellipses(xml), file, limits);
      });
}

Document load_document(const std::string& path, const Limits& limits) {
  return read_document(File(path, "rb").read_rest(limits.max_xml_bytes), path, limits);
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
