// SPDX-License-Identifier: Apache-2.0
// Stands in front of the C library's function that makes threads.
#include "failing/few_threads.hpp"

#if defined(__linux__)
#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstdlib>

namespace {

struct Start {
  void* (*function)(void*);
  void* argument;
};

/// What a thread does; another may be made when it ends.
void* run(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  std::free(argument);
  void* const result = start.function(start.argument);
  ++test::threads_allowed;
  return result;
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*function)(void*), void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (--test::threads_allowed < 0) {
    ++test::threads_allowed;
    return EAGAIN;
  }
  // Not by operator new, whose calls are counted.
  auto* const start = static_cast<Start*>(std::malloc(sizeof(Start)));
  if (start != nullptr) *start = {function, argument};
  const int error = start == nullptr ? ENOMEM : next(thread, attributes, &run, start);
  if (error != 0) {
    std::free(start);
    ++test::threads_allowed;
  }
  return error;
}
#endif
