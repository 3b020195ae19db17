// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/iter/overlap.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace weft {
inline namespace v0 {
namespace {

/// coefficient * x with 0 <= x <= most.
struct Term {
  std::int64_t coefficient;  // > 0
  std::int64_t most;         // > 0
};

enum class Solvable : std::uint8_t { no, yes, unknown };

/// Is there an x with sum(coefficient * x) == target? All sums of coefficient * most fit in 64 bits
/// with room to spare: they are distances inside address ranges.
class Diophantine {
 public:
  explicit Diophantine(std::int64_t work_limit) : work_(work_limit) {}

  Solvable solve(SmallVector<Term, 2 * inline_rank + 2> terms, std::int64_t target) {
    std::sort(terms.begin(), terms.end(),
              [](Term a, Term b) { return a.coefficient > b.coefficient; });
    // Equal coefficients are one term of the summed bound.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (kept > 0 && terms[kept - 1].coefficient == terms[i].coefficient) {
        terms[kept - 1].most += terms[i].most;
      } else {
        terms[kept++] = terms[i];
      }
    }
    terms.resize(kept, Term{});
    reach_.clear();
    divisor_.clear();
    reach_.resize(kept + 1, 0);
    divisor_.resize(kept + 1, 0);
    for (std::size_t i = kept; i-- > 0;) {
      reach_[i] = reach_[i + 1] + terms[i].coefficient * terms[i].most;
      divisor_[i] = std::gcd(divisor_[i + 1], terms[i].coefficient);
    }
    return search(terms.data(), 0, kept, target);
  }

 private:
  Solvable search(const Term* terms, std::size_t i, std::size_t count, std::int64_t target) {
    if (target < 0 || target > reach_[i]) return Solvable::no;
    if (target == 0) return Solvable::yes;
    if (target % divisor_[i] != 0) return Solvable::no;
    if (i + 1 == count) return Solvable::yes;  // divisible, and within reach
    const std::int64_t c = terms[i].coefficient;
    // What the smaller terms cannot reach must come from this one.
    const std::int64_t least = target > reach_[i + 1] ? ceil_div(target - reach_[i + 1], c) : 0;
    const std::int64_t most = std::min(terms[i].most, target / c);
    for (std::int64_t x = most; x >= least; --x) {
      if (--work_ < 0) return Solvable::unknown;
      const Solvable rest = search(terms, i + 1, count, target - c * x);
      if (rest != Solvable::no) return rest;
    }
    return Solvable::no;
  }

  std::int64_t work_;
  SmallVector<std::int64_t, 2 * inline_rank + 4> reach_;  // most that terms i, i+1, ... can sum to
  SmallVector<std::int64_t, 2 * inline_rank + 4>
      divisor_;  // greatest common divisor of their coefficients
};

using Terms = SmallVector<Term, 2 * inline_rank + 2>;

/// Byte strides of axes that are stepped over, with extent - 1.
struct Step {
  std::int64_t stride;  // bytes, may be 0 or negative
  std::int64_t most;    // extent - 1 > 0
};
using Steps = SmallVector<Step, inline_rank>;

Steps steps_of(const TensorView& view) {
  Steps steps;
  const std::int64_t size = element_size(view.dtype());
  for (std::size_t axis = 0; axis < view.shape().size(); ++axis) {
    if (view.shape()[axis] > 1)
      steps.push_back({view.strides()[axis] * size, view.shape()[axis] - 1});
  }
  return steps;
}

/// Adds stride * x, 0 <= x <= most, to an equation. A negative stride is turned round: the lowest
/// address gets x = 0.
void add_term(Terms& terms, std::int64_t stride, std::int64_t most) {
  if (stride != 0) terms.push_back({std::abs(stride), most});
}

/// True if in order of stride every axis steps over all that the smaller ones span: then no two
/// elements meet.
bool nested(Steps steps, std::int64_t size) {
  std::sort(steps.begin(), steps.end(),
            [](Step a, Step b) { return std::abs(a.stride) < std::abs(b.stride); });
  std::int64_t span = size;
  for (const Step& step : steps) {
    if (std::abs(step.stride) < span) return false;
    span += std::abs(step.stride) * step.most;
  }
  return true;
}

/// Sums of twice a reach must fit in 64 bits. No real memory is that large; a trusted view may
/// claim to be.
bool searchable(const TensorView& view) {
  constexpr std::int64_t largest = std::int64_t{1} << 60;
  return view.first_byte() > -largest && view.end_byte() < largest;
}

/// Equal strides in bytes under the shape to which both broadcast (0 where an axis is missing or
/// repeated).
bool same_elements(const TensorView& a, const TensorView& b) {
  if (a.data() != b.data() || element_size(a.dtype()) != element_size(b.dtype())) return false;
  const int rank = std::max(a.rank(), b.rank());
  const auto seen = [rank](const TensorView& v, int axis, std::int64_t& extent) {
    const int own = axis - (rank - v.rank());
    extent = own < 0 ? 1 : v.shape()[static_cast<std::size_t>(own)];
    return own < 0 || extent == 1 ? 0 : v.strides()[static_cast<std::size_t>(own)];
  };
  for (int axis = 0; axis < rank; ++axis) {
    std::int64_t extent_a = 0;
    std::int64_t extent_b = 0;
    if (seen(a, axis, extent_a) != seen(b, axis, extent_b)) return false;
    if (extent_a != extent_b && extent_a != 1 && extent_b != 1) return false;
  }
  return true;
}

