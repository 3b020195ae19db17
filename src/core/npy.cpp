// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/npy.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "core/npy_header.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

namespace weft {
inline namespace v0 {
namespace {

void check_length(const NpyPrefix& prefix, const NpyHeader& header, std::uint64_t file_size) {
  const std::uint64_t got = file_size - prefix.data_begin();
  if (got != static_cast<std::uint64_t>(header.nbytes)) {
    fail(ErrorCode::parse, text("npy: expected ", header.nbytes, " bytes of elements for shape ",
                                to_string(header.shape), " of ", name(header.type), ", got ", got));
  }
}

void check_dict_fits(const NpyPrefix& prefix, std::uint64_t file_size) {
  if (prefix.data_begin() > file_size) {
    fail(ErrorCode::parse,
         text("npy: a header of ", prefix.data_begin(), " bytes in a file of ", file_size));
  }
}

/// A byte that is neither 0 nor 1 must never be read as a C++ bool.
void make_bools(const Tensor& tensor) {
  if (tensor.dtype() != ScalarType::boolean) return;
  auto* bytes = static_cast<unsigned char*>(tensor.data());
  std::for_each(bytes, bytes + tensor.nbytes(), [](unsigned char& byte) { byte = byte != 0; });
}

Tensor load(const File& file, std::uint64_t file_size, const Limits& limits) {
  std::array<std::byte, npy_prefix_size> start;
  const std::size_t got = file.read(start);
  const NpyPrefix prefix = parse_npy_prefix(std::span(start).first(got), limits);
  check_dict_fits(prefix, file_size);
  // A dict of format 1.0 begins within the twelve bytes.
  std::string dict(prefix.dict_size, '\0');
  const std::size_t have = std::min(got - prefix.dict_begin, prefix.dict_size);
  std::memcpy(dict.data(), start.data() + prefix.dict_begin, have);
  file.read_all(std::as_writable_bytes(std::span(dict).subspan(have)));
  const NpyHeader header = parse_npy_dict(dict, limits);
  check_length(prefix, header, file_size);
  Tensor tensor = Tensor::empty_strided(header.shape, header.strides, header.type);
  file.seek(prefix.data_begin());
  file.read_all({static_cast<std::byte*>(tensor.data()), static_cast<std::size_t>(header.nbytes)});
  make_bools(tensor);
  return tensor;
}

/// Calls write(bytes) for the header and for the elements.
template <class Write>
void write_npy(const TensorView& view, Write write) {
  if (!view.defined()) fail(ErrorCode::undefined, "npy: an undefined tensor has nothing to write");
  const std::string header = format_npy_header(view.dtype(), view.shape());
  // The copy also makes every true a 1.
  const bool as_it_stands = view.is_contiguous() && view.dtype() != ScalarType::boolean;
  const Tensor copy = as_it_stands ? Tensor() : Tensor::copy_of(view);
  const void* elements = as_it_stands ? view.data() : copy.data();
  write(std::as_bytes(std::span(header)));
  write(
      std::span(static_cast<const std::byte*>(elements), static_cast<std::size_t>(view.nbytes())));
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> bytes, const Limits& limits) {
  const NpyPrefix prefix =
      parse_npy_prefix(bytes.first(std::min(bytes.size(), npy_prefix_size)), limits);
  check_dict_fits(prefix, bytes.size());
  const auto* dict = reinterpret_cast<const char*>(bytes.data()) + prefix.dict_begin;
  const NpyHeader header = parse_npy_dict({dict, prefix.dict_size}, limits);
  check_length(prefix, header, bytes.size());
  Tensor tensor = Tensor::empty_strided(header.shape, header.strides, header.type);
  if (header.nbytes > 0)
    std::memcpy(tensor.data(), bytes.data() + prefix.data_begin(),
                static_cast<std::size_t>(header.nbytes));
  make_bools(tensor);
  return tensor;
}

Tensor load_npy(const std::string& path, const Limits& limits) {
  const File file(path, "rb");
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) fail(ErrorCode::io, text("cannot read '", path, "': ", error.message()));
  try {
    return load(file, size, limits);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::io) throw;
    fail(e.code(), text("'", path, "': ", e.what()));
  }
}

std::vector<std::byte> format_npy(const TensorView& view) {
  std::vector<std::byte> out;
  write_npy(view, [&](std::span<const std::byte> bytes) {
    out.reserve(out.size() + bytes.size());
    out.insert(out.end(), bytes.begin(), bytes.end());
  });
  return out;
}

void save_npy(const std::string& path, const TensorView& view) {
  std::optional<File> file;
  write_npy(view, [&](std::span<const std::byte> bytes) {
    if (!file) file.emplace(path, "wb");
    file->write_all(bytes);
  });
  file->close();
}

}  // namespace v0
}  // namespace weft
