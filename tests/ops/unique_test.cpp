// SPDX-License-Identifier: Apache-2.0
// unique and unique_all against std::stable_sort.
#include <weft/ops/copy.hpp>

#include "ops/sorted_lines.hpp"
#include "support/errors.hpp"

#include <limits>

namespace {

using test::Dense;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

bool same_number(long double a, long double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

struct Expected {
  std::vector<std::int64_t> indices, inverse, counts;
};

/// By the elements in C order.
Expected expected(const Dense& flat) {
  std::vector<const void*> in;
  const std::int64_t n = test::product(flat.shape);
  for (std::int64_t i = 0; i < n; ++i)
    in.push_back(flat.at(i));
  Expected result;
  result.inverse.resize(static_cast<std::size_t>(n));
  long double before = 0;
  for (const std::size_t i :
       test::naive_order(flat.type, in.size(), in.data(), weft::SortOrder::ascending)) {
    const long double x = test::number_at(flat.type, in[i]);
    if (result.indices.empty() || !same_number(x, before)) {
      result.indices.push_back(static_cast<std::int64_t>(i));
      result.counts.push_back(0);
    }
    before = x;
    ++result.counts.back();
    result.inverse[i] = static_cast<std::int64_t>(result.counts.size()) - 1;
  }
  return result;
}

/// A slice's elements in C order.
std::vector<long double> slice_of(const Dense& dense, std::size_t axis, std::int64_t at) {
  std::vector<long double> slice;
  std::int64_t flat = 0;
  test::for_each_index(dense.shape, [&](const test::Dims& place) {
    if (place[axis] == at) slice.push_back(test::number_at(dense.type, dense.at(flat)));
    ++flat;
  });
  return slice;
}

bool is_less(long double a, long double b) {
  return std::isnan(a) || std::isnan(b) ? !std::isnan(a) && std::isnan(b) : a < b;
}

/// By slices along an axis.
Expected expected_slices(const Dense& dense, std::size_t axis) {
  const auto n = static_cast<std::size_t>(dense.shape[axis]);
  std::vector<std::vector<long double>> slices;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n; ++i) {
    slices.push_back(slice_of(dense, axis, static_cast<std::int64_t>(i)));
    order.push_back(i);
  }
  const auto comes_before = [&](std::size_t i, std::size_t j) {
    return std::lexicographical_compare(slices[i].begin(), slices[i].end(), slices[j].begin(),
                                        slices[j].end(), is_less);
  };
  std::stable_sort(order.begin(), order.end(), comes_before);
  Expected result;
  result.inverse.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || comes_before(order[i - 1], order[i])) {
      result.indices.push_back(static_cast<std::int64_t>(order[i]));
      result.counts.push_back(0);
    }
    ++result.counts.back();
    result.inverse[order[i]] = static_cast<std::int64_t>(result.counts.size()) - 1;
  }
  return result;
}

std::vector<std::int64_t> numbers(const Tensor& tensor) {
  const auto* const data = tensor.data_as<const std::int64_t>();
  return {data, data + tensor.numel()};
}

}  // namespace

