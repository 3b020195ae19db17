// SPDX-License-Identifier: Apache-2.0
// What does the engine add to the arithmetic? Dense calls beside loops written by hand with the
// best instructions, with and without streaming stores, on the same memory. 4 Ki elements fit L1
// or nearly so, 64 Ki stay in L2 or near it, 1 Mi in the last-level cache of many machines, 16 Mi
// in none.
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>

#include "hand_loops.hpp"
#include "study.hpp"

namespace bench {
namespace {

struct Op {
  const char* name;
  ScalarType type;
  HandOp hand;
  void (*weft)(const TensorView& out, const TensorView& a, const TensorView& b);
};

constexpr Op ops[] = {
    {"add_f32", ScalarType::f32, HandOp::add_f32,
     [](const TensorView& out, const TensorView& a, const TensorView& b) {
       weft::add_out(out, a, b);
     }},
    {"add_f64", ScalarType::f64, HandOp::add_f64,
     [](const TensorView& out, const TensorView& a, const TensorView& b) {
       weft::add_out(out, a, b);
     }},
    {"mul_i32", ScalarType::i32, HandOp::mul_i32,
     [](const TensorView& out, const TensorView& a, const TensorView& b) {
       weft::mul_out(out, a, b);
     }},
    {"copy_f32", ScalarType::f32, HandOp::copy_f32,
     [](const TensorView& out, const TensorView& a, const TensorView&) { weft::copy_out(out, a); }},
};

struct Dense {
  Dense(const Op& operation, std::int64_t count)
      : op(operation),
        n(count),
        out(output(op.type, {n}, {1})),
        a(input(1, op.type, {n}, {1})),
        b(input(2, op.type, {n}, {1})) {}

  Work work(std::function<void()> run) const {
    const bool copies = op.hand == HandOp::copy_f32;
    return {.run = std::move(run),
            .check = [*this] { check(); },
            .out = out,
            .bytes = copies ? bytes_of(out, a) : bytes_of(out, a, b)};
  }
  void check() const {
    switch (op.hand) {
      case HandOp::add_f32: return expect<float>(std::plus(), out, a, b);
      case HandOp::add_f64: return expect<double>(std::plus(), out, a, b);
      case HandOp::mul_i32: return expect<std::int32_t>(std::multiplies(), out, a, b);
      case HandOp::copy_f32: return expect<float>([](float x) { return x; }, out, a);
    }
  }

  Op op;
  std::int64_t n;
  TensorView out, a, b;
};

void add_cases(const Op& op, std::int64_t n) {
  const std::string at = std::string("/op:") + op.name + "/n:" + std::to_string(n);
  add_case("weft" + at, [op, n] {
    const Dense t(op, n);
    return t.work([t] { t.op.weft(t.out, t.a, t.b); });
  });
  const int best = weft::place_of(weft::best_level());
  for (int place = best == 0 ? 0 : 1; place <= best; ++place) {
    const weft::Level level = weft::level_at(place);
    for (const bool stream : {false, true}) {
      const std::string series =
          "by hand, " + std::string(weft::name(level)) + (stream ? " streaming" : "");
      add_case(series + at, [=] {
        const Dense t(op, n);
        return t.work([t, level, stream] {
          hand_loop.at(level)(t.op.hand, stream, t.out.data(), t.a.data(), t.b.data(), t.n);
        });
      });
    }
  }
  if (op.hand != HandOp::copy_f32) return;
  add_case("memcpy" + at, [op, n] {
    const Dense t(op, n);
    return t.work(
        [t] { std::memcpy(t.out.data(), t.a.data(), static_cast<std::size_t>(t.a.nbytes())); });
  });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  for (const bench::Op& op : bench::ops) {
    for (const std::int64_t n : {1 << 12, 1 << 16, 1 << 20, 1 << 24})
      bench::add_cases(op, n);
  }
  return bench::run_cases(argc, argv, "0.1");
}
