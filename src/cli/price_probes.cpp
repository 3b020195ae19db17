// SPDX-License-Identifier: Apache-2.0
#include "cli/price_probes.hpp"

#include <weft/core/tensor.hpp>
#include <weft/ops/registry.hpp>
#include <weft/parallel/parallel.hpp>

#include "cli/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <variant>

namespace weft::cli {
namespace {

/// `add` of f32 to separate rows, of one row of inputs: so much output fits in the first
/// level.
std::string add_rows(std::string_view shape, std::string_view out, std::string_view in) {
  return fmt::format("add out:f32{0}{1} f32{0}{2} f32{0}{2}", shape, out, in);
}

/// A single byte of each of `lines` cache lines, or of as many places, one every three bytes.
std::string neg_of_bytes(std::int64_t lines, std::int64_t stride) {
  return fmt::format("bitwise_not out:u8[{0}] u8[{0}]{{{1}}}", lines, stride);
}

/// A call on zeros that lie the same way in every run of the program: what an operand's address has
/// in common with another one's, within a page, is worth up to half of the time.
class PlacedCall {
 public:
  explicit PlacedCall(const std::string& call) {
    const Case c = parse_call(call);
    for (const TensorSpec& spec : c.outputs)
      add(spec, outputs_);
    for (const auto& input : c.inputs)
      add(std::get<TensorSpec>(input), inputs_);
    arguments_ = {.outputs = outputs_, .inputs = inputs_, .axes = {}, .keepdim = false, .value = 1};
    op_ = &find_op(c.op, arguments_);
  }
  PlacedCall(const PlacedCall&) = delete;
  PlacedCall& operator=(const PlacedCall&) = delete;

  void run() const { op_->run(arguments_); }

 private:
  static constexpr std::size_t page_bytes = 4096;

  /// Each operand begins another 17 lines into a page. Strides are not negative.
  void add(const TensorSpec& spec, std::vector<TensorView>& views) {
    const std::size_t into_page = (1 + buffers_.size()) * 17 * cache_line_bytes % page_bytes;
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < spec.shape.size(); ++axis)
      last += (spec.shape[axis] - 1) * spec.strides[axis];
    const std::int64_t bytes = (last + 1) * element_size(spec.type);
    buffers_.push_back(Tensor::zeros({bytes + 2 * std::int64_t{page_bytes}}, ScalarType::u8));
    auto* const begin = static_cast<std::byte*>(buffers_.back().data());
    const std::size_t at = reinterpret_cast<std::uintptr_t>(begin) % page_bytes;
    views.push_back(TensorView::trusted(static_cast<void*>(begin + (page_bytes - at) + into_page),
                                        spec.type, spec.shape, spec.strides));
  }

  std::vector<Tensor> buffers_;
  std::vector<TensorView> outputs_, inputs_;
  OpArguments arguments_;
  const OpEntry* op_ = nullptr;
};

}  // namespace

std::vector<PriceProbe> price_probes(const CpuInfo& machine) {
  using enum Strategy;
  // Four times the first level, which the second holds; an operand's buffer has 16 KiB.
  const std::int64_t lines =
      std::min({4 * machine.l1_bytes, machine.l2_bytes / 2, std::int64_t{1} << 20}) /
      cache_line_bytes;
  return {
      // The same rows, as 4 planes of 128 and as 64 of 8.
      {&Tuning::call_ps,
       {rows, add_rows("[2,2,128,4]", "{1300,644,5,1}", "{0,0,0,1}")},
       {rows, add_rows("[8,8,8,4]", "{356,44,5,1}", "{0,0,0,1}")},
       494},
      // The same elements in 64 rows and in 1024.
      {&Tuning::row_ps,
       {rows, add_rows("[64,64]", "{65,1}", "{0,1}")},
       {rows, add_rows("[1024,4]", "{5,1}", "{0,1}")},
       1370},
      {&Tuning::vector_ps,
       {rows, add_rows("[8,32]", "{40,1}", "{0,1}")},
       {rows, add_rows("[8,640]", "{648,1}", "{0,1}")},
       253},
      // Nothing beyond the last register, and three elements.
      {&Tuning::single_ps,
       {rows, add_rows("[256,16]", "{20,1}", "{0,1}")},
       {rows, add_rows("[256,19]", "{20,1}", "{0,1}")},
       294},
      // The same elements in 16 rows and in 128.
      {&Tuning::strided_row_ps,
       {strided_rows, add_rows("[16,64]", "{65,1}", "{0,2}")},
       {strided_rows, add_rows("[128,8]", "{9,1}", "{0,2}")},
       662},
      {&Tuning::strided_ps,
       {strided_rows, add_rows("[8,32]", "{40,1}", "{0,2}")},
       {strided_rows, add_rows("[8,320]", "{328,1}", "{0,2}")},
       768},
      // One input through a buffer, and three.
      {&Tuning::buffer_ps,
       {span, "addcmul out:f32[2,8] f32[2,8] f32[2,8] f32[2,8]{16,1}"},
       {span, "addcmul out:f32[2,8] f32[2,8]{40,1} f32[2,8]{24,1} f32[2,8]{16,1}"},
       36},
      {&Tuning::transposed_ps,
       {span, "neg out:f32[16,16] f32[16,16]{1,16}"},
       {span, "neg out:f32[32,64] f32[32,64]{1,32}"},
       269},
      {&Tuning::gathered_ps,
       {span, "bitwise_not out:u8[8,64] u8[8,64]{200,3}"},
       {span, "bitwise_not out:u8[8,512] u8[8,512]{1544,3}"},
       193},
      {&Tuning::line_ps, {span, neg_of_bytes(lines, 3)}, {span, neg_of_bytes(lines, 64)}, 1225},
      {&Tuning::tiles_ps,
       {rows, add_rows("[8,16]", "{24,1}", "{0,1}")},
       {row_tiles, add_rows("[8,16]", "{24,1}", "{0,1}")},
       304},
  };
}

PairTimes time_probe(const PriceProbe& probe, const CpuInfo& machine, double seconds) {
  const ThreadLimit one_thread(1);
  Tuning fewer_tuning = default_tuning(machine), more_tuning = fewer_tuning;
  fewer_tuning.strategy = probe.fewer.strategy;
  more_tuning.strategy = probe.more.strategy;
  const PlacedCall fewer(probe.fewer.call), more(probe.more.call);
  const ScopedTuning restores(fewer_tuning);
  const auto run_by = [](const PlacedCall& call, const Tuning& tuning) {
    tuning_in_use = &tuning;
    call.run();
  };
  return time_pair([&] { run_by(fewer, fewer_tuning); }, [&] { run_by(more, more_tuning); },
                   seconds);
}

double time_waking(double seconds) {
  using Clock = std::chrono::steady_clock;
  // Workers look for work for 100 to 200 us before they sleep.
  constexpr double until_threads_sleep = 5e-4;
  std::atomic<int> begun;
  const auto call = [&] {
    begun = 0;
    parallel_for(2, 1, [&](std::int64_t, std::int64_t) {
      ++begun;
      const Clock::time_point start = Clock::now();
      while (begun < 2 && Clock::now() - start < no_thread_came) {
      }
    });
  };
  // Threads that wake on the core of the one that calls are moved away after a while.
  for (const Clock::time_point start = Clock::now();
       Clock::now() - start < std::chrono::duration<double>(std::min(seconds / 2, 0.5));)
    call();
  return time_after_pauses(call, until_threads_sleep, seconds);
}

}  // namespace weft::cli
