// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the studies in this folder share: memory, right results before anything is timed, and the
/// names that plot.py reads.
///
///     add_case("copy/size:1000", [] {
///       const TensorView out = output(ScalarType::f32, {1000}, {1});
///       const TensorView a = input(1, ScalarType::f32, {1000}, {1});
///       return Work{.run = [=] { weft::copy_out(out, a); },
///                   .check = [=] { expect<float>([](float x) { return x; }, out, a); },
///                   .out = out, .bytes = 8000};
///     });
///
/// A case is named series/key:value/..., where the series says what is done and the keys on what.
#pragma once

#include <weft/core/dispatch_types.hpp>
#include <weft/core/tensor.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/parallel/parallel.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace bench {

using weft::IntSpan;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// For messages.
inline std::string& current_case() {
  static std::string name;
  return name;
}

[[noreturn]] inline void die(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", current_case().c_str(), what.c_str());
  std::exit(1);
}

// ---- Memory -------------------------------------------------------------------------------------

/// Each operand has one piece of memory, which all cases of a program share: two ways to do the
/// same thing are timed on the same addresses. It comes from where a Tensor's memory comes from;
/// pages that no case uses are never touched.
struct Slot {
  static constexpr std::int64_t capacity_bytes = std::int64_t{129} << 20;

  Tensor memory = Tensor::empty({capacity_bytes}, ScalarType::u8);
  std::int64_t filled_bytes = 0;
  ScalarType filled_type = ScalarType::u8;
};

inline Slot& slot(int number) {
  static std::array<Slot, 4> slots;
  return slots[static_cast<std::size_t>(number)];
}

/// Small integers, so that sums are exact and no operation meets a slow special value.
template <class T>
T pattern(std::int64_t i) {
  const auto hash = static_cast<std::uint32_t>(static_cast<std::uint64_t>(i) * 2654435761U) >> 16;
  const int small = static_cast<int>(hash % 17);
  return static_cast<T>(std::is_unsigned_v<T> ? small : small - 8);
}

/// A view with these strides (elements, negative ones too) at the beginning of a slot.
inline TensorView place(int number, ScalarType type, IntSpan shape, IntSpan strides) {
  std::int64_t first = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (strides[axis] < 0) first -= (shape[axis] - 1) * strides[axis];
  }
  const TensorView memory = slot(number).memory;
  auto* origin = static_cast<std::byte*>(memory.data()) + first * weft::element_size(type);
  return TensorView::within(memory.range(), origin, type, shape, strides);
}

inline TensorView output(ScalarType type, IntSpan shape, IntSpan strides) {
  return place(0, type, shape, strides);
}

/// Slots from 1 on are inputs, and hold pattern() of the type.
inline TensorView input(int number, ScalarType type, IntSpan shape, IntSpan strides) {
  const TensorView view = place(number, type, shape, strides);
  Slot& own = slot(number);
  const std::int64_t size = weft::element_size(type);
  const auto* begin = static_cast<const std::byte*>(own.memory.data());
  const auto* end = static_cast<const std::byte*>(view.data()) + view.end_byte();
  if (own.filled_type != type || own.filled_bytes < end - begin) {
    own.filled_type = type;
    own.filled_bytes = end - begin;
    weft::dispatch_types<std::uint8_t, std::int16_t, std::int32_t, float, double,
                         std::complex<double>>(type, [&]<class T>() {
      T* data = static_cast<T*>(own.memory.data());
      for (std::int64_t i = 0; i < own.filled_bytes / size; ++i)
        data[i] = pattern<T>(i + number);
    });
  }
  return view;
}

// ---- Right results ------------------------------------------------------------------------------

/// Ends the program unless every element of `out` is op of the inputs' elements at its place. The
/// plainest walk there is, which knows nothing of weft's order.
template <class T, class Op, class... Inputs>
void expect(Op op, const TensorView& out, const Inputs&... inputs) {
  const IntSpan shape = out.shape();
  constexpr std::size_t count = sizeof...(inputs);
  const std::array<TensorView, count + 1> views{out, inputs.expand(shape)...};
  std::array<std::int64_t, count + 1> at{};
  std::vector<std::int64_t> index(shape.size());
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    const auto value = [&]<std::size_t... K>(std::index_sequence<K...>) {
      return static_cast<T>(op(static_cast<const T*>(views[K + 1].data())[at[K + 1]]...));
    }(std::make_index_sequence<count>());
    if (static_cast<const T*>(out.data())[at[0]] != value) {
      die("wrong result at index " + weft::to_string(IntSpan(index)) + " of " +
          weft::to_string(shape));
    }
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      for (std::size_t k = 0; k <= count; ++k)
        at[k] += views[k].strides()[axis];
      if (++index[axis] < shape[axis]) break;
      for (std::size_t k = 0; k <= count; ++k)
        at[k] -= views[k].strides()[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

// ---- Cases --------------------------------------------------------------------------------------

struct Work {
  std::function<void()> run;    ///< is timed
  std::function<void()> check;  ///< ends the program if `run` has left a wrong result
  TensorView out;               ///< overwritten before the run that is checked
  std::int64_t bytes = 0;       ///< of all operands, each element once
  std::string label = {};       ///< what else there is to know
};

/// Bytes of all operands, each element once.
template <class... Views>
std::int64_t bytes_of(const Views&... views) {
  return (std::int64_t{0} + ... + views.nbytes());
}

/// Overwrites a view's elements, and what stands between them.
inline void poison(const TensorView& view) {
  std::memset(static_cast<std::byte*>(view.data()) + view.first_byte(), 0x5b,
              static_cast<std::size_t>(view.end_byte() - view.first_byte()));
}

/// Registers a case that runs on one thread. `make` is called whenever the case is about to run.
inline void add_case(const std::string& name, std::function<Work()> make) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [name, make = std::move(make)](benchmark::State& state) {
                                 static std::set<std::string> checked;
                                 current_case() = name;
                                 const weft::ThreadLimit one(1);
                                 const Work work = make();
                                 if (checked.insert(name).second) {
                                   poison(work.out);
                                   work.run();
                                   work.check();
                                 } else {
                                   work.run();
                                 }
                                 for (auto _ : state) {
                                   work.run();
                                   benchmark::ClobberMemory();
                                 }
                                 state.SetBytesProcessed(state.iterations() * work.bytes);
                                 if (!work.label.empty()) state.SetLabel(work.label);
                                 state.counters["elements"] = static_cast<double>(work.out.numel());
                                 state.counters["bytes"] = static_cast<double>(work.bytes);
                               });
}

/// main() of a study. `min_time` is the time for each case in seconds, unless the command line has
/// another.
inline int run_cases(int argc, char** argv, const char* min_time) {
  std::string flag = std::string("--benchmark_min_time=") + min_time;
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, flag.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;

  const weft::CpuInfo& cpu = weft::cpu_info();
  benchmark::AddCustomContext("processor", cpu.model);
  benchmark::AddCustomContext("instruction_set", std::string(weft::name(cpu.level)));
  if (benchmark::RunSpecifiedBenchmarks() == 0) {
    std::fprintf(stderr, "no case was run\n");
    return 1;
  }
  benchmark::Shutdown();
  return 0;
}

}  // namespace bench
