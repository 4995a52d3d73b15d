# SPDX-License-Identifier: BSD-3-Clause
# Finds the MPIs by the suffix of their compilers and launchers (Debian's convention) and makes for each one an
# interface target mpi::<name>, and COMITY_LAUNCHER_<name>. COMITY_MPIS lists those that were found.
set(COMITY_MPIS_WANTED "openmpi;mpich" CACHE STRING "MPIs to build for, by the suffix of their compilers")
set(COMITY_MPIS "")

function(comity_find_mpi name compile_query link_query)
  find_program(COMITY_MPICC_${name} mpicc.${name})
  find_program(COMITY_LAUNCHER_${name} mpirun.${name})
  if(NOT COMITY_MPICC_${name} OR NOT COMITY_LAUNCHER_${name})
    message(STATUS "MPI ${name}: not found (mpicc.${name} and mpirun.${name}); its libraries are left out")
    return()
  endif()
  execute_process(COMMAND ${COMITY_MPICC_${name}} ${compile_query} OUTPUT_VARIABLE compile_line
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${COMITY_MPICC_${name}} ${link_query} OUTPUT_VARIABLE link_line
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(compile_words UNIX_COMMAND "${compile_line}")
  separate_arguments(link_words UNIX_COMMAND "${link_line}")
  list(FILTER compile_words INCLUDE REGEX "^-[ID]")
  list(FILTER link_words INCLUDE REGEX "^-[Ll]")
  list(TRANSFORM compile_words REPLACE "^-I" "" OUTPUT_VARIABLE include_folders)
  add_library(mpi::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(mpi::${name} SYSTEM INTERFACE ${include_folders})
  target_link_options(mpi::${name} INTERFACE ${link_words})
  target_link_libraries(mpi::${name} INTERFACE ${link_words})
  # Open MPI's C++ bindings and MPICH's alike are left out: this tree uses the C functions only.
  target_compile_definitions(mpi::${name} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  set(COMITY_MPIS ${COMITY_MPIS} ${name} PARENT_SCOPE)
endfunction()

foreach(name IN LISTS COMITY_MPIS_WANTED)
  if(name STREQUAL "openmpi")
    comity_find_mpi(openmpi --showme:compile --showme:link)
  else()
    comity_find_mpi(${name} -show -show)
  endif()
endforeach()
