// SPDX-License-Identifier: Apache-2.0
#include "ops/bin_counts.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/small_vector.hpp>
#include <weft/iter/config.hpp>
#include <weft/machine/dispatch.hpp>
#include <weft/ops/creation.hpp>
#include <weft/parallel/parallel.hpp>

#include "machine/scratch_memory.hpp"
#include "ops/block_reader.hpp"
#include "ops/moved_result.hpp"

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {
namespace {

/// Elements for each bin, at least, of those that are counted into memory of their own, which is
/// then added: clearing and adding a counter costs about as much as counting an element.
constexpr std::int64_t elements_per_bin = 4;
/// With up to so many bins, elements next to each other are counted in different rows: an element
/// of the same bin as the one before would wait until that is stored. All rows fit into the first
/// level.
constexpr std::int64_t interleaved_bins = 1024;
constexpr std::int64_t interleaved_rows = 4;
/// Elements of a thread, and of a block of weights. The latter decides on results.
constexpr std::int64_t piece_elements = default_grain;
constexpr std::int64_t weighted_block_elements = 65536;
constexpr std::int64_t max_weighted_blocks = 16;
/// What a counter of 4 bytes holds, in all rows.
constexpr std::int64_t max_piece_elements = std::int64_t{1} << 31;

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
void store(char* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}
std::int32_t bin_at(const char* bins, std::int64_t i) {
  return load<std::int32_t>(bins + i * static_cast<std::int64_t>(sizeof(std::int32_t)));
}

/// One of several pieces of n elements, all of which but the last are of one size.
Range piece_range(std::int64_t n, std::int64_t piece, std::int64_t pieces) {
  const std::int64_t size = ceil_div(n, pieces);
  return {std::min(piece * size, n), std::min((piece + 1) * size, n)};
}

/// The elements of `a`, and of weights if there are any, cut into pieces of the same size.
class Counted {
 public:
  Counted(const TensorView& a, const TensorView& weights, const Binning& binning)
      : binning_(binning),
        keys_(binning.key, a.dtype()),
        weights_(ScalarType::f64, weights.defined() ? weights.dtype() : ScalarType::f64),
        iter_(iterator(a, weights)) {}

  std::int64_t numel() const { return iter_.numel(); }

  /// Calls f(bins, weights, n) for the elements of one of several pieces, block by block.
  using Visit = FunctionRef<void(const char* bins, const char* weights, std::int64_t n)>;
  void visit(std::int64_t piece, std::int64_t pieces, Visit f) const {
    const Range range = piece_range(numel(), piece, pieces);
    if (range.begin == range.end) return;
    constexpr std::int64_t buffer_bytes = BlockReader::buffer_bytes;
    const ScratchMemory scratch(2 * buffer_bytes + 4 * reader_block);
    char* const buffers = scratch.data();
    char* const found = buffers + 2 * buffer_bytes;
    for_each_read_block(
        iter_, range, [&](char** data, const std::int64_t* s, std::int64_t n0, std::int64_t n1) {
          const int operands = iter_.ntensors();
          const char* bins = keys_.read(buffers, data[0], s[0], s[operands], n0, n1);
          if (binning_.find != nullptr) {
            (*binning_.find)(reinterpret_cast<std::int32_t*>(found), bins, n0* n1);
            bins = found;
          }
          const char* weights = nullptr;
          if (operands == 2)
            weights = weights_.read(buffers + buffer_bytes, data[1], s[1], s[operands + 1], n0, n1);
          f(bins, weights, n0 * n1);
        });
  }

 private:
  /// In C order where there are weights: their sums depend on it.
  static TensorIterator iterator(const TensorView& a, const TensorView& weights) {
    TensorIteratorConfig config;
    config.add_input(a).check_all_same_dtype(false);
    if (weights.defined()) config.add_input(weights).enforce_linear_iteration();
    return config.build();
  }

  const Binning& binning_;
  BlockReader keys_, weights_;
  TensorIterator iter_;
};

// ---- Counts ----------------------------------------------------------------------------------

/// Rows of counters, by turns.
void count_block(std::uint32_t* counts, std::int64_t row, std::int64_t rows, const char* bins,
                 std::int64_t n) {
  std::int64_t i = 0;
  if (rows == interleaved_rows) {
    for (; i + interleaved_rows <= n; i += interleaved_rows) {
      const std::int64_t a = bin_at(bins, i), b = bin_at(bins, i + 1);
      const std::int64_t c = bin_at(bins, i + 2), d = bin_at(bins, i + 3);
      ++counts[a];
      ++counts[row + b];
      ++counts[2 * row + c];
      ++counts[3 * row + d];
    }
  }
  for (; i < n; ++i)
    ++counts[bin_at(bins, i)];
}

/// Few elements for many bins: straight to the result.
void count_directly(const TensorView& result, const Counted& counted, std::int64_t bins) {
  const std::int64_t step = result.strides()[0] * element_size(ScalarType::i64);
  auto* const to = static_cast<char*>(result.data());
  fill_out(result, 0);
  counted.visit(0, 1, [&](const char* found, const char*, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t bin = bin_at(found, i);
      if (bin == bins) continue;
      char* const at = to + bin * step;
      store(at, load<std::int64_t>(at) + 1);
    }
  });
}

/// result[i] = the sum of element i of all rows.
template <class To, class From>
void add_rows(const TensorView& result, const From* from, std::int64_t row, std::int64_t rows,
              std::int64_t bins) {
  const std::int64_t step = result.strides()[0] * static_cast<std::int64_t>(sizeof(To));
  auto* const to = static_cast<char*>(result.data());
  parallel_for(bins, piece_elements / rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t bin = begin; bin < end; ++bin) {
      To sum = 0;
      for (std::int64_t r = 0; r < rows; ++r)
        sum += static_cast<To>(from[r * row + bin]);
      store(to + bin * step, sum);
    }
  });
}

