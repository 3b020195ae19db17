// SPDX-License-Identifier: Apache-2.0
// Preparing a loop whose body is planned once: which variables there are, what moves them, and
// where results go.
#include <weft/base/error.hpp>

#include "recurrent/static/static_loop.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

/// Bytes of packed slices, products of blocks and the like that are worked on at a time: written
/// and read again soon, they should stay in a core's own cache. Not less: a product of few rows
/// waits for its weights, which come from beyond that cache where they are large.
constexpr std::int64_t block_bytes = std::int64_t{1} << 20;
/// The same where nothing is computed for blocks, and trips that fill a line of floats in tensors
/// that are transposed on the way: buffers should stay in the first-level cache, as far as whole
/// lines allow it.
constexpr std::int64_t near_block_bytes = 64 << 10;
constexpr std::int64_t line_trips = 16;

int parameter_of(const Stage& stage, Source source) {
  const auto found = std::ranges::find(stage.parameters, source);
  return found == stage.parameters.end() ? -1 : static_cast<int>(found - stage.parameters.begin());
}

std::int64_t bytes_of(const graph::ValueType& type) {
  return numel(type.shape.shape()) * element_size(type.dtype);
}

}  // namespace

FixedLoop::FixedLoop(const LoopGeometry& geometry, LoopRuntime& runtime, bool in_rows)
    : geometry_(geometry),
      spec_(geometry.spec),
      body_(*runtime.body),
      runtime_(runtime),
      in_rows_(in_rows) {
  set_up_iterators();
  set_up_states();
  set_up_gathers();
  set_up_rest();
  plan_trip();
}

FixedLoop::Variable FixedLoop::variable_of(Source source) {
  const auto found = std::ranges::find(sources_, source);
  if (found != sources_.end()) return static_cast<Variable>(found - sources_.begin());
  sources_.push_back(source);
  now_.push_back(nullptr);
  return now_.size() - 1;
}

FixedLoop::Variable FixedLoop::own_variable() {
  return variable_of({Source::Kind::own, static_cast<int>(sources_.size())});
}

void FixedLoop::set_up_iterators() {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < spec_.iterators.size(); ++i) {
    const SliceWalk& walk = geometry_.iterators[i];
    const Source source{Source::Kind::iterator, static_cast<int>(i)};
    const int parameter = parameter_of(body_.trip, source);
    Iterator it{.variable = variable_of(source), .parameter = parameter};
    const bool in_block = parameter_of(body_.block, source) >= 0;
    it.packed = (in_block && !walk.stacks_densely()) || (parameter >= 0 && !walk.runs);
    it.needed = parameter >= 0 || in_block ||
                std::ranges::find(body_.results, std::optional(source)) != body_.results.end();
    if (it.packed) bytes += walk.slice_bytes;
    if (in_rows_ && parameter >= 0 && !it.packed && !in_block)
      it.rows = graph::row_form(walk.shape, walk.strides);
    iterators_.push_back(it);
    if (it.needed) {
      movers_.push_back({it.variable, parameter, it.packed ? walk.slice_bytes : walk.step_bytes});
    }
  }
  for (std::size_t b = 0; b < body_.block_types.size(); ++b) {
    const Source source{Source::Kind::block, static_cast<int>(b)};
    const std::int64_t step = bytes_of(body_.block_types[b]);
    movers_.push_back({variable_of(source), parameter_of(body_.trip, source), step});
    bytes += step;
  }
  needs_blocks_ = runtime_.block.has_value() || std::ranges::any_of(iterators_, &Iterator::packed);
  limit_blocks(bytes);
}

/// Blocks of values of which those of a trip are so many bytes.
void FixedLoop::limit_blocks(std::int64_t bytes) {
  if (bytes == 0) return;
  if (runtime_.block) {
    block_trips_ = std::min(block_trips_, std::max<std::int64_t>(block_bytes / bytes, 1));
    return;
  }
  const std::int64_t lines = std::max<std::int64_t>(near_block_bytes / bytes / line_trips, 1);
  block_trips_ = std::min(block_trips_, lines * line_trips);
}

Source FixedLoop::next_value(std::size_t state) const {
  return *body_.results[static_cast<std::size_t>(spec_.states[state].result)];
}

