// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/core/promotion.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/creation.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/operation.hpp"
#include "kernels/sequence/sequence.hpp"
#include "machine/scratch_memory.hpp"
#include "ops/result.hpp"

#include <algorithm>
#include <cmath>

namespace weft {
inline namespace v0 {
namespace {

/// Most elements of a sequence: up to here f64 counts them.
constexpr std::int64_t max_elements = std::int64_t{1} << 53;

/// Any integer of 64 bits, and their differences and products.
__extension__ using Wide = __int128;

bool is_integer(const Scalar& number) {
  return number.dtype() == ScalarType::boolean || is_integer(number.dtype());
}
/// Precondition: it is an integer.
Wide wide(const Scalar& number) {
  if (number.dtype() == ScalarType::u64) return number.to<std::uint64_t>();
  return number.to<std::int64_t>();
}
/// Modulo 2^64.
std::int64_t low_bits(Wide number) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(number));
}

void check_number(const char* which, const Scalar& number, ScalarType type) {
  if (type == ScalarType::boolean) fail(ErrorCode::dtype, "not defined for bool");
  if (!can_cast(number.dtype(), type)) {
    fail(ErrorCode::cast,
         text(which, ": ", name(number.dtype()), " can't be cast to ", name(type)));
  }
}

/// Calls write(to, first, n) with room for n dense elements of `out`, which has one axis, in
/// parallel.
template <class Write>
void write_elements(const TensorView& out, Write&& write) {
  const std::int64_t size = element_size(out.dtype());
  const std::int64_t step_bytes = out.strides()[0] * size;
  auto* const data = static_cast<char*>(out.data());
  const bool in_place =
      step_bytes == size &&
      reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size) == 0;
  parallel_for(out.numel(), 100'000, [&](std::int64_t begin, std::int64_t end) {
    if (in_place) return write(data + begin * size, begin, end - begin);
    alignas(cache_line_bytes) char block[max_stack_buffer_bytes];
    const std::int64_t most = static_cast<std::int64_t>(sizeof(block)) / size;
    for (std::int64_t first = begin; first < end; first += most) {
      const std::int64_t n = std::min(most, end - first);
      write(block, first, n);
      cast_elements(data + first * step_bytes, out.dtype(), step_bytes, block, out.dtype(), size,
                    n);
    }
  });
}

void write_progression(const TensorView& out, const Progression& terms) {
  const SequenceFn kernel = sequence_kernel(out.dtype());
  write_elements(
      out, [&](char* to, std::int64_t first, std::int64_t n) { kernel(terms, to, first, n); });
}

/// The real or the imaginary parts of a complex tensor of one axis.
TensorView parts_of(const TensorView& view, bool imaginary) {
  const bool narrow = view.dtype() == ScalarType::c64;
  const ScalarType type = narrow ? ScalarType::f32 : ScalarType::f64;
  auto* first = static_cast<char*>(view.data()) + (imaginary ? element_size(type) : 0);
  return TensorView::trusted(first, type, view.shape(), {2 * view.strides()[0]});
}

struct Arange {
  Progression terms;
  std::int64_t count = 0;
};

void check_direction(bool forwards, bool empty, bool distance_positive) {
  if (!empty && forwards != distance_positive)
    fail(ErrorCode::invalid_argument, "the step leads away from stop");
}

Arange plan_arange(const Scalar& start, const Scalar& stop, const Scalar& step) {
  Arange plan;
  if (is_integer(start) && is_integer(stop) && is_integer(step)) {
    const Wide from = wide(start), to = wide(stop), by = wide(step);
    if (by == 0) fail(ErrorCode::invalid_argument, "step: expected another number than 0");
    check_direction(by > 0, from == to, from < to);
    const Wide distance = to - from, count = distance / by + (distance % by != 0 ? 1 : 0);
    if (count > max_elements) fail(ErrorCode::overflow, "more than 2^53 elements");
    plan.count = static_cast<std::int64_t>(count);
    plan.terms.whole_start = low_bits(from);
    plan.terms.whole_step = low_bits(by);
  } else {
    const double from = start.to<double>(), to = stop.to<double>(), by = step.to<double>();
    if (!std::isfinite(from) || !std::isfinite(to) || !std::isfinite(by))
      fail(ErrorCode::invalid_argument, "expected finite numbers");
    if (by == 0) fail(ErrorCode::invalid_argument, "step: expected another number than 0");
    check_direction(by > 0, from == to, from < to);
    const double count = std::ceil((to - from) / by);
    if (!(count <= static_cast<double>(max_elements)))
      fail(ErrorCode::overflow, "more than 2^53 elements");
    plan.count = static_cast<std::int64_t>(count);
  }
  plan.terms.start = start.to<double>();
  plan.terms.step = step.to<double>();
  plan.terms.turn = plan.count;
  return plan;
}

