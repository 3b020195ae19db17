// SPDX-License-Identifier: Apache-2.0
/// @file
/// Whether there can be the threads that oneTBB is going to make.
#pragma once

namespace weft {
inline namespace v0 {

/// False where the system does not give the process the threads that oneTBB wants: oneTBB ends the
/// process when one of its workers cannot make the next. Tried once, by the first call that would
/// use several threads: it makes as many, all of which are there at a time, and ends them. A caller
/// that is inside an arena already has oneTBB running, and is not asked. From then on weft stays
/// loaded (keep_loaded.hpp), and it is false in children that the process makes by fork().
bool has_threads() noexcept;

}  // namespace v0
}  // namespace weft
