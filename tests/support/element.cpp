// SPDX-License-Identifier: Apache-2.0
#include "support/element.hpp"

namespace test {

const std::vector<weft::ScalarType>& all_types() {
  static const std::vector<weft::ScalarType> types = [] {
    std::vector<weft::ScalarType> list;
    for (int i = 0; i < weft::scalar_type_count; ++i) {
      list.push_back(static_cast<weft::ScalarType>(i));
    }
    return list;
  }();
  return types;
}

void fill(weft::ScalarType type, void* memory, std::int64_t count, Random& random, Values values) {
  auto* to = static_cast<unsigned char*>(memory);
  weft::dispatch_all_types(type, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i, to += sizeof(T)) {
      if (std::is_same_v<T, bool> && values == Values::any) {
        constexpr unsigned char bytes[] = {0, 0, 1, 2, 0x80, 0xff};
        *to = bytes[random.integer(0, 5)];
      } else {
        const T value = random_element<T>(random, values);
        std::memcpy(to, &value, sizeof(T));
      }
    }
  });
}

bool same_element(weft::ScalarType type, const void* a, const void* b) {
  const auto size = static_cast<std::size_t>(weft::element_size(type));
  if (std::memcmp(a, b, size) == 0) return true;
  return weft::dispatch_all_types(type, [&]<class T>() {
    if constexpr (weft::is_complex_type<T>) {
      const auto* x = static_cast<const char*>(a);
      const auto* y = static_cast<const char*>(b);
      constexpr auto part = weft::scalar_type_of<typename T::value_type>;
      return same_element(part, x, y) && same_element(part, x + size / 2, y + size / 2);
    } else {
      return is_nan(load<T>(a)) && is_nan(load<T>(b));
    }
  });
}

void print_element(std::ostream& out, weft::ScalarType type, const void* element) {
  weft::dispatch_all_types(type, [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>) {
      out << "byte " << static_cast<int>(*static_cast<const unsigned char*>(element));
    } else if constexpr (sizeof(T) == 1) {
      out << static_cast<int>(load<T>(element));
    } else if constexpr (weft::is_half_type<T>) {
      out << std::hexfloat << static_cast<float>(load<T>(element)) << std::defaultfloat;
    } else {
      out << std::hexfloat << load<T>(element) << std::defaultfloat;
    }
  });
}

void convert_element(weft::ScalarType to_type, void* to, weft::ScalarType from_type,
                     const void* from) {
  weft::cast_elements(to, to_type, 0, from, from_type, 0, 1);
}

}  // namespace test
