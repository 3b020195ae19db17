// SPDX-License-Identifier: Apache-2.0
/// @file
/// Random elementwise calls and copies: of any size, rank, element size and layout.
#pragma once

#include <weft/core/tensor.hpp>

#include "engine/copy/copy_kernel.hpp"
#include "nested_loops.hpp"
#include "ops/prepare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// The least and the most bytes of a case's largest operand.
struct CaseSizes {
  std::int64_t least, most;
};

/// Operands, an iterator over them and what runs over it.
class RandomCase {
 public:
  RandomCase(std::mt19937_64& random, CaseSizes sizes) : random_(random) {
    choose_call();
    choose_shape(sizes);
    for (std::size_t k = 0; k < types_.size(); ++k)
      add_operand(k);
    name_ += " " + std::string(weft::name(types_[0]));
    if (types_.back() != types_[0]) name_ += " <- " + std::string(weft::name(types_.back()));
    make_iterator();
  }
  RandomCase(const RandomCase&) = delete;
  RandomCase& operator=(const RandomCase&) = delete;

  void run(const weft::RunOptions& options) const {
    copy_ ? copy_->run(*iter_, options) : weft::run_spans(*iter_, *kernel_, options);
  }
  weft::Explanation explain(const weft::RunOptions& options) const {
    return copy_ ? copy_->explain(*iter_, options) : weft::explain_run(*iter_, *kernel_, options);
  }
  /// The same by a loop for each dim.
  void run_nested() const {
    const weft::Geometry& g = iter_->geometry();
    std::int64_t extents[weft::max_rank] = {1};
    std::int64_t strides[weft::max_rank * 4] = {};
    char* data[4];
    for (int d = 0; d < g.ndim(); ++d) {
      extents[d] = g.extent(d);
      std::copy_n(g.strides(d), g.noperands, strides + d * g.noperands);
    }
    for (int k = 0; k < g.noperands; ++k)
      data[k] = iter_->operand(k).data;
    const weft::ScalarType ends[] = {types_[0], types_.back()};
    nested_loops(op_, ends, g.ndim(), extents, strides, g.noperands, data);
  }

  /// What it walks over, and the bytes of an element of each operand.
  const weft::Geometry& geometry() const { return iter_->geometry(); }
  std::int64_t element_size(int k) const {
    return weft::element_size(types_[static_cast<std::size_t>(k)]);
  }
  const std::string& name() const { return name_; }

  /// The output's memory, gaps included; and the same zeroed.
  std::vector<char> output_bytes() const {
    const weft::Tensor& t = buffers_[0];
    const auto* begin = static_cast<const char*>(t.data());
    return {begin, begin + t.nbytes()};
  }
  void clear_output() const {
    std::memset(buffers_[0].data(), 0, static_cast<std::size_t>(buffers_[0].nbytes()));
  }

  /// The call, its shape and the operands' strides, on a line.
  std::string text() const {
    std::string out = name_;
    for (const weft::TensorView& view : views_)
      out += " " + weft::to_string(view.shape()) + weft::to_string(view.strides());
    return out;
  }

