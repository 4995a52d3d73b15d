! SPDX-License-Identifier: BSD-3-Clause
! Written by @generator@ from include/comity/sched*.h: change those.
!> Harts, fibers, tasks and what they wait with, for Fortran: library libcomity_sched, beside libcomity. The reference of each
!> procedure stands above it, as in the C headers; COMITY_OK, the other codes and comity_last_error are in comity_without_mpi.
!>
!> Conventions: those of comity_without_mpi (names, order, ierr, kinds, logicals, texts), but for these
!>  - Procedures are handed over as c_funloc(procedure), data as c_loc(data), and c_null_ptr or c_null_funptr is "null" in the
!>    reference. Such a procedure is bind(C) and of the form of the abstract interface that is named beside it in
!>    comity/sched.h, as comity_sched_work. Behind `argument`, a pointer by value, it may have any variable of the program by
!>    reference: `type(mine), intent(inout) :: argument`.
!>  - It is recursive: several fibers run it at once, each with variables of its own. So is what it calls; a variable that is
!>    initialised where it is declared, or has `save`, is one for all of them.
!>  - It is a procedure of a module: internal ones need a stack that can be executed. It ends in no `stop` and with no error of
!>    its own, but by a code.
!>  - Handles (schedulers, runnables, children) are type(c_ptr). Nothing is freed at the end of a scope: who begins, ends.
!>  - Types with a component `place` begin as zeros. They are `target`, stay where they are, and are not copied.
!>  - ierr where it is absent: the call that fails ends the program, in a fiber as elsewhere.
module comity_sched
  use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_int, c_int32_t, c_int64_t, c_null_char, c_null_funptr, &
    c_null_ptr, c_ptr, c_size_t
  use comity_without_mpi, only: COMITY_OK, comity_conclude
  implicit none
  private

@public@

@constants@

@types@

  abstract interface
@callbacks@
  end interface

  interface
@interfaces@
  end interface

contains
@procedures@

@conclude@
end module comity_sched
