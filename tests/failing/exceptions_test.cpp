// SPDX-License-Identifier: Apache-2.0
// What functions of the user throw reaches the caller as it is, on one thread and on several, and
// the next run is right. (Of elementwise kernels and of pieces: the suites kernel and parallel.)
#include <weft/base/error.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/index_kernel.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/catch.hpp"
#include "support/tally.hpp"

#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <tuple>

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// No std::exception.
struct Unusual {
  long call;
};

/// Counts calls, and throws in one of them.
class Trap {
 public:
  explicit Trap(long call = 0) : call_(call) {}
  void pass() const {
    if (++calls_ == call_) throw Unusual{call_};
  }
  long calls() const { return calls_; }

 private:
  long call_;
  mutable std::atomic<long> calls_{0};
};

/// Has the first, the second, the middle and the last call throw, on one thread and on four.
void check_exceptions(const std::string& what, const std::function<void(const Trap&)>& run,
                      const std::function<bool()>& is_right) {
  test::Tally tally;
  for (const int threads : {1, 4}) {
    test::in_arena(4, [&] {
      const weft::ThreadLimit limit(threads);
      const Trap counting;
      run(counting);
      const long calls = counting.calls();
      tally.check(is_right(), [&](auto& text) { text << what << " is wrong by itself"; });
      for (const long call : std::set<long>{1, 2, calls / 2, calls}) {
        if (call < 1 || call > calls) continue;
        long caught = 0;
        try {
          run(Trap(call));
        } catch (const Unusual& unusual) {
          caught = unusual.call;
        }
        tally.check(caught == call, [&](auto& text) {
          text << what << ", " << threads << " threads: threw in call " << call << ", caught "
               << caught;
        });
        run(Trap());
        tally.check(is_right(), [&](auto& text) {
          text << what << ", " << threads << " threads: wrong after call " << call << " threw";
        });
      }
    });
  }
  INFO(what);
  CHECK_TALLY(tally);
}

constexpr std::int64_t rows = 60, columns = 500;

/// 1, 2, 3, 1, 2, 3, ...
Tensor numbered(ScalarType type = ScalarType::f32) {
  const Tensor made = Tensor::empty({rows, columns}, type);
  for (std::int64_t i = 0; i < made.numel(); ++i) {
    const auto value = static_cast<float>(1 + i % 3);
    if (type == ScalarType::f32) {
      made.data_as<float>()[i] = value;
    } else {
      made.data_as<double>()[i] = static_cast<double>(value);
    }
  }
  return made;
}
constexpr double sum_of_all = 2.0 * rows * columns;

bool holds(const Tensor& tensor, float value) {
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    if (tensor.data_as<float>()[i] != value) return false;
  }
  return true;
}

/// A sum, each of whose functions may be what throws.
struct TrappedSum {
  const Trap* in_accumulate = nullptr;
  const Trap* in_combine = nullptr;
  const Trap* in_project = nullptr;

  double identity() const { return 0; }
  double accumulate(double acc, float x) const {
    if (in_accumulate != nullptr) in_accumulate->pass();
    return acc + static_cast<double>(x);
  }
  double combine(double a, double b) const {
    if (in_combine != nullptr) in_combine->pass();
    return a + b;
  }
  float project(double acc) const {
    if (in_project != nullptr) in_project->pass();
    return static_cast<float>(acc);
  }
};

struct TrappedIndexedSum {
  const Trap* trap;

  double identity() const { return 0; }
  double accumulate(double acc, float x, std::int64_t) const {
    trap->pass();
    return acc + static_cast<double>(x);
  }
  double combine(double a, double b) const { return a + b; }
  float project(double acc) const { return static_cast<float>(acc); }
};

void add_into(char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
  for (std::int64_t j = 0; j < n1; ++j) {
    for (std::int64_t i = 0; i < n0; ++i) {
      *reinterpret_cast<float*>(data[0] + i * strides[0] + j * strides[2]) +=
          *reinterpret_cast<float*>(data[1] + i * strides[1] + j * strides[3]);
    }
  }
}

}  // namespace

