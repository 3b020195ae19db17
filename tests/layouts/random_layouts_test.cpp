// SPDX-License-Identifier: Apache-2.0
// Operands of two to five dims that lie anyhow (permuted, with gaps, backwards, repeated, beside
// any alignment), in the caches and beyond: the same bytes as by the plainest of loops, gaps and
// all.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/naive_ops.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"

#include <complex>
#include <memory>
#include <sstream>

namespace {

using test::Binary;
using test::Dims;
using test::Random;
using weft::TensorView;

constexpr std::int64_t max_bytes = std::int64_t{512} << 20;

/// How many elements of so many bytes, all operands', a case has at least: in half of the cases as
/// many as the caches do not hold, and stores past them are thought of; otherwise less, of any
/// magnitude.
std::int64_t min_elements(Random& random, std::int64_t bytes) {
  const std::int64_t share = weft::cpu_info().last_level_share();
  const std::int64_t most = std::max<std::int64_t>(share / bytes + 1, 270000);
  return random.chance(50) ? most : std::max<std::int64_t>(most >> random.integer(1, 7), 5000);
}

/// Rounds of a test: more where caches are small, and time is not spent on memory.
int round_count() {
  const std::int64_t share = weft::cpu_info().last_level_share();
  return test::rounds(share <= (4 << 20) ? 12 : 2);
}

/// Two to five extents, some short, some around the sides of tiles, of at least `least` elements,
/// and few more.
Dims large_shape(Random& random, std::int64_t least) {
  const std::vector<std::int64_t> sides = {16, 31, 64, 100, 128, 130, 256, 300, 512, 1000};
  Dims shape(static_cast<std::size_t>(random.integer(1, 4)));
  std::int64_t elements = 1;
  for (std::int64_t& extent : shape) {
    extent = random.chance(40) ? random.integer(1, 9) : random.pick(sides);
    if (elements * extent > least / 2) extent = random.integer(1, 9);
    elements *= extent;
  }
  const std::int64_t last = (least + elements - 1) / elements;
  shape.insert(shape.begin() + random.integer(0, static_cast<std::int64_t>(shape.size())),
               last + random.integer(0, 2));
  return shape;
}

/// An operand's memory: strides in elements of any order and sign, with gaps, or 0 for an input.
test::Layout drawn(Random& random, const Dims& shape, bool is_output) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  Dims order = random.permutation(rank);
  if (random.chance(40)) {
    for (std::int64_t i = 0; i < rank; ++i)
      order[static_cast<std::size_t>(i)] = rank - 1 - i;
  }
  test::Layout layout{shape, Dims(shape.size(), 0)};
  std::int64_t step = random.chance(25) ? random.integer(2, 4) : 1;
  for (const std::int64_t axis : order) {
    const auto a = static_cast<std::size_t>(axis);
    if (!is_output && random.chance(12)) continue;
    layout.strides[a] = random.chance(12) ? -step : step;
    step *= shape[a];
    if (random.chance(20)) step += random.pick(Dims{1, 5, 16, 64});
    // Rows at a stride of a power of two, where that is not far more memory.
    if (random.chance(15)) {
      std::int64_t power = 1;
      while (power < step)
        power *= 2;
      if (power <= step + step / 2) step = power;
    }
  }
  return test::fit(layout);
}

/// The same in memory for a few times as many elements: gaps between short rows come to far more.
test::Layout anyhow(Random& random, const Dims& shape, bool is_output) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape)
    elements *= extent;
  for (;;) {
    const test::Layout layout = drawn(random, shape, is_output);
    if (layout.size <= 8 * elements) return layout;
  }
}

