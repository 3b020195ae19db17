// SPDX-License-Identifier: Apache-2.0
// Operators that show the elements of their input in another shape.
#include <weft/base/checked.hpp>

#include "base/text.hpp"
#include "core/reshaped_strides.hpp"
#include "graph/chain/chain_kernel.hpp"
#include "graph/operators/families.hpp"

#include <algorithm>
#include <optional>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// The same value once more.
class Identity final : public Operator {
 public:
  Identity() : Operator({.name = "Identity"}) {}
  void infer(InferContext& context) const override { context.set_output(0, context.input(0)); }
  bool view(const PrepareContext& context, std::span<TensorView> outputs) const override {
    outputs[0] = context.input(0);
    return true;
  }
};

/// Copies the input, row-major.
std::unique_ptr<Kernel> dense_copy(const PrepareContext& context) {
  const TensorView& in = context.input(0);
  const TensorView out = TensorView::trusted(context.output(0).data(), in.dtype(), in.shape());
  return prepare_chain(Chain::copy(in.dtype()), {&out, 1}, {&in, 1});
}

/// Another shape of as many elements in row-major order. Input 1: the extents, one of which may be
/// -1; 0 keeps the input's, if attribute special_zero says so.
class Reshape final : public Operator {
 public:
  Reshape() : Operator({.name = "Reshape"}) {}

  void infer(InferContext& context) const override {
    const ValueType& data = context.input(0);
    std::vector<std::int64_t> target;
    if (!context.integers(1, target)) {
      const PartialShape& list = context.input(1).shape;
      const bool known = list.has_rank() && list.rank() == 1 && list.extent(0) >= 0;
      context.set_output(0, data.dtype,
                         known ? PartialShape::of_rank(static_cast<int>(list.extent(0)))
                               : PartialShape::unranked());
      return;
    }
    context.set_output(0, data.dtype, reshaped(data.shape, target, context.attributes()));
  }

  bool view(const PrepareContext& context, std::span<TensorView> outputs) const override {
    const TensorView& in = context.input(0);
    const IntSpan shape = context.output(0).shape();
    const std::optional<DimVector> strides = reshaped_strides(in, shape);
    if (strides) outputs[0] = in.as_strided(shape, *strides);
    return strides.has_value();
  }
  /// Where the elements lie in another order.
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return dense_copy(context);
  }
  bool accepts_input(const Node&, int, const TensorView&) const override { return true; }

 private:
  static PartialShape reshaped(const PartialShape& from, std::span<const std::int64_t> target,
                               const Attributes& attributes) {
    const bool keeps = attributes.flag("special_zero", false);
    DimVector extents(target.begin(), target.end());
    const auto refuse = [&](const auto& why) {
      fail(ErrorCode::shape,
           text("input 1: shape ", to_string(from), " as ",
                weft::to_string(IntSpan(target.data(), target.size())), ": ", why));
    };
    std::int64_t open = -1;
    std::int64_t known = 1;
    bool certain = true;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      std::int64_t& extent = extents[i];
      if (extent == 0 && keeps) {
        if (!from.has_rank()) {
          extent = PartialShape::unknown;
          certain = false;
          continue;
        }
        if (static_cast<std::int64_t>(i) >= from.rank()) refuse("no extent to keep");
        extent = from.extents()[i];
        if (extent == PartialShape::unknown) {
          certain = false;
          continue;
        }
      }
      if (extent == -1) {
        if (open >= 0) refuse("two extents are -1");
        open = static_cast<std::int64_t>(i);
      } else if (extent < 0) {
        refuse("an extent is below -1");
      } else {
        if (!checked_mul(known, extent, known)) refuse("too many elements");
      }
    }
    if (!certain || !from.is_static()) return extents;
    const std::int64_t elements = numel(from.shape());
    if (open < 0) {
      if (known != elements) refuse("the number of elements differs");
      return extents;
    }
    if (known == 0 ? elements != 0 : elements % known != 0) refuse("does not divide evenly");
    extents[static_cast<std::size_t>(open)] = known == 0 ? 0 : elements / known;
    return extents;
  }
};

/// The extents of the input, as integers of type output_type.
class ShapeOf final : public Operator {
 public:
  ShapeOf() : Operator({.name = "ShapeOf"}) {}

  void infer(InferContext& context) const override {
    const ScalarType type = context.attributes().scalar_type("output_type", ScalarType::i64);
    if (type != ScalarType::i64 && type != ScalarType::i32) {
      fail(ErrorCode::dtype, text("output_type: expected i64 or i32, got ", weft::name(type)));
    }
    const PartialShape& shape = context.input(0).shape;
    context.set_output(0, type, {shape.has_rank() ? shape.rank() : PartialShape::unknown});
    if (!shape.is_static()) return;
    Tensor value = Tensor::empty({shape.rank()}, type);
    cast_elements(value.data(), type, element_size(type), shape.shape().data(), ScalarType::i64, 8,
                  shape.rank());
    context.set_value(0, std::move(value));
  }
};

}  // namespace

void add_shape_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<Identity>());
  registry.add(std::make_shared<Reshape>());
  registry.add(std::make_shared<ShapeOf>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
