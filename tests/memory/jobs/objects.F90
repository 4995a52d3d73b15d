! SPDX-License-Identifier: BSD-3-Clause
! Of communicators three are made and one is freed, of datatypes two are left, of groups and infos one each; of persistent requests seven are made and
! one is freed. By the way that the macro names: MPIF, MPI or F08.
#if defined(MPI)
#define BY use mpi
#define INCLUDED
#elif defined(F08)
#define BY use mpi_f08
#define INCLUDED
#else
#define BY
#define INCLUDED include 'mpif.h'
#endif
#ifdef F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

! Their handles are nobody's afterwards.
subroutine leave_requests(rank)
  BY
  implicit none
  INCLUDED
  integer, intent(in) :: rank
  HANDLE(MPI_Request) :: request
  double precision, save :: given(4), got(4)
  integer :: i, code

  do i = 1, 3
    call MPI_Send_init(given, 4, MPI_DOUBLE_PRECISION, rank, i, MPI_COMM_WORLD, request, code)
  end do
  call MPI_Ssend_init(given, 4, MPI_DOUBLE_PRECISION, rank, 9, MPI_COMM_WORLD, request, code)
  do i = 1, 2
    call MPI_Recv_init(got, 4, MPI_DOUBLE_PRECISION, rank, i, MPI_COMM_WORLD, request, code)
  end do
  given(1) = 1 ! and no jump into the last call
end subroutine

subroutine use_and_free_a_request(rank)
  BY
  implicit none
  INCLUDED
  integer, intent(in) :: rank
  HANDLE(MPI_Request) :: request
  double precision, save :: given(4), got(4)
  integer :: code
#ifdef F08
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif

  call MPI_Recv_init(got, 4, MPI_DOUBLE_PRECISION, rank, 7, MPI_COMM_WORLD, request, code)
  call MPI_Start(request, code)
  call MPI_Send(given, 4, MPI_DOUBLE_PRECISION, rank, 7, MPI_COMM_WORLD, code)
  call MPI_Wait(request, status, code)
  call MPI_Request_free(request, code)
  given(1) = 1
end subroutine

program objects
  BY
  implicit none
  INCLUDED
  HANDLE(MPI_Comm) :: communicators(3)
  HANDLE(MPI_Datatype) :: types(2)
  HANDLE(MPI_Group) :: group
  HANDLE(MPI_Info) :: info
  integer :: code, i, rank

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  do i = 1, 3
    call MPI_Comm_dup(MPI_COMM_WORLD, communicators(i), code)
  end do
  call MPI_Comm_free(communicators(1), code)
  do i = 1, 2
    call MPI_Type_contiguous(i, MPI_INTEGER, types(i), code)
  end do
  call MPI_Comm_group(MPI_COMM_WORLD, group, code)
  call MPI_Info_create(info, code)
  call leave_requests(rank)
  call use_and_free_a_request(rank)
  call MPI_Finalize(code)
end program objects
