! SPDX-License-Identifier: BSD-3-Clause
! The calls of communicators.cpp, with communicators of `use mpi` (an integer) and of `use mpi_f08`, each with its time.
module communicators
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use comity
  use calls, only: check
  implicit none

  interface
    function now_ns() bind(C, name='communicators_now_ns') result(now)
      import :: c_double
      real(c_double) :: now
    end function now_ns
  end interface

contains

  function communicator_in_fortran(handle, all, made) bind(C) result(time_ns)
    type(c_ptr), value :: handle
    integer(c_int), intent(in) :: all
    integer(c_int), intent(inout) :: made
    real(c_double) :: time_ns
    type(comity_context) :: context
    integer :: code
    context = comity_context_c2f(handle)
    time_ns = now_ns()
    call comity_context_communicator(context, all, COMITY_MACHINE, made, code)
    call check(code)
    time_ns = now_ns() - time_ns
  end function communicator_in_fortran

  function communicator_f08_in_fortran(handle, all, made) bind(C) result(time_ns)
    type(c_ptr), value :: handle
    type(MPI_Comm), intent(in) :: all
    type(MPI_Comm), intent(inout) :: made
    real(c_double) :: time_ns
    type(comity_context) :: context
    integer :: code
    context = comity_context_c2f(handle)
    time_ns = now_ns()
    call comity_context_communicator(context, all, COMITY_MACHINE, made, code)
    call check(code)
    time_ns = now_ns() - time_ns
  end function communicator_f08_in_fortran

  function create_in_fortran(all) bind(C) result(time_ns)
    integer(c_int), intent(in) :: all
    real(c_double) :: time_ns
    type(comity_context) :: context
    integer :: code
    time_ns = now_ns()
    call comity_context_create(all, context, code)
    call check(code)
    call context%free(code)
    call check(code)
    time_ns = now_ns() - time_ns
  end function create_in_fortran
end module communicators
