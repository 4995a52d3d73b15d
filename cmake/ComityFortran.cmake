# SPDX-License-Identifier: BSD-3-Clause
# Finds a Fortran compiler, and the MPIs that have modules for it: targets mpi_fortran::<name>. COMITY_FORTRAN says whether
# there is a compiler, COMITY_FORTRAN_MPIS which MPIs have modules, COMITY_FORTRAN_FOLDER where modules of this compiler go,
# below a folder of libraries: only compilers of one kind can read them. Not under sanitizers: their Fortran half is missing.
option(COMITY_WITH_FORTRAN "build the Fortran modules, where there is a compiler" ON)
set(COMITY_FORTRAN FALSE)
set(COMITY_FORTRAN_MPIS "")
if(NOT COMITY_WITH_FORTRAN OR COMITY_SANITIZE)
  return()
endif()
include(CheckLanguage)
check_language(Fortran)
if(NOT CMAKE_Fortran_COMPILER)
  message(STATUS "Fortran: no compiler found (gfortran); its modules are left out")
  return()
endif()
enable_language(Fortran)
set(COMITY_FORTRAN TRUE)

# "gfortran-mod-15": GNU's modules have a format of their own number, which several releases share; of other compilers the
# release.
function(comity_fortran_compiler result)
  string(TOLOWER "${CMAKE_Fortran_COMPILER_ID}-${CMAKE_Fortran_COMPILER_VERSION}" name)
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    set(folder ${PROJECT_BINARY_DIR}/CMakeFiles/comity_fortran)
    file(WRITE ${folder}/comity_probe.f90 "module comity_probe\nend module comity_probe\n")
    execute_process(COMMAND ${CMAKE_Fortran_COMPILER} -fsyntax-only comity_probe.f90 WORKING_DIRECTORY ${folder}
                    RESULT_VARIABLE failed ERROR_VARIABLE said)
    if(NOT failed)
      execute_process(COMMAND gzip -dc WORKING_DIRECTORY ${folder} INPUT_FILE ${folder}/comity_probe.mod
                      OUTPUT_VARIABLE text ERROR_VARIABLE said)
    endif()
    if(NOT text MATCHES "^GFORTRAN module version '([0-9]+)'")
      message(FATAL_ERROR "Fortran: ${CMAKE_Fortran_COMPILER} makes modules that do not say their version: ${said}. Leave \
Fortran out with -DCOMITY_WITH_FORTRAN=OFF")
    endif()
    set(name gfortran-mod-${CMAKE_MATCH_1})
  endif()
  set(${result} ${name} PARENT_SCOPE)
endfunction()
comity_fortran_compiler(COMITY_FORTRAN_COMPILER)
set(COMITY_FORTRAN_FOLDER fortran/${COMITY_FORTRAN_COMPILER}/comity)

# Whether this compiler can read the modules of one MPI: another release, or another compiler, may have written them.
function(comity_reads_mpi_f08 result mpi)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  set(source ${PROJECT_BINARY_DIR}/CMakeFiles/comity_fortran/use_mpi_f08.f90)
  file(WRITE ${source} "subroutine use_mpi_f08\n  use mpi_f08, only: MPI_Comm\nend subroutine use_mpi_f08\n")
  get_target_property(folders mpi_fortran::${mpi} INTERFACE_INCLUDE_DIRECTORIES)
  try_compile(COMITY_READS_MPI_F08_${mpi} ${PROJECT_BINARY_DIR} SOURCES ${source}
              CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${folders}")
  set(${result} ${COMITY_READS_MPI_F08_${mpi}} PARENT_SCOPE)
endfunction()

foreach(mpi IN LISTS COMITY_MPIS)
  find_program(COMITY_MPIFORT_${mpi} mpifort.${mpi})
  cmake_path(GET COMITY_MPICC_${mpi} FILENAME program)
  if(program STREQUAL "mpicc")  # named by the user, as the one without a suffix: so is the one beside it
    cmake_path(GET COMITY_MPICC_${mpi} PARENT_PATH folder)
    find_program(COMITY_MPIFORT_${mpi} mpifort PATHS ${folder} NO_DEFAULT_PATH)
  endif()
  if(NOT COMITY_MPIFORT_${mpi})
    message(STATUS "Fortran with ${mpi}: there is no mpifort.${mpi}; its module is left out")
    continue()
  endif()
  comity_mpi_fortran_target(mpi_fortran::${mpi} ${mpi} ${COMITY_MPIFORT_${mpi}} problem)
  if(problem)
    message(STATUS "Fortran with ${mpi}: ${problem}; its module is left out")
    continue()
  endif()
  comity_reads_mpi_f08(reads ${mpi})
  if(NOT reads)
    message(STATUS "Fortran with ${mpi}: ${CMAKE_Fortran_COMPILER} cannot read its mpi_f08.mod; its module is left out")
    continue()
  endif()
  list(APPEND COMITY_FORTRAN_MPIS ${mpi})
endforeach()
