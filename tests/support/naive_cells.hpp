// SPDX-License-Identifier: Apache-2.0
/// @file
/// Recurrent cells in double precision, one unit at a time.
#pragma once

#include <weft/core/tensor.hpp>

#include "support/dense.hpp"
#include "support/seed.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace test {

enum class NaiveCellKind : std::uint8_t { lstm, gru, rnn };

/// A step of an LSTM, a GRU or an RNN for n rows of i inputs and h units.
struct NaiveCell {
  NaiveCellKind kind;
  std::int64_t n, i, h;
  /// X H C W R B P of an LSTM, else X H W R B; empty where left out.
  std::vector<std::vector<double>> in;
  /// In lower case; hardsigmoid has an alpha of 0.3 and a beta of 0.4.
  std::vector<std::string> activations;
  double clip = 0;
  std::string format = "fico";  ///< the order of an LSTM's gates
  bool input_forget = false;
  bool linear_before_reset = false;

  /// H', and C' of an LSTM, [n, h].
  std::vector<std::vector<double>> step() const;

 private:
  double gate(std::size_t activation, double sum) const;
  std::vector<std::vector<double>> lstm() const;
  std::vector<double> gru() const;
  std::vector<double> rnn() const;
};

/// Random numbers from -`most` to `most` as a tensor of f32, f64, f16 or bf16, and its elements as
/// doubles.
std::pair<weft::Tensor, std::vector<double>> small_numbers(Random& random, weft::ScalarType type,
                                                           const Dims& shape, double most = 1);

/// Rounds to an element type.
double rounded_to(weft::ScalarType type, double value);

/// The largest difference of an element; 1e300 for NaN, or another number of elements.
double worst_difference(const weft::TensorView& got, const std::vector<double>& wanted);

/// By how much a cell of that type may be off, for sums below 10.
double cell_tolerance(weft::ScalarType type);

}  // namespace test
