// SPDX-License-Identifier: Apache-2.0
/// @file
/// The one exception type of the library.
#pragma once

#include <weft/base/export.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace weft {
inline namespace v0 {

/// What kind of mistake an Error reports. Stable: programs may switch on it.
enum class ErrorCode : std::uint8_t {
  invalid_argument,  ///< a value outside its domain, or a call in the wrong state
  shape,             ///< shapes that do not broadcast, or an output of the wrong shape
  rank,              ///< too many dims, or lists of different lengths
  axis,              ///< an axis out of range or named twice
  dtype,             ///< element types that differ or that an operation does not take
  cast,      ///< a conversion that would lose the kind of value (float to integer, complex to real)
  overlap,   ///< operands that share memory in a way that would change the result
  bounds,    ///< an address outside the memory that an operand owns
  overflow,  ///< extents or strides whose arithmetic leaves 64 bits
  undefined,  ///< an operand without data where data is needed
  division,   ///< an integer divided by zero
  parse,      ///< text or a file that cannot be read
  io,         ///< a file that cannot be opened, read or written
  limit,      ///< input larger than its Limits allow
};

/// A short, stable name, such as "shape".
WEFT_API const char* name(ErrorCode code) noexcept;

/// Thrown for every mistake of a caller or of input data; the message names the operation, operand,
/// axis, what was expected and what came. Thrown while a config, view or file is read, before
/// anything is written; integer division by zero alone (ErrorCode::division) is found while it
/// runs. The library never prints, exits or aborts.
class WEFT_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message);

  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// Throws Error. Out of line, so that a check costs its caller one compare and one call.
[[noreturn]] WEFT_API void fail(ErrorCode code, const std::string& message);
[[noreturn]] WEFT_API void fail(ErrorCode code, const char* message);

}  // namespace v0
}  // namespace weft
