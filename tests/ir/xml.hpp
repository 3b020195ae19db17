// SPDX-License-Identifier: Apache-2.0
/// @file
/// Model texts for tests.
#pragma once

#include <weft/ir/read_document.hpp>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace test {

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Reads a text as the file "m.xml".
inline weft::ir::Document read(std::string_view xml, const weft::ir::Limits& limits = {}) {
  return weft::ir::read_document(bytes_of(xml), "m.xml", limits);
}

/// The text of a file of tests/data/ir.
inline std::string data_file(const std::string& name) {
  std::ifstream file(std::string(WEFT_TESTS_DIR "/data/ir/") + name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `text` with the first `from` replaced by `to`. Throws if it does not occur: a test of bad input
/// has to break what it means to break.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no such text: " + std::string(from));
  return text.replace(at, from.size(), to);
}

/// Parameter 'in' f32[2,3] -> ReLU 'act' -> Result 'out', version 11.
inline std::string small_net() {
  return R"(<?xml version="1.0"?>
<net name="small" version="11">
  <layers>
    <layer id="0" name="in" type="Parameter" version="opset1">
      <data shape="2,3" element_type="f32"/>
      <output><port id="0" precision="FP32" names="in"><dim>2</dim><dim>3</dim></port></output>
    </layer>
    <layer id="1" name="act" type="ReLU" version="opset1">
      <input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input>
      <output><port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port></output>
    </layer>
    <layer id="2" name="out" type="Result" version="opset1">
      <input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
    <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
  </edges>
  <rt_info><anything deep="1"><more/></anything></rt_info>
</net>
)";
}

}  // namespace test
