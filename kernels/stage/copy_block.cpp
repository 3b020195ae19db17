// SPDX-License-Identifier: Apache-2.0
// Blocks of elements from one pair of strides to another, by element size: rows that both sides
// hold densely, transposes (each side dense along another dim), constant steps, and anything else
// element by element.
#include "kernels/stage/fill.hpp"
#include "kernels/stage/interleaved.hpp"
#include "kernels/stage/reversed_rows.hpp"
#include "kernels/stage/stage.hpp"
#include "kernels/stage/strided.hpp"
#include "kernels/stage/transpose_lines.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// 16-byte lanes of a register, and groups of columns that a block of T takes at a time: as many as
/// make a line of the source, or sixteen registers.
constexpr int lanes = register_bytes / 16;
template <class T>
constexpr int groups = LaneOf<T>::size <= 4 ? 4 : 16 / LaneOf<T>::size;

/// Every Step-th element of a row. With the step known, the compiler loads whole vectors and picks
/// lanes out of them.
template <class T, int Step>
void copy_strided(char* __restrict to, std::int64_t t1, const char* __restrict from,
                  std::int64_t f1, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  for (std::int64_t j = 0; j < n1; ++j) {
    for (std::int64_t i = 0; i < n0; ++i)
      store(to + j * t1 + i * size, load<T>(from + j * f1 + i * Step * size));
  }
}

/// Rows from their last element back.
template <class T>
void copy_back(char* __restrict to, std::int64_t t1, const char* __restrict from, std::int64_t f1,
               std::int64_t n0, std::int64_t n1) {
#if defined(__x86_64__) && !defined(__AVX2__)
  // No instruction of this level moves the bytes of a register.
  if (sizeof(T) == 1 && n0 >= 8) {
    for (std::int64_t j = 0; j < n1; ++j, to += t1, from += f1) {
      std::int64_t i = 0;
      for (; i + 8 <= n0; i += 8)
        store(to + i, __builtin_bswap64(load<std::uint64_t>(from - i - 7)));
      for (; i < n0; ++i)
        store(to + i, load<T>(from - i));
    }
    return;
  }
#endif
  copy_strided<T, -1>(to, t1, from, f1, n0, n1);
}

/// Every Step-th element of a row, from the last one back: forwards into a buffer, from which they
/// are turned round. Compilers pick lanes out of whole vectors only where these follow each other
/// upwards.
template <class T, int Step>
void copy_strided_back(char* __restrict to, std::int64_t t1, const char* __restrict from,
                       std::int64_t f1, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  constexpr std::int64_t most = 2048 / size;
  alignas(64) char buffer[most * size];
  for (std::int64_t j = 0; j < n1; ++j) {
    // The last part first: what reads only upwards is had beforehand.
    for (std::int64_t i = (n0 - 1) / most * most; i >= 0; i -= most) {
      const std::int64_t n = n0 - i < most ? n0 - i : most;
      copy_strided<T, Step>(buffer, 0, from + j * f1 - (i + n - 1) * Step * size, 0, n, 1);
      copy_back<T>(to + j * t1 + i * size, 0, buffer + (n - 1) * size, 0, n, 1);
    }
  }
}

/// Rows at least this long are worth setting up for; of shorter ones copy_elements has all places
/// beforehand.
constexpr std::int64_t min_strided = 16;
/// The same for the two passes of copy_strided_back().
constexpr std::int64_t min_turned = 64;

