// SPDX-License-Identifier: Apache-2.0
#include "recurrent/operator/loop_call.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

/// Of i32 or i64.
std::int64_t integer_at(const void* at, ScalarType type) {
  if (type == ScalarType::i32) {
    std::int32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  std::int64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

[[gnu::cold]] LoopGeometry::LoopGeometry(const LoopSpec& of, const graph::Graph& with,
                                         const graph::PrepareContext& context)
    : spec(of), body(with) {
  inputs.reserve(static_cast<std::size_t>(context.ninputs()));
  outputs.reserve(static_cast<std::size_t>(context.noutputs()));
  iterators.reserve(spec.iterators.size());
  states.reserve(spec.states.size());
  for (int i = 0; i < context.ninputs(); ++i)
    inputs.push_back(context.input(i));
  for (int i = 0; i < context.noutputs(); ++i)
    outputs.push_back(context.output(i));
  const auto walk = [&](const EntryName& entry, const LoopIterator& iterator) {
    return walk_slices(spec, entry, iterator, inputs[static_cast<std::size_t>(iterator.input)]);
  };
  const auto limit = [&](const LoopIterator& iterator, const SliceWalk& made) {
    if (iterator.limits_trips && !iterator.from_count) limiting_slices = made.count;
  };
  for (std::size_t i = 0; i < spec.iterators.size(); ++i) {
    iterators.push_back(walk(iterator_name(i), spec.iterators[i]));
    limit(spec.iterators[i], iterators.back());
  }
  for (std::size_t j = 0; j < spec.states.size(); ++j) {
    const LoopState& state = spec.states[j];
    states.emplace_back();
    if (!state.sliced) continue;
    states.back() = walk(state_name(j), *state.sliced);
    limit(*state.sliced, *states.back());
  }
  find_whole_inputs();
  find_other_limit(context);
}

/// Of inputs that are only cut into slices, the slices count.
void LoopGeometry::find_whole_inputs() {
  is_whole_.assign(inputs.size(), 1);
  const auto set = [&](int input, char whole) {
    is_whole_[static_cast<std::size_t>(input)] = whole;
  };
  for (const LoopIterator& iterator : spec.iterators)
    set(iterator.input, 0);
  for (const LoopInvariant& invariant : spec.invariants)
    set(invariant.input, 1);
  for (const LoopState& state : spec.states)
    set(state.sliced ? state.sliced->input : state.input, 1);
}

void LoopGeometry::find_other_limit(const graph::PrepareContext& context) {
  const auto constant = [&](int input) -> const void* {
    const TensorView* value = context.constant(input);
    return value != nullptr && value->numel() == 1 ? value->data() : nullptr;
  };
  other_limit = spec.most_trips.value_or(endless);
  if (spec.first_condition) {
    const void* first = constant(*spec.first_condition);
    if (first == nullptr || *static_cast<const char*>(first) == 0) other_limit.reset();
  }
  if (!spec.count || !other_limit) return;
  const void* count = constant(*spec.count);
  if (count == nullptr) {
    other_limit.reset();
    return;
  }
  const std::int64_t most =
      integer_at(count, inputs[static_cast<std::size_t>(*spec.count)].dtype());
  if (most >= 0 || !spec.negative_count_is_endless)
    other_limit = std::min(std::max<std::int64_t>(most, 0), *other_limit);
}

bool LoopGeometry::fits(std::size_t input, const TensorView& given) const {
  const TensorView& view = inputs[input];
  return view.defined() == given.defined() && view.dtype() == given.dtype() &&
         (is_whole_[input] == 0 ||
          (same_list(view.shape(), given.shape()) && same_list(view.strides(), given.strides())));
}

bool LoopGeometry::is_like(const LoopGeometry& other) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!fits(i, other.inputs[i])) return false;
  }
  for (std::size_t i = 0; i < iterators.size(); ++i) {
    if (!iterators[i].is_like(other.iterators[i])) return false;
  }
  return std::ranges::equal(outputs, other.outputs, [](const TensorView& a, const TensorView& b) {
    return a.defined() == b.defined();
  });
}

void LoopGeometry::take(LoopGeometry&& other) {
  inputs = std::move(other.inputs);
  outputs = std::move(other.outputs);
  std::ranges::move(other.iterators, iterators.begin());
  limiting_slices = other.limiting_slices;
  other_limit = other.other_limit;
}

