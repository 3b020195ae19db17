// SPDX-License-Identifier: Apache-2.0
// Misuse under threads: loops that throw, locks held during calls, one iterator used by many.
#include <weft/iter/config.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/errors.hpp"
#include "support/tally.hpp"
#include "support/visit.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;

/// out = a + 1 over n elements that are not contiguous.
struct AddOne {
  Tensor out, in;
  TensorIterator iter;

  static AddOne make(std::int64_t n) {
    const Tensor in = Tensor::zeros({n, 2}, ScalarType::i32);
    const Tensor out = Tensor::zeros({n}, ScalarType::i32);
    const weft::TensorView column = in.select(1, 0);
    return {out, in, TensorIteratorConfig().add_output(out).add_input(column).build()};
  }

  static void loop(char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      *reinterpret_cast<std::int32_t*>(data[0] + i * strides[0]) =
          *reinterpret_cast<std::int32_t*>(data[1] + i * strides[1]) + 1;
    }
  }
  std::int64_t written() const {
    return std::count(out.data_as<std::int32_t>(), out.data_as<std::int32_t>() + out.numel(), 1);
  }
};

}  // namespace

TEST_CASE("bad input: a loop that throws, at every position of every chunk", "[parallel]") {
  const std::int64_t n = 300;  // chunks of a single row are cut at multiples of 64
  const AddOne work = AddOne::make(n);
  auto* first = static_cast<char*>(work.iter.data_ptr(0));
  test::Tally tally;
  for (const int threads : {1, 2, 4}) {
    test::in_arena(threads, [&] {
      for (std::int64_t at = 0; at < n; ++at) {
        std::fill_n(work.out.data_as<std::int32_t>(), n, 0);
        const auto throwing = [&](char** data, const std::int64_t* strides, std::int64_t count) {
          const std::int64_t begin = (data[0] - first) / 4;
          if (begin <= at && at < begin + count) {
            AddOne::loop(data, strides, at - begin);
            throw std::domain_error("element " + std::to_string(at));
          }
          AddOne::loop(data, strides, count);
        };
        std::string caught;
        try {
          work.iter.for_each(throwing, 1);
        } catch (const std::domain_error& error) {
          caught = error.what();
        }
        bool right = caught == "element " + std::to_string(at);
        right = right && work.out.at<std::int32_t>({at}) == 0;
        right = right && (threads > 1 || work.written() == at);
        // The iterator is as good as new.
        work.iter.for_each(AddOne::loop, 1);
        right = right && work.written() == n;
        tally.check(right, [&](auto& out) { out << threads << " threads, at " << at; });
      }
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("bad input: when several pieces throw, one exception arrives", "[parallel]") {
  const AddOne work = AddOne::make(1000);
  test::in_arena(4, [&] {
    for (int round = 0; round < 50; ++round) {
      CHECK_ERROR(division, ("all of them"),
                  work.iter.for_each(
                      [](char**, const std::int64_t*, std::int64_t) {
                        weft::fail(weft::ErrorCode::division, "all of them");
                      },
                      1));
    }
  });
}

TEST_CASE("bad input: a lock held during a nested call does not deadlock", "[parallel]") {
  // A thread that waits for its inner call must not take up another outer piece meanwhile: it would
  // lock the same mutex once more. To be noticed rather than to hang, each thread has a flag for
  // it.
  const AddOne inner = AddOne::make(4000);
  test::in_arena(4, [&] {
    std::mutex mutex;
    std::atomic<bool> entered_again{false};
    std::atomic<std::int64_t> done{0};
    const auto outer = [&](auto&& work) {
      weft::parallel_for(32, 1, [&](std::int64_t begin, std::int64_t end) {
        static thread_local bool inside = false;
        if (inside) {
          entered_again = true;
          return;
        }
        inside = true;
        work();
        inside = false;
        done += end - begin;
      });
    };
    outer([&] {
      const std::lock_guard lock(mutex);
      inner.iter.for_each(AddOne::loop, 1);
    });
    CHECK(inner.written() == 4000);
    // Without the lock, others take inner pieces, so that threads do come to wait for them.
    outer([] {
      weft::parallel_for(8, 1, [](std::int64_t, std::int64_t) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      });
    });
    CHECK_FALSE(entered_again);
    CHECK(done == 64);
  });
}

TEST_CASE("bad input: many threads using one iterator", "[parallel]") {
  const AddOne work = AddOne::make(5000);
  // Reading only, so that the threads do not write to the same places.
  const auto total = [&](std::int64_t grain) {
    std::atomic<std::int64_t> sum{0};
    work.iter.for_each(
        [&](char** data, const std::int64_t* strides, std::int64_t n) {
          std::int64_t part = 0;
          for (std::int64_t i = 0; i < n; ++i) {
            part += *reinterpret_cast<std::int32_t*>(data[1] + i * strides[1]) + 1;
          }
          sum += part;
        },
        grain);
    return sum.load();
  };
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      test::in_arena(2, [&] {
        for (int round = 0; round < 50; ++round) {
          if (total(t % 2 == 0 ? 100 : 100000) == 5000) ++right;
        }
      });
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  CHECK(right == 400);
}

TEST_CASE("bad input: threads that each bind a copy of one plan", "[parallel]") {
  const AddOne plan = AddOne::make(1000);
  std::vector<AddOne> own;
  for (int t = 0; t < 6; ++t)
    own.push_back(AddOne::make(1000));
  std::vector<std::thread> threads;
  for (AddOne& work : own) {
    threads.emplace_back([&] {
      TensorIterator iter = plan.iter;
      iter.bind(0, work.out.data()).bind(1, work.in.data());
      iter.for_each(AddOne::loop, 10);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const AddOne& work : own)
    CHECK(work.written() == 1000);
  CHECK(plan.written() == 0);
}
