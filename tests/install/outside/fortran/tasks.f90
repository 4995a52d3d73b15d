! SPDX-License-Identifier: BSD-3-Clause
! Tasks without anything else.
module work
  use, intrinsic :: iso_c_binding
  use comity_sched
  implicit none

contains

  recursive integer(c_int) function sum_up(counted) bind(C)
    integer(c_int64_t), intent(inout), target :: counted
    integer(c_int64_t), target :: none
    none = 0
    call comity_sched_reduce(comity_sched_range(0, 1000), comity_sched_reduction(c_sizeof(none), c_loc(none), &
      c_funloc(add), c_funloc(combine)), c_loc(counted), c_loc(counted), sum_up)
  end function sum_up

  recursive integer(c_int) function add(argument, first, last, counted) bind(C)
    type(c_ptr), value :: argument
    integer(c_int64_t), value :: first, last
    integer(c_int64_t), intent(inout) :: counted
    counted = counted + last - first
    add = merge(0, 1, c_associated(argument))
  end function add

  recursive subroutine combine(argument, left, right) bind(C)
    type(c_ptr), value :: argument
    integer(c_int64_t), intent(inout) :: left
    integer(c_int64_t), intent(in) :: right
    if (c_associated(argument)) left = left + right
  end subroutine combine
end module work

program tasks
  use work
  implicit none
  integer(c_int64_t), target :: counted = 0

  call comity_sched_start()
  call comity_sched_run(c_funloc(sum_up), c_loc(counted))
  call comity_sched_stop()
  print '(a,i0,a)', 'tasks: ', counted, ' counted'
end program tasks
