// SPDX-License-Identifier: Apache-2.0
// ONNX's cases of operators that move, choose or convert elements, in terms of views and of the
// functions for positions and masks.
#include <weft/core/views.hpp>
#include <weft/ops/arrange.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/indexing.hpp>
#include <weft/ops/join.hpp>
#include <weft/ops/masking.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/triangle.hpp>

#include "onnx_cases.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace {

using test::OnnxCall;
using test::Tensors;
using weft::DimVector;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using Dims = std::vector<std::int64_t>;

Dims dims(const TensorView& view) { return {view.shape().begin(), view.shape().end()}; }

/// A copy in C order under another shape.
Tensor reshaped(const TensorView& view, const Dims& shape) {
  const Tensor dense = weft::contiguous(view);
  return Tensor::share(dense.owner(), dense.as_strided(shape, weft::contiguous_strides(shape)));
}
std::int64_t axis_of(const OnnxCall& call, std::int64_t otherwise) {
  return weft::normalize_axis(call.integer("axis", otherwise), call.in(0).rank());
}

Tensors cast(const OnnxCall& call) { return {weft::contiguous(call.in(0), call.output_type())}; }

Tensors concat(const OnnxCall& call) {
  std::vector<TensorView> inputs;
  for (std::size_t i = 0; i < call.count(); ++i)
    inputs.push_back(call.in(i));
  return {weft::concat(inputs, call.integer("axis", 0))};
}

Tensors pad(const OnnxCall& call) {
  const Dims pads = call.values(1);
  const auto rank = static_cast<std::size_t>(call.in(0).rank());
  std::vector<weft::AxisPadding> widths;
  for (std::size_t axis = 0; axis < rank; ++axis)
    widths.push_back({pads[axis], pads[rank + axis]});
  const std::string mode = call.string("mode", "constant");
  double value = 0;
  if (call.has(2)) {
    weft::cast_elements(&value, ScalarType::f64, 0, call.in(2).data(), call.in(2).dtype(), 0, 1);
  }
  return {weft::pad(call.in(0), std::span<const weft::AxisPadding>(widths),
                    mode == "edge"      ? weft::PadMode::edge
                    : mode == "reflect" ? weft::PadMode::reflect
                    : mode == "wrap"    ? weft::PadMode::wrap
                                        : weft::PadMode::constant,
                    weft::is_integer(call.in(0).dtype())
                        ? weft::Scalar(static_cast<std::int64_t>(value))
                        : weft::Scalar(value))};
}

Tensors constant_of_shape(const OnnxCall& call) {
  const test::Json* value = call.attribute("value");
  const double number = value == nullptr ? 0 : (*value)["tensor"]["data"].at(0).number;
  return {weft::full(call.values(0), number, call.output_type())};
}

Tensors expand(const OnnxCall& call) {
  const DimVector shape = weft::broadcast_shapes(call.in(0).shape(), call.values(1));
  return {weft::contiguous(call.in(0).expand(shape))};
}

Tensors eye_like(const OnnxCall& call) {
  const Dims shape = dims(call.in(0));
  return {weft::eye(shape[0], shape[1], call.integer("k", 0), call.output_type())};
}

Tensors flatten(const OnnxCall& call) {
  const Dims shape = dims(call.in(0));
  std::int64_t axis = call.integer("axis", 1);
  if (axis < 0) axis += call.in(0).rank();
  Dims two = {1, 1};
  for (std::size_t i = 0; i < shape.size(); ++i)
    two[static_cast<std::int64_t>(i) < axis ? 0 : 1] *= shape[i];
  return {reshaped(call.in(0), two)};
}

/// 0 keeps an extent (unless allowzero), -1 is what remains.
Tensors reshape(const OnnxCall& call) {
  Dims shape = call.values(1);
  const bool zero_keeps = call.integer("allowzero", 0) == 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && zero_keeps) shape[i] = call.in(0).shape()[i];
  }
  std::int64_t known = 1;
  for (const std::int64_t extent : shape)
    known *= extent == -1 ? 1 : extent;
  std::replace(shape.begin(), shape.end(), std::int64_t{-1},
               known == 0 ? 0 : call.in(0).numel() / known);
  return {reshaped(call.in(0), shape)};
}

