// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/gathered_outputs.hpp"

#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>
#include <weft/ops/copy.hpp>

#include "recurrent/static/stack_copy.hpp"
#include "recurrent/static/stack_view.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

/// Trips in the first chunk of an output of unknown length; each further one has twice as many.
constexpr std::int64_t first_chunk_trips = 16;

}  // namespace

void GatheredOutputs::refuse_short(std::size_t output, std::int64_t length) const {
  refuse(spec_, ErrorCode::shape, "output ", output, ": has length ", length, ", and the loop has ",
         body_.has_certain_end() ? text(run_.limit.trips, " trips") : text("more trips"));
}

void GatheredOutputs::check_room(std::int64_t trips) const {
  for (const Gather& gather : plan_.gathers) {
    const std::size_t output = gather.collected.output();
    const auto& length = spec_.outputs[output].length;
    if (length && run_.call->integer(*length) == trips) refuse_short(output, trips);
  }
}

void GatheredOutputs::read_lengths() {
  room_ = endless;
  for (const Gather& gather : plan_.gathers) {
    const std::size_t o = gather.collected.output();
    if (!spec_.outputs[o].length) continue;
    const std::int64_t room = run_.call->integer(*spec_.outputs[o].length);
    if (room < 0) {
      refuse(spec_, ErrorCode::invalid_argument, "output ", o, ": length ", room,
             ": expected 0 or more");
    }
    if (body_.has_certain_end() && run_.limit.trips > room) refuse_short(o, room);
    room_ = std::min(room_, room);
  }
}

/// Places of an output: as many as it is to have, or one for each trip.
std::int64_t GatheredOutputs::places(const Gather& gather, std::int64_t trips) const {
  const auto& length = spec_.outputs[gather.collected.output()].length;
  return length ? run_.call->integer(*length) : trips;
}

void GatheredOutputs::open_output(Collected& collected, std::int64_t places,
                                  std::int64_t trips) const {
  const std::size_t o = collected.output();
  void* memory = run_.call->has_memory(o) ? run_.call->output_memory(o, {})
                                          : run_.call->output_memory(o, collected.shape(places));
  collected.open(memory, places, trips);
}

void GatheredOutputs::open(Gather& gather) {
  LoopReport& report = *run_.report;
  gather.chunks = 0;
  gather.chunk_trips = gather.chunk_left = gather.block_used = 0;
  const bool computed = gather.way != Gather::Way::after;
  const bool is_direct = gather.way == Gather::Way::direct;
  const bool in_place = is_direct && plan_.writers[gather.writer].result >= 0;
  if (computed) ++(in_place ? report.written_in_place : report.written_in_blocks);
  if (!gather.is_open) return;
  const std::int64_t trips = body_.has_certain_end() ? run_.limit.trips : -1;
  open_output(gather.collected, places(gather, trips), trips);
  if (!is_direct) return;
  plan_.writers[gather.writer].step = gather.collected.step();
  if (run_.limit.trips > 0) plan_.variables[gather.variable] = gather.collected.place(0);
}

void GatheredOutputs::open() {
  read_lengths();  // all of them, before anything is allocated
  for (Gather& gather : plan_.gathers)
    open(gather);
  set_rows();
  open_blocks();
}

/// Where the rows of what is copied into outputs in every trip go.
void GatheredOutputs::set_rows() {
  for (StaticPlan::Copy& copy : plan_.copies) {
    if (copy.gather < 0) continue;
    const Collected& out = plan_.gathers[static_cast<std::size_t>(copy.gather)].collected;
    copy.rows = out.rows();
    copy.row_bytes = out.row_bytes();
    copy.row_step = out.row_step();
  }
}

void GatheredOutputs::open_blocks() {
  runtime_.blocks.resize(spec_.outputs.size());
  for (const Gather& gather : plan_.gathers) {
    if (gather.way != Gather::Way::blocks || gather.source.kind == Source::Kind::block) continue;
    const std::int64_t bytes = plan_.block_trips * gather.collected.element_bytes();
    plan_.variables[gather.variable] =
        runtime_.blocks[gather.collected.output()].reserve(std::max<std::int64_t>(bytes, 1));
  }
}

