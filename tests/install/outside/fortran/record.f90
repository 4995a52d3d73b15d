! SPDX-License-Identifier: BSD-3-Clause
! A record that is not there.
program record
  use, intrinsic :: iso_c_binding
  use comity_without_mpi
  use comity_records
  implicit none
  type(c_ptr) :: opened
  integer :: code

  opened = c_null_ptr
  call comity_record_open('no such folder', COMITY_RECORD_WHOLE, opened, code)
  print '(a)', 'record: refused with ' // comity_status_name(code)
end program record
