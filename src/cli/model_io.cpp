// SPDX-License-Identifier: Apache-2.0
#include "cli/model_io.hpp"

#include <weft/base/error.hpp>
#include <weft/core/npy.hpp>
#include <weft/ops/copy.hpp>

#include "cli/commands.hpp"
#include "cli/machine_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace weft::cli {
namespace {

[[noreturn]] void refuse(const ir::Model& model, const std::string& message) {
  throw UsageError(fmt::format("{}\n{}", message, describe_ports(model)));
}

/// The part of `text` before the '=' that ends a name of the model, or else before the first.
std::size_t end_of_name(const ir::Model& model, const std::string& text) {
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1))
    if (ir::find_port(model.inputs, text.substr(0, at)) >= 0) return at;
  return text.find('=');
}

/// A name of a file, for a terminal.
std::string printable(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  return name;
}

void list(std::string& out, const char* title, const std::vector<ir::ModelPort>& ports) {
  out += fmt::format("{}{}\n", title, ports.empty() ? " nothing" : "");
  std::size_t width = 0;
  for (const ir::ModelPort& port : ports)
    width = std::max(width, std::min<std::size_t>(port.name.size(), 40));
  for (const ir::ModelPort& port : ports) {
    out += fmt::format("  {:<{}}  {}{}\n", printable(port.name), width, to_string(port.type),
                       port.name == port.id ? "" : fmt::format("  (layer {})", port.id));
  }
}

}  // namespace

Tensor load_input(const std::string& name, const std::string& file) {
  try {
    return load_npy(file);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("input '{}': {}", name, error.what()));
  }
}

std::string describe_ports(const ir::Model& model) {
  std::string out;
  list(out, "the model takes", model.inputs);
  list(out, "and gives", model.outputs);
  return out;
}

std::vector<Tensor> load_inputs(const ir::Model& model, const std::vector<std::string>& inputs) {
  std::vector<std::string> files(model.inputs.size());
  for (const std::string& input : inputs) {
    const std::size_t equals = end_of_name(model, input);
    if (equals == std::string::npos || equals + 1 == input.size())
      refuse(model, fmt::format("--input {}: expected NAME=FILE.npy", input));
    const std::string name = input.substr(0, equals);
    const int at = ir::find_port(model.inputs, name);
    if (at < 0) refuse(model, fmt::format("--input {}: the model has no input '{}'", input, name));
    std::string& file = files[static_cast<std::size_t>(at)];
    if (!file.empty())
      refuse(model, fmt::format("--input {}: input '{}' comes twice", input, name));
    file = input.substr(equals + 1);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].empty()) refuse(model, fmt::format("input '{}' is missing", model.inputs[i].name));
  }
  check_files_fit(files);
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const ir::ModelPort& port = model.inputs[i];
    Tensor tensor = load_input(port.name, files[i]);
    if (port.type.dtype == ScalarType::bf16 && tensor.dtype() == ScalarType::f32)
      tensor = contiguous(tensor, ScalarType::bf16);
    if (tensor.dtype() != port.type.dtype || !port.type.shape.admits(tensor.shape())) {
      refuse(model, fmt::format("input '{}': expected {}, got {}{} from '{}'", port.name,
                                to_string(port.type), name(tensor.dtype()),
                                to_string(tensor.shape()), files[i]));
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::vector<std::string> output_file_names(const std::vector<ir::ModelPort>& outputs) {
  constexpr std::size_t longest = 100;
  std::vector<std::string> names;
  std::set<std::string> taken;  // in small letters: some systems do not tell a from A
  for (const ir::ModelPort& output : outputs) {
    std::string name;
    for (const char c : output.name.substr(0, longest)) {
      const bool kept = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                        (c >= 'a' && c <= 'z') || c == '-' || (c == '.' && !name.empty());
      name += kept ? c : '_';
    }
    if (name.empty()) name = "output";
    const auto small = [](std::string text) {
      std::ranges::transform(text, text.begin(),
                             [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      return text;
    };
    std::string unique = name;
    for (int n = 2; !taken.insert(small(unique)).second; ++n)
      unique = fmt::format("{}_{}", name, n);
    names.push_back(unique + ".npy");
  }
  return names;
}

Tensor as_npy(const TensorView& output) {
  return output.dtype() == ScalarType::bf16 ? contiguous(output, ScalarType::f32)
                                            : Tensor::copy_of(output);
}

}  // namespace weft::cli
