// SPDX-License-Identifier: Apache-2.0
/// @file
/// A model's inputs from files and its outputs to files.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/ir/model.hpp>

#include <string>
#include <vector>

namespace weft::cli {

/// Some lines: names, element types and shapes of what the model takes and gives.
std::string describe_ports(const ir::Model& model);

/// A tensor of a file. Throws Error that names the input and the file.
Tensor load_input(const std::string& name, const std::string& file);

/// One tensor per input of the model, out of `NAME=FILE.npy`; a name may be the id of an input,
/// too. bf16, which .npy does not have, is taken as f32. Throws UsageError, which ends in
/// describe_ports(), for a text of another form, a name that the model does not have, one that
/// comes twice or is missing, and a tensor of another element type or shape; Error(limit) for files
/// that are larger than the machine's memory together; and Error for a file that cannot be read.
std::vector<Tensor> load_inputs(const ir::Model& model, const std::vector<std::string>& inputs);

/// For each output a file name that is safe on any system: letters, digits, `_`, `-` and `.`, none
/// twice. Ends in .npy.
std::vector<std::string> output_file_names(const std::vector<ir::ModelPort>& outputs);

/// The elements as a file can hold them: bf16 becomes f32.
Tensor as_npy(const TensorView& output);

}  // namespace weft::cli
