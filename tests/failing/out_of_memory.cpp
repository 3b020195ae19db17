// SPDX-License-Identifier: Apache-2.0
#include "failing/out_of_memory.hpp"

#include <weft/base/error.hpp>
#include <weft/core/memory.hpp>
#include <weft/parallel/parallel.hpp>

#include "machine/scratch_memory.hpp"
#include "support/allocation_counter.hpp"
#include "support/arena.hpp"
#include "support/dense.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>

// What is asked for below operator new fails as well: by pugixml, and by the C library itself. Only
// where there is one thread, since oneTBB ends the process if it has no room for an exception.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void* __libc_malloc(std::size_t size);
void* malloc(std::size_t size) noexcept {
  using test::FailingAllocation;
  const bool fails = !FailingAllocation::is_everywhere() && FailingAllocation::fails_now();
  return fails ? nullptr : __libc_malloc(size);
}
}
#endif

namespace test {
namespace {

/// How a run has ended.
enum class End { returned, failed, other };

End run_with(const Attempt& attempt, long n, Failing how, Of whose, bool& reached) {
  FailingAllocation failing(n, how, whose);
  End end = End::returned;
  try {
    attempt.run();
  } catch (const std::bad_alloc&) {
    end = End::failed;
  } catch (const weft::Error&) {
    end = End::failed;
  } catch (...) {
    end = End::other;
  }
  reached = failing.stop();
  return end;
}

/// Fails allocation n. Returns whether there was one, and by how many allocations there are more
/// afterwards in `left_over`.
bool check_one(const std::string& name, const std::function<Attempt()>& make, long n, Failing how,
               Of whose, long& left_over, Tally& tally) {
  const auto expect = [&](bool right, const char* what) {
    tally.check(right, [&](auto& text) {
      text << name << ", allocation " << n << (how == Failing::once ? "" : " and all that follow")
           << (whose == Of::this_thread ? "" : ", on several threads") << ": " << what;
    });
  };
  weft::ScratchMemory::release_kept();  // or no attempt would allocate any
  const long live = live_allocations;
  bool reached = false;
  {
    const Attempt attempt = make();
    const End end = run_with(attempt, n, how, whose, reached);
    expect(end != End::other, "another exception");
    if (end == End::failed && attempt.is_untouched)
      expect(attempt.is_untouched(), "outputs were written to");
    if (end == End::returned) expect(attempt.is_right(), "went on, and gave something else");
    for (const char* what : {"the same run is wrong afterwards", "the next run is wrong"}) {
      attempt.run();
      expect(attempt.is_right(), what);
    }
    if (n % 8 == 1) {
      const Attempt fresh = make();
      fresh.run();
      expect(fresh.is_right(), "a fresh run is wrong");
    }
  }
  weft::ScratchMemory::release_kept();
  left_over = live_allocations - live;
  return reached;
}

/// The same once more where something is left over: what a program keeps for later grows for once,
/// what is lost is lost each time.
bool check_twice(const std::string& name, const std::function<Attempt()>& make, long n, Failing how,
                 Of whose, Tally& tally) {
  long left_over = 0;
  bool reached = check_one(name, make, n, how, whose, left_over, tally);
  for (int again = 0; again < 3 && left_over != 0; ++again)
    reached = check_one(name, make, n, how, whose, left_over, tally);
  tally.check(left_over == 0, [&](auto& text) {
    text << name << ", allocation " << n << ": " << left_over << " allocations are left over";
  });
  return reached;
}

/// Has all threads of the arena there: oneTBB makes them one by one, and takes memory for it.
void start_threads(int count) {
  std::atomic<int> there{0};
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  weft::parallel_for(count, 1, [&](std::int64_t, std::int64_t) {
    ++there;
    while (there < count && std::chrono::steady_clock::now() < give_up)
      std::this_thread::yield();
  });
}

/// With nothing kept, so that every tensor is an allocation.
long fail_all(const std::string& name, const std::function<Attempt()>& make, Of whose,
              Tally& tally) {
  weft::set_kept_memory(0);
  // What is looked up once is there, and so is what a program keeps for its next frame.
  {
    const Attempt attempt = make(), other = make();
    for (const Attempt* each : {&attempt, &other, &attempt}) {
      each->run();
      tally.check(each->is_right(), [&](auto& text) { text << name << ": wrong by itself"; });
    }
  }
  long failed = 0;
  const auto fails = [&](long n, Failing how) {
    return check_twice(name, make, n, how, whose, tally);
  };
  for (long n = 1; fails(n, Failing::once); ++n)
    ++failed;
  // Of very many, a few: each is the start of all that follow.
  for (long n = 1; fails(n, Failing::from_there_on);)
    n += n < 100 ? 1 : 7;
  weft::set_kept_memory(weft::default_kept_memory);
  return failed;
}

}  // namespace

void check_out_of_memory(const std::string& name, const std::function<Attempt()>& make,
                         On threads) {
  Tally tally;
  long failed = 0;
  {
    const weft::ThreadLimit one(1);
    failed = fail_all(name, make, Of::this_thread, tally);
  }
  if (threads == On::four_threads) {
    in_arena(4, [&] {
      start_threads(4);
      failed += fail_all(name, make, Of::all_threads, tally);
    });
  }
  INFO(name);
  CHECK_TALLY(tally);
  CHECK(failed > 0);
}

void check_out_of_memory(const std::string& name, const std::function<weft::Tensor()>& call,
                         On threads) {
  const weft::Tensor wanted = call();
  const auto make = [&] {
    const auto got = std::make_shared<weft::Tensor>();
    return Attempt{[&, got] { *got = call(); }, [&, got] { return same_elements(*got, wanted); },
                   [got] { return !got->defined(); }};
  };
  check_out_of_memory(name, std::function<Attempt()>(make), threads);
}

void check_out_of_memory_into(const std::string& name, const weft::Tensor& output,
                              const std::function<void(weft::Tensor&)>& call, On threads) {
  const auto copy = [&] { return output.defined() ? output.clone() : weft::Tensor(); };
  weft::Tensor wanted = copy();
  call(wanted);
  const auto make = [&] {
    const auto out = std::make_shared<weft::Tensor>(copy());
    return Attempt{
        [&, out] {
          *out = copy();  // what works in place begins with what was there
          call(*out);
        },
        [&, out] { return same_elements(*out, wanted); },
        [&, out] { return output.defined() ? same_elements(*out, output) : !out->defined(); }};
  };
  check_out_of_memory(name, std::function<Attempt()>(make), threads);
}

bool same_elements(const weft::TensorView& a, const weft::TensorView& b) {
  return a.defined() && b.defined() && a.dtype() == b.dtype() &&
         std::ranges::equal(a.shape(), b.shape()) && dense_copy(a).bytes == dense_copy(b).bytes;
}

}  // namespace test
