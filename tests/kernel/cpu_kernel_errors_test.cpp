// SPDX-License-Identifier: Apache-2.0
// What goes wrong with cpu_kernel, and kernels that are called for their effects.
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/index_kernel.hpp>
#include <weft/kernel/reduce.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/mix.hpp"
#include "support/threads.hpp"

#include <atomic>
#include <mutex>
#include <thread>

namespace {

using test::Dims;
using test::iterator;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// A reduction: the sum.
struct Total {
  float identity() const { return 0; }
  float accumulate(float sum, float x) const { return sum + x; }
  float combine(float a, float b) const { return a + b; }
  float project(float sum) const { return sum; }
};

/// An iterator over inputs alone.
TensorIterator inputs_only(const std::vector<TensorView>& inputs) {
  TensorIteratorConfig config;
  config.check_all_same_dtype(false);
  for (const TensorView& input : inputs)
    config.add_input(input);
  return config.build();
}

/// Elements 0, 1, 2, ... at the places of a layout, and -1 between them.
Memory numbered(ScalarType type, const test::Layout& layout) {
  Memory memory(type, layout);
  const auto write = [&](std::byte* to, std::int64_t number) {
    test::convert_element(type, to, ScalarType::i64, &number);
  };
  for (std::int64_t i = 0; i < layout.size; ++i) {
    write(memory.data() + i * weft::element_size(type), -1);
  }
  std::int64_t next = 0;
  test::for_each_index(layout.shape, [&](const Dims& index) {
    write(memory.origin() + test::naive_offset(memory.naive(), index), next++);
  });
  return memory;
}

}  // namespace

TEST_CASE("cpu_kernel: a void kernel is called once for every element", "[kernel]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(100); ++round) {
    // Dense, strided (packed), and of another type (converted); also in short rows.
    const Dims shape = test::random_shape(random, 3, round % 10 == 0 ? 80 : 9);
    const ScalarType type = round % 2 == 0 ? ScalarType::i32 : ScalarType::i16;
    const Memory memory = numbered(type, test::random_layout(random, shape, {.zero = false}));
    const auto count = static_cast<std::size_t>(test::product(shape));
    std::vector<std::atomic<int>> calls(count + 1);
    const auto op = [&](std::int32_t x) {
      ++calls[x >= 0 && x < static_cast<std::int32_t>(count) ? static_cast<std::size_t>(x) : count];
    };
    const bool serial = random.chance(50);
    if (serial) {
      weft::cpu_serial_kernel(inputs_only({memory.view()}), op);
    } else {
      test::in_arena(
          4, [&] { weft::cpu_kernel_multiple_outputs(inputs_only({memory.view()}), op, 1); });
    }
    INFO((serial ? "serial, " : "parallel, ") << weft::to_string(shape));
    CHECK(std::count(calls.begin(), calls.end() - 1, 1) == static_cast<std::ptrdiff_t>(count));
    CHECK(calls[count] == 0);
  }
}

TEST_CASE("cpu_serial_kernel: a lambda is called for each element of inputs that are one value",
          "[kernel]") {
  static int calls = 0;
  calls = 0;
  Tensor value = Tensor::empty({1, 1}, ScalarType::f32);
  *value.data_as<float>() = 2;
  const TensorView twos = value.as_strided({3, 50}, {0, 0});
  Tensor out = Tensor::empty({3, 50}, ScalarType::f32);
  const TensorIterator iter =
      weft::TensorIteratorConfig().add_output(out).add_input(twos).add_input(twos).build();
  weft::cpu_serial_kernel(iter,
                          [](float a, float b) { return a * b + static_cast<float>(calls++); });
  CHECK(calls == 150);
  CHECK(out.at<float>({2, 49}) == 153.0F);
}

