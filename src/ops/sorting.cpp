// SPDX-License-Identifier: Apache-2.0
// sort, argsort, topk and partition.
#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>
#include <weft/ops/sorting.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "ops/index_operand.hpp"
#include "ops/line_sorter.hpp"
#include "ops/line_walk.hpp"
#include "ops/moved_result.hpp"
#include "ops/prepare_sort.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

namespace weft {
inline namespace v0 {
namespace {

/// Where a result goes, if it is wanted.
class SortResult {
 public:
  /// `out` may be null. Throws Error as MovedResult does, that names output `number`.
  SortResult(const Output* out, int number, ScalarType type)
      : out_(out), number_(number), type_(type) {
    if (out_ == nullptr) return;
    const TensorView& view = out_->view();
    if (view.defined() && !can_cast(type, view.dtype())) {
      fail(ErrorCode::cast,
           text("output ", number, ": ", name(type), " can't be cast to ", name(view.dtype())));
    }
  }

  bool is_wanted() const { return out_ != nullptr; }
  /// Whether there is nothing to check, since it gets memory of its own.
  bool is_replaced(IntSpan shape) const {
    return out_ != nullptr && out_->tensor() != nullptr &&
           !(out_->view().defined() && same_list(out_->view().shape(), shape));
  }
  void make(IntSpan shape, std::span<const TensorView* const> inputs) {
    if (out_ == nullptr || result_) return;
    try {
      result_.emplace(*out_, shape, type_, inputs);
    } catch (const Error& error) {
      std::string words = error.what();
      if (number_ == 1 && words.starts_with("output 0")) words[7] = '1';
      fail(error.code(), words);
    }
  }
  const TensorView& given() const { return out_->view(); }
  LineOperand operand(std::int64_t length, ScalarType type) const {
    return {with_axis(result_->view()), length, type};
  }

 private:
  const Output* out_;
  int number_;
  ScalarType type_;
  std::optional<MovedResult> result_;
};

/// Values may be written over the input, if they are as many.
void make_results(SortResult& values, SortResult& indices, const TensorView& a, IntSpan shape) {
  const bool in_place = values.is_wanted() && same_place(values.given(), a);
  const TensorView* from_a[] = {&a};
  const bool both = values.is_wanted() && indices.is_wanted();
  const bool own_values = values.is_replaced(shape), own_indices = indices.is_replaced(shape);
  const TensorView* both_met[] = {&a, both ? &values.given() : &a};
  if (both && &values.given() == &indices.given())
    fail(ErrorCode::overlap, "output 1: it shares memory with output 0");
  // First those that can be refused.
  if (!own_values) values.make(shape, std::span(from_a, in_place ? 0 : 1));
  if (!own_indices) {
    try {
      indices.make(shape, std::span(both_met, both && !own_values ? 2 : 1));
    } catch (const Error& error) {
      std::string words = error.what();
      const std::size_t at = words.find("input 1");
      if (at != std::string::npos) words.replace(at, 7, "output 0");
      fail(error.code(), words);
    }
  }
  values.make(shape, {});
  indices.make(shape, {});
}

/// An input whose axis is checked.
struct SortInput {
  // By value: a view may be the very tensor that is replaced as an output.
  SortInput(const TensorView& view, std::int64_t wanted_axis) : a(view) {
    check_defined(a, 0);
    if (is_complex(a.dtype())) fail_no_kernel(a.dtype());
    axis = static_cast<std::size_t>(normalize_axis(wanted_axis, a.rank()));
    lines = with_axis(a);
    length = lines.shape()[axis];
  }

  TensorView a, lines;
  std::size_t axis;
  std::int64_t length;
};

using Taken = std::optional<std::int64_t>;

// `told` gets how it would be done instead, if it is there.

void run_sort(const char* operation, const Output* values, const Output* indices,
              const TensorView& a, std::int64_t axis, SortOrder order, Taken taken,
              Explanation* told = nullptr) {
  with_operation(operation, [&] {
    const SortInput in(a, axis);
    if (order > SortOrder::descending)
      fail(ErrorCode::invalid_argument,
           text("there is no order of number ", static_cast<int>(order)));
    if (taken && (*taken < 0 || *taken > in.length)) {
      fail(ErrorCode::invalid_argument, text("k: expected from 0 to ", in.length,
                                             ", the extent of axis ", in.axis, ", got ", *taken));
    }
    DimVector shape;
    shape.assign(taken ? in.lines.shape() : in.a.shape());
    if (taken) shape[in.axis] = *taken;
    SortResult to_values(values, 0, in.a.dtype());
    SortResult to_indices(indices, values == nullptr ? 0 : 1, ScalarType::i64);
    make_results(to_values, to_indices, in.a, shape);
    const std::int64_t k = taken.value_or(in.length);
    if (told != nullptr) *told = explain_nothing(in.lines.shape());
    if (k == 0 || in.lines.numel() == 0) return;

    const SortedPart part = k == in.length ? SortedPart::all : SortedPart::few;
    const LineSorter sorter(in.a.dtype(), in.length, order, part, in.lines.numel() / in.length);
    SmallVector<LineOperand, 2> outs;
    if (values != nullptr) outs.push_back(to_values.operand(k, sorter.type()));
    if (indices != nullptr) outs.push_back(to_indices.operand(k, ScalarType::i64));
    const LineWalk walk({in.lines, in.length, sorter.type()}, {outs.data(), outs.size()}, in.axis);
    if (told != nullptr) {
      *told = walk.explain();
      told->run.threads = std::max(told->run.threads, static_cast<int>(sorter.parts()));
      return;
    }
    if (indices == nullptr && k == in.length) {
      return walk.run(sorter.sort_room(),
                      [&](const Line& line) { sorter.sort(line.out[0], line.in, line.room); });
    }
    walk.run(sorter.first_room(k), [&](const Line& line) {
      auto* const positions = reinterpret_cast<std::int64_t*>(line.out[outs.size() - 1]);
      sorter.first_positions(positions, k, line.in, line.room);
      if (values == nullptr) return;
      const bool in_place = line.out[0] == line.in;
      sorter.take(in_place ? line.room : line.out[0], line.in, positions, k);
      if (in_place)
        std::memcpy(line.out[0], line.room,
                    static_cast<std::size_t>(k * element_size(sorter.type())));
    });
  });
}

void run_partition(const Output& out, const TensorView& a, std::int64_t k, std::int64_t axis,
                   Explanation* told = nullptr) {
  with_operation("partition", [&] {
    const SortInput in(a, axis);
    if (k < -in.length || k >= in.length) {
      fail(ErrorCode::invalid_argument,
           text("k: ", k, " is outside of axis ", in.axis, " of extent ", in.length));
    }
    SortResult values(&out, 0, in.a.dtype()), none(nullptr, 1, ScalarType::i64);
    make_results(values, none, in.a, in.a.shape());
    if (told != nullptr) *told = explain_nothing(in.lines.shape());
    if (in.lines.numel() == 0) return;
    const LineSorter sorter(in.a.dtype(), in.length, SortOrder::ascending, SortedPart::few);
    const LineOperand to = values.operand(in.length, sorter.type());
    const LineWalk walk({in.lines, in.length, sorter.type()}, {&to, 1}, in.axis);
    if (told != nullptr) {
      *told = walk.explain();
      return;
    }
    walk.run(sorter.partition_room(), [&](const Line& line) {
      sorter.partition(line.out[0], k < 0 ? k + in.length : k, line.in, line.room);
    });
  });
}

}  // namespace

Explanation explain_sort(const TensorView& out, const TensorView& a, std::int64_t axis,
                         bool positions) {
  const Output to(out);
  Explanation told;
  run_sort(positions ? "argsort" : "sort", positions ? nullptr : &to, positions ? &to : nullptr, a,
           axis, SortOrder::ascending, std::nullopt, &told);
  return told;
}
Explanation explain_topk(const TensorView& values, const TensorView& indices, const TensorView& a,
                         std::int64_t k, std::int64_t axis) {
  const Output to_values(values), to_indices(indices);
  Explanation told;
  run_sort("topk", &to_values, &to_indices, a, axis, SortOrder::descending, k, &told);
  return told;
}
Explanation explain_partition(const TensorView& out, const TensorView& a, std::int64_t k,
                              std::int64_t axis) {
  Explanation told;
  run_partition(out, a, k, axis, &told);
  return told;
}

void sort_out(const Output& out, const TensorView& a, std::int64_t axis, SortOrder order) {
  run_sort("sort", &out, nullptr, a, axis, order, std::nullopt);
}
void sort_out(const Output& values, const Output& indices, const TensorView& a, std::int64_t axis,
              SortOrder order) {
  run_sort("sort", &values, &indices, a, axis, order, std::nullopt);
}
Tensor sort(const TensorView& a, std::int64_t axis, SortOrder order) {
  Tensor out;
  sort_out(out, a, axis, order);
  return out;
}

void argsort_out(const Output& out, const TensorView& a, std::int64_t axis, SortOrder order) {
  run_sort("argsort", nullptr, &out, a, axis, order, std::nullopt);
}
Tensor argsort(const TensorView& a, std::int64_t axis, SortOrder order) {
  Tensor out;
  argsort_out(out, a, axis, order);
  return out;
}

void topk_out(const Output& values, const Output& indices, const TensorView& a, std::int64_t k,
              std::int64_t axis, SortOrder order) {
  run_sort("topk", &values, &indices, a, axis, order, k);
}
ValuesAndIndices topk(const TensorView& a, std::int64_t k, std::int64_t axis, SortOrder order) {
  ValuesAndIndices out;
  topk_out(out.values, out.indices, a, k, axis, order);
  return out;
}

void partition_out(const Output& out, const TensorView& a, std::int64_t k, std::int64_t axis) {
  run_partition(out, a, k, axis);
}
Tensor partition(const TensorView& a, std::int64_t k, std::int64_t axis) {
  Tensor out;
  partition_out(out, a, k, axis);
  return out;
}

}  // namespace v0
}  // namespace weft
