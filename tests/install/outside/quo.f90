! SPDX-License-Identifier: BSD-3-Clause
! A program of QUO's module: built with mpifort and the words of quo-info.
program quo_ranks
  use quo
  use mpi
  implicit none
  type(c_ptr) :: context
  integer(c_int) :: qid, qids, code
  integer :: ierr

  call MPI_Init(ierr)
  call quo_create(context, MPI_COMM_WORLD, code)
  if (code /= QUO_SUCCESS) error stop "quo_create"
  call quo_id(context, qid, code)
  call quo_nqids(context, qids, code)
  print "(a,i0,a,i0)", "f90: qid ", qid, " of ", qids
  call quo_free(context, code)
  if (code /= QUO_SUCCESS) error stop "quo_free"
  call MPI_Finalize(ierr)
end program quo_ranks
