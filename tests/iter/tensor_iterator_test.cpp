// SPDX-License-Identifier: Apache-2.0
// What a built iterator says of itself, and rebinding it. Walking it: walk_test.cpp; cutting it:
// parts_test.cpp; converting ahead of a loop: casts_test.cpp.
#include <weft/iter/config.hpp>
#include <weft/iter/tensor_iterator.hpp>

#include "support/errors.hpp"
#include "support/visit.hpp"

#include <numeric>

namespace {

using test::dims;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// out[3, 4] = a[3, 4] op b[4], all f32: two dims, the second repeats b.
struct Broadcast {
  Tensor out = Tensor::zeros({3, 4}, ScalarType::f32);
  Tensor a = Tensor::zeros({3, 4}, ScalarType::f32);
  Tensor b = Tensor::zeros({4}, ScalarType::f32);
  TensorIterator iter = TensorIteratorConfig().add_output(out).add_input(a).add_input(b).build();
};

}  // namespace

TEST_CASE("iterator: shape, strides and operands", "[iter]") {
  const Broadcast on;
  CHECK(on.iter.ndim() == 2);
  CHECK(dims(on.iter.shape()) == Dims{4, 3});
  CHECK(dims(on.iter.common_shape()) == Dims{3, 4});
  CHECK(test::perm_of(on.iter) == Dims{1, 0});
  CHECK(on.iter.numel() == 12);
  CHECK(dims(on.iter.strides(0)) == Dims{4, 16});
  CHECK(dims(on.iter.strides(2)) == Dims{4, 0});
  CHECK(dims(on.iter.get_dim_strides(0)) == Dims{4, 4, 4});
  CHECK(dims(on.iter.get_dim_strides(1)) == Dims{16, 16, 0});
  CHECK(dims(on.iter.get_inner_strides()) == Dims{4, 4, 4});
  const auto all = on.iter.get_strides();
  CHECK(Dims(all.begin(), all.end()) == Dims{4, 4, 4, 16, 16, 0});
  CHECK(on.iter.ntensors() == 3);
  CHECK(on.iter.data_ptr(1) == on.a.data());
  CHECK(on.iter.tensor(2).data() == on.b.data());
  CHECK(on.iter.output().data() == on.out.data());
  CHECK(on.iter.input(1).data() == on.b.data());
  CHECK(on.iter.dtype() == ScalarType::f32);
  CHECK(on.iter.input_dtype(1) == ScalarType::f32);
  CHECK(on.iter.storage_dtype(2) == ScalarType::f32);
  CHECK(on.iter.common_dtype() == ScalarType::f32);
  CHECK(on.iter.element_size(0) == 4);
  const auto ptrs = on.iter.get_base_ptrs();
  CHECK(ptrs.size() == 3);
  CHECK(ptrs[2] == on.b.data());
  CHECK(on.iter.geometry().ndim() == 2);
  CHECK(dims(on.iter.view_offsets()) == Dims{0, 0});
}

TEST_CASE("iterator: of rank 0 there are no dims, and one element", "[iter]") {
  const Tensor a = Tensor::of<float>({}, {2});
  const TensorIterator iter = TensorIteratorConfig().add_output().add_input(a).build();
  CHECK(iter.ndim() == 0);
  CHECK(iter.numel() == 1);
  CHECK(dims(iter.shape()) == Dims{});
  CHECK(dims(iter.strides(1)) == Dims{});
  CHECK(dims(iter.get_inner_strides()) == Dims{0, 0});
  const auto all = iter.get_strides();  // padded to two dims
  CHECK(Dims(all.begin(), all.end()) == Dims{0, 0, 0, 0});
  CHECK(dims(iter.view_offsets()) == Dims{0});
  CHECK(iter.is_contiguous());
  CHECK(iter.has_contiguous_first_dim());
  CHECK_FALSE(iter.is_trivial_1d());
}

TEST_CASE("iterator: of one dim, strides are padded to two", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3}, ScalarType::f64);
  const TensorIterator iter = TensorIteratorConfig().add_output().add_input(a).build();
  CHECK(dims(iter.shape()) == Dims{6});
  const auto all = iter.get_strides();
  CHECK(Dims(all.begin(), all.end()) == Dims{8, 8, 0, 0});
  CHECK(dims(iter.get_dim_strides(1)) == Dims{0, 0});
  CHECK(iter.is_trivial_1d());
  CHECK(iter.is_contiguous());
}

