# SPDX-License-Identifier: BSD-3-Clause
# Debian packages by CPack, one a component of ComityInstall (`make package`). Split as Debian splits libraries that
# have several MPIs: who uses one MPI does not get the other. Not: which file belongs to which component.
set(COMITY_PACKAGE_CONTACT "Comity developers <developers@comity.invalid>" CACHE STRING
    "Maintainer of the packages: name and address of who builds them")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME comity)
set(CPACK_PACKAGE_VENDOR Comity)
set(CPACK_PACKAGE_CONTACT "${COMITY_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What a package needs is read from its files; our own libraries are found where they were built.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# The loader's cache follows the packages that hold a library, by Debian's trigger.
file(WRITE ${PROJECT_BINARY_DIR}/install/triggers "activate-noawait ldconfig\n")
# Debian's own files: copyright, changelog, compressed pages.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/install/debian_files.cmake)
set(COMITY_DEBIAN_VERSION ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

# A component as a package; OURS: packages of this build, in the same version; THEIRS: of the system.
function(comity_package component name section)
  cmake_parse_arguments(package "" "SUMMARY;TEXT" "OURS;THEIRS" ${ARGN})
  list(TRANSFORM package_OURS APPEND " (= ${COMITY_DEBIAN_VERSION})")
  list(JOIN package_OURS ", " depends)
  if(package_OURS AND package_THEIRS)
    string(APPEND depends ", ")
  endif()
  list(JOIN package_THEIRS ", " theirs)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}${theirs}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${package_SUMMARY}\n${package_TEXT}" PARENT_SCOPE)
  if(section STREQUAL "libs")
    set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/install/triggers PARENT_SCOPE)
  endif()
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(about "Comity lets the ranks that work in a phase of a coupled MPI+X program
widen over the cores they need, while the others rest and burn nothing.
.")  # Debian wants lines of at most 80 columns; a full stop is an empty line
set(library libcomity${COMITY_SOVERSION})
comity_package(library ${library} libs SUMMARY "phases of a coupled MPI+X program on every core (library)"
  TEXT "${about}\nThis is the library without MPI.")
comity_package(development libcomity-dev libdevel OURS ${library}
  SUMMARY "phases of a coupled MPI+X program on every core (development files)"
  TEXT "${about}\nThis holds the headers of C and C++, and what CMake and pkg-config read.")
set(library_sched libcomity-sched${COMITY_SOVERSION})
comity_package(sched ${library_sched} libs OURS ${library} SUMMARY "harts, fibers, schedulers and tasks (library)"
  TEXT "${about}\nThis runs tasks and fibers on the cores of a process.")
comity_package(sched-development libcomity-sched-dev libdevel OURS libcomity-dev ${library_sched}
  SUMMARY "harts, fibers, schedulers and tasks (development files)"
  TEXT "${about}\nThis is what CMake and pkg-config read to build with tasks; the headers are\nthose of libcomity-dev.")
set(library_record libcomity-record${COMITY_SOVERSION})
comity_package(record ${library_record} libs OURS ${library} SUMMARY "readers of the records of runs (library)"
  TEXT "${about}\nThis reads what `comity run --record` has left.")
comity_package(record-development libcomity-record-dev libdevel OURS libcomity-dev ${library_record}
  SUMMARY "readers of the records of runs (development files)"
  TEXT "${about}\nThis is what CMake and pkg-config read to build readers of records; the\nheaders are those of libcomity-dev.")
comity_package(command comity science SUMMARY "phases of a coupled MPI+X program on every core (command)"
  TEXT "${about}\nThis is the command: it shows the machine, the bindings of a job, and what
would disturb a run.")

set(launcher_openmpi openmpi-bin)
set(launcher_mpich mpich)
foreach(mpi IN LISTS COMITY_MPIS)
  set(ours libcomity-mpi-${mpi}${COMITY_SOVERSION})
  comity_package(${mpi} ${ours} libs OURS ${library}
    SUMMARY "phases of a coupled MPI+X program on every core (${mpi} library)"
    TEXT "${about}\nThis makes contexts on the communicators of ${mpi}.")
  comity_package(${mpi}-development libcomity-${mpi}-dev libdevel OURS libcomity-dev ${ours} THEIRS lib${mpi}-dev
    SUMMARY "phases of a coupled MPI+X program on every core (${mpi} development files)"
    TEXT "${about}\nThis is what CMake and pkg-config read to build for ${mpi}.")
  comity_package(${mpi}-preload comity-preload-${mpi} libs OURS comity ${ours}
    SUMMARY "phases of a coupled MPI+X program on every core (${mpi} preload)"
    TEXT "${about}\nThis is the library that `comity run` loads into the ranks of ${mpi} first.")
  comity_package(${mpi}-quo comity-quo-${mpi} libdevel OURS ${library} ${ours}
    SUMMARY "phases of a coupled MPI+X program on every core (${mpi} libquo)"
    TEXT "${about}\nThis takes the place of libquo for programs of ${mpi}: its libraries, headers
and module.")
  get_property(programs GLOBAL PROPERTY COMITY_BENCH_PROGRAMS)
  if(programs)
    set(fortran "")
    if(mpi IN_LIST COMITY_FORTRAN_MPIS)
      set(fortran libcomity-fortran-${mpi}${COMITY_SOVERSION} ${library_sched} ${library_record})
    endif()
    comity_package(${mpi}-bench comity-bench-${mpi} science OURS comity comity-preload-${mpi} ${ours} ${fortran}
      THEIRS ${launcher_${mpi}}
      SUMMARY "phases of a coupled MPI+X program on every core (${mpi} benchmarks)"
      TEXT "${about}\nThese are the programs that the command's benchmarks launch with ${mpi}.")
  endif()
endforeach()
if(COMITY_FORTRAN)
  comity_package(fortran-development libcomity-fortran-dev libdevel OURS libcomity-dev
    SUMMARY "phases of a coupled MPI+X program on every core (Fortran development files)"
    TEXT "${about}\nThis holds the module of ${COMITY_FORTRAN_COMPILER} without communicators, and its library.")
  foreach(part sched record)
    comity_package(fortran-${part}-development libcomity-fortran-${part}-dev libdevel
      OURS libcomity-fortran-dev libcomity-${part}-dev
      SUMMARY "phases of a coupled MPI+X program on every core (Fortran, ${part} development)"
      TEXT "${about}\nThis holds the module of ${COMITY_FORTRAN_COMPILER} for libcomity_${part}, and its library.")
  endforeach()
endif()
foreach(mpi IN LISTS COMITY_FORTRAN_MPIS)
  set(ours libcomity-fortran-${mpi}${COMITY_SOVERSION})
  comity_package(fortran-${mpi} ${ours} libs OURS ${library} libcomity-mpi-${mpi}${COMITY_SOVERSION}
    SUMMARY "phases of a coupled MPI+X program on every core (Fortran and ${mpi} library)"
    TEXT "${about}\nThis is the library for Fortran with the communicators of ${mpi}.")
  comity_package(fortran-${mpi}-development libcomity-fortran-${mpi}-dev libdevel
    OURS libcomity-fortran-dev libcomity-${mpi}-dev ${ours}
    SUMMARY "phases of a coupled MPI+X program on every core (Fortran and ${mpi} development)"
    TEXT "${about}\nThis holds the module of ${COMITY_FORTRAN_COMPILER} with ${mpi}'s communicators.")
endforeach()
include(CPack)
