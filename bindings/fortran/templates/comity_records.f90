! SPDX-License-Identifier: BSD-3-Clause
! Written by @generator@ from include/comity/record.h: change that.
!> Records of runs, read from Fortran: library libcomity_record, beside libcomity. The reference of each procedure stands above
!> it, as in the C header; COMITY_OK, the other codes, comity_last_error and comity_text_at are in comity_without_mpi. The
!> module is not called comity_record, for that is the name of a type of C.
!>
!> Conventions: those of comity_without_mpi (names, order, ierr, kinds, texts that go in), but for these
!>  - A record that is open is a type(c_ptr); it is closed by comity_record_close, and not at the end of a scope.
!>  - What the library shows is read through pointers of Fortran, and stays the library's: it is not changed, and is there as
!>    long as its reference says.
!>  - What its components point to is C's: c_f_pointer(job%entries, entries, [job%entry_count]) makes an array of it, of which
!>    the first element is 1; where the count is 0 the pointer may be null. A text is comity_text_at(fact%key).
module comity_records
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_int, c_int32_t, c_int64_t, c_loc, c_null_char, &
    c_null_ptr, c_ptr
  use comity_without_mpi, only: COMITY_OK, comity_conclude
  implicit none
  private

@public@

@constants@

@types@

  interface
@interfaces@
  end interface

contains
@procedures@

@conclude@
end module comity_records
