// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operands that do not fit the last-level cache, outputs of which are streamed; and
/// calls on them, compared with the plainest of loops.
#pragma once

#include <weft/machine/cpu_info.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/naive_ops.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace test::streamed {

using weft::TensorView;

inline constexpr std::int64_t row_length = 1500;  // no multiple of a line, nor of a tile
inline constexpr std::int64_t max_bytes = 512 << 20;
inline constexpr std::int64_t min_elements = 1 << 18;

/// Rows so that `element_bytes` an element are more than the engine keeps in caches, and as many as
/// are worth thinking of stores past them, or 0 if that is too much for a test.
inline std::int64_t rows_for(std::int64_t element_bytes, std::int64_t columns = row_length) {
  const std::int64_t least = weft::cpu_info().last_level_share();
  if (least + (least >> 4) > max_bytes) return 0;
  const std::int64_t row_bytes = columns * element_bytes;
  return std::max({std::int64_t{180}, least / row_bytes + 2, min_elements / columns + 1});
}

/// How an operand of rows x columns lies in memory.
enum class Lie {
  dense,
  pitched,
  transposed,
  shifted,          // dense, a byte beside any alignment
  off_line,         // dense, an element behind a line
  pitched_lines,    // every row begins on a line
  conflicting,      // rows a power of two from each other, a byte beside any alignment
  one_row,          // repeated down the rows
  one_column,       // repeated along them
  back,             // rows from their ends
  transposed_back,  // transposed, columns from their ends
};

/// One operand in memory of its own.
template <class T>
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t columns, Lie lie) : rows_(rows), columns_(columns) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t pitch = pitch_of(columns, lie);
    const bool is_transposed = lie == Lie::transposed || lie == Lie::transposed_back;
    stride_[0] = is_transposed ? 1 : lie == Lie::one_row ? 0 : pitch;
    stride_[1] = is_transposed ? rows : lie == Lie::one_column ? 0 : 1;
    if (lie == Lie::one_column) stride_[0] = 1;
    const bool odd = lie == Lie::shifted || lie == Lie::conflicting;
    const std::int64_t shift = odd ? 1 : lie == Lie::off_line ? size : 0;
    const std::int64_t last = (rows - 1) * stride_[0] + (columns - 1) * stride_[1];
    bytes_.resize(static_cast<std::size_t>((last + 1) * size + shift + 64), gap);
    const auto past = reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64;
    first_ = bytes_.data() + (past == 0 ? 0 : 64 - past) + shift;
    bytes_.resize(static_cast<std::size_t>(first_ - bytes_.data() + (last + 1) * size));
    if (lie == Lie::transposed_back) turn_round(stride_[0], rows);
    if (lie == Lie::back) turn_round(stride_[1], columns);
  }

  // Moved, the bytes stay where they are.
  Matrix(Matrix&&) = default;

  /// Integers that differ from place to place.
  void fill(std::uint32_t seed) {
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) {
        std::uint32_t hash = static_cast<std::uint32_t>(i * 8191 + j) * 2654435761u + seed;
        hash ^= hash >> 15;
        store(at(i, j), weft::cast<T>(static_cast<std::int32_t>(hash % 2001) - 1000));
      }
    }
  }
  void clear() { std::fill(bytes_.begin(), bytes_.end(), gap); }

  char* at(std::int64_t i, std::int64_t j) const {
    return first_ + (i * stride_[0] + j * stride_[1]) * static_cast<std::int64_t>(sizeof(T));
  }
  T get(std::int64_t i, std::int64_t j) const { return load<T>(at(i, j)); }
  TensorView view() const {
    return TensorView::trusted(static_cast<void*>(first_), weft::scalar_type_of<T>,
                               {rows_, columns_}, {stride_[0], stride_[1]});
  }
  /// Empty if the elements are want(i, j) and no byte between rows has changed.
  template <class Want>
  std::string difference(Want&& want) const {
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) {
        const T wanted = want(i, j);
        if (std::memcmp(at(i, j), &wanted, sizeof(T)) == 0) continue;
        std::ostringstream out;
        print_element(out << i << ", " << j << " of " << rows_ << " x " << columns_ << " is ",
                      weft::scalar_type_of<T>, at(i, j));
        print_element(out << ", expected ", weft::scalar_type_of<T>, &wanted);
        return out.str();
      }
    }
    if (stride_[1] != 1) return "";
    for (std::int64_t i = 0; i + 1 < rows_; ++i) {
      if (!std::all_of(at(i, columns_), at(i + 1, 0), [](char c) { return c == gap; }))
        return "wrote behind row " + std::to_string(i);
    }
    return std::all_of(static_cast<const char*>(bytes_.data()), static_cast<const char*>(first_),
                       [](char c) { return c == gap; })
               ? ""
               : "wrote before the first row";
  }

 private:
  void turn_round(std::int64_t& stride, std::int64_t extent) {
    first_ += (extent - 1) * stride * static_cast<std::int64_t>(sizeof(T));
    stride = -stride;
  }
  static std::int64_t pitch_of(std::int64_t columns, Lie lie) {
    switch (lie) {
      case Lie::pitched: return columns + 5;
      case Lie::pitched_lines: return (columns + 63) / 64 * 64 + 64;
      case Lie::conflicting:
        return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(columns)));
      default: return columns;
    }
  }

  static constexpr char gap = 0x33;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t stride_[2];
  std::vector<char> bytes_;
  char* first_ = nullptr;
};

