// SPDX-License-Identifier: Apache-2.0
#include "npy_files.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace npy_test;
using weft::ErrorCode;
using weft::ScalarType;
using weft::Tensor;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A file in the system's folder for temporary ones, gone at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / ("weft_npy_test_" + name)).string()) {}
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("npy: what NumPy writes is read", "[npy]") {
  // numpy.save of numpy.array([[1.5, -2, 3], [4, 5, 6.25]], 'f4'), byte for byte.
  std::string numpy_file = "\x93NUMPY\x01" + std::string("\0v\0", 3) +
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  numpy_file += std::string(127 - numpy_file.size(), ' ') + "\n";
  numpy_file += bytes_of(six());
  const Tensor t = parse(numpy_file);
  CHECK(t.dtype() == ScalarType::f32);
  CHECK(std::ranges::equal(t.shape(), weft::IntSpan{2, 3}));
  CHECK(std::ranges::equal(t.strides(), weft::IntSpan{3, 1}));
  CHECK(t.at<float>({0, 1}) == -2.0F);
  CHECK(t.at<float>({1, 2}) == 6.25F);
  CHECK(text_of(weft::format_npy(t)) == numpy_file);
}

TEST_CASE("npy: every element type comes back as it was", "[npy]") {
  for (int i = 0; i < weft::scalar_type_count; ++i) {
    const auto type = static_cast<ScalarType>(i);
    if (type == ScalarType::bf16) continue;
    INFO(weft::name(type));
    for (const auto& shape :
         std::vector<std::vector<std::int64_t>>{{}, {1}, {7}, {2, 3}, {3, 1, 2}, {0}, {2, 0, 3}}) {
      Tensor t = Tensor::empty(shape, type);
      for (std::int64_t b = 0; b < t.nbytes(); ++b) {
        static_cast<unsigned char*>(t.data())[b] =
            static_cast<unsigned char>(type == ScalarType::boolean ? b % 2 : b * 37 + 1);
      }
      const std::vector<std::byte> file = weft::format_npy(t);
      CHECK((file.size() - static_cast<std::size_t>(t.nbytes())) % 64 == 0);
      const Tensor back = weft::parse_npy(file);
      CHECK(back.dtype() == type);
      REQUIRE(std::ranges::equal(back.shape(), t.shape()));
      CHECK(std::memcmp(back.data(), t.data(), static_cast<std::size_t>(t.nbytes())) == 0);
    }
  }
}

TEST_CASE("npy: the types' names are NumPy's", "[npy]") {
  const std::pair<ScalarType, const char*> names[] = {
      {ScalarType::boolean, "'|b1'"}, {ScalarType::u8, "'|u1'"},   {ScalarType::i8, "'|i1'"},
      {ScalarType::u16, "'<u2'"},     {ScalarType::i16, "'<i2'"},  {ScalarType::u32, "'<u4'"},
      {ScalarType::i32, "'<i4'"},     {ScalarType::u64, "'<u8'"},  {ScalarType::i64, "'<i8'"},
      {ScalarType::f16, "'<f2'"},     {ScalarType::f32, "'<f4'"},  {ScalarType::f64, "'<f8'"},
      {ScalarType::c64, "'<c8'"},     {ScalarType::c128, "'<c16'"}};
  for (const auto& [type, name] : names) {
    const std::string file = text_of(weft::format_npy(Tensor::zeros({2}, type)));
    CHECK(file.find(std::string("'descr': ") + name +
                    ", 'fortran_order': False, 'shape': (2,), }") != std::string::npos);
  }
  CHECK(text_of(weft::format_npy(Tensor::zeros({}, ScalarType::u8))).find("'shape': (), }") !=
        std::string::npos);
}

TEST_CASE("npy: versions 2.0 and 3.0, other key orders, quotes and spaces", "[npy]") {
  const std::string data = bytes_of(six());
  CHECK(parse(file_of(dict_2x3, data, 2)).at<float>({1, 0}) == 4.0F);
  CHECK(parse(file_of(dict_2x3, data, 3)).at<float>({1, 0}) == 4.0F);
  for (const char* dict :
       {"{'shape':(2,3),'fortran_order':False,'descr':'<f4'}",
        "{\"descr\": \"<f4\", \"shape\": (2, 3,), \"fortran_order\": False}",
        "  {\t'descr' : '<f4' ,\n'fortran_order' : False , 'shape' : ( 2 , 3 ) , }  "}) {
    INFO(dict);
    CHECK(parse(file_of(dict, data)).at<float>({1, 2}) == 6.25F);
  }
}