/// Memory for a layout of T that begins some bytes behind a line, and 128 bytes of gaps around it.
template <class T>
class Placed {
 public:
  Placed(Random& random, const test::Layout& layout)
      : layout_(layout), bytes_(layout.size * static_cast<std::int64_t>(sizeof(T))) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t off = random.chance(60)   ? 0
                             : random.chance(50) ? random.integer(0, 64 / size) * size
                                                 : random.integer(1, 63);
    memory_ = std::make_unique<char[]>(static_cast<std::size_t>(bytes_ + 128));
    const auto past = reinterpret_cast<std::uintptr_t>(memory_.get()) % 64;
    first_ = memory_.get() + (past == 0 ? 0 : 64 - past) + off;
    std::fill_n(memory_.get(), bytes_ + 128, gap);
  }

  /// Values that sums and products of two are exact of, and which differ from place to place.
  void fill(std::uint32_t seed) {
    for (std::int64_t i = 0; i < layout_.size; ++i) {
      std::uint32_t hash = static_cast<std::uint32_t>(i) * 2654435761u + seed;
      hash ^= hash >> 15;
      test::store(first_ + i * size(),
                  weft::cast<T>(static_cast<std::int32_t>(hash % 2001) - 1000));
    }
  }
  char* origin() const { return first_ + layout_.origin * size(); }
  const Dims& strides() const { return layout_.strides; }
  TensorView view() const {
    return TensorView::trusted(static_cast<void*>(origin()), weft::scalar_type_of<T>, layout_.shape,
                               layout_.strides);
  }
  std::vector<char> bytes() const { return {memory_.get(), memory_.get() + bytes_ + 128}; }
  void reset(const std::vector<char>& to) { std::copy(to.begin(), to.end(), memory_.get()); }
  /// Where the origin lies in what bytes() returns.
  std::int64_t origin_byte() const { return origin() - memory_.get(); }

 private:
  static constexpr char gap = 0x33;
  static constexpr std::int64_t size() { return static_cast<std::int64_t>(sizeof(T)); }

  test::Layout layout_;
  std::int64_t bytes_;
  std::unique_ptr<char[]> memory_;
  char* first_ = nullptr;
};

/// Calls f(offset of each operand) for every element, in elements, row-major.
template <std::size_t n, class F>
void for_each_place(const Dims& shape, const std::array<const Dims*, n>& strides, F&& f) {
  const std::size_t inner = shape.size() - 1;
  const Dims outer(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(inner));
  test::for_each_index(outer, [&](const Dims& index) {
    std::array<std::int64_t, n> at{};
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t axis = 0; axis < inner; ++axis)
        at[k] += index[axis] * (*strides[k])[axis];
    }
    for (std::int64_t i = 0; i < shape[inner]; ++i) {
      f(at);
      for (std::size_t k = 0; k < n; ++k)
        at[k] += (*strides[k])[inner];
    }
  });
}

std::string described(const char* what, const Dims& shape, std::initializer_list<TensorView> views,
                      int threads) {
  std::ostringstream out;
  const auto list = [&](const auto& dims) {
    const char* between = "";
    for (const std::int64_t d : dims) {
      out << between << d;
      between = ",";
    }
  };
  out << what << " of [";
  list(shape);
  out << "]";
  for (const TensorView& view : views) {
    out << ' ' << weft::name(view.dtype()) << '{';
    list(view.strides());
    out << "}+" << reinterpret_cast<std::uintptr_t>(view.data()) % 64;
  }
  out << ", " << threads << " threads";
  return out.str();
}

/// How a result is asked for.
enum class Form { function, kernel, raw_loop };

/// Runs `run`, on one thread or two, and compares all bytes of the output with those that `wanted`
/// has.
template <class T, class Run>
bool gives(Placed<T>& out, const std::vector<char>& before, const std::vector<char>& wanted,
           int threads, Run&& run) {
  out.reset(before);
  test::in_arena(2, [&] {
    const weft::ThreadLimit limit(threads);
    run();
  });
  return out.bytes() == wanted;
}

