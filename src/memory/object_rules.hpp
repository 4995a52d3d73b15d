// SPDX-License-Identifier: BSD-3-Clause
// The built-in rules: whose an object is by its file's name. The first that names it counts. Names are those of distributions, vendors
// and the projects' own builds; a plugin is told by its folder too. Not: users' rules (component).
#pragma once

#include <array>
#include <string_view>

#include "memory/component.hpp"

namespace comity::memory {

struct ObjectRule {
  std::string_view glob;  // as in users' rules
  Component component;
};

inline constexpr std::array kObjectRules{
    ObjectRule{"libcomity*", Component::comity},
    ObjectRule{"libquo.so*", Component::comity},
    ObjectRule{"libquo-usequo.so*", Component::comity},

    // The process manager's interface and its plugins; before Open MPI, whose plugins have the same start.
    ObjectRule{"libpmi*.so*", Component::pmix},
    ObjectRule{"libprrte*.so*", Component::pmix},
    ObjectRule{"pmix/*mca_*.so", Component::pmix},
    ObjectRule{"prte/*mca_*.so", Component::pmix},
    ObjectRule{"libmunge.so*", Component::pmix},

    ObjectRule{"libmpi*", Component::mpi},  // MPICH's, Intel's and Cray's too
    ObjectRule{"libopen-rte*.so*", Component::mpi},
    ObjectRule{"libopen-pal*.so*", Component::mpi},
    ObjectRule{"liboshmem*.so*", Component::mpi},
    ObjectRule{"libompi*.so*", Component::mpi},
    ObjectRule{"ompi_*.so*", Component::mpi},
    ObjectRule{"libmca_*.so*", Component::mpi},
    ObjectRule{"mca_*.so", Component::mpi},
    ObjectRule{"libpmpi*.so*", Component::mpi},
    ObjectRule{"libfmpich*.so*", Component::mpi},
    ObjectRule{"libmvapich*.so*", Component::mpi},
    ObjectRule{"libopa.so*", Component::mpi},
    ObjectRule{"mpirun*", Component::mpi},
    ObjectRule{"mpiexec*", Component::mpi},
    ObjectRule{"orte*", Component::mpi},
    ObjectRule{"hydra_*", Component::mpi},
    ObjectRule{"prte*", Component::pmix},

    ObjectRule{"libucp.so*", Component::fabric},
    ObjectRule{"libuct*.so*", Component::fabric},
    ObjectRule{"libucs*.so*", Component::fabric},
    ObjectRule{"libucm*.so*", Component::fabric},
    ObjectRule{"libucc*.so*", Component::fabric},
    ObjectRule{"ucx/*.so*", Component::fabric},
    ObjectRule{"ucc/*.so*", Component::fabric},
    ObjectRule{"libfabric*.so*", Component::fabric},
    ObjectRule{"libfabric/*.so*", Component::fabric},
    ObjectRule{"libibverbs*.so*", Component::fabric},
    ObjectRule{"libibverbs/*.so*", Component::fabric},
    ObjectRule{"libibumad.so*", Component::fabric},
    ObjectRule{"libibmad.so*", Component::fabric},
    ObjectRule{"librdmacm.so*", Component::fabric},
    ObjectRule{"libmlx*.so*", Component::fabric},
    ObjectRule{"libefa.so*", Component::fabric},
    ObjectRule{"libpsm*.so*", Component::fabric},
    ObjectRule{"libinfinipath.so*", Component::fabric},
    ObjectRule{"libopasadb*.so*", Component::fabric},
    ObjectRule{"libcxi*.so*", Component::fabric},
    ObjectRule{"libportals*.so*", Component::fabric},
    ObjectRule{"libxpmem.so*", Component::fabric},
    ObjectRule{"libknem.so*", Component::fabric},
    ObjectRule{"libhcoll*.so*", Component::fabric},
    ObjectRule{"libsharp_*.so*", Component::fabric},
    ObjectRule{"libnl-*.so*", Component::fabric},
    ObjectRule{"libnccl*.so*", Component::fabric},
    ObjectRule{"librccl*.so*", Component::fabric},

    ObjectRule{"libhwloc*.so*", Component::support},
    ObjectRule{"hwloc_*.so", Component::support},
    ObjectRule{"libevent*.so*", Component::support},
    ObjectRule{"libltdl.so*", Component::support},
    ObjectRule{"libpciaccess.so*", Component::support},
    ObjectRule{"libnuma.so*", Component::support},
    ObjectRule{"libudev.so*", Component::support},

    ObjectRule{"libgomp*.so*", Component::openmp},
    ObjectRule{"libomp.so*", Component::openmp},
    ObjectRule{"libomp5.so*", Component::openmp},
    ObjectRule{"libomptarget*.so*", Component::openmp},
    ObjectRule{"libiomp*.so*", Component::openmp},
    ObjectRule{"libcraymp*.so*", Component::openmp},
    ObjectRule{"libnvomp*.so*", Component::openmp},

    ObjectRule{"libopenblas*.so*", Component::blas},
    ObjectRule{"libblas*.so*", Component::blas},
    ObjectRule{"libcblas*.so*", Component::blas},
    ObjectRule{"liblapack*.so*", Component::blas},
    ObjectRule{"libscalapack*.so*", Component::blas},
    ObjectRule{"libmkl_*.so*", Component::blas},
    ObjectRule{"libblis*.so*", Component::blas},
    ObjectRule{"libflame*.so*", Component::blas},
    ObjectRule{"libflexiblas*.so*", Component::blas},
    ObjectRule{"flexiblas/*.so*", Component::blas},
    ObjectRule{"libatlas*.so*", Component::blas},
    ObjectRule{"lib?atlas.so*", Component::blas},
    ObjectRule{"libarmpl*.so*", Component::blas},
    ObjectRule{"libnvpl_*.so*", Component::blas},
    ObjectRule{"libessl*.so*", Component::blas},
    ObjectRule{"libsci_*.so*", Component::blas},

    ObjectRule{"libhdf5*.so*", Component::hdf5},

    ObjectRule{"libpython*.so*", Component::python},
    ObjectRule{"python3*", Component::python},
    ObjectRule{"lib-dynload/*.so", Component::python},

    ObjectRule{"libgfortran*.so*", Component::fortran},
    ObjectRule{"libquadmath*.so*", Component::fortran},
    ObjectRule{"libflang*.so*", Component::fortran},
    ObjectRule{"libFortran*.so*", Component::fortran},
    ObjectRule{"libifcore*.so*", Component::fortran},
    ObjectRule{"libifport*.so*", Component::fortran},
    ObjectRule{"libnvf.so*", Component::fortran},

    ObjectRule{"libcuda*.so*", Component::gpu},
    ObjectRule{"libnvidia*.so*", Component::gpu},
    ObjectRule{"libamdhip*.so*", Component::gpu},
    ObjectRule{"libhsa-*.so*", Component::gpu},
    ObjectRule{"libze_*.so*", Component::gpu},

    ObjectRule{"libjemalloc*.so*", Component::allocator},
    ObjectRule{"libtcmalloc*.so*", Component::allocator},
    ObjectRule{"libmimalloc*.so*", Component::allocator},
    ObjectRule{"libtbbmalloc*.so*", Component::allocator},
    ObjectRule{"libsnmalloc*.so*", Component::allocator},
    ObjectRule{"libc_malloc_debug.so*", Component::allocator},

    ObjectRule{"libc.so*", Component::libc},
    ObjectRule{"libc-2.*.so", Component::libc},
    ObjectRule{"libm.so*", Component::libc},
    ObjectRule{"libm-2.*.so", Component::libc},
    ObjectRule{"libmvec*.so*", Component::libc},
    ObjectRule{"libdl.so*", Component::libc},
    ObjectRule{"libdl-2.*.so", Component::libc},
    ObjectRule{"librt.so*", Component::libc},
    ObjectRule{"librt-2.*.so", Component::libc},
    ObjectRule{"libpthread*.so*", Component::libc},
    ObjectRule{"libutil.so*", Component::libc},
    ObjectRule{"libresolv.so*", Component::libc},
    ObjectRule{"libnss_*.so*", Component::libc},
    ObjectRule{"libnsl.so*", Component::libc},
    ObjectRule{"libanl.so*", Component::libc},
    ObjectRule{"libstdc++.so*", Component::libc},
    ObjectRule{"libc++*.so*", Component::libc},
    ObjectRule{"libgcc_s*.so*", Component::libc},
    ObjectRule{"libunwind.so*", Component::libc},
    ObjectRule{"libatomic.so*", Component::libc},
    ObjectRule{"libasan.so*", Component::libc},
    ObjectRule{"libtsan.so*", Component::libc},
    ObjectRule{"libubsan.so*", Component::libc},
    ObjectRule{"ld-linux*.so*", Component::libc},
    ObjectRule{"ld-2.*.so", Component::libc},
    ObjectRule{"ld64.so*", Component::libc},
    ObjectRule{"linux-vdso.so*", Component::libc},
};

}  // namespace comity::memory
