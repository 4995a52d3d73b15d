# SPDX-License-Identifier: BSD-3-Clause
# How a test is registered. Every test is one ctest entry in a process of its own with a watchdog.
#   comity_test(node_barrier SOURCES barrier_test.cpp PARTS node)            GoogleTest, no MPI
#   comity_mpi_test(context_create SOURCES create_test.cpp RANKS 1 2 4 8 16) one entry a count and MPI
# What is neither is registered by the functions that these two stand on:
#   comity_entry(capi_errors COMMAND test_capi_errors)                       any program
#   comity_unittest(cli_topo COMMAND topo_test.py)                           unit tests in Python
#   comity_mpi_entry(twomesh.checks.mpich.n4 mpich 4 COMMAND ...)            any program that starts ranks
# Each of them takes LABELS, ENVIRONMENT and PROPERTIES too.
#   comity_not_tested(interpose_fortran.mpich "mpifort.mpich is not here")   in place of what cannot be built: a test never just lacks
# An entry is passed, failed or skipped as a whole. What a user's rights, a core or a program decides is an entry of its own:
#   comity_test(node_liveness SOURCES ... APART pid "*PidNamespaces")        node_liveness.pid, and node_liveness without it
find_package(GTest REQUIRED)
find_program(COMITY_PYTHON python3 HINTS /usr/bin REQUIRED)
# Ends what hangs. A test has 20 s (tools/common.sh names who takes longer); a busy machine may make any of them slower.
set(COMITY_WATCHDOG_S 120)
if(COMITY_SANITIZE)
  set(COMITY_WATCHDOG_S 360)  # sanitizers make a test several times slower
endif()
# Libraries that are not ours keep no frame pointers: only a slow walk tells whose a block is that they leak. A test in which none leaks,
# and that allocates much, carries the label "own-frames", and takes a quarter of the time.
set(COMITY_WALKS_FRAMES)
if(COMITY_SANITIZE MATCHES "address")
  set(COMITY_WALKS_FRAMES ENVIRONMENT_MODIFICATION ASAN_OPTIONS=string_append::fast_unwind_on_malloc=0)
endif()
add_custom_target(tsan-tests)  # those that run under the thread sanitizer: label tsan
set(comity_entry_words COMMAND LABELS ENVIRONMENT PROPERTIES)
# Among PROPERTIES: the program may end with 77, and ctest then says Skipped. Not SKIP_REGULAR_EXPRESSION, which hides a
# failure beside it. Not for all: a fuzzer ends with 77 where it has found something.
set(COMITY_MAY_SKIP SKIP_RETURN_CODE 77)
# Debian's Open MPI asks in each MPI_Init for fabrics of old, and waits a fifth of a second for the answer, two minutes of all
# tests; then it takes this way of messages, as ever.
set(COMITY_OPENMPI_ASKS_LESS OMPI_MCA_pml=ob1)
add_library(comity_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/main.cpp)
target_link_libraries(comity_test_main PUBLIC GTest::gtest)

function(comity_entry name)
  cmake_parse_arguments(PARSE_ARGV 1 entry "" "" "${comity_entry_words}")
  add_test(NAME ${name} COMMAND ${entry_COMMAND})
  set(walk ${COMITY_WALKS_FRAMES})
  if("own-frames" IN_LIST entry_LABELS)
    set(walk "")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${COMITY_WATCHDOG_S} LABELS "${entry_LABELS}"
    ENVIRONMENT "${COMITY_OPENMPI_ASKS_LESS};${entry_ENVIRONMENT}" ${walk} ${entry_PROPERTIES})
endfunction()

function(comity_unittest name)
  cmake_parse_arguments(PARSE_ARGV 1 entry "" "" "${comity_entry_words}")
  comity_entry(${name} COMMAND ${COMITY_PYTHON} ${PROJECT_SOURCE_DIR}/tests/run_unittest.py ${entry_COMMAND}
    LABELS ${entry_LABELS} ENVIRONMENT PYTHONDONTWRITEBYTECODE=1 ${entry_ENVIRONMENT}
    PROPERTIES ${COMITY_MAY_SKIP} ${entry_PROPERTIES})
endfunction()

function(comity_not_tested name why)
  cmake_parse_arguments(PARSE_ARGV 2 entry "" "" "${comity_entry_words}")
  comity_entry(${name} COMMAND sh -c [[echo "NOT TESTED: $0" && exit 77]] ${why} LABELS ${entry_LABELS}
    PROPERTIES ${COMITY_MAY_SKIP} ${entry_PROPERTIES})
endfunction()

