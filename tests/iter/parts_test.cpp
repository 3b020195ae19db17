// SPDX-License-Identifier: Apache-2.0
// Restricting and cutting an iterator.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/visit.hpp"

#include <limits>

namespace {

using test::dims;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// Extents 4, 3, 2 from the inside, which do not merge.
TensorIterator three_dims() {
  const Tensor a = Tensor::zeros({2, 5, 7}, ScalarType::f32);
  const TensorView view = a.slice(1, 0, 3).slice(2, 0, 4);
  return TensorIteratorConfig().add_owned_input(Tensor::share(a.owner(), view)).build();
}

/// The walk restricted to part of the dims, as said by what each index is allowed to be.
std::vector<Dims> where(const TensorIterator& iter, const Dims& first, const Dims& last) {
  const std::vector<Dims> all = test::visited(iter);
  std::vector<Dims> kept;
  for (std::size_t flat = 0; flat < all.size(); ++flat) {
    std::size_t left = flat;
    bool inside = true;
    for (int d = 0; d < iter.ndim(); ++d) {
      const auto extent = static_cast<std::size_t>(iter.shape()[static_cast<std::size_t>(d)]);
      const auto index = static_cast<std::int64_t>(left % extent);
      left /= extent;
      const auto at = static_cast<std::size_t>(d);
      inside = inside && index >= first[at] && index <= last[at];
    }
    if (inside) kept.push_back(all[flat]);
  }
  return kept;
}

}  // namespace

TEST_CASE("parts: narrow visits that part of the dim", "[iter]") {
  const TensorIterator whole = three_dims();
  for (int dim = 0; dim < 3; ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    for (std::int64_t start = 0; start < whole.shape()[at]; ++start) {
      for (std::int64_t size = 1; start + size <= whole.shape()[at]; ++size) {
        CAPTURE(dim, start, size);
        TensorIterator part = whole;
        part.narrow(dim, start, size);
        Dims first = {0, 0, 0};
        Dims last = {3, 2, 1};
        first[at] = start;
        last[at] = start + size - 1;
        const std::vector<Dims> wanted = where(whole, first, last);
        CHECK(part.numel() == static_cast<std::int64_t>(wanted.size()));
        CHECK(test::visited(part) == wanted);
        if (size > 1) CHECK(part.view_offsets()[at] == start);
        if (size == 1) CHECK(part.ndim() < 3);
      }
    }
  }
}

TEST_CASE("parts: a reduction keeps its dims when narrowed to one", "[iter]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::f32);
  const Tensor out = Tensor::zeros({3, 1}, ScalarType::f32);
  TensorIterator iter = TensorIterator::reduce_op(out, a);
  REQUIRE(iter.ndim() == 2);
  iter.narrow(1, 2, 1);
  CHECK(iter.ndim() == 2);
  CHECK(dims(iter.view_offsets()) == Dims{0, 2});
  iter.narrow(0, 1, 2);
  iter.narrow(0, 1, 1);
  CHECK(dims(iter.view_offsets()) == Dims{2, 2});  // they add up
  CHECK(iter.numel() == 1);
}

TEST_CASE("parts: narrow refuses what is not there", "[iter]") {
  TensorIterator iter = three_dims();
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_ERROR(invalid_argument, ("dim 0", "extent 4"), iter.narrow(0, 0, 0));
  CHECK_ERROR(invalid_argument, ("dim 0", "extent 4"), iter.narrow(0, 2, 3));
  CHECK_ERROR(invalid_argument, ("dim 1"), iter.narrow(1, -1, 2));
  CHECK_ERROR(invalid_argument, ("dim 1"), iter.narrow(1, most, most));
  CHECK_ERROR(axis, ("dim 3", "3 dims"), iter.narrow(3, 0, 1));
  CHECK_ERROR(axis, ("dim -1"), iter.narrow(-1, 0, 1));
  CHECK(test::visited(iter) == test::visited(three_dims()));
}

TEST_CASE("parts: bind works on a narrowed iterator", "[iter]") {
  const Tensor a = Tensor::zeros({6}, ScalarType::f32);
  const Tensor b = Tensor::of<float>({6}, {0, 1, 2, 3, 4, 5});
  TensorIterator iter = TensorIteratorConfig().add_input(a).build();
  iter.narrow(0, 2, 3);
  iter.bind(0, b.data());
  CHECK(iter.data_ptr(0) == b.data_as<float>() + 2);
}

TEST_CASE("parts: select fixes all dims from one on", "[iter]") {
  const TensorIterator whole = three_dims();
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 2; ++j) {
      TensorIterator part = whole;
      part.select_all_keeping_dim(1, {i, j});
      CHECK(part.numel() == 4);
      CHECK(dims(part.shape()) == Dims{4, 1, 1});
      CHECK(test::visited(part) == where(whole, {0, i, j}, {3, i, j}));
    }
  }
  TensorIterator iter = whole;
  CHECK_ERROR(rank, ("1 to 2", "[0]"), iter.select_all_keeping_dim(1, {0}));
  CHECK_ERROR(rank, ("-1"), iter.select_all_keeping_dim(-1, {0, 0, 0, 0}));
  CHECK_ERROR(axis, ("index 3", "dim 1", "extent 3"), iter.select_all_keeping_dim(1, {3, 0}));
  CHECK_ERROR(axis, ("index -1", "dim 2"), iter.select_all_keeping_dim(1, {0, -1}));
  CHECK(test::visited(iter) == test::visited(whole));  // checked before anything is changed
  iter.select_all_keeping_dim(3, {});
  CHECK(iter.numel() == 24);
}

