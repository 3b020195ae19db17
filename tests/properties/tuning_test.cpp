// SPDX-License-Identifier: Apache-2.0
// The measured constants decide on speed only, and what a file says of them is checked.
#include "machine/tuning.hpp"

#include <weft/base/error.hpp>
#include <weft/base/version.hpp>
#include <weft/machine/strategy.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/softmax.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>

#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using test::Dims;
using test::Memory;
using test::Random;
using weft::CpuInfo;
using weft::ErrorCode;
using weft::MachineClass;
using weft::ScalarType;
using weft::Strategy;
using weft::TensorView;
using weft::Tuning;
using weft::TuningRow;

/// Caches so small that little memory is much, and any value that a file may have for some rows;
/// values near those of the table for the others.
Tuning random_tuning(Random& random) {
  CpuInfo machine;
  machine.l1_bytes = random.pick<std::int64_t>({32 << 10, 48 << 10});
  machine.l2_bytes = random.integer(8, 64) << 10;
  machine.l3_bytes = random.integer(64, 512) << 10;
  machine.l3_is_told_far = random.chance(30);
  Tuning tuning = weft::default_tuning(machine);
  if (random.chance(70)) tuning.min_layered_bytes = random.pick<std::int64_t>({0, 30'000});
  const int percent = random.pick<int>({0, 10, 50});
  for (const TuningRow& row : weft::tuning_rows()) {
    std::int64_t& value = tuning.*row.value;
    if (!random.chance(percent)) continue;
    const int how = static_cast<int>(random.integer(0, 4));
    value = how == 0   ? row.minimum
            : how == 1 ? row.maximum
            : how == 2 ? value / 4
            : how == 3 ? std::min(value, row.maximum / 4) * 4
                       : random.integer(row.minimum, std::min(row.maximum, 2 * value + 1));
    value = std::clamp(value, row.minimum, row.maximum);
  }
  return tuning;
}

struct Call {
  std::string name;
  ScalarType out;
  Dims shape;
  std::vector<Memory> inputs;
  std::function<void(const TensorView& out, const std::vector<Memory>& in)> run;
};

/// A call of a function on operands of any layout, whose result has the type and shape of `out`.
Call random_call(Random& random) {
  const std::vector<ScalarType> types = {ScalarType::f32, ScalarType::f64, ScalarType::u8,
                                         ScalarType::i16, ScalarType::f16, ScalarType::c128,
                                         ScalarType::i64};
  Dims shape;
  std::int64_t left = random.pick<std::int64_t>({20, 500, 8000, 60'000});
  for (auto rank = random.integer(0, 4); rank > 0; --rank) {
    const std::int64_t extent =
        rank == 1 ? left : random.integer(1, std::min<std::int64_t>(left, 300));
    shape.push_back(std::max<std::int64_t>(extent, 1));
    left /= shape.back();
  }
  std::rotate(shape.begin(),
              shape.begin() + random.integer(0, static_cast<std::int64_t>(shape.size())),
              shape.end());
  const auto input = [&](ScalarType type) {
    return test::random_input(random, type, shape, test::Values::any);
  };
  const auto whole_input = [&](ScalarType type) {
    return test::random_memory(random, type, test::random_layout(random, shape));
  };
  Call call;
  call.shape = shape;
  const ScalarType type = random.pick(types);
  switch (random.integer(0, 7)) {
    case 0:
    case 1:
      call.name = "add";
      call.out = type;
      call.inputs.push_back(whole_input(type));
      call.inputs.push_back(input(random.chance(70) ? type : ScalarType::u8));
      call.run = [](const TensorView& out, const auto& in) {
        weft::add_out(out, in[0].view(), in[1].view());
      };
      break;
    case 2:
      call.name = "where";
      call.out = type;
      call.inputs.push_back(whole_input(ScalarType::boolean));
      call.inputs.push_back(input(type));
      call.inputs.push_back(input(type));
      call.run = [](const TensorView& out, const auto& in) {
        weft::where_out(out, in[0].view(), in[1].view(), in[2].view());
      };
      break;
    case 3:
      call.name = "exp";
      call.out = ScalarType::f32;
      call.inputs.push_back(
          whole_input(random.pick<ScalarType>({ScalarType::f32, ScalarType::i16})));
      call.run = [](const TensorView& out, const auto& in) { weft::exp_out(out, in[0].view()); };
      break;
    case 4:
    case 5:
      call.name = "copy";
      call.out = type;
      call.inputs.push_back(input(random.chance(80) ? type : ScalarType::u8));
      call.run = [](const TensorView& out, const auto& in) { weft::copy_out(out, in[0].view()); };
      break;
    case 6:
      call.name = "cumsum";
      call.out = ScalarType::f32;
      call.inputs.push_back(whole_input(ScalarType::f32));
      call.run = [](const TensorView& out, const auto& in) {
        weft::cumsum_out(out, in[0].view(), 0);
      };
      break;
    default: {
      call.name = "sum";
      call.out = ScalarType::f32;
      call.inputs.push_back(whole_input(ScalarType::f32));
      Dims axes;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (!random.chance(50)) continue;
        axes.push_back(static_cast<std::int64_t>(axis));
        call.shape[axis] = 1;
      }
      if (axes.empty()) call.shape.assign(shape.size(), 1);
      call.run = [axes](const TensorView& out, const auto& in) {
        weft::sum_out(out, in[0].view(), axes, {.keepdim = true});
      };
    }
  }
  return call;
}

TEST_CASE("tuning: no value of it changes a bit of a result", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(300); ++round) {
    const Call call = random_call(random);
    Memory out = test::random_output(random, call.out, call.shape);
    call.run(out.view(), call.inputs);
    test::Dense expected = test::dense_copy(out.view());
    test::canonicalize(expected);
    for (int i = 0; i < 6; ++i) {
      const Tuning tuning = random_tuning(random);
      std::memset(out.data(), 0x5a, static_cast<std::size_t>(out.size_bytes()));
      const test::Watch watch(out);
      {
        const weft::ScopedTuning scope(tuning);
        call.run(out.view(), call.inputs);
      }
      test::Dense got = test::dense_copy(out.view());
      test::canonicalize(got);
      tally.check(got.bytes == expected.bytes && watch.gaps_untouched(), [&](auto& text) {
        text << (watch.gaps_untouched() ? "bits of " : "gaps of ") << weft::name(call.out) << ' '
             << call.name << " in round " << round << ", tuning " << i << ":";
        for (const TuningRow& row : weft::tuning_rows()) {
          if (tuning.*row.value != row.defaults[static_cast<int>(tuning.machine_class)])
            text << ' ' << row.name << ' ' << tuning.*row.value;
        }
      });
    }
  }
  CHECK_TALLY(tally);
}

/// Calls large enough for tiles of every kind, of operands that are dense along different dims.
std::vector<Call> large_calls(Random& random) {
  const Dims shape = {300, 500};
  const std::int64_t size = 300 * 500;
  const test::Layout dense{shape, {500, 1}, 0, size}, transposed{shape, {1, 300}, 0, size},
      strided{shape, {1500, 3}, 0, 3 * size};
  std::vector<Call> calls;
  for (const ScalarType type :
       {ScalarType::f32, ScalarType::f64, ScalarType::u8, ScalarType::c128}) {
    for (const test::Layout& layout : {transposed, strided}) {
      Call add{"add", type, shape, {}, [](const TensorView& out, const auto& in) {
                 weft::add_out(out, in[0].view(), in[1].view());
               }};
      add.inputs.push_back(test::random_memory(random, type, layout));
      add.inputs.push_back(test::random_memory(random, type, dense));
      Call copy{"copy", type, shape, {}, [](const TensorView& out, const auto& in) {
                  weft::copy_out(out, in[0].view());
                }};
      copy.inputs.push_back(test::random_memory(random, type, layout));
      calls.push_back(std::move(add));
      calls.push_back(std::move(copy));
    }
  }
  for (const test::Layout& layout : {dense, transposed}) {
    Call exp{"exp", ScalarType::f32, shape, {}, [](const TensorView& out, const auto& in) {
               weft::exp_out(out, in[0].view());
             }};
    exp.inputs.push_back(test::random_memory(random, ScalarType::i16, layout));
    Call cumsum{"cumsum", ScalarType::f32, shape, {}, [](const TensorView& out, const auto& in) {
                  weft::cumsum_out(out, in[0].view(), 0);
                }};
    cumsum.inputs.push_back(test::random_memory(random, ScalarType::f32, layout));
    Call softmax{"softmax", ScalarType::f32, shape, {}, [](const TensorView& out, const auto& in) {
                   weft::softmax_out(out, in[0].view(), 0);
                 }};
    softmax.inputs.push_back(test::random_memory(random, ScalarType::f32, layout));
    Call sum{"sum", ScalarType::f32, {300, 1}, {}, [](const TensorView& out, const auto& in) {
               weft::sum_out(out, in[0].view(), {1}, {.keepdim = true});
             }};
    sum.inputs.push_back(test::random_memory(random, ScalarType::f32, layout));
    for (Call* call : {&exp, &cumsum, &softmax, &sum})
      calls.push_back(std::move(*call));
  }
  return calls;
}

/// The bits of a call's result; empty if it wrote beside it.
std::vector<std::byte> bits_of(const Call& call, Memory& out) {
  std::memset(out.data(), 0x5a, static_cast<std::size_t>(out.size_bytes()));
  const test::Watch watch(out);
  call.run(out.view(), call.inputs);
  test::Dense got = test::dense_copy(out.view());
  test::canonicalize(got);
  const auto* bytes = reinterpret_cast<const std::byte*>(got.bytes.data());
  return watch.gaps_untouched() ? std::vector<std::byte>(bytes, bytes + got.bytes.size())
                                : std::vector<std::byte>();
}

TEST_CASE("tuning: the bounds of each row are safe", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<Call> calls = large_calls(random);
  std::vector<std::vector<std::byte>> expected;
  for (const Call& call : calls) {
    Memory out = test::random_output(random, call.out, call.shape);
    expected.push_back(bits_of(call, out));
  }
  CpuInfo machine;
  machine.l1_bytes = 32 << 10;
  machine.l2_bytes = 64 << 10;
  for (const TuningRow& row : weft::tuning_rows()) {
    for (const std::int64_t value : {row.minimum, row.maximum}) {
      machine.l3_bytes = random.pick<std::int64_t>({256 << 10, 8 << 20});
      Tuning tuning = weft::default_tuning(machine);
      tuning.*row.value = value;
      const weft::ScopedTuning scope(tuning);
      for (int i = 0; i < test::rounds(5); ++i) {
        const auto at = static_cast<std::size_t>(random.integer(0, std::ssize(calls) - 1));
        Memory out = test::random_output(random, calls[at].out, calls[at].shape);
        tally.check(bits_of(calls[at], out) == expected[at], [&](auto& text) {
          text << calls[at].name << " of " << weft::name(calls[at].out) << ", " << row.name << ' '
               << value;
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

/// Runs a call as a strategy says; false if it refuses.
bool run_by(Strategy strategy, const Tuning& tuning, const Call& call, const TensorView& out) {
  Tuning forced = tuning;
  forced.strategy = strategy;
  const weft::ScopedTuning scope(forced);
  try {
    call.run(out, call.inputs);
  } catch (const weft::Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    if (std::string_view(error.what()).find("these can") == std::string_view::npos) throw;
    return false;
  }
  return true;
}

TEST_CASE("strategies: none changes a bit of a result", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  std::set<Strategy> used;
  for (int round = 0; round < test::rounds(400); ++round) {
    const Call call = random_call(random);
    Memory out = test::random_output(random, call.out, call.shape);
    call.run(out.view(), call.inputs);
    test::Dense expected = test::dense_copy(out.view());
    test::canonicalize(expected);
    const Tuning tuning = random.chance(50) ? random_tuning(random) : weft::tuning();
    for (int i = 1; i < weft::strategy_count; ++i) {
      const auto strategy = static_cast<Strategy>(i);
      std::memset(out.data(), 0x5a, static_cast<std::size_t>(out.size_bytes()));
      const test::Dense before = test::dense_copy(out.view());
      const test::Watch watch(out);
      const bool ran = run_by(strategy, tuning, call, out.view());
      if (ran) used.insert(strategy);
      test::Dense got = test::dense_copy(out.view());
      if (ran) test::canonicalize(got);
      tally.check(got.bytes == (ran ? expected : before).bytes && watch.gaps_untouched(),
                  [&](auto& text) {
                    text << (watch.gaps_untouched() ? "bits of " : "gaps of ")
                         << weft::name(call.out) << ' ' << call.name << " in round " << round
                         << (ran ? ", by " : ", refused by ") << name(strategy);
                  });
    }
  }
  CHECK_TALLY(tally);
  CHECK(used.size() == weft::strategy_count - 1);
}

TEST_CASE("strategies: names are found", "[properties]") {
  for (int i = 0; i < weft::strategy_count; ++i) {
    const auto strategy = static_cast<Strategy>(i);
    CHECK(weft::find_strategy(name(strategy)) == strategy);
    CHECK(!meaning(strategy).empty());
  }
  CHECK(!weft::find_strategy("rowtiles"));
  CHECK(!weft::find_strategy(""));
}

CpuInfo some_machine() {
  CpuInfo machine;
  machine.model = "Some Processor 9000";
  machine.l1_bytes = 48 << 10;
  machine.l2_bytes = 2 << 20;
  machine.l3_bytes = 32 << 20;
  return machine;
}

TEST_CASE("tuning: rows have a name each, and values in their range", "[properties]") {
  std::set<std::string_view> names;
  for (const TuningRow& row : weft::tuning_rows()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(!row.meaning.empty());
    for (const std::int64_t value : row.defaults)
      CHECK((value >= row.minimum && value <= row.maximum));
  }
}

TEST_CASE("tuning: the class follows from the caches", "[properties]") {
  CpuInfo machine = some_machine();
  CHECK(weft::default_tuning(machine).machine_class == MachineClass::near);
  machine.l1_bytes = 32 << 10;
  CHECK(weft::default_tuning(machine).machine_class == MachineClass::tight);
  machine.l3_is_told_far = true;
  CHECK(weft::default_tuning(machine).machine_class == MachineClass::far);
}

TEST_CASE("tuning: what is written is read back", "[properties]") {
  WEFT_RANDOM(random);
  const CpuInfo machine = some_machine();
  Tuning tuning = weft::default_tuning(machine);
  for (const TuningRow& row : weft::tuning_rows())
    tuning.*row.value = random.integer(row.minimum, row.maximum);
  const std::string text = weft::tuning_text(tuning, machine, "2026-11-24");
  const Tuning back = weft::parse_tuning(text, machine);
  for (const TuningRow& row : weft::tuning_rows())
    CHECK(back.*row.value == tuning.*row.value);
  CHECK(back.l2_bytes == machine.l2_bytes);
}

TEST_CASE("tuning: of a processor that does not tell its name", "[properties]") {
  CpuInfo machine = some_machine();
  machine.model.clear();
  Tuning tuning = weft::default_tuning(machine);
  tuning.thread_ns = 12'345;
  const std::string text = weft::tuning_text(tuning, machine, "2026-11-24");
  CHECK(weft::parse_tuning(text, machine).thread_ns == 12'345);
  CHECK_THROWS_AS(weft::parse_tuning(text, some_machine()), weft::Error);
}

TEST_CASE("tuning: rows that a file leaves out are those of the table", "[properties]") {
  const CpuInfo machine = some_machine();
  const std::string head = std::string("weft-tuning 1\nversion ") + weft::version() +
                           "\nprocessor Some Processor 9000\ncaches 49152 2097152 33554432\n";
  const Tuning tuning =
      weft::parse_tuning(head + "date 2026-11-24\n# a remark\n\nthread_ns 12345\r\n", machine);
  CHECK(tuning.thread_ns == 12'345);
  CHECK(tuning.tile_bytes == weft::default_tuning(machine).tile_bytes);

  const auto refuses = [&](const std::string& text, ErrorCode code, const char* what) {
    CHECK(test::wrong_error(code, test::words(what),
                            [&] { static_cast<void>(weft::parse_tuning(text, machine)); }) == "");
  };
  const std::string dated = head + "date 2026-11-24\n";
  // Blanks, tabs and comments have no say.
  const Tuning loose = weft::parse_tuning(
      dated + "\trow_ps 5 # fast\n line_ps   7\t\r\n  # nothing\ncall_ps\t9#\n", machine);
  CHECK(loose.row_ps == 5);
  CHECK(loose.line_ps == 7);
  CHECK(loose.call_ps == 9);
  refuses("", ErrorCode::parse, "expected 'weft-tuning 1'");
  refuses("weft-tuning 2\n", ErrorCode::parse, "expected 'weft-tuning 1'");
  refuses("weft-tuning 1\nversion 9.9.9\n", ErrorCode::invalid_argument,
          "line 2: the version of the file: '9.9.9', here: '");
  refuses("weft-tuning 1\nversion", ErrorCode::parse, "line 2: expected 'version ...'");
  std::string other = dated;
  other.replace(other.find("9000"), 4, "9001");
  refuses(other, ErrorCode::invalid_argument,
          "the processor of the file: 'Some Processor 9001', here: 'Some Processor 9000'");
  other = dated;
  other.replace(other.find("49152"), 5, "32768");
  refuses(other, ErrorCode::invalid_argument, "the caches of the file: '32768 2097152 33554432'");
  refuses(head + "date 2026-13-24\n", ErrorCode::parse, "line 5: the date is '2026-13-24'");
  refuses(head + "date yesterday!\n", ErrorCode::parse, "line 5: the date is");
  refuses(dated + "thread_us 1\n", ErrorCode::parse, "line 6: there is no row 'thread_us'");
  refuses(dated + "thread_ns 500\nthread_ns 500\n", ErrorCode::parse,
          "line 7: 'thread_ns' comes twice");
  refuses(dated + "thread_ns\n", ErrorCode::parse, "'thread_ns' is '', expected an integer");
  refuses(dated + "thread_ns 1e5\n", ErrorCode::parse, "'thread_ns' is '1e5'");
  refuses(dated + "thread_ns 99999999999999999999\n", ErrorCode::parse, "expected an integer");
  refuses(dated + "tile_bytes 99999\n", ErrorCode::parse,
          "'tile_bytes' is 99999, expected 4096 to 24576 bytes");
  refuses(dated + "tile_bytes -1\n", ErrorCode::parse, "'tile_bytes' is -1");
}

}  // namespace
