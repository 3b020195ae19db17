// SPDX-License-Identifier: Apache-2.0
// cummax and cummin. Elements are ordered as integers, so that a maximum is one instruction
// and groups of elements can be taken together in any way.
#include <weft/kernel/cumulative.hpp>

#include "kernels/cumulative/cumulative.hpp"
#include "kernels/loops/by_type.hpp"
#include "kernels/scalar/arithmetic.hpp"
#include "kernels/scalar/ordered_keys.hpp"
#include "kernels/stage/moves.hpp"

#include <limits>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

template <class T, bool least>
class Extremes {
  using O = OrderedKeys<T, least>;
  using Key = typename O::Key;
  static constexpr std::int64_t size = sizeof(T);
  /// Elements of a line that are taken together.
  static constexpr int lanes =
      static_cast<int>((sizeof(T) == 1 || register_bytes == 16 ? 16 : 32) / sizeof(T));
  using Lanes = typename VectorOf<Key, lanes>::Type;

 public:
  static constexpr CumulativeKernel kernel() {
    CumulativeKernel k;
    k.start = &start;
    k.advance = &advance;
    k.advance_lines = &advance_lines;
    k.accumulator_bytes = sizeof(Key);
    k.types[0] = k.types[1] = scalar_type_of<T>;
    return k;
  }

 private:
  static void start(const void*, void* accumulators, const char* const*, std::int64_t n) {
    Key* acc = static_cast<Key*>(accumulators);
    for (std::int64_t j = 0; j < n; ++j)
      acc[j] = O::lowest;
  }

  static void advance(const void*, void* accumulators, const CumulativeBlock& b) {
    Key* acc = static_cast<Key*>(accumulators);
    const std::int64_t columns = b.columns;
    for (std::int64_t r = 0; r < b.length; ++r) {
      char* const out = b.data[0] + r * b.step_bytes[0];
      const char* const in = b.data[1] + r * b.step_bytes[1];
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < columns; ++j) {
        acc[j] = larger(acc[j], O::key(load<Key>(in + j * size)));
        store(out + j * size, O::bits(acc[j]));
      }
    }
  }

  /// The largest of each lane and those before it: of every 2 * half lanes, the upper ones together
  /// with the last of the lower ones.
  template <int half, std::size_t... I>
  static WEFT_ALWAYS_INLINE Lanes with_before(const Lanes& keys, std::index_sequence<I...> all) {
    if constexpr (half == lanes) {
      return keys;
    } else {
      constexpr std::size_t h = half;
      const Lanes before = __builtin_shufflevector(
          keys, keys, ((I & h) != 0 ? I / (2 * h) * (2 * h) + h - 1 : I)...);
      return with_before<2 * half>(keys > before ? keys : before, all);
    }
  }
  template <std::size_t... I>
  static WEFT_ALWAYS_INLINE Lanes last_of(const Lanes& keys, std::index_sequence<I...>) {
    return __builtin_shufflevector(keys, keys, (static_cast<std::size_t>(lanes) - 1 + 0 * I)...);
  }

  static void line(Key* acc, char* out, const char* in, std::int64_t n) {
    constexpr auto all = std::make_index_sequence<static_cast<std::size_t>(lanes)>();
    Lanes before = Lanes{} + *acc;
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      Lanes given;
      __builtin_memcpy(&given, in + i * size, sizeof(given));
      const Lanes largest = with_before<1>(O::key(given), all);
      const Lanes last = last_of(largest, all);
      const Lanes results = O::bits(largest > before ? largest : before);
      before = last > before ? last : before;
      __builtin_memcpy(out + i * size, &results, sizeof(results));
    }
    *acc = before[0];
    for (; i < n; ++i) {
      *acc = larger(*acc, O::key(load<Key>(in + i * size)));
      store(out + i * size, O::bits(*acc));
    }
  }

  static void advance_lines(const void*, void* accumulators, const CumulativeBlock& b) {
    Key* acc = static_cast<Key*>(accumulators);
    for (std::int64_t l = 0; l < b.columns; ++l)
      line(acc + l, b.data[0] + l * b.step_bytes[0], b.data[1] + l * b.step_bytes[1], b.length);
  }
};

/// Where the largest so far stands.
template <class T, bool least>
struct Position {
  using O = OrderedKeys<T, least>;
  struct Acc {
    typename O::Key largest;
    std::int64_t place;
    std::int64_t next;
  };
  Acc identity() const noexcept { return {O::lowest, 0, 0}; }
  Acc accumulate(Acc acc, T x) const noexcept {
    const auto key = O::key(static_cast<typename O::Key>(bits_of(x)));
    const bool stands = key >= acc.largest;
    return {stands ? key : acc.largest, stands ? acc.next : acc.place, acc.next + 1};
  }
  std::int64_t project(Acc acc) const noexcept { return acc.place; }
};

template <class T, bool least>
struct Kernels {
  static constexpr CumulativeKernel values = Extremes<T, least>::kernel();
  static constexpr Position<T, least> position{};
  static constexpr CumulativeKernel places = cumulative_kernel(position);
};

template <bool least, bool places>
const CumulativeKernel* kernel_of(ScalarType type) {
  return by_type(type, []<class T>() -> const CumulativeKernel* {
    if constexpr (is_complex_type<T>) {
      return nullptr;
    } else {
      return places ? &Kernels<T, least>::places : &Kernels<T, least>::values;
    }
  });
}

}  // namespace

const CumulativeKernel* WEFT_KERNEL(running_extreme_kernel)(CumulativeOp op, ScalarType type) {
  switch (op) {
    case CumulativeOp::cummax: return kernel_of<false, false>(type);
    case CumulativeOp::cummin: return kernel_of<true, false>(type);
    case CumulativeOp::cummax_index: return kernel_of<false, true>(type);
    case CumulativeOp::cummin_index: return kernel_of<true, true>(type);
    default: return nullptr;
  }
}

}  // namespace v0
}  // namespace weft
