  ! Each module has its own: compilers put no other module's procedure in place, and a call of it takes as long as some of C.
  subroutine conclude(status, call, ierr)
    integer(c_int), intent(in) :: status
    character(len=*), intent(in) :: call
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = status
    else if (status /= COMITY_OK) then
      call @end_program@(status, call)
    end if
  end subroutine conclude
