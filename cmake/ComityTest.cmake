# SPDX-License-Identifier: BSD-3-Clause
# How a test is registered. Every test is one ctest entry in a process of its own with a 20 s watchdog.
#   comity_test(node_barrier SOURCES barrier_test.cpp PARTS node)            GoogleTest, no MPI
#   comity_mpi_test(context_create SOURCES create_test.cpp RANKS 1 2 4 8 16) one entry a count and MPI
# MPICH at 8 and 16 ranks (it spins when oversubscribed) carries the label "all": make test leaves it to make test-all.
find_package(GTest REQUIRED)
set(COMITY_WATCHDOG_S 20)
if(COMITY_SANITIZE)
  set(COMITY_WATCHDOG_S 90)  # sanitizers make a test several times slower
endif()
add_custom_target(tsan-tests)  # those that run under the thread sanitizer: label tsan

function(comity_test name)
  cmake_parse_arguments(test "" "" "SOURCES;PARTS;LIBRARIES;ENVIRONMENT;LABELS" ${ARGN})
  add_executable(test_${name} ${test_SOURCES})
  list(TRANSFORM test_PARTS PREPEND comity_)
  target_link_libraries(test_${name} PRIVATE ${test_PARTS} ${test_LIBRARIES} GTest::gtest GTest::gtest_main)
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE COMITY_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  if("tsan" IN_LIST test_LABELS)
    add_dependencies(tsan-tests test_${name})
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${COMITY_WATCHDOG_S} ENVIRONMENT "${test_ENVIRONMENT}" LABELS "${test_LABELS}")
endfunction()

# The words that start `ranks` ranks with one MPI, also as root and also on fewer cores.
function(comity_launch_line result mpi ranks)
  set(line ${COMITY_LAUNCHER_${mpi}} -n ${ranks})
  if(mpi STREQUAL "openmpi")
    list(APPEND line --oversubscribe --bind-to none)
  endif()
  set(${result} ${line} PARENT_SCOPE)
endfunction()

function(comity_mpi_test name)
  cmake_parse_arguments(test "" "" "SOURCES;RANKS;LIBRARIES;ARGUMENTS;ENVIRONMENT;LABELS;MPIS" ${ARGN})
  if(NOT test_MPIS)
    set(test_MPIS ${COMITY_MPIS})
  endif()
  foreach(mpi IN LISTS test_MPIS)
    if(NOT mpi IN_LIST COMITY_MPIS)
      continue()
    endif()
    set(target test_${name}-${mpi})
    add_executable(${target} ${test_SOURCES})
    target_link_libraries(${target} PRIVATE comity_mpi-${mpi} mpi::${mpi} ${test_LIBRARIES})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    comity_link_sanitized(${target})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    foreach(ranks IN LISTS test_RANKS)
      comity_launch_line(launch ${mpi} ${ranks})
      set(entry ${name}.${mpi}.n${ranks})
      add_test(NAME ${entry} COMMAND ${launch} $<TARGET_FILE:${target}> ${test_ARGUMENTS})
      set(labels ${test_LABELS} mpi ${mpi})
      if(mpi STREQUAL "mpich" AND ranks GREATER 4)
        list(APPEND labels all)
      endif()
      set_tests_properties(${entry} PROPERTIES TIMEOUT ${COMITY_WATCHDOG_S} PROCESSORS 2 LABELS "${labels}"
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;${test_ENVIRONMENT}")
    endforeach()
  endforeach()
endfunction()