Tensors depth_to_space(const OnnxCall& call) {
  const Dims s = dims(call.in(0));
  const std::int64_t b = call.integer("blocksize", 1), c = s[1] / (b * b);
  const bool depth_first = call.string("mode", "DCR") == "DCR";
  const Tensor split = reshaped(
      call.in(0), depth_first ? Dims{s[0], b, b, c, s[2], s[3]} : Dims{s[0], c, b, b, s[2], s[3]});
  const TensorView turned =
      depth_first ? split.permute({0, 3, 4, 1, 5, 2}) : split.permute({0, 1, 4, 2, 5, 3});
  return {reshaped(turned, {s[0], c, s[2] * b, s[3] * b})};
}
Tensors space_to_depth(const OnnxCall& call) {
  const Dims s = dims(call.in(0));
  const std::int64_t b = call.integer("blocksize", 1);
  const Tensor split = reshaped(call.in(0), {s[0], s[1], s[2] / b, b, s[3] / b, b});
  return {reshaped(split.permute({0, 3, 5, 1, 2, 4}), {s[0], s[1] * b * b, s[2] / b, s[3] / b})};
}

/// Indices of any shape, whose axes take the place of one.
Tensors gather(const OnnxCall& call) {
  const std::int64_t axis = axis_of(call, 0);
  const Tensor flat = reshaped(call.in(1), {call.in(1).numel()});
  const Tensor rows = weft::index_select(call.in(0), axis, flat);
  Dims shape = dims(call.in(0));
  shape.erase(shape.begin() + axis);
  const Dims places = dims(call.in(1));
  shape.insert(shape.begin() + axis, places.begin(), places.end());
  return {reshaped(rows, shape)};
}
Tensors gather_elements(const OnnxCall& call) {
  return {weft::gather(call.in(0), axis_of(call, 0), call.in(1))};
}

/// The numbers, in C order of the leading axes, of slices that rows of indices name.
Dims slice_numbers(const OnnxCall& call, std::size_t batch_axes) {
  const Dims shape = dims(call.in(0)), index_shape = dims(call.in(1)), index = call.values(1);
  const auto depth = static_cast<std::size_t>(index_shape.back());
  std::int64_t batches = 1;
  for (std::size_t i = 0; i < batch_axes; ++i)
    batches *= shape[i];
  const std::size_t count = index.size() / depth;
  Dims numbers;
  for (std::size_t row = 0; row < count; ++row) {
    std::int64_t number =
        static_cast<std::int64_t>(row) * batches / static_cast<std::int64_t>(count);
    for (std::size_t i = 0; i < depth; ++i) {
      const std::int64_t extent = shape[batch_axes + i];
      const std::int64_t at = index[row * depth + i];
      number = number * extent + (at < 0 ? at + extent : at);
    }
    numbers.push_back(number);
  }
  return numbers;
}
/// A tensor with its first `axes` axes as one.
Tensor leading_as_one(const TensorView& view, std::size_t axes) {
  Dims shape = dims(view);
  const std::int64_t count =
      std::accumulate(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axes),
                      std::int64_t{1}, std::multiplies<>());
  shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axes));
  shape.insert(shape.begin(), count);
  return reshaped(view, shape);
}
Tensors gather_nd(const OnnxCall& call) {
  const auto batch_axes = static_cast<std::size_t>(call.integer("batch_dims", 0));
  const auto depth = static_cast<std::size_t>(call.in(1).extent(-1));
  const Dims numbers = slice_numbers(call, batch_axes);
  const TensorView index(std::span<const std::int64_t>(numbers),
                         {static_cast<std::int64_t>(numbers.size())});
  const Tensor rows = weft::index_select(leading_as_one(call.in(0), batch_axes + depth), 0, index);
  Dims shape = dims(call.in(1));
  shape.pop_back();
  const Dims whole = dims(call.in(0));
  shape.insert(shape.end(), whole.begin() + static_cast<std::ptrdiff_t>(batch_axes + depth),
               whole.end());
  return {reshaped(rows, shape)};
}
/// Sets, adds or multiplies slice by slice, so that slices named twice count twice.
Tensors scatter_nd(const OnnxCall& call) {
  const auto depth = static_cast<std::size_t>(call.in(1).extent(-1));
  const std::string reduction = call.string("reduction", "none");
  const Tensor rows = leading_as_one(call.in(0), depth);
  const Tensor updates =
      leading_as_one(call.in(2), static_cast<std::size_t>(call.in(1).rank() - 1));
  const Dims numbers = slice_numbers(call, 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const TensorView to = rows.select(0, numbers[i]);
    const TensorView from = updates.select(0, static_cast<std::int64_t>(i));
    if (reduction == "none") weft::copy_out(to, from);
    if (reduction == "add") weft::add_out(to, to, from);
    if (reduction == "mul") weft::mul_out(to, to, from);
  }
  return {reshaped(rows, dims(call.in(0)))};
}
Tensors scatter_elements(const OnnxCall& call) {
  const std::int64_t axis = axis_of(call, 0);
  const bool adds = call.string("reduction", "none") == "add";
  return {adds ? weft::scatter_add(call.in(0), axis, call.in(1), call.in(2))
               : weft::scatter(call.in(0), axis, call.in(1), call.in(2))};
}

