# SPDX-License-Identifier: BSD-3-Clause
# The standard headers that most files include take half of what a small file takes to compile; they are parsed once for all
# files with the same options. COMITY_PRECOMPILE=OFF lets the compiler see each file as it stands, so that it finds an include
# that a file forgot: `make lint` does. With a compiler cache it is off too: that knows the files already, and loses sight of them
# behind a header's binary form.
#   comity_precompile(comity_cli)                     for one target with options of its own
#   comity_precompile_kind(tests HEADERS ...) for all targets with the options of this folder that then say
#   comity_reuse_precompiled(test_node tests)         so
set(COMITY_PRECOMPILED_HEADERS <algorithm> <array> <atomic> <chrono> <filesystem> <fstream> <functional> <map> <memory> <optional>
    <set> <span> <sstream> <string> <string_view> <thread> <vector>)
option(COMITY_PRECOMPILE "parse the standard headers once, and compile small files together" ON)
set(COMITY_PRECOMPILES OFF)
if(COMITY_PRECOMPILE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
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

# At the end of the folder, when all options of the target are known.
function(comity_reuse_precompiled target kind)
  if(TARGET comity_precompiled_${kind})
    cmake_language(EVAL CODE "cmake_language(DEFER CALL comity_reuse_precompiled_now [[${target}]] [[${kind}]])")
  endif()
endfunction()

function(comity_reuse_precompiled_now target kind)
  comity_fits_precompiled(fits ${target} comity_precompiled_${kind})
  if(fits)
    target_precompile_headers(${target} REUSE_FROM comity_precompiled_${kind})
    set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)  # with OpenMP's option they are read as ever
  endif()
endfunction()

# C would want headers of its own. Where other options make GCC read the headers as ever, Clang fails.
function(comity_fits_precompiled result target precompiled)
  get_target_property(sources ${target} SOURCES)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  get_target_property(options ${target} COMPILE_OPTIONS)
  get_target_property(known ${precompiled} COMPILE_OPTIONS)
  list(REMOVE_ITEM known -fPIE)  # programs have it of CMake
  set(${result} ON PARENT_SCOPE)
  if("${sources}" MATCHES "[.]c(;|$)")
    set(${result} OFF PARENT_SCOPE)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND (NOT options STREQUAL known OR "${libraries}" MATCHES "OpenMP::|twomesh_"))
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()
