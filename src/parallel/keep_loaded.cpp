// SPDX-License-Identifier: Apache-2.0
#include "parallel/keep_loaded.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#endif

namespace weft {
inline namespace v0 {

void keep_loaded() noexcept {
#if defined(RTLD_NODELETE) && defined(RTLD_NOLOAD)
  Dl_info here;
  // Loaded once more, and never closed.
  if (dladdr(reinterpret_cast<const void*>(&keep_loaded), &here) != 0)
    dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

}  // namespace v0
}  // namespace weft
