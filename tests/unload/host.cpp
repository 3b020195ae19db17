// SPDX-License-Identifier: Apache-2.0
// A program without weft, which loads a module with it, calls it on two threads, and unloads it:
// many times, and once more for good, so that the module is still there when the process ends.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace {

bool is_right(void* module) {
  using Function = int (*)();
  const auto function = reinterpret_cast<Function>(dlsym(module, "weft_test_module_is_right"));
  return function != nullptr && function() == 1;
}

/// Null, with a message, if it cannot be loaded, or is wrong.
void* load_and_call(const char* path) {
  void* const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return nullptr;
  }
  bool there = false;
  std::thread other([&] { there = is_right(module); });
  const bool here = is_right(module);
  other.join();
  if (here && there) return module;
  std::fprintf(stderr, "wrong results\n");
  return nullptr;
}

bool is_loaded(const char* path) {
  void* const module = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (module != nullptr) dlclose(module);
  return module != nullptr;
}

}  // namespace

/// @param argv  the module; and a word, if it is to be gone after it was unloaded
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  for (int i = 0; i < 30; ++i) {
    void* const module = load_and_call(argv[1]);
    if (module == nullptr || dlclose(module) != 0) return 1;
    // Workers wake up, and find their code where it was.
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    if (argc > 2 && is_loaded(argv[1])) {
      std::fprintf(stderr, "the module is still there\n");
      return 1;
    }
  }
  return load_and_call(argv[1]) != nullptr ? 0 : 1;
}