/// Columns there, rows here.
Tensors nonzero(const OnnxCall& call) {
  return {weft::contiguous(weft::nonzero(call.in(0)).transpose(0, 1))};
}

/// The slices where the condition, which may be shorter than the axis, is true.
Tensors compress(const OnnxCall& call) {
  const bool whole = call.attribute("axis") == nullptr;
  const Tensor a =
      whole ? reshaped(call.in(0), {call.in(0).numel()}) : weft::contiguous(call.in(0));
  const Tensor places = weft::nonzero(call.in(1));
  return {weft::index_select(a, whole ? 0 : call.integer("axis", 0), weft::squeeze(places, 1))};
}

/// `off` and `on` values along a new axis; positions count from its end if negative.
Tensors one_hot(const OnnxCall& call) {
  const std::int64_t depth = call.values(1).at(0);
  const Tensor index = weft::contiguous(call.in(0), ScalarType::i64);
  const std::int64_t axis = weft::normalize_axis(call.integer("axis", -1), index.rank() + 1);
  Dims shape = dims(index);
  shape.insert(shape.begin() + axis, depth);
  const Tensor out = Tensor::empty(shape, call.in(2).dtype());
  weft::copy_out(TensorView(out), call.in(2).select(0, 0));
  const TensorView places = index.unsqueeze(axis);
  weft::scatter_out(TensorView(out), out, axis, places,
                    Tensor::copy_of(call.in(2).select(0, 1).expand(places.shape())));
  return {out};
}

Tensors range(const OnnxCall& call) {
  const auto number = [&](std::size_t i) -> weft::Scalar {
    if (weft::is_integer(call.in(i).dtype())) return call.values(i).at(0);
    return weft::contiguous(call.in(i), ScalarType::f64).at<double>({});
  };
  return {weft::arange(number(0), number(1), number(2), call.output_type())};
}

/// The first lengths[b] elements of the time axis backwards, for each b of the batch axis.
Tensors reverse_sequence(const OnnxCall& call) {
  const Tensor out = weft::contiguous(call.in(0));
  const std::int64_t time = call.integer("time_axis", 0), batch = call.integer("batch_axis", 1);
  const Dims lengths = call.values(1);
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    const auto part = [&](const TensorView& view) {
      return weft::narrow(weft::narrow(view, batch, static_cast<std::int64_t>(b), 1), time, 0,
                          lengths[b]);
    };
    weft::copy_out(part(out), part(call.in(0)).flip(time));
  }
  return {out};
}

/// Stops below the first element of a backward slice are numbers that count from the end twice.
Tensors slice(const OnnxCall& call) {
  TensorView view = call.in(0);
  const Dims starts = call.values(1), stops = call.values(2);
  Dims axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (call.has(3)) axes = call.values(3);
  const Dims steps = call.has(4) ? call.values(4) : Dims(starts.size(), 1);
  for (std::size_t i = 0; i < axes.size(); ++i)
    view = view.slice(axes[i], starts[i], stops[i], steps[i]);
  return {weft::contiguous(view)};
}

