#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#   tests/install/consume.sh FOLDER [static|shared]...
#
# Every way to use weft from a project of one's own, of a static and a shared weft: find_package with and without
# components, components alone, a library in between, pkg-config with a Makefile and without, add_subdirectory,
# FetchContent of a repository and of a folder. Works in FOLDER; builds what the README names, at one level (WEFT_LEVELS
# in the environment names others), since what is tried is how weft gets there. .ci/matrix consume runs it.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
here=$source/tests/install
mkdir -p "$1"
work=$(cd "$1" && pwd)
shift
levels=${WEFT_LEVELS:-baseline}
version=$(sed -n 's/^  VERSION \([0-9.]*\)$/\1/p' "$source/CMakeLists.txt")

say() { echo "consume: $kind: $*"; }
fail() { say "$*"; exit 1; }

# configure NAME SOURCE OPTION...: a project in SOURCE, built in $work/$kind/NAME
configure() {
  local name=$1 project=$2
  shift 2
  rm -rf "$work/$kind/$name"
  cmake -S "$project" -B "$work/$kind/$name" -G Ninja -DEXPECTED_WEFT_VERSION="$version" "$@"
}
build() { cmake --build "$work/$kind/$1" "${@:2}"; }

# use NAME OPTION...: the program with a kernel file of its own, and all of weft
use() {
  configure "$1" "$here/consumer" "${@:2}"
  build "$1"
  "$work/$kind/$1/bin/consumer"
  say "$1"
}
# use_components NAME LIST OPTION...: a program for each component
use_components() {
  configure "$1" "$here/components" -DCOMPONENTS="$2" "${@:3}"
  build "$1" --target all check
  say "$1: $2"
}

