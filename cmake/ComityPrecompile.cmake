# SPDX-License-Identifier: BSD-3-Clause
# The standard headers that most files include take half of what a small file takes to compile; they are parsed once for all
# files with the same options. With GCC alone: Clang's builds (sanitizers) see each file as it stands, so an include that a
# file forgot is found. With a compiler cache neither: it knows the files already, and loses sight of them behind a header's
# binary form.
#   comity_precompile(comity_cli)                     for one target with options of its own
#   comity_precompile_kind(tests HEADERS ...) for all targets with the options of this folder that then say
#   comity_reuse_precompiled(test_node tests)         so
set(COMITY_PRECOMPILED_HEADERS <algorithm> <array> <atomic> <chrono> <filesystem> <fstream> <functional> <map> <memory> <optional>
    <set> <span> <sstream> <string> <string_view> <thread> <vector>)
set(COMITY_PRECOMPILES OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT COMITY_SANITIZE)
  set(COMITY_PRECOMPILES ON)
endif()

function(comity_precompile target)
  if(COMITY_PRECOMPILES)
    target_precompile_headers(${target} PRIVATE ${COMITY_PRECOMPILED_HEADERS})
  endif()
endfunction()

# PROGRAMS: as programs have it (-fPIE), not as libraries (-fPIC).
function(comity_precompile_kind kind)
  cmake_parse_arguments(PARSE_ARGV 1 kind "PROGRAMS" "" "HEADERS;LIBRARIES")
  if(NOT COMITY_PRECOMPILES)
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/precompiled_${kind}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Only what is included before it matters.\n")
  add_library(comity_precompiled_${kind} OBJECT ${source})
  if(kind_PROGRAMS)
    set_target_properties(comity_precompiled_${kind} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(comity_precompiled_${kind} PRIVATE -fPIE)
  endif()
  target_link_libraries(comity_precompiled_${kind} PRIVATE ${kind_LIBRARIES})
  target_precompile_headers(comity_precompiled_${kind} PRIVATE ${COMITY_PRECOMPILED_HEADERS} ${kind_HEADERS})
endfunction()

function(comity_reuse_precompiled target kind)
  get_target_property(sources ${target} SOURCES)
  if(TARGET comity_precompiled_${kind} AND NOT "${sources}" MATCHES "[.]c(;|$)")  # C would want its own
    target_precompile_headers(${target} REUSE_FROM comity_precompiled_${kind})
    set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)  # with OpenMP's option they are read as ever
  endif()
endfunction()
