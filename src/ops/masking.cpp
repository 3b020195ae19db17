// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>
#include <weft/iter/config.hpp>
#include <weft/ops/masking.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/operation.hpp"
#include "kernels/indexing/indexing.hpp"
#include "ops/index_operand.hpp"
#include "ops/result.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

/// Elements of a piece: counted on its own, so that its results have their place when all have been
/// counted.
constexpr std::int64_t piece_elements = default_grain;
/// Elements whose positions are noted before they are worked on.
constexpr std::int64_t block_elements = 1024;

/// The elements of an iterator in C order, in pieces; operand `chooser` says which are wanted.
class Chosen {
 public:
  Chosen(const TensorIterator& iter, int chooser)
      : iter_(iter),
        chooser_(static_cast<std::size_t>(chooser)),
        set_elements_(*set_elements_kernel(iter.storage_dtype(chooser))) {
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
          sum += set_elements_.count(data[chooser_], strides[chooser_], n);
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
        const std::int64_t found =
            set_elements_.note(places, data[chooser_], strides[chooser_], size);
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
  const SetElements& set_elements_;
  std::vector<std::int64_t> starts_;  // chosen elements before each piece
};

void check_mask(const TensorView& mask) {
  check_defined(mask, 1);
  if (mask.dtype() != ScalarType::boolean) {
    fail(ErrorCode::dtype, text("input 1 (the mask): expected bool, got ", name(mask.dtype())));
  }
}

/// The places of a block are indices along its row.
void copy_chosen(const TensorView& out, const Chosen& chosen) {
  const std::int64_t size = element_size(out.dtype());
  const GatherFn gather = gather_kernel(size);
  const std::int64_t step = out.strides()[0] * size, extent = block_elements;
  chosen.visit([&](std::int64_t rank, std::int64_t, char* const* data, const std::int64_t* strides,
                   const std::int32_t* places, std::int64_t n) {
    const IndexedAxes row{ScalarType::i32, extent, 1, &extent, strides};
    const IndexedBlock block{static_cast<char*>(out.data()) + rank * step,
                             data[0],
                             reinterpret_cast<const char*>(places),
                             {step, 0},
                             {0, 0},
                             {sizeof(*places), 0},
                             n,
                             1};
    gather(block, row);
  });
}

void write_positions(const TensorView& out, const Chosen& chosen, IntSpan shape) {
  const PositionsFn write = positions_kernel(numel(shape));
  constexpr std::int64_t size = sizeof(std::int64_t);
  const std::int64_t row = out.strides()[0] * size, column = out.strides()[1] * size;
  chosen.visit([&](std::int64_t rank, std::int64_t flat, char* const*, const std::int64_t*,
                   const std::int32_t* places, std::int64_t n) {
    write({static_cast<char*>(out.data()) + rank * row, row, column, shape.data(),
           static_cast<int>(shape.size())},
          flat, places, n);
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
    copy_chosen(result.view(), chosen);
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
    write_positions(result.view(), chosen, a.shape());
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
    with_operation("input 1 (the mask) and input 0",
                   [&] { return broadcast_shapes(mask.shape(), a.shape()); });
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
