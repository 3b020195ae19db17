// SPDX-License-Identifier: Apache-2.0
// Reductions of a few elements, which take a short cut past the plan: the same bits as by the plan,
// which an awkward output asks for, and on every level that promises the same order.
#include <weft/iter/config.hpp>

#include "kernels/reduce/reduce.hpp"
#include "support/levels.hpp"
#include "support/naive_ops.hpp"
#include "support/naive_reduce.hpp"

namespace {

using test::Dims;
using test::Memory;
using weft::ReduceOp;
using weft::ScalarType;
using weft::TensorIterator;
using weft::TensorView;

TensorIterator iterator(const TensorView& out, const TensorView& in, ReduceOp op) {
  weft::TensorIteratorConfig config;
  config.add_output(out).add_input(in).check_all_same_dtype(false).resize_outputs(false);
  config.is_reduction(true).enforce_linear_iteration(op == ReduceOp::argmax);
  return config.build();
}

/// A wider type that results of `type` can be converted to; there is none above c128.
ScalarType wider_type(ScalarType type) {
  return type == ScalarType::f64 || weft::is_complex(type) ? ScalarType::c128 : ScalarType::f64;
}

Memory dense(ScalarType type, const Dims& shape) {
  return Memory(type, test::fit({shape, test::row_major(shape)}));
}

/// An output for results of `type` that no short cut takes: of another type, or with gaps.
Memory awkward(ScalarType type, const Dims& shape) {
  if (type != ScalarType::c128) return dense(wider_type(type), shape);
  Dims strides = test::row_major(shape);
  for (std::int64_t& stride : strides)
    stride *= 2;
  return Memory(type, test::fit({shape, strides}));
}

/// Element by element, where that leaves no doubt: sums of small integers are exact.
test::Dense naive_result(ReduceOp op, const TensorView& in, ScalarType result,
                         const Dims& reduced) {
  return weft::dispatch_all_types(in.dtype(), [&]<class T>() {
    const Dims shape = test::dims(in.shape());
    if constexpr (!weft::is_complex_type<T> && !weft::is_half_type<T>) {
      if (op != ReduceOp::sum) {
        struct Best {
          T value{};
          std::int64_t index = -1;
        };
        const auto best = test::naive_reduce(
            shape, reduced, {in}, Best{}, [](Best& acc, const auto* elements, std::int64_t at) {
              const T x = test::load<T>(elements[0]);
              const bool better = x > acc.value || (test::is_nan(x) && !test::is_nan(acc.value));
              if (acc.index < 0 || better) acc = {x, at};
            });
        if (op == ReduceOp::amax)
          return test::projected<T>(reduced, best, [](const Best& b) { return b.value; });
        return test::projected<std::int64_t>(reduced, best, [](const Best& b) { return b.index; });
      }
    }
    test::Dense sums(result, reduced);
    const auto added = test::naive_reduce(
        shape, reduced, {in}, test::AnyElement{},
        [&](test::AnyElement& acc, const auto* elements, std::int64_t) {
          const test::AnyElement x = test::as_type(result, in.dtype(), elements[0]);
          test::naive_binary(test::Binary::add, result, acc.bytes, x.bytes, acc.bytes);
        });
    for (std::size_t i = 0; i < added.size(); ++i)
      std::memcpy(sums.at(static_cast<std::int64_t>(i)), added[i].bytes,
                  static_cast<std::size_t>(weft::element_size(result)));
    return sums;
  });
}

/// Takes over the signs of `got` where both are zero: which of two zeros is the larger, amax does
/// not say.
void accept_zeros(test::Dense& want, const test::Dense& got, std::int64_t n) {
  const std::int64_t size = weft::element_size(want.type);
  weft::dispatch_all_types(want.type, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (test::load<T>(want.at(i)) == 0 && test::load<T>(got.at(i)) == 0)
          std::memcpy(want.at(i), got.at(i), static_cast<std::size_t>(size));
      }
    }
  });
}

/// Values that round when they are added, so that every change of order shows.
void fill_unevenly(test::Random& random, const Memory& memory) {
  const ScalarType type = memory.view().dtype();
  const std::int64_t size = weft::element_size(type);
  for (std::int64_t i = 0; i < memory.layout().size; ++i) {
    const std::complex<double> value(std::ldexp(static_cast<double>(random.integer(-999, 999)) / 7,
                                                static_cast<int>(random.integer(-30, 30))),
                                     static_cast<double>(random.integer(-999, 999)) / 3);
    test::convert_element(type, memory.data() + i * size, ScalarType::c128, &value);
  }
}

struct Family {
  ReduceOp op;
  ScalarType type;
};
std::vector<Family> families() {
  std::vector<Family> list;
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::amax, ReduceOp::argmax}) {
    for (const ScalarType type : test::all_types()) {
      if (weft::reduce_kernel(op, type) == nullptr) continue;
      // Sums of halves are rounded once, which the plainest of loops cannot do.
      if (type == ScalarType::f16 || type == ScalarType::bf16) continue;
      // Only sums of the widest types show every change of order.
      const bool shows = op == ReduceOp::sum && wider_type(type) == ScalarType::c128;
      for (int times = shows ? 8 : 1; times > 0; --times)
        list.push_back({op, type});
    }
  }
  return list;
}

