// SPDX-License-Identifier: Apache-2.0
// Operands that do not fit the last-level cache, outputs of which are written past the caches: the
// same elements as by the plainest of loops, and nothing between them.
#include <weft/iter/config.hpp>
#include <weft/kernel/detail/span_loop.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/registry.hpp>
#include <weft/ops/unary.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/naive_ops.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace {

using test::Binary;
using weft::ScalarType;
using weft::TensorView;

constexpr std::int64_t row_length = 1500;  // no multiple of a line, nor of a tile
constexpr std::int64_t most_bytes = 512 << 20;
constexpr std::int64_t least_elements = 1 << 18;

/// Rows so that `element_bytes` an element are more than the engine keeps in caches, and as many as
/// are worth thinking of stores past them, or 0 if that is too much for a test.
std::int64_t rows_for(std::int64_t element_bytes, std::int64_t columns = row_length) {
  const std::int64_t least = weft::cpu_info().last_level_share();
  if (least + (least >> 4) > most_bytes) return 0;
  const std::int64_t row_bytes = columns * element_bytes;
  return std::max({std::int64_t{180}, least / row_bytes + 2, least_elements / columns + 1});
}

/// How an operand of rows x columns lies in memory.
enum class Lie {
  dense,
  pitched,
  across,
  shifted,        // dense, a byte beside any alignment
  off_line,       // dense, an element behind a line
  pitched_lines,  // every row begins on a line
  conflicting,    // rows a power of two apart, a byte beside any alignment
  one_row,        // repeated down the rows
  one_column,     // repeated along them
  back,           // rows from their ends
  across_back,    // across, columns from their ends
};

/// One operand in memory of its own.
template <class T>
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t columns, Lie lie) : rows_(rows), columns_(columns) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t pitch = pitch_of(columns, lie);
    const bool is_across = lie == Lie::across || lie == Lie::across_back;
    stride_[0] = is_across ? 1 : lie == Lie::one_row ? 0 : pitch;
    stride_[1] = is_across ? rows : lie == Lie::one_column ? 0 : 1;
    if (lie == Lie::one_column) stride_[0] = 1;
    const bool odd = lie == Lie::shifted || lie == Lie::conflicting;
    const std::int64_t shift = odd ? 1 : lie == Lie::off_line ? size : 0;
    const std::int64_t last = (rows - 1) * stride_[0] + (columns - 1) * stride_[1];
    bytes_.resize(static_cast<std::size_t>((last + 1) * size + shift + 64), gap);
    const auto past = reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64;
    first_ = bytes_.data() + (past == 0 ? 0 : 64 - past) + shift;
    bytes_.resize(static_cast<std::size_t>(first_ - bytes_.data() + (last + 1) * size));
    if (lie == Lie::across_back) turn_round(stride_[0], rows);
    if (lie == Lie::back) turn_round(stride_[1], columns);
  }

  // Moved, the bytes stay where they are.
  Matrix(Matrix&&) = default;

  /// Whole numbers that tell their places apart.
  void fill(std::uint32_t seed) {
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) {
        std::uint32_t hash = static_cast<std::uint32_t>(i * 8191 + j) * 2654435761u + seed;
        hash ^= hash >> 15;
        test::store(at(i, j), weft::cast<T>(static_cast<std::int32_t>(hash % 2001) - 1000));
      }
    }
  }
  void clear() { std::fill(bytes_.begin(), bytes_.end(), gap); }

  char* at(std::int64_t i, std::int64_t j) const {
    return first_ + (i * stride_[0] + j * stride_[1]) * static_cast<std::int64_t>(sizeof(T));
  }
  T get(std::int64_t i, std::int64_t j) const { return test::load<T>(at(i, j)); }
  TensorView view() const {
    return TensorView::trusted(static_cast<void*>(first_), weft::scalar_type_of<T>,
                               {rows_, columns_}, {stride_[0], stride_[1]});
  }
  /// Empty if the elements are want(i, j) and no byte between rows has changed.
  template <class Want>
  std::string difference(Want&& want) const {
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) {
        const T wanted = want(i, j);
        if (std::memcmp(at(i, j), &wanted, sizeof(T)) == 0) continue;
        std::ostringstream out;
        test::print_element(out << i << ", " << j << " of " << rows_ << " x " << columns_ << " is ",
                            weft::scalar_type_of<T>, at(i, j));
        test::print_element(out << ", expected ", weft::scalar_type_of<T>, &wanted);
        return out.str();
      }
    }
    if (stride_[1] != 1) return "";
    for (std::int64_t i = 0; i + 1 < rows_; ++i) {
      if (!std::all_of(at(i, columns_), at(i + 1, 0), [](char c) { return c == gap; }))
        return "wrote behind row " + std::to_string(i);
    }
    return std::all_of(static_cast<const char*>(bytes_.data()), static_cast<const char*>(first_),
                       [](char c) { return c == gap; })
               ? ""
               : "wrote before the first row";
  }

 private:
  void turn_round(std::int64_t& stride, std::int64_t extent) {
    first_ += (extent - 1) * stride * static_cast<std::int64_t>(sizeof(T));
    stride = -stride;
  }
  static std::int64_t pitch_of(std::int64_t columns, Lie lie) {
    switch (lie) {
      case Lie::pitched: return columns + 5;
      case Lie::pitched_lines: return (columns + 63) / 64 * 64 + 64;
      case Lie::conflicting:
        return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(columns)));
      default: return columns;
    }
  }

  static constexpr char gap = 0x33;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t stride_[2];
  std::vector<char> bytes_;
  char* first_ = nullptr;
};

