// SPDX-License-Identifier: Apache-2.0
/// @file
/// ONNX's own backend cases (tests/data/onnx-strided), and running them on inputs of every layout.
///
/// A test file names a function for each operator that it can compute:
///
///     Tensors add(const OnnxCall& call) { return {weft::add(call.in(0), call.in(1))}; }
///
///     TEST_CASE("ONNX: n-ary") {
///       check_onnx_cases("nary", {{"Add", add}}, {{"Mod", "no such function"}});
///     }
///
/// Every case of the category has to be run or named, by its operator or its own name, in the list
/// of those left out; a name in that list that fits nothing is an error as well.
#pragma once

#include <weft/core/tensor.hpp>

#include "support/json.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace test {

using Tensors = std::vector<weft::Tensor>;

/// A case as it is in the file.
struct OnnxCase {
  std::string name, category, op;
  std::int64_t opset = 0;
  double rtol = 0, atol = 0;
  Json attributes;
  Tensors inputs;  ///< row-major; undefined where the node leaves one out
  Tensors outputs;
};

/// All of them, read once.
const std::vector<OnnxCase>& onnx_cases();

/// What an operator is called with: a case, and its inputs in some layout.
class OnnxCall {
 public:
  OnnxCall(const OnnxCase& of, const std::vector<weft::TensorView>& inputs)
      : case_(&of), inputs_(&inputs) {}

  const std::string& op() const { return case_->op; }
  std::int64_t opset() const { return case_->opset; }
  std::size_t count() const { return inputs_->size(); }
  bool has(std::size_t i) const { return i < count() && (*inputs_)[i].defined(); }
  const weft::TensorView& in(std::size_t i) const { return inputs_->at(i); }
  /// The elements of an input of integers, in C order.
  std::vector<std::int64_t> values(std::size_t i) const;

  /// Attributes, or what holds where the node does not name them.
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const {
    const Json* a = case_->attributes.find(name);
    return a == nullptr ? otherwise : a->integer;
  }
  double number(std::string_view name, double otherwise) const {
    const Json* a = case_->attributes.find(name);
    return a == nullptr ? otherwise : a->number;
  }
  std::string string(std::string_view name, const std::string& otherwise) const {
    const Json* a = case_->attributes.find(name);
    return a == nullptr ? otherwise : a->string;
  }
  /// Null if there is none.
  const Json* attribute(std::string_view name) const { return case_->attributes.find(name); }
  /// The type that an attribute names by ONNX's number for it.
  weft::ScalarType type(std::string_view name, weft::ScalarType otherwise) const;

  /// Type and number of the results that are expected, for operators whose attributes do not say.
  weft::ScalarType output_type(std::size_t i = 0) const { return case_->outputs.at(i).dtype(); }
  std::size_t output_count() const { return case_->outputs.size(); }

 private:
  const OnnxCase* case_;
  const std::vector<weft::TensorView>* inputs_;
};

using OnnxOperators = std::map<std::string, std::function<Tensors(const OnnxCall&)>>;
/// By operator or name of a case: why it is not run.
using OnnxLeftOut = std::map<std::string, std::string>;

/// Runs the cases of a category with row-major inputs, and once more with all inputs transposed,
/// padded, reversed, and with stride 0 along every axis that repeats itself; where `elementwise`,
/// also with all of them broadcast along a further axis.
void check_onnx_cases(const std::string& category, const OnnxOperators& operators,
                      const OnnxLeftOut& left_out, bool elementwise = false);

}  // namespace test
