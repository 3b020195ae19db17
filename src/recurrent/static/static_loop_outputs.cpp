// SPDX-License-Identifier: Apache-2.0
// Where a loop whose body is planned once puts its results.
#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>
#include <weft/ops/copy.hpp>

#include "recurrent/static/stack_copy.hpp"
#include "recurrent/static/stack_view.hpp"
#include "recurrent/static/static_loop.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

/// Trips in the first chunk of an output of unknown length; each further one has twice as many.
constexpr std::int64_t first_chunk_trips = 16;

}  // namespace

void FixedLoop::refuse_short(std::size_t output, std::int64_t length) const {
  refuse(spec_, ErrorCode::shape, "output ", output, ": has length ", length, ", and the loop has ",
         body_.has_certain_end() ? text(limit_.trips, " trips") : text("more trips"));
}

void FixedLoop::open(Collected& collected, std::int64_t places, std::int64_t trips) {
  const std::size_t o = collected.output();
  void* memory = call_->has_memory(o) ? call_->output_memory(o, {})
                                      : call_->output_memory(o, collected.shape(places));
  collected.open(memory, places, trips);
}

void FixedLoop::open_outputs() {
  const std::int64_t trips = body_.has_certain_end() ? limit_.trips : -1;
  // All lengths are looked at before anything is allocated.
  for (const Gather& gather : plan_.gathers) {
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
  for (Gather& gather : plan_.gathers) {
    Collected& collected = gather.collected;
    gather.chunks = 0;
    gather.chunk_trips = gather.chunk_left = 0;
    const bool computed = gather.way != Gather::Way::after;
    const bool in_place =
        gather.way == Gather::Way::direct && plan_.writers[gather.writer].result >= 0;
    if (computed) ++(in_place ? report_->written_in_place : report_->written_in_blocks);
    if (!gather.is_open) continue;
    const auto& length = spec_.outputs[collected.output()].length;
    const std::int64_t room = length ? call_->integer(*length) : trips;
    open(collected, room, trips);
    if (gather.way == Gather::Way::direct) {
      plan_.writers[gather.writer].step = collected.step();
      if (limit_.trips > 0) plan_.variables[gather.variable] = collected.place(0);
    }
  }
  set_rows();
}

/// Where the rows of what is copied into outputs in every trip go.
void FixedLoop::set_rows() {
  for (Copy& copy : plan_.copies) {
    if (copy.gather < 0) continue;
    const Collected& out = plan_.gathers[static_cast<std::size_t>(copy.gather)].collected;
    copy.rows = out.rows();
    copy.row_bytes = out.row_bytes();
    copy.row_step = out.row_step();
  }
}

void FixedLoop::open_chunks(std::int64_t& trips) {
  runtime_.chunks.resize(spec_.outputs.size());
  for (Gather& gather : plan_.gathers) {
    if (gather.way != Gather::Way::chunks) continue;
    if (gather.chunk_left == 0) {
      gather.chunk_trips = gather.chunks == 0 ? first_chunk_trips : 2 * gather.chunk_trips;
      gather.chunk_left = gather.chunk_trips;
      std::vector<Buffer>& chunks = runtime_.chunks[gather.collected.output()];
      if (chunks.size() == gather.chunks) chunks.emplace_back();
      const std::int64_t bytes = gather.chunk_trips * gather.collected.element_bytes();
      body_.check_bytes(spec_, 2 * bytes);  // with those before it, each half of the next
      plan_.variables[gather.variable] =
          chunks[gather.chunks++].reserve(std::max<std::int64_t>(bytes, 1));
    }
    trips = std::min(trips, gather.chunk_left);
  }
}

void FixedLoop::move_elements(Gather& gather, std::int64_t first, std::int64_t count,
                              const char* from) {
  if (count == 0) return;
  const Collected& collected = gather.collected;
  copy_stack(collected.places(first, count),
             stack_of(static_cast<const void*>(from), collected.dtype(), collected.element_shape(),
                      count));
  count_copy(count * collected.element_bytes());
}

void FixedLoop::flush(std::int64_t first) {
  for (Gather& gather : plan_.gathers) {
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
    open(collected, room, done_);
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
      all = geometry_.iterators[number].stacked(plan_.iterators[number].origin, done_);
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
  copy_out(call_->output(output, value.dtype(), value.shape()), value);
  report_->bytes_copied += value.nbytes();
}

/// The same of a value that is row-major.
void FixedLoop::write_last(std::size_t output, const char* from, const graph::ValueType& type) {
  const IntSpan shape = type.shape.shape();
  const std::int64_t bytes = numel(shape) * element_size(type.dtype);
  if (bytes > most_bytes_by_one) {
    write_last(output, TensorView::trusted(static_cast<const void*>(from), type.dtype, shape));
    return;
  }
  std::copy_n(from, bytes, static_cast<char*>(call_->output_memory(output, shape)));
  report_->bytes_copied += bytes;
}

void FixedLoop::finish() {
  report_->trips = done_;
  for (Gather& gather : plan_.gathers)
    finish_gather(gather);
  index_.set(done_ - 1);  // the last trip's
  std::size_t watched = 0;
  for (std::size_t o = 0; o < spec_.outputs.size(); ++o) {
    const LoopOutput& output = spec_.outputs[o];
    if (output.kind == LoopOutputKind::last_state) {
      const LoopState& state = spec_.states[static_cast<std::size_t>(output.state)];
      const Variable variable =
          plan_.variables.of({Source::Kind::state, static_cast<int>(output.state)});
      // As the body gives it; without trips, as it came.
      const graph::ValueType& type = body_.parameter_type(state.parameter);
      const auto carried =
          std::ranges::find(plan_.states, static_cast<std::size_t>(output.state), &State::number);
      if (carried != plan_.states.end() && carried->gather >= 0 && done_ > 0) {
        const Gather& gather = plan_.gathers[static_cast<std::size_t>(carried->gather)];
        const IntSpan shape = type.shape.shape();
        write_last(o,
                   TensorView::trusted(
                       static_cast<const void*>(plan_.variables[variable]), type.dtype, shape,
                       graph::row_strides(shape, gather.row_elements(),
                                          gather.collected.row_step() / element_size(type.dtype))));
      } else {
        write_last(o, plan_.variables[variable], type);
      }
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
          !plan_.iterators[static_cast<std::size_t>(source.number)].packed) {
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

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