void FixedLoop::set_up_states() {
  for (std::size_t j = 0; j < spec_.states.size(); ++j) {
    if (!body_.state_is_live[j]) continue;
    const Source source{Source::Kind::state, static_cast<int>(j)};
    states_.push_back({.number = j,
                       .variable = variable_of(source),
                       .from = 0,
                       .parameter = parameter_of(body_.trip, source),
                       .head_parameter = parameter_of(body_.head, source),
                       .bytes = bytes_of(body_.parameter_type(spec_.states[j].parameter))});
  }
  next_.resize(states_.size());
}

/// Trips that a value has to last beyond its own because states hand it on to each other.
std::int64_t FixedLoop::longest_chain(Source from) const {
  std::int64_t longest = 0;
  for (const State& state : states_) {
    if (next_value(state.number) != from) continue;
    // Every state has one source, so that this walks a tree.
    const Source source{Source::Kind::state, static_cast<int>(state.number)};
    longest = std::max(longest, 1 + longest_chain(source));
  }
  return longest;
}

/// True if the trip stage has been told where to write this result of it.
bool FixedLoop::is_written(Source source) const {
  return std::ranges::any_of(writers_, [&](const Writer& writer) {
    return writer.result >= 0 && sources_[writer.variable] == source;
  });
}

/// How a value that is computed in every trip, or before, gets into an output.
FixedLoop::Gather::Way FixedLoop::way_of(const Gather& gather) {
  using Way = Gather::Way;
  const Source::Kind kind = gather.source.kind;
  if (kind != Source::Kind::trip && kind != Source::Kind::state && kind != Source::Kind::block)
    return Way::after;
  if (!gather.is_open) return Way::chunks;
  if (kind == Source::Kind::block) return Way::blocks;
  const Collected& to = gather.collected;
  if (to.is_direct()) return Way::direct;
  return to.rows() > 0 && to.row_bytes() >= least_run_bytes ? Way::direct : Way::blocks;
}

/// Whether a trip can write its element into the output as rows, and the next read it there:
/// nothing else may use it, since that expects it to be dense.
bool FixedLoop::stays_in_rows(const Gather& gather) const {
  if (!in_rows_ || gather.source.kind != Source::Kind::trip) return false;
  const auto uses = [&](Source source) {
    return std::ranges::count(body_.results, std::optional(source));
  };
  std::ptrdiff_t readers = 0;
  for (std::size_t r = 0; r < body_.results.size(); ++r) {
    if (body_.results[r] != gather.source) continue;
    const int result = static_cast<int>(r);
    if (spec_.next_condition == result) return false;
    for (const LoopOutput& output : spec_.outputs)
      readers += output.kind != LoopOutputKind::last_state && output.result == result ? 1 : 0;
  }
  if (readers != 1 || body_.head_value == gather.source) return false;
  return std::ranges::all_of(states_, [&](const State& state) {
    const Source itself{Source::Kind::state, static_cast<int>(state.number)};
    return next_value(state.number) != gather.source ||
           (state.head_parameter < 0 && uses(itself) == 0 && body_.head_value != itself);
  });
}

