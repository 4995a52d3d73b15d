! SPDX-License-Identifier: BSD-3-Clause
! Fortran that calls C that calls MPI, on one communicator.
program mixed
  use mpi
  implicit none
  interface
    subroutine reduce_in_c(communicator, given, total) bind(C)
      use, intrinsic :: iso_c_binding
      integer(c_int), value :: communicator
      real(c_double), value :: given
      real(c_double), intent(out) :: total
    end subroutine
  end interface
  integer :: size, code
  double precision :: total

  call MPI_Init(code)
  call MPI_Comm_size(MPI_COMM_WORLD, size, code)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  call reduce_in_c(MPI_COMM_WORLD, 1.0d0, total)
  call MPI_Finalize(code)
  if (total /= size) stop 1
end program