TEST_CASE("iterator: contiguous or not", "[iter]") {
  const Broadcast on;
  CHECK_FALSE(on.iter.is_contiguous());
  CHECK(on.iter.has_contiguous_first_dim());
  const TensorView every_second = on.a.slice(1, 0, 4, 2);
  const TensorIterator strided = TensorIteratorConfig().add_input(every_second).build();
  CHECK_FALSE(strided.has_contiguous_first_dim());
  const TensorView corner = on.a.slice(0, 0, 1).slice(1, 0, 1);
  CHECK(TensorIteratorConfig().add_input(corner).build().is_contiguous());
  const TensorView backwards = on.b.flip(0);
  const TensorIterator flipped = TensorIteratorConfig().add_input(backwards).build();
  CHECK(flipped.is_contiguous());  // walked from the other end
  CHECK(flipped.data_ptr(0) == on.b.data());
}

TEST_CASE("iterator: a scalar is one value for the whole iteration", "[iter]") {
  const Tensor a = Tensor::of<float>({2, 1}, {1.5f, 2.5f});
  const Tensor point = Tensor::of<float>({}, {-7.25f});
  const Tensor ones = Tensor::of<float>({1, 1}, {70000});
  const TensorIterator iter =
      TensorIteratorConfig().add_output().add_input(a).add_input(point).add_input(ones).build();
  CHECK_FALSE(iter.is_scalar(0));
  CHECK_FALSE(iter.is_scalar(1));
  CHECK(iter.is_scalar(2));
  CHECK(iter.is_cpu_scalar(3));
  CHECK(iter.scalar_value<double>(2) == -7.25);
  CHECK(iter.scalar_value<std::int32_t>(2) == -7);
  CHECK(iter.scalar_value<std::uint8_t>(3) == 255);
  CHECK(iter.original_scalar_value<float>(3) == 70000);
  CHECK_ERROR(shape, ("input 0", "one value", "[2, 1]"), iter.scalar_value<float>(1));
  CHECK_ERROR(invalid_argument, ("operand 4"), iter.is_scalar(4));
  const Tensor empty = Tensor::zeros({0}, ScalarType::f32);
  const TensorIterator none = TensorIteratorConfig().add_input(empty).add_input(point).build();
  CHECK_ERROR(shape, ("input 1"), none.scalar_value<float>(1));
}

TEST_CASE("iterator: the value of a scalar is the one in memory", "[iter]") {
  const Tensor a = Tensor::zeros({3}, ScalarType::f16);
  const Tensor big = Tensor::of<std::int32_t>({}, {70000});
  Tensor out;
  const TensorIterator iter = TensorIterator::binary_op(out, a, big);
  CHECK(iter.dtype(2) == ScalarType::f16);
  CHECK(iter.storage_dtype(2) == ScalarType::i32);
  CHECK(iter.original_scalar_value<float>(2) == 70000);  // infinite as f16
}

TEST_CASE("iterator: operands out of range are errors", "[iter]") {
  const Broadcast on;
  for (const int operand : {-1, 3, 1000}) {
    const std::string number = "operand " + std::to_string(operand);
    CHECK_ERROR(invalid_argument, (number, "3 operands"), on.iter.dtype(operand));
    CHECK_ERROR(invalid_argument, (number), on.iter.strides(operand));
    CHECK_ERROR(invalid_argument, (number), on.iter.data_ptr(operand));
    CHECK_ERROR(invalid_argument, (number), on.iter.tensor(operand));
    CHECK_ERROR(invalid_argument, (number), TensorIterator(on.iter).remove_operand(operand));
  }
  CHECK_ERROR(invalid_argument, ("operand 3"), on.iter.input(2));
}

TEST_CASE("iterator: no common type unless the rules ask for one, in every layout", "[iter]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::f32);
  const TensorView layouts[] = {a, a.slice(1, 0, 2)};
  for (const TensorView& in : layouts) {
    CAPTURE(in.is_contiguous());
    const TensorIterator plain =
        TensorIteratorConfig().add_output(in).add_input(in).check_all_same_dtype(false).build();
    CHECK_ERROR(dtype, ("common"), plain.common_dtype());
    const TensorIterator typed = TensorIteratorConfig()
                                     .add_output()
                                     .add_input(in)
                                     .check_all_same_dtype(false)
                                     .declare_static_dtype(ScalarType::boolean)
                                     .build();
    CHECK_ERROR(dtype, ("common"), typed.common_dtype());
    CHECK(typed.dtype(0) == ScalarType::boolean);
    const TensorIterator inferred =
        TensorIteratorConfig().add_output().add_input(in).check_all_same_dtype(false).build();
    CHECK(inferred.common_dtype() == ScalarType::f32);
  }
}

