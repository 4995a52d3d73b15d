! SPDX-License-Identifier: BSD-3-Clause
! Tasks, loops, fibers and what they wait with, on harts of this process.
module what_harts_run
  use, intrinsic :: iso_c_binding
  use comity_sched
  use expecting
  implicit none

  type, bind(C) :: piece
    integer(c_int32_t) :: from
    type(c_ptr) :: total
  end type piece

  type(comity_sched_closure), target :: closure
  integer(c_int64_t), target :: none_yet = 0

contains

  recursive integer(c_int) function all_of_it(argument) bind(C)
    integer(c_int), intent(inout) :: argument
    call expect(argument == 5, 'the argument is the program''s variable')
    call tasks()
    call tasks_with_closures()
    call orders()
    call failures()
    call loops()
    call fibers()
    call locks()
    call channels()
    argument = 6
    all_of_it = COMITY_OK
  end function all_of_it

  ! --- tasks ---

  recursive subroutine tasks()
    type(comity_sched_group), target :: group
    integer(c_int), target :: numbers(100)
    integer :: i
    numbers = [(i, i = 1, 100)]
    call comity_sched_group_begin(group)
    do i = 1, 100
      call comity_sched_task(group, c_funloc(double), c_loc(numbers(i)))
    end do
    call comity_sched_group_end(group)
    call expect(all(numbers == [(2 * i, i = 1, 100)]), 'each task ran once, with its own argument')
  end subroutine tasks

  recursive integer(c_int) function double(number) bind(C)
    integer(c_int), intent(inout) :: number
    number = 2 * number
    double = COMITY_OK
  end function double

  recursive subroutine tasks_with_closures()
    type(comity_sched_group), target :: group
    type(piece), target :: given
    integer(c_int), target :: totals(2)
    integer(c_int32_t) :: node
    totals = 0
    closure%run = c_funloc(run_piece)
    call comity_sched_node_of(0, node)
    call comity_sched_group_begin(group)
    given = piece(3, c_loc(totals(1)))
    call comity_sched_task_closure(group, closure, c_loc(given), c_sizeof(given), 0)
    given = piece(4, c_loc(totals(2)))
    call comity_sched_task_on(group, node, closure, c_loc(given), c_sizeof(given))
    given = piece(9, c_null_ptr)  ! the tasks have copies
    call comity_sched_group_end(group)
    call expect(all(totals == [3, 4]), 'closures are copied into tasks')
  end subroutine tasks_with_closures

  recursive integer(c_int) function run_piece(closure, group) bind(C)
    type(piece), intent(inout) :: closure
    type(comity_sched_group), intent(inout) :: group
    integer(c_int), pointer :: total
    logical :: cancelled
    call comity_sched_group_cancelled(group, cancelled)
    call expect(.not. cancelled, 'nobody cancelled the group')
    call c_f_pointer(closure%total, total)
    total = total + closure%from
    run_piece = COMITY_OK
  end function run_piece

  recursive subroutine orders()
    type(comity_sched_group), target :: group
    type(comity_sched_closure), target :: order
    type(piece), target :: given
    integer(c_int), target :: digits
    integer :: i
    digits = 0
    order%run = c_funloc(append_digit)
    call comity_sched_group_begin(group)
    do i = 1, 5
      given = piece(i, c_loc(digits))
      call comity_sched_task_after(group, [comity_sched_access(c_loc(digits), 1)], 1, order, c_loc(given), c_sizeof(given))
    end do
    call comity_sched_group_end(group)
    call expect(digits == 12345, 'tasks that write the same data run in the order in which they were added')
  end subroutine orders

  recursive integer(c_int) function append_digit(closure, group) bind(C)
    type(piece), intent(inout) :: closure
    type(c_ptr), value :: group
    integer(c_int), pointer :: digits
    call c_f_pointer(closure%total, digits)
    digits = 10 * digits + closure%from
    append_digit = merge(COMITY_OK, COMITY_ERR_ARGUMENT, c_associated(group))
  end function append_digit

  recursive subroutine failures()
    type(comity_sched_group), target :: group, never_begun
    type(c_ptr) :: scheduler
    logical :: cancelled
    integer :: code
    call comity_sched_group_begin(group)
    call comity_sched_task(group, c_funloc(refuse), c_null_ptr)
    call comity_sched_group_wait(group, code)
    call expect_code(code, COMITY_ERR_RANGE, 'the wait for a task that failed')
    call comity_sched_group_cancel(group)
    call comity_sched_group_cancelled(group, cancelled)
    call expect(cancelled, 'a group is cancelled that was')
    call comity_sched_group_end(group)
    call comity_sched_group_end(never_begun, code)
    call expect_code(code, COMITY_ERR_HANDLE, 'the end of a group that was not begun')
    call comity_sched_for(comity_sched_range(0, 10), c_null_funptr, c_null_ptr, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'a loop without a body')
    call comity_sched_enter_own(comity_sched_callbacks(), c_null_ptr, scheduler, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'a scheduler that does nothing')
  end subroutine failures

  recursive integer(c_int) function refuse(argument) bind(C)
    type(c_ptr), value :: argument
    refuse = merge(COMITY_ERR_SYSTEM, COMITY_ERR_RANGE, c_associated(argument))
  end function refuse

  ! --- loops ---

  recursive subroutine loops()
    integer(c_int64_t), target :: values(1000), total
    type(comity_sched_range) :: range
    integer, parameter :: schedules(*) = [COMITY_SCHED_ADAPTIVE, COMITY_SCHED_STATIC, COMITY_SCHED_DYNAMIC, COMITY_SCHED_GUIDED]
    integer :: i, j
    do i = 1, size(schedules)
      values = 0
      range = comity_sched_range(1, size(values) + 1, grain=7, schedule=schedules(i))
      call comity_sched_for(range, c_funloc(fill), c_loc(values))
      call expect(all(values == [(j, j = 1, 1000)]), 'a loop meets each index once')
      total = -1
      call comity_sched_reduce(range, comity_sched_reduction(c_sizeof(total), c_loc(none_yet), c_funloc(add), &
        c_funloc(combine)), c_loc(values), c_loc(total))
      call expect(total == 500500, 'a sum is that of all values')
    end do
  end subroutine loops

  recursive integer(c_int) function fill(values, first, last) bind(C)
    integer(c_int64_t), intent(inout) :: values(1000)
    integer(c_int64_t), value :: first, last
    integer(c_int64_t) :: i
    do i = first, last - 1
      values(i) = values(i) + i
    end do
    fill = COMITY_OK
  end function fill

  recursive integer(c_int) function add(values, first, last, total) bind(C)
    integer(c_int64_t), intent(in) :: values(1000)
    integer(c_int64_t), value :: first, last
    integer(c_int64_t), intent(inout) :: total
    total = total + sum(values(first:last - 1))
    add = COMITY_OK
  end function add

  recursive subroutine combine(values, left, right) bind(C)
    type(c_ptr), value :: values
    integer(c_int64_t), intent(inout) :: left
    integer(c_int64_t), intent(in) :: right
    if (c_associated(values)) left = left + right
  end subroutine combine

  ! --- fibers ---

  recursive subroutine fibers()
    type(comity_sched_fiber), target :: fiber, movable
    type(c_ptr) :: scheduler
    integer(c_int), target :: numbers(4)
    integer :: code
    numbers = [1, 2, 3, 4]
    call comity_sched_spawn(c_null_ptr, c_funloc(count_up), c_loc(numbers(1)), 'counts', fiber)
    call comity_sched_spawn_movable(c_null_ptr, c_funloc(count_up), c_loc(numbers(2)), repeat('long ', 100), movable)
    call comity_sched_join(fiber)
    call comity_sched_join(movable)
    call comity_sched_join(fiber, code)
    call expect_code(code, COMITY_ERR_HANDLE, 'a second join')
    scheduler = c_null_ptr
    call comity_sched_enter(COMITY_SCHED_ROUND_ROBIN, scheduler)
    call expect(c_associated(scheduler), 'a scheduler that was entered has a handle')
    call comity_sched_spawn(scheduler, c_funloc(count_up), c_loc(numbers(3)), '')  ! the leave waits for it
    call comity_sched_leave(scheduler)
    call expect(.not. c_associated(scheduler), 'a scheduler that was left has none')
    call expect(all(numbers == [2, 3, 4, 4]), 'each fiber ran once')
    call comity_sched_team(4, c_funloc(member), c_loc(numbers))
    call expect(all(numbers == [0, 1, 2, 3]), 'each member has its number')
    call expect(comity_sched_child_wants(c_null_ptr) == 0, 'none asks for no hart')
    call expect(.not. c_associated(comity_sched_argument_of(c_null_ptr)), 'none has no argument')
  end subroutine fibers

  recursive subroutine count_up(number) bind(C)
    integer(c_int), intent(inout) :: number
    call comity_sched_yield()
    number = number + 1
  end subroutine count_up

  recursive integer(c_int) function member(numbers, number) bind(C)
    integer(c_int), intent(inout) :: numbers(0:3)
    integer(c_int32_t), value :: number
    numbers(number) = number
    member = COMITY_OK
  end function member

  ! --- what they wait with ---

  recursive subroutine locks()
    type(comity_sched_mutex), target :: mutex
    type(comity_sched_barrier), target :: barrier
    type(comity_sched_semaphore), target :: semaphore
    logical :: locked, last
    integer :: code
    call comity_sched_mutex_lock(mutex)
    call comity_sched_mutex_lock(mutex, code)
    call expect_code(code, COMITY_ERR_ORDER, 'a lock of what the caller has')
    call comity_sched_mutex_try_lock(mutex, locked)
    call expect(.not. locked, 'a lock that is taken is not free')
    call comity_sched_mutex_unlock(mutex)
    call comity_sched_mutex_try_lock(mutex, locked)
    call expect(locked, 'a lock that was given back is free')
    call comity_sched_mutex_unlock(mutex)
    call comity_sched_barrier_begin(barrier, 1)
    call comity_sched_barrier_wait(barrier, last)
    call expect(last, 'one alone is the last')
    call comity_sched_barrier_wait(barrier)
    call comity_sched_semaphore_begin(semaphore, 1_c_int64_t)
    call comity_sched_semaphore_acquire(semaphore)
    call comity_sched_semaphore_release(semaphore)
  end subroutine locks

  recursive subroutine channels()
    type(comity_sched_future), target :: future
    type(comity_sched_word), target :: word
    type(comity_sched_channel), target :: channel
    integer(c_int64_t), target :: room(2), value
    logical :: there, open
    call comity_sched_future_test(future, there)
    call expect(.not. there, 'a value has not come')
    call comity_sched_future_set(future, 7_c_int64_t)
    call comity_sched_future_get(future)
    call comity_sched_future_get(future, value)
    call expect(value == 7, 'a value comes as it was given')
    call comity_sched_word_write(word, 8_c_int64_t, when_empty=.true.)
    call comity_sched_word_read(word, value, empty=.false.)
    call comity_sched_word_read(word, value, empty=.true.)  ! it would wait for ever where it was empty
    call expect(value == 8, 'a word is read as it was written')
    call comity_sched_word_write(word, 9_c_int64_t, when_empty=.true.)  ! it would wait where it was not empty
    call comity_sched_channel_begin(channel, c_loc(room), c_sizeof(value), size(room, kind=c_size_t))
    value = 10
    call comity_sched_channel_send(channel, c_loc(value), open)
    value = 0
    call comity_sched_channel_receive(channel, c_loc(value), open)
    call expect(open .and. value == 10, 'a value is received as it was sent')
    call comity_sched_channel_close(channel)
    call comity_sched_channel_receive(channel, c_loc(value), open)
    call expect(.not. open, 'a channel that was closed has no more')
  end subroutine channels
