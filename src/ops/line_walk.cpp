// SPDX-License-Identifier: Apache-2.0
#include "ops/line_walk.hpp"

#include <weft/base/error.hpp>
#include <weft/iter/config.hpp>

#include "base/text.hpp"
#include "engine/axis/axis_walk.hpp"
#include "engine/block.hpp"
#include "parallel/loop_threads.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Elements that a thread should have: a few nanoseconds each.
constexpr std::int64_t line_grain = default_grain / 8;
/// Bytes of lines that are brought together, so that lines next to each other share cache lines.
constexpr std::int64_t staged_bytes = 32 << 10;
constexpr std::int64_t max_staged_lines = 64;

TensorIterator plan(const LineOperand& in, std::span<const LineOperand> outs, std::size_t axis) {
  const auto first_of = [&](const LineOperand& operand) {
    return operand.view.slice(static_cast<std::int64_t>(axis), 0, 1);
  };
  const TensorView from = first_of(in);
  TensorView to[2];
  TensorIteratorConfig config;
  for (std::size_t k = 0; k < outs.size(); ++k) {
    to[k] = first_of(outs[k]);
    config.add_output(to[k]);
  }
  config.add_const_input(from);
  config.check_all_same_dtype(false).resize_outputs(false).set_check_mem_overlap(false);
  return config.build();
}

}  // namespace

void check_line_length(std::int64_t n) {
  // No side needs 128 bytes an element.
  constexpr std::int64_t most = std::int64_t{1} << 55;
  if (n > most)
    fail(ErrorCode::overflow, text("a line of ", n, " elements, expected at most ", most));
}

/// The parts of one thread's memory; those that are not needed have no bytes.
struct LineWalk::Buffers {
  Buffers(const LineWalk& walk, std::int64_t room_bytes) : memory_(reserve(walk) + room_bytes) {}

  char* work(int k) const { return memory_.data() + work_at_[k]; }
  char* raw(int k) const { return memory_.data() + raw_at_[k]; }
  char* room() const { return memory_.data() + room_at_; }

 private:
  std::int64_t reserve(const LineWalk& walk) {
    for (int k = 0; k <= walk.noutputs_; ++k) {
      const Side& s = walk.sides_[k];
      work_at_[k] = room_at_;
      room_at_ += whole_lines(walk.lines_ * s.length * s.work_size);
      raw_at_[k] = room_at_;
      if (s.convert != nullptr) room_at_ += whole_lines(walk.lines_ * s.length * s.memory_size);
    }
    return room_at_;
  }

  std::int64_t work_at_[3] = {}, raw_at_[3] = {}, room_at_ = 0;
  LineMemory memory_;
};

LineWalk::LineWalk(const LineOperand& in, std::span<const LineOperand> outs, std::size_t axis)
    : noutputs_(static_cast<int>(outs.size())), axis_(axis), iter_(plan(in, outs, axis)) {
  for (int k = 0; k < noutputs_; ++k)
    sides_[k] = side(outs[static_cast<std::size_t>(k)], axis, true);
  sides_[noutputs_] = side(in, axis, false);
  std::int64_t bytes = 1;
  for (int k = 0; k <= noutputs_; ++k) {
    const Side& s = sides_[k];
    check_line_length(s.length);
    bytes = std::max(bytes, s.length * std::max(s.work_size, s.memory_size));
  }
  lines_ = std::clamp<std::int64_t>(staged_bytes / bytes, 1, max_staged_lines);
}

LineWalk::Side LineWalk::side(const LineOperand& operand, std::size_t axis, bool is_output) const {
  const ScalarType type = operand.view.dtype();
  const std::int64_t size = element_size(type);
  const bool converts = type != operand.type;
  return {operand.length, operand.view.strides()[axis] * size, size, element_size(operand.type),
          !converts   ? nullptr
          : is_output ? convert_kernel(type, operand.type)
                      : convert_kernel(operand.type, type)};
}

/// Whether so many lines lie in memory as they would in a buffer.
bool LineWalk::is_dense(const Side& s, std::int64_t lines, std::int64_t line_bytes) const {
  return (s.length == 1 || s.axis_bytes == s.memory_size) &&
         (lines == 1 || line_bytes == s.length * s.memory_size);
}