/// One round of out = element(a, b), which `run(out, a, b)` is to compute.
template <class Out, class A, class B, class Element, class Run>
void check_two_inputs(Random& random, test::Tally& tally, const char* what, Element&& element,
                      Run&& run) {
  const Dims shape = large_shape(random, min_elements(random, sizeof(Out) + sizeof(A) + sizeof(B)));
  Placed<Out> out(random, anyhow(random, shape, true));
  Placed<A> a(random, anyhow(random, shape, false));
  Placed<B> b(random, anyhow(random, shape, false));
  a.fill(1);
  b.fill(2);
  const std::vector<char> before = out.bytes();
  std::vector<char> wanted = before;
  for_each_place<3>(shape, {&out.strides(), &a.strides(), &b.strides()}, [&](const auto& at) {
    const A x = test::load<A>(a.origin() + at[1] * std::int64_t{sizeof(A)});
    const B y = test::load<B>(b.origin() + at[2] * std::int64_t{sizeof(B)});
    test::store<Out>(wanted.data() + out.origin_byte() + at[0] * std::int64_t{sizeof(Out)},
                     element(x, y));
  });
  const int threads = static_cast<int>(random.integer(1, 2));
  const bool right =
      gives(out, before, wanted, threads, [&] { run(out.view(), a.view(), b.view()); });
  tally.check(right, [&](auto& text) {
    text << described(what, shape, {out.view(), a.view(), b.view()}, threads);
  });
}

/// out = a + b or a * b, computed in type C.
template <class Out, class A, class B, class C>
void check_binary() {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < round_count(); ++round) {
    const Binary op = random.chance(50) ? Binary::add : Binary::mul;
    check_two_inputs<Out, A, B>(
        random, tally, op == Binary::add ? "add" : "mul",
        [op](A x, B y) {
          return weft::cast<Out>(test::binary_value<C>(op, weft::cast<C>(x), weft::cast<C>(y)));
        },
        [op](const TensorView& out, const TensorView& a, const TensorView& b) {
          op == Binary::add ? weft::add_out(out, a, b) : weft::mul_out(out, a, b);
        });
  }
  CHECK_TALLY(tally);
}

/// to = from, converted: by copy_out, by a kernel of a lambda, or by a raw loop.
template <class To, class From>
void check_copy() {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < round_count(); ++round) {
    const Dims shape = large_shape(random, min_elements(random, sizeof(To) + sizeof(From)));
    Placed<To> to(random, anyhow(random, shape, true));
    Placed<From> from(random, anyhow(random, shape, false));
    from.fill(3);
    const std::vector<char> before = to.bytes();
    std::vector<char> wanted = before;
    for_each_place<2>(shape, {&to.strides(), &from.strides()}, [&](const auto& at) {
      test::store(
          wanted.data() + to.origin_byte() + at[0] * std::int64_t{sizeof(To)},
          weft::cast<To>(test::load<From>(from.origin() + at[1] * std::int64_t{sizeof(From)})));
    });
    const int threads = static_cast<int>(random.integer(1, 2));
    for (const Form form : {Form::function, Form::kernel, Form::raw_loop}) {
      const TensorView out = to.view(), in = from.view();
      const bool right = gives(to, before, wanted, threads, [&] {
        if (form == Form::function) return weft::copy_out(out, in);
        const weft::TensorIterator iter = weft::TensorIteratorConfig()
                                              .add_output(out)
                                              .add_input(in)
                                              .check_all_same_dtype(false)
                                              .resize_outputs(false)
                                              .build();
        if (form == Form::kernel)
          return weft::cpu_kernel(iter, [](From x) -> To { return weft::cast<To>(x); });
        iter.for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i)
            test::store(data[0] + i * strides[0],
                        weft::cast<To>(test::load<From>(data[1] + i * strides[1])));
        });
      });
      tally.check(right, [&](auto& text) {
        const char* name = form == Form::function ? "copy_out"
                           : form == Form::kernel ? "cpu_kernel"
                                                  : "for_each";
        text << described(name, shape, {out, in}, threads);
      });
    }
  }
  CHECK_TALLY(tally);
}

