! SPDX-License-Identifier: BSD-3-Clause
! Distribution, phases, groups, resting with and without a limit, and the callback that lets messages go on.
module knock
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  type :: door
    integer :: size
    logical :: knocked
  end type door

contains

  ! Lets each other rank come, when it is first called.
  subroutine knock_once(data) bind(C)
    type(c_ptr), value :: data
    type(door), pointer :: here
    integer :: other
    call c_f_pointer(data, here)
    if (here%knocked) return
    here%knocked = .true.
    do other = 1, here%size - 1
      call MPI_Send(other, 1, MPI_INTEGER, other, 7, MPI_COMM_WORLD)
    end do
  end subroutine knock_once
end module knock

program phases_test
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use comity
  use expecting
  use knock
  implicit none
  type(comity_context) :: context
  integer :: rank, size

  call MPI_Init()
  call comity_context_create(MPI_COMM_WORLD, context)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call some_ranks_are_selected()
  call a_phase_binds_the_selected()
  call groups_rest_apart()
  call a_rest_may_have_a_limit()
  if (size > 1) call messages_go_on_meanwhile()
  call context%free()
  call MPI_Finalize()

contains

  function sum_over_ranks(one) result(sum)
    logical, intent(in) :: one
    integer :: sum
    call MPI_Allreduce(merge(1, 0, one), sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  end function sum_over_ranks

  subroutine some_ranks_are_selected()
    type(comity_distribution) :: part
    integer :: code
    call context%spread(COMITY_PACKAGE)
    call context%refresh()
    call context%distribute(COMITY_PACKAGE, 1, COMITY_RULE_FILL, part)
    call expect(part%selected_count == min(size, 2), 'one rank a package is selected')
    call expect(sum_over_ranks(part%selected) == part%selected_count, 'the selected ranks know it')
    call expect(part%selected .eqv. part%leader == rank, 'the selected rank leads itself')
    call expect(part%selected .eqv. part%object >= 0, 'the selected rank has an object')
    call expect(part%share >= 0 .and. part%share < part%share_count, 'each rank has its share')
    part%share = -9
    call context%distribute(COMITY_PACKAGE, 0, COMITY_RULE_FILL, part, code)
    call expect(code == COMITY_ERR_RANGE .and. part%share == -9, 'a type stays on failure')
  end subroutine some_ranks_are_selected

  subroutine a_phase_binds_the_selected()
    logical :: selected, inside
    integer :: code
    call context%enter(COMITY_MACHINE, 1, 0, selected)
    call expect(sum_over_ranks(selected) == 1, 'one rank works')
    if (selected) then
      call context%is_bound(inside)
      call expect(.not. inside, 'it is as wide as the machine')
    end if
    call context%leave()
    call context%leave(code)
    call expect_code(code, COMITY_ERR_ORDER, 'a leave without enter')
    call context%pop()
    selected = .true.
    call context%enter(COMITY_MACHINE, 0, 0, selected, code)
    call expect(code == COMITY_ERR_RANGE .and. .not. selected, 'nobody works in a phase that is refused')
  end subroutine a_phase_binds_the_selected

  subroutine groups_rest_apart()
    type(comity_group) :: group, none
    integer :: code, mine, all
    call comity_group_split(context, mod(rank, 2), group)
    call group%rank(mine, all)
    call expect(mine == rank / 2 .and. all == (size + 1 - mod(rank, 2)) / 2, 'the ranks of a colour form a group')
    call group%rank(size=all)
    call context%quiesce(group)
    call comity_context_quiesce(context, group, 0, COMITY_FOREVER, code)
    call expect_code(code, COMITY_OK, 'comity_context_quiesce, all arguments')
    call context%group_split(-1, none)
    call expect(.not. c_associated(none%f2c()), 'a colour below 0 has no group')
    call context%quiesce(none, ierr=code)
    call expect_code(code, COMITY_ERR_HANDLE, 'to rest with a group that is none')
    call expect(index(comity_last_error(), 'group') > 0, 'the sentence names it: ' // comity_last_error())
    none = group
    call none%rank(mine)
    call group%free()
    call none%rank(mine, ierr=code)
    call expect_code(code, COMITY_ERR_HANDLE, 'a second name of a freed group')
  end subroutine groups_rest_apart

  subroutine a_rest_may_have_a_limit()
    integer :: code
    call context%quiesce(timeout_ns=-2_c_int64_t, ierr=code)
    call expect_code(code, COMITY_ERR_RANGE, 'to rest for less than no time')
    if (size > 1 .and. rank == 0) then
      call context%quiesce(timeout_ns=0_c_int64_t, ierr=code)
      call expect_code(code, COMITY_ERR_TIMEOUT, 'to rest while the others do not come')
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
    call context%quiesce()
  end subroutine a_rest_may_have_a_limit

  ! The others come only when rank 0's callback has told them to.
  subroutine messages_go_on_meanwhile()
    type(door), target :: here
    integer :: word
    here%size = size
    here%knocked = .false.
    if (rank == 0) then
      call context%set_progress(knock_once, c_loc(here))
    else
      call MPI_Recv(word, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
    call context%quiesce(flags=COMITY_QUIESCE_PROGRESS)
    call context%set_progress()
    call context%quiesce(flags=COMITY_QUIESCE_PROGRESS, ierr=word)
    call expect_code(word, COMITY_ERR_UNSUPPORTED, 'to let messages go on with no callback')
  end subroutine messages_go_on_meanwhile
end program phases_test
