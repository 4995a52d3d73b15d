! SPDX-License-Identifier: BSD-3-Clause
! The loops of calls.c, as a program in Fortran writes them: with ierr, and looking at it.
module calls
  use, intrinsic :: iso_c_binding
  use comity_without_mpi
  implicit none

contains

  subroutine check(code)
    integer, intent(in) :: code
    if (code /= COMITY_OK) error stop 'a call that fails is no figure'
  end subroutine check

  subroutine calls_in_fortran(handle, group_handle, number, calls) bind(C)
    type(c_ptr), value :: handle, group_handle
    integer(c_int), value :: number, calls
    type(comity_context) :: context
    type(comity_group) :: group
    type(comity_cpuset) :: set
    type(comity_distribution) :: part
    type(comity_device) :: device
    character(len=:), allocatable :: text
    integer(c_int64_t), parameter :: extents(2) = 8, box(1) = 3
    integer(c_int32_t), parameter :: cuts(2) = 2
    integer(c_int64_t) :: first(2), extent(2)
    type(comity_cpuset) :: shares(1)
    integer :: ranks(1), count, code, i
    logical :: encloses, selected
    context = comity_context_c2f(handle)
    group = comity_group_c2f(group_handle)
    do i = 1, calls
      select case (number)
      case (1)
        call comity_context_count(context, COMITY_CORE, count, code)
      case (2)
        call context%size(count, code)
      case (3)
        call context%encloses(COMITY_MACHINE, 0, encloses, code)
      case (4)
        call context%cpuset(COMITY_MACHINE, 0, set, code)
      case (5)
        call context%peers_in(COMITY_MACHINE, 0, COMITY_VIEW_LIVE, ranks, count, code)
      case (6)
        call context%distribute(COMITY_MACHINE, 1, COMITY_RULE_FILL, part, code)
      case (7)
        call context%quiesce(ierr=code)
      case (8)
        call comity_region_begin('solve', code)
        call check(code)
        call comity_region_end(code)
      case (9)
        call context%binding_string(COMITY_FORM_LIST, text, code)
      case (10)
        call context%push(COMITY_CORE, 0, code)
        call check(code)
        call context%pop(code)
      case (11)
        call context%assign(COMITY_CORE, 1, COMITY_ASSIGN_PACKED, 1, shares=shares, ierr=code)
      case (12)
        call comity_place_box(2, extents, 1, cuts, box, first, extent, code)
      case (13)
        call context%cpuset_parse(COMITY_CORE, COMITY_NUMBERING_LOGICAL, '0', set, code)
      case (14)
        call context%quiesce(group, ierr=code)
      case (15)
        call context%enter(COMITY_CORE, 1, 0, selected, code)
        call check(code)
        call context%leave(code)
      case (16)
        call context%device(COMITY_NIC, 0, device, code)
      case default
        error stop 'no such case'
      end select
      call check(code)
    end do
  end subroutine calls_in_fortran
end module calls