Tensors split(const OnnxCall& call) {
  const std::int64_t axis = axis_of(call, 0);
  const auto count = static_cast<std::int64_t>(call.output_count());
  const Dims lengths =
      call.has(1) ? call.values(1) : Dims(call.output_count(), call.in(0).extent(axis) / count);
  Tensors parts;
  std::int64_t at = 0;
  for (const std::int64_t length : lengths) {
    parts.push_back(weft::contiguous(weft::narrow(call.in(0), axis, at, length)));
    at += length;
  }
  return parts;
}

Tensors squeeze(const OnnxCall& call) {
  TensorView view = call.in(0);
  Dims axes = call.has(1) ? call.values(1) : Dims();
  for (std::int64_t& axis : axes)
    axis = weft::normalize_axis(axis, view.rank());
  std::sort(axes.rbegin(), axes.rend());
  for (const std::int64_t axis : axes)
    view = weft::squeeze(view, axis);
  return {weft::contiguous(axes.empty() ? view.squeeze() : view)};
}
Tensors unsqueeze(const OnnxCall& call) {
  TensorView view = call.in(0);
  Dims axes = call.has(1) ? call.values(1) : call.attribute("axes")->integers();
  const int rank = view.rank() + static_cast<int>(axes.size());
  for (std::int64_t& axis : axes)
    axis = weft::normalize_axis(axis, rank);
  std::sort(axes.begin(), axes.end());
  for (const std::int64_t axis : axes)
    view = view.unsqueeze(axis);
  return {weft::contiguous(view)};
}

Tensors tile(const OnnxCall& call) { return {weft::tile(call.in(0), call.values(1))}; }

Tensors transpose(const OnnxCall& call) {
  Dims order(static_cast<std::size_t>(call.in(0).rank()));
  std::iota(order.rbegin(), order.rend(), 0);
  if (const test::Json* given = call.attribute("perm")) order = given->integers();
  return {weft::contiguous(call.in(0).permute(order))};
}

Tensors trilu(const OnnxCall& call) {
  const std::int64_t k = call.has(1) ? call.values(1).at(0) : 0;
  const bool upper = call.integer("upper", 1) != 0;
  return {upper ? weft::triu(call.in(0), k) : weft::tril(call.in(0), k)};
}

}  // namespace

TEST_CASE("ONNX: operators that move, choose or convert") {
  const test::OnnxOperators operators = {
      {"Cast", cast},
      {"CastLike", cast},
      {"Compress", compress},
      {"Concat", concat},
      {"ConstantOfShape", constant_of_shape},
      {"DepthToSpace", depth_to_space},
      {"Expand", expand},
      {"EyeLike", eye_like},
      {"Flatten", flatten},
      {"Gather", gather},
      {"GatherElements", gather_elements},
      {"GatherND", gather_nd},
      {"NonZero", nonzero},
      {"OneHot", one_hot},
      {"Pad", pad},
      {"Range", range},
      {"Reshape", reshape},
      {"ReverseSequence", reverse_sequence},
      {"Scatter", scatter_elements},
      {"ScatterElements", scatter_elements},
      {"ScatterND", scatter_nd},
      {"Slice", slice},
      {"SpaceToDepth", space_to_depth},
      {"Split", split},
      {"Squeeze", squeeze},
      {"Tile", tile},
      {"Transpose", transpose},
      {"Trilu", trilu},
      {"Unsqueeze", unsqueeze},
  };
  test::OnnxLeftOut left_out;
  for (const char* name : {"test_cast_FLOAT_to_BFLOAT16", "test_castlike_FLOAT_to_BFLOAT16",
                           "test_castlike_FLOAT_to_BFLOAT16_expanded"})
    left_out[name] = "the data drop the low bits; ONNX's text rounds to nearest even, as weft does";
  test::check_onnx_cases("movement", operators, left_out);
}
