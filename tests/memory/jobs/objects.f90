! SPDX-License-Identifier: BSD-3-Clause
! Of communicators three are made and one is freed, of datatypes two are left, of groups and infos one each.
program objects
  use mpi
  implicit none
  integer :: code, i, communicators(3), types(2), group, info

  call MPI_Init(code)
  do i = 1, 3
    call MPI_Comm_dup(MPI_COMM_WORLD, communicators(i), code)
  end do
  call MPI_Comm_free(communicators(1), code)
  do i = 1, 2
    call MPI_Type_contiguous(i, MPI_INTEGER, types(i), code)
  end do
  call MPI_Comm_group(MPI_COMM_WORLD, group, code)
  call MPI_Info_create(info, code)
  call MPI_Finalize(code)
end program objects