void LineWalk::run(std::int64_t room_bytes, FunctionRef<void(const Line& line)> work) const {
  const auto loop = [&](char** data, const std::int64_t* s, std::int64_t n0, std::int64_t n1) {
    const Buffers buffers(*this, room_bytes);
    for (std::int64_t j = 0; j < n1; ++j) {
      for (std::int64_t i = 0; i < n0; i += lines_) {
        char* first[3];
        for (int k = 0; k <= noutputs_; ++k)
          first[k] = data[k] + i * s[k] + j * s[noutputs_ + 1 + k];
        run_lines(first, s, std::min(lines_, n0 - i), buffers, work);
      }
    }
  };
  iter_.for_each(loop, grain());
}

std::int64_t LineWalk::grain() const {
  return std::max<std::int64_t>(1, line_grain / sides_[noutputs_].length);
}

Explanation LineWalk::explain() const {
  Explanation e = iter_.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.common_shape[axis_] = sides_[noutputs_].length;
  // Those next to each other, which are brought together unless they lie in memory like that.
  const std::int64_t row = e.shape.empty() ? 1 : e.shape[0], lines = std::min(lines_, row);
  bool in_place = true;
  for (int k = 0; k <= noutputs_; ++k) {
    const Side& s = sides_[k];
    Explanation::Operand& operand = e.operands[static_cast<std::size_t>(k)];
    operand.shape[axis_] = s.length;
    e.run.bytes_moved += iter_.numel() * s.length * s.memory_size;
    const std::int64_t step = operand.strides_bytes.empty() ? 0 : operand.strides_bytes[0];
    in_place = in_place && s.convert == nullptr && is_dense(s, lines, step);
  }
  explain_form(in_place ? AxisForm::in_place : AxisForm::gathered, true, lines,
               sides_[noutputs_].length, e);
  e.run.blocks = iter_.numel() / row * ((row + lines - 1) / lines);
  e.run.threads = loop_threads(iter_.numel(), grain());
  return e;
}

void LineWalk::run_lines(char* const* data, const std::int64_t* steps, std::int64_t lines,
                         const Buffers& buffers, FunctionRef<void(const Line& line)> work) const {
  char* at[3];
  bool dense[3];
  for (int k = 0; k <= noutputs_; ++k) {
    const Side& s = sides_[k];
    dense[k] = is_dense(s, lines, steps[k]);
    // Where nothing is converted, work may read and write there, if that is aligned.
    const bool in_place =
        dense[k] && s.convert == nullptr &&
        reinterpret_cast<std::uintptr_t>(data[k]) % static_cast<std::uintptr_t>(s.work_size) == 0;
    if (s.convert == nullptr) dense[k] = in_place;
    at[k] = in_place ? data[k] : buffers.work(k);
  }
  const Side& in = sides_[noutputs_];
  const auto dims_of = [&](const Side& s, int k, BlockDim* dims) {
    int ndims = 0;
    append_dim(dims, ndims, {s.length, s.axis_bytes});
    append_dim(dims, ndims, {lines, steps[k]});
    return ndims;
  };
  const char* from = data[noutputs_];
  BlockDim dims[2];
  if (!dense[noutputs_]) {
    char* const to = in.convert != nullptr ? buffers.raw(noutputs_) : at[noutputs_];
    const int ndims = dims_of(in, noutputs_, dims);
    pack(copy_block_kernel(in.memory_size), to, data[noutputs_], in.memory_size, dims, ndims);
    from = to;
  }
  if (in.convert != nullptr) in.convert(at[noutputs_], from, lines * in.length);
  Line line{at[noutputs_], {at[0], at[1]}, buffers.room()};
  for (std::int64_t i = 0; i < lines; ++i) {
    work(line);
    line.in += in.length * in.work_size;
    for (int k = 0; k < noutputs_; ++k)
      line.out[k] += sides_[k].length * sides_[k].work_size;
  }
  for (int k = 0; k < noutputs_; ++k) {
    const Side& s = sides_[k];
    if (at[k] == data[k]) continue;
    const char* results = at[k];
    if (s.convert != nullptr) {
      char* const to = dense[k] ? data[k] : buffers.raw(k);
      s.convert(to, results, lines * s.length);
      results = to;
    }
    if (dense[k]) continue;
    const int ndims = dims_of(s, k, dims);
    unpack(copy_block_kernel(s.memory_size), data[k], results, s.memory_size, dims, ndims);
  }
}

}  // namespace v0
}  // namespace weft
