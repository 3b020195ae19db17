// SPDX-License-Identifier: Apache-2.0
#include "recurrent/fixed_loop.hpp"

#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>
#include <weft/ops/copy.hpp>

#include <algorithm>
#include <cstring>

namespace weft::inline v0::recurrent {

namespace {

/// Trips in the first chunk of an output of unknown length; each further one has twice as many.
constexpr std::int64_t first_chunk_trips = 16;

/// Views of n elements, one behind the other.
TensorView stack_of(const void* at, ScalarType dtype, IntSpan element, std::int64_t n) {
  DimVector shape(1, n);
  for (const std::int64_t extent : element)
    shape.push_back(extent);
  return TensorView::trusted(at, dtype, shape);
}
TensorView stack_of(void* at, ScalarType dtype, IntSpan element, std::int64_t n) {
  DimVector shape(1, n);
  for (const std::int64_t extent : element)
    shape.push_back(extent);
  return TensorView::trusted(at, dtype, shape);
}

}  // namespace

void FixedLoop::run(const LoopCall& call, LoopReport& report) {
  call_ = &call;
  report_ = &report;
  done_ = 0;
  index_ = 0;
  narrow_index_ = 0;
  produced_to_ = 0;
  go_ = true;
  ended_ = false;
  most_trips_ = endless;
  limit_ = call.trip_limit(certain_);
  if (certain_ && limit_.trips == endless)
    refuse(spec_, ErrorCode::invalid_argument, "nothing ends it: no count, and no condition");
  report.end = limit_.end;
  if (spec_.first_condition) go_ = call.flag(*spec_.first_condition);
  start_iterators();
  start_values();
  run_once();
  open_outputs();
  plan_block();
  bind_fixed();
  run_all();
  finish();
  call_ = nullptr;
}

void FixedLoop::count_copy(std::int64_t bytes) {
  report_->bytes_copied += bytes;
  if (done_ >= 2) report_->bytes_copied_late += bytes;
}

// ---- Before the first trip -----------------------------------------------------------------------

void FixedLoop::start_iterators() {
  for (std::size_t i = 0; i < iterators_.size(); ++i) {
    Iterator& it = iterators_[i];
    it.origin = geometry_.iterators[i].start(call_->input(spec_.iterators[i].input), limit_.trips);
    now_[it.variable] = const_cast<char*>(it.origin);
    if (it.needed) ++(it.packed ? report_->staged_slices : report_->viewed_slices);
  }
}

/// The address of the same elements, row-major: where they are, or in the buffer.
char* FixedLoop::dense(const TensorView& view, Buffer& buffer) {
  if (is_row_major(view.shape(), view.strides())) return static_cast<char*>(view.data());
  char* copy = buffer.reserve(view.nbytes());
  copy_out(TensorView::trusted(static_cast<void*>(copy), view.dtype(), view.shape()), view);
  count_copy(view.nbytes());
  return copy;
}

void FixedLoop::start_values() {
  runtime_.starts.resize(spec_.states.size());
  for (State& state : states_) {
    const LoopState& entry = spec_.states[state.number];
    TensorView first;
    if (entry.sliced) {
      const SliceWalk& walk = *geometry_.states[state.number];
      if (walk.count == 0) {
        refuse(spec_, ErrorCode::bounds, geometry_.state_name(state.number),
               ": starts as the first slice of an axis that has none");
      }
      first = walk.slice(walk.start(call_->input(entry.sliced->input), 0));
    } else {
      first = call_->input_view(entry.input);
    }
    now_[state.variable] = dense(first, runtime_.starts[state.number]);
  }
  report_->states = static_cast<int>(states_.size());
  for (Writer& writer : writers_) {
    if (writer.ring_size == 0) continue;
    writer.ring_left = writer.ring_size;
    now_[writer.variable] = writer.ring;
  }
}

void FixedLoop::run_once() {
  if (!runtime_.once || limit_.trips == 0) return;
  for (std::size_t p = 0; p < body_.once.parameters.size(); ++p)
    runtime_.once->bind_parameter(static_cast<int>(p), view_of(body_.once.parameters[p]).data());
  runtime_.once->run();
}

void FixedLoop::refuse_short(std::size_t output, std::int64_t length) const {
  refuse(spec_, ErrorCode::shape, "output ", output, ": has length ", length, ", and the loop has ",
         certain_ ? text(limit_.trips, " trips") : text("more trips"));
}

void FixedLoop::open_outputs() {
  const std::int64_t trips = certain_ ? limit_.trips : -1;
  // All lengths are looked at before anything is allocated.
  for (const Gather& gather : gathers_) {
    const std::size_t o = gather.collected.output();
    if (!spec_.outputs[o].length) continue;
    const std::int64_t room = call_->integer(*spec_.outputs[o].length);
    if (room < 0) {
      refuse(spec_, ErrorCode::invalid_argument, "output ", o, ": length ", room,
             ": expected 0 or more");
    }
    if (trips > room) refuse_short(o, room);
    most_trips_ = std::min(most_trips_, room);
  }
  for (Gather& gather : gathers_) {
    Collected& collected = gather.collected;
    gather.chunks = 0;
    gather.chunk_trips = gather.chunk_left = 0;
    const bool computed = gather.way != Gather::Way::after;
    const bool in_place = gather.way == Gather::Way::direct && writers_[gather.writer].result >= 0;
    if (computed) ++(in_place ? report_->written_in_place : report_->written_in_blocks);
    if (!gather.is_open) continue;
    const auto& length = spec_.outputs[collected.output()].length;
    const std::int64_t room = length ? call_->integer(*length) : trips;
    collected.open(call_->output(collected.output(), collected.dtype(), collected.shape(room)),
                   trips);
    if (gather.way == Gather::Way::direct) {
      writers_[gather.writer].step = collected.step();
      if (limit_.trips > 0) now_[gather.variable] = collected.place(0);
    }
  }
}

void FixedLoop::plan_block() {
  available_ = std::min(limit_.trips, limit_.slices);
  produced_trips_ = std::min(block_trips_, available_);
  if (needs_blocks_) report_->block_trips = produced_trips_;
  runtime_.staged.resize(iterators_.size());
  runtime_.blocks.resize(spec_.outputs.size());
  for (std::size_t i = 0; i < iterators_.size(); ++i) {
    if (!iterators_[i].packed) continue;
    const std::int64_t bytes = produced_trips_ * geometry_.iterators[i].slice_bytes;
    iterators_[i].buffer = runtime_.staged[i].reserve(std::max<std::int64_t>(bytes, 1));
  }
  for (const Gather& gather : gathers_) {
    if (gather.way != Gather::Way::blocks || gather.source.kind == Source::Kind::block) continue;
    const std::int64_t bytes = block_trips_ * gather.collected.element_bytes();
    now_[gather.variable] =
        runtime_.blocks[gather.collected.output()].reserve(std::max<std::int64_t>(bytes, 1));
  }
  if (!runtime_.block || produced_trips_ == 0) return;
  views_.clear();
  for (const Source source : body_.block.parameters) {
    if (source.kind != Source::Kind::iterator) {
      views_.push_back(view_of(source));
      continue;
    }
    const auto i = static_cast<std::size_t>(source.number);
    const Iterator& it = iterators_[i];
    views_.push_back(stack_of(static_cast<const void*>(it.packed ? it.buffer : it.origin),
                              geometry_.iterators[i].dtype, geometry_.iterators[i].shape,
                              produced_trips_));
  }
  runtime_.block->plan(views_);
}

void FixedLoop::bind_fixed(graph::Frame& frame, const Stage& stage) {
  using enum Source::Kind;
  for (std::size_t p = 0; p < stage.parameters.size(); ++p) {
    const Source source = stage.parameters[p];
    if (source.kind == invariant) {
      frame.bind_parameter(
          static_cast<int>(p),
          call_->input(spec_.invariants[static_cast<std::size_t>(source.number)].input));
    } else if (source.kind == once) {
      frame.bind_parameter(static_cast<int>(p), runtime_.once->result_data(source.number));
    } else if (source.kind == index) {
      frame.bind_parameter(static_cast<int>(p), view_of(source).data());
    }
    if (source.kind == invariant || source.kind == once) frame.hold_parameter(static_cast<int>(p));
  }
}

void FixedLoop::bind_fixed() {
  if (limit_.trips == 0) return;
  if (runtime_.trip) bind_fixed(*runtime_.trip, body_.trip);
  if (runtime_.head) bind_fixed(*runtime_.head, body_.head);
  if (runtime_.block && produced_trips_ > 0) bind_fixed(*runtime_.block, body_.block);
  using enum Source::Kind;
  for (Variable v = 0; v < sources_.size(); ++v) {
    const Source source = sources_[v];
    if (source.kind == invariant || source.kind == once || source.kind == index)
      now_[v] = static_cast<char*>(view_of(source).data());
  }
  runtime_.fixed_states.resize(fixed_states_.size());
  for (std::size_t i = 0; i < fixed_states_.size(); ++i) {
    now_[fixed_states_[i].variable] =
        dense(view_of(fixed_states_[i].source), runtime_.fixed_states[i]);
  }
  for (const State& state : states_) {
    if (state.parameter >= 0) runtime_.trip->bind_parameter(state.parameter, now_[state.variable]);
    if (state.head_parameter >= 0)
      runtime_.head->bind_parameter(state.head_parameter, now_[state.variable]);
  }
}

// ---- Trips ---------------------------------------------------------------------------------------

void FixedLoop::run_all() {
  const std::int64_t last = std::min({limit_.trips, limit_.slices, most_trips_, body_.max_trips});
  bool has_blocks = false;
  for (const Gather& gather : gathers_)
    has_blocks = has_blocks || gather.way == Gather::Way::blocks;
  while (!ended_) {
    if (done_ == last) {
      if (last < limit_.trips) refuse_end(last);
      return;
    }
    std::int64_t trips = last - done_;
    if (needs_blocks_) {
      if (done_ == produced_to_) produce();
      trips = std::min(trips, produced_to_ - done_);
    }
    if (has_blocks) trips = std::min(trips, block_trips_);
    open_chunks(trips);
    for (Gather& gather : gathers_) {
      if (gather.way != Gather::Way::blocks) continue;
      if (gather.source.kind != Source::Kind::block)
        now_[gather.variable] = runtime_.blocks[gather.collected.output()].data();
      gather.block = now_[gather.variable];
    }
    const std::int64_t first = done_;
    run_trips(trips);
    flush(first);
  }
}

/// Slices or room are used up before the loop has ended, unless its head says otherwise.
void FixedLoop::refuse_end(std::int64_t last) {
  if (head_ && !head_holds()) {
    report_->end = LoopEnd::head;
    return;
  }
  if (last == limit_.slices) call_->refuse_missing_slice(limit_, last);
  if (last == body_.max_trips)
    refuse(spec_, ErrorCode::limit, "makes more than ", last, " trips, which is what is allowed");
  for (const Gather& gather : gathers_) {
    const auto& length = spec_.outputs[gather.collected.output()].length;
    if (length && call_->integer(*length) == last) refuse_short(gather.collected.output(), last);
  }
}

/// Packs slices and computes values for the next block of trips. The last block starts early enough to
/// be as long as the others, so that it needs no plan of its own.
void FixedLoop::produce() {
  const std::int64_t first = std::min(done_, available_ - produced_trips_);
  for (std::size_t i = 0; i < iterators_.size(); ++i) {
    Iterator& it = iterators_[i];
    const SliceWalk& walk = geometry_.iterators[i];
    if (!it.packed) continue;
    copy_out(stack_of(static_cast<void*>(it.buffer), walk.dtype, walk.shape, produced_trips_),
             walk.stacked(it.origin + first * walk.step_bytes, produced_trips_));
    count_copy(produced_trips_ * walk.slice_bytes);
    now_[it.variable] = it.buffer + (done_ - first) * walk.slice_bytes;
  }
  produced_to_ = first + produced_trips_;
  if (!runtime_.block) return;
  for (std::size_t p = 0; p < body_.block.parameters.size(); ++p) {
    const Source source = body_.block.parameters[p];
    if (source.kind != Source::Kind::iterator) continue;
    const auto i = static_cast<std::size_t>(source.number);
    if (!iterators_[i].packed) {
      runtime_.block->bind_parameter(
          static_cast<int>(p), iterators_[i].origin + first * geometry_.iterators[i].step_bytes);
    }
  }
  runtime_.block->run();
  for (const Mover& mover : movers_) {
    const Source source = sources_[mover.variable];
    if (source.kind != Source::Kind::block) continue;
    now_[mover.variable] = static_cast<char*>(runtime_.block->result_data(source.number)) +
                           (done_ - first) * mover.step;
  }
}

void FixedLoop::open_chunks(std::int64_t& trips) {
  runtime_.chunks.resize(spec_.outputs.size());
  for (Gather& gather : gathers_) {
    if (gather.way != Gather::Way::chunks) continue;
    if (gather.chunk_left == 0) {
      gather.chunk_trips = gather.chunks == 0 ? first_chunk_trips : 2 * gather.chunk_trips;
      gather.chunk_left = gather.chunk_trips;
      std::vector<Buffer>& chunks = runtime_.chunks[gather.collected.output()];
      if (chunks.size() == gather.chunks) chunks.emplace_back();
      const std::int64_t bytes = gather.chunk_trips * gather.collected.element_bytes();
      body_.check_bytes(spec_, 2 * bytes);  // with those before it, each half of the next
      now_[gather.variable] = chunks[gather.chunks++].reserve(std::max<std::int64_t>(bytes, 1));
    }
    trips = std::min(trips, gather.chunk_left);
  }
}

bool FixedLoop::head_holds() {
  if (!runtime_.head) return *now_[*head_] != 0;
  for (const State& state : states_) {
    if (state.head_parameter >= 0)
      runtime_.head->bind_parameter(state.head_parameter, now_[state.variable]);
  }
  runtime_.head->run();
  return *static_cast<const char*>(runtime_.head->result_data(0)) != 0;
}

void FixedLoop::run_trips(std::int64_t trips) {
  graph::Frame* const frame = runtime_.trip ? &*runtime_.trip : nullptr;
  for (; trips > 0; --trips) {
    if (head_ && !head_holds()) {
      report_->end = LoopEnd::head;
      ended_ = true;
      return;
    }
    if (frame != nullptr) {
      for (const Mover& mover : movers_) {
        if (mover.parameter >= 0) frame->bind_parameter(mover.parameter, now_[mover.variable]);
      }
      for (const Writer& writer : writers_) {
        if (writer.result >= 0) frame->bind_result(writer.result, now_[writer.variable]);
      }
      frame->run();
    }
    for (const Copy& copy : copies_) {
      if (copy.strided == nullptr) {
        std::memcpy(now_[copy.to], now_[copy.from], static_cast<std::size_t>(copy.bytes));
      } else {
        copy_out(TensorView::trusted(static_cast<void*>(now_[copy.to]), copy.strided->dtype,
                                     copy.strided->shape),
                 copy.strided->slice(now_[copy.from]));
      }
      count_copy(copy.bytes);
    }
    for (std::size_t w = 0; w < watched_.size(); ++w)
      last_[w] = now_[watched_[w]];
    if (condition_) go_ = *now_[*condition_] != 0;
    // All states step at once: no variable changes before all are read.
    for (std::size_t s = 0; s < states_.size(); ++s)
      next_[s] = now_[states_[s].from];
    for (std::size_t s = 0; s < states_.size(); ++s) {
      now_[states_[s].variable] = next_[s];
      if (states_[s].parameter >= 0) frame->bind_parameter(states_[s].parameter, next_[s]);
    }
    for (const Mover& mover : movers_)
      now_[mover.variable] += mover.step;
    for (Writer& writer : writers_) {
      now_[writer.variable] += writer.step;
      if (writer.ring_size == 0 || --writer.ring_left > 0) continue;
      now_[writer.variable] = writer.ring;
      writer.ring_left = writer.ring_size;
    }
    ++done_;
    ++index_;
    narrow_index_ = static_cast<std::int32_t>(index_);
    if (!go_) {
      report_->end = LoopEnd::condition;
      ended_ = true;
      return;
    }
  }
}

// ---- Outputs -------------------------------------------------------------------------------------

void FixedLoop::move_elements(Gather& gather, std::int64_t first, std::int64_t count,
                              const char* from) {
  if (count == 0) return;
  const Collected& collected = gather.collected;
  copy_out(collected.places(first, count),
           stack_of(static_cast<const void*>(from), collected.dtype(), collected.element_shape(),
                    count));
  count_copy(count * collected.element_bytes());
}

void FixedLoop::flush(std::int64_t first) {
  for (Gather& gather : gathers_) {
    if (gather.way == Gather::Way::chunks) gather.chunk_left -= done_ - first;
    if (gather.way == Gather::Way::blocks)
      move_elements(gather, first, done_ - first, gather.block);
  }
}

void FixedLoop::finish_gather(Gather& gather) {
  Collected& collected = gather.collected;
  if (!gather.is_open) {
    const auto& length = spec_.outputs[collected.output()].length;
    const std::int64_t room = length ? call_->integer(*length) : done_;
    collected.open(call_->output(collected.output(), collected.dtype(), collected.shape(room)),
                   done_);
  }
  if (gather.way == Gather::Way::chunks) {
    std::int64_t first = 0;
    std::int64_t room = first_chunk_trips;
    for (std::size_t c = 0; c < gather.chunks; ++c, room *= 2) {
      const std::int64_t count = std::min(room, done_ - first);
      move_elements(gather, first, count, runtime_.chunks[collected.output()][c].data());
      first += count;
    }
  } else if (gather.way == Gather::Way::after && done_ > 0) {
    const auto number = static_cast<std::size_t>(gather.source.number);
    TensorView all;
    Tensor numbers;
    if (gather.source.kind == Source::Kind::iterator) {
      all = geometry_.iterators[number].stacked(iterators_[number].origin, done_);
    } else if (gather.source.kind == Source::Kind::index) {
      numbers = Tensor::empty({done_}, ScalarType::i64);
      for (std::int64_t i = 0; i < done_; ++i)
        numbers.data_as<std::int64_t>()[i] = i;
      all = numbers;
    } else {
      all = view_of(gather.source).unsqueeze(0);
    }
    // Results may show the elements in another shape.
    DimVector shape(1, all.shape()[0]);
    for (const std::int64_t extent : collected.element_shape())
      shape.push_back(extent);
    if (!std::ranges::equal(all.shape(), shape)) {
      numbers = Tensor::copy_of(all);
      all = numbers.as_strided(shape, contiguous_strides(shape));
    }
    copy_out(collected.places(0, done_), all);
    report_->bytes_copied += done_ * collected.element_bytes();
  }
  collected.clear_tail(done_);
}

void FixedLoop::write_last(std::size_t output, const TensorView& value) {
  const TensorView out = call_->output(output, value.dtype(), value.shape());
  copy_out(out, value);
  report_->bytes_copied += value.nbytes();
}

void FixedLoop::finish() {
  report_->trips = done_;
  for (Gather& gather : gathers_)
    finish_gather(gather);
  --index_;  // the last trip's
  narrow_index_ = static_cast<std::int32_t>(index_);
  std::size_t watched = 0;
  for (std::size_t o = 0; o < spec_.outputs.size(); ++o) {
    const LoopOutput& output = spec_.outputs[o];
    if (output.kind == LoopOutputKind::last_state) {
      const LoopState& state = spec_.states[static_cast<std::size_t>(output.state)];
      const Variable variable = variable_of({Source::Kind::state, static_cast<int>(output.state)});
      // As the body gives it; without trips, as it came.
      const graph::ValueType& type = body_.parameter_type(state.parameter);
      write_last(o, TensorView::trusted(static_cast<const void*>(now_[variable]), type.dtype,
                                        type.shape.shape()));
    } else if (output.kind == LoopOutputKind::last_value) {
      if (done_ == 0) {
        refuse(spec_, ErrorCode::invalid_argument, "output ", o,
               " is a value of the last trip, and there was none");
      }
      const graph::ValueType& type = body_.typed->result_type(output.result);
      const Source source = *body_.results[static_cast<std::size_t>(output.result)];
      const char* at = last_[watched++];
      TensorView value =
          TensorView::trusted(static_cast<const void*>(at), type.dtype, type.shape.shape());
      Tensor dense;
      if (source.kind == Source::Kind::iterator &&
          !iterators_[static_cast<std::size_t>(source.number)].packed) {
        dense =
            Tensor::copy_of(geometry_.iterators[static_cast<std::size_t>(source.number)].slice(at));
      } else if (source.kind == Source::Kind::invariant || source.kind == Source::Kind::once) {
        dense = Tensor::copy_of(view_of(source));
      }
      if (dense.defined())
        value = dense.as_strided(type.shape.shape(), contiguous_strides(type.shape.shape()));
      write_last(o, value);
    }
  }
  call_->write_numbers(done_, go_);
}

}  // namespace weft::inline v0::recurrent
