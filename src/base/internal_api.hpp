// SPDX-License-Identifier: Apache-2.0
/// @file
/// What components of weft, its program and its tests use of each other, and nobody else: no
/// installed header declares it. Where a component is a shared library, it has to export it all the
/// same. It is no interface, and changes from patch version to patch version (same_version.hpp).
#pragma once

#include <weft/base/export.hpp>

/// A function, class or variable of that kind. Nothing else of a private header may be used above
/// its own component: linking a shared one fails then.
#define WEFT_INTERNAL_API WEFT_API