/// From start to stop in `count` elements, in f64.
Progression between(double start, double stop, std::int64_t count) {
  Progression terms;
  terms.start = start;
  terms.stop = stop;
  terms.last = count - 1;
  terms.turn = count == 1 ? 1 : count / 2;
  if (count > 1) {
    const auto pieces = static_cast<double>(count - 1);
    const double distance = stop - start;
    terms.step = std::isfinite(distance) ? distance / pieces : stop / pieces - start / pieces;
  }
  return terms;
}

void write_integer_linspace(const TensorView& out, Wide start, Wide stop, std::int64_t count) {
  const Wide pieces = std::max<std::int64_t>(count - 1, 1);
  write_elements(out, [&](char* to, std::int64_t first, std::int64_t n) {
    const std::int64_t size = element_size(out.dtype());
    for (std::int64_t i = first; i < first + n; ++i, to += size) {
      const std::int64_t value = low_bits((start * (pieces - i) + stop * i) / pieces);
      cast_elements(to, out.dtype(), 0, &value, ScalarType::i64, 0, 1);
    }
  });
}

}  // namespace

Tensor full(IntSpan shape, const Scalar& value, ScalarType type) {
  Tensor out = Tensor::empty(shape, type);
  fill_out(out, value);
  return out;
}

void fill_out(const Output& out, const Scalar& value) {
  with_operation("fill", [&] {
    const TensorView& to = out.view();
    if (!to.defined()) fail(ErrorCode::undefined, "output 0: undefined tensor");
    // Converted once, so that what is left is a copy.
    alignas(16) char element[16];
    const TensorView number = value.view();
    cast_elements(element, to.dtype(), 0, number.data(), number.dtype(), 0, 1);
    copy_out(to, TensorView::trusted(static_cast<const void*>(element), to.dtype(), {}));
  });
}

void arange_out(const Output& out, const Scalar& start, const Scalar& stop, const Scalar& step) {
  with_operation("arange", [&] {
    ScalarType natural = ScalarType::i64;
    for (const Scalar* number : {&start, &stop, &step}) {
      if (!is_integer(*number)) {
        natural = ScalarType::f32;
        break;
      }
      if (number->dtype() == ScalarType::u64) natural = ScalarType::u64;
    }
    const ScalarType type = result_type(out, natural);
    for (const Scalar* number : {&start, &stop, &step}) {
      if (is_complex(number->dtype())) fail(ErrorCode::dtype, "not defined for complex numbers");
      check_number(number == &start ? "start" : number == &stop ? "stop" : "step", *number, type);
    }
    const Arange plan = plan_arange(start, stop, step);
    const Result result(out, {plan.count}, type);
    if (plan.count == 0) return;
    if (!is_complex(type)) return write_progression(result.view(), plan.terms);
    write_progression(parts_of(result.view(), false), plan.terms);
    fill_out(parts_of(result.view(), true), 0);
  });
}

Tensor arange(const Scalar& start, const Scalar& stop, const Scalar& step,
              std::optional<ScalarType> type) {
  Tensor out;
  if (type) out = Tensor::empty({0}, *type);
  arange_out(out, start, stop, step);
  return out;
}

void linspace_out(const Output& out, const Scalar& start, const Scalar& stop, std::int64_t count) {
  with_operation("linspace", [&] {
    const ScalarType type = result_type(out, ScalarType::f32);
    check_number("start", start, type);
    check_number("stop", stop, type);
    if (count < 0) fail(ErrorCode::shape, text("count: expected at least 0 elements, got ", count));
    const Result result(out, {count}, type);
    const TensorView& to = result.view();
    if (count == 0) return;
    if (is_integer(type)) {
      return write_integer_linspace(to, wide(start), wide(stop), count);
    }
    if (!is_complex(type))
      return write_progression(to, between(start.to<double>(), stop.to<double>(), count));
    const auto from = start.to<std::complex<double>>(), until = stop.to<std::complex<double>>();
    write_progression(parts_of(to, false), between(from.real(), until.real(), count));
    write_progression(parts_of(to, true), between(from.imag(), until.imag(), count));
  });
}

Tensor linspace(const Scalar& start, const Scalar& stop, std::int64_t count, ScalarType type) {
  Tensor out = Tensor::empty({0}, type);
  linspace_out(out, start, stop, count);
  return out;
}

}  // namespace v0
}  // namespace weft
