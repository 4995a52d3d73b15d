! SPDX-License-Identifier: BSD-3-Clause
! Every rank says how many share its node, and of which MPI the library is that it runs with.
program ranks
  use mpi_f08
  use comity
  implicit none
  type(comity_context) :: context
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: library
  integer :: rank, size, length

  call MPI_Init()
  call MPI_Get_library_version(library, length)
  call comity_context_create(MPI_COMM_WORLD, context)
  call context%rank(rank)
  call context%size(size)
  call context%quiesce()
  print '(a,i0,a,i0,a)', 'fortran: rank ', rank, ' of ', size, ', comity ' // comity_version() // ', ' // library(:9)
  call context%free()
  call MPI_Finalize()
end program ranks
