! SPDX-License-Identifier: BSD-3-Clause
! Written by @generator@ from include/comity/*.h: change those.
!> Comity for Fortran, all but communicators; module `comity` adds them. The reference of each procedure stands above it, as
!> in the C headers.
!>
!> Conventions
!>  - Procedures have the names of C, and the arguments of C in their order, but for those that a Fortran argument knows by
!>    itself (the room in an array or a text). Calls on a context or group are type-bound too:
!>    `call comity_context_push(context, COMITY_NUMA, 0)` is `call context%push(COMITY_NUMA, 0)`.
!>  - ierr, the last argument, may be absent, as MPI's. With it a call that fails gives its code there, and comity_last_error()
!>    has the sentence; without it a call that fails writes the sentence to standard error and ends the program with
!>    `error stop`. Results are untouched on failure (so they are intent(inout), which keeps what was there).
!>  - Kinds: counts, indices, ranks and flags are integer(c_int32_t), codes and enumerations integer(c_int); both are the
!>    default integer of compilers, unless they are told otherwise (-fdefault-integer-8). Bytes, nanoseconds and ids are
!>    integer(c_int64_t). Numbers that C has without a sign keep their bits: an id may look negative. What is 0 or 1 in C is
!>    a default logical. Objects, ranks and PUs are counted from 0.
!>  - Texts come without a zero byte; trailing blanks of a text that goes in do not count.
!>  - A variable that was created (or adopted) owns its context: the context is freed when the variable is freed, created
!>    anew, assigned to, deallocated, or at the end of its scope; a variable of the main program or with `save` lives to the end of
!>    the program, so free it. A copy (assignment, comity_context_c2f) is a second name and owns nothing; do not use it after the
!>    owner is gone (COMITY_ERR_HANDLE tells). The same holds for groups. "null" in the reference is a variable that holds none.
module comity_without_mpi
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_funloc, c_funptr, c_int, c_int16_t, &
    c_int32_t, c_int64_t, c_loc, c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t
  implicit none
  private

@public@
  public :: comity_conclude, comity_text_at

@constants@

@types@

@handle_types@

  abstract interface
@callbacks@
  end interface

  interface
    pure function c_strlen(text) bind(C, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
@interfaces@
  end interface

contains
@procedures@
@handle_procedures@

  !> End a call as all calls here end: for modules that extend this one, as `comity` does.
  !>  @param status [code] of the call.   @param call [string, in] its name.   @param ierr [code, out] gets the status; where it
  !>  is absent, a status other than COMITY_OK ends the program.
  !>  @return nothing.
  !>  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none.
  subroutine comity_conclude(status, call, ierr)
    integer(c_int), intent(in) :: status
    character(len=*), intent(in) :: call
    integer, intent(out), optional :: ierr
    call conclude(status, call, ierr)
  end subroutine comity_conclude

  !> The text at an address of C, as callbacks and structs of C hand it over.
  !>  @param address [pointer, in] of bytes up to one of zero; c_null_ptr: an empty text.
  !>  @return the text.
  !>  Call from: any thread. Blocks: no. Collective: no. Owns: a copy. Since: 0.1. Source: none.
  function comity_text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer(c_size_t) :: length
    integer :: refused
    length = 0
    if (c_associated(address)) length = c_strlen(address)
    allocate (character(len=length) :: text, stat=refused)
    if (refused /= 0) error stop 'comity: there is no memory for a text'
    if (length == 0) return
    call c_f_pointer(address, letters, [length])
    call copy_field(int(length), letters, text)
  end function comity_text_at

@conclude@

  subroutine end_program(status, call)
    integer(c_int), intent(in) :: status
    character(len=*), intent(in) :: call
    character(len=2200) :: sentence  ! longer than the longest last error
    sentence = call // ' failed: ' // comity_status_name(status) // ': ' // comity_last_error()
    error stop sentence(:len_trim(sentence))
  end subroutine end_program

  !> COMITY_OK, or COMITY_ERR_HANDLE with a sentence where an argument that is there holds nothing.
  function require(handle, call, argument) result(status)
    type(c_ptr), intent(in) :: handle
    character(len=*), intent(in) :: call, argument
    integer(c_int) :: status
    status = COMITY_OK
    if (c_associated(handle)) return
    status = COMITY_ERR_HANDLE
    call comity_report_failure(call // ': the ' // argument // ' is there but holds none; leave the argument out, or give ' &
      // 'one that was made')
  end function require

  function no_memory(call) result(status)
    character(len=*), intent(in) :: call
    integer(c_int) :: status
    call comity_report_failure(call // ': there is no memory for the text')
    status = COMITY_ERR_MEMORY
  end function no_memory

  !> Whether a text has the length, and a few letters.
  pure function is_as_short(text, length) result(is)
    character(len=:), allocatable, intent(in) :: text
    integer(c_size_t), intent(in) :: length
    logical :: is
    is = .false.
    if (allocated(text) .and. length <= 16) is = len(text, kind=c_size_t) == length
  end function is_as_short

  !> The memory of a text of the same length stays.
  subroutine take_text(letters, text, status)
    character(kind=c_char, len=*), intent(in) :: letters
    character(len=:), allocatable, intent(inout) :: text
    integer(c_int), intent(inout) :: status
    integer :: refused
    refused = 0
    if (allocated(text)) then
      if (len(text) /= len(letters)) deallocate (text)
    end if
    if (.not. allocated(text)) allocate (character(len=len(letters)) :: text, stat=refused)
    if (refused == 0) then
      text(:) = letters
    else
      status = no_memory('a text')
    end if
  end subroutine take_text

  !> A text of a struct, which zeros fill up: letter for letter, each zero a blank. Without an early end a compiler takes
  !>  many letters at a time.
  pure subroutine copy_field(length, from, to)
    integer, intent(in) :: length
    character(kind=c_char), intent(in) :: from(length)
    character(kind=c_char), intent(out) :: to(length)
    integer :: i
    do i = 1, length
      to(i) = merge(' ', from(i), from(i) == c_null_char)
    end do
  end subroutine copy_field
end module comity_without_mpi
