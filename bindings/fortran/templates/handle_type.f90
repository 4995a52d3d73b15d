  !> A handle; see the conventions above for who owns it.
  type, public :: @handle@
    private
    type(c_ptr) :: handle = c_null_ptr
    logical :: owned = .false.
  contains
    procedure, private :: lend_@handle@
    generic, public :: assignment(=) => lend_@handle@
    final :: finalize_@handle@
@bound@
  end type @handle@
