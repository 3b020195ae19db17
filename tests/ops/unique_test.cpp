// SPDX-License-Identifier: Apache-2.0
// unique and unique_all against std::stable_sort.
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