/// Calls f(threads) for one and for two.
template <class F>
void one_and_two_threads(F&& f) {
  test::in_arena(2, [&] {
    for (const int threads : {1, 2}) {
      const weft::ThreadLimit limit(threads);
      f(threads);
    }
  });
}

void run(Binary op, const TensorView& out, const TensorView& a, const TensorView& b) {
  op == Binary::add ? weft::add_out(out, a, b) : weft::mul_out(out, a, b);
}

struct Case {
  Binary op;
  Lie out, a, b;
};

/// The operation on all elements, computed in type C.
template <class Out, class A, class B, class C>
void check_binary(const std::vector<Case>& cases, std::int64_t columns = row_length) {
  const std::int64_t rows = rows_for(sizeof(Out) + sizeof(A) + sizeof(B), columns);
  if (rows == 0) {
    WARN("the last-level cache is too large for this test");
    return;
  }
  test::Tally tally;
  for (const Case& c : cases) {
    Matrix<Out> out(rows, columns, c.out);
    Matrix<A> a(rows, columns, c.a);
    Matrix<B> b(rows, columns, c.b);
    a.fill(1);
    b.fill(2);
    one_and_two_threads([&](int threads) {
      out.clear();
      run(c.op, out.view(), a.view(), b.view());
      const std::string wrong = out.difference([&](std::int64_t i, std::int64_t j) {
        return weft::cast<Out>(
            test::binary_value<C>(c.op, weft::cast<C>(a.get(i, j)), weft::cast<C>(b.get(i, j))));
      });
      tally.check(wrong.empty(), [&](auto& text) {
        text << (c.op == Binary::add ? "add" : "mul") << ", layouts " << static_cast<int>(c.out)
             << ' ' << static_cast<int>(c.a) << ' ' << static_cast<int>(c.b) << ", " << threads
             << " threads: " << wrong;
      });
    });
  }
  CHECK_TALLY(tally);
}

