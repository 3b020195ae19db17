// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/dispatch_types.hpp>
#include <weft/core/promotion.hpp>
#include <weft/iter/config.hpp>
#include <weft/ops/masking.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/operation.hpp"
#include "ops/index_operand.hpp"
#include "ops/result.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

/// Elements of a piece: counted on its own, so that its results have their place when all have been
/// counted.
constexpr std::int64_t piece_elements = default_grain;
/// Elements whose positions are noted before they are worked on.
constexpr std::int64_t block_elements = 1024;

/// True if the element at an address is not 0. A bool is true for every byte but 0.
template <class T>
bool is_set(const char* from) {
  if constexpr (std::is_same_v<T, bool>) {
    return *from != 0;
  } else if constexpr (is_half_type<T>) {
    std::uint16_t bits;
    std::memcpy(&bits, from, sizeof(bits));
    return (bits & 0x7fff) != 0;
  } else {
    T value;
    std::memcpy(static_cast<void*>(&value), from, sizeof(value));
    return value != T(0);
  }
}

template <class T>
std::int64_t count_set(const char* from, std::int64_t stride, std::int64_t n) {
  std::int64_t count = 0;
  if (stride == static_cast<std::int64_t>(sizeof(T))) {
    for (std::int64_t i = 0; i < n; ++i)
      count += is_set<T>(from + i * static_cast<std::int64_t>(sizeof(T))) ? 1 : 0;
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      count += is_set<T>(from + i * stride) ? 1 : 0;
  }
  return count;
}

/// Notes which of n elements, at most block_elements, are set, in order; returns how many. Without
/// a branch for each: every position is written, and stays only if the next one goes behind it.
template <class T>
int note_set(std::int32_t* places, const char* from, std::int64_t stride, std::int64_t n) {
  int count = 0;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(n); ++i) {
    places[count] = i;
    count += is_set<T>(from + i * stride) ? 1 : 0;
  }
  return count;
}

/// How elements of one type are looked at. The walk around it is the same for all of them.
struct Looking {
  std::int64_t (*count)(const char* from, std::int64_t stride, std::int64_t n);
  int (*note)(std::int32_t* places, const char* from, std::int64_t stride, std::int64_t n);

  static Looking at(ScalarType type) {
    return dispatch_all_types(type, []<class T>() { return Looking{&count_set<T>, &note_set<T>}; });
  }
};

/// The elements of an iterator in C order, in pieces; operand `chooser` says which are wanted.
class Chosen {
 public:
  Chosen(const TensorIterator& iter, int chooser)
      : iter_(iter),
        chooser_(static_cast<std::size_t>(chooser)),
        looking_(Looking::at(iter.storage_dtype(chooser))) {
    starts_.resize(static_cast<std::size_t>(ceil_div(iter.numel(), piece_elements)) + 1);
    count_pieces();
  }

  std::int64_t count() const { return starts_.back(); }

  /// Calls f(rank, flat, data, strides, places, n) for every block: the chosen elements rank ...
  /// rank + n - 1 are those at `places` in the row that begins at data, the block's first element
  /// being number `flat` of all.
  template <class F>
  void visit(F&& f) const {
    parallel_for(pieces(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t piece = begin; piece < end; ++piece)
        visit_piece(piece, f);
    });
  }

 private:
  std::int64_t pieces() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  Range range(std::int64_t piece) const {
    return {piece * piece_elements, std::min((piece + 1) * piece_elements, iter_.numel())};
  }

  void count_pieces() {
    parallel_for(pieces(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t piece = begin; piece < end; ++piece) {
        std::int64_t sum = 0;
        const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t n) {
          sum += looking_.count(data[chooser_], strides[chooser_], n);
        };
        iter_.serial_for_each(loop, range(piece));
        starts_[static_cast<std::size_t>(piece) + 1] = sum;
      }
    });
    for (std::size_t piece = 1; piece < starts_.size(); ++piece)
      starts_[piece] += starts_[piece - 1];
  }

  template <class F>
  void visit_piece(std::int64_t piece, F& f) const {
    std::int64_t rank = starts_[static_cast<std::size_t>(piece)];
    std::int64_t flat = range(piece).begin;
    std::int32_t places[block_elements];
    const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t n) {
      for (std::int64_t first = 0; first < n; first += block_elements) {
        const std::int64_t size = std::min(block_elements, n - first);
        const int found = looking_.note(places, data[chooser_], strides[chooser_], size);
        if (found > 0) f(rank, flat, data, strides, places, found);
        rank += found;
        flat += size;
        for (int k = 0; k < iter_.ntensors(); ++k)
          data[k] += size * strides[k];
      }
    };
    iter_.serial_for_each(loop, range(piece));
  }

  const TensorIterator& iter_;
  std::size_t chooser_;
  Looking looking_;
  std::vector<std::int64_t> starts_;  // chosen elements before each piece
};

void check_mask(const TensorView& mask) {
  check_defined(mask, 1);
  if (mask.dtype() != ScalarType::boolean) {
    fail(ErrorCode::dtype, text("input 1 (the mask): expected bool, got ", name(mask.dtype())));
  }
}

