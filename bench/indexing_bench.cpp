// SPDX-License-Identifier: Apache-2.0
// Choosing elements by positions and masks, beside the plain loop that one would write for dense
// memory. Results are compared before anything is timed.
#include <weft/ops/creation.hpp>
#include <weft/ops/indexing.hpp>
#include <weft/ops/masking.hpp>
#include <weft/parallel/parallel.hpp>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

namespace bench {
namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

std::uint64_t random_bits(std::uint64_t i) {
  i = (i + 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9;
  return i ^ (i >> 29);
}

Tensor random_index(weft::IntSpan shape, std::int64_t extent) {
  const Tensor index = Tensor::empty(shape, ScalarType::i64);
  auto* const to = static_cast<std::int64_t*>(index.data());
  for (std::int64_t i = 0; i < index.numel(); ++i) {
    to[i] = static_cast<std::int64_t>(random_bits(static_cast<std::uint64_t>(i)) %
                                      static_cast<std::uint64_t>(extent));
  }
  return index;
}
Tensor random_mask(std::int64_t n) {
  const Tensor mask = Tensor::empty({n}, ScalarType::boolean);
  for (std::int64_t i = 0; i < n; ++i)
    static_cast<bool*>(mask.data())[i] =
        (random_bits(static_cast<std::uint64_t>(i)) >> 40 & 1) != 0;
  return mask;
}
Tensor numbers(weft::IntSpan shape) {
  const Tensor flat = weft::arange(0, weft::numel(shape), 1, ScalarType::f32);
  return Tensor::share(flat.owner(), flat.as_strided(shape, weft::contiguous_strides(shape)));
}

const float* floats(const Tensor& t) { return static_cast<const float*>(t.data()); }
const std::int64_t* integers(const Tensor& t) { return static_cast<const std::int64_t*>(t.data()); }

/// Times weft and the plain loop, each into an output of its own, if they agree.
void add_case(const std::string& name, const Tensor& like,
              const std::function<void(const TensorView&)>& by_weft,
              const std::function<void(char*)>& by_loop) {
  const Tensor out = Tensor::zeros(like.shape(), like.dtype());
  const Tensor plain = Tensor::zeros(like.shape(), like.dtype());
  by_weft(out);
  by_loop(static_cast<char*>(plain.data()));
  if (std::memcmp(out.data(), plain.data(), static_cast<std::size_t>(out.nbytes())) != 0) {
    std::cerr << name << ": the plain loop gives another result\n";
    std::exit(1);
  }
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    for (auto _ : state)
      by_weft(out);
  });
  benchmark::RegisterBenchmark(("plain " + name).c_str(), [=](benchmark::State& state) {
    for (auto _ : state) {
      by_loop(static_cast<char*>(plain.data()));
      benchmark::ClobberMemory();
    }
  });
}

/// Rows of `width` floats, 1 Mi floats in all.
void add_rows(std::int64_t width) {
  const std::int64_t rows = (1 << 20) / width;
  const Tensor a = numbers({rows, width}), index = random_index({rows}, rows);
  add_case(
      "index_select, rows of " + std::to_string(width), a,
      [=](const TensorView& out) { weft::index_select_out(out, a, 0, index); },
      [=](char* out) {
        for (std::int64_t i = 0; i < rows; ++i) {
          std::memcpy(out + i * width * 4, floats(a) + integers(index)[i] * width,
                      static_cast<std::size_t>(width) * 4);
        }
      });
}

void add_columns() {
  constexpr std::int64_t n = 1024;
  const Tensor a = numbers({n, n}), columns = random_index({n}, n),
               places = random_index({n, n}, n);
  add_case(
      "index_select, columns", a,
      [=](const TensorView& out) { weft::index_select_out(out, a, 1, columns); },
      [=](char* out) {
        auto* const to = reinterpret_cast<float*>(out);
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < n; ++j)
            to[i * n + j] = floats(a)[i * n + integers(columns)[j]];
        }
      });
  add_case(
      "gather along rows", a, [=](const TensorView& out) { weft::gather_out(out, a, 1, places); },
      [=](char* out) {
        auto* const to = reinterpret_cast<float*>(out);
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < n; ++j)
            to[i * n + j] = floats(a)[i * n + integers(places)[i * n + j]];
        }
      });
  add_case(
      "scatter_add along rows", a,
      [=](const TensorView& out) { weft::scatter_add_out(out, a, 1, places, a); },
      [=](char* out) {
        auto* const to = reinterpret_cast<float*>(out);
        std::memcpy(out, a.data(), static_cast<std::size_t>(a.nbytes()));
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < n; ++j)
            to[i * n + integers(places)[i * n + j]] += floats(a)[i * n + j];
        }
      });
}

void add_masks() {
  constexpr std::int64_t n = 1 << 20;
  const Tensor a = numbers({n}), mask = random_mask(n);
  const auto* const chosen = static_cast<const bool*>(mask.data());
  add_case(
      "masked_select, every other", weft::masked_select(a, mask),
      [=](const TensorView& out) { weft::masked_select_out(out, a, mask); },
      [=](char* out) {
        auto* to = reinterpret_cast<float*>(out);
        for (std::int64_t i = 0; i < n; ++i) {
          if (chosen[i]) *to++ = floats(a)[i];
        }
      });
  add_case(
      "nonzero, every other", weft::nonzero(mask),
      [=](const TensorView& out) { weft::nonzero_out(out, mask); },
      [=](char* out) {
        auto* to = reinterpret_cast<std::int64_t*>(out);
        for (std::int64_t i = 0; i < n; ++i) {
          if (chosen[i]) *to++ = i;
        }
      });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  weft::set_num_threads(1);
  for (const std::int64_t width : {4, 16, 64, 1024})
    bench::add_rows(width);
  bench::add_columns();
  bench::add_masks();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
