/* SPDX-License-Identifier: Apache-2.0 */
/* A preload for tests only: says that there are four processors, so that as many threads run on fewer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { processors = 4 };

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t* set) {
  (void)pid;
  memset(set, 0, size);
  for (int i = 0; i < processors; ++i)
    CPU_SET_S(i, size, set);
  return 0;
}

long sysconf(int name) {
  static long (*next)(int);
  if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) return processors;
  if (next == NULL) next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
  return next(name);
}