/// Whether whole vectors, of which lanes are picked, are quicker than loads of single elements,
/// four of which gather_strided() puts together at a time. It depends on which lanes the level can
/// bring together in an instruction: of two registers, bytes of one, or words of one.
template <class T>
constexpr bool picks_lanes([[maybe_unused]] int step) {
  constexpr std::size_t size = sizeof(T);
#if defined(__AVX512BW__) || defined(__aarch64__)
  return size <= 8;
#elif defined(__AVX2__)
  return size <= 2 || (size <= 8 && step == 2);
#else
  return (size <= 4 && step == 2) || (size == 1 && step == 4);
#endif
}
/// Every Step-th element of rows, if that is a way to do it. Whether it was done.
template <class T, int Step>
bool copy_lanes(char* __restrict to, std::int64_t t1, const char* __restrict from, std::int64_t f1,
                std::int64_t n0, std::int64_t n1) {
  if constexpr (!picks_lanes<T>(Step)) {
    return false;
  } else if constexpr (Step > 0) {
    copy_strided<T, Step>(to, t1, from, f1, n0, n1);
    return true;
  } else {
    if (n0 < min_turned) return false;
    copy_strided_back<T, -Step>(to, t1, from, f1, n0, n1);
    return true;
  }
}
template <class T>
bool copy_lanes(char* __restrict to, std::int64_t t1, const char* __restrict from, std::int64_t f0,
                std::int64_t f1, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  if (f0 == 2 * size) return copy_lanes<T, 2>(to, t1, from, f1, n0, n1);
  if (f0 == 3 * size) return copy_lanes<T, 3>(to, t1, from, f1, n0, n1);
  if (f0 == 4 * size) return copy_lanes<T, 4>(to, t1, from, f1, n0, n1);
  if (f0 == -2 * size) return copy_lanes<T, -2>(to, t1, from, f1, n0, n1);
  if (f0 == -3 * size) return copy_lanes<T, -3>(to, t1, from, f1, n0, n1);
  if (f0 == -4 * size) return copy_lanes<T, -4>(to, t1, from, f1, n0, n1);
  return false;
}

/// transpose(), by whole lines where that is quicker: into a buffer (rows of `to` follow each
/// other) for bytes.
template <class T>
void copy_transposed(char* __restrict to, std::int64_t t1, const char* __restrict from,
                     std::int64_t f0, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t side = line_bytes / static_cast<std::int64_t>(sizeof(T));
  if constexpr (has_line_blocks<T> && sizeof(T) == 1) {
    if (t1 == n0 && n0 >= side && n1 >= side)
      return transpose_lines<T, false>(to, t1, from, f0, n0, n1);
  }
  transpose<T, lanes, groups<T>>(to, t1, from, f0, n0, n1);
}
/// The same by non-temporal stores: where rows of `to` are followed.
template <class T>
void stream_transposed(char* __restrict to, std::int64_t t1, const char* __restrict from,
                       std::int64_t f0, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  constexpr std::int64_t side = line_bytes / size;
  constexpr std::int64_t min_run_bytes = 256;
  if constexpr (has_line_blocks<T>) {
    if (n0 * size >= min_run_bytes && n1 >= side)
      return transpose_lines<T, true>(to, t1, from, f0, n0, n1);
  }
  transpose<T, lanes, groups<T>, true>(to, t1, from, f0, n0, n1);
}

template <class T>
void copy_block(char* __restrict to, std::int64_t t0, std::int64_t t1, const char* __restrict from,
                std::int64_t f0, std::int64_t f1, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  // An element that is a lane needs no turning within lanes: a single row or column is a step like
  // others.
  constexpr std::int64_t least = LaneOf<T>::size > 1 ? LaneOf<T>::size : 2;
  const bool transposable = n0 >= least && n1 >= least;
  if (t0 == size && f0 == size) {
    copy_rows(to, t1, from, f1, n0 * size, n1);
  } else if (t0 == size && f0 == 0) {
    fill_rows<T>(to, t1, from, f1, n0, n1);
  } else if ((n0 < n1 ? n0 : n1) <= Interleaved<T>::max_rows &&
             copy_interleaved<T>(to, t0, t1, from, f0, f1, n0, n1)) {
    return;
  } else if (t0 == size && f1 == size && transposable) {
    copy_transposed<T>(to, t1, from, f0, n0, n1);
  } else if (t1 == size && f0 == size && transposable) {
    copy_transposed<T>(to, t0, from, f1, n1, n0);
  } else if (t0 == size && f0 == -size && ReversedRows<T>::fits(t1, f1, n0, n1)) {
    ReversedRows<T>::copy(to, from, f1, n0, n1);
  } else if (t0 == size && ShortRows<T>::fits(f0, n0)) {
    ShortRows<T>::gather(to, t1, from, f1, f0, n0, n1);
  } else if (t0 == size && f0 == -size) {
    copy_back<T>(to, t1, from, f1, n0, n1);
  } else if (t0 == size && n0 >= min_strided && copy_lanes<T>(to, t1, from, f0, f1, n0, n1)) {
    return;
  } else if (t0 == size && n0 >= min_strided) {
    for (std::int64_t j = 0; j < n1; ++j)
      gather_row<T>(to + j * t1, from + j * f1, f0, n0);
  } else if (f0 == size && n0 >= min_strided) {
    for (std::int64_t j = 0; j < n1; ++j)
      scatter_row<T>(to + j * t1, t0, from + j * f1, n0);
  } else if (t1 == size && t0 != size && n1 >= min_strided) {
    copy_block<T>(to, t1, t0, from, f1, f0, n1, n0);
  } else {
    copy_elements<T>(to, t0, t1, from, f0, f1, n0, n1);
  }
}

