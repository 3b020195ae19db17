// SPDX-License-Identifier: Apache-2.0
#include "machine/masked_stores.hpp"

namespace weft {
inline namespace v0 {

bool has_fast_masked_stores() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0 || __builtin_cpu_is("amd") == 0;
#else
  return false;
#endif
}

}  // namespace v0
}  // namespace weft