# pages FOLDER: installed pages link to what is installed.
pages() {
  local page link
  [ -f "$1/docs/index.md" ] || fail "no pages in $1"
  find "$1" -name '*.md' | while read -r page; do
    sed '/^```/,/^```/d' "$page" | { grep -oE '\]\([A-Za-z0-9_./-]*(/|\.[a-z]+)[)#]' || true; } | while read -r link; do
      link=${link#??}
      [ -e "$(dirname "$page")/${link%?}" ] || fail "$page: no ${link%?}"
    done
  done
  say "pages"
}

installed() {
  local prefix=$work/$kind/prefix from=()
  configure weft "$source" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS="$shared" -DWEFT_LEVELS="$levels" \
    -DWEFT_BUILD_TESTS=OFF -DWEFT_BUILD_BENCH=OFF
  build weft
  # Used from another place than it was installed to: nothing in it may remember the first one.
  rm -rf "$work/$kind/staging" "$prefix"
  cmake --install "$work/$kind/weft" --prefix "$work/$kind/staging"
  mv "$work/$kind/staging" "$prefix"
  from=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" -DEXPECTED_WEFT_PREFIX="$prefix")
  "$prefix/bin/weft" info > "$work/$kind/info.txt"

  pages "$prefix/share/doc/weft"

  use find_package "${from[@]}"
  # Who asks for less needs less: no XML parser.
  use_components iter "iter;vectorized" "${from[@]}" -DCMAKE_DISABLE_FIND_PACKAGE_pugixml=ON
  use_components graph "graph;ops" "${from[@]}" -DCMAKE_DISABLE_FIND_PACKAGE_pugixml=ON
  use_components all "iter;ops;graph;ir;vectorized" "${from[@]}"
  if [ "$shared" = ON ] && ldd "$work/$kind/iter/uses_iter" | grep -E 'weft-(ops|graph|ir)|pugixml'; then
    fail "a program that uses weft::iter loads more than that"
  fi
  if configure no_such "$here/components" -DCOMPONENTS="no_such" "${from[@]}" 2> "$work/$kind/no_such.txt"; then
    fail "a component that there is not was found"
  fi
  grep -q no_such "$work/$kind/no_such.txt" || fail "the error names no component"

  between "$prefix"
  pkg_config "$prefix"
}

# A library that uses weft and gives it on: static and shared.
between() {
  local together
  for together in OFF ON; do
    configure "between-$together" "$here/reexport/library" -DCMAKE_PREFIX_PATH="$1" -DBUILD_SHARED_LIBS=$together \
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_RPATH="$1/lib"
    build "between-$together"
    cmake --install "$work/$kind/between-$together" --prefix "$work/$kind/between-$together/prefix"
    configure "user-$together" "$here/reexport/user" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_PREFIX_PATH="$1;$work/$kind/between-$together/prefix"
    build "user-$together"
    "$work/$kind/user-$together/user"
    say "through a library, shared: $together"
  done
}

# Without CMake, and by nothing but what pkg-config tells.
pkg_config() {
  local folder=$work/$kind/pkg-config component
  rm -rf "$folder"
  mkdir -p "$folder"
  export PKG_CONFIG_PATH=$1/lib/pkgconfig
  [ "$(pkg-config --modversion weft)" = "$version" ] || fail "pkg-config finds another version"
  for component in iter ops graph ir; do
    g++ -std=c++20 -O1 "$here/components/$component.cpp" $(pkg-config --cflags --libs "weft-$component") \
      -o "$folder/$component"
    LD_LIBRARY_PATH=$1/lib "$folder/$component"
  done
  g++ -std=c++20 -O1 "$here/components/ir.cpp" $(pkg-config --cflags --libs weft) -o "$folder/weft"
  LD_LIBRARY_PATH=$1/lib "$folder/weft"
  # The Makefile of the page, with a kernel file.
  sed -n '/^```make$/,/^```$/p' "$source/docs/packaging.md" | sed '1d;$d' > "$folder/Makefile"
  cp "$here"/consumer/*.[ch]pp "$folder"
  make -C "$folder" CPPFLAGS="-DEXPECTED_WEFT_VERSION='\"$version\"'"
  for component in $(pkg-config --variable=levels weft-iter); do
    LD_LIBRARY_PATH=$1/lib WEFT_ISA=$component "$folder/app"
  done
  unset PKG_CONFIG_PATH
  say "pkg-config"
  [ "$shared" = OFF ] || mixture "$1" "$folder"
}

# A lowest component of another patch version: those above it refuse to be loaded.
mixture() {
  local mixed=$work/$kind/mixed name=internals_of_${version//./_}
  rm -rf "$mixed"
  cp -r "$1/lib" "$mixed"
  sed -i "s/$name/${name/%?/x}/" "$mixed/libweft-iter.so.$version"
  LD_LIBRARY_PATH=$mixed "$2/iter"
  if LD_LIBRARY_PATH=$mixed "$2/ops" 2> "$work/$kind/mixed.txt"; then
    fail "components of two versions are loaded together"
  fi
  grep "undefined symbol.*$name" "$work/$kind/mixed.txt" || fail "the loader says something else"
}

in_a_project() {
  local options=(-DWEFT_LEVELS="$levels" -DBUILD_SHARED_LIBS="$shared") built plain
  use add_subdirectory -DWEFT_SOURCE="$source" "${options[@]}"
  # Nobody gave a build type: the library is optimised all the same.
  plain=$(ninja -C "$work/$kind/add_subdirectory" -t commands | grep -E " -c $source/(src|kernels)/" |
    grep -ve " -O3") || true
  [ -z "$plain" ] || fail "not optimised: $plain"
  use fetch_repository -DWEFT_REPOSITORY="file://$source" "${options[@]}" -DCMAKE_BUILD_TYPE=Release

  # What is linked is built, and nothing else, however much the options say there is.
  use_components fetch_iter "iter;vectorized" -DWEFT_FETCHED_SOURCE="$source" "${options[@]}" -DCMAKE_BUILD_TYPE=Release
  built=$(cd "$work/$kind/fetch_iter" && find . -name '*.o' | sed -n 's,.*/\(src\|kernels\)/\([a-z]*\)/.*,\1/\2,p' | sort -u)
  [ "$built" = "kernels/stage
src/base
src/core
src/engine
src/iter
src/machine
src/parallel" ] || fail "weft::iter is built of $built"
  # Without the others, no XML parser is looked for.
  use_components without_ops "iter" -DWEFT_SOURCE="$source" -DWEFT_WITH_OPS=OFF "${options[@]}" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_DISABLE_FIND_PACKAGE_pugixml=ON -DFETCHCONTENT_FULLY_DISCONNECTED=ON
}

[ $# -gt 0 ] || set -- static shared
for kind; do
  shared=$([ "$kind" = shared ] && echo ON || echo OFF)
  installed
  in_a_project
  if [ "$shared" = OFF ]; then
    cmake -D WORK="$work/$kind/vcpkg" -D OPTIONS="-DWEFT_LEVELS=$levels" -P "$here/vcpkg_port.cmake"
    say "the port for vcpkg"
  fi
done
