// SPDX-License-Identifier: Apache-2.0
#include "cli/ppm.hpp"

#include "error_of.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <string>

using namespace weft;
using namespace weft::cli;

namespace {

Tensor parse(const std::string& file, const Limits& limits = {}) {
  return parse_ppm(std::as_bytes(std::span(file)), limits);
}

const std::string six = "abcdefghijklmnopqr";  // 2 x 3 pixels

void check_refused(const std::string& file, const std::string& part,
                   ErrorCode code = ErrorCode::parse, const Limits& limits = {}) {
  INFO(file);
  const auto [got, message] = error_of([&] { parse(file, limits); });
  INFO(message);
  CHECK(name(got) == std::string(name(code)));
  CHECK(contains(message, part));
  CHECK(contains(message, "ppm: "));
}

}  // namespace

TEST_CASE("ppm: pictures", "[ppm]") {
  const Tensor t = parse("P6\n2 3\n255\n" + six);
  CHECK(t.dtype() == ScalarType::u8);
  CHECK(std::ranges::equal(t.shape(), IntSpan{3, 2, 3}));
  CHECK(t.at<std::uint8_t>({0, 1, 0}) == 'd');
  CHECK(t.at<std::uint8_t>({2, 1, 2}) == 'r');
}

TEST_CASE("ppm: white space and comments", "[ppm]") {
  for (const char* header :
       {"P6 2 3 255 ", "P6\t2\r3\v255\f", "P6\r\n2 3\r\n255\n", "P6# made by hand\n2 3\n255\n",
        "P6\n# one\n# two\n  2 # width\n3#height\n#\n255\n", "P6 2#\r3 255 ", "P6 002 3 0255 "}) {
    INFO(header);
    CHECK(parse(header + six).at<std::uint8_t>({2, 1, 2}) == 'r');
  }
  // After the one white space samples begin, whatever they are.
  CHECK(parse("P6 1 1 255 \n#\n").at<std::uint8_t>({0, 0, 1}) == '#');
  // A lesser maximum is fine as long as the samples keep to it.
  CHECK(parse(std::string("P6 1 1 2 \0\1\2", 12)).at<std::uint8_t>({0, 0, 2}) == 2);
}

TEST_CASE("ppm: files that are refused", "[ppm]") {
  check_refused("", "does not begin with P6");
  check_refused("P", "does not begin with P6");
  check_refused("P5 2 3 255 " + six, "does not begin with P6");
  check_refused("P3 2 3 255 " + six, "does not begin with P6");
  check_refused("\x89PNG", "does not begin with P6");
  check_refused("P62 3 255 " + six, "white space before the width");
  check_refused("P6 -2 3 255 " + six, "expected the width at byte 3");
  check_refused("P6 2 x 255 " + six, "expected the height");
  check_refused("P6 2.5 3 255 " + six, "white space before the height");
  check_refused("P6 2 3 0xff " + six, "one white space after the maximum");
  check_refused("P6 2 3 255#x\n" + six, "one white space after the maximum");
  check_refused("P6 0 3 255 ", "width 0 and height 3");
  check_refused("P6 2 0 255 ", "width 2 and height 0");
  check_refused("P6 2 3 0 " + six, "maximum 0");
  check_refused("P6 2 3 256 " + six, "maximum 256, expected 1 to 255");
  check_refused("P6 2 3 65535 " + six + six, "maximum 65535");
  check_refused("P6 2 3 255 " + six + "x", "expected 18 bytes for 2 x 3 pixels, got 19");
  check_refused("P6 2 3 255 " + six.substr(1), "got 17");
  check_refused("P6 2 3 255 ", "got 0");
  check_refused("P6 1 1 96 aaa", "a sample above the maximum of 96");
  check_refused("P6 99999999999999999999 3 255 ", "width exceeds 2^63-1");
  check_refused("P6 4611686018427387904 4 255 ", "allowed are", ErrorCode::limit);
  check_refused("P6 9223372036854775807 9223372036854775807 255 ", "allowed are", ErrorCode::limit);
  const std::string header = "P6 2 3 255 ";
  for (std::size_t size = 2; size < header.size(); ++size)
    check_refused(header.substr(0, size), "within the header");
  check_refused("P6 # a comment without an end", "within the header");
}

TEST_CASE("ppm: limits", "[ppm]") {
  const std::string file = "P6 2 3 255 " + six;
  Limits limits;
  limits.max_elements = 18;
  limits.max_header_bytes = 11;
  CHECK(parse(file, limits).numel() == 18);
  limits.max_elements = 17;
  check_refused(file, "2 x 3 pixels of 3 samples, allowed are 17", ErrorCode::limit, limits);
  limits = {};
  limits.max_bytes = 17;
  check_refused(file, "allowed are 17", ErrorCode::limit, limits);
  limits = {};
  limits.max_header_bytes = 10;
  check_refused(file, "header of more than 10 bytes", ErrorCode::limit, limits);
  limits.max_header_bytes = 100;
  check_refused("P6 #" + std::string(200, 'x') + "\n2 3 255 " + six,
                "header of more than 100 bytes", ErrorCode::limit, limits);
}

TEST_CASE("ppm: files that are not there", "[ppm]") {
  const auto [code, message] = error_of([] { load_ppm("no/such/picture.ppm"); });
  CHECK(code == ErrorCode::io);
  CHECK(contains(message, "no/such/picture.ppm"));
}
