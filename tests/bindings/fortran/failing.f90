! SPDX-License-Identifier: BSD-3-Clause
! Ends at a call that fails without ierr.   failing CALL
program failing
  use comity_without_mpi
  implicit none
  type(comity_context) :: context
  type(comity_group) :: group
  character(len=20) :: call
  call get_command_argument(1, call)
  select case (call)
  case ('none')
    call context%pop()
  case ('freed')
    call comity_context_create_local(context)
    call use_a_name_of_a_freed_one()
  case ('range')
    call comity_context_create_local(context)
    call context%push(COMITY_MACHINE, 1)
  case ('group')
    call comity_context_create_local(context)
    call context%quiesce(group)
  case ('region')
    call comity_region_end()
  end select
  print '(a)', 'went on'

contains

  subroutine use_a_name_of_a_freed_one()
    type(comity_context) :: second
    second = context
    call context%free()
    call second%pop()
  end subroutine use_a_name_of_a_freed_one
end program failing
