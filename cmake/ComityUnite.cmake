# SPDX-License-Identifier: BSD-3-Clause
# Small files of one folder include much of the same, and that is most of what they take to compile: the compiler gets some of
# them together. Names in their anonymous namespaces must differ then, and no macro of a file may outlive it. As with precompiled
# headers (ComityPrecompile) with GCC alone: Clang's builds see each file as it stands.
#   comity_unite(comity_cli doctor run)  the sources in these folders, by their paths in the target's list
set(COMITY_UNITED_AT_MOST 6)  # files: an edit compiles all of them

function(comity_unite target)
  if(NOT COMITY_PRECOMPILES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(folder IN LISTS ARGN)
    set(count 0)
    foreach(source IN LISTS sources)
      get_filename_component(its_folder ${source} DIRECTORY)
      if(its_folder STREQUAL folder AND source MATCHES "[.]cpp$")
        math(EXPR group "${count} / ${COMITY_UNITED_AT_MOST}")
        math(EXPR count "${count} + 1")
        string(MAKE_C_IDENTIFIER "${folder}_${group}" name)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name})
      endif()
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