TEST_CASE("iterator: bind takes the plan to other tensors", "[iter]") {
  Broadcast on;
  const Tensor other = Tensor::of<float>({4}, {1, 2, 3, 4});
  on.iter.bind(2, other.data());
  CHECK(on.iter.data_ptr(2) == other.data());
  // The origin of a tensor that is walked from its other end stays its element (0).
  const TensorView backwards = on.b.flip(0);
  TensorIterator iter = TensorIteratorConfig().add_input(backwards).build();
  const TensorView other_backwards = other.flip(0);
  CHECK(&iter.bind(0, other_backwards.data()) == &iter);
  CHECK(iter.data_ptr(0) == other.data());
}

TEST_CASE("iterator: raw surgery", "[iter]") {
  Broadcast on;
  char elsewhere[64];
  on.iter.unsafe_replace_operand(1, elsewhere);
  CHECK(on.iter.data_ptr(1) == elsewhere);
  on.iter.unsafe_set_arg_data(1, elsewhere + 4);
  CHECK(on.iter.data_ptr(1) == elsewhere + 4);
  on.iter.unsafe_set_arg_strides(1, {-4, 8});
  CHECK(dims(on.iter.strides(1)) == Dims{-4, 8});
  CHECK(dims(on.iter.strides(0)) == Dims{4, 16});
  CHECK_ERROR(rank, ("2 dims", "[4]"), on.iter.unsafe_set_arg_strides(1, {4}));
}

TEST_CASE("iterator: an operand can be dropped", "[iter]") {
  Broadcast on;
  on.iter.remove_operand(1);
  CHECK(on.iter.ntensors() == 2);
  CHECK(on.iter.ninputs() == 1);
  CHECK(on.iter.data_ptr(1) == on.b.data());
  CHECK(dims(on.iter.get_dim_strides(1)) == Dims{16, 0});
  on.iter.remove_operand(0);
  CHECK(on.iter.noutputs() == 0);
  CHECK(dims(on.iter.strides(0)) == Dims{4, 0});
  std::int64_t elements = 0;
  on.iter.serial_for_each([&](char**, const std::int64_t*, std::int64_t n) { elements += n; });
  CHECK(elements == 12);
}

TEST_CASE("iterator: dropping an operand lets go of its memory only", "[iter]") {
  const Tensor a = Tensor::zeros({3}, ScalarType::f32);
  TensorIterator iter = TensorIteratorConfig().add_output().add_output().add_input(a).build();
  const std::weak_ptr<void> first = iter.allocated_output(0).owner();
  const Tensor second = iter.allocated_output(1);
  iter.remove_operand(0);
  CHECK(first.expired());
  CHECK(iter.allocated_output(0).data() == second.data());
}

TEST_CASE("iterator: layout helpers", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3, 4}, ScalarType::f32);
  const TensorView permuted = a.permute({2, 0, 1});  // [4, 2, 3], strides 1, 12, 4
  const Tensor b = Tensor::zeros({3}, ScalarType::f32);
  const TensorIterator iter =
      TensorIteratorConfig().add_output().add_input(permuted).add_input(b).build();
  CHECK(test::perm_of(iter) == Dims{0, 2, 1});
  CHECK(dims(iter.shape()) == Dims{4, 3, 2});
  CHECK(dims(iter.compatible_stride(8)) == Dims{8, 32, 96});
  CHECK(dims(iter.invert_perm({4, 3, 2})) == Dims{4, 2, 3});
  CHECK_ERROR(rank, ("3 axes", "[1, 2]"), iter.invert_perm({1, 2}));
}

TEST_CASE("iterator: reductions know their dims", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3, 4}, ScalarType::f32);
  const Tensor out = Tensor::zeros({2, 1, 4}, ScalarType::f32);
  const TensorIterator iter = TensorIterator::reduce_op(out, a);
  CHECK(iter.is_reduction());
  CHECK(iter.num_reduce_dims() == 1);
  CHECK(iter.num_output_elements() == 8);
  int reduced = 0;
  for (int d = 0; d < iter.ndim(); ++d) {
    CHECK(iter.is_dim_reduced(d) == (iter.strides(0)[static_cast<std::size_t>(d)] == 0));
    reduced += iter.is_dim_reduced(d) ? 1 : 0;
  }
  CHECK(reduced == 1);
  CHECK_FALSE(iter.is_dim_reduced(-1));
  CHECK_FALSE(iter.is_dim_reduced(7));
  const Broadcast on;
  CHECK_FALSE(on.iter.is_reduction());
  CHECK(on.iter.num_reduce_dims() == 0);
  CHECK(on.iter.num_output_elements() == 12);
}
