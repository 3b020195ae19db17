// SPDX-License-Identifier: Apache-2.0
// The names of ARM processors, from texts as Linux gives them.
#include "machine/arm_model.hpp"

#include "support/catch.hpp"

namespace {

constexpr const char* core_of_raspberry =
    "processor\t: 0\n"
    "BogoMIPS\t: 108.00\n"
    "Features\t: fp asimd evtstrm crc32 cpuid\n"
    "CPU implementer\t: 0x41\n"
    "CPU architecture: 8\n"
    "CPU variant\t: 0x0\n"
    "CPU part\t: 0xd08\n"
    "CPU revision\t: 3\n\n";

std::string core(const char* implementer, const char* part) {
  return std::string("CPU implementer\t: ") + implementer + "\nCPU part\t: " + part + "\n\n";
}

}  // namespace

TEST_CASE("ARM processors: their names", "[machine]") {
  CHECK(weft::arm_model(core_of_raspberry) == "Cortex-A72");
  CHECK(weft::arm_model(core("0xc0", "0xac3")) == "Ampere-1");
}

TEST_CASE("ARM processors: each kind of core once, in order", "[machine]") {
  const std::string small = core("0x41", "0xd05"), large = core("0x41", "0xd0b");
  CHECK(weft::arm_model(small + small + large + large + small) == "Cortex-A55 + Cortex-A76");
}

TEST_CASE("ARM processors: those that are not known are called by numbers", "[machine]") {
  CHECK(weft::arm_model(core("0x41", "0xfff")) == "ARM implementer 0x41 part 0xfff");
  // The same part of another implementer is another core.
  CHECK(weft::arm_model(core("0x99", "0xd08")) == "ARM implementer 0x99 part 0xd08");
}

TEST_CASE("ARM processors: texts without any", "[machine]") {
  CHECK(weft::arm_model("").empty());
  CHECK(weft::arm_model("vendor_id\t: GenuineIntel\nmodel name\t: some processor\n").empty());
  CHECK(weft::arm_model("CPU part\t: 0xd08\n").empty());
  CHECK(weft::arm_model("CPU implementer\nCPU part").empty());
  CHECK(weft::arm_model("CPU implementer\t: 0x41\nCPU part\t: 0xd08") == "Cortex-A72");
}
