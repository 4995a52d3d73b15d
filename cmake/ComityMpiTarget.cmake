# SPDX-License-Identifier: BSD-3-Clause
# An MPI as a target, made from the words of its own compiler: this tree uses it, and so does the installed package, so
# that both see one MPI in one way. Not: which MPIs there are (ComityMpi, comity-config).
#   comity_mpi_target(<target> <name> <compiler> <problem>)
#   comity_mpi_fortran_target(<target> <name> <compiler> <problem>)      the same of an MPI's Fortran modules
# makes the interface target, or leaves it out and sets <problem> to the reason; "" where all is well.

# What the header of each MPI defines and the others do not. An MPI that is not in this list is taken as it is.
set(COMITY_MPI_MARK_openmpi "OPEN_MPI")
set(COMITY_MPI_MARK_mpich "(MPICH_VERSION|MPICH_NAME|I_MPI_VERSION)")

# What the libraries of each MPI's Fortran are called.
set(COMITY_MPI_FORTRAN_MARK_openmpi "^-lmpi_(usempif08|mpifh)")
set(COMITY_MPI_FORTRAN_MARK_mpich "^-l(mpichfort|mpifort)|/lib(mpichfort|mpifort)[.]")

# The words of `compiler query` that match; "" and a problem where it does not answer.
function(_comity_mpi_words result problem compiler query pattern)
  execute_process(COMMAND ${compiler} ${query} OUTPUT_VARIABLE line ERROR_VARIABLE said RESULT_VARIABLE code
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT code EQUAL 0)
    set(${problem} "`${compiler} ${query}` ended with ${code}: ${said}" PARENT_SCOPE)
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  list(FILTER words INCLUDE REGEX "${pattern}")
  set(${result} ${words} PARENT_SCOPE)
endfunction()

# A problem where no mpi.h stands in these folders, or it is another MPI's.
function(_comity_mpi_check_header problem name compiler folders)
  find_file(_comity_mpi_header mpi.h PATHS ${folders} NO_CACHE)
  if(NOT _comity_mpi_header)
    set(${problem} "${compiler} names no folder with mpi.h; install its headers (Debian: lib${name}-dev)" PARENT_SCOPE)
    return()
  endif()
  set(mark "${COMITY_MPI_MARK_${name}}")
  if(NOT mark)
    return()
  endif()
  file(STRINGS ${_comity_mpi_header} lines REGEX "^[ \t]*#[ \t]*define[ \t]+${mark}[ \t]")
  if(NOT lines)
    set(${problem} "${_comity_mpi_header}, which ${compiler} uses, is not the header of ${name}" PARENT_SCOPE)
  endif()
endfunction()

# What a compiler says: the words that compile, in the folders of -I and the definitions, and those that link.
function(_comity_mpi_ask name compiler folders definitions link_words problem)
  set(compile_query -show)
  set(link_query -show)
  if(name STREQUAL "openmpi")
    set(compile_query --showme:compile)
    set(link_query --showme:link)
  endif()
  set(why "")
  _comity_mpi_words(compile_words why ${compiler} ${compile_query} "^-[ID]")
  _comity_mpi_words(link why ${compiler} ${link_query} "^(-[Ll]|-Wl,-rpath|-Wl,/|/.*[.](so|a)$)")
  set(includes ${compile_words})
  list(FILTER includes INCLUDE REGEX "^-I")
  list(TRANSFORM includes REPLACE "^-I" "")
  list(FILTER compile_words INCLUDE REGEX "^-D")
  set(${folders} ${includes} PARENT_SCOPE)
  set(${definitions} ${compile_words} PARENT_SCOPE)
  set(${link_words} ${link} PARENT_SCOPE)
  set(${problem} "${why}" PARENT_SCOPE)
endfunction()

function(comity_mpi_target target name compiler problem)
  set(${problem} "" PARENT_SCOPE)
  _comity_mpi_ask(${name} ${compiler} folders definitions link_words why)
  if(NOT why)
    _comity_mpi_check_header(why ${name} ${compiler} "${folders}")
  endif()
  if(why)
    set(${problem} "${why}" PARENT_SCOPE)
    return()
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${folders})
  target_link_libraries(${target} INTERFACE ${link_words})
  # Open MPI's C++ bindings and MPICH's alike are left out: Comity uses the C functions only. comity_mpi.h compares the
  # mark with the mpi.h that it sees.
  string(TOUPPER ${name} mark)
  string(MAKE_C_IDENTIFIER ${mark} mark)
  target_compile_definitions(${target} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX COMITY_FOR_${mark} ${definitions})
endfunction()

# `use mpi` and `use mpi_f08`: the folders of their modules, and the libraries behind them.
function(comity_mpi_fortran_target target name compiler problem)
  set(${problem} "" PARENT_SCOPE)
  _comity_mpi_ask(${name} ${compiler} folders definitions link_words why)
  find_file(_comity_mpi_module mpi_f08.mod PATHS ${folders} NO_DEFAULT_PATH NO_CACHE)
  if(NOT why AND NOT _comity_mpi_module)
    set(why "${compiler} names no folder with mpi_f08.mod")
  endif()
  set(known ${link_words})
  list(FILTER known INCLUDE REGEX "${COMITY_MPI_FORTRAN_MARK_${name}}")
  if(NOT why AND NOT known)
    set(why "${compiler} links no Fortran library of ${name}")
  endif()
  if(why)
    set(${problem} "${why}" PARENT_SCOPE)
    return()
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${folders})
  target_link_libraries(${target} INTERFACE ${link_words})
endfunction()
