! SPDX-License-Identifier: BSD-3-Clause
! twomesh's coupled step in mode comity, driven from Fortran: every rank alone on a core takes L0's gas steps; for L1 a few
! leaders take the node, while the others rest. Not: the numerics, which door.hpp leads to.
module door
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine twomesh_hold_streams() bind(C)
    end subroutine twomesh_hold_streams
    function twomesh_open(words, count, status) bind(C) result(run)
      import
      character(kind=c_char), intent(in) :: words(*)
      integer(c_int), value :: count
      integer(c_int), intent(out) :: status
      type(c_ptr) :: run
    end function twomesh_open
    subroutine twomesh_layout(run, type, per, threads, steps) bind(C)
      import
      type(c_ptr), value :: run
      integer(c_int), intent(out) :: type, per, threads, steps
    end subroutine twomesh_layout
    subroutine twomesh_begin(run, ranks, count) bind(C)
      import
      type(c_ptr), value :: run
      integer(c_int), intent(in) :: ranks(*)
      integer(c_int), value :: count
    end subroutine twomesh_begin
    function twomesh_gas(run) bind(C) result(dt)
      import
      type(c_ptr), value :: run
      real(c_double) :: dt
    end function twomesh_gas
    subroutine twomesh_gather(run) bind(C)
      import
      type(c_ptr), value :: run
    end subroutine twomesh_gather
    subroutine twomesh_solve(run, dt, team) bind(C)
      import
      type(c_ptr), value :: run
      real(c_double), value :: dt
      integer(c_int), value :: team
    end subroutine twomesh_solve
    subroutine twomesh_scatter(run) bind(C)
      import
      type(c_ptr), value :: run
    end subroutine twomesh_scatter
    function twomesh_end(run) bind(C) result(status)
      import
      type(c_ptr), value :: run
      integer(c_int) :: status
    end function twomesh_end
    function twomesh_refuse(run) bind(C) result(status)
      import
      type(c_ptr), value :: run
      integer(c_int) :: status
    end function twomesh_refuse
    subroutine end_with(status) bind(C, name='exit')  ! stop writes which floating-point exceptions there were
      import
      integer(c_int), value :: status
    end subroutine end_with
  end interface

contains

  ! Those of the command line, the program's name first, with a zero byte behind each.
  function command_line() result(words)
    character(len=:), allocatable :: words
    character(len=:), allocatable :: word
    integer :: i, length
    words = ''
    do i = 0, command_argument_count()
      call get_command_argument(i, length=length)
      if (allocated(word)) deallocate (word)
      allocate (character(len=length) :: word)
      if (length > 0) call get_command_argument(i, word)
      words = words // word // c_null_char
    end do
  end function command_line
end module door

program twomesh_fortran
  use mpi_f08
  use omp_lib, only: omp_get_max_threads
  use comity
  use door
  implicit none
  type(comity_context) :: context
  type(c_ptr) :: run
  integer :: type, per, threads, steps, step, status, provided
  logical :: leads

  call twomesh_hold_streams()
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  run = twomesh_open(command_line(), command_argument_count() + 1, status)
  if (c_associated(run)) then
    call twomesh_layout(run, type, per, threads, steps)
    call comity_context_create(MPI_COMM_WORLD, context)
    if (every_node_has(type)) then
      call choose_leaders()
      do step = 1, steps
        call take_step()
      end do
      status = twomesh_end(run)
    else
      status = twomesh_refuse(run)
    end if
    call context%free()
  end if
  call MPI_Finalize()
  call end_with(status)

contains

  function every_node_has(type) result(has)
    integer, intent(in) :: type
    logical :: has
    integer :: count, fewest
    call context%count(type, count)
    call MPI_Allreduce(count, fewest, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
    has = fewest > 0
  end function every_node_has

  ! One rank a core, and of those the leaders, whom all ranks know.
  subroutine choose_leaders()
    type(comity_distribution) :: part
    logical, allocatable :: chosen(:)
    integer :: size, rank
    call context%spread(COMITY_CORE)
    call context%distribute(type, per, COMITY_RULE_FILL, part)
    leads = part%selected
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    allocate (chosen(size))
    call MPI_Allgather(leads, 1, MPI_LOGICAL, chosen, 1, MPI_LOGICAL, MPI_COMM_WORLD)
    call twomesh_begin(run, pack([(rank, rank=0, size - 1)], chosen), count(chosen))
  end subroutine choose_leaders

  subroutine take_step()
    double precision :: dt
    logical :: selected
    call comity_region_begin('l0')
    dt = twomesh_gas(run)
    call comity_region_end()
    call comity_region_begin('remap')
    call twomesh_gather(run)
    call comity_region_end()
    call comity_region_begin('l1')
    call context%enter(type, per, 0, selected)
    if (selected .neqv. leads) error stop 'twomesh_fortran: Comity selected other ranks than at the start of the run'
    if (selected) call twomesh_solve(run, dt, merge(threads, omp_get_max_threads(), threads > 0))
    call context%leave()
    call comity_region_end()
    call comity_region_begin('remap')
    call twomesh_scatter(run)
    call comity_region_end()
  end subroutine take_step
end program twomesh_fortran
