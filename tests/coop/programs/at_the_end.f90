! SPDX-License-Identifier: BSD-3-Clause
! at_the_end CASE: rank 0 sends from inside MPI_Finalize, where what it has attached to MPI_COMM_SELF goes first; the others come there when they
! have got it. By Fortran's own calls, which no wrapper of C's sees.
module the_end
  use mpi
contains
  subroutine send_to_all(comm, key, attribute, state, code)
    integer :: comm, key, code, ranks, rank
    integer(kind=MPI_ADDRESS_KIND) :: attribute, state
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
    do rank = 1, ranks - 1
      call MPI_Send(rank, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, code)
    end do
    code = MPI_SUCCESS
  end subroutine send_to_all
end module the_end

program at_the_end
  use the_end
  integer :: me, key, got, code
  integer(kind=MPI_ADDRESS_KIND) :: nothing
  nothing = 0
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, code)
  if (me == 0) then
    print '(a)', 'at_the_end'
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, send_to_all, key, nothing, code)
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, nothing, code)
  else
    call MPI_Recv(got, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    if (got /= me) call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end if
  call MPI_Finalize(code)
  if (me == 0) print '(a)', 'done'
end program at_the_end
