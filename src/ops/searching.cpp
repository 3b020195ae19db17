// SPDX-License-Identifier: Apache-2.0
// searchsorted: out[...] = how many elements of a sorted line come before the value.
#include "kernels/indexing/searching.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/iter/config.hpp>
#include <weft/machine/dispatch.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/searching.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "machine/scratch_memory.hpp"
#include "ops/block_reader.hpp"
#include "ops/branch_free_search.hpp"
#include "ops/index_operand.hpp"
#include "ops/moved_result.hpp"
#include "ops/prepare_sort.hpp"
#include "ops/result.hpp"
#include "parallel/loop_threads.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace weft {
inline namespace v0 {
namespace {

/// A line that is searched, but for where it begins.
struct SortedLine {
  std::int64_t step_bytes;
  std::int64_t length;
  SearchSide side;
};

/// How types are searched: in lines of their own type, for values of a few.
struct Search {
  ScalarType key;
  void (*find)(void* group, std::int64_t step, std::int64_t n, bool or_equal) = nullptr;
};
template <class T>
void find_any(void* group, std::int64_t step, std::int64_t n, bool or_equal) {
  find_places<T>(*static_cast<SearchGroup<SearchKey<T>>*>(group), step, n, or_equal);
}
/// Of no type: complex ones, and those that functions are not compiled for.
Search search_of(ScalarType type) {
  switch (type) {
#define WEFT_CASE(NAME, TYPE)                                                       \
  case ScalarType::NAME:                                                            \
    if constexpr (is_compiled(ScalarType::NAME) && !is_complex(ScalarType::NAME)) { \
      return {scalar_type_of<SearchKey<TYPE>>, &find_any<TYPE>};                    \
    } else {                                                                        \
      return {type};                                                                \
    }
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return {type};
}

/// n values as keys, each with a line that begins at its place of `tables`. Steps are bytes.
struct SearchedRow {
  char* out;
  const char* keys;
  const char* tables;
  std::int64_t out_step, table_step;
  std::int64_t n;
};

/// Integers take part as their bits. Left of NaNs is right of all numbers, and right of NaNs the
/// end.
template <class Key>
void search_row(const SearchedRow& row, const SortedLine& line, const Search& search) {
  constexpr std::int64_t size = SearchGroup<Key>::size;
  const bool right = line.side == SearchSide::right;
  SearchGroup<Key> group;
  for (std::int64_t i = 0; i < row.n; i += size) {
    const std::int64_t count = std::min(size, row.n - i);
    bool any_nan = false;
    for (std::int64_t k = 0; k < size; ++k) {
      const std::int64_t at = i + std::min(k, count - 1);
      group.values[k] = search_key<Key>(row.keys + at * 8);
      group.tables[k] = row.tables + at * row.table_step;
      any_nan |= group.values[k] != group.values[k];
    }
    search.find(&group, line.step_bytes, line.length, right);
    if (any_nan) {
      SearchGroup<Key> numbers = group;
      std::fill_n(numbers.values, size, std::numeric_limits<Key>::infinity());
      search.find(&numbers, line.step_bytes, line.length, true);
      for (std::int64_t k = 0; k < size; ++k) {
        if (group.values[k] != group.values[k])
          group.places[k] = right ? line.length : numbers.places[k];
      }
    }
    for (std::int64_t k = 0; k < count; ++k)
      std::memcpy(row.out + (i + k) * row.out_step, &group.places[k], sizeof(std::int64_t));
  }
}

/// A line that is the same for many values, as keys, if it is so short that these are compared with
/// all of them.
class ComparedLine {
 public:
  ComparedLine(const SortedLine& line, const Search& search, ScalarType type)
      : reader_(search.key, type),
        line_(line),
        key_(search.key),
        is_short_(line.length <= std::min(most_compared_keys(search.key), reader_block)) {}

  bool is_short() const { return is_short_; }
  /// Reads the line from `from` on. `buffers` last until places are found.
  void read(char* buffers, const char* from) {
    const char* const keys = reader_.read(buffers, from, line_.step_bytes, 0, line_.length, 1);
    keys_ = {key_, keys, line_.length, line_.length, line_.side == SearchSide::right};
    while (key_ == ScalarType::f64 && keys_.numbers > 0 && is_nan(keys, keys_.numbers - 1))
      --keys_.numbers;
  }
  /// Places of n values at steps of so many bytes; by way of `buffer` where they do not follow each
  /// other.
  void find(char* to, std::int64_t step, const char* values, std::int64_t n, char* buffer) const {
    const bool is_dense = step == sizeof(std::int64_t);
    auto* const places = reinterpret_cast<std::int64_t*>(is_dense ? to : buffer);
    find_places_kernel(places, values, n, keys_);
    for (std::int64_t i = 0; i < n && !is_dense; ++i)
      std::memcpy(to + i * step, places + i, sizeof(std::int64_t));
  }

 private:
  static bool is_nan(const char* keys, std::int64_t i) {
    const auto key = search_key<double>(keys + i * 8);
    return key != key;
  }

  BlockReader reader_;
  SortedLine line_;
  ScalarType key_;
  bool is_short_;
  SortedKeys keys_ = {};
};

/// A step of a search costs about as much as ten plain elements.
std::int64_t search_grain(std::int64_t length) {
  const int steps = std::bit_width(static_cast<std::uint64_t>(length));
  return default_grain / (10 * (steps + 1));
}

void search_all(const TensorIterator& iter, const SortedLine& line, const Search& search) {
  constexpr std::int64_t buffers = BlockReader::buffer_bytes;
  const BlockReader reader(search.key, iter.dtype(2));
  const auto search_keys =
      search.key == ScalarType::f64 ? &search_row<double> : &search_row<std::int64_t>;
  const auto loop = [&](char** data, const std::int64_t* s, std::int64_t n0, std::int64_t n1) {
    const ScratchMemory scratch(2 * buffers + 8 * reader_block);
    char* const places = scratch.data() + 2 * buffers;
    ComparedLine compared(line, search, iter.dtype(1));
    // Reading a line of its own pays for as many values as it has elements.
    const bool compares =
        compared.is_short() && s[1] == 0 && (s[4] == 0 || n1 == 1 || n0 >= line.length);
    for (std::int64_t j = 0; j < n1; ++j) {
      const char* const table = data[1] + j * s[4];
      if (compares && (j == 0 || s[4] != 0)) compared.read(scratch.data() + buffers, table);
      for (std::int64_t i = 0; i < n0; i += reader_block) {
        const std::int64_t n = std::min(reader_block, n0 - i);
        const char* const from = data[2] + i * s[2] + j * s[5];
        const char* const keys = reader.read(scratch.data(), from, s[2], 0, n, 1);
        char* const to = data[0] + i * s[0] + j * s[3];
        if (compares)
          compared.find(to, s[0], keys, n, places);
        else
          search_keys({to, keys, table + i * s[1], s[0], s[1], n}, line, search);
      }
    }
  };
  iter.for_each(loop, search_grain(line.length));
}

/// The iterator has the output, where lines begin, and values.
Explanation explain_search(const TensorIterator& iter, const TensorView& sorted) {
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.form = "search";
  e.run.threads = loop_threads(iter.numel(), search_grain(sorted.numel()));
  e.run.span = e.run.tile[0] = std::min(reader_block, iter.numel());
  e.run.tile[1] = 1;
  e.run.blocks = ceil_div(iter.numel(), reader_block);
  e.run.bytes_moved =
      iter.numel() * (element_size(iter.dtype(0)) + element_size(iter.dtype(2))) + sorted.nbytes();
  e.operands[0].access = "direct";
  e.operands[1].access = "searched";
  e.operands[2].access = "packed";
  e.operands[1].shape.assign(sorted.shape());
  e.operands[1].strides.assign(sorted.strides());
  return e;
}

void check_lines(const TensorView& sorted, const TensorView& values) {
  if (sorted.dtype() != values.dtype()) {
    fail(ErrorCode::dtype, text("input 1 (the values): expected ", name(sorted.dtype()),
                                " as input 0, got ", name(values.dtype())));
  }
  if (sorted.rank() == 1) return;
  if (sorted.rank() == 0 || sorted.rank() != values.rank()) {
    fail(ErrorCode::rank, text("input 0 (what is sorted): expected rank 1 or that of input 1, ",
                               values.rank(), ", got ", sorted.rank()));
  }
  for (std::size_t axis = 0; axis + 1 < sorted.shape().size(); ++axis) {
    if (sorted.shape()[axis] == values.shape()[axis]) continue;
    fail(ErrorCode::shape, text("input 0 (what is sorted): expected ", values.shape()[axis],
                                " along axis ", axis, " as input 1, got ", sorted.shape()[axis]));
  }
}

/// Where the line of each value begins, as a tensor of the shape of the values.
TensorView line_starts(const TensorView& sorted, const TensorView& values) {
  DimVector strides(values.shape().size(), 0);
  if (sorted.rank() > 1) std::copy_n(sorted.strides().begin(), strides.size() - 1, strides.begin());
  return TensorView::trusted(static_cast<const void*>(sorted.data()), sorted.dtype(),
                             values.shape(), strides);
}

// Operands come by value: a view may be the very tensor that is replaced as an output.
// `told` gets how it would be done instead, if it is there.
void run_searchsorted(const Output& out, TensorView sorted, TensorView values, SearchSide side,
                      Explanation* told = nullptr) {
  with_operation("searchsorted", [&] {
    check_defined(sorted, 0);
    check_defined(values, 1);
    check_lines(sorted, values);
    check_output_type(out.view(), ScalarType::i64);
    const Search search = search_of(sorted.dtype());
    if (search.find == nullptr) fail_no_kernel(sorted.dtype());
    const Result result(out, values.shape(), ScalarType::i64, {&sorted, &values});
    if (told != nullptr) *told = explain_nothing(values.shape());
    if (values.numel() == 0) return;
    if (sorted.numel() == 0 && told != nullptr) return;
    if (sorted.numel() == 0) return fill_out(result.view(), 0);

    const auto last = static_cast<std::size_t>(sorted.rank() - 1);
    const SortedLine line{sorted.strides()[last] * element_size(sorted.dtype()),
                          sorted.shape()[last], side};
    const TensorView starts = line_starts(sorted, values);
    TensorIteratorConfig config;
    config.add_output(result.view()).add_input(starts).add_input(values);
    config.check_all_same_dtype(false).resize_outputs(false).set_check_mem_overlap(false);
    const TensorIterator iter = config.build();
    if (told == nullptr) return search_all(iter, line, search);
    *told = explain_search(iter, sorted);
  });
}

}  // namespace

Explanation explain_searchsorted(const TensorView& out, const TensorView& sorted,
                                 const TensorView& values) {
  Explanation told;
  run_searchsorted(out, sorted, values, SearchSide::left, &told);
  return told;
}

void searchsorted_out(const Output& out, const TensorView& sorted, const TensorView& values,
                      SearchSide side) {
  run_searchsorted(out, sorted, values, side);
}
Tensor searchsorted(const TensorView& sorted, const TensorView& values, SearchSide side) {
  Tensor out;
  searchsorted_out(out, sorted, values, side);
  return out;
}

}  // namespace v0
}  // namespace weft
