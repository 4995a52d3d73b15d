! SPDX-License-Identifier: BSD-3-Clause
! Every subroutine of QUO's module, with what it gives back, also where it fails.
program fortran_test
  use quo
  use mpi
  implicit none
  type(c_ptr) :: q, none
  integer(c_int) :: code, major, minor, number, other, qid, qids, pus
  integer(c_int), allocatable :: list(:)
  integer :: ierr, i, node, size_of_node, rank_in_node, size_of_job
  integer :: failures = 0
  logical :: yes

  call constants()
  call quo_version(major, minor, code)
  call expect(code == QUO_SUCCESS .and. major == 8 .and. minor == 0, "quo_version")
  call MPI_Init(ierr)
  call quo_create_with_flags(q, MPI_COMM_WORLD, int(QUO_CREATE_NO_MT), code)
  call expect(code == QUO_SUCCESS .and. c_associated(q), "quo_create_with_flags")
  call quo_free(q, code)
  call expect(code == QUO_SUCCESS, "quo_free")
  call quo_create_with_flags(none, MPI_COMM_WORLD, 77, code)
  call expect(code == QUO_ERR_INVLD_ARG .and. .not. c_associated(none), "quo_create_with_flags of no flags")
  call quo_create(q, MPI_COMM_WORLD, code)
  call expect(code == QUO_SUCCESS .and. c_associated(q), "quo_create")
  call counts()
  call ranks()
  call bindings()
  call meetings()
  call quo_free(q, code)
  call expect(code == QUO_SUCCESS, "quo_free")
  call MPI_Finalize(ierr)
  if (failures > 0) error stop 1

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print "(2a)", "FAIL: ", what
  end subroutine expect

  ! The numbers of quo.h, which programs have built in.
  subroutine constants()
    call expect(all([QUO_SUCCESS, QUO_SUCCESS_ALREADY_DONE, QUO_ERR, QUO_ERR_SYS, QUO_ERR_OOR, QUO_ERR_INVLD_ARG, &
      QUO_ERR_CALL_BEFORE_INIT, QUO_ERR_TOPO, QUO_ERR_MPI, QUO_ERR_NOT_SUPPORTED, QUO_ERR_POP, QUO_ERR_NOT_FOUND] &
      == [(i, i = 0, 11)]), "codes")
    call expect(all([QUO_OBJ_MACHINE, QUO_OBJ_NUMANODE, QUO_OBJ_PACKAGE, QUO_OBJ_SOCKET, QUO_OBJ_CORE, QUO_OBJ_PU] &
      == [(i, i = 0, 5)]), "types")
    call expect(all([QUO_BIND_PUSH_PROVIDED, QUO_BIND_PUSH_OBJ, QUO_CREATE_NO_FLAGS, QUO_CREATE_NO_MT] == [0, 1, 0, 1]), &
      "policies and flags")
  end subroutine constants

  subroutine counts()
    call quo_npus(q, pus, code)
    call expect(code == QUO_SUCCESS .and. pus >= 1, "quo_npus")
    call quo_nobjs_by_type(q, QUO_OBJ_PU, number, code)
    call expect(code == QUO_SUCCESS .and. number == pus, "quo_nobjs_by_type")
    call quo_nobjs_in_type_by_type(q, QUO_OBJ_MACHINE, 0_c_int, QUO_OBJ_PU, number, code)
    call expect(code == QUO_SUCCESS .and. number == pus, "quo_nobjs_in_type_by_type")
    call quo_nobjs_in_type_by_type(q, QUO_OBJ_MACHINE, 1_c_int, QUO_OBJ_PU, number, code)
    call expect(code == QUO_ERR_INVLD_ARG .and. number == 0, "quo_nobjs_in_type_by_type of no machine")
    call quo_nobjs_by_type(q, QUO_OBJ_CORE, other, code)
    call quo_ncores(q, number, code)
    call expect(code == QUO_SUCCESS .and. number == other .and. number >= 1 .and. number <= pus, "quo_ncores")
    call quo_nobjs_by_type(q, QUO_OBJ_NUMANODE, other, code)
    call quo_nnumanodes(q, number, code)
    call expect(code == QUO_SUCCESS .and. number == other .and. number >= 1, "quo_nnumanodes")
    call quo_nobjs_by_type(q, QUO_OBJ_SOCKET, other, code)
    call quo_nsockets(q, number, code)
    call expect(code == QUO_SUCCESS .and. number == other, "quo_nsockets")
    call quo_nobjs_by_type(q, 99_c_int, number, code)
    call expect(code == QUO_ERR_INVLD_ARG, "quo_nobjs_by_type of no type")
  end subroutine counts

  subroutine ranks()
    call quo_id(q, qid, code)
    call expect(code == QUO_SUCCESS .and. qid >= 0, "quo_id")
    call quo_nqids(q, qids, code)
    call expect(code == QUO_SUCCESS .and. qid < qids, "quo_nqids")
    call quo_nnodes(q, number, code)
    call MPI_Comm_size(MPI_COMM_WORLD, size_of_job, ierr)
    call expect(code == QUO_SUCCESS .and. number >= 1 .and. ((number == 1) .eqv. (qids == size_of_job)), "quo_nnodes")
    call quo_qids_in_type(q, QUO_OBJ_MACHINE, 0_c_int, list, code)
    call expect(code == QUO_SUCCESS .and. size(list) == qids, "quo_qids_in_type")
    call expect(all(list == [(int(i, c_int), i = 0, int(qids) - 1)]), "the list of quo_qids_in_type")
    call quo_qids_in_type(q, QUO_OBJ_MACHINE, 1_c_int, list, code)
    call expect(code == QUO_ERR_INVLD_ARG .and. size(list) == 0, "quo_qids_in_type of no machine")
    call quo_ptr_free(c_null_ptr)
  end subroutine ranks

  subroutine bindings()
    call quo_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, pus - 1_c_int, code)
    call expect(code == QUO_SUCCESS, "quo_bind_push")
    call quo_bound(q, yes, code)
    call expect(code == QUO_SUCCESS .and. (yes .eqv. pus > 1), "quo_bound")
    call quo_cpuset_in_type(q, QUO_OBJ_PU, pus - 1_c_int, yes, code)
    call expect(code == QUO_SUCCESS .and. yes, "quo_cpuset_in_type")
    call quo_cpuset_in_type(q, QUO_OBJ_PU, 0_c_int, yes, code)
    call expect(code == QUO_SUCCESS .and. (yes .eqv. pus == 1), "quo_cpuset_in_type of another PU")
    yes = .true.
    call quo_cpuset_in_type(q, QUO_OBJ_PU, pus, yes, code)
    call expect(code == QUO_ERR_INVLD_ARG .and. .not. yes, "quo_cpuset_in_type of no PU")
    call quo_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, pus, code)
    call expect(code == QUO_ERR_INVLD_ARG, "quo_bind_push of no PU")
    call quo_bound(c_null_ptr, yes, code)
    call expect(code == QUO_ERR_INVLD_ARG .and. .not. yes, "quo_bound of no context")
    call quo_bind_push(q, QUO_BIND_PUSH_OBJ, QUO_OBJ_MACHINE, 0_c_int, code)
    call expect(code == QUO_SUCCESS, "quo_bind_push of what is touched")
    call quo_bound(q, yes, code)
    call expect(code == QUO_SUCCESS .and. .not. yes, "quo_bound on the machine")
    call quo_bind_pop(q, code)
    call quo_bind_pop(q, code)
    call expect(code == QUO_SUCCESS, "quo_bind_pop")
    call quo_bind_pop(q, code)
    call expect(code == QUO_ERR_POP, "quo_bind_pop of nothing")
  end subroutine bindings

  subroutine meetings()
    call quo_barrier(q, code)
    call expect(code == QUO_SUCCESS, "quo_barrier")
    call quo_auto_distrib(q, QUO_OBJ_MACHINE, 1_c_int, yes, code)
    call expect(code == QUO_SUCCESS .and. (yes .eqv. qid == 0), "quo_auto_distrib")
    call quo_auto_distrib(q, QUO_OBJ_MACHINE, 0_c_int, yes, code)
    call expect(code == QUO_ERR_INVLD_ARG .and. .not. yes, "quo_auto_distrib of nobody")
    call quo_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, node, code)
    call expect(code == QUO_SUCCESS, "quo_get_mpi_comm_by_type")
    call MPI_Comm_size(node, size_of_node, ierr)
    call MPI_Comm_rank(node, rank_in_node, ierr)
    call expect(size_of_node == qids .and. rank_in_node == qid, "the communicator of the node")
    call MPI_Comm_free(node, ierr)
    call quo_get_mpi_comm_by_type(q, QUO_OBJ_CORE, node, code)
    call expect(code == QUO_ERR_NOT_SUPPORTED .and. node == MPI_COMM_NULL, "the communicator of cores")
  end subroutine meetings

end program fortran_test
