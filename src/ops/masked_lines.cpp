// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/overlap.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/masked_lines.hpp>

#include "base/operation.hpp"
#include "ops/mask_operand.hpp"
#include "ops/masked_walk.hpp"
#include "ops/prepare_cumulative.hpp"
#include "ops/prepare_softmax.hpp"

#include <limits>

namespace weft {
inline namespace v0 {
namespace {

using Type = std::optional<ScalarType>;

Neutral neutral_of(CumulativeOp op) noexcept {
  switch (op) {
    case CumulativeOp::cumsum:
    case CumulativeOp::nancumsum: return Neutral::zero;
    case CumulativeOp::cumprod: return Neutral::one;
    case CumulativeOp::cummin:
    case CumulativeOp::cummin_index: return Neutral::largest;
    case CumulativeOp::logcumsumexp:
    case CumulativeOp::cummax:
    case CumulativeOp::cummax_index: break;
  }
  return Neutral::least;
}

/// The view of an output that is there.
const TensorView& there(const Output& out, IntSpan shape, int number) {
  const TensorView& view = out.view();
  if (out.tensor() == nullptr || (view.defined() && same_list(view.shape(), shape))) return view;
  fail(ErrorCode::invalid_argument,
       text("output ", number, ": expected one that is there, of shape ", to_string(shape),
            ", since the mask selects what is written, got ",
            view.defined() ? to_string(view.shape()) : "an undefined tensor"));
}

/// A prefix operation about to run.
class MaskedPrefix {
 public:
  MaskedPrefix(CumulativeOp op, const Output& out, const TensorView& a, const TensorView& mask,
               std::int64_t axis, int number = 0)
      : kernel_(cumulative_kernel_for(op, a, out.view())),
        walk_(there(out, a.shape(), number), a, mask_under(a.shape(), mask), axis, kernel_.types[0],
              kernel_.types[1], neutral_of(op), MaskedWalk::Cut::along) {}

  void run() const {
    const bool by_lines = walk_.rows_are_lines();
    const auto advance = by_lines ? kernel_.advance_lines : kernel_.advance;
    const auto work = [&](const MaskedBlock& b, char* accumulators, bool is_first) {
      const std::int64_t lines = by_lines ? b.rows : b.n, length = by_lines ? b.n : b.rows;
      if (is_first) kernel_.start(kernel_.context, accumulators, nullptr, lines);
      char* const data[] = {b.results, b.values};
      const std::int64_t steps[] = {b.n * element_size(kernel_.types[0]),
                                    b.n * element_size(kernel_.types[1])};
      advance(kernel_.context, accumulators, {data, steps, length, lines});
    };
    walk_.run(walk_.most_lines() * kernel_.accumulator_bytes, work);
  }

 private:
  const CumulativeKernel& kernel_;
  MaskedWalk walk_;
};

void run_prefix(const char* operation, CumulativeOp op, const Output& out, const TensorView& a,
                const TensorView& mask, std::int64_t axis) {
  with_operation(operation, [&] { MaskedPrefix(op, out, a, mask, axis).run(); });
}

void run_both(const char* operation, CumulativeOp op, CumulativeOp index_op, const Output& values,
              const Output& indices, const TensorView& a, const TensorView& mask,
              std::int64_t axis) {
  with_operation(operation, [&] {
    const MaskedPrefix of_values(op, values, a, mask, axis);
    const MaskedPrefix of_indices(index_op, indices, a, mask, axis, 1);
    if (overlap(indices.view(), a) != Overlap::none)
      fail(ErrorCode::overlap, "output 1: it shares memory with input 0");
    if (overlap(indices.view(), mask) != Overlap::none)
      fail(ErrorCode::overlap, "output 1: it shares memory with input 1 (the mask)");
    if (overlap(indices.view(), values.view()) != Overlap::none)
      fail(ErrorCode::overlap, "output 1: it shares memory with output 0");
    // The values last: they may be written over the input.
    of_indices.run();
    of_values.run();
  });
}

void run_masked_softmax(const char* operation, SoftmaxOp op, const Output& out, const TensorView& a,
                        const TensorView& mask, std::int64_t axis) {
  with_operation(operation, [&] {
    const SoftmaxKernel& kernel = softmax_kernel_for(op, a, out.view());
    const MaskedWalk walk(there(out, a.shape(), 0), a, mask_under(a.shape(), mask), axis,
                          kernel.type, kernel.type, Neutral::least, MaskedWalk::Cut::whole_lines);
    walk.run(0, [&](const MaskedBlock& b, char*, bool) {
      const TensorView lines = TensorView::trusted(b.values, kernel.type, {b.rows, b.n});
      run_softmax(lines, lines, 1, kernel, {.serial = true});
    });
  });
}

/// A result before anything is selected. Of an undefined tensor there is none yet: the call that
/// follows refuses that.
Tensor filled(const TensorView& a, ScalarType type, double number) {
  return a.defined() ? Tensor::full(a.shape(), type, number) : Tensor();
}

Tensor new_totals(const TensorView& a, CumulativeOp op, Type dtype) {
  if (!a.defined()) return {};
  return filled(a, dtype.value_or(cumulative_result_type(op, a.dtype())), 0);
}
Tensor new_softmax(const TensorView& a, Type dtype, double number) {
  if (!a.defined()) return {};
  return filled(a, dtype.value_or(softmax_result_type(a.dtype())), number);
}

}  // namespace

#define WEFT_DEFINE(NAME)                                                                  \
  Tensor masked_##NAME(const TensorView& a, const TensorView& mask, std::int64_t axis,     \
                       Type dtype) {                                                       \
    Tensor out = new_totals(a, CumulativeOp::NAME, dtype);                                 \
    masked_##NAME##_out(out, a, mask, axis);                                               \
    return out;                                                                            \
  }                                                                                        \
  void masked_##NAME##_out(const Output& out, const TensorView& a, const TensorView& mask, \
                           std::int64_t axis) {                                            \
    run_prefix("masked_" #NAME, CumulativeOp::NAME, out, a, mask, axis);                   \
  }
WEFT_DEFINE(cumsum)
WEFT_DEFINE(cumprod)
WEFT_DEFINE(logcumsumexp)
#undef WEFT_DEFINE

#define WEFT_DEFINE(NAME)                                                                          \
  ValuesAndIndices masked_##NAME(const TensorView& a, const TensorView& mask, std::int64_t axis) { \
    ValuesAndIndices out;                                                                          \
    if (a.defined()) out = {filled(a, a.dtype(), 0), filled(a, ScalarType::i64, -1)};              \
    masked_##NAME##_out(out.values, out.indices, a, mask, axis);                                   \
    return out;                                                                                    \
  }                                                                                                \
  void masked_##NAME##_out(const Output& values, const TensorView& a, const TensorView& mask,      \
                           std::int64_t axis) {                                                    \
    run_prefix("masked_" #NAME, CumulativeOp::NAME, values, a, mask, axis);                        \
  }                                                                                                \
  void masked_##NAME##_out(const Output& values, const Output& indices, const TensorView& a,       \
                           const TensorView& mask, std::int64_t axis) {                            \
    run_both("masked_" #NAME, CumulativeOp::NAME, CumulativeOp::NAME##_index, values, indices, a,  \
             mask, axis);                                                                          \
  }
WEFT_DEFINE(cummax)
WEFT_DEFINE(cummin)
#undef WEFT_DEFINE

#define WEFT_DEFINE(NAME, NOTHING)                                                         \
  Tensor masked_##NAME(const TensorView& a, const TensorView& mask, std::int64_t axis,     \
                       Type dtype) {                                                       \
    Tensor out = new_softmax(a, dtype, NOTHING);                                           \
    masked_##NAME##_out(out, a, mask, axis);                                               \
    return out;                                                                            \
  }                                                                                        \
  void masked_##NAME##_out(const Output& out, const TensorView& a, const TensorView& mask, \
                           std::int64_t axis) {                                            \
    run_masked_softmax("masked_" #NAME, SoftmaxOp::NAME, out, a, mask, axis);              \
  }
WEFT_DEFINE(softmax, 0)
WEFT_DEFINE(log_softmax, -std::numeric_limits<double>::infinity())
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
