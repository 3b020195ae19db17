// SPDX-License-Identifier: Apache-2.0
// median and quantile: elements at places of the order, of which only these places are sorted.
#include <weft/base/error.hpp>
#include <weft/ops/sorting.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "ops/index_operand.hpp"
#include "ops/line_sorter.hpp"
#include "ops/line_walk.hpp"
#include "ops/moved_result.hpp"
#include "ops/prepare_sort.hpp"

#include <cmath>

namespace weft {
inline namespace v0 {
namespace {

/// How a result is shaped.
struct QuantileShape {
  bool keepdim;     ///< the axis has extent 1, or is gone
  bool first_axis;  ///< there is one for the q
};

/// From a to b in proportion, in the middle their mean; neither overflows on the way nor makes NaN
/// of an infinity, unless both are infinite.
double between(double a, double b, double t) {
  if (t == 0 || a == b) return a;
  if (const double sum = a + b; t == 0.5 && std::isfinite(sum)) return sum / 2;
  const double distance = b - a;
  if (!std::isfinite(distance)) return a * (1 - t) + b * t;
  return t < 0.5 ? a + distance * t : b - distance * (1 - t);
}

DimVector shape_of(const TensorView& a, std::size_t axis, std::int64_t count, QuantileShape how) {
  DimVector shape;
  if (how.first_axis) shape.push_back(count);
  for (std::size_t i = 0; i < a.shape().size(); ++i) {
    if (i != axis) {
      shape.push_back(a.shape()[i]);
    } else if (how.keepdim) {
      shape.push_back(1);
    }
  }
  return shape;
}

/// The result as a tensor that has the q along the axis.
TensorView with_lines(const TensorView& out, std::size_t axis, bool has_axis, QuantileShape how) {
  auto along = static_cast<std::int64_t>(axis);
  if (!how.first_axis) return how.keepdim && has_axis ? out : out.unsqueeze(along);
  const TensorView view = how.keepdim && has_axis ? out.select(along + 1, 0) : out;
  DimVector order;
  for (std::int64_t i = 1; i < view.rank(); ++i)
    order.push_back(i);
  order.push_back(0);
  for (std::size_t i = order.size() - 1; i > axis; --i)
    std::swap(order[i], order[i - 1]);
  return view.permute(order);
}

/// `told` gets how it would be done instead, if it is there.
void run_quantile(const char* operation, const Output& out, TensorView a, std::span<const double> q,
                  std::int64_t axis, QuantileShape how, Explanation* told = nullptr) {
  with_operation(operation, [&] {
    check_defined(a, 0);
    if (is_complex(a.dtype())) fail_no_kernel(a.dtype());
    const auto along = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!(q[i] >= 0 && q[i] <= 1))
        fail(ErrorCode::invalid_argument, text("q ", i, ": expected from 0 to 1, got ", q[i]));
    }
    const TensorView lines = with_axis(a);
    const std::int64_t n = lines.shape()[along];
    if (n == 0) fail(ErrorCode::shape, text("axis ", along, " has no elements"));
    const auto count = static_cast<std::int64_t>(q.size());
    const ScalarType type = is_floating(a.dtype()) ? a.dtype() : ScalarType::f32;
    const MovedResult result(out, shape_of(a, along, count, how), type, a);
    if (told != nullptr) *told = explain_nothing(lines.shape());
    if (result.view().numel() == 0) return;

    const LineSorter sorter(a.dtype(), n, SortOrder::ascending, SortedPart::few);
    const LineOperand to{with_lines(result.view(), along, a.rank() > 0, how), count,
                         ScalarType::f64};
    const LineWalk walk({lines, n, sorter.type()}, {&to, 1}, along);
    if (told != nullptr) {
      *told = walk.explain();
      return;
    }
    const std::int64_t own_bytes =
        whole_lines(count * static_cast<std::int64_t>(sizeof(LineSorter::Neighbours)));
    walk.run(own_bytes + sorter.find_room(), [&](const Line& line) {
      auto* const found = reinterpret_cast<LineSorter::Neighbours*>(line.room);
      const auto place_of = [&](std::int64_t i) {
        return q[static_cast<std::size_t>(i)] * static_cast<double>(n - 1);
      };
      for (std::int64_t i = 0; i < count; ++i)
        found[i] = {static_cast<std::int64_t>(place_of(i)), 0, 0};
      sorter.find(found, count, line.in, line.room + own_bytes);
      for (std::int64_t i = 0; i < count; ++i) {
        const double t = place_of(i) - static_cast<double>(found[i].place);
        reinterpret_cast<double*>(line.out[0])[i] = between(found[i].first, found[i].second, t);
      }
    });
  });
}

constexpr double middle[] = {0.5};

}  // namespace

Explanation explain_median(const TensorView& out, const TensorView& a, std::int64_t axis,
                           bool keepdim) {
  Explanation told;
  run_quantile("median", out, a, middle, axis, {keepdim, false}, &told);
  return told;
}

void median_out(const Output& out, const TensorView& a, std::int64_t axis, bool keepdim) {
  run_quantile("median", out, a, middle, axis, {keepdim, false});
}
Tensor median(const TensorView& a, std::int64_t axis, bool keepdim) {
  Tensor out;
  median_out(out, a, axis, keepdim);
  return out;
}

void quantile_out(const Output& out, const TensorView& a, double q, std::int64_t axis,
                  bool keepdim) {
  run_quantile("quantile", out, a, {&q, 1}, axis, {keepdim, false});
}
Tensor quantile(const TensorView& a, double q, std::int64_t axis, bool keepdim) {
  Tensor out;
  quantile_out(out, a, q, axis, keepdim);
  return out;
}

void quantile_out(const Output& out, const TensorView& a, std::span<const double> q,
                  std::int64_t axis, bool keepdim) {
  run_quantile("quantile", out, a, q, axis, {keepdim, true});
}
Tensor quantile(const TensorView& a, std::span<const double> q, std::int64_t axis, bool keepdim) {
  Tensor out;
  quantile_out(out, a, q, axis, keepdim);
  return out;
}

}  // namespace v0
}  // namespace weft