template <int size>
void copy_chosen(const TensorView& out, const Chosen& chosen) {
  auto* const to = static_cast<char*>(out.data());
  const std::int64_t step = out.strides()[0] * size;
  chosen.visit([to, step](std::int64_t rank, std::int64_t, char* const* data,
                          const std::int64_t* strides, const std::int32_t* places, int n) {
    for (int i = 0; i < n; ++i)
      std::memcpy(to + (rank + i) * step, data[0] + places[i] * strides[0], size);
  });
}

/// Positions in a shape of which every element's number is a Number, since division by narrow ones
/// is faster.
template <class Number>
void write_positions(const TensorView& out, const Chosen& chosen, IntSpan shape) {
  constexpr std::int64_t size = sizeof(std::int64_t);
  auto* const to = static_cast<char*>(out.data());
  const std::int64_t row = out.strides()[0] * size, column = out.strides()[1] * size;
  const auto write = [](char* at, Number position) {
    const auto value = static_cast<std::int64_t>(position);
    std::memcpy(at, &value, sizeof(value));  // wherever that is
  };
  chosen.visit([&](std::int64_t rank, std::int64_t flat, char* const*, const std::int64_t*,
                   const std::int32_t* places, int n) {
    for (int i = 0; i < n; ++i) {
      auto number = static_cast<Number>(flat + places[i]);
      char* const at = to + (rank + i) * row;
      for (std::size_t axis = shape.size(); axis-- > 1;) {
        const auto extent = static_cast<Number>(shape[axis]);
        write(at + static_cast<std::int64_t>(axis) * column, number % extent);
        number /= extent;
      }
      if (!shape.empty()) write(at, number);
    }
  });
}

// Operands come by value: a view may be the very tensor that is replaced as an output.

void run_masked_select(const Output& out, TensorView a, TensorView mask) {
  with_operation("masked_select", [&] {
    check_defined(a, 0);
    check_mask(mask);
    check_output_type(out.view(), a.dtype());
    TensorIteratorConfig config;
    config.add_input(a).add_input(mask).check_all_same_dtype(false).enforce_linear_iteration();
    const TensorIterator iter = config.build();
    const Chosen chosen(iter, 1);
    const Result result(out, {chosen.count()}, a.dtype(), {&a, &mask});
    switch (element_size(a.dtype())) {
      case 1: return copy_chosen<1>(result.view(), chosen);
      case 2: return copy_chosen<2>(result.view(), chosen);
      case 4: return copy_chosen<4>(result.view(), chosen);
      case 8: return copy_chosen<8>(result.view(), chosen);
      default: return copy_chosen<16>(result.view(), chosen);
    }
  });
}

void run_nonzero(const Output& out, TensorView a) {
  with_operation("nonzero", [&] {
    check_defined(a, 0);
    check_output_type(out.view(), ScalarType::i64);
    TensorIteratorConfig config;
    config.add_input(a).enforce_linear_iteration();
    const TensorIterator iter = config.build();
    const Chosen chosen(iter, 0);
    const Result result(out, {chosen.count(), a.rank()}, ScalarType::i64, {&a});
    if (a.numel() <= std::numeric_limits<std::uint32_t>::max()) {
      write_positions<std::uint32_t>(result.view(), chosen, a.shape());
    } else {
      write_positions<std::uint64_t>(result.view(), chosen, a.shape());
    }
  });
}

}  // namespace

void masked_fill_out(const Output& out, const TensorView& a, const TensorView& mask,
                     const Input& value) {
  with_operation("masked_fill", [&] {
    check_defined(a, 0);
    check_mask(mask);
    const TensorView& number = value.view();
    check_defined(number, 2);
    if (number.rank() != 0) {
      fail(ErrorCode::rank,
           text("input 2 (the value): expected a number or a 0-d tensor, got shape ",
                to_string(number.shape())));
    }
    if (!can_cast(number.dtype(), a.dtype())) {
      fail(ErrorCode::cast, text("input 2 (the value): ", name(number.dtype()),
                                 " can't be cast to ", name(a.dtype())));
    }
    check_output_type(out.view(), a.dtype());
    alignas(16) char element[16];
    cast_elements(element, a.dtype(), 0, number.data(), number.dtype(), 0, 1);
    where_out(out, mask, TensorView::trusted(static_cast<const void*>(element), a.dtype(), {}), a);
  });
}
void masked_select_out(const Output& out, const TensorView& a, const TensorView& mask) {
  run_masked_select(out, a, mask);
}
void nonzero_out(const Output& out, const TensorView& a) { run_nonzero(out, a); }

Tensor masked_fill(const TensorView& a, const TensorView& mask, const Input& value) {
  Tensor out;
  masked_fill_out(out, a, mask, value);
  return out;
}
Tensor masked_select(const TensorView& a, const TensorView& mask) {
  Tensor out;
  masked_select_out(out, a, mask);
  return out;
}
Tensor nonzero(const TensorView& a) {
  Tensor out;
  nonzero_out(out, a);
  return out;
}

}  // namespace v0
}  // namespace weft
