// SPDX-License-Identifier: Apache-2.0
/// @file
/// Checks a kernel's loop over strided elements.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "support/element.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace test {

/// n elements at a stride of `step` bytes, and nothing beyond them.
struct StridedSpan {
  static constexpr char gap = 0x5a;

  StridedSpan(std::int64_t n, std::int64_t step, std::int64_t size) : step_(step), size_(size) {
    const std::int64_t reach = (n - 1) * std::abs(step);
    bytes = static_cast<std::size_t>(reach + size);
    memory = std::make_unique<char[]>(bytes);
    std::memset(memory.get(), gap, bytes);
    first = memory.get() + (step < 0 ? reach : 0);
  }
  char* at(std::int64_t i) const { return first + i * step_; }
  void put(const char* dense, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(at(i), dense + i * size_, static_cast<std::size_t>(size_));
  }

  std::unique_ptr<char[]> memory;
  std::size_t bytes;
  char* first;

 private:
  std::int64_t step_;
  std::int64_t size_;
};

/// Checks that kernel.run_strided makes of random elements what kernel.run makes of them where they
/// are dense: steps of any sign and none, in place, up to the last byte of memory, and nothing
/// written between the results.
inline void check_strided(Tally& tally, Random& random, const weft::SpanKernel& kernel,
                          const std::string& what) {
  using weft::ScalarType;
  const std::int64_t n = random.chance(80) ? random.integer(1, 40) : random.integer(41, 300);
  const int count = kernel.noutputs + kernel.ninputs;
  std::vector<std::vector<char>> dense;
  std::vector<StridedSpan> strided;
  std::vector<std::int64_t> steps(static_cast<std::size_t>(count));
  std::vector<char*> spans, starts;
  std::uint32_t broadcast = 0;
  // The first output in place of the first input, if they are of one type.
  const bool in_place = random.chance(20) && kernel.types[0] == kernel.types[kernel.noutputs];
  const bool all_dense = random.chance(40);
  for (int k = 0; k < count; ++k) {
    const std::int64_t size = weft::element_size(kernel.types[k]);
    const bool is_input = k >= kernel.noutputs;
    const bool replaced = in_place && k == kernel.noutputs;
    std::int64_t& step = steps[static_cast<std::size_t>(k)];
    step = random.integer(1, 5) * size + random.integer(0, 1) * random.integer(0, 9);
    if (random.chance(30)) step = -step;
    if (!is_input && (all_dense || !kernel.strides_outputs)) step = size;
    // One element that all read: where dense, as one value if the kernel takes that.
    const bool one = is_input && !replaced && random.chance(20);
    const bool is_value = one && (kernel.broadcastable >> k & 1) != 0;
    if (one) step = 0;
    if (is_value) broadcast |= 1u << k;
    if (replaced) step = steps[0];
    dense.emplace_back(static_cast<std::size_t>((is_value ? 1 : n) * size), StridedSpan::gap);
    char* const elements = dense.back().data();
    if (is_input) fill(kernel.types[k], elements, one ? 1 : n, random);
    strided.emplace_back(one ? 1 : n, step, size);
    if (is_input) strided.back().put(elements, one ? 1 : n);
    for (std::int64_t i = 1; one && !is_value && i < n; ++i)
      std::memcpy(elements + i * size, elements, static_cast<std::size_t>(size));
  }
  for (std::size_t k = 0; k < dense.size(); ++k) {
    spans.push_back(dense[k].data());
    starts.push_back(strided[k].first);
  }
  if (in_place) {
    const auto replaced = static_cast<std::size_t>(kernel.noutputs);
    strided[0].put(spans[replaced], n);
    starts[replaced] = strided[0].first;
  }
  kernel.run(kernel.context, spans.data(), nullptr, n, 1, broadcast);
  kernel.run_strided(kernel.context, starts.data(), steps.data(), n);
  for (int k = 0; k < kernel.noutputs; ++k) {
    const ScalarType type = kernel.types[k];
    const std::int64_t size = weft::element_size(type);
    const StridedSpan& out = strided[static_cast<std::size_t>(k)];
    for (std::int64_t i = 0; i < n; ++i) {
      const char* want = spans[static_cast<std::size_t>(k)] + i * size;
      tally.check(same_element(type, want, out.at(i)), [&](auto& text) {
        text << what << ", output " << k << ", " << i << " of " << n;
        print_element(text << ": ", type, out.at(i));
        print_element(text << ", expected ", type, want);
      });
      std::memset(out.at(i), StridedSpan::gap, static_cast<std::size_t>(size));
    }
    tally.check(std::all_of(out.memory.get(), out.memory.get() + out.bytes,
                            [](char c) { return c == StridedSpan::gap; }),
                [&](auto& text) { text << what << ": wrote between the results"; });
  }
}

}  // namespace test
