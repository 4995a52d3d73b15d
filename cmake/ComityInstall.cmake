# SPDX-License-Identifier: BSD-3-Clause
# Everything that `cmake --install` puts where. Components: library, development; sched, sched-development; record, record-development; <mpi>, <mpi>-development, <mpi>-preload,
# <mpi>-quo and <mpi>-bench for each MPI; fortran-development, fortran-sched-development, fortran-record-development, and
# fortran-<mpi>, fortran-<mpi>-development; command.
# Not: Debian packages (ComityPackage), nor how an installed tree is used
# (docs/install.md).
# Invariant: no installed file but its debug information names the build folder, the sources or the prefix, so the tree
# can be moved as a whole. No library and no command has a RUNPATH, unless CMAKE_INSTALL_RPATH gives it one; the
# programs of benchmarks have one, relative to themselves, because nobody else could tell them where the libraries are; so
# has libquo, whose programs know nothing of Comity.
include(CMakePackageConfigHelpers)
set(COMITY_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/comity)
set(COMITY_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(COMITY_LIBEXEC_DIR ${CMAKE_INSTALL_LIBEXECDIR}/comity)
set(templates ${PROJECT_SOURCE_DIR}/cmake/install)
set(made ${PROJECT_BINARY_DIR}/install)

# A library with its target comity::<short>, described in <short>'s own file so that packages can hold it apart.
function(comity_install_library target short component development)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${short})
  install(TARGETS ${target} EXPORT comity-${short}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT ${development}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${development}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT comity-${short} FILE comity-${short}-targets.cmake NAMESPACE comity:: DESTINATION ${COMITY_CMAKE_DIR}
    COMPONENT ${development})
endfunction()

