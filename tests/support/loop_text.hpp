// SPDX-License-Identifier: Apache-2.0
/// @file
/// Writes layers with bodies as OpenVINO IR, for tests.
///
///     NetText body = net.body();
///     const auto x = body.parameter("x", "f32", "1,1");        // layer 0 of the body
///     ...
///     LoopText loop;
///     loop.input(0, x, "axis=\"1\"").input(1, s).output(2, y, "axis=\"1\"").back_edge(next, s);
///     net.layer("sums", "TensorIterator", "opset1", {a, b}, 1, "", loop.text(body));
#pragma once

#include "support/net_text.hpp"

#include <string>

namespace test {

/// A port map and back edges. External ports are named by their ids, as NetText gives them: inputs
/// from 0, outputs after them; -1: none.
class LoopText {
 public:
  LoopText& input(int external, NetText::Out parameter, const std::string& more = "") {
    map_ += entry("input", external, parameter.layer, more);
    return *this;
  }
  /// @param result  the layer that NetText::result() returned
  LoopText& output(int external, int result, const std::string& more = "") {
    map_ += entry("output", external, result, more);
    return *this;
  }
  LoopText& back_edge(int result, NetText::Out parameter) {
    edges_ += "<edge from-layer=\"" + std::to_string(result) + "\" to-layer=\"" +
              std::to_string(parameter.layer) + "\"/>";
    return *this;
  }

  std::string port_map(const std::string& prefix = "") const {
    return "<" + prefix + "port_map>" + map_ + "</" + prefix + "port_map>\n";
  }
  /// What stands inside a TensorIterator or Loop.
  std::string text(const NetText& body) const {
    return port_map() + "<back_edges>" + edges_ + "</back_edges>\n<body>\n" + body.inside() +
           "</body>";
  }

 private:
  static std::string entry(const std::string& side, int external, int internal,
                           const std::string& more) {
    return "<" + side + " external_port_id=\"" + std::to_string(external) +
           "\" internal_layer_id=\"" + std::to_string(internal) + "\" " + more + "/>";
  }

  std::string map_;
  std::string edges_;
};

/// What stands inside an If. Its outputs are named by position.
inline std::string if_text(const NetText& then_body, const LoopText& then_map,
                           const NetText& else_body, const LoopText& else_map) {
  return then_map.port_map("then_") + else_map.port_map("else_") + "<then_body>\n" +
         then_body.inside() + "</then_body>\n<else_body>\n" + else_body.inside() + "</else_body>";
}

}  // namespace test
