! SPDX-License-Identifier: BSD-3-Clause
! Communicators as `use mpi` has them, integers: what context_test asks, and what is refused.
program integers_test
  use mpi
  use comity
  use expecting
  implicit none
  type(comity_context) :: context, second
  integer :: rank, size, ranks, code, shared, group, cart, i

  call comity_context_create(MPI_COMM_WORLD, context, code)
  call expect_code(code, COMITY_ERR_MPI, 'comity_context_create before MPI_Init')
  call MPI_Init(code)
  call MPI_Comm_size(MPI_COMM_WORLD, size, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call comity_context_create(MPI_COMM_NULL, context, code)
  call expect_code(code, COMITY_ERR_MPI, 'comity_context_create on MPI_COMM_NULL')

  call comity_context_create(MPI_COMM_WORLD, context)
  call comity_context_size(context, ranks)
  call expect(ranks == size, 'a context on an integer communicator')
  call comity_context_create(MPI_COMM_SELF, second)
  call second%size(ranks)
  call expect(ranks == 1, 'a context on MPI_COMM_SELF')

  do i = 1, 150  ! more than there is room for
    call create_in_a_scope()
  end do

  call context%push(COMITY_PACKAGE, mod(rank, 2))
  call comity_context_communicator(context, MPI_COMM_WORLD, COMITY_PACKAGE, shared)
  call MPI_Comm_size(shared, ranks, code)
  call expect(ranks == (size + 1 - mod(rank, 2)) / 2, 'the ranks of a package have a communicator')
  call MPI_Comm_free(shared, code)
  call comity_context_sharers(context, MPI_COMM_WORLD, COMITY_PACKAGE, shared, group)
  call MPI_Group_size(group, ranks, code)
  call expect(ranks == (size + 1 - mod(rank, 2)) / 2, 'the ranks of a package are a group')
  call MPI_Group_free(group, code)
  call MPI_Comm_free(shared, code)
  call context%pop()
  call comity_context_communicator(context, MPI_COMM_WORLD, COMITY_L3, shared, code)
  call expect_code(code, COMITY_ERR_NOT_FOUND, 'comity_context_communicator of caches that are not there')

  call comity_place_cart_create(MPI_COMM_WORLD, 1, [size], cart=cart)
  call MPI_Comm_size(cart, ranks, code)
  call expect(ranks == size, 'a chain of all ranks')
  call MPI_Comm_free(cart, code)
  call comity_place_graph_create(MPI_COMM_WORLD, merge(1_8, 0_8, rank + 1 < size), [rank], [rank + 1], graph=cart)
  call MPI_Comm_size(cart, ranks, code)
  call expect(ranks == size, 'a graph of all ranks')
  call MPI_Comm_free(cart, code)

  call second%free()
  call MPI_Finalize(code)
  call context%free(code)
  call expect_code(code, COMITY_OK, 'comity_context_free after MPI_Finalize')
  call comity_context_create(MPI_COMM_WORLD, context, code)
  call expect_code(code, COMITY_ERR_MPI, 'comity_context_create after MPI_Finalize')

contains

  subroutine create_in_a_scope()
    type(comity_context) :: short_lived
    call comity_context_create(MPI_COMM_SELF, short_lived)
  end subroutine create_in_a_scope
end program integers_test