void GatheredOutputs::open_chunk(Gather& gather) {
  gather.chunk_trips = gather.chunks == 0 ? first_chunk_trips : 2 * gather.chunk_trips;
  gather.chunk_left = gather.chunk_trips;
  std::vector<Buffer>& chunks = runtime_.chunks[gather.collected.output()];
  if (chunks.size() == gather.chunks) chunks.emplace_back();
  const std::int64_t bytes = gather.chunk_trips * gather.collected.element_bytes();
  body_.check_bytes(spec_, 2 * bytes);  // with those before it, each half of the next
  plan_.variables[gather.variable] =
      chunks[gather.chunks++].reserve(std::max<std::int64_t>(bytes, 1));
}

std::int64_t GatheredOutputs::make_room_for(std::int64_t trips) {
  runtime_.chunks.resize(spec_.outputs.size());
  for (Gather& gather : plan_.gathers) {
    if (gather.way == Gather::Way::blocks) {
      // A state may still lie in the buffer: what came last, if that was short, stays in it.
      if (gather.block_used >= plan_.min_block_trips) {
        gather.block_used = 0;
        if (gather.source.kind != Source::Kind::block)
          plan_.variables[gather.variable] = runtime_.blocks[gather.collected.output()].data();
      }
      trips = std::min(trips, plan_.block_trips - gather.block_used);
      gather.block = plan_.variables[gather.variable];
    } else if (gather.way == Gather::Way::chunks) {
      if (gather.chunk_left == 0) open_chunk(gather);
      trips = std::min(trips, gather.chunk_left);
    }
  }
  return trips;
}

void GatheredOutputs::move_elements(const Gather& gather, std::int64_t first, std::int64_t count,
                                    const char* from) {
  if (count == 0) return;
  const Collected& collected = gather.collected;
  copy_stack(collected.places(first, count),
             stack_of(static_cast<const void*>(from), collected.dtype(), collected.element_shape(),
                      count));
  run_.count_copy(count * collected.element_bytes());
}

void GatheredOutputs::flush(std::int64_t first) {
  const std::int64_t trips = run_.done - first;
  for (Gather& gather : plan_.gathers) {
    if (gather.way == Gather::Way::chunks) gather.chunk_left -= trips;
    if (gather.way != Gather::Way::blocks) continue;
    gather.block_used += trips;
    move_elements(gather, first, trips, gather.block);
  }
}

void GatheredOutputs::finish() {
  for (Gather& gather : plan_.gathers)
    finish(gather);
}

void GatheredOutputs::finish(Gather& gather) {
  if (!gather.is_open) open_output(gather.collected, places(gather, run_.done), run_.done);
  if (gather.way == Gather::Way::chunks) move_chunks(gather);
  if (gather.way == Gather::Way::after && run_.done > 0) copy_after(gather);
  gather.collected.clear_tail(run_.done);
}

void GatheredOutputs::move_chunks(const Gather& gather) {
  std::int64_t first = 0;
  std::int64_t room = first_chunk_trips;
  for (std::size_t c = 0; c < gather.chunks; ++c, room *= 2) {
    const std::int64_t count = std::min(room, run_.done - first);
    move_elements(gather, first, count, runtime_.chunks[gather.collected.output()][c].data());
    first += count;
  }
}

/// Elements that no trip has written.
void GatheredOutputs::copy_after(const Gather& gather) {
  const std::int64_t trips = run_.done;
  const auto number = static_cast<std::size_t>(gather.source.number);
  TensorView all;
  Tensor numbers;
  if (gather.source.kind == Source::Kind::iterator) {
    all = geometry_.iterators[number].stacked(plan_.iterators[number].origin, trips);
  } else if (gather.source.kind == Source::Kind::index) {
    numbers = Tensor::empty({trips}, ScalarType::i64);
    for (std::int64_t i = 0; i < trips; ++i)
      numbers.data_as<std::int64_t>()[i] = i;
    all = numbers;
  } else {
    all = views_.view(gather.source).unsqueeze(0);
  }
  // Results may show the elements in another shape.
  DimVector shape(1, all.shape()[0]);
  for (const std::int64_t extent : gather.collected.element_shape())
    shape.push_back(extent);
  if (!std::ranges::equal(all.shape(), shape)) {
    numbers = Tensor::copy_of(all);
    all = numbers.as_strided(shape, contiguous_strides(shape));
  }
  copy_out(gather.collected.places(0, trips), all);
  run_.report->bytes_copied += trips * gather.collected.element_bytes();
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
