// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/masked_lines.hpp>

#include "base/operation.hpp"
#include "machine/scratch_memory.hpp"
#include "ops/left_out.hpp"
#include "ops/prepare_cumulative.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// A prefix kernel on blocks in which NaN is 0.
class NumberTotals {
 public:
  explicit NumberTotals(const CumulativeKernel& all)
      : all_(all), left_out_(all.types[1], Neutral::zero), kernel_(all) {
    kernel_.start = &start;
    kernel_.advance = &advance<false>;
    kernel_.advance_lines = &advance<true>;
    kernel_.combine = nullptr;
    kernel_.context = this;
  }
  NumberTotals(const NumberTotals&) = delete;
  NumberTotals& operator=(const NumberTotals&) = delete;

  /// Refers to this object.
  const CumulativeKernel& kernel() const noexcept { return kernel_; }

 private:
  static const NumberTotals& self(const void* context) {
    return *static_cast<const NumberTotals*>(context);
  }
  static void start(const void* context, void* accumulators, const char* const* starts,
                    std::int64_t n) {
    const CumulativeKernel& all = self(context).all_;
    all.start(all.context, accumulators, starts, n);
  }
  template <bool by_lines>
  static void advance(const void* context, void* accumulators, const CumulativeBlock& block) {
    self(context).take(by_lines, static_cast<char*>(accumulators), block);
  }
  void take(bool by_lines, char* accumulators, const CumulativeBlock& block) const;

  const CumulativeKernel& all_;
  LeftOut left_out_;
  CumulativeKernel kernel_;
};

/// Piece by piece: a few lines, or columns, and a part of their length that is a multiple of the
/// kernel's step.
void NumberTotals::take(bool by_lines, char* accumulators, const CumulativeBlock& b) const {
  constexpr std::int64_t several_lines = 8, several_columns = 64, step = 4;
  const std::int64_t out_size = element_size(all_.types[0]), size = element_size(all_.types[1]);
  const std::int64_t most = max_stack_buffer_bytes / size;
  const std::int64_t columns = std::min(b.columns, by_lines ? several_lines : several_columns);
  const std::int64_t length = most / columns / step * step;
  alignas(64) char values[max_stack_buffer_bytes];
  char numbers[max_stack_buffer_bytes / sizeof(float)];
  const auto advance = by_lines ? all_.advance_lines : all_.advance;
  for (std::int64_t j = 0; j < b.columns; j += columns) {
    for (std::int64_t i = 0; i < b.length; i += length) {
      const std::int64_t lines = std::min(columns, b.columns - j);
      const std::int64_t some = std::min(length, b.length - i);
      const std::int64_t row = by_lines ? j : i, first = by_lines ? i : j;
      const std::int64_t rows = by_lines ? lines : some, n = by_lines ? some : lines;
      const char* const from = b.data[1] + row * b.step_bytes[1] + first * size;
      left_out_.note_numbers(numbers, from, b.step_bytes[1], n, rows);
      left_out_.fill(values, n * size, from, b.step_bytes[1], numbers, n, n, rows);
      char* const data[] = {b.data[0] + row * b.step_bytes[0] + first * out_size, values};
      const std::int64_t steps[] = {b.step_bytes[0], n * size};
      advance(all_.context, accumulators + j * all_.accumulator_bytes,
              {data, steps, some, lines, b.totals_only});
    }
  }
}

}  // namespace

Tensor nancumsum(const Input& a, std::int64_t axis, std::optional<ScalarType> dtype) {
  Tensor out;
  if (dtype && a.view().defined()) out = Tensor::empty(a.view().shape(), *dtype);
  nancumsum_out(out, a, axis);
  return out;
}

void nancumsum_out(const Output& out, const Input& a, std::int64_t axis) {
  with_operation("nancumsum", [&] {
    const TensorView in = a.view();
    const CumulativeKernel& all = cumulative_kernel_for(CumulativeOp::cumsum, in, out.view());
    const bool may_be_nan = is_floating(all.types[1]) || is_complex(all.types[1]);
    if (!may_be_nan) return run_total_by(all, CumulativeOp::cumsum, out, in, axis);
    run_total_by(NumberTotals(all).kernel(), CumulativeOp::cumsum, out, in, axis);
  });
}

}  // namespace v0
}  // namespace weft
