! SPDX-License-Identifier: BSD-3-Clause
! The loops of beside.c, as a program in Fortran writes them: with ierr, and looking at it.
module beside
  use, intrinsic :: iso_c_binding
  use comity_without_mpi
  use comity_sched
  use comity_records
  use calls, only: check
  implicit none

contains

  recursive subroutine fiber(argument) bind(C)
    type(c_ptr), value :: argument
    if (c_associated(argument)) error stop 'there is no argument'
  end subroutine fiber

  recursive integer(c_int) function task(argument) bind(C)
    type(c_ptr), value :: argument
    task = merge(COMITY_ERR_ARGUMENT, COMITY_OK, c_associated(argument))
  end function task

  recursive integer(c_int) function part(argument, first, last) bind(C)
    type(c_ptr), value :: argument
    integer(c_int64_t), value :: first, last
    part = merge(COMITY_ERR_ARGUMENT, COMITY_OK, c_associated(argument) .or. last <= first)
  end function part

  recursive subroutine tasks_in_fortran(number, turns) bind(C)
    integer(c_int), value :: number, turns
    type(comity_sched_mutex), target :: mutex
    type(comity_sched_word), target :: word
    type(comity_sched_fiber), target :: spawned
    type(comity_sched_group), target :: group
    integer(c_int64_t) :: value
    integer :: hart, code, i
    logical :: locked
    do i = 1, turns
      select case (number)
      case (1)
        call comity_sched_hart(hart, code)
      case (2)
        call comity_sched_mutex_lock(mutex, code)
        call check(code)
        call comity_sched_mutex_unlock(mutex, code)
      case (3)
        call comity_sched_mutex_try_lock(mutex, locked, code)
        call check(code)
        call comity_sched_mutex_unlock(mutex, code)
      case (4)
        call comity_sched_word_write(word, 8_c_int64_t, .true., code)
        call check(code)
        call comity_sched_word_read(word, value, .true., code)
      case (5)
        call comity_sched_yield(code)
      case (6)
        call comity_sched_spawn(c_null_ptr, c_funloc(fiber), c_null_ptr, 'fiber', spawned, code)
        call check(code)
        call comity_sched_join(spawned, code)
      case (7)
        call comity_sched_for(comity_sched_range(0, 1), c_funloc(part), c_null_ptr, code)
      case (8)
        call comity_sched_group_begin(group, code)
        call check(code)
        call comity_sched_task(group, c_funloc(task), c_null_ptr, code)
        call check(code)
        call comity_sched_group_end(group, code)
      case default
        error stop 'no such case'
      end select
      call check(code)
    end do
  end subroutine tasks_in_fortran

  subroutine records_in_fortran(record, loaded_address, number, turns) bind(C)
    type(c_ptr), value :: record, loaded_address
    integer(c_int), value :: number, turns
    type(comity_record_job), pointer :: job
    type(comity_record_rank), pointer :: loaded
    type(comity_record_fact), pointer :: facts(:)
    character(len=:), allocatable :: text
    integer(c_int64_t) :: time_ns
    integer :: code, i
    call c_f_pointer(loaded_address, loaded)
    call c_f_pointer(loaded%facts, facts, [loaded%fact_count])
    code = COMITY_OK
    do i = 1, turns
      select case (number)
      case (1)
        call comity_record_time(loaded, 1000_c_int64_t, time_ns, code)
      case (2)
        call comity_record_describe(record, job, code)
      case (3)
        text = comity_text_at(facts(1)%value)
      case default
        error stop 'no such case'
      end select
      call check(code)
    end do
  end subroutine records_in_fortran
end module beside
