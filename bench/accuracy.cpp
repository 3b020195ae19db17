// SPDX-License-Identifier: Apache-2.0
// The largest errors of the mathematical functions, in units in the last place, at every level of
// this machine, as the table of docs/accuracy.md.
//
//   accuracy [--step N] [--samples N] [NAME...]
//
// f16 and bf16: all values. f32: every Nth of all 2^32 (default 1, all of them, half a minute a
// function on a processor with AVX2), against the C library in f64. f64, and functions of two
// operands: N samples (default 100 million) where functions are hard: next to multiples of pi / 2
// and of 1 / 2, near 0, thresholds, results below the normal numbers, any bits; against the C
// library in long double. c64 and c128: a hundredth of the samples, the error being the magnitude
// of the difference in ulp of the result's.
#include <weft/ops/function_table.hpp>

#include "ops/any_function.hpp"
#include "tests/support/levels.hpp"
#include "tests/support/naive_complex.hpp"
#include "tests/support/naive_math.hpp"
#include "tests/support/ulp.hpp"
#include "vector_reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using weft::Level;
using weft::ScalarType;

constexpr std::int64_t block = 4096;

struct Worst {
  double error = 0, a = 0, b = 0;
};

/// One function, one type: its kernels by level, and what was found.
template <class T, class Op>
class Study {
 public:
  using Wide = test::Wider<T>;
  static constexpr ScalarType type = weft::scalar_type_of<T>;

  explicit Study(Op op) : op_(op) {
    // Where halves have no kernel of their own they are converted for the one of f32, rightly
    // rounded: that conversion is tested elsewhere.
    for (const Level level : test::levels())
      kernels_.push_back(weft::any_function(op).kernel(type, level));
    worst_.resize(kernels_.size());
  }
  bool exists() const { return kernels_.back() != nullptr; }

  /// Values of f32 whose largest error is looked for in f64 with vectors: see vector_reference.hpp.
  static constexpr bool has_fast_way =
      std::is_same_v<Op, weft::UnaryOp> && std::is_same_v<T, float>;

  /// Takes a value into the study.
  void add(T a, T b = T()) {
    a_.push_back(a);
    b_.push_back(b);
    if (static_cast<std::int64_t>(a_.size()) == block) run();
  }
  void finish() {
    if (!a_.empty()) run();
    std::printf("| `%s` | %s |", info(op_).name, std::string(weft::name(type)).c_str());
    for (const Worst& w : worst_)
      std::printf(" %.3f |", w.error);
    const Worst& w = worst_.back();
    if (std::is_same_v<Op, weft::UnaryOp>) {
      std::printf(" %.17g |\n", w.a);
    } else {
      std::printf(" %.17g, %.17g |\n", w.a, w.b);
    }
    std::fflush(stdout);
  }

