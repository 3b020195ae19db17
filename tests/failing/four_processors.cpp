// SPDX-License-Identifier: Apache-2.0
// Says that there are four processors, so that as many threads run on fewer. Part of this suite; as
// a shared library, preloaded, for others.
#if defined(__linux__)
#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>

namespace {

constexpr int processors = 4;

}  // namespace

#if defined(__GLIBC__)
extern "C" long __sysconf(int name) noexcept;  // NOLINT(bugprone-reserved-identifier)
#endif

extern "C" int sched_getaffinity(pid_t, std::size_t size, cpu_set_t* set) noexcept {
  std::memset(set, 0, size);
  for (int i = 0; i < processors; ++i)
    CPU_SET_S(i, size, set);
  return 0;
}

extern "C" long sysconf(int name) noexcept {
  if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) return processors;
#if defined(__GLIBC__)
  return __sysconf(name);  // a sanitizer asks before anything can be looked up
#else
  using Sysconf = long (*)(int);
  static const auto next = reinterpret_cast<Sysconf>(dlsym(RTLD_NEXT, "sysconf"));
  return next(name);
#endif
}
#endif
