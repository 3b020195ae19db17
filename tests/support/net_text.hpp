// SPDX-License-Identifier: Apache-2.0
/// @file
/// Writes models as OpenVINO IR, for tests: layers one after the other, edges and weights by the
/// way.
///
///     NetText net;
///     const auto x = net.parameter("x", "f32", "2,3");
///     const auto c = net.constant<float>("3", {1, 2, 3});
///     net.result("sum", net.op("Add", {x, c}));
///     ir::read_document(bytes_of(net.text()));
#pragma once

#include <weft/core/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

/// The .bin of a model under construction; the bodies of a net share the net's.
using WeightsText = std::vector<std::byte>;

inline weft::Tensor weights_of(const WeightsText& bytes) {
  weft::Tensor t =
      weft::Tensor::empty({static_cast<std::int64_t>(bytes.size())}, weft::ScalarType::u8);
  if (!bytes.empty()) std::memcpy(t.data(), bytes.data(), bytes.size());
  return t;
}

class NetText {
 public:
  struct Out {
    int layer = 0;
    int port = 0;
  };

  NetText() : weights_(std::make_shared<WeightsText>()) {}
  /// A body of a layer of `outer`.
  explicit NetText(const NetText& outer, int) : weights_(outer.weights_) {}
  NetText body() const { return NetText(*this, 0); }

  Out parameter(const std::string& name, const std::string& type, const std::string& shape) {
    return layer(name, "Parameter", "opset1", {}, 1,
                 "element_type=\"" + type + "\" shape=\"" + shape + '"')[0];
  }

  template <class T>
  Out constant(const std::string& shape, const std::vector<std::type_identity_t<T>>& values) {
    const std::size_t offset = weights_->size();
    for (const T value : values) {
      std::byte bytes[sizeof(T)];
      std::memcpy(bytes, &value, sizeof(T));
      weights_->insert(weights_->end(), bytes, bytes + sizeof(T));
    }
    const std::string type = std::is_same_v<T, bool>       ? "boolean"
                             : std::is_floating_point_v<T> ? "f" + std::to_string(8 * sizeof(T))
                                                           : "i" + std::to_string(8 * sizeof(T));
    return layer("c" + std::to_string(next_), "Const", "opset1", {}, 1,
                 "element_type=\"" + type + "\" shape=\"" + shape + "\" offset=\"" +
                     std::to_string(offset) + "\" size=\"" +
                     std::to_string(weights_->size() - offset) + '"')[0];
  }

  Out op(const std::string& type, const std::vector<Out>& inputs, const std::string& data = "",
         const std::string& version = "opset1") {
    return layer(type + std::to_string(next_), type, version, inputs, 1, data)[0];
  }

  int result(const std::string& name, Out from) {
    layer(name, "Result", "opset1", {from}, 0);
    return next_ - 1;
  }

  /// Any layer. Its input ports are 0, 1, ..., its output ports go on from there.
  std::vector<Out> layer(const std::string& name, const std::string& type,
                         const std::string& version, const std::vector<Out>& inputs, int noutputs,
                         const std::string& data = "", const std::string& inside = "") {
    const int id = next_++;
    std::string text = "<layer id=\"" + std::to_string(id) + "\" name=\"" + name + "\" type=\"" +
                       type + "\" version=\"" + version + "\">";
    if (!data.empty()) text += "<data " + data + "/>";
    int port = 0;
    if (!inputs.empty()) text += "<input>";
    for (const Out& from : inputs) {
      edges_ += "<edge from-layer=\"" + std::to_string(from.layer) + "\" from-port=\"" +
                std::to_string(from.port) + "\" to-layer=\"" + std::to_string(id) +
                "\" to-port=\"" + std::to_string(port) + "\"/>\n";
      text += "<port id=\"" + std::to_string(port++) + "\"/>";
    }
    if (!inputs.empty()) text += "</input>";
    std::vector<Out> outs;
    if (noutputs > 0) text += "<output>";
    for (int i = 0; i < noutputs; ++i) {
      outs.push_back({id, port});
      text += "<port id=\"" + std::to_string(port++) + "\" precision=\"FP32\"/>";
    }
    if (noutputs > 0) text += "</output>";
    layers_ += text + inside + "</layer>\n";
    return outs;
  }

  /// The children of a <net> or <body>.
  std::string inside() const {
    return "<layers>\n" + layers_ + "</layers>\n<edges>\n" + edges_ + "</edges>\n";
  }
  std::string text(int version = 11) const {
    return "<net name=\"test\" version=\"" + std::to_string(version) + "\">\n" + inside() +
           "</net>\n";
  }
  const WeightsText& weights() const { return *weights_; }

 private:
  std::shared_ptr<WeightsText> weights_;
  std::string layers_;
  std::string edges_;
  int next_ = 0;
};

}  // namespace test
