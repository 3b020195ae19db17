// SPDX-License-Identifier: Apache-2.0
/// @file
/// A fused program over the rows of its operands.
#pragma once

#include "kernels/fused/instructions.hpp"
#include "kernels/stage/stage.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Where a program's operands are in the row at hand, and its instructions for them.
template <class T>
class FusedRows {
  using R = Register<T>;
  static constexpr std::int64_t size = sizeof(T), lanes = R::lanes;

 public:
  static constexpr std::int64_t block = fused_width * lanes;

  FusedRows(const FusedProgram& program, std::uint32_t broadcast) noexcept
      : program_(program),
        operands_(program.noutputs + program.ninputs),
        broadcast_(broadcast),
        end_(steps_ + program.count) {
    static_assert(FusedProgram::max_temporaries * temporary_bytes <= sizeof(memory_));
    selects_ = program.instructions[program.count - 1].op == FusedOp::store_selected;
    for (int t = 0; t < program.ntemporaries; ++t)
      places_[operands_ + t] = {memory_ + t * temporary_bytes, 0};
    set_codes();
  }

  // ---- Operands in memory: of each its first row, the bytes from one row to the next, and n
  // ---- elements a row

  void find_in_place(char* const* data) noexcept {
    for (int o = 0; o < program_.noutputs; ++o) {
      for (int k = program_.noutputs; k < operands_; ++k)
        in_place_ = in_place_ || data[o] == data[k];
    }
  }
  /// How many rows are one: all that follow each other, or what repeat_rows() makes of them.
  std::int64_t join_rows(char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                         std::int64_t rows) noexcept {
    return rows == 1 || is_one_row(row_bytes, n) ? rows : repeat_rows(data, row_bytes, n, rows);
  }
  bool repeats_values() const noexcept { return repeated_values_ != 0; }
  /// Repeats what is one value in each row, for `count` rows from one on.
  void repeat_values(char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                     std::int64_t row, std::int64_t count) noexcept {
    for (std::uint32_t left = repeated_values_; left != 0; left &= left - 1) {
      const int k = __builtin_ctz(left);
      const std::int64_t bytes = size_of(k);
      copy_block(bytes)(repeats_[k], bytes, n * bytes, data[k] + row * row_bytes[k], 0,
                        row_bytes[k], n, count);
    }
  }
  /// Whether rows follow each other without a gap in all operands.
  bool is_one_row(const std::int64_t* row_bytes, std::int64_t n) const noexcept {
    for (int k = 0; k < operands_; ++k)
      if (row_bytes[k] != (is_one(k) ? 0 : n * size_of(k))) return false;
    return true;
  }
  /// Short rows that follow each other, but for inputs that are one row all along, as a bias of
  /// pixels is, or one value in each row: these are repeated in a buffer, so that several rows are
  /// one. How many; 1 if it is not so, or not worth it. Where a row is a power of two of elements
  /// and there is room for it and a block, all rows are one: what is read goes around in the
  /// buffer.
  [[gnu::noinline]] std::int64_t repeat_rows(char* const* data, const std::int64_t* row_bytes,
                                             std::int64_t n, std::int64_t rows) noexcept {
    std::uint32_t same = 0, values = 0;
    std::int64_t count = 0;
    for (int k = 0; k < operands_; ++k) {
      const bool one = is_one(k), still = row_bytes[k] == 0 && k >= program_.noutputs;
      if (one && still) continue;
      if (one || still) {
        (one ? values : same) |= 1U << k;
        ++count;
      } else if (row_bytes[k] != n * size_of(k)) {
        return 1;
      }
    }
    // Of values rows are short if they fill neither one block nor two.
    if (count == 0 || (values != 0 && (n >= 2 * block || n == block))) return 1;
    char* to = memory_ + program_.ntemporaries * temporary_bytes;
    const std::int64_t room = (memory_ + sizeof(memory_) - to) / size / count / lanes * lanes;
    const std::int64_t around = n > block ? n : block;
    const std::int64_t copies_around = (around + block + n - 1) / n;
    const bool goes_around = values == 0 && (n & (n - 1)) == 0 && copies_around * n <= room;
    const std::int64_t copies = goes_around ? copies_around : room / n < rows ? room / n : rows;
    if (copies < 2) return 1;
    repeat_moves_ = goes_around ? around * size - 1 : -1;
    for (int k = 0; k < operands_; ++k) {
      if (((same | values) >> k & 1) == 0) continue;
      repeats_[k] = to;
      const std::int64_t bytes = size_of(k);
      if ((same >> k & 1) != 0)
        copy_block(bytes)(to, bytes, n * bytes, data[k], bytes, 0, n, copies);
      to += room * size;
    }
    if (values != 0) take_for_rows(values);
    return goes_around ? rows : copies;
  }
  /// Bytes from one element of operand k to the next.
  std::int64_t step_of(int k) const noexcept { return is_one(k) ? 0 : size_of(k); }
  /// Whether run_row(n) leaves all places as they are: else next_row() cannot follow.
  bool has_no_rest(std::int64_t n) const noexcept {
    return n % lanes == 0 || (n >= block && !in_place_);
  }