TEST_CASE("exceptions: elementwise kernels of several outputs, and serial ones", "[failing]") {
  const Tensor a = numbered(), wide = numbered(ScalarType::f64);
  for (const TensorView& in : {TensorView(a), TensorView(wide)}) {
    const Tensor one = Tensor::zeros({rows, columns}, ScalarType::f32), two = one.clone();
    const auto right = [&] {
      return one.at<float>({rows - 1, columns - 1}) == two.at<float>({rows - 1, columns - 1}) / 2;
    };
    check_exceptions(
        "several outputs",
        [&](const Trap& trap) {
          const auto iter = TensorIteratorConfig()
                                .add_output(one)
                                .add_output(two)
                                .add_input(in)
                                .check_all_same_dtype(false)
                                .build();
          weft::cpu_kernel_multiple_outputs(
              iter,
              [&](double x) {
                trap.pass();
                return std::tuple(static_cast<float>(x), static_cast<float>(2 * x));
              },
              100);
        },
        right);
    check_exceptions(
        "a serial kernel",
        [&](const Trap& trap) {
          const auto iter = TensorIteratorConfig()
                                .add_output(two)
                                .add_input(in)
                                .check_all_same_dtype(false)
                                .build();
          weft::cpu_serial_kernel(iter, [&](double x) {
            trap.pass();
            return static_cast<float>(2 * x);
          });
        },
        right);
  }
}

TEST_CASE("exceptions: raw loops", "[failing]") {
  const Tensor a = numbered();
  const Tensor out = Tensor::zeros({rows, columns}, ScalarType::f32);
  const TensorView turned = numbered().as_strided({rows, columns}, {1, rows});
  const auto right = [&] { return out.at<float>({rows - 1, columns - 1}) != 0; };
  const Tensor memory = numbered();
  for (const TensorView& in : {TensorView(a), memory.as_strided({rows, columns}, {1, rows})}) {
    const auto iter = TensorIteratorConfig().add_output(out).add_input(in).build();
    check_exceptions(
        "for_each of one dim",
        [&](const Trap& trap) {
          iter.for_each(
              [&](char** data, const std::int64_t* strides, std::int64_t n) {
                trap.pass();
                for (std::int64_t i = 0; i < n; ++i) {
                  *reinterpret_cast<float*>(data[0] + i * strides[0]) =
                      *reinterpret_cast<float*>(data[1] + i * strides[1]);
                }
              },
              50);
        },
        right);
    check_exceptions(
        "for_each of two dims",
        [&](const Trap& trap) {
          iter.for_each(
              [&](char**, const std::int64_t*, std::int64_t, std::int64_t) { trap.pass(); }, 50);
        },
        right);
    check_exceptions(
        "serial_for_each",
        [&](const Trap& trap) {
          iter.serial_for_each([&](char**, const std::int64_t*, std::int64_t) { trap.pass(); });
        },
        right);
  }
}

TEST_CASE("exceptions: raw loops over what is reduced", "[failing]") {
  const Tensor a = numbered();
  const Tensor sums = Tensor::zeros({rows, 1}, ScalarType::f32),
               all = Tensor::zeros({1, 1}, ScalarType::f32);
  const auto zero = [](const Tensor& tensor) {
    std::fill_n(tensor.data_as<float>(), tensor.numel(), 0.0F);
  };
  check_exceptions(
      "parallel_reduce to one",
      [&](const Trap& trap) {
        zero(all);
        TensorIterator::reduce_op(all, a).parallel_reduce(
            [&](char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
              trap.pass();
              add_into(data, strides, n0, n1);
            });
      },
      [&] { return holds(all, static_cast<float>(sum_of_all)); });
  check_exceptions(
      "parallel_reduce to many",
      [&](const Trap& trap) {
        zero(sums);
        TensorIterator::reduce_op(sums, a).parallel_reduce(
            [&](char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
              trap.pass();
              add_into(data, strides, n0, n1);
            });
      },
      [&] {
        return sums.at<float>({0, 0}) == 999.0F || sums.at<float>({0, 0}) > 990;
      });
  for (const bool parallelize : {false, true}) {
    check_exceptions(
        "foreach_reduced_elt",
        [&](const Trap& trap) {
          zero(sums);
          TensorIterator::reduce_op(sums, a).foreach_reduced_elt(
              [&](TensorIterator& part) {
                trap.pass();
                part.serial_for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
                  add_into(data, std::array<std::int64_t, 4>{strides[0], strides[1], 0, 0}.data(),
                           n, 1);
                });
              },
              parallelize);
        },
        [&] {
          return sums.at<float>({rows - 1, 0}) > 990;
        });
  }
}

