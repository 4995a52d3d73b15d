# SPDX-License-Identifier: BSD-3-Clause
# Small files of one folder include much of the same, and that is most of what they take to compile and to be looked at by
# clang-tidy: the compiler gets some of them together. Names in their anonymous namespaces must differ then, and no macro of a
# file may outlive it.
#   comity_unite(comity_cli APART bench report)  the sources of each folder of the target's list but these, by their paths in it,
#                                                "." for those in none: folders whose files say the same things by the same names
set(COMITY_UNITED_AT_MOST 12)  # files: an edit compiles all of them

function(comity_unite target)
  cmake_parse_arguments(PARSE_ARGV 1 unite "" "" "APART")
  if(NOT COMITY_PRECOMPILES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    if(folder STREQUAL "")
      set(folder .)
    endif()
    if(folder IN_LIST unite_APART OR IS_ABSOLUTE ${source} OR NOT source MATCHES "[.]cpp$")
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" name)
    math(EXPR group "0${count_${name}} / ${COMITY_UNITED_AT_MOST}")
    math(EXPR count_${name} "0${count_${name}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
