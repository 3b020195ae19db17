// SPDX-License-Identifier: Apache-2.0
/// @file
/// The mdspans that there are: the tests' own, that of C++23 where the library has it (the test
/// core.mdspan is compiled as C++23), and that of Kokkos where it is installed.
#pragma once

#include "core/plain_mdspan.hpp"
#include "support/naive.hpp"

#include <version>
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif
#if __has_include(<mdspan/mdspan.hpp>)
#include <mdspan/mdspan.hpp>
#define WEFT_TEST_KOKKOS_MDSPAN , mdspans::Kokkos
#elif __has_include(<kokkos/mdspan/mdspan.hpp>)
#include <kokkos/mdspan/mdspan.hpp>
#define WEFT_TEST_KOKKOS_MDSPAN , mdspans::Kokkos
#endif

namespace mdspans {

#define WEFT_TEST_MDSPANS(FAMILY, SPACE)              \
  struct FAMILY {                                     \
    template <class T, class Extents, class Layout>   \
    using mdspan = SPACE::mdspan<T, Extents, Layout>; \
    template <class Index, std::size_t... fixed>      \
    using extents = SPACE::extents<Index, fixed...>;  \
    template <class Index, std::size_t rank>          \
    using dextents = SPACE::dextents<Index, rank>;    \
    using right = SPACE::layout_right;                \
    using left = SPACE::layout_left;                  \
    using stride = SPACE::layout_stride;              \
  }

WEFT_TEST_MDSPANS(Plain, ::plain);
#ifdef __cpp_lib_mdspan
WEFT_TEST_MDSPANS(Standard, ::std);
#define WEFT_TEST_STANDARD_MDSPAN , mdspans::Standard
#else
#define WEFT_TEST_STANDARD_MDSPAN
#endif
#ifdef WEFT_TEST_KOKKOS_MDSPAN
WEFT_TEST_MDSPANS(Kokkos, ::Kokkos);
#else
#define WEFT_TEST_KOKKOS_MDSPAN
#endif
#undef WEFT_TEST_MDSPANS

/// Matrices of any extents, row-major or with any strides; and such of three rows.
template <class Family, class T = float, class Index = int>
using Dense = typename Family::template mdspan<T, typename Family::template dextents<Index, 2>,
                                               typename Family::right>;
template <class Family, class T = float, class Index = int>
using Strided = typename Family::template mdspan<T, typename Family::template dextents<Index, 2>,
                                                 typename Family::stride>;
template <class Family, class T = float>
using Fixed = typename Family::template mdspan<
    T, typename Family::template extents<int, 3, std::dynamic_extent>, typename Family::stride>;

/// The address of an element, by what the mdspan says.
template <class M>
const void* address(const M& span, const test::Dims& index) {
  return [&]<std::size_t... axes>(std::index_sequence<axes...>) -> const void* {
    using Index = typename M::index_type;
    return span.data_handle() + span.mapping()(static_cast<Index>(index[axes])...);
  }(std::make_index_sequence<M::rank()>());
}

}  // namespace mdspans

/// Arguments of TEMPLATE_TEST_CASE.
#define WEFT_ALL_MDSPANS mdspans::Plain WEFT_TEST_STANDARD_MDSPAN WEFT_TEST_KOKKOS_MDSPAN
