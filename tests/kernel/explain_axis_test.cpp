// SPDX-License-Identifier: Apache-2.0
// What explain_cumulative() says is what a kernel sees: a probe notes every call.
#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/dense.hpp"
#include "support/random_axes.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace {

using test::Dims;
using test::Layout;
using test::Memory;
using weft::CumulativeBlock;
using weft::CumulativeKernel;
using weft::Explanation;
using weft::ScalarType;
using weft::TensorView;

/// What the calls of a run had in common.
struct Probe {
  struct Range {
    const char *begin, *end;
    bool has(const char* at) const { return at >= begin && at < end; }
  };
  Range out{}, in{};
  std::mutex mutex;
  std::int64_t calls = 0, elements = 0, columns = 0, rows = 0;
  bool by_lines = false, by_columns = false, in_place[2] = {true, true};
  std::set<std::thread::id> threads;

  void note(const CumulativeBlock& b, bool lines) {
    const std::scoped_lock lock(mutex);
    ++calls;
    elements += b.columns * b.length;
    columns = std::max(columns, b.columns);
    rows = std::max(rows, b.length);
    (lines ? by_lines : by_columns) = true;
    in_place[0] = in_place[0] && out.has(b.data[0]);
    in_place[1] = in_place[1] && in.has(b.data[1]);
    threads.insert(std::this_thread::get_id());
  }
};

Probe& probe_of(const void* context) {
  return *const_cast<Probe*>(static_cast<const Probe*>(context));
}

/// Writes zeros.
CumulativeKernel probing(Probe& probe, bool takes_lines) {
  CumulativeKernel kernel;
  kernel.start = [](const void*, void*, const char* const*, std::int64_t) {};
  kernel.advance = [](const void* context, void*, const CumulativeBlock& b) {
    probe_of(context).note(b, false);
    for (std::int64_t r = 0; r < b.length; ++r)
      std::memset(b.data[0] + r * b.step_bytes[0], 0,
                  static_cast<std::size_t>(b.columns) * sizeof(float));
  };
  if (takes_lines) {
    kernel.advance_lines = [](const void* context, void*, const CumulativeBlock& b) {
      probe_of(context).note(b, true);
      for (std::int64_t l = 0; l < b.columns; ++l)
        std::memset(b.data[0] + l * b.step_bytes[0], 0,
                    static_cast<std::size_t>(b.length) * sizeof(float));
    };
  }
  kernel.context = &probe;
  kernel.accumulator_bytes = 8;
  kernel.types[0] = kernel.types[1] = ScalarType::f32;
  return kernel;
}

Probe::Range range_of(const TensorView& view) {
  const char* const origin = static_cast<const char*>(view.data());
  return {origin + view.first_byte(), origin + view.end_byte()};
}

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

/// Runs it on this thread. Empty if what is said is what was seen.
std::string difference(const TensorView& out, const TensorView& in, std::int64_t axis,
                       bool takes_lines, std::string& form) {
  Probe seen;
  seen.out = range_of(out);
  seen.in = range_of(in);
  const CumulativeKernel kernel = probing(seen, takes_lines);
  const Explanation e = weft::explain_cumulative(out, in, axis, kernel, {.serial = true});
  weft::run_cumulative(out, in, axis, kernel, {.serial = true});
  form = e.run.form;
  if (in.numel() == 0) return seen.calls == 0 && form.empty() ? "" : "something of nothing";
  if (seen.elements != in.numel()) return "elements";
  if (seen.calls != e.run.blocks) return "blocks";
  if (seen.columns != e.run.tile[0] || seen.rows != e.run.tile[1]) return "sizes of blocks";
  const bool lines = form.ends_with("lines");
  if (seen.by_lines != lines || seen.by_columns == lines) return "lines or columns";
  if (e.run.span != (lines ? seen.rows : seen.columns)) return "span";
  bool all_in_place = true;
  for (const std::size_t k : {0u, 1u}) {
    const bool direct = starts(e.operands[k].access, "direct");
    if (direct && !seen.in_place[k]) return "it is not in place";
    all_in_place = all_in_place && direct;
  }
  if (all_in_place == form.starts_with("gathered")) return "access";
  return e.run.threads == 1 ? "" : "threads";
}

}  // namespace

TEST_CASE("explain: the forms of prefix operations", "[kernel]") {
  const auto form_of = [](const Layout& to, const Layout& from, std::int64_t axis,
                          bool takes_lines = true, ScalarType type = ScalarType::f32) {
    const Memory out(ScalarType::f32, test::fit(to));
    const Memory in(type, test::fit(from));
    std::memset(in.data(), 0, static_cast<std::size_t>(in.size_bytes()));
    std::string form;
    CHECK(difference(out.view(), in.view(), axis, takes_lines, form) == "");
    return form;
  };
  const Layout rows = {{50, 300}, {300, 1}};
  CHECK(form_of(rows, rows, 1) == "lines");
  CHECK(form_of(rows, rows, 0) == "columns");
  CHECK(form_of(rows, rows, 1, false) == "gathered-columns");
  const Layout turned = {{50, 300}, {1, 50}};
  CHECK(form_of(turned, turned, 1) == "columns");
  CHECK(form_of(turned, turned, 0) == "lines");
  const Layout strided = {{50, 300}, {1200, 4}};
  CHECK(form_of(rows, strided, 1) == "gathered-lines");
  CHECK(form_of(rows, strided, 0) == "gathered-columns");
  CHECK(form_of(rows, rows, 1, true, ScalarType::i8) == "gathered-lines");
  const Layout few = {{5, 8, 9}, {72, 9, 1}};
  CHECK(form_of(few, few, 2) == "few-lines");
  CHECK(form_of(few, few, 2, false) == "few-columns");
  CHECK(form_of(few, few, 1) == "few-columns");
  CHECK(form_of(few, few, 2, true, ScalarType::i8) == "gathered-lines");
}

TEST_CASE("explain: blocks of prefix operations over any layout", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto wrong = [&](const TensorView& out, const TensorView& in, std::int64_t axis,
                         std::string& form) {
    return difference(out, in, axis, random.chance(60), form);
  };
  test::check_random_axes(random, tally, ScalarType::i16, wrong);
  CHECK_TALLY(tally);
}

TEST_CASE("explain: threads of prefix operations", "[kernel]") {
  const Memory out(ScalarType::f32, test::fit({{640, 100}, {100, 1}}));
  const Memory in(ScalarType::f32, test::fit({{640, 100}, {100, 1}}));
  Probe seen;
  const CumulativeKernel kernel = probing(seen, true);
  test::in_arena(4, [&] {
    for (const int threads : {1, 2, 3}) {
      weft::set_num_threads(threads);
      seen.threads.clear();
      const weft::RunOptions options{.grain = 1};
      const Explanation e = weft::explain_cumulative(out.view(), in.view(), 1, kernel, options);
      weft::run_cumulative(out.view(), in.view(), 1, kernel, options);
      CHECK(e.run.threads == threads);
      CHECK(seen.threads.size() <= static_cast<std::size_t>(threads));
      // Too little for a second thread, unless it is told what is enough.
      CHECK(weft::explain_cumulative(out.view().slice(0, 0, 8), in.view().slice(0, 0, 8), 1, kernel)
                .run.threads == 1);
      CHECK(weft::explain_cumulative(out.view(), in.view(), 1, kernel, {.serial = true})
                .run.threads == 1);
    }
    weft::set_num_threads(0);
  });
}
