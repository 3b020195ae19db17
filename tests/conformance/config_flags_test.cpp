// SPDX-License-Identifier: Apache-2.0
// The rules of PyTorch's TensorIteratorConfig, one by one: default, meaning, and the error of each.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/visit.hpp"

namespace {

using test::dims;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

Tensor f32(const Dims& shape) { return Tensor::zeros(shape, ScalarType::f32); }
Tensor f64(const Dims& shape) { return Tensor::zeros(shape, ScalarType::f64); }
Tensor i32(const Dims& shape) { return Tensor::zeros(shape, ScalarType::i32); }

}  // namespace

TEST_CASE("flags: operands come outputs first", "[conformance]") {
  const Tensor a = f32({3});
  const Tensor out = f32({3});
  CHECK_ERROR(invalid_argument, ("outputs", "before inputs"),
              TensorIteratorConfig().add_input(a).add_output(out).build());
  CHECK_ERROR(invalid_argument, ("outputs"),
              TensorIteratorConfig().add_const_input(a).add_output(out).build());
  CHECK_ERROR(invalid_argument, ("outputs"),
              TensorIteratorConfig().add_output(out).add_input(a).add_output().build());
  CHECK_ERROR(invalid_argument, ("outputs"),
              TensorIteratorConfig().add_owned_input(a).add_owned_output(out).build());
  // The mistake is one of the config; adding operands is not where it is reported.
  TensorIteratorConfig config;
  config.add_input(a).add_output(out);
}

TEST_CASE("flags: borrowing names are the same", "[conformance]") {
  const Tensor a = f32({3});
  Tensor out;
  const TensorIterator iter = TensorIteratorConfig()
                                  .add_borrowed_output(out)
                                  .add_borrowed_input(a)
                                  .add_borrowed_const_input(a)
                                  .build();
  CHECK(out.defined());
  CHECK(iter.ntensors() == 3);
  CHECK(iter.operand(2).is_const);
}

TEST_CASE("flags: set_check_mem_overlap is on", "[conformance]") {
  const Tensor base = f32({10});
  const TensorView low = base.slice(0, 0, 6);
  const TensorView high = base.slice(0, 1, 7);
  const auto config = TensorIteratorConfig().add_output(low).add_input(high);
  CHECK_ERROR(overlap, ("output 0", "input 0"), config.build());
  CHECK_ERROR(overlap, ("output 0"),
              TensorIteratorConfig(config).set_check_mem_overlap(true).build());
  CHECK(TensorIteratorConfig(config).set_check_mem_overlap(false).build().numel() == 6);
}

TEST_CASE("flags: check_all_same_dtype is on", "[conformance]") {
  const Tensor a = f32({3});
  const Tensor b = f64({3});
  Tensor out = f32({3});
  const auto config = TensorIteratorConfig().add_output(out).add_input(a).add_input(b);
  CHECK_ERROR(dtype, ("input 1", "f64", "f32"), config.build());
  const TensorIterator iter = TensorIteratorConfig(config).check_all_same_dtype(false).build();
  CHECK(iter.dtype(1) == ScalarType::f32);
  CHECK(iter.dtype(2) == ScalarType::f64);
  // Promotion and casting do without it.
  CHECK(TensorIteratorConfig(config).promote_inputs_to_common_dtype(true).build().ninputs() == 2);
  CHECK(TensorIteratorConfig(config)
            .check_all_same_dtype(true)
            .promote_inputs_to_common_dtype(true)
            .build()
            .ninputs() == 2);
}