/// The length of a row of counters: those of none as well, and whole lines.
std::int64_t row_length(std::int64_t bins) { return (bins + 1 + 15) / 16 * 16; }

/// How n elements are counted.
struct CountPlan {
  bool directly;        ///< into the result, else into rows of counters
  std::int64_t pieces;  ///< of the elements, each with rows of its own
  std::int64_t rows;    ///< of counters, for a piece

  CountPlan(std::int64_t n, std::int64_t bins)
      : directly(n < elements_per_bin * bins),
        pieces(directly ? 1 : pieces_of(n, bins)),
        rows(bins <= interleaved_bins ? interleaved_rows : 1) {}

 private:
  static std::int64_t pieces_of(std::int64_t n, std::int64_t bins) {
    const std::int64_t wanted = n / std::max(piece_elements, elements_per_bin * bins);
    return std::max(std::clamp<std::int64_t>(wanted, 1, num_threads()),
                    ceil_div(n, max_piece_elements));
  }
};

void count_all(const TensorView& result, const Counted& counted, std::int64_t bins) {
  const CountPlan plan(counted.numel(), bins);
  if (plan.directly) return count_directly(result, counted, bins);
  const std::int64_t pieces = plan.pieces, rows = plan.rows;
  const std::int64_t row = row_length(bins);
  const Tensor memory = Tensor::empty({pieces, rows, row}, ScalarType::u32);
  auto* const counts = static_cast<std::uint32_t*>(memory.data());
  parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t piece = begin; piece < end; ++piece) {
      std::uint32_t* const own = counts + piece * rows * row;
      std::fill_n(own, rows * row, 0);
      counted.visit(piece, pieces, [&](const char* found, const char*, std::int64_t count) {
        count_block(own, row, rows, found, count);
      });
    }
  });
  add_rows<std::int64_t>(result, counts, row, pieces * rows, bins);
}

// ---- Values ----------------------------------------------------------------------------------

/// Elements from which on to look at 256 counts takes less than what it saves.
constexpr std::int64_t many_bytes = 1024;

/// What a byte stands for.
std::int32_t value_of(ScalarType type, std::size_t byte) {
  if (type == ScalarType::i8) return static_cast<std::int8_t>(byte);
  if (type == ScalarType::boolean) return byte != 0 ? 1 : 0;
  return static_cast<std::int32_t>(byte);
}

// ---- Weights ---------------------------------------------------------------------------------

void add_block(char* sums, std::int64_t step, std::int64_t bins, const char* found,
               const char* weights, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t bin = bin_at(found, i);
    if (bin == bins) continue;
    char* const at = sums + bin * step;
    store(at, load<double>(at) + load<double>(weights + i * 8));
  }
}

void add_all(const TensorView& result, const Counted& counted, std::int64_t bins) {
  const std::int64_t wanted =
      counted.numel() / std::max(weighted_block_elements, elements_per_bin * bins);
  const std::int64_t blocks = std::clamp<std::int64_t>(wanted, 1, max_weighted_blocks);
  if (blocks == 1) {
    fill_out(result, 0);
    auto* const sums = static_cast<char*>(result.data());
    return counted.visit(0, 1, [&](const char* found, const char* weights, std::int64_t n) {
      add_block(sums, result.strides()[0] * 8, bins, found, weights, n);
    });
  }
  const std::int64_t row = row_length(bins);
  const Tensor memory = Tensor::empty({blocks, row}, ScalarType::f64);
  auto* const sums = static_cast<double*>(memory.data());
  parallel_for(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      double* const own = sums + block * row;
      std::fill_n(own, row, 0.0);
      counted.visit(block, blocks, [&](const char* found, const char* weights, std::int64_t n) {
        add_block(reinterpret_cast<char*>(own), 8, bins, found, weights, n);
      });
    }
  });
  add_rows<double>(result, sums, row, blocks, bins);
}

}  // namespace

