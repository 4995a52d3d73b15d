! SPDX-License-Identifier: BSD-3-Clause
! A context on a communicator of mpi_f08, on a made-up node of two packages of two cores of two PUs: queries and the stack.
program context_test
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use comity
  use expecting
  implicit none
  type(comity_context) :: context
  integer :: rank, size

  call MPI_Init()
  call comity_context_create(MPI_COMM_WORLD, context)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call the_ranks_are_the_communicators()
  call the_launcher_tells_who_lives()
  call the_machine_is_counted()
  call a_push_binds_and_a_pop_undoes()
  call a_refused_push_changes_nothing()
  call peers_are_listed()
  call views_of_a_core_can_be_chosen()
  call a_communicator_is_divided()
  call a_grid_and_a_graph_are_ordered()
  call a_graph_is_ordered_without_mpi()
  call the_objective_is_chosen()
  call boxes_are_cut_and_found()
  call a_binding_can_be_kept()
  call comity_context_free(context)
  call MPI_Finalize()

contains

  subroutine the_ranks_are_the_communicators()
    integer :: mine, all, nodes
    integer(c_int64_t) :: id, first
    call context%rank(mine)
    call context%size(all)
    call context%node_count(nodes)
    call expect(mine == rank .and. all == size .and. nodes == 1, 'the ranks of the context are those of the communicator')
    call context%node_id(id)
    first = id
    call MPI_Bcast(first, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    call expect(id == first .and. id /= 0, 'the ranks of a node have one number')
  end subroutine the_ranks_are_the_communicators

  subroutine the_launcher_tells_who_lives()
    integer :: ranks(size), live, started, i
    integer(c_int64_t) :: key, first
    call comity_launched_ranks(ranks, live, started)
    call expect(live == size .and. started == size, 'all that were started live')
    call expect(all(ranks == [(i, i=0, size - 1)]), 'each of them is named')
    call comity_launched_ranks(count=live, started=started)
    call expect(live == size, 'without an array they are counted')
    call comity_node_key(key)
    first = key
    call MPI_Bcast(first, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    call expect(key == first .and. key /= 0, 'processes of a node have one key')
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine the_launcher_tells_who_lives

  subroutine the_machine_is_counted()
    type(comity_cpuset) :: set
    integer :: count, within, near, i
    integer :: wanted(4) = [1, 2, 4, 8]
    integer :: types(4) = [COMITY_MACHINE, COMITY_PACKAGE, COMITY_CORE, COMITY_PU]
    logical :: covers
    do i = 1, 4
      call comity_context_count(context, types(i), count)
      call expect(count == wanted(i), 'counts of the machine')
    end do
    call context%count_within(COMITY_PU, COMITY_PACKAGE, 1, within)
    call expect(within == 4, 'PUs within a package')
    call context%cpuset(COMITY_PACKAGE, 1, set)
    call expect(set%words(0) == 240, 'PUs of the second package')
    set%words(0) = 32
    call context%closest(COMITY_CORE, set, near, covers)
    call expect(near == 2 .and. covers, 'the core of a PU')
    set%words(0) = 2 + 4 + 8
    call context%closest(COMITY_CORE, set, near, covers)
    call expect(near == 1 .and. .not. covers, 'the core that shares most')
    call context%closest(COMITY_CORE, set, near)
    call expect(near == 1, 'the same without the second result')
  end subroutine the_machine_is_counted

  subroutine a_push_binds_and_a_pop_undoes()
    type(comity_cpuset) :: set
    character(len=:), allocatable :: before, text
    integer :: cores, pus, depth, first, touched(4)
    logical :: is
    call context%binding_string(COMITY_FORM_LIST, before)
    call context%push(COMITY_PACKAGE, 1)
    call context%depth(first)
    call context%binding_string(COMITY_FORM_LIST, text)
    call expect(text == '4-7' .and. first == 1, 'bound to the second package: ' // text)
    call context%binding_string(COMITY_FORM_HEX, text)
    call expect(text == '0xf0', 'its mask: ' // text)
    call context%width(cores, pus)
    call expect(cores == 2 .and. pus == 4, 'two cores, four PUs')
    call context%width(pus=pus)
    call context%is_bound(is)
    call expect(is, 'it is bound')
    call context%encloses(COMITY_PACKAGE, 1, is)
    call expect(is, 'the second package encloses it')
    call context%encloses(COMITY_PACKAGE, 0, is)
    call expect(.not. is, 'the first one does not')
    call context%intersects(COMITY_PACKAGE, 0, is)
    call expect(.not. is, 'nor does it intersect')
    call context%touched(COMITY_CORE, touched, cores)
    call expect(cores == 2 .and. all(touched(:2) == [2, 3]), 'it touches the cores of the second package')
    set%words(0) = 64
    call context%push_cpuset(set)
    call context%push_nearest(COMITY_CORE)
    call context%binding(set)
    call expect(set%words(0) == 192, 'bound to the core around a PU')
    call context%depth(depth)
    call expect(depth == 3, 'three entries')
    call context%pop()
    call context%pop()
    call context%pop()
    call context%binding_string(COMITY_FORM_LIST, text)
    call expect(text == before, 'bound as before: ' // text)
  end subroutine a_push_binds_and_a_pop_undoes

  subroutine a_refused_push_changes_nothing()
    integer :: code, depth
    call context%push(COMITY_PACKAGE, 2, code)
    call expect_code(code, COMITY_ERR_RANGE, 'a push to a package that is not there')
    call expect(index(comity_last_error(), '2') > 0, 'the sentence names the index: ' // comity_last_error())
    call context%push(77, 0, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'a push to no kind')
    call context%pop(code)
    call expect_code(code, COMITY_ERR_ORDER, 'a pop without a push')
    call context%depth(depth)
    call expect(depth == 0, 'nothing stands on the stack')
  end subroutine a_refused_push_changes_nothing

  subroutine peers_are_listed()
    integer, allocatable :: ranks(:)
    integer :: wanted, count, code, told_by, i
    type(comity_cpuset) :: set
    character(len=:), allocatable :: list
    call context%push(COMITY_PACKAGE, mod(rank, 2))
    call context%refresh()
    wanted = (size + 1) / 2
    call context%peers_in(COMITY_PACKAGE, 0, COMITY_VIEW_PUBLISHED, count=count)
    call expect(count == wanted, 'the even ranks are counted')
    allocate (ranks(size), source=-1)
    call context%peers_in(COMITY_PACKAGE, 0, COMITY_VIEW_LIVE, ranks, count)
    call expect(count == wanted .and. all(ranks(:count) == [(2 * i, i=0, count - 1)]), 'the even ranks are listed')
    call context%peers_in(COMITY_PACKAGE, 0, COMITY_VIEW_LIVE, ranks(:0), count, code)
    call expect(code == COMITY_OK .and. count == wanted, 'no room only counts')
    if (wanted > 1) then
      call context%peers_in(COMITY_PACKAGE, 0, COMITY_VIEW_LIVE, ranks(:1), count, code)
      call expect(code == COMITY_ERR_RANGE .and. count == wanted, 'too little room is told, with the count')
    end if
    call context%peer_binding(0, COMITY_VIEW_PUBLISHED, set, told_by)
    call comity_cpuset_string(set, COMITY_FORM_LIST, list)
    call expect(list == '0-3' .and. told_by == COMITY_TOLD_BY_TABLE, 'the table tells of a rank: ' // list)
    call context%peer_binding(0, COMITY_VIEW_LIVE, told_by=told_by)
    call expect(told_by == COMITY_TOLD_BY_RANK, 'no kernel tells of a made-up node')
    call context%peer_binding(size, COMITY_VIEW_LIVE, ierr=code)
    call expect_code(code, COMITY_ERR_RANGE, 'a rank that is not there')
    call MPI_Barrier(MPI_COMM_WORLD)
    call context%pop()
    call context%refresh()
    call context%spread(COMITY_CORE)
    call context%refresh()
    call context%peers_in(COMITY_CORE, mod(rank, 4), COMITY_VIEW_PUBLISHED, count=count)
    call expect(count == (size - mod(rank, 4) + 3) / 4, 'ranks are spread over the cores in turn')
    call context%pop()
    call context%refresh()
  end subroutine peers_are_listed

  subroutine views_of_a_core_can_be_chosen()
    integer :: smt, pus
    call context%set_smt(COMITY_SMT_ONE)
    call context%smt(smt)
    call context%count(COMITY_PU, pus)
    call expect(smt == COMITY_SMT_ONE .and. pus == 4, 'one PU a core is seen')
    call context%set_smt(COMITY_SMT_ALL)
  end subroutine views_of_a_core_can_be_chosen

  subroutine a_communicator_is_divided()
    type(MPI_Comm) :: shared
    type(MPI_Group) :: group
    integer :: ranks
    call context%push(COMITY_PACKAGE, mod(rank, 2))
    call comity_context_communicator(context, MPI_COMM_WORLD, COMITY_PACKAGE, shared)
    call MPI_Comm_size(shared, ranks)
    call expect(ranks == (size + 1 - mod(rank, 2)) / 2, 'the ranks of a package have a communicator')
    call MPI_Comm_free(shared)
    call context%pop()
    call comity_context_communicator(context, MPI_COMM_WORLD, COMITY_PACKAGE, shared)
    call expect(shared == MPI_COMM_NULL, 'nobody is inside one package')
    call comity_context_sharers(context, MPI_COMM_WORLD, COMITY_MACHINE, shared, group)
    call MPI_Group_size(group, ranks)
    call expect(ranks == size, 'all ranks share the machine')
    call MPI_Comm_size(shared, ranks)
    call expect(ranks == size, 'the duplicate has all ranks')
    call MPI_Group_free(group)
    call MPI_Comm_free(shared)
  end subroutine a_communicator_is_divided

  ! Ranks sit on the two packages in turn, and are a chain.
  subroutine a_grid_and_a_graph_are_ordered()
    type(MPI_Comm) :: cart, graph
    type(comity_place_seat) :: seat, seats(2)
    integer :: mine, code, next
    integer(c_int32_t) :: order(2)
    call context%push(COMITY_CORE, 2 * mod(rank, 2))
    call context%seat(seat)
    call expect(seat%package == mod(rank, 2) .and. seat%position == 4 * mod(rank, 2) .and. seat%l2 == -1, 'my seat')
    call comity_place_cart_create(MPI_COMM_WORLD, 2, [1, size], cart=cart)
    call expect(changes_of_package(cart) <= 1, 'a grid stays in a package as long as it can')
    call MPI_Comm_free(cart)
    call comity_place_cart_create(MPI_COMM_WORLD, 1, [size], [.true.], [7_c_int64_t], COMITY_PLACE_SUM, cart)
    call MPI_Comm_rank(cart, mine)
    call MPI_Cart_shift(cart, 0, 1, code, next)
    call expect(next == mod(mine + 1, size), 'it closes to a ring')
    call MPI_Comm_free(cart)
    call comity_place_graph_create(MPI_COMM_WORLD, merge(1_c_int64_t, 0_c_int64_t, rank + 1 < size), [rank], [rank + 1], &
                                   graph=graph)
    call expect(changes_of_package(graph) <= 1, 'so does a graph')
    call MPI_Comm_free(graph)
    call comity_place_cart_create(MPI_COMM_WORLD, 0, [size], cart=cart, ierr=code)
    call expect_code(code, COMITY_ERR_RANGE, 'a grid without dimensions')
    call comity_place_cart_create(MPI_COMM_WORLD, 1, [size], objective=3, cart=cart, ierr=code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'a grid with no such objective')
    call comity_place_graph_create(MPI_COMM_WORLD, 0_c_int64_t, [rank], [rank], objective=3, graph=graph, ierr=code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'a graph with no such objective')
    call context%pop()
    seats%node = [1, 2]
    call comity_place_grid(2, seats, 1, [2], new_ranks=order)
    call expect(all(order == [0, 1]), 'an order without MPI')
  end subroutine a_grid_and_a_graph_are_ordered

  ! Processes of two nodes in turn, in a chain whose middle weighs most.
  subroutine a_graph_is_ordered_without_mpi()
    type(comity_place_seat) :: seats(4)
    type(comity_place_figures) :: found
    integer(c_int32_t), parameter :: from(3) = [0, 1, 2], to(3) = [1, 2, 3]
    integer(c_int32_t) :: order(4)
    integer(c_int64_t) :: by_rank(0:3)
    integer :: code
    seats%node = [1, 2, 1, 2]
    call comity_place_graph(4, seats, 3_c_int64_t, from, to, new_ranks=order)
    by_rank(order) = seats%node
    call expect(count(by_rank(1:) /= by_rank(:2)) == 1, 'a chain crosses the nodes once')
    call comity_place_found(0, found)
    call expect(found%sum == 1 .and. found%bound_sum == 1 .and. found%gap_sum == 0, 'no order has less')
    call expect(found%before_sum == 3 .and. found%type == COMITY_MACHINE, 'the order before crossed them three times')
    call comity_place_graph(4, seats, 3_c_int64_t, from, to, [1_c_int64_t, 9_c_int64_t, 1_c_int64_t], new_ranks=order)
    by_rank(order) = seats%node
    call expect(by_rank(1) == by_rank(2), 'the heaviest edge stays on a node')
    call comity_place_graph(4, seats, 1_c_int64_t, [2], [2], new_ranks=order, ierr=code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'an edge from a rank to itself')
  end subroutine a_graph_is_ordered_without_mpi

  ! Together 0 and 1 leave the least between nodes, and one node most of that.
  subroutine the_objective_is_chosen()
    type(comity_place_seat) :: seats(6)
    integer(c_int32_t), parameter :: from(5) = [0, 0, 0, 1, 1], to(5) = [1, 2, 3, 4, 5]
    integer(c_int64_t), parameter :: weights(5) = [7, 3, 3, 3, 3]
    integer(c_int32_t) :: order(6)
    integer(c_int64_t) :: by_rank(0:5)
    seats%node = [1, 2, 3, 1, 2, 3]
    seats%package = -1
    seats%numa = -1
    seats%l3 = -1
    seats%l2 = -1
    call comity_place_graph(6, seats, 5_c_int64_t, from, to, weights, new_ranks=order)
    by_rank(order) = seats%node
    call expect(by_rank(0) /= by_rank(1), 'the worst node, where nothing is chosen')
    call comity_place_graph(6, seats, 5_c_int64_t, from, to, weights, COMITY_PLACE_SUM, order)
    by_rank(order) = seats%node
    call expect(by_rank(0) == by_rank(1), 'the sum')
  end subroutine the_objective_is_chosen

  integer function changes_of_package(communicator) result(changes)
    type(MPI_Comm), intent(in) :: communicator
    integer :: packages(size)
    call MPI_Allgather(mod(rank, 2), 1, MPI_INTEGER, packages, 1, MPI_INTEGER, communicator)
    changes = count(packages(2:) /= packages(:size - 1))
  end function changes_of_package

  subroutine boxes_are_cut_and_found()
    integer(c_int32_t) :: cuts(4)
    integer(c_int64_t) :: first(2), extent(2)
    type(comity_place_level) :: levels(2)
    levels(1)%parts = 4
    levels(2)%most_cells = 5
    call comity_place_decompose(2, [10_c_int64_t, 8_c_int64_t], 2, levels, cuts)
    call expect(all(cuts == [2, 2, 1, 4]), 'cuts of boxes')
    call comity_place_box(2, [10_c_int64_t, 8_c_int64_t], 2, cuts, [3_c_int64_t, 1_c_int64_t], first, extent)
    call expect(all(first == [5, 5]) .and. all(extent == [5, 1]), 'a box in a box')
  end subroutine boxes_are_cut_and_found

  ! Last, for nothing gives it back.
  subroutine a_binding_can_be_kept()
    type(comity_cpuset) :: set
    integer :: code, depth
    call context%push(COMITY_CORE, 1)
    call context%set_binding_of(COMITY_BINDING_OF_THREADS)
    call context%binding(set)
    call expect(set%words(0) == 12, 'all threads are on the core')
    call context%set_binding_of(77, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'the masks of nobody')
    call context%set_binding_of(COMITY_BINDING_OF_MAIN_THREAD)
    call context%set_teams(COMITY_TEAMS_KEEP)
    call context%set_teams(77, code)
    call expect_code(code, COMITY_ERR_ARGUMENT, 'no such choice of teams')
    call context%keep_binding()
    call context%depth(depth)
    call context%binding(set)
    call expect(depth == 0 .and. set%words(0) == 12, 'the core is kept, and nothing stands on the stack')
    call context%pop(code)
    call expect_code(code, COMITY_ERR_ORDER, 'a pop of what is kept')
  end subroutine a_binding_can_be_kept
end program context_test
