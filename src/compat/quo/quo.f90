! SPDX-License-Identifier: BSD-3-Clause
! QUO's Fortran interface, version 1.4.1, over libquo. quo.h has the reference of each call; what is different here:
!  - ierr, always the last argument, is the code that C returns;
!  - a communicator is a default integer, as in `use mpi`, and MPI_COMM_NULL where the call fails;
!  - results that are 0 or 1 in C are of type logical, and .false. where the call fails;
!  - qids is allocated to as many ranks as there are, and is yours.
! A context is passed by value: type(c_ptr), C_NULL_PTR where a create fails. Programs get the kinds and types of C from
! this module too. The names of procedures and arguments, and the symbols that GNU's compiler makes of them, are libquo's.
module quo
  use, intrinsic :: iso_c_binding
  implicit none

  ! What every call returns.
  integer(c_int), parameter :: QUO_SUCCESS = 0
  integer(c_int), parameter :: QUO_SUCCESS_ALREADY_DONE = 1
  integer(c_int), parameter :: QUO_ERR = 2
  integer(c_int), parameter :: QUO_ERR_SYS = 3
  integer(c_int), parameter :: QUO_ERR_OOR = 4
  integer(c_int), parameter :: QUO_ERR_INVLD_ARG = 5
  integer(c_int), parameter :: QUO_ERR_CALL_BEFORE_INIT = 6
  integer(c_int), parameter :: QUO_ERR_TOPO = 7
  integer(c_int), parameter :: QUO_ERR_MPI = 8
  integer(c_int), parameter :: QUO_ERR_NOT_SUPPORTED = 9
  integer(c_int), parameter :: QUO_ERR_POP = 10
  integer(c_int), parameter :: QUO_ERR_NOT_FOUND = 11

  ! Kinds of objects.
  integer(c_int), parameter :: QUO_OBJ_MACHINE = 0
  integer(c_int), parameter :: QUO_OBJ_NUMANODE = 1
  integer(c_int), parameter :: QUO_OBJ_PACKAGE = 2
  integer(c_int), parameter :: QUO_OBJ_SOCKET = 3
  integer(c_int), parameter :: QUO_OBJ_CORE = 4
  integer(c_int), parameter :: QUO_OBJ_PU = 5

  ! What quo_bind_push binds to.
  integer(c_int), parameter :: QUO_BIND_PUSH_PROVIDED = 0
  integer(c_int), parameter :: QUO_BIND_PUSH_OBJ = 1

  ! How a context sees the node.
  integer(c_int), parameter :: QUO_CREATE_NO_FLAGS = 0
  integer(c_int), parameter :: QUO_CREATE_NO_MT = 1

  ! inout is what C leaves alone where a call fails, and this module has set before: out would let a compiler drop that.
  interface
    integer(c_int) function quo_version_c(version, subversion) bind(c, name="QUO_version")
      import :: c_int
      integer(c_int), intent(out) :: version, subversion
    end function quo_version_c
    integer(c_int) function quo_create_c(q, comm) bind(c, name="QUO_create_f2c")
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: q
      integer(c_int), value :: comm
    end function quo_create_c
    integer(c_int) function quo_create_with_flags_c(q, comm, flags) bind(c, name="QUO_create_with_flags_f2c")
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: q
      integer(c_int), value :: comm, flags
    end function quo_create_with_flags_c
    integer(c_int) function quo_free_c(q) bind(c, name="QUO_free")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
    end function quo_free_c
    integer(c_int) function quo_nobjs_c(q, kind_of, n) bind(c, name="QUO_nobjs_by_type")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), value :: kind_of
      integer(c_int), intent(out) :: n
    end function quo_nobjs_c
    integer(c_int) function quo_nobjs_in_c(q, outer, place, inner, n) bind(c, name="QUO_nobjs_in_type_by_type")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), value :: outer, place, inner
      integer(c_int), intent(out) :: n
    end function quo_nobjs_in_c
    integer(c_int) function quo_cpuset_in_c(q, kind_of, place, touches) bind(c, name="QUO_cpuset_in_type")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), value :: kind_of, place
      integer(c_int), intent(inout) :: touches
    end function quo_cpuset_in_c
    integer(c_int) function quo_qids_in_c(q, kind_of, place, n, list) bind(c, name="QUO_qids_in_type")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), value :: kind_of, place
      integer(c_int), intent(inout) :: n
      type(c_ptr), intent(inout) :: list
    end function quo_qids_in_c
    integer(c_int) function quo_nnumanodes_c(q, n) bind(c, name="QUO_nnumanodes")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), intent(out) :: n
    end function quo_nnumanodes_c
    integer(c_int) function quo_nsockets_c(q, n) bind(c, name="QUO_nsockets")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), intent(out) :: n
    end function quo_nsockets_c
    integer(c_int) function quo_ncores_c(q, n) bind(c, name="QUO_ncores")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), intent(out) :: n
    end function quo_ncores_c
    integer(c_int) function quo_npus_c(q, n) bind(c, name="QUO_npus")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), intent(out) :: n
    end function quo_npus_c
    integer(c_int) function quo_nnodes_c(q, n) bind(c, name="QUO_nnodes")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), intent(out) :: n
    end function quo_nnodes_c
    integer(c_int) function quo_nqids_c(q, n) bind(c, name="QUO_nqids")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), intent(out) :: n
    end function quo_nqids_c
    integer(c_int) function quo_id_c(q, n) bind(c, name="QUO_id")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), intent(out) :: n
    end function quo_id_c
    integer(c_int) function quo_bound_c(q, is_bound) bind(c, name="QUO_bound")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), intent(inout) :: is_bound
    end function quo_bound_c
    integer(c_int) function quo_push_c(q, policy, kind_of, place) bind(c, name="QUO_bind_push")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), value :: policy, kind_of, place
    end function quo_push_c
    integer(c_int) function quo_pop_c(q) bind(c, name="QUO_bind_pop")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
    end function quo_pop_c
    integer(c_int) function quo_barrier_c(q) bind(c, name="QUO_barrier")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
    end function quo_barrier_c
    integer(c_int) function quo_distrib_c(q, kind_of, most, selected) bind(c, name="QUO_auto_distrib")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), value :: kind_of, most
      integer(c_int), intent(inout) :: selected
    end function quo_distrib_c
    integer(c_int) function quo_comm_c(q, kind_of, comm) bind(c, name="QUO_get_mpi_comm_by_type_f2c")
      import :: c_int, c_ptr
      type(c_ptr), value :: q
      integer(c_int), value :: kind_of
      integer(c_int), intent(out) :: comm
    end function quo_comm_c
    integer(c_int) function quo_ptr_free_c(memory) bind(c, name="QUO_ptr_free")
      import :: c_int, c_ptr
      type(c_ptr), value :: memory
    end function quo_ptr_free_c
  end interface
