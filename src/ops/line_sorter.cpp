// SPDX-License-Identifier: Apache-2.0
#include "ops/line_sorter.hpp"

#include <weft/core/cast.hpp>
#include <weft/parallel/parallel.hpp>

#include "core/compiled_types.hpp"
#include "ops/byte_sort.hpp"
#include "ops/line_walk.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>

namespace weft {
inline namespace v0 {
namespace {

/// Elements from which on keys of a byte are quicker: a look at 256 counts takes as long as to sort
/// so many; or as to find a few places, or to sort two values, among so many.
constexpr std::int64_t counted_line = 1024, long_counted_line = 4096;

/// Narrow types become wider ones, which are sorted as quickly, but for bytes in long lines.
ScalarType type_with_keys(ScalarType type, std::int64_t n, SortedPart part) {
  if (is_complex(type)) fail_no_kernel(type);
  const bool is_bool = type == ScalarType::boolean;
  const bool is_quick = part == SortedPart::few || is_bool;
  if (element_size(type) == 1 && n >= (is_quick ? long_counted_line : counted_line))
    return is_bool ? ScalarType::u8 : type;
  if (element_size(type) >= 4) return type;
  return is_floating(type) ? ScalarType::f32 : ScalarType::i32;
}

template <class Key>
const Key* keys_of(Key, const char* data) {
  return reinterpret_cast<const Key*>(data);
}

/// Elements that a thread should have.
constexpr std::int64_t part_elements = 32 << 10;

/// Sorts keys as so many parts, a power of two: those up to the middle one and the rest are found
/// first, and are two tasks.
struct PartsSort {
  void run(char* keys, char* room, std::int64_t n, std::int64_t parts) const {
    if (parts == 1) return kernel.sort(keys, room, n, 0, n);
    const std::int64_t half = n / 2;
    kernel.sort(keys, room, n, half, half + 1);
    parallel_for(2, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        run(keys + i * half * size, room + i * half * size, i == 0 ? half : n - half, parts / 2);
      }
    });
  }

  const SortingKernel& kernel;
  std::int64_t size;
};

std::size_t bytes(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace

LineSorter::LineSorter(ScalarType type, std::int64_t n, SortOrder order, SortedPart part,
                       std::int64_t lines)
    : type_(type_with_keys(type, n, part)),
      n_(n),
      size_(element_size(type_)),
      shared_(lines < num_threads()),
      order_{is_floating(type_), is_unsigned_integer(type_), order == SortOrder::descending},
      kernel_(size_ == 1 ? byte_sorting_kernel() : *sorting_kernel(size_)) {
  check_line_length(n);
}

/// Calls f with a zero of the type that keys have.
template <class F>
void LineSorter::by_size(F&& f) const {
  size_ == 1 ? f(std::int8_t{0}) : size_ == 4 ? f(std::int32_t{0}) : f(std::int64_t{0});
}

std::int64_t LineSorter::key(const char* keys, std::int64_t i) const noexcept {
  if (size_ == 1) return reinterpret_cast<const std::int8_t*>(keys)[i];
  if (size_ == 4) return reinterpret_cast<const std::int32_t*>(keys)[i];
  return reinterpret_cast<const std::int64_t*>(keys)[i];
}

std::int64_t LineSorter::parts(std::int64_t n) const {
  std::int64_t parts = 1;
  if (!shared_ || size_ == 1) return parts;
  const std::int64_t most = std::min<std::int64_t>({num_threads(), max_parts, n / part_elements});
  while (2 * parts <= most)
    parts *= 2;
  return parts;
}

void LineSorter::sort_keys(const SortingKernel& kernel, char* keys, char* room, std::int64_t n,
                           std::int64_t size) const {
  PartsSort{kernel, size}.run(keys, room, n, parts(n));
}

/// How many of the keys, which are sorted, are below one.
std::int64_t LineSorter::lower_bound(const char* keys, std::int64_t wanted) const noexcept {
  std::int64_t first = 0, end = n_;
  while (first < end) {
    const std::int64_t middle = first + (end - first) / 2;
    key(keys, middle) < wanted ? first = middle + 1 : end = middle;
  }
  return first;
}

void LineSorter::sort(char* out, const char* in, char* room) const {
  char* const keys = out == in ? room + keys_bytes() : out;
  const KeyCounts counts = kernel_.to_keys(keys, in, n_, order_);
  sort_keys(kernel_, keys, room, n_, size_);
  const std::int64_t zero =
      counts.negative_zeros == 0 ? 0 : lower_bound(keys, order_.descending ? -1 : 0);
  // The input is read before it is written over.
  char* const sorted = out == in && counts.negative_zeros > 0 ? room : out;
  kernel_.from_keys(sorted, keys, n_, order_);
  if (counts.negative_zeros > 0) restore_zeros(sorted, in, zero);
  for (std::int64_t i = n_ - counts.nans; i < n_; ++i) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (size_ == 4) reinterpret_cast<float*>(sorted)[i] = static_cast<float>(nan);
    if (size_ == 8) reinterpret_cast<double*>(sorted)[i] = nan;
  }
  if (sorted != out) std::memcpy(out, sorted, bytes(n_ * size_));
}

/// Zeros have one key: their signs come from the input, in its order.
void LineSorter::restore_zeros(char* out, const char* in, std::int64_t first) const {
  const auto restore = [&](auto zero) {
    using T = decltype(zero);
    const T* from = reinterpret_cast<const T*>(in);
    T* to = reinterpret_cast<T*>(out) + first;
    for (std::int64_t i = 0; i < n_; ++i)
      if (from[i] == zero) *to++ = from[i];
  };
  size_ == 4 ? restore(0.0F) : restore(0.0);
}

void LineSorter::sort_positions(std::int64_t* positions, const char* in, char* room) const {
  char* const keys = room + order_room(n_);
  kernel_.to_keys(keys, in, n_, order_);
  order_keys(positions, keys, n_, room);
}

/// Sorts numbers made of the upper bits of a key and its position below. Where these are not all
/// the bits in which keys differ, those that have them in common are sorted once more.
void LineSorter::order_keys(std::int64_t* positions, const char* keys, std::int64_t n,
                            char* room) const {
  if (size_ == 1) return order_byte_keys(positions, keys, n);
  std::int64_t least = key(keys, 0), most = least;
  by_size([&](auto zero) {
    const auto* const all = keys_of(zero, keys);
    for (std::int64_t i = 1; i < n; ++i) {
      least = std::min<std::int64_t>(least, all[i]);
      most = std::max<std::int64_t>(most, all[i]);
    }
  });
  const auto base = static_cast<std::uint64_t>(least);
  const int key_bits = std::bit_width(static_cast<std::uint64_t>(most) - base);
  const int place_bits = std::bit_width(static_cast<std::uint64_t>(n - 1));
  const int dropped = std::max(0, key_bits + place_bits - 63);
  auto* const numbers = reinterpret_cast<std::int64_t*>(room);
  by_size([&](auto zero) {
    const auto* const all = keys_of(zero, keys);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t distance = static_cast<std::uint64_t>(std::int64_t{all[i]}) - base;
      numbers[i] = static_cast<std::int64_t>((distance >> dropped) << place_bits |
                                             static_cast<std::uint64_t>(i));
    }
  });
  sort_keys(*sorting_kernel(8), room, room + 8 * n, n, 8);
  const std::int64_t places = (std::int64_t{1} << place_bits) - 1;
  for (std::int64_t i = 0; i < n; ++i)
    positions[i] = numbers[i] & places;
  if (dropped == 0) return;
  for (std::int64_t first = 0, end = 1; first < n; first = end++) {
    while (end < n && numbers[end] >> place_bits == numbers[first] >> place_bits)
      ++end;
    if (end - first == 1) continue;
    std::sort(positions + first, positions + end, [&](std::int64_t i, std::int64_t j) {
      const std::int64_t a = key(keys, i), b = key(keys, j);
      return a != b ? a < b : i < j;
    });
  }
}

