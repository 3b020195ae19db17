// SPDX-License-Identifier: Apache-2.0
#include "peak.hpp"

#include <weft/kernel/vectorized.hpp>

namespace bench {
namespace {

/// Chains that do not wait for each other: more than latency times throughput, fewer than
/// registers.
template <class T>
std::int64_t spin(std::int64_t steps, float* sink) {
  using V = weft::Vectorized<T>;
  constexpr std::size_t chains = 12 / V::registers;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    V sums[chains];
    ((sums[I] = V(static_cast<T>(I))), ...);
    const V factor(T(0.5));
    const V term(T(0.25));
    for (std::int64_t step = 0; step < steps; ++step)
      ((sums[I] = fma(sums[I], factor, term)), ...);
    V all(T(0));
    ((all += sums[I]), ...);
    T lanes[V::lanes];
    all.store(lanes);
    *sink = static_cast<float>(lanes[0]);
    return steps * static_cast<std::int64_t>(chains) * V::lanes;
  }(std::make_index_sequence<chains>());
}

}  // namespace

std::int64_t WEFT_KERNEL(spin_multiply_adds)(weft::ScalarType type, std::int64_t steps,
                                             float* sink) {
  return type == weft::ScalarType::f64 ? spin<double>(steps, sink) : spin<float>(steps, sink);
}

}  // namespace bench
