// SPDX-License-Identifier: Apache-2.0
#include <weft/core/dlpack.hpp>

#include "support/errors.hpp"

#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace weft::dlpack;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// What another library would hand over: 24 floats, and a count of how often it was given back.
template <class Managed>
struct Lent {
  std::vector<float> elements = std::vector<float>(24);
  std::vector<std::int64_t> shape = {2, 3};
  std::vector<std::int64_t> strides = {-12, 2};
  int returned = 0;
  Managed managed{};

  Lent() {
    for (std::size_t i = 0; i < elements.size(); ++i)
      elements[i] = static_cast<float>(i);
    managed.tensor = {elements.data(), {1, 0}, 2, {2, 32, 1}, shape.data(), strides.data(), 48};
    managed.context = this;
    managed.deleter = [](Managed* self) { ++static_cast<Lent*>(self->context)->returned; };
    if constexpr (requires { managed.version; }) managed.version = {1, 1};
  }
};

/// The view and the tensor are refused alike, and the tensor has been given back all the same.
void check_refused(weft::ErrorCode code, const std::string& part, auto spoil) {
  INFO(part);
  Lent<ManagedTensor> lent;
  spoil(lent.managed.tensor);
  CHECK(test::wrong_error(code, {"dlpack", part}, [&] { weft::view_of(lent.managed.tensor); }) ==
        "");
  CHECK(lent.returned == 0);
  CHECK(test::wrong_error(code, {"dlpack", part}, [&] { weft::from_dlpack(&lent.managed); }) == "");
  CHECK(lent.returned == 1);
  Lent<ManagedTensorVersioned> other;
  spoil(other.managed.tensor);
  CHECK(test::wrong_error(code, {"dlpack", part}, [&] { weft::from_dlpack(&other.managed); }) ==
        "");
  CHECK(other.returned == 1);
}

}  // namespace

TEMPLATE_TEST_CASE("dlpack: taken over, and given back once", "[dlpack]", ManagedTensor,
                   ManagedTensorVersioned) {
  Lent<TestType> lent;
  {
    Tensor copy;
    {
      const Tensor tensor = weft::from_dlpack(&lent.managed);
      CHECK(tensor.dtype() == ScalarType::f32);
      CHECK(tensor.data() == lent.elements.data() + 12);
      CHECK(tensor.template at<float>({0, 2}) == 16);
      CHECK(tensor.template at<float>({1, 1}) == 2);
      CHECK(!tensor.read_only());
      copy = tensor;
    }
    CHECK(lent.returned == 0);
    CHECK(copy.stride(0) == -12);
  }
  CHECK(lent.returned == 1);

  lent.managed.deleter = nullptr;  // allowed: there is nothing to give back
  CHECK(weft::from_dlpack(&lent.managed).numel() == 6);
  CHECK(lent.returned == 1);
}

TEST_CASE("dlpack: no strides, no axes, no elements", "[dlpack]") {
  Lent<ManagedTensor> lent;
  TensorInfo& info = lent.managed.tensor;
  info.strides = nullptr;
  CHECK(weft::view_of(info).is_contiguous());
  CHECK(weft::view_of(info).at<float>({1, 0}) == 15);
  info.ndim = 0;
  info.shape = nullptr;
  CHECK(weft::view_of(info).at<float>({}) == 12);
  lent.shape = {2, 0};
  info.ndim = 2;
  info.shape = lent.shape.data();
  info.data = nullptr;
  CHECK(weft::view_of(info).numel() == 0);
}

TEST_CASE("dlpack: what is not to be written to", "[dlpack]") {
  Lent<ManagedTensorVersioned> lent;
  lent.managed.flags = 1;
  const Tensor tensor = weft::from_dlpack(&lent.managed);
  CHECK(tensor.read_only());
  CHECK_ERROR(invalid_argument, ("to_dlpack", "read-only"), weft::to_dlpack(tensor));
  ManagedTensorVersioned* managed = weft::to_dlpack_versioned(tensor);
  CHECK(managed->flags == 1);
  managed->deleter(managed);
}

