// SPDX-License-Identifier: Apache-2.0
// Tensors, views, files and foreign tensors where memory runs out.
#include <weft/core/dlpack.hpp>
#include <weft/core/memory.hpp>
#include <weft/core/npy.hpp>
#include <weft/core/views.hpp>

#include "failing/out_of_memory.hpp"
#include "support/catch.hpp"
#include "support/failing_allocation.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace {

using test::Attempt;
using test::check_out_of_memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// Ten axes, more than a view has room for by itself.
const std::vector<std::int64_t> ten_axes = {1, 2, 1, 3, 1, 1, 2, 1, 1, 2};

Tensor numbered(const std::vector<std::int64_t>& shape) {
  const Tensor made = Tensor::empty(shape, ScalarType::f32);
  for (std::int64_t i = 0; i < made.numel(); ++i)
    made.data_as<float>()[i] = static_cast<float>(i);
  return made;
}

/// A tensor of another library, which counts how often it was given back.
struct Foreign {
  std::vector<float> data{1, 2, 3, 4, 5, 6};
  std::int64_t shape[2] = {2, 3};
  int given_back = 0;
  weft::dlpack::ManagedTensor managed{};

  Foreign() {
    managed.tensor.data = data.data();
    managed.tensor.ndim = 2;
    managed.tensor.dtype = {2, 32, 1};
    managed.tensor.device = {1, 0};
    managed.tensor.shape = shape;
    managed.context = this;
    managed.deleter = [](weft::dlpack::ManagedTensor* self) {
      ++static_cast<Foreign*>(self->context)->given_back;
    };
  }
};

/// A file that goes with it.
struct TemporaryFile {
  std::string path;
  TemporaryFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weft_memory_XXXXXX").string();
    const int file = mkstemp(pattern.data());
    REQUIRE(file >= 0);
    close(file);
    path = pattern;
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
};

}  // namespace

TEST_CASE("out of memory: new tensors", "[failing]") {
  const Tensor a = numbered({3, 4});
  check_out_of_memory("empty", [] {
    const Tensor made = Tensor::empty({3, 4}, ScalarType::f64);
    return Tensor::zeros(made.shape(), made.dtype());
  });
  check_out_of_memory("full", [] { return Tensor::full({3, 4}, ScalarType::i16, 7); });
  check_out_of_memory("of", [] { return Tensor::of<float>({3}, {1, 2, 3}); });
  check_out_of_memory("clone", [&] { return a.clone(); });
  check_out_of_memory("copy_of", [&] { return Tensor::copy_of(a.transpose(0, 1)); });
  check_out_of_memory("a large one", [] { return Tensor::zeros({3 << 20}, ScalarType::u8); });
  check_out_of_memory("ten axes", [] { return Tensor::full(ten_axes, ScalarType::f32, 1); });
}

TEST_CASE("out of memory: views of many axes", "[failing]") {
  const Tensor a = numbered(ten_axes);
  check_out_of_memory("a chain of views", [&] {
    TensorView view = a;
    view = view.permute({9, 8, 7, 6, 5, 4, 3, 2, 1, 0}).flip(0).slice(3, 0, 2);
    view = weft::squeeze(view.unsqueeze(2).transpose(0, 1), 0);
    view = weft::unfold(weft::narrow(view, 6, 1, 2), 6, 2, 1);
    return Tensor::share(a.owner(), view);
  });
  check_out_of_memory("as_strided", [&] {
    const weft::DimVector strides = {0, 0, 0, 0, 0, 0, 0, 0, 1, 2};
    return Tensor::share(a.owner(), a.as_strided(ten_axes, strides));
  });
  check_out_of_memory("assigned to", [&] {
    const auto to = std::make_shared<TensorView>(a.select(1, 0).select(0, 0));
    return Attempt{[&, to] { *to = a; }, [to] { return to->rank() == 10; },
                   [to] { return to->rank() == 8; }};
  });
}

TEST_CASE("out of memory: .npy", "[failing]") {
  const Tensor a = numbered({4, 5});
  const std::vector<std::byte> bytes = weft::format_npy(a);
  check_out_of_memory("parse_npy", [&] { return weft::parse_npy(bytes); });
  check_out_of_memory("format_npy", [&] {
    const auto got = std::make_shared<std::vector<std::byte>>();
    return Attempt{[&, got] { *got = weft::format_npy(a.transpose(0, 1).transpose(0, 1)); },
                   [&, got] { return *got == bytes; }, [got] { return got->empty(); }};
  });
  const TemporaryFile file;
  weft::save_npy(file.path, a);
  check_out_of_memory("load_npy", [&] { return weft::load_npy(file.path); });
  const auto is_whole = [&] {
    return test::same_elements(weft::load_npy(file.path), a.transpose(0, 1));
  };
  check_out_of_memory("save_npy", [&] {
    std::filesystem::remove(file.path);
    return Attempt{[&] { weft::save_npy(file.path, a.transpose(0, 1)); }, is_whole,
                   [&] { return !std::filesystem::exists(file.path); }};
  });
}

TEST_CASE("out of memory: tensors of other libraries", "[failing]") {
  check_out_of_memory("from_dlpack", [] {
    const auto foreign = std::make_shared<Foreign>();
    const auto taken = std::make_shared<int>(0);
    return Attempt{[=] {
                     ++*taken;
                     weft::from_dlpack(&foreign->managed);
                   },
                   // Once each time, whether it was taken or not.
                   [=] { return foreign->given_back == *taken; },
                   [=] { return foreign->given_back == *taken; }};
  });
  const Tensor a = numbered(ten_axes);
  check_out_of_memory("to_dlpack", [&] {
    const auto right = std::make_shared<bool>(false);
    return Attempt{[&, right] {
                     weft::dlpack::ManagedTensor* const lent = weft::to_dlpack(a);
                     *right = lent->tensor.ndim == 10 && a.owner().use_count() == 2;
                     lent->deleter(lent);
                     weft::dlpack::ManagedTensorVersioned* const versioned =
                         weft::to_dlpack_versioned(a);
                     versioned->deleter(versioned);
                   },
                   [&, right] { return *right && a.owner().use_count() == 1; },
                   [&] { return a.owner().use_count() == 1; }};
  });
}

TEST_CASE("out of memory: what is kept is freed before an allocation fails", "[failing]") {
  weft::release_kept_memory();
  { const Tensor a = Tensor::zeros({20'000}, ScalarType::u8); }
  const bool keeps = weft::memory_counters().kept_blocks == 1;  // not under sanitizers
  Tensor b;
  {
    // The first try fails, the second one finds memory.
    test::FailingAllocation failing(1);
    if (keeps) b = Tensor::empty({90'000}, ScalarType::u8);
  }
  CHECK(b.defined() == keeps);
  CHECK(weft::memory_counters().kept_blocks == 0);
  bool is_thrown = false;
  try {
    const test::FailingAllocation failing(1, test::Failing::from_there_on);
    b = Tensor::empty({300'000}, ScalarType::u8);
  } catch (const std::bad_alloc&) {
    is_thrown = true;
  }
  CHECK(is_thrown);
  CHECK(b.defined() == keeps);
}