 private:
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }
  bool chance(int percent) { return below(100) < percent; }

  void choose_call() {
    using weft::ScalarType;
    const ScalarType same[] = {ScalarType::u8,  ScalarType::i16, ScalarType::f32,
                               ScalarType::f32, ScalarType::f64, ScalarType::c128};
    const ScalarType type = same[below(std::size(same))];
    switch (below(6)) {
      case 0: op_ = LoopOp::neg, name_ = "neg", types_ = {type, type}; break;
      case 1:
      case 2: op_ = LoopOp::add, name_ = "add", types_ = {type, type, type}; break;
      case 3:
        op_ = LoopOp::where, name_ = "where", types_ = {type, ScalarType::boolean, type, type};
        break;
      case 4: op_ = LoopOp::copy, name_ = "copy", types_ = {type, type}; break;
      default: {
        const std::pair<ScalarType, ScalarType> casts[] = {{ScalarType::f32, ScalarType::u8},
                                                           {ScalarType::f64, ScalarType::f32},
                                                           {ScalarType::f32, ScalarType::i32},
                                                           {ScalarType::i64, ScalarType::i16}};
        const auto [to, from] = casts[below(std::size(casts))];
        op_ = LoopOp::copy, name_ = "copy", types_ = {to, from};
      }
    }
  }

  void choose_shape(CaseSizes sizes) {
    std::int64_t widest = 1;
    for (const weft::ScalarType type : types_)
      widest = std::max(widest, weft::element_size(type));
    const double low = std::log2(static_cast<double>(sizes.least));
    const double high = std::log2(static_cast<double>(sizes.most));
    const double log = low + (high - low) * static_cast<double>(below(1 << 20)) / (1 << 20);
    auto left = std::max<std::int64_t>(static_cast<std::int64_t>(std::exp2(log)) / widest, 1);
    // Extents that share the size out, more or less evenly, some of them a few elements only.
    const auto rank = static_cast<std::size_t>(1 + below(5));
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) {
      const double share = std::log2(static_cast<double>(left)) / static_cast<double>(rank - axis);
      const double exponent = share * 2 * static_cast<double>(below(1000)) / 1000;
      const std::int64_t extent = chance(25) ? 1 + below(9) : std::llround(std::exp2(exponent));
      shape_.push_back(std::clamp<std::int64_t>(extent, 1, left));
      left /= shape_.back();
    }
    shape_.push_back(left);
    std::shuffle(shape_.begin(), shape_.end(), random_);
  }

  /// Permuted, padded, reversed, stepped over; inputs now and then broadcast along some axes.
  void add_operand(std::size_t k) {
    std::vector<std::size_t> order(shape_.size());  // innermost first
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = order.size() - 1 - i;
    if (chance(45)) std::shuffle(order.begin(), order.end(), random_);
    const bool padded = chance(25), reversed = chance(12), broadcast = k > 0 && chance(30);
    weft::DimVector strides(shape_.size(), 0);
    std::int64_t step = chance(12) ? 2 + below(3) : 1, first = 0, last = 0;
    for (const std::size_t axis : order) {
      if (broadcast && chance(50)) continue;
      strides[axis] = reversed && chance(50) ? -step : step;
      (strides[axis] < 0 ? first : last) += (shape_[axis] - 1) * strides[axis];
      step *= shape_[axis];
      if (padded && chance(50)) step += 1 + below(70);
    }
    const std::int64_t size = weft::element_size(types_[k]);
    const std::int64_t bytes = (last - first + 1) * size + 64;
    buffers_.push_back(weft::Tensor::zeros({bytes}, weft::ScalarType::u8));
    auto* begin = static_cast<unsigned char*>(buffers_.back().data());
    fill(begin, bytes, types_[k]);
    begin += chance(20) ? size : 0;  // not on a line
    views_.push_back(weft::TensorView::trusted(begin - first * size, types_[k], shape_, strides));
  }

  /// Small numbers in every type: bools that are 0 or 1, floats without NaNs.
  void fill(unsigned char* begin, std::int64_t bytes, weft::ScalarType type) {
    if (type == weft::ScalarType::boolean) {
      for (std::int64_t i = 0; i < bytes; ++i)
        begin[i] = static_cast<unsigned char>(random_() & 1);
    } else if (type == weft::ScalarType::f32) {
      auto* values = reinterpret_cast<float*>(begin);
      for (std::int64_t i = 0; i < bytes / 4; ++i)
        values[i] = static_cast<float>(below(1000));
    } else if (type == weft::ScalarType::f64 || type == weft::ScalarType::c128) {
      auto* values = reinterpret_cast<double*>(begin);
      for (std::int64_t i = 0; i < bytes / 8; ++i)
        values[i] = static_cast<double>(below(1000));
    } else {
      for (std::int64_t i = 0; i < bytes; ++i)
        begin[i] = static_cast<unsigned char>(random_() & 63);
    }
  }

  void make_iterator() {
    if (op_ == LoopOp::copy) {
      copy_ = std::make_unique<weft::CopyKernel>(types_[0], types_[1]);
      weft::TensorIteratorConfig config;
      config.check_all_same_dtype(false).add_output(views_[0]).add_input(views_[1]);
      iter_.emplace(config.build());
      return;
    }
    std::optional<weft::Elementwise> call;
    if (op_ == LoopOp::add) {
      call.emplace(
          weft::prepare(weft::function_of<weft::BinaryOp::add>, views_[0], views_[1], views_[2]));
    } else if (op_ == LoopOp::neg) {
      call.emplace(weft::prepare(weft::function_of<weft::UnaryOp::neg>, views_[0], views_[1]));
    } else {
      call.emplace(weft::prepare(weft::function_of<weft::TernaryOp::where>, views_[0], views_[1],
                                 views_[2], views_[3]));
    }
    kernel_ = call->kernel;
    iter_.emplace(std::move(call->iter));
  }

  std::mt19937_64& random_;
  LoopOp op_ = LoopOp::add;
  std::string name_;
  std::vector<weft::ScalarType> types_;  // output first
  weft::DimVector shape_;
  std::vector<weft::Tensor> buffers_;
  std::vector<weft::TensorView> views_;
  std::optional<weft::TensorIterator> iter_;
  const weft::SpanKernel* kernel_ = nullptr;
  std::unique_ptr<weft::CopyKernel> copy_;
};

}  // namespace bench
