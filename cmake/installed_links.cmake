# Run at installation with PAGES, the folder of the installed pages, and HEADERS, that of the headers as seen from there.
#
# In the tree, pages link to headers and sources beside them. Installed, headers are elsewhere and sources nowhere: links to
# the first are turned there, and of links to the second their words are left.
file(GLOB_RECURSE pages "${PAGES}/*.md")
foreach(page IN LISTS pages)
  cmake_path(GET page PARENT_PATH folder)
  file(RELATIVE_PATH up "${folder}" "${PAGES}")
  cmake_path(SET headers NORMALIZE "./${up}/${HEADERS}")
  file(READ "${page}" text)
  string(REGEX REPLACE "\\]\\((\\.\\./)*include/weft" "](${headers}/weft" text "${text}")
  string(REGEX REPLACE "\\[([^]]*)\\]\\((\\.\\./)*(src|kernels|tests|bench|cmake|\\.ci|CMakeLists\\.txt)(/[^)]*)?\\)" "\\1"
    text "${text}")
  file(WRITE "${page}" "${text}")
endforeach()