template <class To, class From>
void check_copy(const std::vector<std::pair<Lie, Lie>>& cases, std::int64_t columns = row_length) {
  const std::int64_t rows = rows_for(sizeof(To) + sizeof(From), columns);
  if (rows == 0) return;
  test::Tally tally;
  for (const std::pair<Lie, Lie>& c : cases) {
    const Lie to_lie = c.first;
    const Lie from_lie = c.second;
    Matrix<To> to(rows, columns, to_lie);
    Matrix<From> from(rows, columns, from_lie);
    from.fill(3);
    one_and_two_threads([&](int threads) {
      to.clear();
      weft::copy_out(to.view(), from.view());
      const std::string wrong = to.difference(
          [&](std::int64_t i, std::int64_t j) { return weft::cast<To>(from.get(i, j)); });
      tally.check(wrong.empty(), [&](auto& text) {
        text << "layouts " << static_cast<int>(to_lie) << ' ' << static_cast<int>(from_lie) << ", "
             << threads << " threads: " << wrong;
      });
    });
  }
  CHECK_TALLY(tally);
}

using enum Lie;
using c64 = std::complex<float>;
using weft::bfloat16;
using weft::float16;

}  // namespace

TEST_CASE("streamed: that is what happens to operands of this size", "[layouts]") {
  const std::int64_t rows = rows_for(12);
  if (rows == 0) return;
  const Matrix<float> in(rows, row_length, dense);
  const TensorView a = in.view();
  for (const Lie lie : {dense, pitched, shifted}) {
    const Matrix<float> to(rows, row_length, lie);
    const TensorView out = to.view();
    weft::TensorIteratorConfig config;
    config.add_output(out).add_input(a).add_input(a).resize_outputs(false);
    const weft::Explanation e = weft::explain_run(config.build());
    CHECK(e.operands[0].access == "streamed");
  }
}

TEST_CASE("streamed: by the kernel itself, if it can and elements begin on lines", "[layouts]") {
  const auto access = [](Lie lie, std::int64_t columns, const auto& op) {
    const std::int64_t rows = rows_for(12, columns);
    if (rows == 0) return std::string("direct, streamed");
    const Matrix<float> in(rows, columns, dense), to(rows, columns, lie);
    const TensorView a = in.view(), out = to.view();
    weft::TensorIteratorConfig config;
    config.add_output(out).add_input(a).add_input(a).resize_outputs(false);
    return weft::explain_run(config.build(), weft::typed_span_kernel(op)).operands[0].access;
  };
  const auto sum = [](float x, float y) { return x + y; };
  for (const Lie lie : {dense, pitched, off_line, pitched_lines})
    CHECK(access(lie, row_length, sum) == "direct, streamed");
  CHECK(access(shifted, row_length, sum) == "streamed");
  CHECK(access(pitched_lines, 256, sum) == "direct, streamed");
  const auto wide_sum = [](double x, double y) { return x + y; };
  CHECK(access(dense, row_length, wide_sum) == "streamed: cast");
}

TEST_CASE("streamed: functions of one operand", "[layouts]") {
  const std::int64_t rows = rows_for(4);
  if (rows == 0) return;
  for (const Lie to_lie : {dense, pitched, across}) {
    for (const Lie from_lie : {dense, pitched, one_column, one_row, back}) {
      Matrix<float> to(rows, row_length, to_lie), from(rows, row_length, from_lie);
      from.fill(4);
      one_and_two_threads([&](int threads) {
        to.clear();
        weft::neg_out(to.view(), from.view());
        const std::string wrong =
            to.difference([&](std::int64_t i, std::int64_t j) { return -from.get(i, j); });
        INFO("layouts " << static_cast<int>(to_lie) << ' ' << static_cast<int>(from_lie) << ", "
                        << threads << " threads");
        CHECK(wrong == "");
      });
    }
  }
}

TEST_CASE("streamed: operands across each other are asked for ahead", "[layouts]") {
  const std::int64_t rows = rows_for(12);
  if (rows == 0 || weft::cpu_info().has_far_last_level()) return;
  const auto access = [](const TensorView& out, std::initializer_list<TensorView> inputs) {
    weft::TensorIteratorConfig config;
    config.add_output(out).resize_outputs(false);
    for (const TensorView& input : inputs)
      config.add_input(input);
    std::string all;
    for (const weft::Explanation::Operand& op : weft::explain_run(config.build()).operands)
      all += op.access + "; ";
    return all;
  };
  const Matrix<float> to(rows, row_length, pitched_lines), in(rows, row_length, dense);
  const Matrix<float> turned(rows, row_length, across);
  const TensorView out = to.view(), a = in.view(), t = turned.view();
  CHECK(access(out, {t, a}) == "streamed; staged: transposed, prefetched; direct, prefetched; ");
  CHECK(access(out, {a, a}) == "streamed; direct; direct; ");
  CHECK(access(t, {a, a, a}).starts_with("staged: transposed, streamed; direct, prefetched; "));
}

