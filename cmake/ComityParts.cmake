# SPDX-License-Identifier: BSD-3-Clause
# A part is one folder of src/: a static library that the shared library takes whole and unit tests link alone.
#   comity_part(node SOURCES segment.cpp ... NEEDS base os)
function(comity_part name)
  cmake_parse_arguments(part "" "" "SOURCES;NEEDS;LIBRARIES" ${ARGN})
  add_library(comity_${name} STATIC ${part_SOURCES})
  target_include_directories(comity_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM part_NEEDS PREPEND comity_)
  target_link_libraries(comity_${name} PUBLIC ${part_NEEDS} ${part_LIBRARIES})
endfunction()
