// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/broadcast.hpp>
#include <weft/iter/coalesce.hpp>
#include <weft/iter/order.hpp>
#include <weft/iter/tensor_iterator.hpp>

#include "base/text.hpp"
#include "iter/operand_name.hpp"

#include <algorithm>
#include <cmath>

namespace weft {
inline namespace v0 {
namespace {

/// Strategies with what they are estimated to take: in nanoseconds, or, if the least has two digits
/// of them, in microseconds.
std::string estimates_text(const std::vector<StrategyCandidate>& candidates) {
  constexpr double us = 1000;
  const auto least = std::ranges::min_element(candidates, {}, &StrategyCandidate::estimated_ns);
  const bool is_short = least == candidates.end() || least->estimated_ns < 10 * us;
  std::string out;
  for (const StrategyCandidate& candidate : candidates) {
    const double ns = candidate.estimated_ns;
    out += text(out.empty() ? "" : ", ", weft::name(candidate.strategy), ' ',
                std::llround(is_short ? ns : ns / us), is_short ? " ns" : " us");
  }
  return out;
}

std::string quoted(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

template <class T>
std::string list(const std::vector<T>& values) {
  const std::vector<std::int64_t> numbers(values.begin(), values.end());
  return text(std::span(numbers));
}

std::string threads_text(int threads) {
  return text(threads, threads == 1 ? " thread" : " threads");
}

std::string access_text(const Explanation::Operand& op) {
  std::string types(name(op.storage));
  if (op.dtype != op.storage) types += text(" as ", name(op.dtype));
  return types;
}

}  // namespace

/// The geometry as it was between ordering and coalescing, from the operands' own views.
Geometry TensorIterator::uncoalesced() const {
  Geometry before;
  before.noperands = ntensors();
  before.resize(static_cast<int>(common_shape_.size()));
  for (int axis = 0; axis < before.ndim(); ++axis) {
    const bool squashed = (squashed_ >> axis & 1) != 0;
    before.extent(axis) = squashed ? 1 : common_shape_[static_cast<std::size_t>(axis)];
  }
  for (int k = 0; k < ntensors(); ++k) {
    const TensorView& view = operands_[static_cast<std::size_t>(k)].view;
    const std::size_t rank = view.shape().size();
    const IntSpan declared{common_shape_.data() + common_shape_.size() - rank, rank};
    broadcast_strides(before, k, has_declared_shape_ ? declared : view.shape(), view.strides(),
                      weft::element_size(view.dtype()));
  }
  permute_dims(before, perm_);
  for (int d = 0; d < before.ndim(); ++d) {
    if ((flipped_ >> d & 1) == 0) continue;
    for (int k = 0; k < ntensors(); ++k) {
      before.stride(d, k) = -before.stride(d, k);
    }
  }
  return before;
}

/// Coalesces once more, two dims at a time, and notes what happens.
std::vector<Explanation::Neighbours> TensorIterator::explain_neighbours() const {
  std::vector<Explanation::Neighbours> story;
  const Geometry before = uncoalesced();
  const bool trivial = numel_ == 0 && ndim() <= 1;  // of nothing, build() makes one dim
  Geometry pair;  // the dims up to here, as far as they are one; and the next
  pair.noperands = ntensors();
  pair.resize(2);
  const auto take = [&pair](int to, const Geometry& from, int dim) {
    pair.extent(to) = from.extent(dim);
    std::copy_n(from.strides(dim), from.noperands, pair.strides(to));
  };
  for (int d = 0; d + 1 < before.ndim(); ++d) {
    if (d == 0) take(0, before, 0);
    take(1, before, d + 1);
    Explanation::Neighbours neighbours;
    neighbours.inner_axis = perm_[static_cast<std::size_t>(d)];
    neighbours.outer_axis = perm_[static_cast<std::size_t>(d + 1)];
    const int blocker = trivial ? -1 : coalesce_blocker(pair, 0);
    neighbours.merged = blocker < 0;
    if (blocker >= 0) {
      neighbours.why_not =
          text(operand_name(blocker, noutputs_), ": extent ", pair.extent(0), " * stride ",
               pair.stride(0, blocker), " is not stride ", pair.stride(1, blocker));
    }
    story.push_back(std::move(neighbours));
    if (blocker < 0) {
      Geometry merged = pair;
      coalesce_dims(merged);
      if (!trivial) take(0, merged, 0);
    } else {
      take(0, before, d + 1);
    }
  }
  return story;
}

Explanation TensorIterator::explain() const {
  Explanation e;
  e.common_shape = common_shape_;
  for (const std::uint8_t axis : perm_)
    e.perm.push_back(axis);
  e.shape = geometry_.shape;
  e.numel = numel_;
  e.reduction = is_reduction_;
  for (int d = 0; d < static_cast<int>(perm_.size()) && d < 64; ++d) {
    if ((flipped_ >> d & 1) != 0) e.flipped.push_back(perm_[static_cast<std::size_t>(d)]);
  }
  e.neighbours = explain_neighbours();
  for (int k = 0; k < ntensors(); ++k) {
    const Operand& op = operands_[static_cast<std::size_t>(k)];
    Explanation::Operand out;
    out.name = operand_name(k, noutputs_);
    out.storage = op.storage;
    out.dtype = op.dtype;
    out.allocated = op.allocated;
    out.shape = DimVector(op.view.shape().begin(), op.view.shape().end());
    out.strides = DimVector(op.view.strides().begin(), op.view.strides().end());
    out.strides_bytes = strides(k);
    e.operands.push_back(std::move(out));
  }
  return e;
}

std::string Explanation::to_text() const {
  std::string out =
      text("shape ", to_string(common_shape), ", ", numel, numel == 1 ? " element" : " elements",
           reduction ? ", a reduction" : "", "\n");
  out += text("order (axes, innermost first) ", list(perm), "\n");
  if (!flipped.empty()) out += text("walked backwards: axes ", list(flipped), "\n");
  for (const Neighbours& pair : neighbours) {
    out += text("axes ", pair.inner_axis, " and ", pair.outer_axis,
                pair.merged ? ": one dim" : ": separate, ", pair.why_not, "\n");
  }
  out += text("plan (dims, innermost first) ", to_string(shape), "\n");
  for (const Operand& op : operands) {
    out += text(op.name, ": ", access_text(op), " ", to_string(op.shape), ", strides ",
                to_string(op.strides), op.allocated ? ", allocated" : "", "; bytes per dim ",
                to_string(op.strides_bytes));
    if (!op.access.empty()) out += text("; ", op.access);
    out += '\n';
  }
  if (has_run) {
    out += text("run: ", run.instruction_set, ", ", threads_text(run.threads), ", ", run.blocks,
                run.blocks == 1 ? " block" : " blocks", " of ", run.tile[0], " x ", run.tile[1],
                ", spans of ", run.span, ", ", run.bytes_moved, " bytes moved\n");
    if (run.strategy != Strategy::automatic) {
      out += text("strategy: ", weft::name(run.strategy), ", ", run.why, '\n',
                  "estimated: ", estimates_text(run.candidates), '\n');
    }
    if (!run.form.empty()) out += text("form: ", run.form, '\n');
  }
  return out;
}

std::string_view Explanation::Run::how() const {
  if (strategy != Strategy::automatic) return weft::name(strategy);
  return form.empty() ? std::string_view("nothing") : std::string_view(form);
}

std::string Explanation::Run::to_text() const {
  return text(how(), ", ", threads_text(threads), ", ", bytes_moved, " bytes moved");
}

std::string Explanation::Run::to_json() const {
  std::string out =
      text("{\"instruction_set\": ", quoted(instruction_set), ", \"threads\": ", threads,
           ", \"span\": ", span, ", \"tile\": [", tile[0], ", ", tile[1], "], \"blocks\": ", blocks,
           ", \"bytes_moved\": ", bytes_moved);
  if (strategy != Strategy::automatic) {
    out += text(", \"strategy\": ", quoted(weft::name(strategy)), ", \"why\": ", quoted(why),
                ", \"candidates\": [");
    const char* before = "";
    for (const StrategyCandidate& candidate : candidates) {
      out += text(before, "{\"strategy\": ", quoted(weft::name(candidate.strategy)),
                  ", \"estimated_ns\": ", std::llround(candidate.estimated_ns), "}");
      before = ", ";
    }
    out += "]";
  }
  if (!form.empty()) out += text(", \"form\": ", quoted(form));
  return out + "}";
}

std::string Explanation::to_json() const {
  std::string out =
      text("{\"shape\": ", to_string(common_shape), ", \"numel\": ", numel,
           ", \"reduction\": ", reduction ? "true" : "false", ", \"perm\": ", list(perm),
           ", \"flipped\": ", list(flipped), ", \"neighbours\": [");
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const Neighbours& pair = neighbours[i];
    out += text(i == 0 ? "" : ", ", "{\"inner_axis\": ", pair.inner_axis,
                ", \"outer_axis\": ", pair.outer_axis,
                ", \"merged\": ", pair.merged ? "true" : "false",
                ", \"why_not\": ", quoted(pair.why_not), "}");
  }
  out += text("], \"plan\": ", to_string(shape), ", \"operands\": [");
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& op = operands[i];
    out += text(i == 0 ? "" : ", ", "{\"name\": ", quoted(op.name),
                ", \"storage\": ", quoted(weft::name(op.storage)),
                ", \"dtype\": ", quoted(weft::name(op.dtype)),
                ", \"allocated\": ", op.allocated ? "true" : "false",
                ", \"shape\": ", to_string(op.shape), ", \"strides\": ", to_string(op.strides),
                ", \"strides_bytes\": ", to_string(op.strides_bytes),
                ", \"access\": ", quoted(op.access), "}");
  }
  out += "]";
  if (has_run) out += text(", \"run\": ", run.to_json());
  return out + "}";
}

}  // namespace v0
}  // namespace weft
