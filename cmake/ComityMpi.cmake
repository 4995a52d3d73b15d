# SPDX-License-Identifier: BSD-3-Clause
# Finds the MPIs by the suffix of their compilers and launchers (Debian's convention) and makes for each one an
# interface target mpi::<name>, and COMITY_LAUNCHER_<name>. COMITY_MPIS lists those that were found. Where they carry no
# suffix, name them: -DCOMITY_MPICC_openmpi=/opt/x/bin/mpicc -DCOMITY_LAUNCHER_openmpi=/opt/x/bin/mpirun.
include(ComityMpiTarget)
set(COMITY_MPIS_WANTED "openmpi;mpich" CACHE STRING "MPIs to build for, by the suffix of their compilers")
set(COMITY_MPIS "")

foreach(name IN LISTS COMITY_MPIS_WANTED)
  find_program(COMITY_MPICC_${name} mpicc.${name})
  find_program(COMITY_LAUNCHER_${name} mpirun.${name})
  if(NOT COMITY_MPICC_${name} OR NOT COMITY_LAUNCHER_${name})
    message(STATUS "MPI ${name}: not found (mpicc.${name} and mpirun.${name}); its libraries are left out")
    continue()
  endif()
  comity_mpi_target(mpi::${name} ${name} ${COMITY_MPICC_${name}} problem)
  if(problem)
    message(FATAL_ERROR "MPI ${name}: ${problem}. Set COMITY_MPICC_${name}, or leave it out of COMITY_MPIS_WANTED")
  endif()
  list(APPEND COMITY_MPIS ${name})
endforeach()