/// copy_block() where a side is dense backwards: both are walked backwards along that dim, unless
/// that takes as much from the other. One row over and over is put together once.
template <class T>
void copy_any_block(char* __restrict to, std::int64_t t0, std::int64_t t1,
                    const char* __restrict from, std::int64_t f0, std::int64_t f1, std::int64_t n0,
                    std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  if ((t0 == -size && f0 != 0) || (f0 == -size && t1 == size && n1 > 1)) {
    to += (n0 - 1) * t0;
    from += (n0 - 1) * f0;
    t0 = -t0;
    f0 = -f0;
  }
  if ((t1 == -size && f0 == size) || (f1 == -size && t0 == size)) {
    to += (n1 - 1) * t1;
    from += (n1 - 1) * f1;
    t1 = -t1;
    f1 = -f1;
  }
  const bool repeats = t0 == size && f1 == 0 && f0 != 0 && f0 != size && n1 > 1;
  copy_block<T>(to, t0, t1, from, f0, f1, n0, repeats ? 1 : n1);
  if (repeats) copy_rows(to + t1, t1, to, 0, n0 * size, n1 - 1);
}

template <class T>
void stream_block(char* __restrict to, std::int64_t t0, std::int64_t t1,
                  const char* __restrict from, std::int64_t f0, std::int64_t f1, std::int64_t n0,
                  std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  const bool large = n0 >= LaneOf<T>::size && n1 >= LaneOf<T>::size;
  const auto transposable = [&](std::int64_t step) {
    return large &&
           (static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) | step) % line_bytes ==
               0;
  };
  if constexpr (can_stream) {
    if (t0 == size && f0 == size) {
      stream_rows(to, t1, from, f1, n0 * size, n1);
    } else if (t0 == size && f1 == size && transposable(t1)) {
      stream_transposed<T>(to, t1, from, f0, n0, n1);
    } else if (t1 == size && f0 == size && transposable(t0)) {
      stream_transposed<T>(to, t0, from, f1, n1, n0);
    } else {
      copy_any_block<T>(to, t0, t1, from, f0, f1, n0, n1);
    }
  } else {
    copy_any_block<T>(to, t0, t1, from, f0, f1, n0, n1);
  }
}

}  // namespace

CopyBlockFn WEFT_KERNEL(copy_block_kernel)(std::int64_t element_bytes) {
  switch (element_bytes) {
    case 1: return &copy_any_block<std::uint8_t>;
    case 2: return &copy_any_block<std::uint16_t>;
    case 4: return &copy_any_block<std::uint32_t>;
    case 8: return &copy_any_block<std::uint64_t>;
    default: return &copy_any_block<Pair>;
  }
}

CopyBlockFn WEFT_KERNEL(stream_block_kernel)(std::int64_t element_bytes) {
  switch (element_bytes) {
    case 1: return &stream_block<std::uint8_t>;
    case 2: return &stream_block<std::uint16_t>;
    case 4: return &stream_block<std::uint32_t>;
    case 8: return &stream_block<std::uint64_t>;
    default: return &stream_block<Pair>;
  }
}

}  // namespace v0
}  // namespace weft