TEST_CASE("exceptions: every function of a reduction", "[failing]") {
  const Tensor a = numbered();
  const Tensor wide = numbered(ScalarType::f64);
  const Tensor rows_out = Tensor::zeros({rows, 1}, ScalarType::f32),
               columns_out = Tensor::zeros({1, columns}, ScalarType::f32),
               all_out = Tensor::zeros({1, 1}, ScalarType::f32);
  const Tensor memory = numbered();
  for (const TensorView& in :
       {TensorView(a), TensorView(wide), memory.as_strided({rows, columns}, {1, rows})}) {
    for (const Tensor& out : {rows_out, columns_out, all_out}) {
      const auto right = [&] {
        double sum = 0;
        for (std::int64_t i = 0; i < out.numel(); ++i)
          sum += static_cast<double>(out.data_as<float>()[i]);
        return sum == sum_of_all;
      };
      const auto run = [&](TrappedSum op) {
        const auto iter = TensorIteratorConfig()
                              .add_output(out)
                              .add_input(in)
                              .is_reduction(true)
                              .resize_outputs(false)
                              .check_all_same_dtype(false)
                              .build();
        weft::cpu_reduce(iter, op, 1000);
      };
      check_exceptions(
          "accumulate", [&](const Trap& t) { run({.in_accumulate = &t}); }, right);
      check_exceptions(
          "combine", [&](const Trap& t) { run({.in_combine = &t}); }, right);
      check_exceptions(
          "project", [&](const Trap& t) { run({.in_project = &t}); }, right);
      check_exceptions(
          "accumulate with an index",
          [&](const Trap& t) {
            const auto iter = TensorIteratorConfig()
                                  .add_output(out)
                                  .add_input(in)
                                  .is_reduction(true)
                                  .resize_outputs(false)
                                  .check_all_same_dtype(false)
                                  .build();
            weft::cpu_reduce_indexed(iter, TrappedIndexedSum{&t}, 1000);
          },
          right);
    }
  }
}

TEST_CASE("exceptions: prefix operations", "[failing]") {
  struct Running {
    const Trap* trap;
    double identity() const { return 0; }
    double accumulate(double acc, float x) const {
      trap->pass();
      return acc + static_cast<double>(x);
    }
    float project(double acc) const { return static_cast<float>(acc); }
  };
  const Tensor a = numbered(), wide = numbered(ScalarType::f64);
  const Tensor out = Tensor::zeros({rows, columns}, ScalarType::f32);
  for (const std::int64_t axis : {0, 1}) {
    for (const TensorView& in : {TensorView(a), TensorView(wide)}) {
      check_exceptions(
          "accumulate along axis " + std::to_string(axis),
          [&](const Trap& trap) { weft::cpu_cumulative(out, in, axis, Running{&trap}); },
          [&] {
            // Rows begin with 1, 3 and 2; each of the three numbers comes equally often, about.
            const float last = out.at<float>({rows - 1, columns - 1});
            return axis == 1 ? last > 990 : last == 2.0F * rows;
          });
    }
  }
}

TEST_CASE("exceptions: index kernels", "[failing]") {
  const Tensor a = numbered();
  const Tensor out = Tensor::zeros({20000}, ScalarType::f32);
  const Tensor index = Tensor::full({20000}, ScalarType::i64, 7);
  const TensorView source = a.as_strided({20000}, {0});
  const auto iter = TensorIteratorConfig()
                        .add_output(out)
                        .add_input(source)
                        .add_input(index)
                        .check_all_same_dtype(false)
                        .build();
  for (const bool serial : {false, true}) {
    check_exceptions(
        "an index kernel",
        [&](const Trap& trap) {
          weft::cpu_index_kernel(
              iter, std::array<std::int64_t, 1>{100}, std::array<std::int64_t, 1>{4},
              [&](char* to, char* from, std::int64_t offset) {
                trap.pass();
                *reinterpret_cast<float*>(to) = *reinterpret_cast<float*>(from + offset);
              },
              serial);
        },
        [&] { return holds(out, 2); });
  }
}

TEST_CASE("exceptions: pieces of nested calls", "[failing]") {
  std::atomic<std::int64_t> sum{0};
  check_exceptions(
      "pieces",
      [&](const Trap& trap) {
        sum = 0;
        weft::parallel_for(8, 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t outer = begin; outer < end; ++outer) {
            weft::parallel_for(100, 1, [&](std::int64_t from, std::int64_t to) {
              for (std::int64_t i = from; i < to; ++i) {
                trap.pass();
                sum += i;
              }
            });
          }
        });
      },
      [&] { return sum == 8 * 4950; });
}

TEST_CASE("exceptions: of several that are thrown, one arrives", "[failing]") {
  test::in_arena(4, [] {
    for (int round = 0; round < 200; ++round) {
      std::atomic<int> thrown{0};
      int caught = 0;
      try {
        weft::parallel_for(64, 1, [&](std::int64_t, std::int64_t) { throw Unusual{++thrown}; });
      } catch (const Unusual& unusual) {
        caught = static_cast<int>(unusual.call);
      }
      if (caught < 1 || caught > thrown) FAIL_CHECK("caught " << caught << " of " << thrown);
    }
  });
}
