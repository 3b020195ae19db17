// SPDX-License-Identifier: Apache-2.0
// Dense operands of several types take no plan: the same bits as with one, which outputs with gaps
// take.
#include <weft/core/promotion.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/ternary.hpp>

#include "support/dense.hpp"

namespace {

using test::Memory;
using weft::Output;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// A function of two inputs; `where` has a condition of its own.
struct Function {
  const char* name;
  bool is_comparison;
  void (*out)(const Output& out, const TensorView& a, const TensorView& b);
};
const Function functions[] = {
    {"add", false,
     [](const Output& o, const TensorView& a, const TensorView& b) { weft::add_out(o, a, b); }},
    {"div", false,
     [](const Output& o, const TensorView& a, const TensorView& b) { weft::div_out(o, a, b); }},
    {"maximum", false,
     [](const Output& o, const TensorView& a, const TensorView& b) { weft::maximum_out(o, a, b); }},
    {"lt", true,
     [](const Output& o, const TensorView& a, const TensorView& b) { weft::lt_out(o, a, b); }},
    {"where", false,
     [](const Output& o, const TensorView& a, const TensorView& b) {
       const Tensor condition = Tensor::zeros(a.shape(), ScalarType::boolean);
       for (std::int64_t i = 0; i < condition.numel(); i += 3)
         condition.data_as<bool>()[i] = true;
       weft::where_out(o, condition, a, b);
     }},
};

/// False if the function is not for these types.
bool run(const Function& function, const TensorView& out, const TensorView& a,
         const TensorView& b) {
  try {
    function.out(out, a, b);
    return true;
  } catch (const weft::Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("mixed types: dense operands have the bits of others", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType left : test::all_types()) {
    for (const ScalarType right : test::all_types()) {
      const ScalarType common = weft::promote_types(left, right);
      for (const std::int64_t n : {1, 17, 300, 1025, 2500}) {
        if (n > 300 && random.integer(0, 5) != 0) continue;
        const Memory a = test::random_memory(random, left, test::fit({{n}, {1}}));
        const Memory b = test::random_memory(random, right, test::fit({{n}, {1}}));
        for (const Function& function : functions) {
          const ScalarType type = function.is_comparison ? ScalarType::boolean : common;
          const Tensor dense = Tensor::zeros({n}, type), gaps = Tensor::zeros({n, 2}, type);
          const TensorView strided = gaps.select(1, 0);
          const bool is_defined = run(function, strided, a.view(), b.view());
          const bool same = run(function, dense, a.view(), b.view()) == is_defined &&
                            test::difference(dense, test::dense_copy(strided)) == "";
          tally.check(same, [&](auto& to) {
            to << function.name << ' ' << weft::name(left) << ' ' << weft::name(right) << ' ' << n;
          });
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("mixed types: in place, and what is no operand of the kernel's", "[ops]") {
  const Tensor a = Tensor::of<float>({3}, {1, 2, 3});
  const Tensor b = Tensor::of<std::int32_t>({3}, {10, 20, 30});
  weft::add_out(a, a, b);
  CHECK((a.at<float>({0}) == 11 && a.at<float>({2}) == 33));
  // A condition is of bools: integers are refused as ever.
  const Tensor flags = Tensor::of<bool>({3}, {true, false, true});
  const Tensor chosen = Tensor::zeros({3}, ScalarType::boolean);
  CHECK_THROWS_AS(weft::where_out(chosen, b, flags, flags), weft::Error);
  // The same memory as other elements: of one size, element by element, or an error.
  const TensorView bits = TensorView::trusted(b.data(), ScalarType::f32, b.shape());
  try {
    weft::add_out(bits, a, b);
    CHECK((bits.at<float>({0}) == 21 && bits.at<float>({2}) == 63));
  } catch (const weft::Error&) {
    CHECK(b.at<std::int32_t>({2}) == 30);
  }
}
