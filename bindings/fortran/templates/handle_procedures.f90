
  !> The C handle of a Fortran variable, for a library in C or C++; Fortran keeps what it owns.
  !>  @param @word@ [handle].
  !>  @return a @handle@* of C; null where the variable holds none.
  !>  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none.
  pure function @handle@_f2c(@word@) result(handle)
    class(@handle@), intent(in) :: @word@
    type(c_ptr) :: handle
    handle = @word@%handle
  end function @handle@_f2c

  !> The Fortran form of a C handle; whoever owned it still does.
  !>  @param handle [C handle] a @handle@* of C, or null.
  !>  @return a variable that owns nothing.
  !>  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none.
  function @handle@_c2f(handle) result(@word@)
    type(c_ptr), intent(in) :: handle
    type(@handle@) :: @word@
    @word@%handle = handle
  end function @handle@_c2f

  !> Take over a C handle that its owner gives away: from here on this variable frees it. What it owned before is freed.
  !>  @param @word@ [handle, out].   @param handle [C handle] a @handle@* of C, or null.
  !>  @return nothing.
  !>  Call from: any thread. Blocks: no. Collective: no. Owns: takes it. Since: 0.1. Source: none.
  subroutine @handle@_adopt(@word@, handle)
    class(@handle@), intent(inout) :: @word@
    type(c_ptr), intent(in) :: handle
    if (.not. c_associated(@word@%handle, handle)) call let_go_of_@handle@(@word@)
    @word@%handle = handle
    @word@%owned = c_associated(handle)
  end subroutine @handle@_adopt

  !> Frees what it owns; a failure has nobody to be told to.
  impure elemental subroutine let_go_of_@handle@(@word@)
    class(@handle@), intent(inout) :: @word@
    integer(c_int) :: status
    if (@word@%owned) status = c_@handle@_free(@word@%handle)
    @word@%handle = c_null_ptr
    @word@%owned = .false.
  end subroutine let_go_of_@handle@

  impure elemental subroutine finalize_@handle@(@word@)
    type(@handle@), intent(inout) :: @word@
    call let_go_of_@handle@(@word@)
  end subroutine finalize_@handle@

  impure elemental subroutine lend_@handle@(to, from)
    class(@handle@), intent(inout) :: to
    type(@handle@), intent(in) :: from
    if (c_associated(to%handle, from%handle)) return
    call let_go_of_@handle@(to)
    to%handle = from%handle
  end subroutine lend_@handle@