TEST_CASE("flags: promote_inputs_to_common_dtype is off", "[conformance]") {
  const Tensor a = i32({3});
  const Tensor b = f32({3});
  CHECK_ERROR(dtype, ("f32", "i32"),
              TensorIteratorConfig().add_output().add_input(a).add_input(b).build());
  CHECK_ERROR(dtype, ("f32", "i32"),
              TensorIteratorConfig()
                  .add_output()
                  .add_input(a)
                  .add_input(b)
                  .check_all_same_dtype(false)
                  .build());
  const TensorIterator iter = TensorIteratorConfig()
                                  .add_output()
                                  .add_input(a)
                                  .add_input(b)
                                  .promote_inputs_to_common_dtype(true)
                                  .build();
  CHECK(iter.common_dtype() == ScalarType::f32);
  CHECK(iter.dtype(0) == ScalarType::f32);
  CHECK(iter.dtype(1) == ScalarType::f32);
  CHECK(iter.storage_dtype(1) == ScalarType::i32);
  CHECK(iter.data_ptr(1) == a.data());  // nothing is converted ahead
}

TEST_CASE("flags: promote_integer_inputs_to_float is off", "[conformance]") {
  const Tensor a = i32({3});
  const Tensor b = Tensor::zeros({3}, ScalarType::i64);
  const auto config =
      TensorIteratorConfig().add_output().add_input(a).add_input(b).promote_inputs_to_common_dtype(
          true);
  CHECK(config.build().common_dtype() == ScalarType::i64);
  const auto floating = TensorIteratorConfig(config).promote_integer_inputs_to_float(true);
  CHECK(floating.build().common_dtype() == ScalarType::f32);
  CHECK(TensorIteratorConfig(floating).default_float_type(ScalarType::f64).build().common_dtype() ==
        ScalarType::f64);
  CHECK_ERROR(invalid_argument, ("promote_inputs_to_common_dtype(true)"),
              TensorIteratorConfig()
                  .add_output()
                  .add_input(a)
                  .promote_integer_inputs_to_float(true)
                  .build());
  CHECK_ERROR(dtype, ("i32"), TensorIteratorConfig().default_float_type(ScalarType::i32));
}

TEST_CASE("flags: cast_common_dtype_to_outputs is off", "[conformance]") {
  const Tensor a = f32({3});
  const Tensor out = f64({3});
  const auto config = TensorIteratorConfig().add_output(out).add_input(a);
  CHECK_ERROR(dtype, ("f32", "f64"), config.build());
  const TensorIterator iter =
      TensorIteratorConfig(config).cast_common_dtype_to_outputs(true).build();
  CHECK(iter.dtype(0) == ScalarType::f32);
  CHECK(iter.storage_dtype(0) == ScalarType::f64);
  CHECK(iter.common_dtype() == ScalarType::f32);
}

TEST_CASE("flags: enforce_safe_casting_to_output is off", "[conformance]") {
  const Tensor a = f32({3});
  const Tensor out = i32({3});
  auto config = TensorIteratorConfig().add_output(out).add_input(a);
  config.promote_inputs_to_common_dtype(true).cast_common_dtype_to_outputs(true);
  CHECK(config.build().dtype(0) == ScalarType::f32);
  CHECK_ERROR(cast, ("output 0", "f32", "can't be cast to", "i32"),
              config.enforce_safe_casting_to_output(true).build());
}

TEST_CASE("flags: enforce_linear_iteration is off", "[conformance]") {
  const Tensor a = f32({3, 4});
  const TensorView transposed = a.transpose(0, 1);
  const auto config = TensorIteratorConfig().add_input(transposed);
  const std::vector<Dims> c_order = test::naive_offsets({4, 3}, {{{4, 3}, {1, 4}, 4}});
  CHECK(dims(config.build().shape()) == Dims{12});
  const TensorIterator linear = TensorIteratorConfig(config).enforce_linear_iteration().build();
  CHECK(test::visited(linear) == c_order);
  // Backwards operands are not turned round then.
  const TensorView backwards = transposed.flip(0);
  const TensorIterator flipped =
      TensorIteratorConfig().add_input(backwards).enforce_linear_iteration().build();
  CHECK(test::visited(flipped) == test::naive_offsets({4, 3}, {{{4, 3}, {-1, 4}, 4}}));
}