void check(test::Random& random, test::Tally& tally, const Dims& shape, unsigned axes,
           const Family& family, test::Values values) {
  const Memory in =
      test::random_memory(random, family.type, test::random_layout(random, shape), values);
  if (values == test::Values::any && family.op == ReduceOp::sum && random.chance(80))
    fill_unevenly(random, in);
  const Dims reduced = test::reduced_shape(shape, axes);
  const auto describe = [&](auto& out) -> auto& {
    test::describe(out, in.view());
    return out << " to " << weft::to_string(reduced) << ", op " << static_cast<int>(family.op)
               << ": ";
  };
  const weft::ReductionKernel& kernel = *weft::reduce_kernel(family.op, family.type);
  const ScalarType type = kernel.types[0];

  const Memory out = dense(type, reduced);
  const TensorIterator few = iterator(out.view(), in.view(), family.op);
  weft::run_reduction(few, kernel);
  const test::Dense got = test::dense_copy(out.view());
  if (values == test::Values::small || family.op != ReduceOp::sum) {
    test::Dense want = naive_result(family.op, in.view(), type, reduced);
    if (family.op == ReduceOp::amax) accept_zeros(want, got, test::product(reduced));
    const std::string wrong = test::difference(out.view(), want);
    tally.check(wrong.empty(), [&](auto& text) { describe(text) << wrong; });
  }

  const Memory planned = awkward(type, reduced);
  const TensorIterator general = iterator(planned.view(), in.view(), family.op);
  // Wider outputs may be cheaper to walk the other way, and that is another order of addition.
  if (test::perm_of(general) == test::perm_of(few)) {
    weft::run_reduction(general, kernel);
    test::Dense converted(planned.view().dtype(), reduced);
    for (std::int64_t i = 0; i < test::product(reduced); ++i)
      test::convert_element(converted.type, converted.at(i), type, got.at(i));
    const std::string wrong = test::difference(planned.view(), converted);
    tally.check(wrong.empty(), [&](auto& text) { describe(text) << "by the plan " << wrong; });
  }

  if (weft::best_level() != weft::Level::avx512) return;
  // Sums at the baseline have fewer lanes, and another order.
  test::Dense narrow = got;
  for (const weft::Level level : {weft::Level::avx2, weft::Level::avx512}) {
    weft::run_reduction(few, *weft::reduce_kernel.at(level)(family.op, family.type));
    if (level == weft::Level::avx2) narrow = test::dense_copy(out.view());
  }
  const std::string wrong = test::difference(out.view(), narrow);
  tally.check(wrong.empty(), [&](auto& text) { describe(text) << "avx512 " << wrong; });
}

}  // namespace

TEST_CASE("small reductions: every shape up to 9 x 9 x 9, over every set of axes", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<Family> all = families();
  for (int rank = 1; rank <= 3; ++rank) {
    test::for_each_index(Dims(static_cast<std::size_t>(rank), 9), [&](const Dims& index) {
      Dims shape = index;
      for (std::int64_t& extent : shape)
        ++extent;
      for (unsigned axes = 1; axes < 1u << rank; ++axes) {
        for (const test::Values values : {test::Values::small, test::Values::any})
          check(random, tally, shape, axes, random.pick(all), values);
      }
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("small reductions: two axes around the most that is taken", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<Family> all = families();
  for (const std::int64_t n : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 63, 64, 65, 128, 511}) {
    for (const std::int64_t most : {510, 511, 512, 513, 514, 1022, 1023, 1024, 1025, 1026}) {
      const std::int64_t m = std::max<std::int64_t>(most / n, 1);
      for (const Dims& shape : {Dims{n, m}, Dims{m, n}, Dims{m}}) {
        for (unsigned axes = 1; axes < 1u << shape.size(); ++axes) {
          for (int round = 0; round < test::rounds(4); ++round) {
            const auto values = round % 2 == 0 ? test::Values::small : test::Values::any;
            check(random, tally, shape, axes, random.pick(all), values);
          }
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("small reductions: few by many", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<Family> all = families();
  // Where columns are chosen, and where spans: by both extents.
  for (std::int64_t n = 1; n <= 20; ++n) {
    for (std::int64_t m = 10; m <= 80; ++m) {
      for (const Dims& shape : {Dims{n, m}, Dims{m, n}}) {
        for (const unsigned axes : {1u, 2u})
          check(random, tally, shape, axes, random.pick(all), test::Values::any);
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("small reductions: sums of negative zeros are the same in every row, on every level",
          "[kernels]") {
  test::Tally tally;
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64}) {
    for (std::int64_t n = 1; n <= 20; ++n) {
      const std::int64_t rows = 40, size = weft::element_size(type);
      const Memory in = dense(type, {rows, n});
      const std::complex<double> zero(-0.0, 0.0);
      for (std::int64_t i = 0; i < rows * n; ++i)
        test::convert_element(type, in.data() + i * size, ScalarType::c128, &zero);
      const Memory out = dense(type, {rows, 1});
      const TensorIterator iter = iterator(out.view(), in.view(), ReduceOp::sum);
      std::vector<std::byte> want;
      for (const weft::Level level : test::levels()) {
        weft::run_reduction(iter, *weft::reduce_kernel.at(level)(ReduceOp::sum, type));
        const auto* bytes = out.data();
        if (want.empty()) want.assign(bytes, bytes + size);
        for (std::int64_t r = 0; r < rows; ++r) {
          tally.check(std::equal(want.begin(), want.end(), bytes + r * size), [&](auto& text) {
            text << weft::name(type) << ", " << weft::name(level) << ", row " << r << " of " << n;
          });
        }
        if (level == weft::Level::baseline) want.clear();  // which adds in another order
      }
    }
  }
  CHECK_TALLY(tally);
}