TEST_CASE("npy: Fortran order becomes strides", "[npy]") {
  const Tensor t =
      parse(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", bytes_of(six())));
  CHECK(std::ranges::equal(t.strides(), weft::IntSpan{1, 2}));
  CHECK(t.at<float>({0, 1}) == 3.0F);
  CHECK(t.at<float>({1, 0}) == -2.0F);
  // Written again it is in C order.
  const Tensor c = weft::parse_npy(weft::format_npy(t));
  CHECK(c.is_contiguous());
  CHECK(c.at<float>({0, 1}) == 3.0F);
  const Tensor vector =
      parse(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (6,), }", bytes_of(six())));
  CHECK(vector.is_contiguous());
  const Tensor none =
      parse(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 0, 3), }", ""));
  CHECK(none.numel() == 0);
}

TEST_CASE("npy: any view is written in C order", "[npy]") {
  const Tensor t = Tensor::of<std::int16_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor turned = weft::parse_npy(weft::format_npy(t.transpose(0, 1).flip(0)));
  CHECK(std::ranges::equal(turned.shape(), weft::IntSpan{3, 2}));
  CHECK(turned.at<std::int16_t>({0, 0}) == 3);
  CHECK(turned.at<std::int16_t>({2, 1}) == 4);
  const Tensor repeated = weft::parse_npy(weft::format_npy(t.select(0, 1).expand({4, 3})));
  CHECK(repeated.at<std::int16_t>({3, 2}) == 6);
}

TEST_CASE("npy: bools are 0 or 1 afterwards", "[npy]") {
  const Tensor t = parse(file_of("{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }",
                                 std::string("\0\1\2\xff", 4)));
  const auto* bytes = static_cast<const unsigned char*>(t.data());
  CHECK(std::vector<int>(bytes, bytes + 4) == std::vector<int>{0, 1, 1, 1});
  Tensor odd = Tensor::zeros({1}, ScalarType::boolean);
  *static_cast<unsigned char*>(odd.data()) = 7;
  CHECK(text_of(weft::format_npy(odd)).back() == '\1');
}

TEST_CASE("npy: what cannot be written", "[npy]") {
  const auto [code, message] =
      error_of([] { weft::format_npy(Tensor::zeros({2}, ScalarType::bf16)); });
  CHECK(code == ErrorCode::dtype);
  CHECK(message.find("bf16") != std::string::npos);
  CHECK(error_of([] { weft::format_npy(weft::TensorView()); }).first == ErrorCode::undefined);
}

TEST_CASE("npy: files", "[npy]") {
  const TemporaryFile file("files.npy");
  const Tensor t = Tensor::of<double>({2, 2}, {1, 2, 3, 4});
  weft::save_npy(file.path(), t.transpose(0, 1));
  const Tensor back = weft::load_npy(file.path());
  CHECK(back.dtype() == ScalarType::f64);
  CHECK(back.at<double>({0, 1}) == 3);
  // Replaced, not appended to.
  weft::save_npy(file.path(), Tensor::zeros({0}, ScalarType::u8));
  CHECK(weft::load_npy(file.path()).numel() == 0);

  for (const int major : {1, 2, 3}) {
    file.write(file_of(dict_2x3, bytes_of(six()), major));
    CHECK(weft::load_npy(file.path()).at<float>({1, 2}) == 6.25F);
  }
  const std::string good = file_of(dict_2x3, bytes_of(six()));
  for (std::size_t size = 0; size < good.size(); size += 5) {
    file.write(good.substr(0, size));
    const auto [code, message] = error_of([&] { weft::load_npy(file.path()); });
    CHECK(code == ErrorCode::parse);
    CHECK(message.find(file.path()) != std::string::npos);
  }
  // A header that promises a terabyte is found out before anything is allocated.
  file.write(file_of("{'descr': '|u1', 'fortran_order': False, 'shape': (1099511627776,), }", "x"));
  CHECK(error_of([&] { weft::load_npy(file.path()); }).second.find("got 1") != std::string::npos);

  const auto [code, message] = error_of([] { weft::load_npy("no/such/file.npy"); });
  CHECK(code == ErrorCode::io);
  CHECK(message.find("no/such/file.npy") != std::string::npos);
  CHECK(error_of([] { weft::load_npy(std::filesystem::temp_directory_path().string()); }).first ==
        ErrorCode::io);
  CHECK(error_of([&] { weft::save_npy("no/such/folder/x.npy", t); }).first == ErrorCode::io);
  // Nothing to write: the file stays as it is.
  file.write("kept");
  CHECK(error_of([&] {
          weft::save_npy(file.path(), Tensor::zeros({2}, ScalarType::bf16));
        }).first == ErrorCode::dtype);
  CHECK(std::filesystem::file_size(file.path()) == 4);
}