void count_in_bins(const TensorView& result, const TensorView& a, const TensorView& weights,
                   const Binning& binning) {
  const TensorView counted_part = result.slice(0, 0, binning.count);
  if (binning.count < result.numel()) fill_out(result.slice(0, binning.count, result.numel()), 0);
  if (binning.count == 0) return;
  if (a.numel() == 0) return fill_out(counted_part, 0);
  if (counts_values(a) && !weights.defined())
    return add_up_values(counted_part, count_bytes(a), a.dtype(), binning);
  const Counted counted(a, weights, binning);
  if (weights.defined()) {
    add_all(counted_part, counted, binning.count);
  } else {
    count_all(counted_part, counted, binning.count);
  }
}

bool counts_values(const TensorView& a) {
  return element_size(a.dtype()) == 1 && a.numel() >= many_bytes;
}

void add_up_values(const TensorView& result, const ByteCounts& counts, ScalarType type,
                   const Binning& binning) {
  alignas(64) std::int32_t bins[256 + 16];  // room for whole registers
  if (binning.find != nullptr) {
    alignas(64) double keys[256];
    for (std::size_t b = 0; b < counts.size(); ++b)
      keys[b] = value_of(type, b);
    (*binning.find)(bins, reinterpret_cast<const char*>(keys), 256);
  } else {
    for (std::size_t b = 0; b < counts.size(); ++b)
      bins[b] = value_of(type, b);
  }
  fill_out(result, 0);
  const std::int64_t step = result.strides()[0] * element_size(ScalarType::i64);
  auto* const to = static_cast<char*>(result.data());
  for (std::size_t b = 0; b < counts.size(); ++b) {
    if (counts[b] == 0 || bins[b] == binning.count) continue;
    char* const at = to + bins[b] * step;
    store(at, load<std::int64_t>(at) + counts[b]);
  }
}

IntegerRange integer_range(const ByteCounts& counts, ScalarType type) {
  IntegerRange range;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    if (counts[b] == 0) continue;
    range.least = std::min<std::int64_t>(range.least, value_of(type, b));
    range.largest = std::max<std::int64_t>(range.largest, value_of(type, b));
  }
  return range;
}

Explanation explain_count_in_bins(const TensorView& result, const TensorView& a, ScalarType key) {
  if (a.numel() == 0 || result.numel() == 0) return explain_nothing(a.shape());
  const CountPlan plan(a.numel(), result.numel());
  TensorIteratorConfig config;
  config.add_input(a);
  Explanation e = config.build().explain();
  Explanation::Operand bins;
  bins.name = "output 0";
  bins.storage = bins.dtype = result.dtype();
  bins.shape.assign(result.shape());
  bins.strides.assign(result.strides());
  bins.strides_bytes = DimVector(e.shape.size(), 0);
  bins.access = "counted";
  e.operands.insert(e.operands.begin(), bins);
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.form = counts_values(a) ? "counted-by-value"
               : plan.directly  ? "counted"
                                : "counted-in-rows";
  const std::int64_t pieces = counts_values(a) ? counted_parts(a.numel()) : plan.pieces;
  e.run.threads = static_cast<int>(std::min<std::int64_t>(pieces, num_threads()));
  e.run.span = e.run.tile[0] = std::min(reader_block, a.numel());
  e.run.tile[1] = 1;
  e.run.blocks = ceil_div(a.numel(), reader_block);
  e.run.bytes_moved = a.nbytes() + result.nbytes();
  e.operands[1].access = a.dtype() == key || counts_values(a) ? "direct" : "cast";
  return e;
}

IntegerRange integer_range(const TensorView& a) {
  const bool narrow = element_size(a.dtype()) < 4 || a.dtype() == ScalarType::i32;
  const ScalarType type = narrow ? ScalarType::i32 : ScalarType::i64;
  const WidenRangeFn widen = widen_range_kernel(type);
  const BlockReader reader(type, a.dtype());
  TensorIteratorConfig config;
  config.add_input(a);
  const TensorIterator iter = config.build();
  const std::int64_t n = iter.numel();
  const std::int64_t pieces = std::clamp<std::int64_t>(n / (2 * piece_elements), 1, num_threads());
  SmallVector<IntegerRange, 16> ranges(static_cast<std::size_t>(pieces));
  parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    const ScratchMemory scratch(BlockReader::buffer_bytes);
    for (std::int64_t piece = begin; piece < end; ++piece) {
      IntegerRange range;
      const auto read = [&](char** data, const std::int64_t* s, std::int64_t n0, std::int64_t n1) {
        widen(range, reader.read(scratch.data(), data[0], s[0], s[1], n0, n1), n0 * n1);
      };
      for_each_read_block(iter, piece_range(n, piece, pieces), read);
      ranges[static_cast<std::size_t>(piece)] = range;
    }
  });
  IntegerRange all;
  for (const IntegerRange& range : ranges) {
    all.least = std::min(all.least, range.least);
    all.largest = std::max(all.largest, range.largest);
  }
  return all;
}

}  // namespace v0
}  // namespace weft