# COMMAND begins with comity_launch_line, or has it in it. MPICH at 8 and 16 ranks, which spins when oversubscribed, carries
# the label "all": make test leaves it to make test-all. RESTS: this program's waits do not spin. Ranks take two of the
# places that tools/common.sh gives out, one rank one.
function(comity_mpi_entry name mpi ranks)
  cmake_parse_arguments(PARSE_ARGV 3 entry "RESTS" "" "${comity_entry_words}")
  set(labels ${entry_LABELS} mpi ${mpi})
  if(mpi STREQUAL "mpich" AND ranks GREATER 4 AND NOT entry_RESTS)
    list(APPEND labels all)
  endif()
  set(places 2)
  if(ranks EQUAL 1)
    set(places 1)
  endif()
  comity_entry(${name} COMMAND ${entry_COMMAND} LABELS ${labels}
    ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ${entry_ENVIRONMENT}
    PROPERTIES PROCESSORS ${places} ${entry_PROPERTIES})
endfunction()

# The words that start `ranks` ranks with one MPI, also as root and also on fewer cores.
function(comity_launch_line result mpi ranks)
  set(line ${COMITY_LAUNCHER_${mpi}} -n ${ranks})
  if(mpi STREQUAL "openmpi")
    list(APPEND line --oversubscribe --bind-to none)
  endif()
  set(${result} ${line} PARENT_SCOPE)
endfunction()

# The same of a launcher that lets the others go on where a rank has ended.
function(comity_keep_going_launch_line result mpi ranks)
  set(words_openmpi --enable-recovery --mca orte_abort_on_non_zero_status 0)
  set(words_mpich -disable-auto-cleanup sh ${PROJECT_SOURCE_DIR}/tests/mpi/shield_launcher.sh)
  comity_launch_line(line ${mpi} ${ranks})
  set(${result} ${line} ${words_${mpi}} PARENT_SCOPE)
endfunction()

# The same as a launcher that binds each rank to a core: Open MPI's default for two ranks.
function(comity_bound_launch_line result mpi ranks)
  set(words_openmpi --oversubscribe --bind-to core:overload-allowed)
  set(words_mpich -bind-to core)
  set(${result} ${COMITY_LAUNCHER_${mpi}} -n ${ranks} ${words_${mpi}} PARENT_SCOPE)
endfunction()

# A test: a program, and an entry that runs it.
function(comity_test name)
  comity_test_program(${name} ${ARGN})
  comity_test_entries(${name} PROGRAM ${name} ${ARGN})
endfunction()

set(comity_test_words SOURCES PARTS LIBRARIES ENVIRONMENT LABELS APART)
function(comity_test_program name)
  cmake_parse_arguments(test "" "" "${comity_test_words}" ${ARGN})
  add_executable(test_${name} ${test_SOURCES})
  if(COMITY_HAS_LLD)
    target_link_options(test_${name} PRIVATE -fuse-ld=lld)
  endif()
  comity_reuse_precompiled(test_${name} tests)
  list(TRANSFORM test_PARTS PREPEND comity_)
  target_link_libraries(test_${name} PRIVATE ${test_PARTS} ${test_LIBRARIES} comity_test_main)
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE COMITY_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  if("tsan" IN_LIST test_LABELS)
    add_dependencies(tsan-tests test_${name})
  endif()
endfunction()

# APART: some of its tests in entries of their own, pairs of a name and a filter.
function(comity_test_entries name)
  cmake_parse_arguments(test "" "PROGRAM" "${comity_test_words}" ${ARGN})
  set(others "")
  while(test_APART)
    list(POP_FRONT test_APART part filter)
    comity_entry(${name}.${part} COMMAND test_${test_PROGRAM} LABELS ${test_LABELS}
      ENVIRONMENT ${test_ENVIRONMENT} GTEST_FILTER=${filter} PROPERTIES ${COMITY_MAY_SKIP})
    string(APPEND others ":${filter}")
  endwhile()
  if(others)
    string(REGEX REPLACE "^:" "GTEST_FILTER=-" others ${others})
  endif()
  comity_entry(${name} COMMAND test_${test_PROGRAM} LABELS ${test_LABELS} ENVIRONMENT ${test_ENVIRONMENT} ${others}
    PROPERTIES ${COMITY_MAY_SKIP})
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
      comity_mpi_entry(${name}.${mpi}.n${ranks} ${mpi} ${ranks} LABELS ${test_LABELS} ENVIRONMENT ${test_ENVIRONMENT}
        COMMAND ${launch} $<TARGET_FILE:${target}> ${test_ARGUMENTS})
    endforeach()
  endforeach()
endfunction()