# The pkg-config file of one library; its prefix is where it is found.
function(comity_install_pc template name component)
  set(includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
  set(libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH up /prefix/${COMITY_PKGCONFIG_DIR} /prefix)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(prefix "\${pcfiledir}/${up}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")  # then nothing can be moved
    set(prefix ${CMAKE_INSTALL_PREFIX})
    set(includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    set(libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  endif()
  configure_file(${templates}/${template} ${made}/${name}.pc @ONLY)
  install(FILES ${made}/${name}.pc DESTINATION ${COMITY_PKGCONFIG_DIR} COMPONENT ${component})
endfunction()

# The words of one MPI for a compiler: what its target says to CMake.
function(comity_install_mpi_pc target template name component)
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(definitions ${target} INTERFACE_COMPILE_DEFINITIONS)
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT definitions)
    set(definitions "")
  endif()
  list(TRANSFORM folders PREPEND "-I")
  list(TRANSFORM definitions REPLACE "^-D" "")
  list(TRANSFORM definitions PREPEND "-D")
  list(JOIN folders " " folders)
  list(JOIN definitions " " definitions)
  list(JOIN libraries " " libraries)
  set(mpi_cflags "${folders} ${definitions}")
  set(mpi_libs "${libraries}")
  comity_install_pc(${template} ${name} ${component})
endfunction()

# One Fortran library with its module; `mpi` is empty for the one without communicators.
function(comity_install_fortran target short module mpi)
  comity_install_library(${target} ${short} ${short} ${short}-development)
  install(FILES ${PROJECT_BINARY_DIR}/${COMITY_FORTRAN_FOLDER}/${mpi}/${module}.mod COMPONENT ${short}-development
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/${COMITY_FORTRAN_FOLDER}/${mpi})
endfunction()

# The same for a library beside libcomity, with the module's source.
function(comity_install_fortran_beside part module)
  comity_install_fortran(comity_fortran-${part} fortran-${part} ${module} "")
  comity_install_pc(comity_fortran_beside.pc.in comity_fortran-${part} fortran-${part}-development)
  install(FILES ${PROJECT_BINARY_DIR}/bindings/fortran/${module}.f90 DESTINATION ${CMAKE_INSTALL_DATADIR}/comity/fortran
    COMPONENT fortran-${part}-development)
endfunction()

# libquo of one MPI, in a folder of its own that is laid out as an installed libquo.
function(comity_install_quo mpi)
  set(folder ${CMAKE_INSTALL_LIBDIR}/comity/quo-${mpi})
  set_target_properties(quo-${mpi} PROPERTIES INSTALL_RPATH "$ORIGIN/../../..;${CMAKE_INSTALL_RPATH}")
  install(TARGETS quo-${mpi} LIBRARY DESTINATION ${folder}/lib COMPONENT ${mpi}-quo)
  install(TARGETS quo-info-${mpi} RUNTIME DESTINATION ${folder}/bin COMPONENT ${mpi}-quo)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/compat/quo/include/ DESTINATION ${folder}/include COMPONENT ${mpi}-quo)
  configure_file(${templates}/libquo.pc.in ${made}/quo-${mpi}/libquo.pc @ONLY)
  install(FILES ${made}/quo-${mpi}/libquo.pc DESTINATION ${folder}/lib/pkgconfig COMPONENT ${mpi}-quo)
  if(TARGET quo-usequo-${mpi})
    set_target_properties(quo-usequo-${mpi} PROPERTIES INSTALL_RPATH "$ORIGIN;${CMAKE_INSTALL_RPATH}")
    install(TARGETS quo-usequo-${mpi} LIBRARY DESTINATION ${folder}/lib COMPONENT ${mpi}-quo)
    install(FILES ${PROJECT_BINARY_DIR}/quo-${mpi}/lib/quo.mod DESTINATION ${folder}/lib COMPONENT ${mpi}-quo)
  endif()
endfunction()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/comity DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
set_target_properties(comity_start PROPERTIES EXPORT_NAME start)
install(TARGETS comity_start EXPORT comity-comity
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
comity_install_library(comity comity library development)
comity_install_pc(comity.pc.in comity development)
comity_install_pc(comity_start.pc.in comity_start development)
comity_install_library(comity_sched_library sched sched sched-development)
comity_install_pc(comity_sched.pc.in comity_sched sched-development)
comity_install_library(comity_record_library record record record-development)
comity_install_pc(comity_record.pc.in comity_record record-development)

set(COMITY_BUILT_COMPILERS "")
get_property(bench_programs GLOBAL PROPERTY COMITY_BENCH_PROGRAMS)
file(RELATIVE_PATH libraries_from_libexec ${CMAKE_INSTALL_FULL_LIBEXECDIR}/comity ${CMAKE_INSTALL_FULL_LIBDIR})
foreach(mpi IN LISTS COMITY_MPIS)
  comity_install_library(comity_mpi-${mpi} ${mpi} ${mpi} ${mpi}-development)
  comity_install_mpi_pc(mpi::${mpi} comity_mpi.pc.in comity_mpi-${mpi} ${mpi}-development)
  comity_install_quo(${mpi})
  install(TARGETS comity_preload-${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${mpi}-preload)
  string(APPEND COMITY_BUILT_COMPILERS "set(_comity_built_with_${mpi} \"${COMITY_MPICC_${mpi}}\")\n")
  foreach(program IN LISTS bench_programs)
    if(NOT program MATCHES "-${mpi}$")
      continue()
    endif()
    set_target_properties(${program} PROPERTIES
      INSTALL_RPATH "$ORIGIN/${libraries_from_libexec};${CMAKE_INSTALL_RPATH}")
    install(TARGETS ${program} RUNTIME DESTINATION ${COMITY_LIBEXEC_DIR} COMPONENT ${mpi}-bench)
  endforeach()
endforeach()

# The sources too, for compilers that cannot read these modules.
if(COMITY_FORTRAN)
  comity_install_fortran(comity_fortran fortran comity_without_mpi "")
  comity_install_pc(comity_fortran.pc.in comity_fortran fortran-development)
  install(FILES ${PROJECT_BINARY_DIR}/bindings/fortran/comity_without_mpi.f90 ${PROJECT_SOURCE_DIR}/bindings/fortran/comity.f90
    ${PROJECT_SOURCE_DIR}/bindings/fortran/communicators.c DESTINATION ${CMAKE_INSTALL_DATADIR}/comity/fortran
    COMPONENT fortran-development)
  comity_install_fortran_beside(sched comity_sched)
  comity_install_fortran_beside(record comity_records)
endif()
foreach(mpi IN LISTS COMITY_FORTRAN_MPIS)
  comity_install_fortran(comity_fortran-${mpi} fortran-${mpi} comity ${mpi})
  comity_install_mpi_pc(mpi_fortran::${mpi} comity_fortran_mpi.pc.in comity_fortran-${mpi} fortran-${mpi}-development)
  string(APPEND COMITY_BUILT_COMPILERS "set(_comity_built_with_fortran_${mpi} \"${COMITY_MPIFORT_${mpi}}\")\n")
endforeach()

set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
configure_package_config_file(${templates}/comity-config.cmake.in ${made}/comity-config.cmake
  INSTALL_DESTINATION ${COMITY_CMAKE_DIR} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${made}/comity-config-version.cmake COMPATIBILITY ${compatibility})
install(FILES ${made}/comity-config.cmake ${made}/comity-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/ComityMpiTarget.cmake DESTINATION ${COMITY_CMAKE_DIR} COMPONENT development)

if(TARGET comity_memory_hooks)  # beside the command, which has ranks of any MPI preload it
  install(TARGETS comity_memory_hooks LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT command)
endif()
install(TARGETS comity_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT command)
if(TARGET comity_man_pages)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT command)
endif()