TEST_CASE("streamed: f32, in all layouts", "[layouts]") {
  check_binary<float, float, float, float>({{Binary::add, dense, dense, dense},
                                            {Binary::mul, pitched, dense, pitched},
                                            {Binary::add, across, dense, dense},
                                            {Binary::add, shifted, shifted, dense},
                                            {Binary::add, off_line, pitched, one_row},
                                            {Binary::mul, pitched_lines, one_column, dense},
                                            {Binary::add, dense, across, dense},
                                            {Binary::add, pitched, across, across},
                                            {Binary::mul, conflicting, dense, across},
                                            {Binary::add, dense, across_back, dense},
                                            {Binary::add, pitched_lines, across, one_row},
                                            {Binary::mul, across, across_back, dense},
                                            {Binary::add, across_back, back, across}});
}

TEST_CASE("streamed: other types", "[layouts]") {
  check_binary<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>(
      {{Binary::add, pitched, dense, dense},
       {Binary::mul, shifted, dense, across},
       {Binary::add, across, dense, across_back}});
  check_binary<float16, float16, float16, float16>(
      {{Binary::add, dense, dense, pitched}, {Binary::mul, shifted, dense, one_row}});
  check_binary<double, double, double, double>(
      {{Binary::add, off_line, dense, dense}, {Binary::mul, pitched, one_column, dense}});
  check_binary<c64, c64, c64, c64>({{Binary::mul, shifted, dense, pitched}});
}

TEST_CASE("streamed: short rows", "[layouts]") {
  const std::int64_t rows = rows_for(12, 100);
  if (rows == 0) return;
  const Matrix<float> in(rows, 100, pitched);
  const TensorView a = in.view();
  for (const Lie lie : {dense, off_line}) {  // several rows at a time make whole lines, or never
    const Matrix<float> to(rows, 100, lie);
    const TensorView out = to.view();
    weft::TensorIteratorConfig config;
    config.add_output(out).add_input(a).add_input(a).resize_outputs(false);
    const weft::Explanation e = weft::explain_run(config.build());
    CHECK(e.operands[0].access == (lie == dense ? "streamed" : "direct"));
  }
  check_binary<float, float, float, float>(
      {{Binary::add, dense, dense, one_column}, {Binary::mul, off_line, dense, one_row}}, 17);
  check_binary<float, float, float, float>(
      {{Binary::add, dense, pitched, one_row}, {Binary::mul, pitched_lines, dense, dense}}, 300);
  check_binary<std::int64_t, std::int64_t, std::int64_t, std::int64_t>(
      {{Binary::add, dense, one_column, dense}}, 93);
  check_binary<float16, float16, float16, float16>({{Binary::mul, dense, dense, one_row}}, 200);
  check_binary<double, float, std::int32_t, float>({{Binary::add, dense, dense, pitched}}, 139);
}

TEST_CASE("streamed: rows of a KiB and more by the kernel itself", "[layouts]") {
  for (const std::int64_t columns : {128, 129, 201, 255}) {
    check_binary<double, double, double, double>({{Binary::add, dense, dense, one_row},
                                                  {Binary::mul, off_line, pitched, dense},
                                                  {Binary::add, pitched, pitched, one_column}},
                                                 columns);
  }
  check_binary<float16, float16, float16, float16>(
      {{Binary::mul, dense, pitched, one_row}, {Binary::add, off_line, pitched, pitched}}, 700);
}