/// a = a + b or a * b.
template <class T>
void check_in_place() {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < round_count(); ++round) {
    const Dims shape = large_shape(random, min_elements(random, 2 * sizeof(T)));
    Placed<T> a(random, anyhow(random, shape, true));
    Placed<T> b(random, anyhow(random, shape, false));
    a.fill(4);
    b.fill(5);
    const Binary op = random.chance(50) ? Binary::add : Binary::mul;
    const std::vector<char> before = a.bytes();
    std::vector<char> wanted = before;
    for_each_place<2>(shape, {&a.strides(), &b.strides()}, [&](const auto& at) {
      char* const to = wanted.data() + a.origin_byte() + at[0] * std::int64_t{sizeof(T)};
      const T y = test::load<T>(b.origin() + at[1] * std::int64_t{sizeof(T)});
      test::store(to, test::binary_value<T>(op, test::load<T>(to), y));
    });
    const int threads = static_cast<int>(random.integer(1, 2));
    const bool right = gives(a, before, wanted, threads, [&] {
      op == Binary::add ? weft::add_out(a.view(), a.view(), b.view())
                        : weft::mul_out(a.view(), a.view(), b.view());
    });
    tally.check(right, [&](auto& text) {
      text << described(op == Binary::add ? "+=" : "*=", shape, {a.view(), b.view()}, threads);
    });
  }
  CHECK_TALLY(tally);
}

/// out = a > b.
template <class A, class B>
void check_greater() {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < round_count(); ++round) {
    check_two_inputs<bool, A, B>(
        random, tally, "gt", [](A x, B y) { return x > y; },
        [](const TensorView& out, const TensorView& a, const TensorView& b) {
          weft::gt_out(out, a, b);
        });
  }
  CHECK_TALLY(tally);
}

bool is_too_much() { return weft::cpu_info().last_level_share() > max_bytes / 4; }

}  // namespace

TEST_CASE("random layouts: sums and products of one type", "[layouts]") {
  if (is_too_much()) {
    WARN("the last-level cache is too large for this test");
    return;
  }
  check_binary<float, float, float, float>();
  check_binary<double, double, double, double>();
  check_binary<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>();
  check_binary<std::int16_t, std::int16_t, std::int16_t, std::int16_t>();
  check_binary<weft::bfloat16, weft::bfloat16, weft::bfloat16, weft::bfloat16>();
  using c64 = std::complex<float>;
  check_binary<c64, c64, c64, c64>();
}

TEST_CASE("random layouts: sums and products of several types", "[layouts]") {
  if (is_too_much()) return;
  check_binary<double, float, std::int32_t, float>();
  check_binary<float, std::int16_t, float, float>();
  check_binary<weft::float16, float, float, float>();
  check_binary<std::int64_t, std::uint8_t, std::int64_t, std::int64_t>();
}

TEST_CASE("random layouts: copies", "[layouts]") {
  if (is_too_much()) return;
  check_copy<std::uint8_t, std::uint8_t>();
  check_copy<std::int16_t, std::int16_t>();
  check_copy<float, float>();
  check_copy<double, double>();
  check_copy<std::complex<double>, std::complex<double>>();
}

TEST_CASE("random layouts: copies between types", "[layouts]") {
  if (is_too_much()) return;
  check_copy<weft::bfloat16, float>();
  check_copy<float, std::uint8_t>();
  check_copy<std::int32_t, double>();
}

TEST_CASE("random layouts: in place", "[layouts]") {
  if (is_too_much()) return;
  check_in_place<std::uint8_t>();
  check_in_place<float>();
  check_in_place<double>();
}

TEST_CASE("random layouts: comparisons", "[layouts]") {
  if (is_too_much()) return;
  check_greater<float, float>();
  check_greater<double, double>();
  check_greater<std::uint8_t, std::uint8_t>();
  check_greater<std::int32_t, std::int64_t>();
}