 private:
  static Wide wide(T x) {
    if constexpr (weft::is_half_type<T>) return static_cast<float>(x);
    return static_cast<Wide>(x);
  }
  Wide wanted(std::size_t i) const {
    if constexpr (std::is_same_v<Op, weft::UnaryOp>) {
      return *test::naive_math<Wide>(op_, wide(a_[i]));
    } else {
      return *test::naive_math<Wide>(op_, wide(a_[i]), wide(b_[i]));
    }
  }
  /// True for logaddexp where little is left of the larger operand: the reference is no better
  /// there (docs/accuracy.md).
  bool cancels(std::size_t i, Wide wanted) const {
    if constexpr (std::is_same_v<Op, weft::BinaryOp>) {
      const Wide most = std::max(wide(a_[i]), wide(b_[i]));
      return op_ == Op::logaddexp && std::fabs(wanted) < std::fabs(most) / 8;
    }
    return false;
  }
  void run() {
    const std::size_t n = a_.size();
    const bool fast = find_fast_reference();
    std::vector<Wide> slow(fast ? 0 : n);
    for (std::size_t i = 0; i < slow.size(); ++i)
      slow[i] = wanted(i);
    std::vector<T> out(n), before(n);
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      if (kernels_[k] == nullptr) continue;
      std::swap(out, before);
      char* data[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(a_.data()),
                      reinterpret_cast<char*>(b_.data())};
      kernels_[k]->run(kernels_[k]->context, data, nullptr, static_cast<std::int64_t>(n), 1, 0);
      if (k > 0 && std::memcmp(out.data(), before.data(), n * sizeof(T)) == 0 &&
          worst_[k].error >= worst_[k - 1].error) {
        continue;
      }
      if constexpr (has_fast_way) {
        if (fast && study::largest_error(out.data(), fast_.data(), block) <= worst_[k].error)
          continue;
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (!fast && cancels(i, slow[i])) continue;
        look_at(i, out[i], fast ? static_cast<Wide>(fast_[i]) : slow[i], fast, worst_[k]);
      }
    }
    a_.clear();
    b_.clear();
  }
  /// False where there is none.
  bool find_fast_reference() {
    if constexpr (has_fast_way) {
      static const bool runs = weft::best_level() >= Level::avx2;
      if (!runs || static_cast<std::int64_t>(a_.size()) != block) return false;
      const std::vector<double> wide(a_.begin(), a_.end());
      fast_.resize(wide.size());
      return study::vector_reference(op_, wide.data(), fast_.data(), block);
    }
    return false;
  }
  void look_at(std::size_t i, T got, Wide reference, bool fast, Worst& worst) const {
    const auto error_beside = [&](Wide w) {
      return static_cast<double>(test::ulp_error(wide(got), w, test::format_of(type)));
    };
    double error = error_beside(reference);
    if (error <= worst.error) return;
    if (fast) error = error_beside(wanted(i));
    if (error <= worst.error) return;
    worst = {error, static_cast<double>(wide(a_[i])), static_cast<double>(wide(b_[i]))};
  }

  Op op_;
  std::vector<const weft::SpanKernel*> kernels_;
  std::vector<Worst> worst_;
  std::vector<T> a_, b_;
  std::vector<double> fast_;
};

/// A number where functions are hard.
template <class T>
T hard(std::mt19937_64& random, int kind) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
  const int down = static_cast<int>(random() % 60);
  switch (kind) {
    case 0: return std::bit_cast<T>(static_cast<Bits>(random()));
    case 1: return static_cast<T>(unit * (sizeof(T) == 4 ? 320 : 2200));  // exponents of e, of 2
    case 2: return static_cast<T>(unit * 16);
    case 3: return static_cast<T>(std::ldexp(unit, -down));
    case 4: return static_cast<T>(1 + std::ldexp(unit, -down));
    case 5: return static_cast<T>(-1 + std::ldexp(unit, -down));
    case 6: {
      const auto turns =
          static_cast<double>(static_cast<std::int64_t>(random() % 4'000'000) - 2'000'000);
      return static_cast<T>(turns * 1.5707963267948966 * (1 + std::ldexp(unit, -50)));
    }
    default: {  // poles and zeros of lgamma, bounds of series
      const auto halves = static_cast<double>(static_cast<std::int64_t>(random() % 64) - 32);
      return static_cast<T>(halves / 2 + std::ldexp(unit, -down));
    }
  }
}

struct Options {
  std::uint64_t step = 1;
  std::int64_t samples = 100'000'000;
  std::vector<std::string> names;

  bool wants(const char* name) const {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }
};

template <class Half>
void study_half(weft::UnaryOp op) {
  Study<Half, weft::UnaryOp> study(op);
  if (!study.exists()) return;
  for (int bits = 0; bits < 1 << 16; ++bits)
    study.add(Half::from_bits(static_cast<std::uint16_t>(bits)));
  study.finish();
}

void study_unary(const Options& options) {
  for (int i = 0; i < static_cast<int>(std::size(weft::unary_functions)); ++i) {
    const auto op = static_cast<weft::UnaryOp>(i);
    if (!test::is_inexact(op) || !options.wants(info(op).name)) continue;
    Study<float, weft::UnaryOp> single(op);
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += options.step)
      single.add(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    single.finish();
    Study<double, weft::UnaryOp> twice(op);
    std::mt19937_64 random(1);
    for (std::int64_t k = 0; k < options.samples; ++k)
      twice.add(hard<double>(random, static_cast<int>(k % 8)));
    twice.finish();
    study_half<weft::float16>(op);
    study_half<weft::bfloat16>(op);
  }
}