TEST_CASE("streamed: rows that are packed in pieces, and too short to be streamed", "[layouts]") {
  for (const std::int64_t columns : {512, 706, 1023}) {
    check_binary<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>(
        {{Binary::add, dense, back, dense}, {Binary::mul, pitched, back, back}}, columns);
    check_binary<std::int16_t, std::uint8_t, std::int16_t, std::int16_t>(
        {{Binary::add, dense, back, dense}, {Binary::mul, pitched, dense, back}}, columns);
  }
}

TEST_CASE("streamed: short rows of operands across each other", "[layouts]") {
  for (const std::int64_t columns : {64, 100, 130, 256, 300, 500}) {
    check_binary<float, float, float, float>({{Binary::add, dense, across, dense},
                                              {Binary::mul, pitched, across_back, one_row},
                                              {Binary::add, across, dense, across}},
                                             columns);
  }
  check_binary<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>(
      {{Binary::add, pitched, across, dense}}, 80);
  check_binary<double, float, std::int32_t, float>({{Binary::add, off_line, across, dense}}, 90);
}

TEST_CASE("streamed: converted on the way", "[layouts]") {
  check_binary<double, float, std::int32_t, float>(
      {{Binary::add, dense, dense, dense}, {Binary::mul, shifted, pitched, one_row}});
  check_binary<float, std::int32_t, float, float>(
      {{Binary::add, pitched, dense, dense}, {Binary::add, off_line, one_column, dense}});
  check_binary<float16, float, float, float>(
      {{Binary::add, dense, dense, dense}, {Binary::mul, pitched, dense, one_column}});
  check_binary<std::int16_t, std::uint8_t, std::int16_t, std::int16_t>(
      {{Binary::add, shifted, dense, dense}});
  check_binary<c64, float16, float, float>({{Binary::mul, pitched, dense, pitched}});
}

TEST_CASE("streamed: converted, of operands across each other", "[layouts]") {
  check_binary<float16, float, float, float>(
      {{Binary::add, dense, dense, across}, {Binary::add, across, dense, dense}});
  check_binary<double, float, std::int32_t, float>(
      {{Binary::add, dense, across, dense}, {Binary::add, across_back, across, dense}});
  check_binary<c64, std::uint8_t, std::uint8_t, std::uint8_t>(
      {{Binary::add, pitched, dense, across}});
}

TEST_CASE("streamed: copies", "[layouts]") {
  check_copy<float, float>({{dense, dense},
                            {pitched, dense},
                            {shifted, dense},
                            {dense, across},
                            {across, dense},
                            {pitched_lines, across},
                            {shifted, across},
                            {conflicting, across},
                            {across, conflicting},
                            {pitched, one_row},
                            {dense, one_column},
                            {dense, back},
                            {dense, across_back},
                            {across_back, pitched},
                            {back, across}});
  check_copy<std::uint8_t, std::uint8_t>({{pitched, dense}, {dense, across}});
  check_copy<std::complex<double>, std::complex<double>>(
      {{shifted, pitched}, {conflicting, across}});
}

TEST_CASE("streamed: copies of short rows are joined", "[layouts]") {
  const auto access = [](std::int64_t columns, Lie lie) {
    const std::int64_t rows = rows_for(8, columns);
    if (rows == 0) return std::string("rows joined in a buffer, streamed");
    const Matrix<float> in(rows, columns, pitched), to(rows, columns, lie);
    const TensorView output = to.view(), input = in.view();
    weft::OpArguments args;
    args.outputs = {&output, 1};
    args.inputs = {&input, 1};
    return weft::find_op("copy", args).explain(args).operands[0].access;
  };
  CHECK(access(33, dense) == "rows joined in a buffer, streamed");
  CHECK(access(33, off_line) == "rows joined in a buffer, streamed");
  CHECK(access(33, pitched) == "direct, by rows");
  CHECK(access(80, dense) == "direct, by rows, streamed");
  for (const std::int64_t columns : {3, 17, 33, 79})
    check_copy<float, float>({{dense, pitched}, {off_line, pitched}, {shifted, pitched}}, columns);
  check_copy<std::uint8_t, std::uint8_t>({{dense, pitched}, {shifted, pitched}}, 101);
  check_copy<float16, float16>({{dense, conflicting}}, 65);
  check_copy<double, double>({{off_line, pitched}, {dense, pitched_lines}}, 13);
  check_copy<std::complex<double>, std::complex<double>>({{dense, pitched}, {shifted, pitched}}, 9);
}