end module what_harts_run

program sched_test
  use what_harts_run
  implicit none
  type(comity_sched_stack_count) :: stacks
  integer(c_int), target :: argument = 5
  integer :: code, harts, hart

  call comity_sched_stop(code)
  call expect_code(code, COMITY_ERR_ORDER, 'a stop before the start')
  call expect(len(comity_last_error()) > 0, 'a failure has its sentence')
  call comity_sched_harts(harts)
  call expect(harts == 0, 'harts have not been started')
  call expect(.not. comity_sched_idle(), 'no harts have nothing to do')
  call comity_sched_hart(hart)
  call expect(hart == -1, 'a plain thread is no hart')
  call comity_sched_start(comity_sched_options(harts=-1), code)
  call expect_code(code, COMITY_ERR_RANGE, 'less than no harts')

  call comity_sched_start(comity_sched_options(harts=2, scheduler=COMITY_SCHED_STEALING))
  call comity_sched_harts(harts)
  call expect(harts == 1 .or. harts == 2, 'there are as many harts as were asked for, at most')
  call comity_sched_hart(hart)
  call expect(hart == 0, 'who starts harts is the first of them')
  call comity_sched_run(c_funloc(all_of_it), c_loc(argument))
  call expect(argument == 6, 'work sees the variable itself')
  call comity_sched_run(c_funloc(refuse), c_null_ptr, code)
  call expect_code(code, COMITY_ERR_RANGE, 'work that fails')
  call comity_sched_stacks(stacks)
  call expect(stacks%made > 0, 'fibers have stacks')
  call comity_sched_stop()
  call comity_sched_start()
  call comity_sched_stop()
end program sched_test
