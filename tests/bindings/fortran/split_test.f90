! SPDX-License-Identifier: BSD-3-Clause
! Pieces for ranks and threads, a thread that is bound alone, and lists of objects, on two packages of two cores of two PUs.
program split_test
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use comity
  use expecting
  implicit none
  type(comity_context) :: context
  integer :: rank, size

  call MPI_Init()
  call comity_context_create(MPI_COMM_WORLD, context)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call ranks_split_level_by_level()
  call members_get_pieces()
  call a_thread_is_bound_alone()
  call objects_are_listed()
  call context%free()
  call MPI_Finalize()

contains

  subroutine expect_binding(wanted, what)
    character(len=*), intent(in) :: wanted, what
    character(len=:), allocatable :: text
    call context%binding_string(COMITY_FORM_LIST, text)
    call expect(text == wanted, what // ': bound to ' // text // ', and not ' // wanted)
  end subroutine expect_binding

  subroutine ranks_split_level_by_level()
    type(comity_group) :: sharers, few
    character(len=3) :: package, core
    integer :: half, quarter, mine, all, code
    half = merge(rank * 2 / size, rank, size > 2)
    write (package, '(i1, "-", i1)') 4 * half, 4 * half + 3
    call context%split(COMITY_PACKAGE, 2, COMITY_ASSIGN_PACKED, group=sharers)
    call expect_binding(package, 'a package each')
    call sharers%rank(mine, all)
    quarter = mod(mine, 2)
    write (core, '(i1, "-", i1)') 4 * half + 2 * quarter, 4 * half + 2 * quarter + 1
    call comity_context_split(context, COMITY_CORE, 0, COMITY_ASSIGN_SPREAD, sharers, few)
    call expect_binding(core, 'a core each')
    call context%pop()
    call expect_binding(package, 'back on the package')
    call context%pop()
    call context%split(COMITY_PACKAGE, 3, COMITY_ASSIGN_PACKED, group=few, ierr=code)
    call expect_code(code, COMITY_ERR_RANGE, 'three pieces of two packages')
    call expect_binding('0-7', 'nothing was pushed')
  end subroutine ranks_split_level_by_level

  subroutine members_get_pieces()
    type(comity_cpuset) :: shares(2), places(2), whole
    integer :: code
    call context%assign(COMITY_CORE, 0, COMITY_ASSIGN_SPREAD, 2, shares=shares)
    call expect(shares(1)%words(0) == 3 .and. shares(2)%words(0) == 48, 'cores 0 and 2')
    whole = shares(2)
    call context%assign(COMITY_PU, 2, COMITY_ASSIGN_PACKED, 2, whole, shares=shares)
    call expect(shares(1)%words(0) == 16 .and. shares(2)%words(0) == 32, 'its PUs')
    places(1)%words(0) = 128
    places(2)%words(0) = 1
    call context%assign(COMITY_PACKAGE, 0, COMITY_ASSIGN_CLOSE, 2, places=places, shares=shares)
    call expect(shares(1)%words(0) == 240 .and. shares(2)%words(0) == 15, 'the packages that they are on')
    call context%assign(COMITY_PACKAGE, 0, COMITY_ASSIGN_CLOSE, 2, shares=shares, ierr=code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'close to no places')
  end subroutine members_get_pieces

  subroutine a_thread_is_bound_alone()
    type(comity_thread_scope) :: scope
    type(comity_cpuset) :: set
    integer :: code
    call context%release_thread(scope, code)
    call expect_code(code, COMITY_ERR_ORDER, 'a scope that never began')
    call context%cpuset(COMITY_CORE, 1, set)
    call context%bind_thread(set, scope)
    call expect(scope%before%words(0) == 255 .and. scope%thread /= 0, 'what it had')
    call context%release_thread(scope)
    call expect(scope%thread == 0, 'the scope has ended')
  end subroutine a_thread_is_bound_alone

  subroutine objects_are_listed()
    type(comity_cpuset) :: set
    character(len=:), allocatable :: text
    integer :: code
    call context%cpuset_parse(COMITY_CORE, COMITY_NUMBERING_LOGICAL, '0,2-3', set)
    call expect(set%words(0) == 243, 'PUs of three cores')
    call context%cpuset_string(COMITY_PU, COMITY_NUMBERING_PHYSICAL, set, text)
    call expect(text == '0-1,4-7' .and. len(text) == 7, 'their numbers: ' // text)
    call context%cpuset_parse(COMITY_PU, COMITY_NUMBERING_LOGICAL, '1-2,4-7', set)
    call context%cpuset_string(COMITY_PU, COMITY_NUMBERING_LOGICAL, set, text)
    call expect(text == '1-2,4-7', 'another text of the same length: ' // text)
    call context%cpuset_string(COMITY_PACKAGE, COMITY_NUMBERING_LOGICAL, text=text)
    call expect(text == '0-1', 'packages of the binding: ' // text)
    call context%cpuset_parse(COMITY_CORE, COMITY_NUMBERING_LOGICAL, '4', set, code)
    call expect_code(code, COMITY_ERR_RANGE, 'a core too many')
  end subroutine objects_are_listed
end program split_test
