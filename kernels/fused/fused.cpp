// SPDX-License-Identifier: Apache-2.0
// An interpreter whose values are eight registers wide: an instruction is one jump, and then eight
// times the same operation, so that deciding what to do costs less than doing it. Compiled chains
// of n functions would be as many loops as there are chains; here each function is there once.
#include "kernels/fused/fused.hpp"

#include <weft/kernel/detail/math/exponential.hpp>
#include <weft/kernel/detail/vectorized_register.hpp>

#include "core/compiled_types.hpp"

namespace weft {
inline namespace v0 {
namespace {

// ---- What the functions do ----------------------------------------------------------------------

/// As `larger` and `smaller` of kernels/binary/binary.cpp.
template <class R>
WEFT_ALWAYS_INLINE R larger(const R& a, const R& b) noexcept {
  const R left = larger_or_second(a, b), right = larger_or_second(b, a);
  return (left & right) | ((left | right) & R::of_bits(~(-R(0)).bits()));
}
template <class R>
WEFT_ALWAYS_INLINE R smaller(const R& a, const R& b) noexcept {
  return smaller_or_second(a, b) | smaller_or_second(b, a);
}
template <class R>
WEFT_ALWAYS_INLINE R at_least(const R& a, const R& b) noexcept {
  return select(isnan(b), b, larger_or_second(b, a));
}
template <class R>
WEFT_ALWAYS_INLINE R at_most(const R& a, const R& b) noexcept {
  return select(isnan(b), b, smaller_or_second(b, a));
}
/// A mask as truth values.
template <class R>
WEFT_ALWAYS_INLINE R truth(const typename R::Mask& mask) noexcept {
  using Whole = typename R::Whole;
  return select(mask, R::of_bits(Whole(~typename Whole::value_type(0))), R(0));
}

/// The result of an instruction: of x, its operand, and a choice.
template <FusedOp op, class R>
WEFT_ALWAYS_INLINE R result_of(const R& x, const R& m, const R& choice) noexcept {
  switch (op) {
    case FusedOp::load: return m;
    case FusedOp::add: return x + m;
    case FusedOp::sub: return x - m;
    case FusedOp::sub_from: return m - x;
    case FusedOp::mul: return x * m;
    case FusedOp::div: return x / m;
    case FusedOp::div_from: return m / x;
    case FusedOp::maximum: return larger(x, m);
    case FusedOp::minimum: return smaller(x, m);
    case FusedOp::clamp_min: return at_least(x, m);
    case FusedOp::clamp_max: return at_most(x, m);
    case FusedOp::eq: return truth<R>(x == m);
    case FusedOp::ne: return truth<R>(!(x == m));
    case FusedOp::lt: return truth<R>(x < m);
    case FusedOp::le: return truth<R>(x <= m);
    case FusedOp::gt: return truth<R>(x > m);
    case FusedOp::ge: return truth<R>(x >= m);
    case FusedOp::choose: return m ^ (choice & (x ^ m));
    case FusedOp::neg: return -x;
    case FusedOp::abs: return abs(x);
    case FusedOp::square: return x * x;
    case FusedOp::sqrt: return sqrt(x);
    case FusedOp::reciprocal: return R(1) / x;
    case FusedOp::relu: return select(x <= R(0), R(0), x);
    default: return x;
  }
}

/// Functions of so many instructions that they are there once, for two registers at a time: one
/// computes while the other waits.
#define WEFT_DEFINE(NAME, TEXT)                                                             \
  template <class T>                                                                        \
  [[gnu::noinline]] void NAME##_pairs(Register<T>* from, const Register<T>* end) noexcept { \
    for (; from != end; from += 2) {                                                        \
      const Register<T> first = NAME(from[0]), second = NAME(from[1]);                      \
      from[0] = first;                                                                      \
      from[1] = second;                                                                     \
    }                                                                                       \
  }
WEFT_FOR_EACH_FUSED_FUNCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

// ---- Carrying a program out ---------------------------------------------------------------------

/// Registers that one instruction works on.
constexpr int wide = 8;

/// Where an operand or a temporary is.
struct Place {
  char* at;
  std::int64_t moves;  ///< bits of the offset: all of elements, none of what stays where it is
};

/// Each instruction of an operand twice: for elements, and for one value.
constexpr int code_of(FusedOp op, bool one) {
  return 2 * static_cast<int>(op) + static_cast<int>(one);
}
/// An instruction with all that it takes, so that a jump is all that is left to do.
struct Step {
  Place place;
  const char* choice;
  std::int64_t row_step;  ///< bytes to the place in the next row
  int code;
};

/// All instructions for `count` registers of elements, which are at `offset` bytes in their rows.
template <class T, int count>
WEFT_ALWAYS_INLINE void carry_out(const Step* step, const Step* end, std::int64_t offset) noexcept {
  using R = Register<T>;
  R x[count];
  WEFT_UNROLLED
  for (R& r : x)
    r = R(0);
  for (; step != end; ++step) {
    auto* const m = reinterpret_cast<T*>(step->place.at + (offset & step->place.moves));
    const auto* const choices = reinterpret_cast<const T*>(step->choice);
    const auto apply = [&]<FusedOp op, bool one>() WEFT_INLINE_LAMBDA {
      const R same = R::load(m);
      WEFT_UNROLLED
      for (int i = 0; i < count; ++i) {
        const R choice = op == FusedOp::choose ? R::load(choices + i * R::lanes) : same;
        x[i] = result_of<op>(x[i], one ? same : R::load(m + i * R::lanes), choice);
      }
    };
    const auto in_pairs = [&](auto* function) WEFT_INLINE_LAMBDA {
      constexpr int pairs = (count + 1) / 2 * 2;
      R values[pairs];
      WEFT_UNROLLED
      for (int i = 0; i < pairs; ++i)
        values[i] = x[i < count ? i : 0];
      function(values, values + pairs);
      WEFT_UNROLLED
      for (int i = 0; i < count; ++i)
        x[i] = values[i];
    };
    switch (step->code) {
#define WEFT_CASE(NAME, TEXT)                                                                   \
  case code_of(FusedOp::NAME, false): apply.template operator()<FusedOp::NAME, false>(); break; \
  case code_of(FusedOp::NAME, true): apply.template operator()<FusedOp::NAME, true>(); break;
      WEFT_FOR_EACH_FUSED_BINARY(WEFT_CASE)
#undef WEFT_CASE
#define WEFT_CASE(NAME, TEXT) \
  case code_of(FusedOp::NAME, false): apply.template operator()<FusedOp::NAME, true>(); break;
      WEFT_FOR_EACH_FUSED_UNARY(WEFT_CASE)
#undef WEFT_CASE
#define WEFT_CASE(NAME, TEXT) \
  case code_of(FusedOp::NAME, false): in_pairs(&NAME##_pairs<T>); break;
      WEFT_FOR_EACH_FUSED_FUNCTION(WEFT_CASE)
#undef WEFT_CASE
      case code_of(FusedOp::store, false):
        WEFT_UNROLLED
        for (int i = 0; i < count; ++i)
          x[i].store(m + i * R::lanes);
        break;
      default: __builtin_unreachable();
    }
  }
}

/// Whether rows follow each other without a gap in all operands.
template <class T>
bool is_one_row(const std::int64_t* row_bytes, std::int64_t n, int operands,
                std::uint32_t broadcast) noexcept {
  for (int k = 0; k < operands; ++k) {
    const bool one = (broadcast >> k & 1) != 0;
    if (row_bytes[k] != (one ? 0 : n * static_cast<std::int64_t>(sizeof(T)))) return false;
  }
  return true;
}

/// A program over spans of its operands.
template <class T>
class FusedSpans {
  using R = Register<T>;
  static constexpr std::int64_t size = sizeof(T), lanes = R::lanes, block = wide * lanes;
  static constexpr std::int64_t temporary_bytes = block * size;

 public:
  static_assert(FusedProgram::max_temporaries * temporary_bytes <= 8192);

  static void run(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    FusedSpans spans(*static_cast<const FusedProgram*>(context), broadcast);
    spans.find_in_place(data);
    if (rows > 1 && is_one_row<T>(row_bytes, n, spans.operands_, broadcast)) {
      n *= rows;
      rows = 1;
    }
    const std::int64_t at_once = rows > 1 ? spans.repeat_rows(data, row_bytes, n, rows) : 1;
    // A rest that fills no register takes the operands elsewhere.
    const bool follow = rows > at_once && spans.has_no_rest(n * at_once);
    if (follow) spans.set_row_steps(row_bytes, at_once);
    for (std::int64_t row = 0; row < rows; row += at_once) {
      const bool whole = rows - row >= at_once;
      if (row != 0 && follow && whole)
        spans.next_row(data, row_bytes, row);
      else
        spans.set_all(data, row_bytes, row);
      spans.run_row(n * (whole ? at_once : rows - row));
    }
  }

 private:
  FusedSpans(const FusedProgram& program, std::uint32_t broadcast) noexcept
      : program_(program),
        operands_(program.noutputs + program.ninputs),
        broadcast_(broadcast),
        end_(steps_ + program.count) {
    for (int t = 0; t < program.ntemporaries; ++t)
      places_[operands_ + t] = {memory_ + t * temporary_bytes, 0};
    for (int i = 0; i < program.count; ++i)
      steps_[i].code = code_of(program.instructions[i].op, is_one(program.instructions[i].operand));
  }

  /// An element, at any alignment.
  static T element_at(const char* at) noexcept {
    T value;
    __builtin_memcpy(&value, at, sizeof(T));
    return value;
  }
  void find_in_place(char* const* data) noexcept {
    for (int o = 0; o < program_.noutputs; ++o) {
      for (int k = program_.noutputs; k < operands_; ++k)
        in_place_ = in_place_ || data[o] == data[k];
    }
  }
  bool is_one(int operand) const noexcept {
    return operand < operands_ && (broadcast_ >> operand & 1) != 0;
  }
  /// Short rows that follow each other, but for inputs that are one row all along, as a bias of
  /// pixels is: these are repeated in a buffer, so that several rows are one. How many; 1 if it is
  /// not so, or not worth it. Where a row is a power of two of elements and there is room for it
  /// and a block, all rows are one: what is read goes around in the buffer.
  std::int64_t repeat_rows(char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                           std::int64_t rows) noexcept {
    std::uint32_t same = 0;
    std::int64_t count = 0;
    for (int k = 0; k < operands_; ++k) {
      if (row_bytes[k] == 0 && k >= program_.noutputs) {
        if (is_one(k)) continue;
        same |= 1U << k;
        ++count;
      } else if (is_one(k) || row_bytes[k] != n * size) {
        return 1;
      }
    }
    if (count == 0) return 1;
    char* to = memory_ + program_.ntemporaries * temporary_bytes;
    const std::int64_t room = (memory_ + sizeof(memory_) - to) / size / count;
    const std::int64_t around = n > block ? n : block;
    const std::int64_t copies_around = (around + block + n - 1) / n;
    const bool goes_around = (n & (n - 1)) == 0 && copies_around * n <= room;
    const std::int64_t copies = goes_around ? copies_around : room / n < rows ? room / n : rows;
    if (copies < 2) return 1;
    repeat_moves_ = goes_around ? around * size - 1 : -1;
    for (int k = 0; k < operands_; ++k) {
      if ((same >> k & 1) == 0) continue;
      repeats_[k] = to;
      for (std::int64_t row = 0; row < copies; ++row, to += n * size)
        __builtin_memcpy(to, data[k], static_cast<std::size_t>(n * size));
    }
    return goes_around ? rows : copies;
  }
  /// Operand k is one register that stays where it is: `spare_` of k.
  void set_spare(int k) noexcept { places_[k] = {reinterpret_cast<char*>(spare_[k]), 0}; }
  void set(int k, char* at) noexcept {
    if (!is_one(k)) {
      places_[k] = repeats_[k] != nullptr ? Place{repeats_[k], repeat_moves_} : Place{at, -1};
      return;
    }
    R(element_at(at)).store(spare_[k]);
    set_spare(k);
  }
  // Once a row, and no part of the loop: inlined, these three are a quarter of the text.
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
      const int k = program_.instructions[i].operand;
      const bool moves = k < operands_ && !is_one(k) && repeats_[k] == nullptr;
      steps_[i].row_step = moves ? row_bytes[k] * at_once : 0;
    }
    for (int k = program_.noutputs; k < operands_; ++k)
      if (is_one(k) && row_bytes[k] != 0) row_values_ |= 1U << k;
  }
  /// The same as set_all, of rows that follow.
  [[gnu::noinline]] void next_row(char* const* data, const std::int64_t* row_bytes,
                                  std::int64_t row) noexcept {
    for (int i = 0; i < program_.count; ++i)
      steps_[i].place.at += steps_[i].row_step;
    for (std::uint32_t left = row_values_; left != 0; left &= left - 1) {
      const int k = __builtin_ctz(left);
      R(element_at(data[k] + row * row_bytes[k])).store(spare_[k]);
    }
  }
  void set_steps() noexcept {
    for (int i = 0; i < program_.count; ++i) {
      const FusedInstruction& from = program_.instructions[i];
      steps_[i].place = places_[from.operand];
      steps_[i].choice = places_[from.choice].at;
    }
  }

  bool has_no_rest(std::int64_t n) const noexcept {
    return n % lanes == 0 || (n >= block && !in_place_);
  }
  void run_row(std::int64_t n) noexcept {
    // The last block again in part, unless its inputs are there no more.
    const std::int64_t end = in_place_ || n < block ? n / block * block : n;
    std::int64_t i = 0;
    for (; i < end; i += block)
      carry_out<T, wide>(steps_, end_, (i + block <= n ? i : n - block) * size);
    if (i >= n) return;
    for (; i + lanes <= n; i += lanes)
      carry_out<T, 1>(steps_, end_, i * size);
    if (i < n) run_rest(i * size, n - i);
  }

  /// The elements that a row ends with, fewer than a register's: by way of `spare_`.
  void run_rest(std::int64_t offset, std::int64_t count) noexcept {
    const auto bytes = static_cast<std::size_t>(count * size);
    char* outputs[max_operands];
    for (int k = 0; k < operands_; ++k) {
      if (places_[k].moves == 0) continue;
      char* const at = places_[k].at + (offset & places_[k].moves);
      if (k < program_.noutputs) {
        outputs[k] = at;
      } else {
        // The first one again, where there are no more: of that no function is slow.
        R(element_at(at)).store(spare_[k]);
        __builtin_memcpy(spare_[k], at, bytes);
      }
      set_spare(k);
    }
    set_steps();
    carry_out<T, 1>(steps_, end_, 0);
    for (int k = 0; k < program_.noutputs; ++k)
      __builtin_memcpy(outputs[k], spare_[k], bytes);
  }

  const FusedProgram& program_;
  int operands_;
  std::uint32_t broadcast_;
  bool in_place_ = false;         // an output is an input
  std::uint32_t row_values_ = 0;  // inputs that are another value in each row
  const Step* end_;
  Step steps_[FusedProgram::max_instructions];
  Place places_[max_operands + FusedProgram::max_temporaries];
  char* repeats_[max_operands] = {};  // in memory_, of inputs that are repeated
  std::int64_t repeat_moves_ = -1;    // their Place::moves
  // Single values, all along a register, and what a row ends with.
  alignas(64) T spare_[max_operands][lanes];
  alignas(64) char memory_[8192];  // temporaries, and rows that are repeated
};

}  // namespace

SpanKernel::Run WEFT_KERNEL(fused_loop)(ScalarType type) {
  if constexpr (is_compiled(ScalarType::f32))
    if (type == ScalarType::f32) return &FusedSpans<float>::run;
  if constexpr (is_compiled(ScalarType::f64))
    if (type == ScalarType::f64) return &FusedSpans<double>::run;
  return nullptr;
}

}  // namespace v0
}  // namespace weft
