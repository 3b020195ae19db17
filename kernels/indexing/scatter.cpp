// SPDX-License-Identifier: Apache-2.0
// Elements to where indices lead, one after the other: moved by their size, added by their type.
#include "kernels/indexing/offset_chunks.hpp"
#include "kernels/loops/by_type.hpp"
#include "kernels/loops/shared_loops.hpp"
#include "kernels/scalar/arithmetic.hpp"
#include "kernels/stage/moves.hpp"

namespace weft {
inline namespace v0 {
namespace {

template <class T>
struct Set {
  static constexpr std::size_t size = sizeof(T);
  static WEFT_ALWAYS_INLINE void apply(char* to, const char* from) { store(to, load<T>(from)); }
};

template <class T>
struct Add {
  static constexpr std::size_t size = sizeof(T);
  static WEFT_ALWAYS_INLINE void apply(char* to, const char* from) {
    if constexpr (is_half_type<T>) {
      store(to, T(static_cast<float>(load<T>(to)) + static_cast<float>(load<T>(from))));
    } else if constexpr (is_complex_type<T>) {
      // By parts: put together in memory, they would have to reach it before they are read again.
      using Part = typename T::value_type;
      Add<Part>::apply(to, from);
      Add<Part>::apply(to + sizeof(Part), from + sizeof(Part));
    } else {
      store(to, plus(load<T>(to), load<T>(from)));
    }
  }
};
/// Any byte but 0 is true.
template <>
struct Add<bool> {
  static constexpr std::size_t size = 1;
  static WEFT_ALWAYS_INLINE void apply(char* to, const char* from) {
    store(to, static_cast<char>((*to != 0) | (*from != 0)));
  }
};

template <class Step>
bool scatter(const IndexedBlock& block, const IndexedAxes& axes) {
  return for_each_chunk(
      block, axes, [](const IndexedBlock& chunk, const std::int64_t* offsets, std::int64_t) {
        // Copies: for all that a compiler knows, what is written may be the chunk.
        const std::int64_t n = chunk.n0, rows = chunk.n1;
        const std::int64_t to_step = chunk.to_steps[0], from_step = chunk.from_steps[0];
        for (std::int64_t j = 0; j < rows; ++j, offsets += n) {
          char* const to = chunk.to + j * chunk.to_steps[1];
          const char* const from = chunk.from + j * chunk.from_steps[1];
          if (from_step == 0) {
            // A copy, which nothing that is written can be: read once, not anew behind each store.
            char value[Step::size];
            __builtin_memcpy(value, from, Step::size);
            for (std::int64_t i = 0; i < n; ++i)
              Step::apply(to + i * to_step + offsets[i], value);
            continue;
          }
          for (std::int64_t i = 0; i < n; ++i)
            Step::apply(to + i * to_step + offsets[i], from + i * from_step);
        }
      });
}

/// Dense rows with an index each are moved whole.
bool set_rows(const IndexedBlock& block, const IndexedAxes& axes, std::int64_t bytes) {
  return for_each_row_chunk(
      block, axes, [&](const IndexedBlock& rows, const std::int64_t* offsets) {
        for (std::int64_t i = 0; i < rows.n0; ++i) {
          __builtin_memcpy(rows.to + i * rows.to_steps[0] + offsets[i],
                           rows.from + i * rows.from_steps[0], static_cast<std::size_t>(bytes));
        }
      });
}
template <class T>
bool set(const IndexedBlock& block, const IndexedAxes& axes) {
  constexpr std::int64_t size = sizeof(T);
  if (block.index_steps[0] == 0 && block.n0 > 1 && block.to_steps[0] == size &&
      block.from_steps[0] == size)
    return set_rows(block, axes, block.n0 * size);
  return scatter<Set<T>>(block, axes);
}

/// Sums of signed and of unsigned integers are the same bits.
ScatterFn adding(ScalarType type) {
  return by_type(type,
                 []<class T>() -> ScatterFn { return &scatter<Add<typename Wrapping<T>::Type>>; });
}

ScatterFn setting(std::int64_t element_bytes) {
  switch (element_bytes) {
    case 1: return &set<std::uint8_t>;
    case 2: return &set<std::uint16_t>;
    case 4: return &set<std::uint32_t>;
    case 8: return &set<std::uint64_t>;
    default: return &set<Pair>;
  }
}

}  // namespace

ScatterFn WEFT_KERNEL(scatter_kernel)(ScatterOp op, ScalarType type) {
  return op == ScatterOp::add ? adding(type) : setting(element_size(type));
}

}  // namespace v0
}  // namespace weft
