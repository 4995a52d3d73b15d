! SPDX-License-Identifier: BSD-3-Clause
! Of two ranks: an array of the program's becomes resident inside MPI and goes, and another one stays.
program received
  use mpi
  implicit none
  integer, parameter :: mega = 1048576
  integer :: rank, code
  double precision, allocatable :: passed(:), kept(:)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  allocate(passed(5 * mega))
  if (rank == 0) then
    passed = 1
    call MPI_Send(passed, size(passed), MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, code)
  else
    call MPI_Recv(passed, size(passed), MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
  end if
  deallocate(passed)
  allocate(kept(2 * mega))
  kept = rank
  call MPI_Barrier(MPI_COMM_WORLD, code)
  if (kept(1) /= rank) call MPI_Abort(MPI_COMM_WORLD, 1, code)
  call MPI_Finalize(code)
  print *, kept(size(kept))
end program received
