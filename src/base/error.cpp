// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>

namespace weft {
inline namespace v0 {

Error::Error(ErrorCode code, const std::string& message)
    : std::runtime_error(message), code_(code) {}

void fail(ErrorCode code, const std::string& message) { throw Error(code, message); }
void fail(ErrorCode code, const char* message) { throw Error(code, message); }

const char* name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::shape: return "shape";
    case ErrorCode::rank: return "rank";
    case ErrorCode::axis: return "axis";
    case ErrorCode::dtype: return "dtype";
    case ErrorCode::cast: return "cast";
    case ErrorCode::overlap: return "overlap";
    case ErrorCode::bounds: return "bounds";
    case ErrorCode::overflow: return "overflow";
    case ErrorCode::undefined: return "undefined";
    case ErrorCode::division: return "division";
    case ErrorCode::parse: return "parse";
    case ErrorCode::io: return "io";
    case ErrorCode::limit: return "limit";
  }
  return "unknown";
}

}  // namespace v0
}  // namespace weft