  // Once a row, and no part of the loop: inlined, these three are a quarter of the text.
  /// Goes to a row.
  [[gnu::noinline]] void set_all(char* const* data, const std::int64_t* row_bytes,
                                 std::int64_t row) noexcept {
    for (int k = 0; k < operands_; ++k)
      set(k, data[k] + (row == 0 ? 0 : row * row_bytes[k]));
    set_steps();
  }
  /// How far instructions move on when the next `at_once` rows come.
  [[gnu::noinline]] void set_row_steps(const std::int64_t* row_bytes,
                                       std::int64_t at_once) noexcept {
    for (int i = 0; i < program_.count; ++i) {
      const auto step_of = [&](int k) {
        const bool moves = k < operands_ && !is_one(k) && repeats_[k] == nullptr;
        return moves ? row_bytes[k] * at_once : 0;
      };
      steps_[i].row_step = step_of(program_.instructions[i].operand);
      steps_[i].second_row_step = step_of(program_.instructions[i].second);
    }
    for (int k = program_.noutputs; k < operands_; ++k)
      if (is_one(k) && row_bytes[k] != 0) row_values_ |= 1U << k;
  }
  /// The same as set_all, of rows that follow.
  [[gnu::noinline]] void next_row(char* const* data, const std::int64_t* row_bytes,
                                  std::int64_t row) noexcept {
    for (int i = 0; i < program_.count; ++i) {
      steps_[i].place.at += steps_[i].row_step;
      steps_[i].second.at += steps_[i].second_row_step;
    }
    for (std::uint32_t left = row_values_; left != 0; left &= left - 1) {
      const int k = __builtin_ctz(left);
      fill_spare(k, data[k] + row * row_bytes[k]);
    }
  }

  // ---- The row at hand

  void run_row(std::int64_t n) noexcept {
    // The last block again in part, unless its inputs are there no more.
    const std::int64_t end = in_place_ || n < block ? n / block * block : n;
    std::int64_t i = 0;
    for (; i < end; i += block)
      carry_out<T, fused_width>(steps_, end_, (i + block <= n ? i : n - block) * size, nothing);
    if (i >= n) return;
    for (; i + lanes <= n; i += lanes)
      run_register(i);
    if (i < n) run_rest(i * size, n - i);
  }
  /// Elements [i, i + n) as a row of their own: outputs begin with them.
  void run_part(std::int64_t i, std::int64_t n) noexcept {
    move_inputs(i);
    run_row(n);
    move_inputs(-i);
  }
  /// A block from element i on, of a program that ends by storing its only output: what it would
  /// store is given to `take` instead, as an array of registers.
  template <class Take>
  WEFT_ALWAYS_INLINE void run_block(std::int64_t i, const Take& take) const noexcept {
    carry_out<T, fused_width>(steps_, end_ - 1, i * size, take);
  }

 private:
  static constexpr std::int64_t temporary_bytes = block * size;
  static constexpr auto nothing = [](const auto&) WEFT_INLINE_LAMBDA {};