template <class T>
void study_pair(weft::BinaryOp op, const Options& options) {
  Study<T, weft::BinaryOp> study(op);
  std::mt19937_64 random(1);
  for (std::int64_t k = 0; k < options.samples; ++k)
    study.add(hard<T>(random, static_cast<int>(k % 8)),
              hard<T>(random, static_cast<int>(k / 8 % 8)));
  study.finish();
}

template <class T>
void study_complex(weft::UnaryOp op, const Options& options) {
  using Z = std::complex<T>;
  using Wide = std::complex<long double>;
  std::vector<const weft::SpanKernel*> kernels;
  for (const Level level : test::levels())
    kernels.push_back(weft::any_function(op).kernel(weft::scalar_type_of<Z>, level));
  if (kernels[0] == nullptr || !test::naive_complex<T>(op, Z())) return;
  const bool real = info(op).result == weft::ResultRule::part;
  std::vector<Worst> worst(kernels.size());
  std::mt19937_64 random(1);
  std::vector<Z> in(block), out(block);
  for (std::int64_t done = 0; done < options.samples / 100; done += block) {
    for (Z& z : in) {
      // Nothing the C library itself overflows with, nor subnormal.
      const auto part = [&] {
        const T unit = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
        return std::ldexp(unit, 6 - static_cast<int>(random() % 40));
      };
      z = Z(part(), part());
      if (random() % 4 == 0) z /= std::abs(z);  // where logarithms vanish
    }
    std::vector<Wide> wanted;
    for (const Z& z : in)
      wanted.push_back(*test::naive_complex<long double>(op, Wide(z.real(), z.imag())));
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      char* data[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(in.data())};
      kernels[k]->run(kernels[k]->context, data, nullptr, block, 1, 0);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const T* const parts = reinterpret_cast<const T*>(out.data());
        const Wide got = real ? Wide(parts[i]) : Wide(out[i].real(), out[i].imag());
        const long double size = std::abs(wanted[i]);
        const auto error = static_cast<double>(
            std::abs(got - wanted[i]) /
            std::ldexp(1.0L, std::ilogb(size) + 1 - std::numeric_limits<T>::digits));
        if (!(error <= worst[k].error)) worst[k] = {error, in[i].real(), in[i].imag()};
      }
    }
  }
  std::printf("| `%s` | %s |", info(op).name,
              std::string(weft::name(weft::scalar_type_of<Z>)).c_str());
  for (const Worst& w : worst)
    std::printf(" %.3f |", w.error);
  std::printf(" %.9g, %.9g |\n", worst.back().a, worst.back().b);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--step" && i + 1 < argc) {
      options.step = std::max(1ULL, std::strtoull(argv[++i], nullptr, 10));
    } else if (word == "--samples" && i + 1 < argc) {
      options.samples = std::strtoll(argv[++i], nullptr, 10);
    } else if (!word.empty() && word[0] != '-') {
      options.names.push_back(word);
    } else {
      std::fprintf(stderr, "usage: accuracy [--step N] [--samples N] [NAME...]\n");
      return 2;
    }
  }
  std::printf("| function | type |");
  for (const Level level : test::levels())
    std::printf(" %s |", std::string(weft::name(level)).c_str());
  std::printf(" at |\n| --- | --- |");
  for (std::size_t i = 0; i <= test::levels().size(); ++i)
    std::printf(" --- |");
  std::printf("\n");
  study_unary(options);
  for (int i = 0; i < static_cast<int>(std::size(weft::unary_functions)); ++i) {
    const auto op = static_cast<weft::UnaryOp>(i);
    if (!options.wants(info(op).name)) continue;
    study_complex<float>(op, options);
    study_complex<double>(op, options);
  }
  for (int i = 0; i < static_cast<int>(std::size(weft::binary_functions)); ++i) {
    const auto op = static_cast<weft::BinaryOp>(i);
    if (!test::is_inexact(op) || !options.wants(info(op).name)) continue;
    study_pair<float>(op, options);
    study_pair<double>(op, options);
  }
}
