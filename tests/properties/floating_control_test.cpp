// SPDX-License-Identifier: Apache-2.0
// Results are the same bits for any number of threads however the caller rounds, and whether
// subnormals are zeros to it or not.
#include "support/floating_control.hpp"

#include <weft/linalg/packed_matrix.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/matmul.hpp>
#include <weft/parallel/parallel.hpp>

#include "machine/tuning.hpp"
#include "properties/random_call.hpp"
#include "support/arena.hpp"
#include "support/plain_ops.hpp"

#include <functional>
#include <string>
#include <vector>

namespace {

using test::Dense;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// Has threads share what is not worth it.
weft::Tuning with_small_shares() {
  weft::Tuning tuning = weft::tuning();
  tuning.thread_ns = 100;
  tuning.min_thread_elements = 16;
  return tuning;
}

std::string text_of(std::string_view what, const char* between, ScalarType type) {
  return std::string(what) + between + std::string(weft::name(type));
}

bool same(const Dense& a, const Dense& b) { return a.bytes == b.bytes; }

/// Runs a call in every state, each with 1, 3 and 8 threads. Returns how many states gave another
/// result than the usual one, so that it can be seen that they make a difference.
int compare_threads(test::Tally& tally, const std::string& what,
                    const std::function<Dense()>& call) {
  const weft::ScopedTuning tuning(with_small_shares());
  int differ = 0;
  std::vector<Dense> usual;
  for (const test::FloatingControl& control : test::floating_controls()) {
    std::vector<Dense> results;
    test::in_arena(8, [&] {
      const test::ScopedFloatingControl scope(control);
      for (const int threads : {1, 3, 8}) {
        const weft::ThreadLimit limit(threads);
        results.push_back(call());
        tally.check(same(results.back(), results[0]), [&](auto& text) {
          text << what << ", " << control.name << ": " << threads << " threads";
        });
      }
    });
    if (usual.empty()) usual = results;
    differ += same(results[0], usual[0]) ? 0 : 1;
  }
  return differ;
}

/// Ordinary numbers, and some so small that they are subnormal in f32.
Tensor numbers(test::Random& random, const Dims& shape, ScalarType type) {
  const Tensor made = Tensor::empty(shape, ScalarType::f32);
  for (std::int64_t i = 0; i < made.numel(); ++i) {
    const auto number = static_cast<float>(random.integer(-1'000'000, 1'000'000)) * 1e-3F;
    made.data_as<float>()[i] = i % 17 == 0 ? number * 1e-41F : number;
  }
  return type == ScalarType::f32 ? made : weft::contiguous(made, type);
}

}  // namespace

TEST_CASE("floating control: the same bits of every operation for any number of threads",
          "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  int differ = 0;
  for (const weft::OpEntry& op : test::plain_ops()) {
    for (int round = 0; round < test::rounds(1); ++round) {
      const ScalarType type = random.pick(
          std::vector{ScalarType::f32, ScalarType::f64, ScalarType::f16, ScalarType::bf16});
      const bool wide = random.chance(50);
      const test::RandomCall call(random, op, type, wide ? Dims{40, 90} : Dims{900, 4});
      try {
        call.run();
      } catch (const weft::Error&) {
        continue;  // of integers only
      }
      differ += compare_threads(tally, text_of(op.name, " of ", type), [&] {
        call.run();
        return call.result();
      });
    }
  }
  CHECK_TALLY(tally);
  CHECK(differ > 20);
}

TEST_CASE("floating control: the same bits of casts for any number of threads", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  int differ = 0;
  const Dims shape = {60, 70};
  const Tensor a = numbers(random, shape, ScalarType::f32);
  const Tensor exact = numbers(random, shape, ScalarType::f64);
  for (const TensorView& from : {TensorView(a), a.transpose(0, 1), exact.transpose(0, 1)}) {
    for (const ScalarType to : {ScalarType::f16, ScalarType::bf16, ScalarType::f32, ScalarType::f64,
                                ScalarType::i32, ScalarType::c64}) {
      differ += compare_threads(tally, text_of(weft::name(from.dtype()), " to ", to),
                                [&] { return test::dense_copy(weft::contiguous(from, to)); });
    }
  }
  CHECK_TALLY(tally);
  CHECK(differ > 0);
}

TEST_CASE("floating control: the same bits of products for any number of threads", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::f16}) {
    const Tensor a = numbers(random, {300, 100}, type);
    const Tensor b = numbers(random, {100, 200}, type);
    const weft::PackedMatrix packed(b);
    const std::string what(weft::name(type));
    const int differ = compare_threads(tally, "product of " + what,
                                       [&] { return test::dense_copy(weft::matmul(a, b)); });
    CHECK(differ > 0);
    compare_threads(tally, "packed product of " + what, [&] {
      const Tensor out = Tensor::zeros({300, 200}, type);
      weft::multiply_out(TensorView(out), a, packed);
      return test::dense_copy(out);
    });
  }
  CHECK_TALLY(tally);
}
