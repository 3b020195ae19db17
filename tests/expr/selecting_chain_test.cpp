// SPDX-License-Identifier: Apache-2.0
// Masked expressions that are stored as they are computed.
#include <weft/expr/expr.hpp>
#include <weft/expr/masked.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/masking.hpp>
#include <weft/ops/ternary.hpp>

#include "expr/copies.hpp"
#include "support/arena.hpp"
#include "support/dense.hpp"
#include "support/guarded.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <span>
#include <vector>

namespace {

using test::copied;
using test::difference;
using test::Dims;
using weft::Expr;
using weft::expr;
using weft::masked;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// Runs of what is selected and what is not, of about so many elements each; or one by one.
Tensor mask_in_runs(test::Random& random, const Dims& shape, std::int64_t length) {
  const Tensor mask = Tensor::zeros(shape, ScalarType::boolean);
  bool selected = random.chance(50);
  std::int64_t left = random.integer(1, 2 * length);
  for (std::int64_t i = 0; i < mask.numel(); ++i) {
    if (left-- == 0) {
      selected = !selected;
      left = random.integer(1, 2 * length);
    }
    static_cast<bool*>(mask.data())[i] = length > 0 ? selected : random.chance(50);
  }
  return mask;
}

/// An operand with the rows that programs take, or one that broadcasts: a row, a column, one value.
Tensor operand(test::Random& random, ScalarType type, const Dims& shape) {
  Dims own = shape;
  if (random.chance(25)) own.back() = 1;
  for (std::size_t a = 0; a + 1 < own.size(); ++a)
    if (random.chance(25)) own[a] = 1;
  return copied(test::random_memory(random, type, test::random_layout(random, own)).view());
}

/// One to five functions that programs have.
Expr formula(test::Random& random, const std::vector<TensorView>& operands) {
  const auto any = [&] { return expr(operands[random.integer(0, std::ssize(operands) - 1)]); };
  Expr e = any();
  for (std::int64_t left = random.integer(1, 5); left > 0; --left) {
    switch (random.integer(0, 6)) {
      case 0: e = weft::add(e, any()); break;
      case 1: e = weft::sub(any(), e); break;
      case 2: e = weft::mul(e, 0.5); break;
      case 3: e = weft::maximum(e, any()); break;
      case 4: e = weft::abs(weft::add(weft::mul(e, any()), e)); break;
      case 5: e = weft::where(weft::gt(e, any()), e, any()); break;
      default: e = weft::relu(e); break;
    }
  }
  return weft::add(e, any());
}

}  // namespace

TEST_CASE("selecting chains: the elements that evaluate() gives, and no others", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(150); ++round) {
    const ScalarType type = random.chance(70) ? ScalarType::f32 : ScalarType::f64;
    const Dims shape =
        round % 5 == 0   ? Dims{random.integer(1, 60000)}
        : round % 5 == 1 ? Dims{random.integer(1, 40), random.integer(1, 1500)}
        : round % 5 == 2 ? Dims{random.integer(1, 9), random.integer(1, 60), random.integer(1, 70)}
        : round % 5 == 3 ? Dims{random.integer(1, 400), random.integer(1, 20)}
                         : Dims{3, 2, random.integer(1, 30), random.integer(1, 300)};
    std::vector<Tensor> owners;
    for (std::int64_t k = random.integer(1, 4); k > 0; --k)
      owners.push_back(operand(random, type, shape));
    // Rows of the output may have gaps between them; it may be an operand.
    Dims padded = shape;
    padded.back() += random.chance(50) ? random.integer(0, 9) : 0;
    const Tensor memory =
        copied(test::random_memory(random, type, test::random_layout(random, padded)).view());
    const TensorView out = TensorView(memory).slice(-1, 0, shape.back());
    std::vector<TensorView> operands(owners.begin(), owners.end());
    if (random.chance(30)) operands.push_back(out);
    const Expr values = weft::add(formula(random, operands), Tensor::zeros(shape, type));
    const std::int64_t lengths[] = {0, 3, 1000, 9000};
    Tensor mask = mask_in_runs(random, shape, lengths[random.integer(0, 3)]);
    TensorView seen = mask;
    if (shape.size() == 2 && random.chance(20)) {
      mask = mask_in_runs(random, {shape[1], shape[0]}, 0);
      seen = TensorView(mask).transpose(0, 1);
    } else if (random.chance(20)) {
      mask = mask_in_runs(random, {shape.back()}, 2);
      seen = mask;
    }
    const Expr e = masked(values, random.chance(20) ? !!expr(seen) : expr(seen));
    const Tensor before = copied(memory);
    const Tensor want = copied(memory);
    const TensorView wanted = TensorView(want).slice(-1, 0, shape.back());
    weft::copy_out(wanted, weft::where(seen, weft::evaluate(values), copied(out)));
    test::for_thread_counts([&](int threads) {
      weft::copy_out(memory, before);
      weft::evaluate_out(out, e);
      const std::string wrong = difference(memory, want);
      tally.check(wrong.empty(), [&](auto& text) {
        text << e.text() << ", " << threads << " threads: " << wrong;
      });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("selecting chains: memory of what is left out may not even be there", "[expr]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(60); ++round) {
    const test::Guarded memory(8192);
    const std::int64_t n = random.integer(1, 900), selected = random.integer(0, n);
    const bool at_begin = random.chance(50);
    const auto check = [&]<class T>(T) {
      const Tensor mask = Tensor::zeros({n}, ScalarType::boolean);
      const Tensor a = Tensor::full({n}, weft::scalar_type_of<T>, 2);
      // The first elements are in the last memory there is, or the last ones in the first.
      T* const first = reinterpret_cast<T*>(memory.data());
      T* const end = first + memory.size_bytes() / std::int64_t{sizeof(T)};
      T* const at = at_begin ? first - (n - selected) : end - selected;
      for (std::int64_t i = 0; i < n; ++i) {
        const bool is_there = at_begin ? i >= n - selected : i < selected;
        static_cast<bool*>(mask.data())[i] = is_there && random.chance(80);
        if (is_there) at[i] = T(1);
      }
      weft::evaluate_out(TensorView(std::span(at, static_cast<std::size_t>(n)), {n}),
                         masked(weft::add(expr(a), 3.0), expr(mask)));
      bool right = true;
      for (std::int64_t i = 0; i < n; ++i) {
        const bool is_there = at_begin ? i >= n - selected : i < selected;
        if (is_there) right = right && at[i] == (static_cast<bool*>(mask.data())[i] ? T(5) : T(1));
      }
      CHECK(right);
    };
    check(float{});
    check(double{});
  }
}
