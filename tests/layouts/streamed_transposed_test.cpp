// SPDX-License-Identifier: Apache-2.0
// Outputs beyond the caches with transposed operands: what is prefetched, conversions, and four
// dims in the opposite order.
#include <weft/core/tensor.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "layouts/streamed.hpp"

#include <initializer_list>
#include <span>

namespace {

using enum test::streamed::Lie;
using test::Binary;
using test::streamed::check_binary;
using test::streamed::Matrix;
using test::streamed::max_bytes;
using test::streamed::min_elements;
using test::streamed::one_and_two_threads;
using test::streamed::row_length;
using test::streamed::rows_for;
using weft::float16;
using weft::ScalarType;
using weft::TensorView;
using c64 = std::complex<float>;

}  // namespace

TEST_CASE("streamed: operands that are transposed to each other are prefetched", "[layouts]") {
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
  const Matrix<float> turned(rows, row_length, transposed);
  const TensorView out = to.view(), a = in.view(), t = turned.view();
  CHECK(access(out, {t, a}) == "streamed; staged: transposed, prefetched; direct, prefetched; ");
  CHECK(access(out, {a, a}) == "streamed; direct; direct; ");
  CHECK(access(t, {a, a, a}).starts_with("staged: transposed, streamed; direct, prefetched; "));
}

TEST_CASE("streamed: converted, of operands that are transposed to each other", "[layouts]") {
  check_binary<float16, float, float, float>(
      {{Binary::add, dense, dense, transposed}, {Binary::add, transposed, dense, dense}});
  check_binary<double, float, std::int32_t, float>(
      {{Binary::add, dense, transposed, dense}, {Binary::add, transposed_back, transposed, dense}});
  check_binary<c64, std::uint8_t, std::uint8_t, std::uint8_t>(
      {{Binary::add, pitched, dense, transposed}});
}

TEST_CASE("streamed: four dims, in the opposite order", "[layouts]") {
  // Rows of a tile are two dims; the last tiles along each are smaller than the others. Where the
  // output has a pitch, they are one.
  const std::int64_t least = weft::cpu_info().last_level_share();
  if (least + (least >> 4) > max_bytes) return;
  constexpr std::int64_t e0 = 100, e2 = 7;
  for (const std::int64_t e3 : {90, 128, 200}) {
    const std::int64_t e1 = std::max(
        {std::int64_t{33}, least / (8 * e0 * e2 * e3) + 1, min_elements / (e0 * e2 * e3) + 1});
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
        const TensorView transposed = TensorView::trusted(
            static_cast<const void*>(a.data() + (back ? e0 - 1 : 0)), ScalarType::f32,
            {e0, e1, e2, e3}, {back ? -1 : 1, e0, e0 * e1, e0 * e1 * e2});
        const TensorView dense_b(std::span<const float>(b), {e0, e1, e2, e3});
        const TensorView to(out, {e0, e1, e2, e3}, {e1 * e2 * pitch, e2 * pitch, pitch, 1});
        one_and_two_threads([&](int threads) {
          for (const bool sum : {true, false}) {
            std::fill(out.begin(), out.end(), -1.f);
            sum ? weft::add_out(to, transposed, dense_b) : weft::copy_out(to, transposed);
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
