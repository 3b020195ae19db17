// SPDX-License-Identifier: Apache-2.0
#include <weft/core/mdspan.hpp>
#include <weft/core/tensor.hpp>

#include "core/mdspan_family.hpp"
#include "support/errors.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using mdspans::Dense;
using mdspans::Strided;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

}  // namespace

TEMPLATE_TEST_CASE("mdspan: what cannot become one", "[mdspan]", WEFT_ALL_MDSPANS) {
  const Tensor tensor = Tensor::zeros({3, 4}, ScalarType::f32);
  using Rows = Dense<TestType>;
  using Span = Strided<TestType>;
  using Columns =
      typename TestType::template mdspan<float, typename TestType::template dextents<int, 2>,
                                         typename TestType::left>;
  CHECK_ERROR(undefined, ("to_mdspan"), weft::to_mdspan<Rows>(TensorView()));
  CHECK_ERROR(dtype, ("to_mdspan", "expected elements of f64, got f32"),
              weft::to_mdspan<Dense<TestType, double>>(tensor));
  CHECK_ERROR(rank, ("to_mdspan", "expected rank 2, got shape [4]"),
              weft::to_mdspan<Rows>(tensor.select(0, 1)));

  CHECK_ERROR(invalid_argument, ("axis 0", "expected stride 2", "shape [3, 2]", "got 4"),
              weft::to_mdspan<Rows>(tensor.slice(1, 0, 2)));
  CHECK_ERROR(invalid_argument, ("axis 0", "expected stride 1", "shape [3, 4]", "got 4"),
              weft::to_mdspan<Columns>(tensor));
  CHECK_ERROR(invalid_argument, ("axis 1", "expected a positive stride, got -1"),
              weft::to_mdspan<Span>(tensor.flip(1)));
  CHECK_ERROR(invalid_argument, ("axis 0", "expected a positive stride, got 0"),
              weft::to_mdspan<Span>(tensor.select(0, 0).expand({3, 4})));
  CHECK_ERROR(invalid_argument, ("axis 0", "expected a stride above 3", "got 2"),
              weft::to_mdspan<Span>(tensor.as_strided({3, 4}, {2, 1})));
  CHECK_ERROR(invalid_argument, ("axis 1", "expected a stride above 2", "got 1"),
              weft::to_mdspan<Span>(tensor.as_strided({3, 4}, {1, 1})));

  std::vector<std::byte> bytes(64);
  void* odd = bytes.data() + (reinterpret_cast<std::uintptr_t>(bytes.data()) % 4 == 0 ? 2 : 4);
  CHECK_ERROR(invalid_argument, ("data at a multiple of 4 bytes, got 2 bytes behind"),
              weft::to_mdspan<Rows>(TensorView::trusted(odd, ScalarType::f32, {2, 3})));
}

TEMPLATE_TEST_CASE("mdspan: numbers beyond an index type", "[mdspan]", WEFT_ALL_MDSPANS) {
  using Rows = Dense<TestType, std::uint8_t, std::int8_t>;
  using Span = Strided<TestType, std::uint8_t, std::int8_t>;
  const Tensor tensor = Tensor::zeros({256}, ScalarType::u8);
  CHECK(weft::to_mdspan<Rows>(tensor.as_strided({1, 127}, {127, 1})).extent(1) == 127);
  CHECK_ERROR(overflow, ("axis 1", "at most 127", "got 128"),
              weft::to_mdspan<Rows>(tensor.as_strided({1, 128}, {128, 1})));
  CHECK_ERROR(overflow, ("at most 127 elements", "shape [8, 16]"),
              weft::to_mdspan<Rows>(tensor.as_strided({8, 16}, {16, 1})));
  CHECK(weft::to_mdspan<Span>(tensor.as_strided({2, 2}, {125, 1})).stride(0) == 125);
  CHECK_ERROR(overflow, ("at most 127 elements", "strides [126, 1]", "span 128"),
              weft::to_mdspan<Span>(tensor.as_strided({2, 2}, {126, 1})));
  CHECK(weft::to_mdspan<Span>(tensor.as_strided({1, 2}, {200, 1})).stride(0) == 1);

  using Huge = Dense<TestType, float, std::uint64_t>;
  const std::uint64_t beyond = std::uint64_t{1} << 63;
  const typename Huge::extents_type shape(std::array<std::uint64_t, 2>{beyond, 0});
  CHECK_ERROR(overflow, ("view_of", "axis 0", "extent 9223372036854775808"),
              weft::view_of(Huge(nullptr, typename Huge::mapping_type(shape))));
  float one = 0;
  const typename Huge::extents_type long_rows(std::array<std::uint64_t, 2>{1, beyond / 2});
  CHECK_ERROR(overflow, ("view_of", "4611686018427387904 elements of f32", "2^63-1 bytes"),
              weft::view_of(Huge(&one, typename Huge::mapping_type(long_rows))));
}

TEMPLATE_TEST_CASE("mdspan: what a view cannot be made of", "[mdspan]", WEFT_ALL_MDSPANS) {
  using Rows = Dense<TestType>;
  const typename Rows::extents_type shape(std::array<int, 2>{2, 3});
  CHECK_ERROR(undefined, ("null data for 6 elements"),
              weft::view_of(Rows(nullptr, typename Rows::mapping_type(shape))));
}
