// SPDX-License-Identifier: Apache-2.0
// Products of f32 and f64: tiles of c in registers, the columns in vectors.
#include "kernels/product/product.hpp"

#include <weft/kernel/detail/vectorized_register.hpp>
#include <weft/kernel/vectorized.hpp>

#include "kernels/loops/by_type.hpp"

namespace weft {
inline namespace v0 {
namespace {

// As many sums as keep the multipliers busy (latency times throughput: 4 to 8 registers) and few
// enough for two operands more to stay in registers: 16 of 32 with AVX-512, 12 of 16 with AVX2, 8
// of 16 with SSE2, 24 of 32 with NEON, where a vector of 64 bytes is 1, 2, 4 and 4 registers.
#if defined(__AVX512F__)
constexpr int panel_vectors = 2;
constexpr int tile_rows = 8;
#elif defined(__AVX2__)
constexpr int panel_vectors = 1;
constexpr int tile_rows = 6;
#elif defined(__aarch64__)
constexpr int panel_vectors = 1;
constexpr int tile_rows = 6;
#else
constexpr int panel_vectors = 1;
constexpr int tile_rows = 2;
#endif
/// One row of a matrix of its own leaves room for several panels, so that wide rows of an unpacked
/// matrix are read in long pieces.
constexpr int row_panels = 4;

template <class T>
constexpr std::int64_t panel_width = panel_vectors * Vectorized<T>::lanes;
constexpr std::int64_t vector_bytes = 64;

/// Bytes from a panel of b to the next.
template <class T>
WEFT_ALWAYS_INLINE std::int64_t panel_step(const ProductAt& block) {
  return panel_width<T> * block.b.column_step;
}

/// One step: a column of a's tile times a row of b's.
template <class T, int rows, int vectors, std::size_t... J>
WEFT_ALWAYS_INLINE void add_products(Vectorized<T>* sums, const char* a, std::int64_t a_row,
                                     const char* b, std::int64_t b_panel,
                                     std::index_sequence<J...>) {
  using V = Vectorized<T>;
  const V columns[] = {V::load(reinterpret_cast<const T*>(b + J / panel_vectors * b_panel +
                                                          J % panel_vectors * vector_bytes))...};
  [&]<std::size_t... R>(std::index_sequence<R...>) WEFT_INLINE_LAMBDA {
    const auto row = [&]<std::size_t r>(std::integral_constant<std::size_t, r>) WEFT_INLINE_LAMBDA {
      const V factor(SpanReader<T, false>{a + static_cast<std::int64_t>(r) * a_row}[0]);
      ((sums[r * vectors + J] = fma(factor, columns[J], sums[r * vectors + J])), ...);
    };
    (row(std::integral_constant<std::size_t, R>()), ...);
  }(std::make_index_sequence<rows>());
}

/// Where a tile's run of products is, what it starts from (or null), and where it goes.
struct RunPlace {
  const char* a;
  const char* b;
  const char* b_end;  ///< of packed panels; null: they are not packed
  std::int64_t depth;
  const char* start;
  std::int64_t start_row_step;
  char* c;
  std::int64_t c_row_step;
  /// What a tile that fetches has brought into second-level cache meanwhile.
  const char* ahead = nullptr;
  std::int64_t ahead_step = 0;

  void go_down(const ProductAt& block, std::int64_t rows) {
    if (a != nullptr) a += rows * block.a.row_step;  // null if it has no columns
    if (start != nullptr) start += rows * start_row_step;
    c += rows * c_row_step;
  }
};

/// One run of products for a tile of `rows` rows by `panels` panels. I: the sums, by rows; packs
/// instead of loops, so that every sum is an object of its own, which compilers keep in a register.
template <class T, int rows, int panels, bool fetches, std::size_t... I>
WEFT_ALWAYS_INLINE void run_tile(const ProductAt& block, const RunPlace& at,
                                 std::index_sequence<I...>) {
  using V = Vectorized<T>;
  constexpr int vectors = panels * panel_vectors;
  const char *a = at.a, *b = at.b, *const start = at.start;
  const std::int64_t a_row = block.a.row_step;
  const std::int64_t a_step = block.a.column_step;
  const std::int64_t b_step = block.b.row_step;
  const std::int64_t b_panel = panel_step<T>(block);
  const auto offset = [](std::size_t i, std::int64_t row_step) {
    return static_cast<std::int64_t>(i / vectors) * row_step +
           static_cast<std::int64_t>(i % vectors) * vector_bytes;
  };
  // What the tile starts from and where it goes is fetched while the products are made.
  if (start != nullptr) (__builtin_prefetch(start + offset(I, at.start_row_step), 0), ...);
  (__builtin_prefetch(at.c + offset(I, at.c_row_step), 1), ...);
  V sums[sizeof...(I)];
  ((sums[I] = V(T(0))), ...);
  [[maybe_unused]] const char* ahead = at.ahead;
  for (std::int64_t k = 0; k < at.depth; ++k) {
    if constexpr (fetches) {
      __builtin_prefetch(ahead, 0, 2);
      ahead += at.ahead_step;
    }
    add_products<T, rows, vectors>(sums, a, a_row, b, b_panel, std::make_index_sequence<vectors>());
    a += a_step;
    b += b_step;
  }
  if (start != nullptr) {
    ((sums[I] =
          V::load(reinterpret_cast<const T*>(start + offset(I, at.start_row_step))) + sums[I]),
     ...);
  }
  (sums[I].store(reinterpret_cast<T*>(at.c + offset(I, at.c_row_step))), ...);
}
template <class T, int rows, int panels, bool fetches>
void tile(const ProductAt& block, const RunPlace& at) {
  run_tile<T, rows, panels, fetches>(block, at,
                                     std::make_index_sequence<rows * panels * panel_vectors>());
}

using TileFn = void (*)(const ProductAt&, const RunPlace&);
/// The tiles of 1, 2, ... tile_rows rows.
template <class T, bool fetches>
constexpr auto tiles = []<std::size_t... I>(std::index_sequence<I...>) {
  struct Table {
    TileFn of[sizeof...(I)];
  };
  return Table{{&tile<T, static_cast<int>(I) + 1, 1, fetches>...}};
}(std::make_index_sequence<tile_rows>());

// Rows of a that meet one panel after the other, and so should stay in second-level cache
// meanwhile. b, which may come from beyond it, is read once for all of them.
constexpr std::int64_t min_rows = 4 * tile_rows;
constexpr std::int64_t max_rows = 32 * tile_rows;
constexpr std::int64_t rows_bytes = 1 << 19;
/// A row of one panel for each of them; of a single row, one of several panels.
constexpr std::int64_t max_bytes_between = max_rows * panel_vectors * vector_bytes;
static_assert(row_panels <= max_rows);

/// The most tiles that share fetching a run.
constexpr std::int64_t max_fetching = 4;

/// One run of all rows of some panels.
template <class T>
WEFT_ALWAYS_INLINE void run_tiles(const ProductAt& block, int panels, RunPlace at) {
  const char* const next = at.b + at.depth * block.b.row_step;
  if (block.rows <= tile_rows && next >= at.b_end) {
    (panels == row_panels ? &tile<T, 1, row_panels, false> : tiles<T, false>.of[block.rows - 1])(
        block, at);
    return;
  }
  // Tiles of nearly equal heights: a last one of a row or two would be slow for its size.
  const std::int64_t count = (block.rows + tile_rows - 1) / tile_rows;
  const std::int64_t fetching = next >= at.b_end ? 0 : count < max_fetching ? count : max_fetching;
  if (fetching > 0) at.ahead_step = block.b.row_step / fetching;
  for (std::int64_t t = 0; t < count; ++t) {
    const std::int64_t height = block.rows * (t + 1) / count - block.rows * t / count;
    if (t < fetching) {
      at.ahead = next + t * at.depth * at.ahead_step;
      tiles<T, true>.of[height - 1](block, at);
    } else {
      tiles<T, false>.of[height - 1](block, at);
    }
    at.go_down(block, height);
  }
}
/// Several. All rows meet a run of the panel, which stays in first-level cache, before the next.
/// Between runs c stays in a buffer: its rows may lie a power of two from each other, where few of
/// them fit a cache.
template <class T>
[[gnu::noinline]] void run_after_run(const ProductAt& block, int panels, RunPlace at,
                                     char* between) {
  char* const c = at.c;
  const std::int64_t c_row_step = at.c_row_step;
  at.c = between;
  at.c_row_step = panels * panel_vectors * vector_bytes;
  at.depth = product_run;
  for (std::int64_t left = block.depth; left > 0; left -= product_run) {
    if (left <= product_run) {
      at.depth = left;
      at.c = c;
      at.c_row_step = c_row_step;
    }
    run_tiles<T>(block, panels, at);
    at.a += product_run * block.a.column_step;
    at.b += product_run * block.b.row_step;
    at.start = between;
    at.start_row_step = panels * panel_vectors * vector_bytes;
  }
}
/// All rows of some panels; at most max_rows of them.
template <class T>
void whole_panels(const ProductAt& block, int panels, const char* b, char* c,
                  std::int64_t c_row_step, const char* start, std::int64_t start_row_step,
                  char* between) {
  const bool is_packed = panels == 1 && block.b.row_step == panel_vectors * vector_bytes;
  const std::int64_t all_panels = (block.columns + panel_width<T> - 1) / panel_width<T>;
  const char* const b_end = is_packed ? block.b.data + all_panels * panel_step<T>(block) : nullptr;
  const RunPlace at{block.a.data, b, b_end, block.depth, start, start_row_step, c, c_row_step};
  if (block.depth <= product_run) {
    run_tiles<T>(block, panels, at);
  } else {
    run_after_run<T>(block, panels, at, between);
  }
}

/// A last panel of which only some columns are wanted, by way of a buffer, some rows at a time.
template <class T>
void part_of_panel(const ProductAt& block, std::int64_t columns, const char* b, char* c,
                   const char* start, char* between) {
  constexpr std::int64_t height = min_rows;
  constexpr std::int64_t step = panel_width<T> * static_cast<std::int64_t>(sizeof(T));
  alignas(64) char buffer[height * step];
  const auto bytes = static_cast<std::size_t>(columns) * sizeof(T);
  ProductAt part = block;
  for (std::int64_t row = 0; row < block.rows; row += height) {
    part.rows = block.rows - row < height ? block.rows - row : height;
    if (block.a.data != nullptr)
      part.a.data = block.a.data + row * block.a.row_step;  // null if it has no columns
    if (start != nullptr) {
      for (std::int64_t r = 0; r < part.rows; ++r) {
        char* to = buffer + r * step;
        __builtin_memcpy(to, start + (row + r) * block.start.row_step, bytes);
        __builtin_memset(to + bytes, 0, static_cast<std::size_t>(step) - bytes);
      }
    }
    whole_panels<T>(part, 1, b, buffer, step, start == nullptr ? nullptr : buffer, step, between);
    for (std::int64_t r = 0; r < part.rows; ++r)
      __builtin_memcpy(c + (row + r) * block.c.row_step, buffer + r * step, bytes);
  }
}

/// Some rows of all columns.
template <class T>
void multiply_rows(const ProductAt& block, char* between) {
  constexpr std::int64_t panel_bytes = panel_width<T> * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t whole = block.columns / panel_width<T>;
  std::int64_t panel = 0;
  const auto run = [&](int panels) {
    const std::int64_t at = panel * panel_bytes;
    whole_panels<T>(block, panels, block.b.data + panel * panel_step<T>(block), block.c.data + at,
                    block.c.row_step, block.start.data == nullptr ? nullptr : block.start.data + at,
                    block.start.row_step, between);
    panel += panels;
  };
  if (block.rows == 1) {
    while (panel + row_panels <= whole)
      run(row_panels);
  }
  while (panel < whole)
    run(1);
  const std::int64_t left = block.columns - whole * panel_width<T>;
  if (left == 0) return;
  const std::int64_t at = panel * panel_bytes;
  part_of_panel<T>(block, left, block.b.data + panel * panel_step<T>(block), block.c.data + at,
                   block.start.data == nullptr ? nullptr : block.start.data + at, between);
}

template <class T>
WEFT_ALWAYS_INLINE T add_product(T sum, T a, T b) {
#if defined(__FMA__) || defined(__aarch64__)
  if constexpr (sizeof(T) == 4) return __builtin_fmaf(a, b, sum);
  if constexpr (sizeof(T) == 8) return __builtin_fma(a, b, sum);
#endif
  return sum + a * b;
}

/// Columns that a register holds, for products of so few. Without instructions for a part of one,
/// they would go by way of memory.
template <class T>
constexpr std::int64_t narrow_columns = FirstLanes<T>::by_mask ? native_lanes<T> : 0;

/// Some rows of so few columns, which are dense in b, c and start. Not inlined: sums of several of
/// them would not stay in registers.
template <class T, std::size_t... R>
[[gnu::noinline]] void narrow_rows(const ProductAt& p, std::int64_t row,
                                   std::index_sequence<R...>) {
  using V = Register<T, native_lanes<T>>;
  const std::int64_t width = p.columns, depth = p.depth;
  const std::int64_t a_step = p.a.column_step, b_step = p.b.row_step;
  const auto load = [&](const char* from) WEFT_INLINE_LAMBDA {
    const typename V::Batch none(T(0));
    return V(FirstLanes<T>::load(reinterpret_cast<const T*>(from), width, none));
  };
  const auto at = [&](std::size_t r) { return row + static_cast<std::int64_t>(r); };
  const char* const a[] = {p.a.from(at(R), 0).data...};
  V sums[] = {V(static_cast<T>(0 * R))...};
  const char* b = p.b.data;
  for (std::int64_t k = 0; k < depth; ++k, b += b_step) {
    const V columns = load(b);
    const auto factor = [&](std::size_t r) WEFT_INLINE_LAMBDA {
      return V(SpanReader<T, false>{a[r] + k * a_step}[0]);
    };
    ((sums[R] = fma(factor(R), columns, sums[R])), ...);
  }
  // A loop: that of sums in registers would be some hundred bytes for each.
  const V all[] = {sums[R]...};
  for (std::size_t r = 0; r < sizeof...(R); ++r) {
    V value = all[r];
    if (p.start.data != nullptr) value = load(p.start.from(at(r), 0).data) + value;
    FirstLanes<T>::store(reinterpret_cast<T*>(p.c.from(at(r), 0).data), width, value.value);
  }
}
/// All rows. Preconditions: columns are at most narrow_columns, and dense in b, c and start; depth
/// is at least 1.
template <class T>
[[gnu::noinline]] void multiply_narrow(const ProductAt& p) {
  constexpr int some = tile_rows / 2;
  std::int64_t i = 0;
  for (; i + tile_rows <= p.rows; i += tile_rows)
    narrow_rows<T>(p, i, std::make_index_sequence<tile_rows>());
  for (; i + some <= p.rows; i += some)
    narrow_rows<T>(p, i, std::make_index_sequence<some>());
  for (; i < p.rows; ++i)
    narrow_rows<T>(p, i, std::make_index_sequence<1>());
}

template <class T>
bool is_narrow(const ProductAt& p) {
  return p.columns <= narrow_columns<T> && p.depth > 0 && p.depth <= product_run;
}

template <class T>
void multiply_few(const ProductAt& p) {
  if constexpr (narrow_columns<T> > 0) {
    constexpr std::int64_t size = sizeof(T);
    const bool dense = p.b.column_step == size && p.c.column_step == size &&
                       (p.start.data == nullptr || p.start.column_step == size);
    if (dense && is_narrow<T>(p)) return multiply_narrow<T>(p);
  }
  const auto at = [](const char* element) { return SpanReader<T, false>{element}[0]; };
  for (std::int64_t i = 0; i < p.rows; ++i) {
    for (std::int64_t j = 0; j < p.columns; ++j) {
      const MatrixAt a = p.a.from(i, 0), b = p.b.from(0, j), start = p.start.from(i, j);
      T sum = 0;
      for (std::int64_t k = 0; k < p.depth; ++k)
        sum = add_product(sum, at(a.data + k * a.column_step), at(b.data + k * b.row_step));
      T value = sum;
      if (start.data != nullptr) value = p.depth == 0 ? at(start.data) : at(start.data) + sum;
      __builtin_memcpy(p.c.from(i, j).data, &value, sizeof(T));
    }
  }
}

template <class T>
void multiply(const ProductAt& block, char* between) {
  if constexpr (narrow_columns<T> > 0) {
    if (is_narrow<T>(block)) return multiply_narrow<T>(block);  // one panel, or part of it
  }
  if (block.rows <= min_rows) {
    multiply_rows<T>(block, between);
    return;
  }
  const std::int64_t depth = block.depth > 0 ? block.depth : 1;
  std::int64_t most = rows_bytes / (depth * static_cast<std::int64_t>(sizeof(T)));
  most = most < min_rows ? min_rows : most > max_rows ? max_rows : most;
  // Parts of nearly equal heights.
  const std::int64_t count = (block.rows + most - 1) / most;
  ProductAt part = block;
  for (std::int64_t p = 0; p < count; ++p) {
    part.rows = block.rows * (p + 1) / count - block.rows * p / count;
    multiply_rows<T>(part, between);
    if (part.a.data != nullptr) part.a.data += part.rows * part.a.row_step;
    part.c.data += part.rows * part.c.row_step;
    if (part.start.data != nullptr) part.start.data += part.rows * part.start.row_step;
  }
}

template <class T>
constexpr ProductKernel kernel{&multiply<T>, panel_width<T>, max_bytes_between, &multiply_few<T>,
                               narrow_columns<T>};

}  // namespace

const ProductKernel* WEFT_KERNEL(product_kernel)(ScalarType type) {
  return by_type(type, []<class T>() -> const ProductKernel* {
    if constexpr (std::is_floating_point_v<T>) {
      return &kernel<T>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace v0
}  // namespace weft
