// SPDX-License-Identifier: Apache-2.0
/// @file
/// Names of ARM processors, which tell numbers of themselves instead.
#pragma once

#include <string>
#include <string_view>

namespace weft {
inline namespace v0 {

/// The names of the cores that a text such as Linux' /proc/cpuinfo on AArch64 lists, each once and
/// in the order of the text, joined by " + ": "Cortex-A55 + Cortex-A76". A core that is not known
/// is called by its numbers. Empty if the text lists none.
std::string arm_model(std::string_view cpuinfo);

}  // namespace v0
}  // namespace weft
