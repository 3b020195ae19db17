// SPDX-License-Identifier: Apache-2.0
// TensorIterator::for_each on several threads.
#include <weft/iter/config.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/errors.hpp"
#include "support/tally.hpp"
#include "support/visit.hpp"

#include <atomic>
#include <thread>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;

/// [rows, columns] inside rows that are longer, so that the two dims stay separate.
TensorIterator rows_of(std::int64_t rows, std::int64_t columns) {
  const Tensor a = Tensor::zeros({rows, columns + 3}, ScalarType::f32);
  const weft::TensorView view = a.slice(1, 0, columns);
  return TensorIteratorConfig().add_owned_input(Tensor::share(a.owner(), view)).build();
}

}  // namespace

TEST_CASE("for_each: every element once, whatever the threads and the grain", "[parallel]") {
  test::Tally tally;
  for (const Dims& shape : {Dims{1, 1}, Dims{7, 5}, Dims{3, 200}, Dims{200, 3}, Dims{1, 1000}}) {
    const TensorIterator iter = rows_of(shape[0], shape[1]);
    const std::vector<Dims> wanted = test::visited(iter);
    for (const int threads : {1, 2, 3, 4, 8}) {
      test::in_arena(threads, [&] {
        for (const std::int64_t grain : {-1, 0, 1, 2, 10, 64, 100, 32768}) {
          test::Recorder recorder(iter);
          iter.for_each(recorder, grain);
          tally.check(test::sorted(recorder.tuples()) == wanted, [&](auto& out) {
            out << weft::to_string(shape) << " on " << threads << " by " << grain;
          });
        }
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("for_each: pieces end with rows where there are rows enough", "[parallel]") {
  const TensorIterator iter = rows_of(100, 10);
  test::in_arena(4, [&] {
    std::atomic<bool> whole{true};
    std::atomic<int> calls{0};
    iter.for_each(
        [&](char**, const std::int64_t*, std::int64_t n0, std::int64_t) {
          if (n0 != 10) whole = false;
          ++calls;
        },
        50);
    CHECK(whole);
    CHECK(calls > 1);
  });
}

TEST_CASE("for_each: work up to the grain stays on the calling thread, in one piece",
          "[parallel]") {
  const TensorIterator iter = rows_of(100, 10);
  test::in_arena(4, [&] {
    int calls = 0;
    const auto caller = std::this_thread::get_id();
    iter.for_each(
        [&](char**, const std::int64_t*, std::int64_t n0, std::int64_t n1) {
          ++calls;
          CHECK(n0 * n1 == 1000);
          CHECK(std::this_thread::get_id() == caller);
        },
        1000);
    CHECK(calls == 1);
    iter.for_each([&](char**, const std::int64_t*, std::int64_t, std::int64_t) { ++calls; });
    CHECK(calls == 2);  // the default grain is far above a thousand
  });
}

TEST_CASE("for_each: with one thread everything is on the calling thread", "[parallel]") {
  const TensorIterator iter = rows_of(500, 100);  // 50000 elements
  test::in_arena(4, [&] {
    const weft::ThreadLimit one(1);
    const auto caller = std::this_thread::get_id();
    std::int64_t elements = 0;
    iter.for_each(
        [&](char**, const std::int64_t*, std::int64_t n) {
          elements += n;
          if (std::this_thread::get_id() != caller) FAIL("another thread");
        },
        1);
    CHECK(elements == 50000);
  });
}

TEST_CASE("for_each: elements of a reduction's output are met by one thread each", "[parallel]") {
  const std::int64_t rows = 60, columns = 70;
  Tensor a = Tensor::empty({rows, columns}, ScalarType::i64);
  for (std::int64_t i = 0; i < a.numel(); ++i)
    a.data_as<std::int64_t>()[i] = i % 11;
  const auto add = [](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      *reinterpret_cast<std::int64_t*>(data[0] + i * strides[0]) +=
          *reinterpret_cast<const std::int64_t*>(data[1] + i * strides[1]);
    }
  };
  for (const Dims& shape : {Dims{1, 1}, Dims{rows, 1}, Dims{1, columns}}) {
    Tensor sums;
    for (const int threads : {1, 2, 8}) {
      for (const std::int64_t grain : {1, 100, 100'000}) {
        const Tensor out = Tensor::zeros(shape, ScalarType::i64);
        const TensorIterator iter = TensorIteratorConfig()
                                        .add_output(out)
                                        .add_input(a)
                                        .is_reduction(true)
                                        .resize_outputs(false)
                                        .build();
        test::in_arena(threads, [&] { iter.for_each(add, grain); });
        if (!sums.defined()) sums = out;
        bool same = true;
        std::int64_t all = 0;
        for (std::int64_t i = 0; i < out.numel(); ++i) {
          const std::int64_t sum = out.data_as<std::int64_t>()[i];
          same = same && sum == sums.data_as<std::int64_t>()[i];
          all += sum;
        }
        INFO(weft::to_string(shape) << " on " << threads << " by " << grain);
        CHECK(same);
        CHECK(all == 20991);
      }
    }
  }
}