TEST_CASE("unique: all types, random layouts", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    for (int round = 0; round < test::rounds(30); ++round) {
      test::Dims shape = test::random_shape(random, 3, 9);
      if (round == 0) shape = {3000};
      const Memory memory = test::sortable(random, type, test::random_layout(random, shape));
      const Dense flat = test::dense_copy(memory.view());
      const Expected wanted = expected(flat);
      Dense values(type, {static_cast<std::int64_t>(wanted.indices.size())});
      for (std::size_t i = 0; i < wanted.indices.size(); ++i) {
        test::convert_element(type, values.at(static_cast<std::int64_t>(i)), type,
                              flat.at(wanted.indices[i]));
      }
      std::string text = test::difference(weft::unique(memory.view()), values);
      const weft::UniqueElements all = weft::unique_all(memory.view());
      text += test::difference(all.values, values);
      if (numbers(all.indices) != wanted.indices) text += "indices";
      if (numbers(all.inverse) != wanted.inverse) text += "inverse";
      if (numbers(all.counts) != wanted.counts) text += "counts";
      if (test::dims(all.inverse.shape()) != shape) text += "shape";
      tally.check(text.empty(),
                  [&](auto& out) { test::describe(out, memory.view()) << ": " << text; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("unique: outputs, and what it refuses", "[ops]") {
  const auto a = Tensor::of<float>({5}, {3, 1, 3, 2, 1});
  Tensor out = Tensor::zeros({3}, ScalarType::f64);
  const void* before = out.data();
  weft::unique_out(out, a);
  CHECK(out.data() == before);
  CHECK(test::difference(out, test::dense_copy(Tensor::of<double>({3}, {1, 2, 3}))) == "");
  Tensor x = a.clone();
  weft::unique_out(x, x);
  CHECK(test::difference(x, test::dense_copy(Tensor::of<float>({3}, {1, 2, 3}))) == "");
  const TensorView view = out;
  CHECK_ERROR(shape, ("unique", "output 0", "[3]"), weft::unique_out(view.slice(0, 0, 2), a));
  CHECK_ERROR(cast, ("unique", "f32", "i32"),
              weft::unique_out(Tensor::zeros({3}, ScalarType::i32), a));
  CHECK_ERROR(dtype, ("unique_all", "c128"),
              weft::unique_all(Tensor::zeros({2}, ScalarType::c128)));
  CHECK_ERROR(undefined, ("unique", "input 0"), weft::unique(TensorView()));
}

TEST_CASE("unique: slices of all types, random layouts", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    for (int round = 0; round < test::rounds(30); ++round) {
      test::Dims shape = test::random_shape(random, 3, random.chance(50) ? 2 : 6);
      if (shape.empty()) shape = {4};
      const std::int64_t axis = random.integer(0, std::ssize(shape) - 1);
      const auto along = static_cast<std::size_t>(axis);
      shape[along] = random.integer(0, 40);
      // Few different elements, so that slices are equal.
      const bool few = type == ScalarType::boolean || random.chance(70);
      const test::Layout layout = test::random_layout(random, shape);
      const Memory memory =
          few ? test::random_memory(random, ScalarType::boolean, layout, test::Values::small)
              : test::sortable(random, type, layout);
      const Tensor same = few ? weft::contiguous(memory.view(), type) : Tensor();
      const TensorView a = few ? TensorView(same) : memory.view();
      const Dense dense = test::dense_copy(a);
      const Expected wanted = expected_slices(dense, along);
      test::Dims left = shape;
      left[along] = std::ssize(wanted.indices);
      Dense values(type, left);
      std::int64_t flat = 0;
      test::for_each_index(left, [&](test::Dims place) {
        place[along] = wanted.indices[static_cast<std::size_t>(place[along])];
        test::convert_element(type, values.at(flat++), type, test::element_at(a, place));
      });
      const std::int64_t said = random.chance(50) ? axis : axis - std::ssize(shape);
      std::string text = test::difference(weft::unique(a, said), values);
      const weft::UniqueElements all = weft::unique_all(a, said);
      text += test::difference(all.values, values);
      if (numbers(all.indices) != wanted.indices) text += "indices";
      if (numbers(all.inverse) != wanted.inverse) text += "inverse";
      if (numbers(all.counts) != wanted.counts) text += "counts";
      const Memory out = test::random_output(random, type, left);
      const test::Watch watch(out);
      weft::unique_out(out.view(), a, said);
      text += test::difference(out.view(), values);
      if (!watch.gaps_untouched()) text += "wrote between elements";
      tally.check(text.empty(), [&](auto& to) {
        test::describe(to << "axis " << axis << " of ", a) << ": " << text;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("unique: NaNs and zeros in slices, and slices without elements", "[ops]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto a = Tensor::of<double>({5, 2}, {0.0, nan, 1, 2, -0.0, -nan, nan, 0, 1, -2});
  const weft::UniqueElements all = weft::unique_all(a, 0);
  CHECK(numbers(all.indices) == std::vector<std::int64_t>{0, 4, 1, 3});
  CHECK(numbers(all.inverse) == std::vector<std::int64_t>{0, 2, 0, 3, 1});
  CHECK(numbers(all.counts) == std::vector<std::int64_t>{2, 1, 1, 1});
  CHECK(!std::signbit(all.values.at<double>({0, 0})));
  const weft::UniqueElements none = weft::unique_all(Tensor::empty({3, 0}, ScalarType::f32), 0);
  CHECK(test::dims(none.values.shape()) == test::Dims{1, 0});
  CHECK(numbers(none.inverse) == std::vector<std::int64_t>{0, 0, 0});
  CHECK(numbers(none.counts) == std::vector<std::int64_t>{3});
  CHECK(test::dims(weft::unique(Tensor::empty({3, 0}, ScalarType::f32), 1).shape()) ==
        test::Dims{3, 0});
  CHECK(numbers(weft::unique(Tensor::of<std::int64_t>({}, {7}), 0)) ==
        std::vector<std::int64_t>{7});
}

TEST_CASE("unique: many slices, few and all of them different", "[ops]") {
  constexpr std::int64_t n = 5000;
  for (const std::int64_t different : {std::int64_t{1}, std::int64_t{3}, n}) {
    Tensor a = Tensor::empty({n, 2}, ScalarType::i32);
    for (std::int64_t i = 0; i < n; ++i) {
      a.data_as<std::int32_t>()[2 * i] = 1;
      a.data_as<std::int32_t>()[2 * i + 1] = static_cast<std::int32_t>(i % different);
    }
    const weft::UniqueElements all = weft::unique_all(a, 0);
    REQUIRE(all.values.extent(0) == different);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < different; ++i) {
      const std::int64_t count = n / different + (i < n % different ? 1 : 0);
      if (all.indices.at<std::int64_t>({i}) != i || all.counts.at<std::int64_t>({i}) != count)
        ++wrong;
    }
    for (std::int64_t i = 0; i < n; ++i)
      if (all.inverse.at<std::int64_t>({i}) != i % different) ++wrong;
    CHECK(wrong == 0);
  }
}

TEST_CASE("unique: outputs of slices, and what it refuses", "[ops]") {
  const auto a = Tensor::of<float>({2, 3}, {1, 2, 1, 4, 0, 4});
  Tensor x = a.clone();
  weft::unique_out(x, x, 1);
  CHECK(test::difference(x, test::dense_copy(Tensor::of<float>({2, 2}, {1, 2, 4, 0}))) == "");
  const Tensor wide = Tensor::zeros({2, 2}, ScalarType::f64);
  weft::unique_out(wide, a, -1);
  CHECK(test::difference(wide, test::dense_copy(Tensor::of<double>({2, 2}, {1, 2, 4, 0}))) == "");
  CHECK_ERROR(axis, ("unique", "2"), weft::unique(a, 2));
  CHECK_ERROR(shape, ("unique", "output 0", "[2, 2]"),
              weft::unique_out(static_cast<const TensorView&>(a.clone()), a, 1));
  CHECK_ERROR(cast, ("unique", "f32", "i32"),
              weft::unique_out(Tensor::zeros({2, 2}, ScalarType::i32), a, 1));
  CHECK_ERROR(overlap, ("unique"), weft::unique_out(TensorView(x), TensorView(x), 1));
  CHECK_ERROR(dtype, ("unique_all", "c128"),
              weft::unique_all(Tensor::zeros({2}, ScalarType::c128), 0));
  CHECK_ERROR(undefined, ("unique", "input 0"), weft::unique(TensorView(), 0));
  const Tensor many = Tensor::empty({std::int64_t{1} << 62, 0}, ScalarType::f32);
  CHECK_ERROR(limit, ("unique", "axis 0", "4611686018427387904"), weft::unique(many, 0));
}
