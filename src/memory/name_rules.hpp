// SPDX-License-Identifier: BSD-3-Clause
// The built-in rules: whose an object is by its file's name, and who makes segments of a name. The first that fits
// counts. Names are those of distributions, vendors and the projects' own builds; a plugin is told by its folder too.
// Not: users' rules (component).
#pragma once

#include <array>
#include <string_view>

#include "memory/component.hpp"

namespace comity::memory {

struct NameRule {
  std::string_view glob;  // as in users' rules
  Component component;
  ComparedPart part = compared_part(glob);
};

inline constexpr std::array kObjectRules{
    NameRule{"libcomity*", Component::comity},
    NameRule{"libquo.so*", Component::comity},
    NameRule{"libquo-usequo.so*", Component::comity},

    // The process manager's interface and its plugins; before Open MPI, whose plugins have the same start.
    NameRule{"libpmi*.so*", Component::pmix},
    NameRule{"libprrte*.so*", Component::pmix},
    NameRule{"pmix/*mca_*.so", Component::pmix},
    NameRule{"prte/*mca_*.so", Component::pmix},
    NameRule{"libmunge.so*", Component::pmix},

    NameRule{"libmpi*", Component::mpi},  // MPICH's, Intel's and Cray's too
    NameRule{"libopen-rte*.so*", Component::mpi},
    NameRule{"libopen-pal*.so*", Component::mpi},
    NameRule{"liboshmem*.so*", Component::mpi},
    NameRule{"libompi*.so*", Component::mpi},
    NameRule{"ompi_*.so*", Component::mpi},
    NameRule{"libmca_*.so*", Component::mpi},
    NameRule{"mca_*.so", Component::mpi},
    NameRule{"libpmpi*.so*", Component::mpi},
    NameRule{"libfmpich*.so*", Component::mpi},
    NameRule{"libmvapich*.so*", Component::mpi},
    NameRule{"libopa.so*", Component::mpi},
    NameRule{"mpirun", Component::mpi},
    NameRule{"mpirun.*", Component::mpi},
    NameRule{"mpiexec", Component::mpi},
    NameRule{"mpiexec.*", Component::mpi},
    NameRule{"orterun", Component::mpi},
    NameRule{"orted", Component::mpi},
    NameRule{"hydra_*", Component::mpi},
    NameRule{"prte", Component::pmix},
    NameRule{"prted", Component::pmix},
    NameRule{"prterun", Component::pmix},

    NameRule{"libucp.so*", Component::fabric},
    NameRule{"libuct*.so*", Component::fabric},
    NameRule{"libucs*.so*", Component::fabric},
    NameRule{"libucm*.so*", Component::fabric},
    NameRule{"libucc*.so*", Component::fabric},
    NameRule{"ucx/*.so*", Component::fabric},
    NameRule{"ucc/*.so*", Component::fabric},
    NameRule{"libfabric*.so*", Component::fabric},
    NameRule{"libfabric/*.so*", Component::fabric},
    NameRule{"libibverbs*.so*", Component::fabric},
    NameRule{"libibverbs/*.so*", Component::fabric},
    NameRule{"libibumad.so*", Component::fabric},
    NameRule{"libibmad.so*", Component::fabric},
    NameRule{"librdmacm.so*", Component::fabric},
    NameRule{"libmlx*.so*", Component::fabric},
    NameRule{"libefa.so*", Component::fabric},
    NameRule{"libpsm*.so*", Component::fabric},
    NameRule{"libinfinipath.so*", Component::fabric},
    NameRule{"libopasadb*.so*", Component::fabric},
    NameRule{"libcxi*.so*", Component::fabric},
    NameRule{"libportals*.so*", Component::fabric},
    NameRule{"libxpmem.so*", Component::fabric},
    NameRule{"libknem.so*", Component::fabric},
    NameRule{"libhcoll*.so*", Component::fabric},
    NameRule{"libsharp_*.so*", Component::fabric},
    NameRule{"libnl-*.so*", Component::fabric},

    NameRule{"libhwloc*.so*", Component::support},
    NameRule{"hwloc_*.so", Component::support},
    NameRule{"libevent*.so*", Component::support},
    NameRule{"libltdl.so*", Component::support},
    NameRule{"libpciaccess.so*", Component::support},
    NameRule{"libnuma.so*", Component::support},
    NameRule{"libudev.so*", Component::support},
    // What hwloc's plugins need on distributions, as UCX and PSM2 need libnuma. By its name nobody tells whether the program needs it too.
    NameRule{"libxml2.so*", Component::support},
    NameRule{"libicu*.so*", Component::support},
    NameRule{"liblzma.so*", Component::support},
    NameRule{"libX11.so*", Component::support},
    NameRule{"libXext.so*", Component::support},
    NameRule{"libXNVCtrl.so*", Component::support},
    NameRule{"libXau.so*", Component::support},
    NameRule{"libXdmcp.so*", Component::support},
    NameRule{"libxcb.so*", Component::support},
    NameRule{"libbsd.so*", Component::support},
    NameRule{"libmd.so*", Component::support},

    NameRule{"libgomp*.so*", Component::openmp},
    NameRule{"libomp.so*", Component::openmp},
    NameRule{"libomp5.so*", Component::openmp},
    NameRule{"libomptarget*.so*", Component::openmp},
    NameRule{"libiomp*.so*", Component::openmp},
    NameRule{"libcraymp*.so*", Component::openmp},
    NameRule{"libnvomp*.so*", Component::openmp},

    NameRule{"libopenblas*.so*", Component::blas},
    NameRule{"libblas*.so*", Component::blas},
    NameRule{"libcblas*.so*", Component::blas},
    NameRule{"liblapack*.so*", Component::blas},
    NameRule{"libscalapack*.so*", Component::blas},
    NameRule{"libmkl_*.so*", Component::blas},
    NameRule{"libblis*.so*", Component::blas},
    NameRule{"libflame*.so*", Component::blas},
    NameRule{"libflexiblas*.so*", Component::blas},
    NameRule{"flexiblas/*.so*", Component::blas},
    NameRule{"libatlas*.so*", Component::blas},
    NameRule{"lib?atlas.so*", Component::blas},
    NameRule{"libarmpl*.so*", Component::blas},
    NameRule{"libnvpl_*.so*", Component::blas},
    NameRule{"libessl*.so*", Component::blas},
    NameRule{"libsci_*.so*", Component::blas},

    NameRule{"libhdf5*.so*", Component::hdf5},

    NameRule{"libpython*.so*", Component::python},
    NameRule{"python3", Component::python},
    NameRule{"python3.*", Component::python},
    NameRule{"lib-dynload/*.so", Component::python},

    NameRule{"libgfortran*.so*", Component::fortran},
    NameRule{"libquadmath*.so*", Component::fortran},
    NameRule{"libflang*.so*", Component::fortran},
    NameRule{"libFortran*.so*", Component::fortran},
    NameRule{"libifcore*.so*", Component::fortran},
    NameRule{"libifport*.so*", Component::fortran},
    NameRule{"libnvf.so*", Component::fortran},

    NameRule{"libcuda*.so*", Component::gpu},
    NameRule{"libnvidia*.so*", Component::gpu},
    NameRule{"libamdhip*.so*", Component::gpu},
    NameRule{"libhsa-*.so*", Component::gpu},
    NameRule{"libze_*.so*", Component::gpu},
    NameRule{"libOpenCL.so*", Component::gpu},
    NameRule{"libnccl*.so*", Component::gpu},  // no MPI's: programs bring them
    NameRule{"librccl*.so*", Component::gpu},

    NameRule{"libjemalloc*.so*", Component::allocator},
    NameRule{"libtcmalloc*.so*", Component::allocator},
    NameRule{"libmimalloc*.so*", Component::allocator},
    NameRule{"libtbbmalloc*.so*", Component::allocator},
    NameRule{"libsnmalloc*.so*", Component::allocator},
    NameRule{"libc_malloc_debug.so*", Component::allocator},

    NameRule{"libc.so*", Component::libc},
    NameRule{"libc-2.*.so", Component::libc},
    NameRule{"libm.so*", Component::libc},
    NameRule{"libm-2.*.so", Component::libc},
    NameRule{"libmvec*.so*", Component::libc},
    NameRule{"libdl.so*", Component::libc},
    NameRule{"libdl-2.*.so", Component::libc},
    NameRule{"librt.so*", Component::libc},
    NameRule{"librt-2.*.so", Component::libc},
    NameRule{"libpthread*.so*", Component::libc},
    NameRule{"libutil.so*", Component::libc},
    NameRule{"libresolv.so*", Component::libc},
    NameRule{"libnss_*.so*", Component::libc},
    NameRule{"libnsl.so*", Component::libc},
    NameRule{"libanl.so*", Component::libc},
    NameRule{"libstdc++.so*", Component::libc},
    NameRule{"libc++*.so*", Component::libc},
    NameRule{"libgcc_s*.so*", Component::libc},
    NameRule{"libunwind.so*", Component::libc},
    NameRule{"libatomic.so*", Component::libc},
    NameRule{"libasan.so*", Component::libc},
    NameRule{"libtsan.so*", Component::libc},
    NameRule{"libubsan.so*", Component::libc},
    NameRule{"ld-linux*.so*", Component::libc},
    NameRule{"ld-2.*.so", Component::libc},
    NameRule{"ld64.so*", Component::libc},
    NameRule{"linux-vdso.so*", Component::libc},
};

inline constexpr std::array kSegmentRules{
    NameRule{"/memfd:comity*", Component::comity},
    NameRule{"comity-node-*", Component::comity},
    NameRule{"comity-*/*/rank-*.comity", Component::comity},  // the record of a rank, below $TMPDIR
    NameRule{"**/pmix_dstor*/**", Component::pmix},
    NameRule{"**/pmix*/**/dstore*", Component::pmix},
    NameRule{"pmix-*", Component::pmix},
    NameRule{"vader_segment.*", Component::mpi},  // Open MPI
    NameRule{"sm_segment.*", Component::mpi},
    NameRule{"osc_sm.*", Component::mpi},
    NameRule{"osc_rdma.*", Component::mpi},
    NameRule{"shared_window_*", Component::mpi},
    NameRule{"coll-*-shared-mem-*", Component::mpi},
    NameRule{"**/ompi.*/**", Component::mpi},
    NameRule{"mpich_shar_tmp*", Component::mpi},
    NameRule{"mpich_shm*", Component::mpi},
    NameRule{"Intel_MPI*", Component::mpi},
    NameRule{"ib_shmem*", Component::mpi},  // MVAPICH
    NameRule{"ib_pool*", Component::mpi},
    NameRule{"cray-shared-mem-coll*", Component::mpi},
    NameRule{"ucx_shm_*", Component::fabric},
    NameRule{"psm2_shm.*", Component::fabric},
    NameRule{"psm_shm.*", Component::fabric},
    NameRule{"nccl-*", Component::gpu},
    NameRule{"__KMP_REGISTERED_LIB_*", Component::openmp},
    NameRule{"/dev/shm/psm_????????", Component::python},  // multiprocessing.shared_memory
    NameRule{"/dev/shm/pym-*/*", Component::python},
    NameRule{"/dev/infiniband/**", Component::fabric},
    NameRule{"/dev/hfi1*", Component::fabric},
    NameRule{"/dev/cxi*", Component::fabric},
    NameRule{"/dev/xpmem", Component::fabric},
    NameRule{"/dev/knem", Component::fabric},
    NameRule{"/dev/nvidia*", Component::gpu},
    NameRule{"/dev/kfd", Component::gpu},
    NameRule{"/dev/dri/*", Component::gpu},
};

}  // namespace comity::memory
