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
  bool by_lines = false, by_columns = false, in_place = true;
  std::set<std::thread::id> threads;

  void note(char* to, const char* from, std::int64_t c, std::int64_t r, bool lines) {
    const std::scoped_lock lock(mutex);
    ++calls;
    elements += c * r;
    columns = std::max(columns, c);
    rows = std::max(rows, r);
    (lines ? by_lines : by_columns) = true;
    in_place = in_place && out.has(to) && in.has(from);
    threads.insert(std::this_thread::get_id());
  }
};

Probe& probe_of(const void* context) {
  return *const_cast<Probe*>(static_cast<const Probe*>(context));
}

/// Writes zeros.
CumulativeKernel probing(Probe& probe, bool takes_lines) {
  CumulativeKernel kernel;
  kernel.start = [](const void*, void*, std::int64_t) {};
  kernel.advance = [](const void* context, void*, char* out, std::int64_t out_row, const char* in,
                      std::int64_t, std::int64_t rows, std::int64_t columns) {
    probe_of(context).note(out, in, columns, rows, false);
    for (std::int64_t r = 0; r < rows; ++r)
      std::memset(out + r * out_row, 0, static_cast<std::size_t>(columns) * sizeof(float));
  };
  if (takes_lines) {
    kernel.advance_lines = [](const void* context, void*, char* out, std::int64_t out_line,
                              const char* in, std::int64_t, std::int64_t n, std::int64_t lines) {
      probe_of(context).note(out, in, lines, n, true);
      for (std::int64_t l = 0; l < lines; ++l)
        std::memset(out + l * out_line, 0, static_cast<std::size_t>(n) * sizeof(float));
    };
  }
  kernel.context = &probe;
  kernel.accumulator_bytes = 8;
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
  const std::string& access = e.operands[0].access;
  if (starts(access, "direct") != (form == "lines" || form == "columns")) return "access";
  if (starts(access, "direct") && !seen.in_place) return "it is not in place";
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
