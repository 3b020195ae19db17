// SPDX-License-Identifier: Apache-2.0
/// @file
/// Catch2, whichever of its two shapes is installed: version 2 is one header, version 3 is many.
/// Tests keep to what both have.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // version 2 has it here
#else
#include <catch2/catch.hpp>
#endif
