// SPDX-License-Identifier: Apache-2.0
#include <weft/linalg/product_provider.hpp>

#include <atomic>

namespace weft {
inline namespace v0 {
namespace {

std::atomic<const ProductProvider*>& current() noexcept {
  static std::atomic<const ProductProvider*> provider = nullptr;
  return provider;
}

}  // namespace

const ProductProvider* set_product_provider(const ProductProvider* provider) noexcept {
  return current().exchange(provider);
}

const ProductProvider* product_provider() noexcept {
  return current().load(std::memory_order_acquire);
}

}  // namespace v0
}  // namespace weft
