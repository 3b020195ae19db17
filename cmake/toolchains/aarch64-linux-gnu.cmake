# SPDX-License-Identifier: Apache-2.0
#
# GCC for AArch64 on another machine, and qemu to run what it makes. On Debian:
#
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install g++-aarch64-linux-gnu qemu-user libtbb-dev:arm64 libpugixml-dev:arm64 libfmt-dev:arm64
#
# What needs no compiling for AArch64 (xsimd, CLI11, Catch2) may be the machine's own. Libraries that are somewhere
# else are found with CMAKE_FIND_ROOT_PATH, and at run time by options of qemu (-L, -E) in
# CMAKE_CROSSCOMPILING_EMULATOR.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
if(NOT CMAKE_CROSSCOMPILING_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
endif()
