! SPDX-License-Identifier: BSD-3-Clause
! Tasks beside an MPI and a context: what the harts of each rank have added up, in a region, is summed over the ranks.
module what_harts_add
  use, intrinsic :: iso_c_binding
  use comity
  use comity_sched
  use expecting
  implicit none

  integer(c_int64_t), parameter :: indices = 1000  ! of a rank

  type, bind(C) :: share
    integer(c_int64_t) :: first, last  ! one after the last
    integer(c_int64_t) :: refused      ! the index at which it fails
    integer(c_int64_t) :: total
  end type share

  integer(c_int64_t), target :: nothing = 0

contains

  recursive integer(c_int) function add_share(mine) bind(C)
    type(share), intent(inout), target :: mine
    integer :: code
    call comity_region_begin('add')
    call comity_sched_reduce(comity_sched_range(mine%first, mine%last, grain=10), comity_sched_reduction(c_sizeof(nothing), &
      c_loc(nothing), c_funloc(add), c_funloc(combine)), c_loc(mine), c_loc(mine%total), add_share)
    call comity_region_end()
    call comity_region_end(code)
    call expect_code(code, COMITY_ERR_ORDER, 'the end of a region in a fiber that has ended the one that it began')
  end function add_share

  recursive integer(c_int) function add(mine, first, last, total) bind(C)
    type(share), intent(in) :: mine
    integer(c_int64_t), value :: first, last
    integer(c_int64_t), intent(inout) :: total
    integer(c_int64_t) :: i
    add = COMITY_OK
    do i = first, last - 1
      total = total + i
      if (i == mine%refused) add = COMITY_ERR_RANGE
    end do
  end function add

  recursive subroutine combine(mine, left, right) bind(C)
    type(share), intent(in) :: mine
    integer(c_int64_t), intent(inout) :: left
    integer(c_int64_t), intent(in) :: right
    if (mine%first < mine%last) left = left + right
  end subroutine combine
end module what_harts_add

program tasks_test
  use mpi_f08
  use what_harts_add
  implicit none
  type(comity_context) :: context
  type(MPI_Comm) :: node
  character(len=:), allocatable :: before, after
  integer :: rank, size

  call MPI_Init()
  call comity_context_create(MPI_COMM_WORLD, context)
  call comity_context_communicator(context, MPI_COMM_WORLD, COMITY_MACHINE, node)
  call MPI_Comm_rank(node, rank)
  call MPI_Comm_size(node, size)
  call context%push(COMITY_MACHINE, 0)
  call context%binding_string(COMITY_FORM_LIST, before)
  call comity_sched_start(comity_sched_options(harts=2))
  call all_shares_are_added()
  call ranks_rest_while_harts_are_there()
  call a_failure_reaches_the_ranks()
  call comity_sched_stop()
  call context%binding_string(COMITY_FORM_LIST, after)
  call expect(before == after, 'a rank whose harts have stopped is bound as before: ' // before // ', not ' // after)
  call context%pop()
  call MPI_Comm_free(node)
  call context%free()
  call MPI_Finalize()

contains

  type(share) function share_of_this_rank()
    share_of_this_rank = share(rank * indices + 1, (rank + 1) * indices + 1, refused=0, total=-1)
  end function share_of_this_rank

  subroutine all_shares_are_added()
    type(share), target :: mine
    integer(c_int64_t) :: sum
    mine = share_of_this_rank()
    call comity_sched_run(c_funloc(add_share), c_loc(mine))
    call MPI_Allreduce(mine%total, sum, 1, MPI_INTEGER8, MPI_SUM, node)
    call expect(sum == size * indices * (size * indices + 1) / 2, 'the sum over ranks is that of all indices')
  end subroutine all_shares_are_added

  ! In turn, one rank in each step: the others wait in the context meanwhile.
  subroutine ranks_rest_while_harts_are_there()
    type(share), target :: mine
    integer(c_int64_t) :: sum
    integer :: step
    mine = share_of_this_rank()
    mine%total = 0
    do step = 0, size - 1
      if (step == rank) call comity_sched_run(c_funloc(add_share), c_loc(mine))
      call context%quiesce()
      call MPI_Allreduce(mine%total, sum, 1, MPI_INTEGER8, MPI_SUM, node)
      call expect(sum == (step + 1) * indices * ((step + 1) * indices + 1) / 2, 'the ranks up to this one have added')
    end do
  end subroutine ranks_rest_while_harts_are_there

  subroutine a_failure_reaches_the_ranks()
    type(share), target :: mine
    integer :: code, worst
    mine = share_of_this_rank()
    if (rank == size - 1) mine%refused = mine%last - 1
    call comity_sched_run(c_funloc(add_share), c_loc(mine), code)
    call expect((code == COMITY_OK) .eqv. (rank < size - 1), 'a loop fails on the rank that refuses an index, and there alone')
    call expect((mine%total == -1) .eqv. (rank == size - 1), 'a loop that failed has no result')
    call MPI_Allreduce(code, worst, 1, MPI_INTEGER, MPI_MAX, node)
    call expect_code(worst, COMITY_ERR_RANGE, 'the loop on the last rank')
  end subroutine a_failure_reaches_the_ranks
end program tasks_test
