// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the cell family: what recurrent cells do with the sums of their gates, in one pass.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

enum class GateFunction : std::uint8_t {
  sigmoid,       ///< within 3 ulp, at least 4.6e-38 (f32) and 1e-300 (f64)
  tanh,          ///< within 3 ulp
  relu,          ///< NaN stays NaN
  hard_sigmoid,  ///< alpha * x + beta, kept within 0 and 1
};

struct Activation {
  GateFunction function = GateFunction::sigmoid;
  double alpha = 0, beta = 0;
};

/// Dense rows of numbers; null where there are none. A step is bytes.
struct GateRows {
  char* data = nullptr;
  std::int64_t row_step = 0;
};

/// For each row n and unit j of an LSTM, g being the sums of gates, clipped to [-clip, clip] if
/// clip > 0:
///     f = a0(g_f), i = a0(g_i), c = a1(g_c), C' = f C + i c, o = a0(g_o), H' = o a2(C').
/// With peepholes (all three or none) g_f and g_i have P C added first, and g_o P C'. With
/// input_forget f is 1 - i. C' may be C, and nothing else meets. Up to 60 bytes after the last gate
/// of a row are read.
struct LstmGates {
  std::int64_t rows, units;
  GateRows forget, input, candidate, output;  ///< sums
  GateRows cell, cell_out, hidden_out;
  const char* peephole_forget = nullptr;  ///< [units] each
  const char* peephole_input = nullptr;
  const char* peephole_output = nullptr;
  Activation activations[3];
  double clip = 0;
  bool input_forget = false;
};

/// The first half of a GRU whose reset comes before its product: z = a0(update), r = a0(reset), and
/// reset_hidden = r H. `update` is overwritten with z.
struct GruReset {
  std::int64_t rows, units;
  GateRows update, reset, hidden, reset_hidden;
  Activation activation;
  double clip = 0;
};

/// The second half: h = a(candidate), H' = (1 - z) h + z H, `update` being z. With a `product`, the
/// whole of a GRU whose reset comes after it: z = gate(update + update_input), r = gate(reset +
/// reset_input), h = a(candidate + r product). H' may be H.
struct GruUpdate {
  std::int64_t rows, units;
  GateRows update, reset, candidate, product, hidden, hidden_out;
  GateRows update_input, reset_input;
  Activation gate, activation;
  double clip = 0;
};

/// out = a(sums), clipped before.
struct RnnGate {
  std::int64_t rows, units;
  GateRows sums, out;
  Activation activation;
  double clip = 0;
};

struct CellKernels {
  void (*lstm)(const LstmGates&);
  void (*gru_reset)(const GruReset&);
  void (*gru_update)(const GruUpdate&);
  void (*rnn)(const RnnGate&);
};

/// For f32 and f64; null for all else.
WEFT_DECLARE_KERNEL(cell_kernels, const CellKernels*(ScalarType type));

}  // namespace v0
}  // namespace weft