TEST_CASE("cpu_serial_kernel: on the calling thread, in the plan's order", "[kernel]") {
  const Dims shape = {4, 25'000};
  const auto caller = std::this_thread::get_id();
  // Straight from memory, and through buffers of a few thousand elements each.
  for (const ScalarType type : {ScalarType::i32, ScalarType::i64}) {
    const Memory memory = numbered(type, test::fit({shape, test::row_major(shape)}));
    Tensor out;
    const auto iter = TensorIteratorConfig()
                          .add_output(out)
                          .add_owned_input(Tensor::share(nullptr, memory.view()))
                          .declare_static_dtype(ScalarType::f64)
                          .check_all_same_dtype(false)
                          .build();
    std::int64_t next = 0;
    bool in_order = true;
    bool on_caller = true;
    test::in_arena(4, [&] {
      weft::cpu_serial_kernel(iter, [&](std::int64_t x) {
        in_order = in_order && x == next++;
        on_caller = on_caller && std::this_thread::get_id() == caller;
        return static_cast<double>(x);
      });
    });
    CHECK(in_order);
    CHECK(on_caller);
    CHECK(next == 100'000);
    CHECK(out.at<double>({3, 24'999}) == 99'999);
  }
}

TEST_CASE("cpu_kernel: an exception reaches the caller, and the iterator stays usable",
          "[kernel]") {
  struct Unusual {
    int at;
  };
  const Dims shape = {100, 37};
  // In place, packed, and converted.
  const std::pair<ScalarType, Dims> cases[] = {
      {ScalarType::i32, {37, 1}}, {ScalarType::i32, {1, 100}}, {ScalarType::i64, {74, 2}}};
  for (const auto& one : cases) {
    const ScalarType type = one.first;
    const Memory a = numbered(type, test::fit({shape, one.second}));
    Tensor out = Tensor::zeros(shape, ScalarType::i32);
    const auto iter = iterator(out, {a.view()});
    test::Tally tally;
    test::for_thread_counts([&](int threads) {
      for (const int at : {0, 1, 1850, 3698, 3699}) {
        int caught = -1;
        try {
          weft::cpu_kernel(
              iter, [at](std::int32_t x) { return x == at ? throw Unusual{x} : x + 1; }, 1);
        } catch (const Unusual& unusual) {
          caught = unusual.at;
        }
        tally.check(caught == at, [&](auto& text) {
          text << threads << " threads: threw at " << at << ", caught " << caught;
        });
        weft::cpu_kernel(
            iter, [](std::int32_t x) { return 2 * x; }, 1);
        const auto want =
            test::naive_map(ScalarType::i32, shape, {a.view()}, [&](const auto* in, void* to) {
              std::int32_t x = 0;
              test::convert_element(ScalarType::i32, &x, type, in[0]);
              test::store(to, 2 * x);
            });
        const std::string wrong = test::difference(out, want);
        tally.check(wrong.empty(), [&](auto& text) { text << "afterwards: " << wrong; });
      }
    });
    CHECK_TALLY(tally);
  }
}

TEST_CASE("cpu_kernel: operands that do not fit the lambda", "[kernel]") {
  const Tensor f32 = Tensor::full({4}, ScalarType::f32, 1);
  const Tensor c64 = Tensor::full({4}, ScalarType::c64, 1);
  const Tensor out = Tensor::full({4}, ScalarType::f32, 7);
  const Tensor i32 = Tensor::full({4}, ScalarType::i32, 7);
  const Tensor flags = Tensor::full({4}, ScalarType::boolean, 1);

  CHECK_ERROR(invalid_argument, ("1 output and 1 input", "1 and 2"),
              weft::cpu_kernel(iterator(out, {f32, f32}), [](float x) { return x; }));
  CHECK_ERROR(invalid_argument, ("f32, f32 -> f32", "1 output and 2 inputs", "1 and 1"),
              weft::cpu_kernel(iterator(out, {f32}), [](float x, float y) { return x + y; }));
  CHECK_ERROR(invalid_argument, ("0 outputs"),
              weft::cpu_serial_kernel(iterator(out, {f32}), [](float) {}));
  CHECK_ERROR(invalid_argument, ("2 outputs"),
              weft::cpu_kernel_multiple_outputs(
                  iterator(out, {f32}), [](float x) { return std::tuple<float, float>(x, x); }));

  CHECK_ERROR(cast, ("input 0", "c64", "f32"),
              weft::cpu_kernel(iterator(out, {c64}), [](float x) { return x; }));
  CHECK_ERROR(cast, ("input 1", "f32", "i32"),
              weft::cpu_kernel(iterator(out, {f32, f32}),
                               [](float x, std::int32_t y) { return x + static_cast<float>(y); }));
  CHECK_ERROR(cast, ("output 0", "f32", "i32"),
              weft::cpu_kernel(iterator(i32, {f32}), [](float x) { return x; }));
  CHECK_ERROR(cast, ("output 0", "i32", "bool"),
              weft::cpu_kernel(iterator(flags, {i32}), [](std::int32_t x) { return x; }));
  // Also where there is nothing to do.
  CHECK_ERROR(cast, ("output 0", "f32", "i32"),
              weft::cpu_kernel(iterator(i32.slice(0, 0, 0), {f32.slice(0, 0, 0)}),
                               [](float x) { return x; }));
  CHECK_ERROR(
      cast, ("input 0", "c64"),
      weft::cpu_kernel(iterator(out.select(0, 0), {c64.select(0, 0)}), [](float x) { return x; }));

  const auto same = [](const Tensor& t, double value) {
    return test::difference(t, test::dense_copy(Tensor::full({4}, t.dtype(), value))) == "";
  };
  CHECK(same(out, 7));
  CHECK(same(i32, 7));
  CHECK(same(flags, 1));
}

TEST_CASE("cpu_kernel: one iterator on several threads at once", "[kernel]") {
  const Tensor a = Tensor::full({300, 40}, ScalarType::f64, 3);
  // One iterator, and bound to an output of each thread's own.
  const auto iter = iterator(Tensor::zeros({300, 40}, ScalarType::f32), {a});
  std::vector<Tensor> outputs;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    outputs.push_back(Tensor::zeros({300, 40}, ScalarType::f32));
  for (const Tensor& out : outputs) {
    threads.emplace_back([&iter, &out] {
      auto mine = iter;
      mine.bind(0, out.data());
      for (int i = 0; i < 20; ++i)
        weft::cpu_serial_kernel(mine, [](float x) { return x * 2; });
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  const auto wanted = test::dense_copy(Tensor::full({300, 40}, ScalarType::f32, 6));
  for (const Tensor& out : outputs)
    CHECK(test::difference(out, wanted) == "");
}

TEST_CASE("cpu_kernel: an iterator of a reduction is refused", "[kernel]") {
  const Tensor a = Tensor::full({64, 100}, ScalarType::f32, 1);
  const Tensor out = Tensor::full({64, 1}, ScalarType::f32, 7);
  const auto iter = weft::TensorIterator::reduce_op(out, a);
  const auto same = [](float x) { return x; };
  CHECK_ERROR(invalid_argument, ("output 0", "reduction", "cpu_reduce"),
              weft::cpu_kernel(iter, same));
  CHECK_ERROR(invalid_argument, ("reduction"), weft::cpu_serial_kernel(iter, same));
  CHECK_ERROR(invalid_argument, ("reduction"), weft::explain_run(iter));
  CHECK_ERROR(invalid_argument, ("reduction"),
              weft::cpu_index_kernel(iter, {}, {}, [](char*, char*, std::int64_t) {}));
  CHECK(test::difference(out, test::dense_copy(Tensor::full({64, 1}, ScalarType::f32, 7))) == "");
}

TEST_CASE("run_spans: options that cannot be followed", "[kernel]") {
  const Tensor out = Tensor::full({8, 5}, ScalarType::f32, 7);
  const Tensor row = Tensor::full({8, 1}, ScalarType::f32, 7);
  const auto iter = TensorIteratorConfig().add_output(out).add_input(out).build();
  const auto reduced = TensorIterator::reduce_op(row, out);
  const auto same = [](float x) { return x; };
  const weft::SpanKernel kernel = weft::typed_span_kernel(same);
  const auto none = static_cast<weft::Strategy>(99);
  CHECK_ERROR(invalid_argument, ("no strategy", "99"), weft::name(none));
  CHECK_ERROR(invalid_argument, ("no strategy", "99"), weft::meaning(none));
  const weft::RunOptions unknown{.strategy = none}, negative{.grain = -1};
  CHECK_ERROR(invalid_argument, ("no strategy", "99"), weft::run_spans(iter, kernel, unknown));
  CHECK_ERROR(invalid_argument, ("no strategy", "99"), weft::explain_run(iter, kernel, unknown));
  CHECK_ERROR(invalid_argument, ("grain", "-1"), weft::run_spans(iter, kernel, negative));
  CHECK_ERROR(invalid_argument, ("grain", "-1"), weft::explain_run(iter, kernel, negative));
  CHECK_ERROR(invalid_argument, ("grain", "-3"), weft::cpu_kernel(iter, same, -3));
  CHECK_ERROR(invalid_argument, ("grain", "-3"), weft::cpu_reduce(reduced, Total{}, -3));
  CHECK(test::difference(out, test::dense_copy(Tensor::full({8, 5}, ScalarType::f32, 7))) == "");
  CHECK(test::difference(row, test::dense_copy(Tensor::full({8, 1}, ScalarType::f32, 7))) == "");
}
