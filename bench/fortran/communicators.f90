! SPDX-License-Identifier: BSD-3-Clause
! The loops of communicators.cpp, with communicators of `use mpi` (an integer) and of `use mpi_f08`.
module communicators
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use comity
  use calls, only: check
  implicit none

contains

  subroutine communicators_in_fortran(handle, all, turns, made) bind(C)
    type(c_ptr), value :: handle
    integer(c_int), intent(in) :: all
    integer(c_int), value :: turns
    integer(c_int), intent(inout) :: made(turns)
    type(comity_context) :: context
    integer :: code, i
    context = comity_context_c2f(handle)
    do i = 1, turns
      call comity_context_communicator(context, all, COMITY_MACHINE, made(i), code)
      call check(code)
    end do
  end subroutine communicators_in_fortran

  subroutine communicators_f08_in_fortran(handle, all, turns, made) bind(C)
    type(c_ptr), value :: handle
    type(MPI_Comm), intent(in) :: all
    integer(c_int), value :: turns
    type(MPI_Comm), intent(inout) :: made(turns)
    type(comity_context) :: context
    integer :: code, i
    context = comity_context_c2f(handle)
    do i = 1, turns
      call comity_context_communicator(context, all, COMITY_MACHINE, made(i), code)
      call check(code)
    end do
  end subroutine communicators_f08_in_fortran

  subroutine creates_in_fortran(all, turns) bind(C)
    integer(c_int), intent(in) :: all
    integer(c_int), value :: turns
    type(comity_context) :: context
    integer :: code, i
    do i = 1, turns
      call comity_context_create(all, context, code)
      call check(code)
      call context%free(code)
      call check(code)
    end do
  end subroutine creates_in_fortran
end module communicators
