! SPDX-License-Identifier: BSD-3-Clause
! The levels of levels.c, without its region, by the way that the macro names: MPIF, MPI or F08.
program levels
#if defined(MPI)
  use mpi
#elif defined(F08)
  use mpi_f08
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
  integer :: code

  call MPI_Init(code)
  call barriers(1)
  call MPI_Pcontrol(3)
  call barriers(6)
  call MPI_Pcontrol(0)
  call barriers(16)
  call MPI_Pcontrol(2)
  call barriers(8)
  call MPI_Pcontrol(1)
  call MPI_Finalize(code)
contains
  subroutine barriers(count)
    integer, intent(in) :: count
    integer :: i
    do i = 1, count
      call MPI_Barrier(MPI_COMM_WORLD, code)
    end do
  end subroutine
end program
