// SPDX-License-Identifier: Apache-2.0
// .npy files that must be refused.
#include "npy_files.hpp"
#include "support/catch.hpp"

#include <string>

namespace {

using namespace npy_test;
using weft::ErrorCode;
using weft::ScalarType;
using weft::Tensor;

void check_refused(const std::string& file, ErrorCode code, const std::string& part,
                   const weft::Limits& limits = {}) {
  const auto [got, message] = error_of([&] { parse(file, limits); });
  INFO(message);
  CHECK(weft::name(got) == std::string(weft::name(code)));
  CHECK(message.find(part) != std::string::npos);
  CHECK(message.find("npy") != std::string::npos);
}

/// Checks that a dict is refused; the data would fit a 2x3 array of f32.
void check_dict_refused(const std::string& dict, ErrorCode code, const std::string& part) {
  INFO(dict);
  check_refused(file_of(dict, std::string(24, '\0')), code, part);
}

}  // namespace

TEST_CASE("npy: truncated files", "[npy]") {
  const std::string file = file_of(dict_2x3, bytes_of(six()));
  REQUIRE(parse(file).numel() == 6);
  for (std::size_t size = 0; size < file.size(); ++size) {
    INFO(size);
    check_refused(file.substr(0, size), ErrorCode::parse, "npy");
  }
  const std::string file2 = file_of(dict_2x3, bytes_of(six()), 2);
  for (std::size_t size = 0; size < file2.size(); ++size) {
    INFO(size);
    check_refused(file2.substr(0, size), ErrorCode::parse, "npy");
  }
}

TEST_CASE("npy: lengths, magic, version", "[npy]") {
  const std::string data = bytes_of(six());
  check_refused(file_of(dict_2x3, data + "x"), ErrorCode::parse,
                "expected 24 bytes of elements for shape [2, 3] of f32, got 25");
  check_refused(file_of(dict_2x3, data.substr(1)), ErrorCode::parse, "got 23");
  check_refused(file_of(dict_2x3, ""), ErrorCode::parse, "got 0");
  std::string file = file_of(dict_2x3, data);
  file[0] = 'P';
  check_refused(file, ErrorCode::parse, "not a .npy file");
  check_refused("NUMPY", ErrorCode::parse, "not a .npy file");
  check_refused("PK\3\4", ErrorCode::parse, "not a .npy file");
  check_refused("", ErrorCode::parse, "ends after 0 bytes");
  check_refused(file_of(dict_2x3, data, 0), ErrorCode::parse, "version 0.0");
  check_refused(file_of(dict_2x3, data, 4), ErrorCode::parse, "version 4.0");
  check_refused(file_of(dict_2x3, data, 1, 1), ErrorCode::parse, "version 1.1");
  check_refused(file_of(dict_2x3, data, 255, 255), ErrorCode::parse, "version 255.255");
  // A header longer than the file, in both widths of the length.
  check_refused(std::string("\x93NUMPY\1\0\xff\xff{", 11), ErrorCode::parse,
                "header of 65545 bytes in a file of 11");
  check_refused(std::string("\x93NUMPY\2\0\xff\xff\0\0{", 13), ErrorCode::parse,
                "header of 65547 bytes in a file of 13");
  check_refused(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13), ErrorCode::limit,
                "header of 4294967307 bytes");
  check_refused(std::string("\x93NUMPY\1\0\0\0", 10), ErrorCode::parse, "expected '{' at byte 0");
}

TEST_CASE("npy: dicts that are refused", "[npy]") {
  const auto p = ErrorCode::parse;
  check_dict_refused("", p, "expected '{'");
  check_dict_refused("[]", p, "expected '{' at byte 0 of the header's dict, got '['");
  check_dict_refused("{}", p, "no key 'descr'");
  check_dict_refused("{,}", p, "expected a string");
  check_dict_refused("{'descr': '<f4', 'shape': (2, 3), }", p, "no key 'fortran_order'");
  check_dict_refused("{'descr': '<f4', 'fortran_order': False, }", p, "no key 'shape'");
  check_dict_refused("{'fortran_order': False, 'shape': (2, 3), }", p, "no key 'descr'");
  check_dict_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}", p,
                     "unknown key 'x'");
  check_dict_refused("{'Descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", p,
                     "unknown key 'Descr'");
  check_dict_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'descr': '<f4'}", p,
                     "key 'descr' twice");
  check_dict_refused("{'shape': (6,), 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", p,
                     "key 'shape' twice");
  check_dict_refused("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }", p, "True or False");
  check_dict_refused("{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (2, 3), }", p,
                     "expected '}'");
  check_dict_refused("{'descr': '<f4', 'fortran_order': false, 'shape': (2, 3), }", p, "got 'f'");
  check_dict_refused("{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3), }", p,
                     "expected '}'");
  check_dict_refused("{'descr' '<f4', 'fortran_order': False, 'shape': (2, 3), }", p,
                     "expected ':'");
  check_dict_refused("{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3), }", p,
                     "expected '}'");
  check_dict_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }}", p,
                     "nothing more");
  check_dict_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } # x", p,
                     "nothing more");
  check_dict_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3),", p,
                     "expected a string");
  check_dict_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)", p, "got the end");
  check_dict_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'unclosed", p,
                     "printable character");
  check_dict_refused("{'descr': __import__('os').system('true'), }", p, "expected a string");
  check_dict_refused("{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2, 3), }", p,
                     "printable character");
  check_dict_refused("{'descr\x80': '<f4'}", p, "got byte 128");
  check_dict_refused(std::string("{'descr': '<f4\0', }", 19), p, "got byte 0");
}