TEST_CASE("streamed: copies of few columns", "[layouts]") {
  check_copy<float, float>({{across, dense}, {dense, across}, {across, pitched}}, 3);
  check_copy<std::uint8_t, std::uint8_t>({{across, dense}, {dense, across}}, 13);
  check_copy<std::uint64_t, std::uint64_t>({{across, pitched}, {shifted, across}}, 7);
}

TEST_CASE("streamed: copies between types", "[layouts]") {
  check_copy<float16, float>({{dense, dense}, {pitched, across}});
  check_copy<double, std::int16_t>({{shifted, pitched}, {across, dense}});
  check_copy<std::int32_t, float>({{off_line, dense}});
  check_copy<bfloat16, float16>({{pitched, pitched}});
}

TEST_CASE("streamed: four dims, in the opposite order", "[layouts]") {
  // Rows of a tile are two dims; the last tiles along each are smaller than the others. Where the
  // output has a pitch, they are one.
  const std::int64_t least = weft::cpu_info().last_level_share();
  if (least + (least >> 4) > most_bytes) return;
  constexpr std::int64_t e0 = 100, e2 = 7;
  for (const std::int64_t e3 : {90, 128, 200}) {
    const std::int64_t e1 = std::max(
        {std::int64_t{33}, least / (8 * e0 * e2 * e3) + 1, least_elements / (e0 * e2 * e3) + 1});
    const std::int64_t n = e0 * e1 * e2 * e3;
    std::vector<float> a(static_cast<std::size_t>(n)), b(a.size());
    const weft::Tensor memory = weft::Tensor::empty({2 * n}, ScalarType::f32);  // begins on a line
    const std::span<float> out(memory.data_as<float>(), static_cast<std::size_t>(2 * n));
    for (std::int64_t i = 0; i < n; ++i) {
      a[static_cast<std::size_t>(i)] = static_cast<float>(i % 8191);
      b[static_cast<std::size_t>(i)] = static_cast<float>(i % 127);
    }
    test::Tally tally;
    for (const bool back : {false, true}) {
      for (const std::int64_t pitch : {e3, e3 + 64}) {
        if (back && pitch != e3) continue;
        // a[i0, i1, i2, i3] lies at ((i3 * e2 + i2) * e1 + i1) * e0 + i0, or with i0 from its end.
        const TensorView across = TensorView::trusted(
            static_cast<const void*>(a.data() + (back ? e0 - 1 : 0)), ScalarType::f32,
            {e0, e1, e2, e3}, {back ? -1 : 1, e0, e0 * e1, e0 * e1 * e2});
        const TensorView dense_b(std::span<const float>(b), {e0, e1, e2, e3});
        const TensorView to(out, {e0, e1, e2, e3}, {e1 * e2 * pitch, e2 * pitch, pitch, 1});
        one_and_two_threads([&](int threads) {
          for (const bool sum : {true, false}) {
            std::fill(out.begin(), out.end(), -1.f);
            sum ? weft::add_out(to, across, dense_b) : weft::copy_out(to, across);
            std::int64_t wrong = 0, i = 0;
            for (std::int64_t i0 = 0; i0 < e0; ++i0)
              for (std::int64_t i1 = 0; i1 < e1; ++i1)
                for (std::int64_t i2 = 0; i2 < e2; ++i2)
                  for (std::int64_t i3 = 0; i3 < e3; ++i3, ++i) {
                    const std::int64_t at =
                        ((i3 * e2 + i2) * e1 + i1) * e0 + (back ? e0 - 1 - i0 : i0);
                    const float want = a[static_cast<std::size_t>(at)] +
                                       (sum ? b[static_cast<std::size_t>(i)] : 0.f);
                    wrong += out[static_cast<std::size_t>(i / e3 * pitch + i3)] != want ? 1 : 0;
                  }
            tally.check(wrong == 0, [&](auto& text) {
              text << (sum ? "add, " : "copy, ") << (back ? "backwards, " : "") << threads
                   << " threads: " << wrong << " wrong";
            });
          }
        });
      }
    }
    CHECK_TALLY(tally);
  }
}

