! SPDX-License-Identifier: BSD-3-Clause
! Tasks from Fortran: a loop on all cores of the process, and a sum.
!   gfortran tasks.f90 -o tasks $(pkg-config --cflags --libs comity_fortran-sched)
module work
  use, intrinsic :: iso_c_binding
  use comity_sched
  use comity_without_mpi
  implicit none

  real(c_double), target :: values(100000), zero = 0, total = 0

contains

  ! Everything with tasks happens in here, in a fiber.
  integer(c_int) function all_of_it(argument) bind(C)
    type(c_ptr), value :: argument
    type(comity_sched_range) :: range
    range = comity_sched_range(1, size(values) + 1)  ! the last is one after the last index
    call comity_sched_for(range, c_funloc(fill), argument, all_of_it)
    if (all_of_it == COMITY_OK) call comity_sched_reduce(range, comity_sched_reduction(c_sizeof(zero), c_loc(zero), &
      c_funloc(add), c_funloc(combine)), argument, c_loc(total), all_of_it)
  end function

  ! recursive: a fiber's variables are its own, on its stack
  recursive integer(c_int) function fill(argument, first, last) bind(C)
    type(c_ptr), value :: argument
    integer(c_int64_t), value :: first, last
    integer(c_int64_t) :: i
    do i = first, last - 1
      values(i) = 1 / real(i, c_double)**2
    end do
    fill = COMITY_OK
    if (c_associated(argument)) fill = COMITY_ERR_ARGUMENT  ! it ends the loop, and comes out of comity_sched_for
  end function

  recursive integer(c_int) function add(argument, first, last, value) bind(C)
    type(c_ptr), value :: argument
    integer(c_int64_t), value :: first, last
    real(c_double), intent(inout) :: value
    value = value + sum(values(first:last - 1))
    add = merge(COMITY_ERR_ARGUMENT, COMITY_OK, c_associated(argument))
  end function

  recursive subroutine combine(argument, left, right) bind(C)
    type(c_ptr), value :: argument
    real(c_double), intent(inout) :: left
    real(c_double), intent(in) :: right
    if (.not. c_associated(argument)) left = left + right
  end subroutine
end module

program tasks
  use work
  implicit none
  call comity_sched_start()
  call comity_sched_run(c_funloc(all_of_it), c_null_ptr)
  call comity_sched_stop()
  print '(f6.4)', total
  if (abs(total - 1.6449) > 0.0001) error stop 'a wrong sum'
end program