bool LoopGeometry::resize(std::span<const TensorView* const> given, std::span<DimVector> shapes) {
  const TensorView nothing;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!fits(i, given[i] == nullptr ? nothing : *given[i])) return false;
  }
  std::optional<std::int64_t> slices;
  const auto limit = [&](const LoopIterator& iterator, const SliceWalk& walk) {
    if (!iterator.limits_trips || iterator.from_count) return true;
    if (slices && *slices != walk.count) return false;
    slices = walk.count;
    return true;
  };
  for (std::size_t j = 0; j < states.size(); ++j) {
    if (states[j] && !limit(*spec.states[j].sliced, *states[j])) return false;
  }
  for (std::size_t i = 0; i < iterators.size(); ++i) {
    const auto input = static_cast<std::size_t>(spec.iterators[i].input);
    const LoopIterator& iterator = spec.iterators[i];
    if (!iterators[i].follow(spec, iterator_name(i), iterator, inputs[input], *given[input])) {
      SliceWalk walk = walk_slices(spec, iterator_name(i), iterator, *given[input]);
      if (!iterators[i].is_like(walk)) return false;
      iterators[i] = std::move(walk);
    }
    if (!limit(iterator, iterators[i])) return false;
  }
  // Behind them: several may walk one input.
  for (const LoopIterator& iterator : spec.iterators) {
    const auto input = static_cast<std::size_t>(iterator.input);
    if (is_whole_[input] == 0) inputs[input] = *given[input];
  }
  // Without trips, outputs may have other shapes.
  const std::int64_t other = other_limit.value_or(endless);
  const std::int64_t before = std::min(limiting_slices.value_or(endless), other);
  const std::int64_t trips = std::min(slices.value_or(endless), other);
  limiting_slices = slices;
  if (before == 0 || trips == 0) return false;
  if (trips == before) return true;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const LoopOutput& output = spec.outputs[o];
    const bool counts_trips =
        output.kind == LoopOutputKind::stack || output.kind == LoopOutputKind::join;
    if (!counts_trips || output.length || !outputs[o].defined()) continue;
    if (!other_limit || trips == endless) return false;
    DimVector& shape = shapes[o];
    const auto rank = static_cast<std::int64_t>(shape.size());
    std::int64_t& extent =
        shape[static_cast<std::size_t>(output.axis < 0 ? output.axis + rank : output.axis)];
    if (!checked_mul(extent / before, trips, extent)) return false;
  }
  return true;
}

std::int64_t LoopCall::integer(int i) const {
  return integer_at(input(i), geometry_.inputs[static_cast<std::size_t>(i)].dtype());
}

TripLimit LoopCall::trip_limit(bool certain) const {
  const LoopSpec& loop = spec();
  TripLimit limit;
  const auto at_most = [&](std::int64_t trips, LoopEnd end) {
    if (trips >= limit.trips) return;
    limit.trips = std::max<std::int64_t>(trips, 0);
    limit.end = end;
  };
  if (geometry_.limiting_slices) at_most(*geometry_.limiting_slices, LoopEnd::slices);
  if (loop.most_trips) limit.count = *loop.most_trips;
  if (loop.count) {
    const std::int64_t count = integer(*loop.count);
    if (count >= 0 || !loop.negative_count_is_endless) limit.count = std::min(limit.count, count);
  }
  at_most(limit.count, LoopEnd::count);
  if (loop.rows) {
    const TensorView lengths = input_view(loop.rows->lengths);
    std::int64_t most = 0;
    for (std::int64_t row = 0; row < lengths.numel(); ++row) {
      const std::int64_t length = lengths.dtype() == ScalarType::i32
                                      ? lengths.at<std::int32_t>({row})
                                      : lengths.at<std::int64_t>({row});
      if (length < 0) {
        refuse(loop, ErrorCode::invalid_argument, "rows: length ", length, " of row ", row,
               ": expected 0 or more");
      }
      most = std::max(most, length);
    }
    at_most(most, LoopEnd::rows);
  }
  if (loop.first_condition && !flag(*loop.first_condition)) at_most(0, LoopEnd::condition);

  for (std::size_t i = 0; i < geometry_.iterators.size(); ++i) {
    const std::int64_t slices = geometry_.iterators[i].count;
    if (slices >= limit.slices) continue;
    limit.slices = slices;
    limit.lacking_iterator = static_cast<int>(i);
  }
  // Backwards from the count, the first slice is the last element.
  for (std::size_t i = 0; i < geometry_.iterators.size(); ++i) {
    const SliceWalk& walk = geometry_.iterators[i];
    if (!walk.from_count || limit.trips == 0 || limit.count <= walk.extent) continue;
    refuse(loop, ErrorCode::bounds, geometry_.iterator_name(i).text(), ": has ", walk.extent,
           " slices, and runs backwards from ",
           limit.count == endless ? std::string("no count") : text("a count of ", limit.count));
  }
  if (certain && limit.trips > limit.slices) refuse_missing_slice(limit, limit.slices);
  return limit;
}

void LoopCall::refuse_missing_slice(const TripLimit& limit, std::int64_t trip) const {
  const auto i = static_cast<std::size_t>(limit.lacking_iterator);
  refuse(spec(), ErrorCode::bounds, geometry_.iterator_name(i).text(), ": has ",
         geometry_.iterators[i].count, " slices, and trip ", trip, " asks for another");
}

void LoopCall::write_numbers(std::int64_t trips, bool condition) const {
  for (std::size_t i = 0; i < spec().outputs.size(); ++i) {
    if (spec().outputs[i].kind == LoopOutputKind::trips)
      *static_cast<std::int64_t*>(output(i, ScalarType::i64, {}).data()) = trips;
    if (spec().outputs[i].kind == LoopOutputKind::condition)
      *static_cast<bool*>(output(i, ScalarType::boolean, {}).data()) = condition;
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