TEST_CASE("flags: is_reduction is off", "[conformance]") {
  const Tensor a = f32({3, 4});
  const Tensor out = f32({3, 1});
  const auto config = TensorIteratorConfig().add_output(out).add_input(a);
  CHECK_ERROR(shape, ("output 0", "[3, 1]", "[3, 4]"),
              TensorIteratorConfig(config).resize_outputs(false).build());
  const TensorIterator iter =
      TensorIteratorConfig(config).is_reduction(true).resize_outputs(false).build();
  CHECK(iter.is_reduction());
  CHECK(iter.noutputs() == 1);
  CHECK(iter.numel() == 12);
  CHECK_ERROR(undefined, ("output 0", "reduction"),
              TensorIteratorConfig().add_output().add_input(a).is_reduction(true).build());
  Tensor unset;
  CHECK_ERROR(undefined, ("output 0"),
              TensorIteratorConfig().add_output(unset).add_input(a).is_reduction(true).build());
  CHECK_FALSE(unset.defined());
}

TEST_CASE("flags: resize_outputs is on", "[conformance]") {
  const Tensor a = f32({3, 4});
  Tensor out = f32({0});
  CHECK_ERROR(shape, ("[0]", "[3, 4]"),
              TensorIteratorConfig().add_output(out).add_input(a).resize_outputs(false).build());
  TensorIteratorConfig().add_output(out).add_input(a).build();
  CHECK(dims(out.shape()) == Dims{3, 4});
  CHECK(out.dtype() == ScalarType::f32);
  // Off: outputs take part in the common shape.
  const Tensor wide = f32({2, 3, 4});
  CHECK(
      TensorIteratorConfig().add_output(wide).add_input(a).resize_outputs(false).build().numel() ==
      24);
}

TEST_CASE("flags: declare_static_dtype", "[conformance]") {
  const Tensor a = f32({3});
  Tensor out;
  CHECK_ERROR(invalid_argument, ("declare_static_dtype", "check_all_same_dtype(false)"),
              TensorIteratorConfig()
                  .add_output(out)
                  .add_input(a)
                  .declare_static_dtype(ScalarType::i64)
                  .build());
  TensorIteratorConfig()
      .add_output(out)
      .add_input(a)
      .check_all_same_dtype(false)
      .declare_static_dtype(ScalarType::i64)
      .build();
  CHECK(out.dtype() == ScalarType::i64);
  Tensor promoted;
  TensorIteratorConfig()
      .add_output(promoted)
      .add_input(a)
      .promote_inputs_to_common_dtype(true)
      .declare_static_dtype(ScalarType::boolean)
      .build();
  CHECK(promoted.dtype() == ScalarType::boolean);
}

TEST_CASE("flags: declare_static_shape", "[conformance]") {
  const Tensor a = f32({2, 6});
  CHECK_ERROR(invalid_argument, ("declare_static_shape", "resize_outputs(false)"),
              TensorIteratorConfig().add_input(a).declare_static_shape({2, 6}).build());
  const auto config = TensorIteratorConfig().add_input(a).resize_outputs(false);
  CHECK(TensorIteratorConfig(config).declare_static_shape({2, 6}).build().numel() == 12);
  // No check against the operand's own shape.
  CHECK(TensorIteratorConfig(config).declare_static_shape({1, 3}).build().numel() == 3);
  Tensor out;
  TensorIteratorConfig()
      .add_output(out)
      .add_input(a)
      .resize_outputs(false)
      .declare_static_shape({2, 3})
      .build();
  CHECK(dims(out.shape()) == Dims{2, 3});
  const TensorIterator squashed =
      TensorIteratorConfig(config).declare_static_shape({2, 6}, {1}).build();
  CHECK(squashed.numel() == 2);
  CHECK(dims(squashed.strides(0)) == Dims{24});
  CHECK(TensorIteratorConfig(config).declare_static_shape({2, 6}, {0, 1}).build().numel() == 1);
  CHECK_ERROR(axis, ("axis 2", "[2, 6]"),
              TensorIteratorConfig(config).declare_static_shape({2, 6}, {2}).build());
  CHECK_ERROR(axis, ("axis -1"),
              TensorIteratorConfig(config).declare_static_shape({2, 6}, {-1}).build());
}
