! SPDX-License-Identifier: BSD-3-Clause
! What these programs expect: a failed expectation says its sentence, and ends the program, and with it the job.
module expecting
  use, intrinsic :: iso_fortran_env, only: error_unit
  use comity_without_mpi
  implicit none

contains

  subroutine expect(holds, sentence)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: sentence
    if (holds) return
    write (error_unit, '(a)') 'expected: ' // sentence
    error stop
  end subroutine expect

  subroutine expect_code(code, wanted, call)
    integer, intent(in) :: code, wanted
    character(len=*), intent(in) :: call
    if (code == wanted) return
    write (error_unit, '(a)') call // ': expected ' // comity_status_name(wanted) // ', it is ' // comity_status_name(code) &
      // ': ' // comity_last_error()
    error stop
  end subroutine expect_code
end module expecting
