// SPDX-License-Identifier: Apache-2.0
/// @file
/// Recurrent cells: from the sums of the input's part of all gates to the new state.
#pragma once

#include <weft/graph/attributes.hpp>
#include <weft/linalg/packed_matrix.hpp>

#include "kernels/cell/cell.hpp"
#include "linalg/run_product.hpp"

#include <array>
#include <memory>
#include <string_view>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

enum class CellKind : std::uint8_t { lstm, gru, rnn };

/// How many gates a cell has: 4, 3, 1.
int gates_of(CellKind kind) noexcept;

/// What the attributes of a cell say.
struct CellSettings {
  CellKind kind = CellKind::lstm;
  /// LSTM: gates, candidate, output; GRU: gates, candidate; RNN: one.
  std::array<Activation, 3> activations;
  double clip = 0;
  bool input_forget = false;
  bool linear_before_reset = false;
  /// LSTM: the block of gates f, i, c, o among the rows of W, R and B.
  std::array<int, 4> blocks = {0, 1, 2, 3};

  /// Reads activations, activations_alpha, activations_beta, clip, input_forget,
  /// linear_before_reset and weights_format. Throws Error(invalid_argument), Error(parse) that
  /// names the attribute.
  CellSettings(CellKind cell, const Attributes& attributes);
};

/// Rows of `units` numbers each, of the step's type.
struct StateRows {
  void* data = nullptr;
  std::int64_t row_stride = 0;  ///< elements
};

/// One step of a cell for N rows and H units: sums[N, gates * H] + hidden · R^T, through the gates,
/// into the new state. f16 and bf16 are computed in f32 and rounded at the end.
class CellStep {
 public:
  CellStep(const CellSettings& settings, ScalarType type, std::int64_t rows, std::int64_t units);

  /// R[gates * H, H]; `constant`: it never changes, and its packed form may be shared.
  void set_weights(const TensorView& r, bool constant);
  /// GRU with linear_before_reset: the last of four blocks of B[4 H] belongs to the product with
  /// the hidden state. Dense; null: none.
  void set_bias(const void* bias) { bias_ = static_cast<const char*>(bias); }
  /// LSTM: P[3 H] in the order f, i, o. Dense; null: none.
  void set_peepholes(const void* p) { peepholes_ = static_cast<const char*>(p); }

  /// `cell` and `cell_out` are for LSTM only. hidden_out meets no input.
  void run(const StateRows& sums, const StateRows& hidden, const StateRows& cell,
           const StateRows& hidden_out, const StateRows& cell_out);

 private:
  GateRows widened(Tensor& buffer, const StateRows& from, std::int64_t columns);
  void narrow(const GateRows& from, const StateRows& to) const;
  const char* widened_row(Tensor& buffer, const char* from, std::int64_t count) const;
  bool is_narrow() const { return compute_ != type_; }
  void run_lstm(const GateRows& sums, const GateRows& hidden, const GateRows& cell,
                const GateRows& hidden_out, const GateRows& cell_out);
  void run_gru(const GateRows& sums, const GateRows& hidden, const GateRows& hidden_out);
  void run_update(const GruUpdate& update) const;
  void run_rnn(const GateRows& sums, const GateRows& hidden, const GateRows& hidden_out);
  /// out = start + left · R^T's columns of some gates.
  void multiply(const PackedMatrix& matrix, const GateRows& out, const GateRows& left,
                const GateRows& start) const;
  GateRows gate(const GateRows& rows, int block) const;

  CellSettings settings_;
  ScalarType type_, compute_;
  std::int64_t rows_, units_, size_;
  std::int64_t gates_step_ = 0;  ///< bytes between rows of gates_
  const CellKernels* kernels_;
  /// All gates; of a GRU whose reset comes first, update and reset, and the candidate.
  std::array<std::shared_ptr<const PackedMatrix>, 2> weights_;
  Tensor gates_, product_start_, reset_hidden_;
  Tensor wide_sums_, wide_hidden_, wide_cell_, wide_hidden_out_, wide_cell_out_, wide_row_;
  const char* bias_ = nullptr;
  const char* peepholes_ = nullptr;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
