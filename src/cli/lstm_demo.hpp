// SPDX-License-Identifier: Apache-2.0
/// @file
/// The second part of the demonstration: a recurrent model.
#pragma once

#include <weft/core/tensor.hpp>

#include <string>

namespace weft::cli {

/// The weights file of lstm.xml, u8 [3149864]: the targets of its two Reshapes, weights and biases
/// from a hash of their position, the same on every machine.
Tensor lstm_weights();

/// An input of that model: values from -1 to 1, from a hash of their position and `number`.
Tensor lstm_input(IntSpan shape, int number);

/// Reads the model, makes weights for it, runs it over a sequence; prints what its loop did and how
/// long it took, and writes model, weights, inputs and output to `folder`, ready for weft run.
void run_lstm_demo(const std::string& model_path, const std::string& folder);

}  // namespace weft::cli