std::int64_t LineSorter::first_room(std::int64_t k) const noexcept {
  if (k == n_) return positions_room();
  return 2 * keys_bytes() + std::max(keys_bytes(), order_room(k) + 2 * (8 * k + 64));
}

void LineSorter::first_positions(std::int64_t* positions, std::int64_t k, const char* in,
                                 char* room) const {
  if (k == n_) return sort_positions(positions, in, room);
  char* const keys = room;
  char* const found = keys + keys_bytes();
  char* const rest = found + keys_bytes();
  kernel_.to_keys(keys, in, n_, order_);
  std::memcpy(found, keys, bytes(n_ * size_));
  kernel_.sort(found, rest, n_, k - 1, k);
  const std::int64_t last = key(found, k - 1);
  std::int64_t equal = 0;
  for (std::int64_t i = 0; i < k; ++i)
    equal += key(found, i) == last ? 1 : 0;
  // Those that are among the first k, in the order of their positions.
  auto* const chosen = reinterpret_cast<std::int64_t*>(rest);
  auto* const order = chosen + k;
  std::int64_t count = 0;
  for (std::int64_t i = 0; count < k; ++i) {
    const std::int64_t its = key(keys, i);
    if (its > last || (its == last && equal-- <= 0)) continue;
    std::memcpy(found + count * size_, keys + i * size_, bytes(size_));
    chosen[count++] = i;
  }
  order_keys(order, found, k, rest + (16 * k + 63) / 64 * 64);
  for (std::int64_t i = 0; i < k; ++i)
    positions[i] = chosen[order[i]];
}

