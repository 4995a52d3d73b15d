# SPDX-License-Identifier: BSD-3-Clause
# A part is one folder of src/: a static library that the shared library takes whole and unit tests link alone.
#   comity_part(node SOURCES segment.cpp ... NEEDS base os)
# LIGHT: nobody waits for what it does; it is compiled so (ComityFlags). APART: folders whose files are not united (ComityUnite).
function(comity_part name)
  cmake_parse_arguments(part "LIGHT" "" "SOURCES;NEEDS;LIBRARIES;APART" ${ARGN})
  add_library(comity_${name} STATIC ${part_SOURCES})
  target_include_directories(comity_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  if(part_LIGHT)
    target_compile_options(comity_${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:${COMITY_LIGHT_OPTIMISATION}>)
    comity_precompile(comity_${name})
  else()
    comity_reuse_precompiled(comity_${name} parts)
  endif()
  comity_unite(comity_${name} APART ${part_APART})
  list(TRANSFORM part_NEEDS PREPEND comity_)
  target_link_libraries(comity_${name} PUBLIC ${part_NEEDS} ${part_LIBRARIES})
endfunction()
