! SPDX-License-Identifier: BSD-3-Clause
! Tasks from Fortran: a loop on all cores of the process, and a sum. The interfaces are those of comity/sched.h.
!   gfortran tasks.f90 -o tasks $(pkg-config --libs comity_sched)
module work
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(C) :: comity_sched_range
    integer(c_int64_t) :: first, last, grain = 0  ! last is one after the last index
    integer(c_int32_t) :: schedule = 0            ! adaptive
  end type
  type, bind(C) :: comity_sched_reduction
    integer(c_size_t) :: bytes
    type(c_ptr) :: neutral
    type(c_funptr) :: add, combine
  end type

  interface
    integer(c_int) function comity_sched_start(options) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
    end function
    integer(c_int) function comity_sched_stop() bind(C)
      import :: c_int
    end function
    integer(c_int) function comity_sched_run(work, argument) bind(C)
      import :: c_int, c_ptr, c_funptr
      type(c_funptr), value :: work
      type(c_ptr), value :: argument
    end function
    integer(c_int) function comity_sched_for(range, body, argument) bind(C)
      import :: c_int, c_ptr, c_funptr, comity_sched_range
      type(comity_sched_range), intent(in) :: range
      type(c_funptr), value :: body
      type(c_ptr), value :: argument
    end function
    integer(c_int) function comity_sched_reduce(range, reduction, argument, value) bind(C)
      import :: c_int, c_ptr, comity_sched_range, comity_sched_reduction
      type(comity_sched_range), intent(in) :: range
      type(comity_sched_reduction), intent(in) :: reduction
      type(c_ptr), value :: argument, value
    end function
  end interface

  real(c_double), target :: values(100000), zero = 0, total = 0

contains

  ! Everything with tasks happens in here, in a fiber.
  integer(c_int) function all_of_it(argument) bind(C)
    type(c_ptr), value :: argument
    type(comity_sched_range) :: range
    range%first = 1
    range%last = size(values) + 1
    all_of_it = comity_sched_for(range, c_funloc(fill), argument)
    if (all_of_it == 0) all_of_it = comity_sched_reduce(range, comity_sched_reduction(c_sizeof(zero), c_loc(zero), &
      c_funloc(add), c_funloc(combine)), argument, c_loc(total))
  end function

  ! recursive: a fiber's variables are its own, on its stack
  recursive integer(c_int) function fill(argument, first, last) bind(C)
    type(c_ptr), value :: argument
    integer(c_int64_t), value :: first, last
    integer(c_int64_t) :: i
    do i = first, last - 1
      values(i) = 1 / real(i, c_double)**2
    end do
    fill = 0
    if (c_associated(argument)) fill = 1  ! another code ends the loop, and comes out of comity_sched_for
  end function

  recursive integer(c_int) function add(argument, first, last, value) bind(C)
    type(c_ptr), value :: argument
    integer(c_int64_t), value :: first, last
    real(c_double), intent(inout) :: value
    value = value + sum(values(first:last - 1))
    add = merge(1, 0, c_associated(argument))
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
  if (comity_sched_start(c_null_ptr) /= 0) error stop 'no harts'
  if (comity_sched_run(c_funloc(all_of_it), c_null_ptr) /= 0) error stop 'the tasks failed'
  if (comity_sched_stop() /= 0) error stop 'harts are left'
  print '(f6.4)', total
  if (abs(total - 1.6449) > 0.0001) error stop 'a wrong sum'
end program
