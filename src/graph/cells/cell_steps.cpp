// SPDX-License-Identifier: Apache-2.0
#include "graph/cells/cell_steps.hpp"

#include <weft/parallel/parallel.hpp>

#include "graph/operators/packed_constants.hpp"
#include "kernels/stage/stage.hpp"
#include "machine/tuning.hpp"
#include "parallel/thread_worth.hpp"

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// What the gates' kernels may read past a row's end, in bytes.
constexpr std::int64_t read_beyond = 64;

Tensor buffer_of(std::int64_t elements, std::int64_t size) {
  return Tensor::zeros({elements * size + read_beyond}, ScalarType::u8);
}

/// Bytes from row to row of a buffer. Rows that lie a power of two from each other would share a
/// few lines of the cache.
std::int64_t row_step(std::int64_t bytes) {
  constexpr std::int64_t line = 64, conflict = 1024;
  return bytes % conflict == 0 ? bytes + line : bytes;
}

MatrixAt matrix_at(const GateRows& rows, std::int64_t size) {
  return {rows.data, rows.row_step, size};
}

/// f of the same gates from a row on, for the share of rows that each thread takes.
template <class Gates, class... Member>
void for_shares(void (*f)(const Gates&), const Gates& gates, double unit_cost, Member... members) {
  const double row_ns = unit_cost * cost_ps / 1000 * static_cast<double>(gates.units);
  if (static_cast<double>(gates.rows) * row_ns <= worth_a_thread_ns()) {
    f(gates);
    return;
  }
  parallel_for(gates.rows, pieces_worth_a_thread(row_ns),
               [&](std::int64_t begin, std::int64_t end) {
                 Gates part = gates;
                 part.rows = end - begin;
                 const auto move_on = [&](GateRows& rows) {
                   if (rows.data != nullptr) rows.data += begin * rows.row_step;
                 };
                 (move_on(part.*members), ...);
                 f(part);
               });
}

}  // namespace

CellStep::CellStep(const CellSettings& settings, ScalarType type, std::int64_t rows,
                   std::int64_t units)
    : settings_(settings),
      type_(type),
      compute_(product_type(type)),
      rows_(rows),
      units_(units),
      size_(element_size(compute_)),
      kernels_(cell_kernels(compute_)) {
  const std::int64_t gates = gates_of(settings_.kind);
  gates_step_ = row_step(units * gates * size_);
  gates_ = buffer_of(rows * gates_step_, 1);
  if (settings_.kind == CellKind::gru) {
    if (settings_.linear_before_reset) {
      product_start_ = buffer_of(units * gates, size_);
    } else {
      reset_hidden_ = buffer_of(rows * units, size_);
    }
  }
  if (!is_narrow()) return;
  wide_sums_ = buffer_of(rows * units * gates, size_);
  wide_hidden_ = buffer_of(rows * units, size_);
  wide_cell_ = buffer_of(rows * units, size_);
  wide_hidden_out_ = buffer_of(rows * units, size_);
  wide_cell_out_ = buffer_of(rows * units, size_);
  wide_row_ = buffer_of(units * 4, size_);
}

void CellStep::set_weights(const TensorView& r, bool constant) {
  const auto pack = [&](std::int64_t first, std::int64_t last) {
    const TensorView part = r.slice(0, first * units_, last * units_).transpose(0, 1);
    if (!is_narrow() && constant) return packed_constant(part);
    if (!is_narrow()) return std::make_shared<const PackedMatrix>(part);
    const Tensor dense = Tensor::copy_of(part);
    const Tensor wide = Tensor::empty(dense.shape(), compute_);
    convert_kernel(compute_, type_)(static_cast<char*>(wide.data()),
                                    static_cast<const char*>(dense.data()), dense.numel());
    return std::make_shared<const PackedMatrix>(wide);
  };
  const bool resets_first = settings_.kind == CellKind::gru && !settings_.linear_before_reset;
  if (resets_first) {
    weights_ = {pack(0, 2), pack(2, 3)};
  } else {
    weights_ = {pack(0, gates_of(settings_.kind)), nullptr};
  }
}

GateRows CellStep::widened(Tensor& buffer, const StateRows& from, std::int64_t columns) {
  auto* data = static_cast<char*>(from.data);
  const std::int64_t step = from.row_stride * element_size(type_);
  if (data == nullptr || !is_narrow()) return {data, step};
  const ConvertFn convert = convert_kernel(compute_, type_);
  const GateRows wide{static_cast<char*>(buffer.data()), columns * size_};
  for (std::int64_t row = 0; row < rows_; ++row)
    convert(wide.data + row * wide.row_step, data + row * step, columns);
  return wide;
}

void CellStep::narrow(const GateRows& from, const StateRows& to) const {
  const ConvertFn convert = convert_kernel(type_, compute_);
  const std::int64_t step = to.row_stride * element_size(type_);
  for (std::int64_t row = 0; row < rows_; ++row)
    convert(static_cast<char*>(to.data) + row * step, from.data + row * from.row_step, units_);
}

const char* CellStep::widened_row(Tensor& buffer, const char* from, std::int64_t count) const {
  if (from == nullptr || !is_narrow()) return from;
  auto* wide = static_cast<char*>(buffer.data());
  convert_kernel(compute_, type_)(wide, from, count);
  return wide;
}

GateRows CellStep::gate(const GateRows& rows, int block) const {
  return {rows.data + block * units_ * size_, rows.row_step};
}

void CellStep::multiply(const PackedMatrix& matrix, const GateRows& out, const GateRows& left,
                        const GateRows& start) const {
  matrix.multiply(rows_, matrix_at(out, size_), matrix_at(left, size_), matrix_at(start, size_));
}

