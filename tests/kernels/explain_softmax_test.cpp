// SPDX-License-Identifier: Apache-2.0
// What explain_softmax() says is what a kernel sees: a probe notes every call that takes in a
// block.
#include <weft/parallel/parallel.hpp>

#include "engine/axis/run_softmax.hpp"
#include "support/arena.hpp"
#include "support/dense.hpp"
#include "support/random_axes.hpp"

#include <algorithm>
#include <string>

namespace {

using test::Dims;
using test::Layout;
using test::Memory;
using weft::Explanation;
using weft::ScalarType;
using weft::SoftmaxKernel;
using weft::TensorView;

/// What the calls of a run on one thread had in common: kernels of softmax have no context.
struct Probe {
  std::int64_t line_calls = 0, column_calls = 0, elements = 0;
  const char *begin = nullptr, *end = nullptr;  // of the input's memory
  bool in_place = true;

  void note(const char* in, std::int64_t n) {
    elements += n;
    in_place = in_place && in >= begin && in < end;
  }
};
Probe seen;

SoftmaxKernel probing() {
  SoftmaxKernel k;
  k.find_largest = [](void*, const char* in, std::int64_t, std::int64_t rows,
                      std::int64_t columns) {
    ++seen.column_calls;
    seen.note(in, rows * columns);
  };
  k.add_up = [](double*, const void*, char*, std::int64_t, const char*, std::int64_t, std::int64_t,
                std::int64_t) {};
  k.take_in = [](double*, void*, char*, std::int64_t, const char* in, std::int64_t,
                 std::int64_t rows, std::int64_t columns) {
    ++seen.column_calls;
    seen.note(in, rows * columns);
  };
  k.settle = [](void*, const double*, std::int64_t) {};
  k.scale = [](const void*, const void*, const void*, char*, std::int64_t, const char*,
               std::int64_t, std::int64_t, std::int64_t) {};
  k.finish = [](const void*, const void*, char*, std::int64_t, const char*, std::int64_t,
                std::int64_t, std::int64_t) {};
  k.few_rows = [](char*, std::int64_t, const char* in, std::int64_t, std::int64_t rows,
                  std::int64_t columns) {
    ++seen.column_calls;
    seen.note(in, rows * columns);
  };
  k.find_largest_of_line = [](void*, const char*, std::int64_t) {};
  k.add_up_line = [](double*, const void*, char*, const char* in, std::int64_t n) {
    ++seen.line_calls;
    seen.note(in, n);
  };
  k.scale_line = [](const void*, char*, std::int64_t) {};
  k.finish_line = [](const void*, const void*, char*, const char*, std::int64_t) {};
  k.lines = [](char*, std::int64_t, const char* in, std::int64_t, std::int64_t count,
               std::int64_t n) {
    ++seen.line_calls;
    seen.note(in, count * n);
  };
  k.min_line = 8;
  return k;
}

/// Runs it on this thread. Empty if what is said is what was seen.
std::string difference(const TensorView& out, const TensorView& in, std::int64_t axis,
                       std::string& form) {
  const SoftmaxKernel kernel = probing();
  seen = {};
  seen.begin = static_cast<const char*>(in.data()) + in.first_byte();
  seen.end = static_cast<const char*>(in.data()) + in.end_byte();
  const Explanation e = weft::explain_softmax(out, in, axis, kernel, {.serial = true});
  weft::run_softmax(out, in, axis, kernel, {.serial = true});
  form = e.run.form;
  const std::int64_t calls = seen.line_calls + seen.column_calls;
  if (in.numel() == 0) return calls == 0 && form.empty() ? "" : "something of nothing";
  if (seen.elements != in.numel()) return "elements";
  const bool lines = form.ends_with("lines");
  if ((lines ? seen.column_calls : seen.line_calls) != 0) return "lines or columns";
  // What is gathered may be many lines or columns, for several calls.
  const bool gathered = form.starts_with("gathered");
  if (gathered ? calls < e.run.blocks : calls != e.run.blocks) return "blocks";
  const auto direct = [&](std::size_t k) { return e.operands[k].access.starts_with("direct"); };
  const bool all_direct = direct(0) && direct(1);
  if (all_direct != (!gathered && !form.starts_with("staged"))) return "access";
  if (direct(1) && !seen.in_place) return "it is not in place";
  return e.run.threads == 1 ? "" : "threads";
}

}  // namespace

TEST_CASE("explain: the forms of softmax", "[kernels]") {
  const auto form_of = [](const Layout& to, const Layout& from, std::int64_t axis) {
    const Memory out(ScalarType::f32, test::fit(to));
    const Memory in(ScalarType::f32, test::fit(from));
    std::string form;
    CHECK(difference(out.view(), in.view(), axis, form) == "");
    return form;
  };
  const Layout few = {{10, 200}, {200, 1}}, many = {{100, 1000}, {1000, 1}};
  CHECK(form_of(few, few, 1) == "few-lines");
  CHECK(form_of(few, few, 0) == "few-columns");
  const Layout short_lines = {{10, 7}, {7, 1}}, one_short = {{7}, {1}};
  CHECK(form_of(short_lines, short_lines, 1) == "gathered-columns");
  CHECK(form_of(one_short, one_short, 0) == "few-lines");
  CHECK(form_of(many, many, 1) == "lines");
  CHECK(form_of(many, many, 0) == "columns");
  const Layout longer = {{3, 10'000}, {10'000, 1}};
  CHECK(form_of(longer, longer, 1) == "lines");
  const Layout tall = {{10'000, 300}, {300, 1}};
  CHECK(form_of(tall, tall, 0) == "columns");
  // Between layouts that cannot both be had in place.
  const Layout wide = {{1000, 50}, {50, 1}}, turned = {{1000, 50}, {1, 1000}};
  CHECK(form_of(turned, wide, 1) == "gathered-lines");
  CHECK(form_of(wide, turned, 1) == "gathered-columns");
  CHECK(form_of(many, {{100, 1000}, {1, 100}}, 1) == "staged-columns");
}

TEST_CASE("explain: blocks of softmax over any layout", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  test::check_random_axes(random, tally, ScalarType::f16, difference);
  CHECK_TALLY(tally);
}

TEST_CASE("explain: threads of softmax", "[kernels]") {
  const Memory many(ScalarType::f32, test::fit({{640, 100}, {100, 1}}));
  const Memory few(ScalarType::f32, test::fit({{10, 100}, {100, 1}}));
  const SoftmaxKernel kernel = probing();
  const auto threads = [&](const Memory& memory, const weft::RunOptions& options) {
    return weft::explain_softmax(memory.view(), memory.view(), 1, kernel, options).run.threads;
  };
  test::in_arena(4, [&] {
    for (const int most : {1, 2, 3}) {
      weft::set_num_threads(most);
      CHECK(threads(many, {.grain = 1}) == most);
      CHECK(threads(many, {.grain = 1, .serial = true}) == 1);
      CHECK(threads(few, {.grain = 1}) == 1);
    }
    weft::set_num_threads(0);
  });
}