TEST_CASE("dlpack: what is refused is given back", "[dlpack]") {
  using weft::ErrorCode;
  check_refused(ErrorCode::invalid_argument, "device type 2",
                [](TensorInfo& t) { t.device.type = 2; });
  check_refused(ErrorCode::dtype, "4 lanes", [](TensorInfo& t) { t.dtype.lanes = 4; });
  check_refused(ErrorCode::dtype, "code 3, 64 bits", [](TensorInfo& t) { t.dtype = {3, 64, 1}; });
  check_refused(ErrorCode::dtype, "code 0, 4 bits", [](TensorInfo& t) { t.dtype = {0, 4, 1}; });
  check_refused(ErrorCode::rank, "got -1", [](TensorInfo& t) { t.ndim = -1; });
  check_refused(ErrorCode::rank, "got 65", [](TensorInfo& t) { t.ndim = 65; });
  check_refused(ErrorCode::undefined, "no shape", [](TensorInfo& t) { t.shape = nullptr; });
  check_refused(ErrorCode::undefined, "no data for 6 elements",
                [](TensorInfo& t) { t.data = nullptr; });
  check_refused(ErrorCode::overflow, "byte offset",
                [](TensorInfo& t) { t.byte_offset = std::numeric_limits<std::uint64_t>::max(); });
  CHECK_ERROR(invalid_argument, ("null"), weft::from_dlpack(static_cast<ManagedTensor*>(nullptr)));

  std::int64_t negative[] = {2, -3}, huge[] = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  std::int64_t far[] = {std::int64_t{1} << 62, 1};
  Lent<ManagedTensor> lent;
  lent.managed.tensor.shape = negative;
  CHECK_ERROR(shape, ("negative"), weft::view_of(lent.managed.tensor));
  lent.managed.tensor.shape = huge;
  CHECK_ERROR(overflow, ("2^63-1"), weft::view_of(lent.managed.tensor));
  lent.managed.tensor.shape = lent.shape.data();
  lent.managed.tensor.strides = far;
  CHECK_ERROR(overflow, ("strides"), weft::view_of(lent.managed.tensor));

  // Of another version nothing but the deleter may be looked at.
  Lent<ManagedTensorVersioned> later;
  later.managed.version = {2, 0};
  later.managed.tensor.shape = nullptr;
  CHECK_ERROR(invalid_argument, ("expected version 1, got 2.0"), weft::from_dlpack(&later.managed));
  CHECK(later.returned == 1);
}

TEST_CASE("dlpack: given away, every element type", "[dlpack]") {
  for (int i = 0; i < weft::scalar_type_count; ++i) {
    const auto type = static_cast<ScalarType>(i);
    CAPTURE(weft::name(type));
    Tensor tensor = Tensor::empty_strided({3, 2}, {1, 4}, type);
    const void* data = tensor.data();
    const std::weak_ptr<void> alive = tensor.owner();
    ManagedTensorVersioned* managed = weft::to_dlpack_versioned(tensor);
    tensor = Tensor();
    CHECK(!alive.expired());
    CHECK(managed->version.major == 1);
    CHECK(managed->flags == 0);
    CHECK(managed->tensor.device.type == 1);
    CHECK(managed->tensor.dtype.bits == 8 * weft::element_size(type));
    Tensor back = weft::from_dlpack(managed);
    CHECK(back.dtype() == type);
    CHECK(back.data() == data);
    CHECK(back.extent(0) == 3);
    CHECK(back.stride(1) == 4);
    std::thread([&] { back = Tensor(); }).join();  // given back from any thread
    CHECK(alive.expired());
  }
  CHECK_ERROR(undefined, ("to_dlpack"), weft::to_dlpack(Tensor()));
  CHECK_ERROR(undefined, ("to_dlpack"), weft::to_dlpack_versioned(Tensor()));

  const Tensor number = Tensor::full({}, ScalarType::i16, 7);
  ManagedTensor* managed = weft::to_dlpack(number);
  CHECK(managed->tensor.ndim == 0);
  CHECK(weft::view_of(managed->tensor).at<std::int16_t>({}) == 7);
  managed->deleter(managed);
}
