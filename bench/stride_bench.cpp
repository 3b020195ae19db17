// SPDX-License-Identifier: Apache-2.0
// What does a stride cost? 8192 elements of 1 to 16 bytes at strides of 1 to 64 elements: read
// into a dense output, written from a dense input, and added in pairs.
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>

#include "plain_loops.hpp"
#include "study.hpp"

namespace bench {
namespace {

constexpr std::int64_t n = 8192;  // from stride 64 bytes on, a line each: 512 KB an operand

template <class T>
void add_cases(std::int64_t stride) {
  constexpr ScalarType type = weft::scalar_type_of<T>;
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const std::string at = "/bytes:" + std::to_string(size) + "/stride:" + std::to_string(stride);
  const auto copy = [](std::int64_t to_stride, std::int64_t from_stride, bool plain) {
    const TensorView out = output(type, {n}, {to_stride});
    const TensorView a = input(1, type, {n}, {from_stride});
    const auto by_weft = [=] { weft::copy_out(out, a); };
    const auto by_loop = [=] {
      copy_strided(size, out.data(), to_stride, a.data(), from_stride, n);
    };
    return Work{.run = plain ? std::function<void()>(by_loop) : by_weft,
                .check = [=] { expect<T>([](T x) { return x; }, out, a); },
                .out = out,
                .bytes = bytes_of(out, a)};
  };
  const auto add = [stride](bool plain) {
    const TensorView out = output(type, {n}, {1});
    const TensorView a = input(1, type, {n}, {stride});
    const TensorView b = input(2, type, {n}, {stride});
    const auto by_weft = [=] { weft::add_out(out, a, b); };
    const auto by_loop = [=] { add_strided(size, out.data(), a.data(), b.data(), stride, n); };
    return Work{.run = plain ? std::function<void()>(by_loop) : by_weft,
                .check = [=] { expect<T>(std::plus(), out, a, b); },
                .out = out,
                .bytes = bytes_of(out, a, b)};
  };
  add_case("copy, strided input" + at, [=] { return copy(1, stride, false); });
  add_case("copy, strided output" + at, [=] { return copy(stride, 1, false); });
  add_case("add, strided inputs" + at, [=] { return add(false); });
  add_case("plain copy, strided input" + at, [=] { return copy(1, stride, true); });
  add_case("plain copy, strided output" + at, [=] { return copy(stride, 1, true); });
  add_case("plain add, strided inputs" + at, [=] { return add(true); });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  // One type after the other: memory is filled anew whenever the type changes.
  const auto add_strides = []<class T>() {
    for (std::int64_t stride = 1; stride <= 64; ++stride)
      bench::add_cases<T>(stride);
  };
  add_strides.operator()<std::uint8_t>();
  add_strides.operator()<std::int16_t>();
  add_strides.operator()<float>();
  add_strides.operator()<double>();
  add_strides.operator()<std::complex<double>>();
  return bench::run_cases(argc, argv, "0.01");
}
