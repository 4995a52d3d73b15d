# SPDX-License-Identifier: BSD-3-Clause
# Warnings and sanitizers, for every target of this tree; sanitizers leave Fortran out (ComityFortran).
add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion>")
add_compile_options("$<$<COMPILE_LANGUAGE:Fortran>:-Wall;-Wextra>")
if(COMITY_SANITIZE)
  add_compile_options(-fsanitize=${COMITY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${COMITY_SANITIZE})
  # Callers in C may hand any number over as an enumeration; the C interface looks at it and says what is wrong.
  add_compile_options(-fno-sanitize=enum)
  # The address sanitizer stops where the first two would, but for what is never read or written; the third looks at casts between
  # classes. They are a fifth of what it takes to compile and a third of what a mapping takes.
  if(COMITY_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,object-size,vptr)
  endif()
endif()

# For what waits on its compiler longer than anybody waits on it. GCC is no faster without optimising at all; Clang takes
# half the time for code with sanitizers.
set(COMITY_LIGHT_OPTIMISATION -O1)
if(COMITY_SANITIZE)
  set(COMITY_LIGHT_OPTIMISATION -O0)
endif()

# For hundreds of tests, each with static libraries of tens of megabytes, LLVM's linker takes a sixth of GNU's time. What is
# installed, and programs that stand for a user's, are linked as the user's compiler does it.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld COMITY_HAS_LLD)
if(COMITY_SANITIZE AND COMITY_HAS_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Clang's sanitizers have a C++ half, which a program in C lacks unless the C++ compiler links it.
function(comity_link_sanitized target)
  if(COMITY_SANITIZE)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
endfunction()
