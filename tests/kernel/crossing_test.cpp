// SPDX-License-Identifier: Apache-2.0
// Operands of different orders and types, around the edges of tiles: what the plainest of loops
// gives, whatever the threads and the grain.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>

#include "kernel/mix.hpp"
#include "support/dense.hpp"
#include "support/threads.hpp"

namespace {

using test::Dims;
using test::Layout;
using test::Memory;
using test::Random;
using weft::ScalarType;
using weft::TensorIterator;

/// Element types of the operands. `common`: they pass through the inputs' common type.
struct Types {
  ScalarType out, a, b;
  bool common = false;
};

/// 3a + b in type C.
template <class C>
class Checker {
 public:
  explicit Checker(Random& random) : random_(random) {}

  void check(const Types& types, const Layout& out_layout, const Layout& a_layout,
             const Layout& b_layout) {
    const Memory out = test::random_memory(random_, types.out, out_layout);
    const Memory a = test::random_memory(random_, types.a, a_layout);
    const Memory b = test::random_memory(random_, types.b, b_layout);
    const weft::TensorView to = out.view();
    const weft::TensorView x = a.view();
    const weft::TensorView y = b.view();
    weft::TensorIteratorConfig config;
    config.add_output(to).add_input(x).add_input(y).resize_outputs(false);
    if (types.common) {
      config.promote_inputs_to_common_dtype(true).cast_common_dtype_to_outputs(true);
    } else {
      config.check_all_same_dtype(false);
    }
    const TensorIterator iter = config.build();
    const auto want =
        test::naive_map(types.out, out_layout.shape, {x, y}, [&](const auto* in, void* element) {
          const C value = test::mix(brought(iter.dtype(1), types.a, in[0]),
                                    brought(iter.dtype(2), types.b, in[1]));
          Element dtype;
          test::convert_element(iter.dtype(0), &dtype, weft::scalar_type_of<C>, &value);
          test::convert_element(types.out, element, iter.dtype(0), &dtype);
        });
    const std::vector<std::byte> start(out.data(), out.data() + out.size_bytes());
    std::vector<std::byte> first;
    const test::Watch watch(out);
    const auto run = [&](int threads, std::int64_t grain) {
      std::copy(start.begin(), start.end(), out.data());
      weft::cpu_kernel(
          iter, [](C p, C q) { return test::mix(p, q); }, grain);
      std::string wrong;
      if (first.empty()) {
        first.assign(out.data(), out.data() + out.size_bytes());
        wrong = test::difference(to, want);
        if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
      } else if (!std::equal(first.begin(), first.end(), out.data())) {
        wrong = "not what one thread gives";
      }
      tally_.check(wrong.empty(), [&](auto& text) {
        for (const weft::TensorView* view : {&to, &x, &y})
          test::describe(text, *view) << ", ";
        text << threads << " threads, grain " << grain << ": " << wrong;
      });
    };
    test::for_thread_counts([&](int threads) {
      for (const std::int64_t grain : {0, 1, 10'000})
        run(threads, grain);
    });
  }
  const test::Tally& tally() const { return tally_; }

 private:
  struct alignas(16) Element {
    unsigned char bytes[16];
  };

  /// An element of memory as the kernel sees it: by way of the operand's dtype.
  static C brought(ScalarType dtype, ScalarType storage, const void* element) {
    Element via;
    C value;
    test::convert_element(dtype, &via, storage, element);
    test::convert_element(weft::scalar_type_of<C>, &value, dtype, &via);
    return value;
  }

  Random& random_;
  test::Tally tally_;
};

/// An extent up to three beside a whole number of tiles or lines.
std::int64_t edge(Random& random, std::int64_t most) {
  std::int64_t whole = random.pick<std::int64_t>({32, 64, 128, 256});
  while (whole > most)
    whole /= 2;
  whole *= random.integer(1, std::max<std::int64_t>(1, most / whole));
  return std::max<std::int64_t>(1, whole + random.integer(-3, 3));
}

/// Rows x columns in one of the ways that an operand may lie; `broadcast`: may have less elements.
Layout lie(Random& random, std::int64_t rows, std::int64_t columns, bool across, bool broadcast) {
  const std::int64_t pad = random.chance(40) ? random.integer(1, 9) : 0;
  Dims strides = across ? Dims{1, rows + pad} : Dims{columns + pad, 1};
  for (std::int64_t& stride : strides) {
    if (random.chance(15)) stride = -stride;
  }
  if (broadcast && random.chance(15)) strides[static_cast<std::size_t>(random.integer(0, 1))] = 0;
  if (random.chance(10)) {
    for (std::int64_t& stride : strides)
      stride *= 2;
  }
  return test::fit({{rows, columns}, strides});
}

template <class C>
void check_planes(Random& random, const std::vector<Types>& all, int count) {
  Checker<C> checker(random);
  for (const Types& types : all) {
    for (int round = 0; round < test::rounds(count); ++round) {
      std::int64_t rows = edge(random, 600);
      std::int64_t columns = edge(random, std::max<std::int64_t>(32, 60'000 / rows));
      if (random.chance(50)) std::swap(rows, columns);
      // At least one across the others: the output, an input, or both inputs.
      const auto which = random.integer(1, 6);
      const Layout out = lie(random, rows, columns, (which & 1) != 0, false);
      const Layout a = lie(random, rows, columns, (which & 2) != 0, true);
      checker.check(types, out, a, lie(random, rows, columns, (which & 4) != 0, true));
    }
  }
  CHECK_TALLY(checker.tally());
}

}  // namespace

TEST_CASE("crossing: f32, and types that become it", "[kernel]") {
  WEFT_RANDOM(random);
  check_planes<float>(random,
                      {{ScalarType::f32, ScalarType::f32, ScalarType::f32},
                       {ScalarType::f64, ScalarType::i16, ScalarType::f32},
                       {ScalarType::f16, ScalarType::f32, ScalarType::u8},
                       {ScalarType::f32, ScalarType::bf16, ScalarType::f16}},
                      7);
}

TEST_CASE("crossing: by way of a common type", "[kernel]") {
  WEFT_RANDOM(random);
  check_planes<float>(random,
                      {{ScalarType::f32, ScalarType::i32, ScalarType::f16, true},
                       {ScalarType::f64, ScalarType::bf16, ScalarType::u8, true},
                       {ScalarType::c64, ScalarType::f16, ScalarType::f16, true}},
                      7);
}

TEST_CASE("crossing: elements of one byte", "[kernel]") {
  WEFT_RANDOM(random);
  check_planes<std::uint8_t>(random,
                             {{ScalarType::u8, ScalarType::u8, ScalarType::u8},
                              {ScalarType::i64, ScalarType::boolean, ScalarType::u8}},
                             7);
}

TEST_CASE("crossing: elements of 8 and 16 bytes", "[kernel]") {
  WEFT_RANDOM(random);
  check_planes<double>(random,
                       {{ScalarType::f64, ScalarType::f32, ScalarType::i32},
                        {ScalarType::f32, ScalarType::f64, ScalarType::f64}},
                       5);
  check_planes<std::complex<double>>(random,
                                     {{ScalarType::c128, ScalarType::c64, ScalarType::f64},
                                      {ScalarType::c64, ScalarType::c128, ScalarType::c128}},
                                     5);
}

TEST_CASE("crossing: four axes in any order", "[kernel]") {
  WEFT_RANDOM(random);
  Checker<float> checker(random);
  const std::vector<Types> all = {{ScalarType::f32, ScalarType::f32, ScalarType::f32},
                                  {ScalarType::f32, ScalarType::f64, ScalarType::f32},
                                  {ScalarType::f64, ScalarType::f32, ScalarType::i16},
                                  {ScalarType::f16, ScalarType::u8, ScalarType::f32}};
  for (int round = 0; round < test::rounds(40); ++round) {
    // Two extents at the edges of lines or tiles, two small ones, anywhere.
    Dims shape = {random.integer(1, 4), edge(random, 64), random.integer(2, 5), edge(random, 130)};
    Dims turned;
    for (const std::int64_t axis : random.permutation(4))
      turned.push_back(shape[static_cast<std::size_t>(axis)]);
    const Layout out = test::random_layout(random, turned, {.zero = false});
    const Layout a = test::random_layout(random, turned);
    const Layout b = test::random_layout(random, test::random_operand_shape(random, turned));
    checker.check(random.pick(all), out, a, b);
  }
  CHECK_TALLY(checker.tally());
}

TEST_CASE("crossing: few elements, by way of a common type", "[kernel]") {
  WEFT_RANDOM(random);
  Checker<float> checker(random);
  const Types all[] = {{ScalarType::f32, ScalarType::i32, ScalarType::f16, true},
                       {ScalarType::bf16, ScalarType::bf16, ScalarType::i64, true},
                       {ScalarType::f32, ScalarType::i32, ScalarType::f32, true}};
  for (std::int64_t n = 1; n < 700; n += n < 40 ? 1 : 31) {
    for (const Types& types : all) {
      const Layout dense = test::fit({{n}, {1}});
      const Layout value = test::fit({{n}, {0}});
      checker.check(types, dense, dense, dense);
      checker.check(types, dense, value, dense);
      checker.check(types, dense, dense, value);
    }
  }
  CHECK_TALLY(checker.tally());
}

TEST_CASE("crossing: few elements that lie anyhow", "[kernel]") {
  WEFT_RANDOM(random);
  Checker<float> checker(random);
  const std::vector<Types> all = {{ScalarType::f32, ScalarType::f32, ScalarType::f32},
                                  {ScalarType::f32, ScalarType::f64, ScalarType::u8},
                                  {ScalarType::f64, ScalarType::f32, ScalarType::f32},
                                  {ScalarType::f32, ScalarType::f16, ScalarType::i32, true}};
  for (int round = 0; round < test::rounds(400); ++round) {
    const Dims shape = test::random_shape(random, 5, random.pick<std::int64_t>({3, 9, 30}));
    const Layout out = test::random_layout(random, shape, {.zero = false});
    const Layout a = test::random_layout(random, test::random_operand_shape(random, shape));
    const Layout b = test::random_layout(random, test::random_operand_shape(random, shape));
    if (weft::numel(shape) <= 80) checker.check(random.pick(all), out, a, b);
  }
  CHECK_TALLY(checker.tally());
}