/// Calls f(threads) for one and for two.
template <class F>
void one_and_two_threads(F&& f) {
  in_arena(2, [&] {
    for (const int threads : {1, 2}) {
      const weft::ThreadLimit limit(threads);
      f(threads);
    }
  });
}

inline void run(Binary op, const TensorView& out, const TensorView& a, const TensorView& b) {
  op == Binary::add ? weft::add_out(out, a, b) : weft::mul_out(out, a, b);
}

struct Case {
  Binary op;
  Lie out, a, b;
};

/// The operation on all elements, computed in type C.
template <class Out, class A, class B, class C>
void check_binary(const std::vector<Case>& cases, std::int64_t columns = row_length) {
  const std::int64_t rows = rows_for(sizeof(Out) + sizeof(A) + sizeof(B), columns);
  if (rows == 0) {
    WARN("the last-level cache is too large for this test");
    return;
  }
  Tally tally;
  for (const Case& c : cases) {
    Matrix<Out> out(rows, columns, c.out);
    Matrix<A> a(rows, columns, c.a);
    Matrix<B> b(rows, columns, c.b);
    a.fill(1);
    b.fill(2);
    one_and_two_threads([&](int threads) {
      out.clear();
      run(c.op, out.view(), a.view(), b.view());
      const std::string wrong = out.difference([&](std::int64_t i, std::int64_t j) {
        return weft::cast<Out>(
            binary_value<C>(c.op, weft::cast<C>(a.get(i, j)), weft::cast<C>(b.get(i, j))));
      });
      tally.check(wrong.empty(), [&](auto& text) {
        text << (c.op == Binary::add ? "add" : "mul") << ", layouts " << static_cast<int>(c.out)
             << ' ' << static_cast<int>(c.a) << ' ' << static_cast<int>(c.b) << ", " << threads
             << " threads: " << wrong;
      });
    });
  }
  CHECK_TALLY(tally);
}

template <class To, class From>
void check_copy(const std::vector<std::pair<Lie, Lie>>& cases, std::int64_t columns = row_length) {
  const std::int64_t rows = rows_for(sizeof(To) + sizeof(From), columns);
  if (rows == 0) return;
  Tally tally;
  for (const std::pair<Lie, Lie>& c : cases) {
    const Lie to_lie = c.first;
    const Lie from_lie = c.second;
    Matrix<To> to(rows, columns, to_lie);
    Matrix<From> from(rows, columns, from_lie);
    from.fill(3);
    one_and_two_threads([&](int threads) {
      to.clear();
      weft::copy_out(to.view(), from.view());
      const std::string wrong = to.difference(
          [&](std::int64_t i, std::int64_t j) { return weft::cast<To>(from.get(i, j)); });
      tally.check(wrong.empty(), [&](auto& text) {
        text << "layouts " << static_cast<int>(to_lie) << ' ' << static_cast<int>(from_lie) << ", "
             << threads << " threads: " << wrong;
      });
    });
  }
  CHECK_TALLY(tally);
}

}  // namespace test::streamed