void CellStep::run(const StateRows& sums, const StateRows& hidden, const StateRows& cell,
                   const StateRows& hidden_out, const StateRows& cell_out) {
  if (rows_ == 0 || units_ == 0) return;
  const GateRows s = widened(wide_sums_, sums, units_ * gates_of(settings_.kind));
  const GateRows h = widened(wide_hidden_, hidden, units_);
  const std::int64_t row = units_ * size_;
  const GateRows out = is_narrow() ? GateRows{static_cast<char*>(wide_hidden_out_.data()), row}
                                   : widened(wide_hidden_out_, hidden_out, units_);
  switch (settings_.kind) {
    case CellKind::lstm: {
      const GateRows next = is_narrow() ? GateRows{static_cast<char*>(wide_cell_out_.data()), row}
                                        : widened(wide_cell_out_, cell_out, units_);
      run_lstm(s, h, widened(wide_cell_, cell, units_), out, next);
      if (is_narrow()) narrow(next, cell_out);
      break;
    }
    case CellKind::gru: run_gru(s, h, out); break;
    case CellKind::rnn: run_rnn(s, h, out); break;
  }
  if (is_narrow()) narrow(out, hidden_out);
}

void CellStep::run_lstm(const GateRows& sums, const GateRows& hidden, const GateRows& cell,
                        const GateRows& hidden_out, const GateRows& cell_out) {
  const GateRows all{static_cast<char*>(gates_.data()), gates_step_};
  multiply(*weights_[0], all, hidden, sums);
  LstmGates gates;
  gates.rows = rows_;
  gates.units = units_;
  gates.forget = gate(all, settings_.blocks[0]);
  gates.input = gate(all, settings_.blocks[1]);
  gates.candidate = gate(all, settings_.blocks[2]);
  gates.output = gate(all, settings_.blocks[3]);
  gates.cell = cell;
  gates.cell_out = cell_out;
  gates.hidden_out = hidden_out;
  if (const char* p = widened_row(wide_row_, peepholes_, 3 * units_)) {
    gates.peephole_forget = p;
    gates.peephole_input = p + units_ * size_;
    gates.peephole_output = p + 2 * units_ * size_;
  }
  for (std::size_t i = 0; i < 3; ++i)
    gates.activations[i] = settings_.activations[i];
  gates.clip = settings_.clip;
  gates.input_forget = settings_.input_forget;
  for_shares(kernels_->lstm, gates, 25, &LstmGates::forget, &LstmGates::input,
             &LstmGates::candidate, &LstmGates::output, &LstmGates::cell, &LstmGates::cell_out,
             &LstmGates::hidden_out);
}

void CellStep::run_gru(const GateRows& sums, const GateRows& hidden, const GateRows& hidden_out) {
  const GateRows all{static_cast<char*>(gates_.data()), gates_step_};
  GruUpdate update{};
  update.rows = rows_;
  update.units = units_;
  update.update = gate(all, 0);
  update.reset = gate(all, 1);
  update.candidate = gate(sums, 2);
  update.hidden = hidden;
  update.hidden_out = hidden_out;
  update.gate = settings_.activations[0];
  update.activation = settings_.activations[1];
  update.clip = settings_.clip;
  if (!settings_.linear_before_reset) {
    multiply(*weights_[0], all, hidden, sums);
    const GateRows reset_hidden{static_cast<char*>(reset_hidden_.data()), units_ * size_};
    const GruReset reset{.rows = rows_,
                         .units = units_,
                         .update = gate(all, 0),
                         .reset = gate(all, 1),
                         .hidden = hidden,
                         .reset_hidden = reset_hidden,
                         .activation = settings_.activations[0],
                         .clip = settings_.clip};
    for_shares(kernels_->gru_reset, reset, 10, &GruReset::update, &GruReset::reset,
               &GruReset::hidden, &GruReset::reset_hidden);
    multiply(*weights_[1], gate(all, 2), reset_hidden, gate(sums, 2));
    update.candidate = gate(all, 2);
    run_update(update);
    return;
  }
  // The first two gates add the input's part; the third is kept separate until the reset is known.
  GateRows start{static_cast<char*>(product_start_.data()), 0};
  if (const char* bias = widened_row(wide_row_, bias_, 4 * units_))
    __builtin_memcpy(gate(start, 2).data, bias + 3 * units_ * size_,
                     static_cast<std::size_t>(units_ * size_));
  multiply(*weights_[0], all, hidden, start);
  update.product = gate(all, 2);
  update.update_input = gate(sums, 0);
  update.reset_input = gate(sums, 1);
  run_update(update);
}

void CellStep::run_update(const GruUpdate& update) const {
  for_shares(kernels_->gru_update, update, 20, &GruUpdate::update, &GruUpdate::reset,
             &GruUpdate::candidate, &GruUpdate::product, &GruUpdate::hidden, &GruUpdate::hidden_out,
             &GruUpdate::update_input, &GruUpdate::reset_input);
}

void CellStep::run_rnn(const GateRows& sums, const GateRows& hidden, const GateRows& hidden_out) {
  const GateRows all{static_cast<char*>(gates_.data()), gates_step_};
  multiply(*weights_[0], all, hidden, sums);
  const RnnGate rnn{.rows = rows_,
                    .units = units_,
                    .sums = all,
                    .out = hidden_out,
                    .activation = settings_.activations[0],
                    .clip = settings_.clip};
  for_shares(kernels_->rnn, rnn, 8, &RnnGate::sums, &RnnGate::out);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