void LineSorter::partition(char* out, std::int64_t k, const char* in, char* room) const {
  char* const keys = room;
  char* const found = keys + keys_bytes();
  char* const rest = found + keys_bytes();
  kernel_.to_keys(keys, in, n_, order_);
  std::memcpy(found, keys, bytes(n_ * size_));
  kernel_.sort(found, rest, n_, k, k + 1);
  const std::int64_t bound = key(found, k);
  by_size([&](auto zero) {
    using Bits = decltype(zero);
    const Bits* const all = keys_of(zero, keys);
    const auto its_bound = static_cast<Bits>(bound);
    // Without branches: each is stored, and stays if it belongs to the group. What is stored behind
    // the last place is in the room.
    std::int64_t count = 0;
    const auto add = [&](auto belongs) {
      for (std::int64_t i = 0; i < n_; ++i) {
        reinterpret_cast<Bits*>(found)[count] = keys_of(zero, in)[i];
        count += belongs(all[i], its_bound) ? 1 : 0;
      }
    };
    add(std::less<Bits>());
    add(std::equal_to<Bits>());
    add(std::greater<Bits>());
  });
  std::memcpy(out, found, bytes(n_ * size_));
}

double LineSorter::element(const char* keys, std::int64_t i) const {
  alignas(8) char bits[8];
  kernel_.from_keys(bits, keys + i * size_, 1, order_);
  double value = 0;
  cast_elements(&value, ScalarType::f64, 0, bits, type_, 0, 1);
  return value;
}

std::int64_t LineSorter::find_firsts(std::int64_t* firsts, const char* keys) const {
  std::int64_t count = 1;
  firsts[0] = 0;
  by_size([&](auto zero) {
    const auto* const all = keys_of(zero, keys);
    // Without branches: each place is stored, and the next one over it if it is none.
    for (std::int64_t i = 1; i < n_; ++i) {
      firsts[count] = i;
      count += all[i] != all[i - 1] ? 1 : 0;
    }
  });
  return count;
}

void LineSorter::find(Neighbours* wanted, std::int64_t count, const char* in, char* room) const {
  char* const keys = room + keys_bytes();
  const bool has_nan = kernel_.to_keys(keys, in, n_, order_).nans > 0;
  // Each takes time for the line; many are had sooner by sorting it, and bytes are sorted anyway.
  constexpr std::int64_t many = 8;
  const bool sorts_all = (count >= many || size_ == 1) && !has_nan;
  if (sorts_all) kernel_.sort(keys, room, n_, 0, n_);
  for (std::int64_t i = 0; i < count; ++i) {
    Neighbours& w = wanted[i];
    w.first = w.second = std::numeric_limits<double>::quiet_NaN();
    if (has_nan) continue;
    const std::int64_t next = std::min(w.place + 1, n_ - 1);
    if (!sorts_all) kernel_.sort(keys, room, n_, w.place, next + 1);
    w.first = element(keys, w.place);
    w.second = element(keys, next);
  }
}

void LineSorter::take(char* out, const char* in, const std::int64_t* positions,
                      std::int64_t n) const {
  by_size([&](auto zero) {
    for (std::int64_t i = 0; i < n; ++i)
      reinterpret_cast<decltype(zero)*>(out)[i] = keys_of(zero, in)[positions[i]];
  });
}

}  // namespace v0
}  // namespace weft