void FixedLoop::set_up_gathers() {
  using enum Source::Kind;
  using Way = Gather::Way;
  std::int64_t bytes = 0;
  for (std::size_t o = 0; o < spec_.outputs.size(); ++o) {
    const LoopOutput& output = spec_.outputs[o];
    if (output.kind != LoopOutputKind::stack && output.kind != LoopOutputKind::join) continue;
    const graph::ValueType& type = body_.typed->result_type(output.result);
    const Source source = *body_.results[static_cast<std::size_t>(output.result)];
    Gather gather{.collected = Collected(spec_, o, type.dtype, type.shape.shape()),
                  .source = source,
                  .way = Way::after};
    // Backwards, places are counted from the last trip, which has to be known.
    gather.is_open = body_.has_certain_end() || (output.length && !output.backwards);
    gather.way = way_of(gather);
    if (gather.way == Way::blocks && source.kind == block) {
      gather.variable = variable_of(source);
    } else if (gather.way != Way::after) {
      const std::int64_t element = gather.collected.element_bytes();
      if (gather.way == Way::blocks) bytes += element;
      // The first of a result's outputs that take it as one piece has the trip write there; the
      // others get copies.
      const bool by_rows = gather.way == Way::direct && !gather.collected.is_direct();
      const bool in_place = !by_rows || stays_in_rows(gather);
      const bool first = source.kind == trip && in_place && !is_written(source);
      if (first) {
        gather.variable = variable_of(source);
        least_block_trips_ = std::max(least_block_trips_, 1 + longest_chain(source));
      } else {
        gather.variable = own_variable();
        copies_.push_back({gather.variable, variable_of(source), element});
        if (by_rows) copies_.back().gather = static_cast<int>(gathers_.size());
      }
      if (first && by_rows) {
        for (std::size_t s = 0; s < states_.size(); ++s) {
          if (next_value(states_[s].number) != source) continue;
          states_[s].gather = static_cast<int>(gathers_.size());
          row_states_.push_back(s);
        }
      }
      gather.writer = writers_.size();
      writers_.push_back({gather.variable, first ? source.number : -1, element});
    }
    gathers_.push_back(std::move(gather));
  }
  limit_blocks(bytes);
  block_trips_ = std::max(block_trips_, least_block_trips_);
}

/// A buffer of `slots` places, used one after the other.
std::int64_t FixedLoop::add_ring(Variable variable, int result, std::int64_t bytes,
                                 std::int64_t slots) {
  const std::int64_t step = (bytes + 63) / 64 * 64;
  ring_buffers_.push_back(writers_.size());
  runtime_.rings.resize(std::max(runtime_.rings.size(), ring_buffers_.size()));
  char* ring =
      runtime_.rings[ring_buffers_.size() - 1].reserve(std::max<std::int64_t>(slots * step, 1));
  writers_.push_back({variable, result, step, slots, slots, ring});
  return step;
}

/// True if a value's memory stays as it is while it is a state.
bool FixedLoop::lasts(Source source) const {
  switch (source.kind) {
    case Source::Kind::trip:
    case Source::Kind::state: return true;
    case Source::Kind::iterator: {
      const auto i = static_cast<std::size_t>(source.number);
      return geometry_.iterators[i].dense && !iterators_[i].packed;
    }
    default: return false;
  }
}

void FixedLoop::connect_states() {
  for (State& state : states_) {
    const Source source = next_value(state.number);
    if (source.kind == Source::Kind::invariant || source.kind == Source::Kind::once) {
      state.from = own_variable();
      fixed_states_.push_back({state.from, source});
      continue;
    }
    state.from = variable_of(source);
    if (lasts(source)) continue;
    const Variable copy = own_variable();
    const SliceWalk* walk = nullptr;
    if (source.kind == Source::Kind::iterator) {
      const auto i = static_cast<std::size_t>(source.number);
      if (!iterators_[i].packed) walk = &geometry_.iterators[i];
    }
    const Source here{Source::Kind::state, static_cast<int>(state.number)};
    add_ring(copy, -1, state.bytes, 2 + longest_chain(here));
    copies_.push_back({.to = copy, .from = state.from, .bytes = state.bytes, .strided = walk});
    state.from = copy;
  }
}

void FixedLoop::set_up_rest() {
  const int nresults = body_.trip.program ? body_.trip.program->nresults() : 0;
  for (int t = 0; t < nresults; ++t) {
    const Source source{Source::Kind::trip, t};
    if (is_written(source)) continue;
    add_ring(variable_of(source), t, bytes_of(body_.trip.program->result_type(t)),
             1 + longest_chain(source));
  }
  connect_states();
  if (body_.has_condition)
    condition_ = variable_of(*body_.results[static_cast<std::size_t>(*spec_.next_condition)]);
  if (body_.head_value) {
    // A result of the head's own stage has no variable among those of trips.
    const Source source = *body_.head_value;
    head_ = source.kind == Source::Kind::trip ? own_variable() : variable_of(source);
  }
  for (const LoopOutput& output : spec_.outputs) {
    if (output.kind == LoopOutputKind::last_value)
      watched_.push_back(variable_of(*body_.results[static_cast<std::size_t>(output.result)]));
  }
  last_.resize(watched_.size());
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
