! SPDX-License-Identifier: BSD-3-Clause
! Comity without any MPI.
program alone
  use comity_without_mpi
  implicit none
  type(comity_context) :: context
  integer :: size

  call comity_context_create_local(context)
  call context%size(size)
  print '(a,i0,a)', 'alone: ', size, ' rank, comity ' // comity_version()
  call context%free()
end program alone
