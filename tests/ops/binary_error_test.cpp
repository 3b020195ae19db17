// SPDX-License-Identifier: Apache-2.0
// What binary operations refuse, by which code and words, and that nothing has been written then.
#include <weft/ops/binary.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// Memory of which parts take part, and which must stay as it is.
class Data {
 public:
  explicit Data(std::int64_t size) : tensor_(Tensor::empty({size}, ScalarType::f32)) {
    for (std::int64_t i = 0; i < size; ++i)
      values()[i] = static_cast<float>(i);
  }
  float* values() const { return static_cast<float*>(tensor_.data()); }
  TensorView view(weft::IntSpan shape, weft::IntSpan strides, std::int64_t offset = 0) const {
    return tensor_.as_strided(shape, strides, offset);
  }
  bool untouched() const {
    for (std::int64_t i = 0; i < tensor_.numel(); ++i) {
      if (values()[i] != static_cast<float>(i)) return false;
    }
    return true;
  }

 private:
  Tensor tensor_;
};

const Tensor ones = Tensor::full({100}, ScalarType::f32, 1);

}  // namespace

TEST_CASE("binary errors: shapes that do not broadcast", "[ops]") {
  const Tensor a = Tensor::zeros({2, 3}, ScalarType::f32);
  const Tensor b = Tensor::zeros({2, 4}, ScalarType::f32);
  const Tensor c = Tensor::zeros({3, 3}, ScalarType::f32);
  CHECK_ERROR(shape, ("add", "input 1", "[2, 3]", "[2, 4]", "axis 1", "3", "4"), weft::add(a, b));
  CHECK_ERROR(shape, ("mul", "input 1", "axis 0", "2", "3"), weft::mul(a, c));
  CHECK_ERROR(shape, ("axis 0"), weft::add(Tensor::zeros({0}, ScalarType::f32), a.select(0, 0)));
  const Data data(12);
  CHECK_ERROR(shape, ("input 1"), weft::add_out(data.view({2, 3}, {3, 1}), a, b));
  CHECK(data.untouched());
}

TEST_CASE("binary errors: undefined operands", "[ops]") {
  const TensorView undefined;
  CHECK_ERROR(undefined, ("add", "input 0"), weft::add(undefined, ones));
  CHECK_ERROR(undefined, ("add", "input 1"), weft::add(ones, undefined));
  Tensor out;
  CHECK_ERROR(undefined, ("sub", "input 1"), weft::sub_out(out, ones, undefined));
  CHECK(!out.defined());
}

TEST_CASE("binary errors: subtraction of bools", "[ops]") {
  const auto flags = Tensor::of<bool>({2}, {true, false});
  CHECK_ERROR(dtype, ("sub", "bool"), weft::sub(flags, flags));
  CHECK_ERROR(dtype, ("sub", "bool"), weft::sub(flags, true));
  const Tensor out = Tensor::full({2}, ScalarType::f32, 7);
  CHECK_ERROR(dtype, ("sub", "bool"), weft::sub_out(out, flags, flags));
  CHECK(out.at<float>({0}) == 7);
  CHECK(weft::sub(flags, 1).dtype() == ScalarType::i64);
}

TEST_CASE("binary errors: an output that is partly an input", "[ops]") {
  const Data data(100);
  const auto add = [&](const TensorView& out, const TensorView& in) {
    weft::add_out(out, in, ones.as_strided(in.shape(), test::Dims(in.shape().size(), 0)));
  };
  // d[0:n] with d[1:n+1], both ways.
  CHECK_ERROR(overlap, ("add", "output 0", "input 0", "unsupported operation"),
              add(data.view({10}, {1}), data.view({10}, {1}, 1)));
  CHECK_ERROR(overlap, ("output 0", "input 0"), add(data.view({10}, {1}, 1), data.view({10}, {1})));
  // The same elements in another order.
  CHECK_ERROR(overlap, ("output 0", "input 0"),
              add(data.view({5, 5}, {5, 1}), data.view({5, 5}, {1, 5})));
  CHECK_ERROR(overlap, ("output 0", "input 0"),
              add(data.view({10}, {1}), data.view({10}, {-1}, 9)));
  // Slices of three dims that share some elements.
  CHECK_ERROR(overlap, ("output 0", "input 0"),
              add(data.view({2, 3, 4}, {20, 5, 1}, 1), data.view({2, 3, 4}, {20, 5, 1})));
  CHECK_ERROR(overlap, ("output 0", "input 0"),
              add(data.view({3, 4}, {12, 3}, 0), data.view({3, 4}, {12, 3}, 12)));
  // One element that all read, and one of which is written.
  CHECK_ERROR(overlap, ("output 0", "input 0"), add(data.view({10}, {1}), data.view({10}, {0}, 4)));
  CHECK(data.untouched());

  // Bytes, not elements, are what is shared.
  const auto halves =
      TensorView::within(data.view({10}, {1}).range(), data.values(), ScalarType::f16, {10}, {1});
  CHECK_ERROR(overlap, ("output 0", "input 0"), add(data.view({10}, {1}), halves));
  CHECK(data.untouched());
}

TEST_CASE("binary errors: the second input is looked at, too", "[ops]") {
  const Data data(100);
  CHECK_ERROR(overlap, ("output 0", "input 1"),
              weft::add_out(data.view({10}, {1}), ones.slice(0, 0, 10), data.view({10}, {1}, 3)));
  CHECK(data.untouched());
}

TEST_CASE("binary errors: an output that shares elements with itself", "[ops]") {
  const Data data(100);
  for (const TensorView& out : {data.view({10}, {0}), data.view({3, 4}, {1, 1}),
                                data.view({3, 4}, {2, 1}), data.view({2, 2, 2}, {3, 2, 1})}) {
    const Tensor in = Tensor::zeros(out.shape(), ScalarType::f32);
    CHECK_ERROR(overlap, ("output 0", "share memory"), weft::add_out(out, in, in));
  }
  CHECK(data.untouched());
}

TEST_CASE("binary: operands that lie between each other share nothing", "[ops]") {
  const Data data(100);
  weft::add_out(data.view({10}, {2}), data.view({10}, {2}, 1), ones.slice(0, 0, 10));
  weft::add_out(data.view({3, 4}, {8, 1}, 40), data.view({3, 4}, {8, 1}, 44), ones.slice(0, 0, 1));
  for (std::int64_t i = 0; i < 20; ++i) {
    CHECK(data.values()[i] == static_cast<float>(i % 2 == 0 ? i + 2 : i));
  }
  CHECK(data.values()[40] == 45);
  CHECK(data.values()[44] == 44);
  // An extent of 1 may have any stride.
  weft::add_out(data.view({1, 5}, {0, 1}, 80), ones.slice(0, 0, 5).unsqueeze(0), 1);
  CHECK(data.values()[84] == 2);
}