TEST_CASE("parts: split cuts in two halves, the first of them smaller", "[iter]") {
  for (int dim = 0; dim < 3; ++dim) {
    CAPTURE(dim);
    TensorIterator rest = three_dims();
    const std::int64_t extent = rest.shape()[static_cast<std::size_t>(dim)];
    const TensorIterator first = rest.split(dim);
    CHECK(first.numel() == 24 / extent * (extent / 2));
    CHECK(first.numel() + rest.numel() == 24);
    std::vector<Dims> both = test::visited(first);
    const std::vector<Dims> others = test::visited(rest);
    both.insert(both.end(), others.begin(), others.end());
    CHECK(test::sorted(both) == test::sorted(test::visited(three_dims())));
    for (const TensorIterator* part : {&first, static_cast<const TensorIterator*>(&rest)}) {
      CHECK(part->is_final_output());
      CHECK_FALSE(part->should_accumulate());
    }
  }
  TensorIterator one = three_dims();
  one.select_all_keeping_dim(2, {0});
  CHECK_ERROR(invalid_argument, ("split", "dim 2", "extent 1", "at least 2"), one.split(2));
  CHECK_ERROR(axis, ("dim 5"), one.split(5));
}

TEST_CASE("parts: a split through a reduced dim is to be accumulated", "[iter]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::f32);
  const Tensor out = Tensor::zeros({3, 1}, ScalarType::f32);
  TensorIterator rest = TensorIterator::reduce_op(out, a);
  const int reduced = rest.is_dim_reduced(0) ? 0 : 1;
  const TensorIterator kept = TensorIterator(rest).split(1 - reduced);
  CHECK(kept.is_final_output());
  CHECK_FALSE(kept.should_accumulate());
  const TensorIterator first = rest.split(reduced);
  CHECK_FALSE(first.is_final_output());
  CHECK_FALSE(first.should_accumulate());
  CHECK(rest.is_final_output());
  CHECK(rest.should_accumulate());
}

TEST_CASE("parts: the dim to split reaches furthest over all operands", "[iter]") {
  const TensorIterator iter = three_dims();  // reaches 12, 56 and 140 bytes
  CHECK(iter.get_dim_to_split() == 2);
  const Tensor a = Tensor::zeros({2, 8}, ScalarType::f32);
  const Tensor b = Tensor::zeros({2, 1}, ScalarType::f32);
  // Along dim 0: 28 bytes; along dim 1: 32.
  CHECK(TensorIteratorConfig().add_input(a).add_input(b).build().get_dim_to_split() == 1);
  const Tensor c = Tensor::zeros({1, 8}, ScalarType::f64);
  // Now 56 along dim 0.
  CHECK(TensorIteratorConfig()
            .add_input(a)
            .add_input(c)
            .check_all_same_dtype(false)
            .build()
            .get_dim_to_split() == 0);
  const Tensor point = Tensor::zeros({}, ScalarType::f32);
  CHECK_ERROR(shape, ("0-d"), TensorIteratorConfig().add_input(point).build().get_dim_to_split());
}

TEST_CASE("parts: pieces that 32 bits can index", "[iter]") {
  // Memory that is never touched, so that it need not exist.
  void* somewhere = reinterpret_cast<void*>(std::uintptr_t{1} << 40);
  const auto pieces = [&](const Dims& shape, const Dims& strides) {
    const TensorView view = TensorView::trusted(somewhere, ScalarType::u8, shape, strides);
    return TensorIteratorConfig().add_input(view).build().with_32bit_indexing();
  };
  const std::int64_t two_31 = std::int64_t{1} << 31;
  CHECK(pieces({4, 3}, {3, 1}).size() == 1);
  CHECK(pieces({two_31 - 1}, {1}).size() == 1);
  CHECK(pieces({two_31}, {1}).size() == 2);
  CHECK(pieces({2}, {two_31 - 2}).size() == 1);
  CHECK(pieces({2}, {two_31 - 1}).size() == 2);
  CHECK(pieces({2}, {-(two_31 - 1)}).size() == 2);  // by reach, not by the sum of the strides
  CHECK(pieces({0}, {1}).size() == 1);
  for (const Dims& shape : {Dims{3, two_31}, Dims{two_31, 3}, Dims{5, 7, two_31 / 4}}) {
    Dims strides = test::row_major(shape);
    strides[0] += 5;
    std::int64_t total = 0;
    std::int64_t last_end = 0;
    for (const TensorIterator& piece : pieces(shape, strides)) {
      CHECK(piece.can_use_32bit_indexing());
      CHECK(piece.numel() < two_31);
      total += piece.numel();
      // In order of address: each begins after the one before.
      const auto at = static_cast<char*>(piece.data_ptr(0)) - static_cast<char*>(somewhere);
      CHECK(at >= last_end);
      last_end = at + 1;
    }
    CHECK(total == test::product(shape));
  }
}