  /// An element, at any alignment.
  static T element_at(const char* at) noexcept {
    T value;
    __builtin_memcpy(&value, at, sizeof(T));
    return value;
  }
  bool is_one(int operand) const noexcept {
    return operand < operands_ && (broadcast_ >> operand & 1) != 0;
  }
  std::int64_t size_of(int operand) const noexcept {
    return (program_.flags >> operand & 1) != 0 ? 1 : size;
  }
  static CopyBlockFn copy_block(std::int64_t element_bytes) noexcept {
    return WEFT_KERNEL(copy_block_kernel)(element_bytes);
  }
  /// An element all along a register.
  void fill_spare(int k, const char* at) noexcept {
    if (size_of(k) == 1)
      __builtin_memset(spare_[k], *at, sizeof(spare_[k]));
    else
      R(element_at(at)).store(spare_[k]);
  }
  /// Operands that were one value are rows from now on.
  void take_for_rows(std::uint32_t values) noexcept {
    repeated_values_ = values;
    broadcast_ &= ~values;
    set_codes();
  }
  void set_codes() noexcept {
    for (int i = 0; i < program_.count; ++i) {
      const FusedInstruction& of = program_.instructions[i];
      steps_[i].code = code_of(of.op, is_one(of.operand), is_pair(of.op) && is_one(of.second));
    }
  }
  /// Operand k is one register that stays where it is: `spare_` of k.
  void set_spare(int k) noexcept { places_[k] = {reinterpret_cast<char*>(spare_[k]), 0}; }
  void set(int k, char* at) noexcept {
    if (!is_one(k)) {
      places_[k] =
          repeats_[k] != nullptr ? FusedPlace{repeats_[k], repeat_moves_} : FusedPlace{at, -1};
      return;
    }
    fill_spare(k, at);
    set_spare(k);
  }
  void set_steps() noexcept {
    for (int i = 0; i < program_.count; ++i) {
      const FusedInstruction& from = program_.instructions[i];
      steps_[i].place = places_[from.operand];
      steps_[i].second = places_[from.second];
    }
  }

  [[gnu::noinline]] void run_register(std::int64_t i) const noexcept {
    carry_out<T, 1>(steps_, end_, i * size, nothing);
  }

  void move_inputs(std::int64_t elements) noexcept {
    const auto move = [&](FusedPlace& place, int k) {
      if (k >= program_.noutputs && place.moves != 0) place.at += elements * size_of(k);
    };
    for (int i = 0; i < program_.count; ++i) {
      move(steps_[i].place, program_.instructions[i].operand);
      move(steps_[i].second, program_.instructions[i].second);
    }
  }

  /// The elements that a row ends with, fewer than a register's: by way of `spare_`. What is
  /// selected is stored where it belongs, and nothing is where there are no more elements.
  void run_rest(std::int64_t offset, std::int64_t count) noexcept {
    char* outputs[max_operands];
    for (int k = 0; k < operands_; ++k) {
      if (places_[k].moves == 0) continue;
      char* const at = places_[k].at + (offset & places_[k].moves) / size * size_of(k);
      if (k < program_.noutputs) {
        outputs[k] = at;
        if (selects_) {
          places_[k] = {at, 0};
          continue;
        }
      } else {
        // The first one again, where there are no more: of that no function is slow.
        fill_spare(k, at);
        if (selects_ && size_of(k) == 1) __builtin_memset(spare_[k], 0, sizeof(spare_[k]));
        __builtin_memcpy(spare_[k], at, static_cast<std::size_t>(count * size_of(k)));
      }
      set_spare(k);
    }
    set_steps();
    run_register(0);
    for (int k = 0; k < program_.noutputs && !selects_; ++k)
      __builtin_memcpy(outputs[k], spare_[k], static_cast<std::size_t>(count * size_of(k)));
  }

  const FusedProgram& program_;
  int operands_;
  std::uint32_t broadcast_;
  bool selects_;                  // the program ends by storing what is selected
  bool in_place_ = false;         // an output is an input
  std::uint32_t row_values_ = 0;  // inputs that are another value in each row
  const FusedStep* end_;
  FusedStep steps_[FusedProgram::max_instructions];
  FusedPlace places_[max_operands + FusedProgram::max_temporaries];
  std::uint32_t repeated_values_ = 0;  // the same, whose values are repeated
  char* repeats_[max_operands] = {};   // in memory_, of inputs that are repeated
  std::int64_t repeat_moves_ = -1;     // their FusedPlace::moves
  // Single values, all along a register, and what a row ends with.
  alignas(64) T spare_[max_operands][lanes];
  alignas(64) char memory_[8192];  // temporaries, and rows that are repeated
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
