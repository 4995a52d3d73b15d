! SPDX-License-Identifier: BSD-3-Clause
! One context through Fortran, C and C++: pushes of each nest on one stack, and each language lends to the others.
module in_fortran
  use, intrinsic :: iso_c_binding
  use comity
  implicit none

contains

  ! Called by C++ with a context that C++ owns.
  function ranks_in_fortran(handle) bind(C) result(ranks)
    type(c_ptr), value :: handle
    integer(c_int) :: ranks
    type(comity_context) :: context
    context = comity_context_c2f(handle)
    call context%quiesce()
    call context%size(ranks)
  end function ranks_in_fortran
end module in_fortran

program languages_test
  use mpi_f08
  use in_fortran
  use expecting
  implicit none
  interface
    function through_c_to_cpp(context, package) bind(C) result(deepest)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      integer(c_int), value :: package
      integer(c_int) :: deepest
    end function through_c_to_cpp
    function with_context_of_cpp() bind(C) result(failed)
      import :: c_int
      integer(c_int) :: failed
    end function with_context_of_cpp
  end interface
  type(comity_context) :: context
  integer :: depth
  logical :: enclosed

  call MPI_Init()
  call comity_context_create(MPI_COMM_WORLD, context)
  call context%push(COMITY_PACKAGE, 1)
  call expect(through_c_to_cpp(context%f2c(), 0) == 3, 'pushes of Fortran, C and C++ nest')
  call context%depth(depth)
  call context%encloses(COMITY_PACKAGE, 1, enclosed)
  call expect(depth == 1 .and. enclosed, 'the push of Fortran is in force again')
  call context%pop()
  call expect(with_context_of_cpp() == 0, 'Fortran and C use a context of C++')
  call context%free()
  call MPI_Finalize()
end program languages_test