TEST_CASE("streamed: in place", "[layouts]") {
  const std::int64_t rows = rows_for(8);
  if (rows == 0) return;
  test::Tally tally;
  for (const Lie lie : {dense, pitched, shifted, across}) {
    Matrix<float> a(rows, row_length, lie);
    Matrix<float> b(rows, row_length, lie == across ? dense : pitched);
    Matrix<float> before(rows, row_length, dense);
    Matrix<double> wide(rows, row_length, lie);
    before.fill(1);
    b.fill(2);
    const auto check = [&](const std::string& wrong, const char* what, int threads) {
      tally.check(wrong.empty(), [&](auto& text) {
        text << what << ", layout " << static_cast<int>(lie) << ", " << threads
             << " threads: " << wrong;
      });
    };
    one_and_two_threads([&](int threads) {
      a.fill(1);
      weft::add_out(a.view(), a.view(), b.view());
      check(a.difference([&](auto i, auto j) { return before.get(i, j) + b.get(i, j); }), "a += b",
            threads);
      a.fill(1);
      weft::mul_out(a.view(), a.view(), a.view());
      check(a.difference([&](auto i, auto j) { return before.get(i, j) * before.get(i, j); }),
            "a *= a", threads);
      wide.fill(1);
      weft::add_out(wide.view(), b.view(), wide.view());
      check(wide.difference([&](auto i, auto j) {
        return static_cast<double>(before.get(i, j) + b.get(i, j));
      }),
            "a += b of another type", threads);
    });
  }
  CHECK_TALLY(tally);
}

namespace {

/// out[k] = in + k, for any number of outputs.
void run_many(const void* context, char* const* data, const std::int64_t* row_bytes, std::int64_t n,
              std::int64_t rows, std::uint32_t) {
  const int outputs = *static_cast<const int*>(context);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto start = [&](int k) { return data[k] + (row == 0 ? 0 : row * row_bytes[k]); };
    for (int k = 0; k < outputs; ++k) {
      for (std::int64_t i = 0; i < n; ++i)
        test::store(start(k) + 8 * i, test::load<double>(start(outputs) + 8 * i) + k);
    }
  }
}

}  // namespace

TEST_CASE("streamed: many outputs at once", "[layouts]") {
  test::Tally tally;
  for (const int outputs : {2, 12, 31}) {
    const std::int64_t rows = rows_for(8 * (outputs + 1));
    if (rows == 0) return;
    // From f32, so that the input is staged as well.
    Matrix<float> in(rows, row_length, dense);
    in.fill(4);
    std::vector<Matrix<double>> out;
    std::vector<TensorView> views;
    for (int k = 0; k < outputs; ++k) {
      out.emplace_back(rows, row_length, pitched);
      views.push_back(out.back().view());
    }
    const TensorView from = in.view();
    weft::TensorIteratorConfig config;
    for (const TensorView& view : views)
      config.add_output(view);
    config.add_input(from).check_all_same_dtype(false).resize_outputs(false);
    weft::SpanKernel kernel;
    kernel.run = &run_many;
    kernel.context = &outputs;
    kernel.noutputs = outputs;
    kernel.ninputs = 1;
    std::fill(std::begin(kernel.types), std::end(kernel.types), ScalarType::f64);
    weft::run_spans(config.build(), kernel);
    for (int k = 0; k < outputs; ++k) {
      const std::string wrong = out[static_cast<std::size_t>(k)].difference(
          [&](auto i, auto j) { return static_cast<double>(in.get(i, j)) + k; });
      tally.check(wrong.empty(), [&](auto& text) {
        text << "output " << k << " of " << outputs << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}
