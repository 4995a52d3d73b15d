! SPDX-License-Identifier: BSD-3-Clause
! What topologies.cpp does first, from Fortran, by the way that the macro names: MPIF, MPI or F08. A chain of ranks that sit on two
! packages in turn is in a good order where packages change once.
!   topologies on|off     whether a grid is expected to be reordered
program topologies
#if defined(MPI)
  use mpi
#elif defined(F08)
  use mpi_f08
#endif
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
  interface
    integer(c_int) function setenv(name, value, overwrite) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(c_int), value :: overwrite
    end function
  end interface
  integer, parameter :: cores_of_package = 8  ! as the environment of this test describes it
  integer :: me, ranks, code, failures = 0
  character(len=8) :: word
  logical :: expected
#ifdef F08
  type(MPI_Comm) :: made
#else
  integer :: made
#endif

  call get_command_argument(1, word)
  expected = word == 'on'
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call sit_down()
  call grid(.true.)
  call grid(.false.)
  call graph()
  call graph_of_neighbours()
  if (failures == 0) print '(a, i0, a)', 'rank ', me, ': fine'
  call MPI_Finalize(code)
  if (failures /= 0) error stop 1
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(a, i0, 2a)', 'FAIL: rank ', me, ': ', what
  end subroutine

  subroutine sit_down()
    character(len=12) :: core
    write (core, '(i0)') modulo(me, 2) * cores_of_package + modulo(me / 2, cores_of_package)
    call expect(setenv('COMITY_MACHINE_BINDING' // c_null_char, trim(core) // c_null_char, 1_c_int) == 0, 'a binding')
  end subroutine

  ! Of the communicator that was made last.
  integer function place()
    call MPI_Comm_rank(made, place, code)
  end function

  subroutine expect_order(reordered, what)
    logical, intent(in) :: reordered
    character(len=*), intent(in) :: what
    integer :: members(ranks)
    call MPI_Allgather(me, 1, MPI_INTEGER, members, 1, MPI_INTEGER, made, code)
    associate (steps => members(2:) - members(:ranks - 1))
      if (reordered) then
        call expect(count(modulo(steps, 2) /= 0) <= 1, what // ': packages change more than once')
      else
        call expect(all(steps > 0), what // ': the order has changed')
      end if
    end associate
  end subroutine

  subroutine grid(reorder)
    logical, intent(in) :: reorder
    integer :: before, behind, last(3), extents(3)
    logical :: open(3), told(3)
    open = .false.
    call MPI_Cart_create(MPI_COMM_WORLD, 3, [1, ranks, 1], open, reorder, made, code)
    call expect(code == MPI_SUCCESS, 'MPI_Cart_create')
    call expect_order(reorder .and. expected, 'a grid')
    call MPI_Cart_shift(made, 1, 1, before, behind, code)
    call expect(behind == merge(place() + 1, MPI_PROC_NULL, place() + 1 < ranks), 'a grid''s neighbour')
    call MPI_Cart_get(made, 3, extents, told, last, code)
    call expect(last(2) == place() .and. extents(2) == ranks .and. .not. any(told), 'what a grid tells of itself')
    call MPI_Comm_free(made, code)
  end subroutine

  function beside(rank) result(all)
    integer, intent(in) :: rank
    integer, allocatable :: all(:)
    all = pack([rank + 1, rank - 1], [rank + 1 < ranks, rank > 0])
  end function

  subroutine graph()
    integer :: ends(ranks), found(2), rank, how_many
    integer, allocatable :: edges(:), wanted(:)
    edges = [integer ::]
    do rank = 0, ranks - 1
      edges = [edges, beside(rank)]
      ends(rank + 1) = size(edges)
    end do
    call MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, .true., made, code)
    call expect_order(expected, 'a graph')
    wanted = beside(place())
    call MPI_Graph_neighbors_count(made, place(), how_many, code)
    call expect(how_many == size(wanted), 'how many neighbours a node has')
    call MPI_Graph_neighbors(made, place(), how_many, found, code)
    call expect(all(found(:how_many) == wanted), 'a node''s neighbours')
    call MPI_Comm_free(made, code)
  end subroutine

  ! Without weights, as Fortran says it, which is no address that C has.
  subroutine graph_of_neighbours()
    integer, allocatable :: mine(:), wanted(:)
    integer :: before, behind, sources(2), destinations(2), weights(2)
    logical :: weighted
    if (.not. expected) return  ! Open MPI reorders these by itself, not always with the right neighbours
    mine = beside(me)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size(mine), mine, MPI_UNWEIGHTED, size(mine), mine, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .true., made, code)
    call expect_order(.true., 'a graph of neighbours')
    wanted = beside(place())
    call MPI_Dist_graph_neighbors_count(made, before, behind, weighted, code)
    call expect(before == size(wanted) .and. behind == size(wanted) .and. .not. weighted, 'how many neighbours a place has')
    call MPI_Dist_graph_neighbors(made, before, sources, weights, behind, destinations, weights, code)
    call expect(all(sources(:before) == wanted) .and. all(destinations(:behind) == wanted), 'a place''s neighbours')
    call MPI_Comm_free(made, code)
  end subroutine
end program
