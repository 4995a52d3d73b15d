! SPDX-License-Identifier: BSD-3-Clause
! The calls of calls.c, from Fortran, by the way that the macro names: MPIF, MPI or F08.
program calls
#if defined(MPI)
  use mpi
#elif defined(F08)
  use mpi_f08
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
  integer :: rank, size, code, i, counted, next, before
  double precision :: given, got, total, begun
#ifdef F08
  type(MPI_Comm) :: copy
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2), status
#define FIRST statuses(1)
#else
  integer :: copy, requests(2), statuses(MPI_STATUS_SIZE, 2), status(MPI_STATUS_SIZE)
#define FIRST statuses(:, 1)
#endif

  given = 1.0d0
  got = 0.0d0
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, size, code)
  begun = MPI_Wtime()
  do i = 1, 3
    call MPI_Allreduce(given, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
  end do
  do i = 1, 2
    call MPI_Bcast(given, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, code)
  end do
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, code)
  call MPI_Irecv(got, 1, MPI_DOUBLE_PRECISION, before, 5, copy, requests(1), code)
  call MPI_Isend(given, 1, MPI_DOUBLE_PRECISION, next, 5, copy, requests(2), code)
  call MPI_Waitall(2, requests, statuses, code)
  call MPI_Get_count(FIRST, MPI_DOUBLE_PRECISION, counted, code)
  call MPI_Sendrecv(given, 1, MPI_DOUBLE_PRECISION, next, 6, got, 1, MPI_DOUBLE_PRECISION, before, 6, copy, status, code)
  call MPI_Comm_free(copy, code)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
  if (counted /= 1 .or. got /= 1.0d0 .or. total /= size .or. begun < 0.0d0) stop 1
end program
