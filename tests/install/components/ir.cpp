// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>

#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view text = R"(
<layer type="Add" name="sum">
  <input>
    <port id="0" precision="FP32"><dim>2</dim></port>
    <port id="1" precision="FP32"><dim>2</dim></port>
  </input>
  <output><port id="2" precision="FP32"><dim>2</dim></port></output>
</layer>)";

weft::ir::Document document_of(std::string_view xml) {
  return weft::ir::read_document(std::as_bytes(std::span(xml.data(), xml.size())), "sum.xml");
}

}  // namespace

int main() {
  const weft::ir::Model model = weft::ir::build_model(document_of(text));
  const auto a = weft::Tensor::of<float>({2}, {1, 2});
  const std::vector<weft::TensorView> inputs = {a, a};
  if (model.program.run(inputs)[0].at<float>({1}) != 4) return 1;

  try {
    document_of("<layer");
    return 1;
  } catch (const weft::Error& error) {
    std::printf("%s\n", error.what());
  }
  std::puts("ir: fine");
  return 0;
}