TEST_CASE("npy: shapes that are refused", "[npy]") {
  const auto refused = [](const std::string& shape, ErrorCode code, const std::string& part) {
    check_dict_refused("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }", code,
                       part);
  };
  refused("6", ErrorCode::parse, "expected '('");
  refused("[2, 3]", ErrorCode::parse, "expected '('");
  refused("(6)", ErrorCode::parse, "expected ','");
  refused("(,)", ErrorCode::parse, "expected an integer");
  refused("(2,, 3)", ErrorCode::parse, "expected an integer");
  refused("(2 3)", ErrorCode::parse, "expected ','");
  refused("(2, 3", ErrorCode::parse, "expected an integer");
  refused("(2, 3.0)", ErrorCode::parse, "expected ')'");
  refused("(2, 0x3)", ErrorCode::parse, "expected ')'");
  refused("(2, 03)", ErrorCode::parse, "expected an integer");
  refused("(2, +3)", ErrorCode::parse, "expected an integer");
  refused("(2, None)", ErrorCode::parse, "expected an integer");
  refused("(2, 3L)", ErrorCode::parse, "expected ')'");
  refused("((2, 3),)", ErrorCode::parse, "expected an integer");
  refused("(2, -3)", ErrorCode::shape, "extent -3 of axis 1");
  refused("(-1,)", ErrorCode::shape, "extent -1 of axis 0");
  refused("(-2, -3)", ErrorCode::shape, "extent -2 of axis 0");
  refused("(9223372036854775808,)", ErrorCode::overflow, "axis 0 exceeds 2^63-1");
  refused("(2, 99999999999999999999999999999999999999999999999999999999)", ErrorCode::overflow,
          "axis 1");
  refused("(9223372036854775807,)", ErrorCode::limit, "9223372036854775807 elements");
  refused("(1099511627777,)", ErrorCode::limit, "1099511627777 elements");
  refused("(1099511627776,)", ErrorCode::limit, "4398046511104 bytes");
  std::string deep = "(";
  for (int i = 0; i < 65; ++i)
    deep += "1, ";
  refused(deep + ")", ErrorCode::rank, "exceeds 64");

  // Products that leave 64 bits, and their strides; the messages come from the shape's own
  // arithmetic.
  for (const char* shape : {"(4294967296, 4294967296, 4294967296)", "(3037000500, 3037000500)",
                            "(0, 9223372036854775807, 3)"}) {
    INFO(shape);
    const std::string file = file_of(
        "{'descr': '<f4', 'fortran_order': False, 'shape': " + std::string(shape) + ", }", "");
    CHECK(error_of([&] { parse(file); }).first == ErrorCode::overflow);
  }

  std::string most = "(";
  for (int i = 0; i < 64; ++i)
    most += "1, ";
  const Tensor t =
      parse(file_of("{'descr': '|u1', 'fortran_order': False, 'shape': " + most + ")}", "x"));
  CHECK(t.rank() == 64);
}

TEST_CASE("npy: element types that are refused", "[npy]") {
  const auto refused = [](const std::string& descr, const std::string& part) {
    check_dict_refused("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2, 3), }",
                       ErrorCode::dtype, part);
  };
  refused("'>f4'", "big-endian, expected '<f4'");
  refused("'>c16'", "big-endian, expected '<c16'");
  refused("'|O'", "Python objects");
  refused("'O'", "Python objects");
  refused("'|O8'", "Python objects");
  refused("'|S4'", "expected one of '|b1'");
  refused("'<U4'", "element type '<U4'");
  refused("'<V2'", "element type '<V2'");
  refused("'<M8[ns]'", "element type '<M8[ns]'");
  refused("'<f16'", "element type '<f16'");
  refused("'<f3'", "element type '<f3'");
  refused("''", "element type ''");
  refused("'float32'", "element type 'float32'");
  refused("[('x', '<f4')]", "records of several fields");
}

TEST_CASE("npy: limits", "[npy]") {
  const std::string file = file_of(dict_2x3, bytes_of(six()));
  weft::Limits limits;
  limits.max_elements = 6;
  limits.max_bytes = 24;
  limits.max_header_bytes = 128;
  CHECK(parse(file, limits).numel() == 6);
  limits.max_elements = 5;
  check_refused(file, ErrorCode::limit, "6 elements of shape [2, 3], allowed are 5", limits);
  limits = {};
  limits.max_bytes = 23;
  check_refused(file, ErrorCode::limit, "24 bytes of shape [2, 3] of f32, allowed are 23", limits);
  limits = {};
  limits.max_header_bytes = 127;
  check_refused(file, ErrorCode::limit, "header of 128 bytes, allowed are 127", limits);
}