/// The greatest common divisor of `divisor` and the strides in bytes that a view steps over.
std::int64_t common_stride(const TensorView& view, std::int64_t divisor) {
  const std::int64_t size = element_size(view.dtype());
  for (std::size_t axis = 0; axis < view.shape().size(); ++axis) {
    const std::int64_t stride = view.shape()[axis] > 1 ? view.strides()[axis] * size : 0;
    if (divisor == 0 || stride % divisor != 0) divisor = std::gcd(divisor, stride);
  }
  return divisor;
}
/// True if all elements of one view begin at one place of a period, those of the other one at
/// another, and they do not meet there: as channels of pixels do.
bool interleave(const TensorView& a, const TensorView& b) {
  const std::int64_t period = common_stride(b, common_stride(a, 0));
  const std::int64_t a_size = element_size(a.dtype()), b_size = element_size(b.dtype());
  if (period < a_size + b_size) return false;
  const std::int64_t distance =
      static_cast<const char*>(b.data()) - static_cast<const char*>(a.data());
  const std::int64_t place = (distance % period + period) % period;
  return place >= a_size && place + b_size <= period;
}

}  // namespace

Overlap internal_overlap(const TensorView& view, std::int64_t work_limit) {
  if (view.numel() <= 1 || view.is_contiguous()) return Overlap::none;
  if (!searchable(view)) return Overlap::too_hard;
  const Steps steps = steps_of(view);
  const std::int64_t size = element_size(view.dtype());
  if (nested(steps, size)) return Overlap::none;
  for (const Step& step : steps) {
    if (std::abs(step.stride) < size)
      return Overlap::partial;  // neighbours along one axis, stride 0 among them
  }
  // Two elements differ by d, not all zero, and their bytes meet: |sum(stride * d)| < size. Without
  // loss of generality the first non-zero d is positive, so one search per axis: d = 0 before it, d
  // >= 1 there, any sign after it. With e = d + most >= 0 after it and a byte distance 0 <= y <= 2
  // (size - 1) for the slack, all unknowns start at 0.
  Diophantine equation(work_limit);
  for (std::size_t first = 0; first < steps.size(); ++first) {
    Terms terms;
    const std::int64_t stride = std::abs(steps[first].stride);
    if (steps[first].most > 1) add_term(terms, stride, steps[first].most - 1);
    std::int64_t target = size - 1 - stride;
    for (std::size_t i = first + 1; i < steps.size(); ++i) {
      add_term(terms, steps[i].stride, 2 * steps[i].most);
      target += std::abs(steps[i].stride) * steps[i].most;
    }
    if (size > 1) terms.push_back({1, 2 * (size - 1)});
    if (terms.empty()) {
      if (target == 0) return Overlap::partial;
      continue;
    }
    const Solvable found = equation.solve(terms, target);
    if (found == Solvable::yes) return Overlap::partial;
    if (found == Solvable::unknown) return Overlap::too_hard;
  }
  return Overlap::none;
}

Overlap overlap(const TensorView& a, const TensorView& b, std::int64_t work_limit) {
  if (a.numel() == 0 || b.numel() == 0) return Overlap::none;
  if (!searchable(a) || !searchable(b)) return Overlap::too_hard;
  const char* a_first = static_cast<const char*>(a.data()) + a.first_byte();
  const char* b_first = static_cast<const char*>(b.data()) + b.first_byte();
  const char* a_end = static_cast<const char*>(a.data()) + a.end_byte();
  const char* b_end = static_cast<const char*>(b.data()) + b.end_byte();
  if (a_end <= b_first || b_end <= a_first) return Overlap::none;
  if (same_elements(a, b)) return Overlap::full;
  if (interleave(a, b)) return Overlap::none;
  const std::int64_t a_size = element_size(a.dtype());
  const std::int64_t b_size = element_size(b.dtype());
  // A byte of an element of a: a_first + sum(|stride_a| * x) + p with 0 <= p < a_size; the same for
  // b. b's unknowns are counted from their upper end, which turns their signs: sum_a + p + sum_b' +
  // q' == b_end - 1 - a_first.
  Terms terms;
  for (const Step& step : steps_of(a))
    add_term(terms, step.stride, step.most);
  for (const Step& step : steps_of(b))
    add_term(terms, step.stride, step.most);
  if (a_size + b_size > 2) terms.push_back({1, a_size + b_size - 2});
  const std::int64_t target = b_end - 1 - a_first;
  if (terms.empty()) return target == 0 ? Overlap::partial : Overlap::none;
  switch (Diophantine(work_limit).solve(terms, target)) {
    case Solvable::no: return Overlap::none;
    case Solvable::yes: return Overlap::partial;
    case Solvable::unknown: break;
  }
  return Overlap::too_hard;
}

}  // namespace v0
}  // namespace weft