contains

  subroutine quo_version(version, subversion, ierr)
    integer(c_int), intent(out) :: version, subversion, ierr
    ierr = quo_version_c(version, subversion)
  end subroutine quo_version

  subroutine quo_create(q, comm, ierr)
    type(c_ptr), intent(out) :: q
    integer, value :: comm
    integer(c_int), intent(out) :: ierr
    ierr = quo_create_c(q, comm)
  end subroutine quo_create

  subroutine quo_create_with_flags(q, comm, flags, ierr)
    type(c_ptr), intent(out) :: q
    integer, value :: comm, flags
    integer(c_int), intent(out) :: ierr
    ierr = quo_create_with_flags_c(q, comm, flags)
  end subroutine quo_create_with_flags

  subroutine quo_free(q, ierr)
    type(c_ptr), value :: q
    integer(c_int), intent(out) :: ierr
    ierr = quo_free_c(q)
  end subroutine quo_free

  subroutine quo_nobjs_by_type(q, target_type, out_nobjs, ierr)
    type(c_ptr), value :: q
    integer(c_int), value :: target_type
    integer(c_int), intent(out) :: out_nobjs, ierr
    ierr = quo_nobjs_c(q, target_type, out_nobjs)
  end subroutine quo_nobjs_by_type

  subroutine quo_nobjs_in_type_by_type(q, in_type, type_index, obj_type, oresult, ierr)
    type(c_ptr), value :: q
    integer(c_int), value :: in_type, type_index, obj_type
    integer(c_int), intent(out) :: oresult, ierr
    ierr = quo_nobjs_in_c(q, in_type, type_index, obj_type, oresult)
  end subroutine quo_nobjs_in_type_by_type

  subroutine quo_cpuset_in_type(q, obj_type, type_index, oresult, ierr)
    type(c_ptr), value :: q
    integer(c_int), value :: obj_type, type_index
    logical, intent(out) :: oresult
    integer(c_int), intent(out) :: ierr
    integer(c_int) :: touches
    touches = 0
    ierr = quo_cpuset_in_c(q, obj_type, type_index, touches)
    oresult = touches /= 0
  end subroutine quo_cpuset_in_type

  subroutine quo_qids_in_type(q, obj_type, type_index, qids, ierr)
    type(c_ptr), value :: q
    integer(c_int), value :: obj_type, type_index
    integer(c_int), allocatable, intent(out) :: qids(:)
    integer(c_int), intent(out) :: ierr
    integer(c_int), pointer :: found(:)
    integer :: refused
    integer(c_int) :: n
    type(c_ptr) :: list
    n = 0
    list = c_null_ptr
    ierr = quo_qids_in_c(q, obj_type, type_index, n, list)
    allocate(qids(n), stat=refused)
    if (refused /= 0) then
      ierr = QUO_ERR_OOR
    else if (n > 0) then
      call c_f_pointer(list, found, [n])
      qids(:) = found
    end if
    call quo_ptr_free(list)
  end subroutine quo_qids_in_type

  subroutine quo_nnumanodes(q, n, ierr)
    type(c_ptr), value :: q
    integer(c_int), intent(out) :: n, ierr
    ierr = quo_nnumanodes_c(q, n)
  end subroutine quo_nnumanodes

  subroutine quo_nsockets(q, n, ierr)
    type(c_ptr), value :: q
    integer(c_int), intent(out) :: n, ierr
    ierr = quo_nsockets_c(q, n)
  end subroutine quo_nsockets

  subroutine quo_ncores(q, n, ierr)
    type(c_ptr), value :: q
    integer(c_int), intent(out) :: n, ierr
    ierr = quo_ncores_c(q, n)
  end subroutine quo_ncores

  subroutine quo_npus(q, n, ierr)
    type(c_ptr), value :: q
    integer(c_int), intent(out) :: n, ierr
    ierr = quo_npus_c(q, n)
  end subroutine quo_npus

  subroutine quo_nnodes(q, n, ierr)
    type(c_ptr), value :: q
    integer(c_int), intent(out) :: n, ierr
    ierr = quo_nnodes_c(q, n)
  end subroutine quo_nnodes

  subroutine quo_nqids(q, n, ierr)
    type(c_ptr), value :: q
    integer(c_int), intent(out) :: n, ierr
    ierr = quo_nqids_c(q, n)
  end subroutine quo_nqids

  subroutine quo_id(q, n, ierr)
    type(c_ptr), value :: q
    integer(c_int), intent(out) :: n, ierr
    ierr = quo_id_c(q, n)
  end subroutine quo_id

  subroutine quo_bound(q, bound, ierr)
    type(c_ptr), value :: q
    logical, intent(out) :: bound
    integer(c_int), intent(out) :: ierr
    integer(c_int) :: is_bound
    is_bound = 0
    ierr = quo_bound_c(q, is_bound)
    bound = is_bound /= 0
  end subroutine quo_bound

  subroutine quo_bind_push(q, policy, obj_type, obj_index, ierr)
    type(c_ptr), value :: q
    integer(c_int), value :: policy, obj_type, obj_index
    integer(c_int), intent(out) :: ierr
    ierr = quo_push_c(q, policy, obj_type, obj_index)
  end subroutine quo_bind_push

  subroutine quo_bind_pop(q, ierr)
    type(c_ptr), value :: q
    integer(c_int), intent(out) :: ierr
    ierr = quo_pop_c(q)
  end subroutine quo_bind_pop

  subroutine quo_barrier(q, ierr)
    type(c_ptr), value :: q
    integer(c_int), intent(out) :: ierr
    ierr = quo_barrier_c(q)
  end subroutine quo_barrier

  subroutine quo_auto_distrib(q, distrib_over_this, max_qids_per_res_type, oselected, ierr)
    type(c_ptr), value :: q
    integer(c_int), value :: distrib_over_this, max_qids_per_res_type
    logical, intent(out) :: oselected
    integer(c_int), intent(out) :: ierr
    integer(c_int) :: selected
    selected = 0
    ierr = quo_distrib_c(q, distrib_over_this, max_qids_per_res_type, selected)
    oselected = selected /= 0
  end subroutine quo_auto_distrib

  subroutine quo_get_mpi_comm_by_type(q, target_type, comm, ierr)
    type(c_ptr), value :: q
    integer(c_int), value :: target_type
    integer, intent(out) :: comm
    integer(c_int), intent(out) :: ierr
    ierr = quo_comm_c(q, target_type, comm)
  end subroutine quo_get_mpi_comm_by_type

  ! Frees what C has allocated; null is no harm.
  subroutine quo_ptr_free(cptr)
    type(c_ptr), value :: cptr
    integer(c_int) :: ierr
    ierr = quo_ptr_free_c(cptr)
  end subroutine quo_ptr_free
end module quo
